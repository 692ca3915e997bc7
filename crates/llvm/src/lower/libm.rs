//! The call-level table of libm: calls that are one float operation of the IR.
//!
//! musl computes these with integers or by adding and subtracting large numbers; as one operation each of them is
//! quick on concrete operands, and on symbolic ones the machine knows what it is about. Results are those of
//! musl's code bit for bit, NaNs included. `fmin` and `fmax` are not here: musl orders zeros by their sign, the
//! operation behind `llvm.minnum` does not. Functions of the program itself with these names stay calls.
//!
//! If asked for ([`LowerOptions::libm_calls`](crate::LowerOptions)), the functions of [`MathFunction`] are operations of the
//! environment instead of code.

use super::function::{FnLower, Refused, is_float};
use crate::ffi::Value;
use ir::{FloatBinOp, FloatFormat, FloatOp, FloatUnOp, MathFunction, Val};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LibmOperation {
    Un(FloatUnOp),
    Rint,
    Bin(FloatBinOp),
    Fma,
}

const TABLE: [(&str, LibmOperation); 11] = [
    ("floor", LibmOperation::Un(FloatUnOp::Floor)),
    ("ceil", LibmOperation::Un(FloatUnOp::Ceil)),
    ("trunc", LibmOperation::Un(FloatUnOp::Trunc)),
    ("rint", LibmOperation::Rint),
    ("nearbyint", LibmOperation::Rint),
    ("round", LibmOperation::Un(FloatUnOp::RoundAway)),
    ("sqrt", LibmOperation::Un(FloatUnOp::Sqrt)),
    ("fabs", LibmOperation::Un(FloatUnOp::Abs)),
    ("copysign", LibmOperation::Bin(FloatBinOp::CopySign)),
    ("fmod", LibmOperation::Bin(FloatBinOp::Rem)),
    ("fma", LibmOperation::Fma),
];

/// The operation behind a function of libm, and the format that its suffix names.
fn operation(name: &str) -> Option<(LibmOperation, FloatFormat)> {
    let find = |base: &str| TABLE.iter().find(|(n, _)| *n == base).map(|(_, op)| *op);
    let (op, format) = if let Some(op) = find(name) {
        (op, FloatFormat::DOUBLE)
    } else if let Some(op) = name.strip_suffix('f').and_then(find) {
        (op, FloatFormat::SINGLE)
    } else {
        (find(name.strip_suffix('l')?)?, FloatFormat::X87)
    };
    // x87's is a computation in pieces.
    (op != LibmOperation::Fma || format != FloatFormat::X87).then_some((op, format))
}

/// The operation behind a function of libm, if it can raise an exception that a check looks for.
pub fn checked(name: &str) -> Option<FloatOp> {
    match operation(name)?.0 {
        LibmOperation::Un(FloatUnOp::Sqrt) => Some(FloatOp::Sqrt),
        LibmOperation::Bin(FloatBinOp::Rem) => Some(FloatOp::Rem),
        LibmOperation::Fma => Some(FloatOp::Fma),
        _ => None,
    }
}

impl FnLower<'_> {
    /// Lowers a call of a libm function that is one operation; returns whether it was one.
    pub fn libm_call(&mut self, v: Value, callee: Value) -> Result<bool, Refused> {
        let name = callee.name();
        let Some((op, format)) = operation(&name) else {
            return self.math_call(v, callee, &name);
        };
        let count = match op {
            LibmOperation::Un(_) | LibmOperation::Rint => 1,
            LibmOperation::Bin(_) => 2,
            LibmOperation::Fma => 3,
        };
        if !self.is_library_call(v, callee, count, format) {
            return Ok(false);
        }
        let mut args = Vec::new();
        for i in 0..v.arg_count() {
            args.push(self.val(v.arg(i))?);
        }
        let result = match (op, &args[..]) {
            (LibmOperation::Rint, [a]) => self.rint(format, *a),
            (LibmOperation::Un(op), [a]) => self.float_un(op, format, *a),
            (LibmOperation::Bin(op), [a, b]) => self.float_bin(op, format, *a, *b),
            (LibmOperation::Fma, [a, b, c]) => self.float_fma(format, *a, *b, *c),
            _ => return Ok(false),
        };
        self.set1(v, result);
        Ok(true)
    }

    /// Lowers a call of a [`MathFunction`] to one of the environment's operation, if that is asked for.
    fn math_call(&mut self, v: Value, callee: Value, name: &str) -> Result<bool, Refused> {
        let function = MathFunction::of_name(name).filter(|_| self.p.options.libm_calls);
        let Some((function, format)) = function else {
            return Ok(false);
        };
        if !self.is_library_call(v, callee, function.arity(), format) {
            return Ok(false);
        }
        if self.p.reads_flags {
            return Err(format!(
                "{name} with --libm call in a program that reads exception flags"
            ));
        }
        let args: Result<Vec<Val>, Refused> =
            (0..v.arg_count()).map(|i| self.val(v.arg(i))).collect();
        let widths = vec![format.bits() as u16; function.arity()];
        let shape = self.shape(v.ty());
        self.call_by_name(&format!("__polypath_{name}"), v, &args?, &widths, &shape);
        Ok(true)
    }

    /// A call of a function that is not the program's own, with `count` arguments and a result of this format.
    fn is_library_call(
        &mut self,
        v: Value,
        callee: Value,
        count: usize,
        format: FloatFormat,
    ) -> bool {
        let mut types = vec![v.ty()];
        types.extend((0..v.arg_count()).map(|i| v.arg(i).ty()));
        types.len() == count + 1
            && types.iter().all(|ty| match self.shape(*ty).scalars[..] {
                [s] => is_float(s) == Some(format),
                _ => false,
            })
            && !crate::instrument::is_own(callee)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_name_formats() {
        let floor = LibmOperation::Un(FloatUnOp::Floor);
        assert_eq!(operation("floor"), Some((floor, FloatFormat::DOUBLE)));
        assert_eq!(operation("floorf"), Some((floor, FloatFormat::SINGLE)));
        assert_eq!(operation("floorl"), Some((floor, FloatFormat::X87)));
        assert_eq!(operation("fmaf").map(|o| o.1), Some(FloatFormat::SINGLE));
        for other in ["fmal", "fmax", "floo", "f", "l", "ceill_", "roundeven"] {
            assert_eq!(operation(other), None, "{other}");
        }
    }
}
