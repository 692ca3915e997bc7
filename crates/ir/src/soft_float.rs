//! Float operations as functions over integers: which function of the module simulates which operation.
//!
//! The machine enters such a function in place of an instruction whose operands are symbolic (floating point
//! by integer simulation). Its parameters are the operands' registers, its results the destination's.
//! The functions come from `runtime/softfloat`; their names are made here. Formats without functions
//! (half, bfloat, quad), integers above 64 bits, saturating conversions and x87's fma are not simulated.

use crate::{ConvOp, FloatBinOp, FloatFormat, FloatPredicate, FloatUnOp, Inst};
use serde::{Deserialize, Serialize};

/// What the names of all soft-float functions begin with.
pub const PREFIX: &str = "__polypath_soft_";

/// An operation that can be simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SoftOp {
    /// An operation on two floats of one format.
    Bin(FloatBinOp, FloatFormat),
    /// An operation on one float.
    Un(FloatUnOp, FloatFormat),
    /// Fused multiply and add.
    Fma(FloatFormat),
    /// A comparison.
    Cmp(FloatPredicate, FloatFormat),
    /// From the first format to the second.
    Cast(FloatFormat, FloatFormat),
    /// To an integer of 8, 16, 32 or 64 bits.
    ToInt {
        /// Of the float.
        format: FloatFormat,
        /// Is the integer signed?
        signed: bool,
        /// Of the integer, in bits.
        width: u8,
    },
    /// From an integer of 64 bits; narrower ones are extended first.
    FromInt {
        /// Of the float.
        format: FloatFormat,
        /// Is the integer signed?
        signed: bool,
    },
}

const FORMATS: [FloatFormat; 3] = [FloatFormat::SINGLE, FloatFormat::DOUBLE, FloatFormat::X87];

impl SoftOp {
    /// Every operation that has a function.
    pub fn all() -> Vec<SoftOp> {
        use FloatBinOp as B;
        use FloatPredicate as P;
        use FloatUnOp as U;
        let mut all = Vec::new();
        for format in FORMATS {
            let bin = [B::Add, B::Sub, B::Mul, B::Div, B::Rem, B::Min, B::Max];
            all.extend(bin.map(|op| SoftOp::Bin(op, format)));
            let un = [
                U::Sqrt,
                U::Floor,
                U::Ceil,
                U::Trunc,
                U::RoundEven,
                U::RoundAway,
            ];
            all.extend(un.map(|op| SoftOp::Un(op, format)));
            if format != FloatFormat::X87 {
                all.push(SoftOp::Fma(format));
            }
            let predicates = [
                P::Oeq,
                P::Ogt,
                P::Oge,
                P::Olt,
                P::Ole,
                P::One,
                P::Ord,
                P::Ueq,
                P::Ugt,
                P::Uge,
                P::Ult,
                P::Ule,
                P::Une,
                P::Uno,
            ];
            all.extend(predicates.map(|p| SoftOp::Cmp(p, format)));
            let others = FORMATS.iter().filter(|to| **to != format);
            all.extend(others.map(|to| SoftOp::Cast(format, *to)));
            for signed in [true, false] {
                all.extend([8, 16, 32, 64].map(|width| SoftOp::ToInt {
                    format,
                    signed,
                    width,
                }));
                all.push(SoftOp::FromInt { format, signed });
            }
        }
        all
    }

    /// The operation of an instruction, where floats are rounded to nearest; `None` if it is one of another kind. Not each has a function.
    pub fn of(inst: Inst) -> Option<SoftOp> {
        Some(match inst {
            Inst::FloatBin { op, format, .. } => SoftOp::Bin(op, format),
            Inst::FloatUn {
                op: FloatUnOp::RoundCurrent,
                format,
                ..
            } => SoftOp::Un(FloatUnOp::RoundEven, format),
            Inst::FloatUn { op, format, .. } => SoftOp::Un(op, format),
            Inst::FloatFma { format, .. } => SoftOp::Fma(format),
            Inst::FloatCmp { op, format, .. } => SoftOp::Cmp(op, format),
            Inst::FloatCast { from, to, .. } => SoftOp::Cast(from, to),
            Inst::FloatConv {
                op,
                saturating: false,
                format,
                w,
                ..
            } if w <= 64 => match op {
                ConvOp::FloatToSigned | ConvOp::FloatToUnsigned => SoftOp::ToInt {
                    format,
                    signed: op == ConvOp::FloatToSigned,
                    width: w,
                },
                ConvOp::SignedToFloat | ConvOp::UnsignedToFloat => SoftOp::FromInt {
                    format,
                    signed: op == ConvOp::SignedToFloat,
                },
            },
            _ => return None,
        })
    }

    /// The name of its function.
    pub fn symbol(self) -> String {
        let sign = |signed: bool| if signed { 's' } else { 'u' };
        let (operation, format) = match self {
            SoftOp::Bin(op, f) => (format!("{op:?}").to_lowercase(), f),
            SoftOp::Un(FloatUnOp::RoundAway, f) => ("round".to_string(), f),
            SoftOp::Un(op, f) => (format!("{op:?}").to_lowercase(), f),
            SoftOp::Fma(f) => ("fma".to_string(), f),
            SoftOp::Cmp(p, f) => (format!("{p:?}").to_lowercase(), f),
            SoftOp::Cast(from, to) => (format!("{}_to", suffix(from)), to),
            SoftOp::ToInt {
                format,
                signed,
                width,
            } => (format!("to_{}{width}", sign(signed)), format),
            SoftOp::FromInt { format, signed } => (format!("from_{}64", sign(signed)), format),
        };
        format!("{PREFIX}{operation}_{}", suffix(format))
    }

    /// Bits of each operand and of the result.
    pub fn widths(self) -> (Vec<u32>, u32) {
        match self {
            SoftOp::Bin(_, f) => (vec![f.bits(); 2], f.bits()),
            SoftOp::Un(_, f) => (vec![f.bits()], f.bits()),
            SoftOp::Fma(f) => (vec![f.bits(); 3], f.bits()),
            SoftOp::Cmp(_, f) => (vec![f.bits(); 2], 1),
            SoftOp::Cast(from, to) => (vec![from.bits()], to.bits()),
            SoftOp::ToInt { format, width, .. } => (vec![format.bits()], u32::from(width)),
            SoftOp::FromInt { format, .. } => (vec![64], format.bits()),
        }
    }
}

fn suffix(format: FloatFormat) -> String {
    format!("f{}", format.bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_tell_operations_apart() {
        let all = SoftOp::all();
        let names: HashSet<String> = all.iter().map(|op| op.symbol()).collect();
        assert_eq!(names.len(), all.len());
        let name = |op: SoftOp| op.symbol();
        assert_eq!(
            name(SoftOp::Bin(FloatBinOp::Add, FloatFormat::DOUBLE)),
            "__polypath_soft_add_f64"
        );
        assert_eq!(
            name(SoftOp::Cast(FloatFormat::DOUBLE, FloatFormat::SINGLE)),
            "__polypath_soft_f64_to_f32"
        );
        assert_eq!(
            name(SoftOp::Un(FloatUnOp::RoundEven, FloatFormat::X87)),
            "__polypath_soft_roundeven_f80"
        );
    }
}
