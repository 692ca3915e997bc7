//! Which floating-point exceptions an operation raises: of numbers, and as conditions on terms.
//!
//! An exception is raised by the operation that causes it: a NaN or an infinity among the operands raises nothing
//! again. Otherwise exceptions are the processor's flags (`float::Flags`), with two differences: `fp-cast` is its
//! `invalid` of conversions to integers, for the width of C's type; comparisons are not looked at.

mod conditions;
mod exactness;
mod scaled;

pub use conditions::{condition, status_term};

use crate::concrete_float::instruction_width;
use float::{Flags, FloatFormat, Numbers, Operation, Reading, RoundingMode, pattern};
use ir::{ConvOp, FloatOp};
use num_bigint::BigUint;
use vocab::Check;

/// A float operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raiser {
    /// On floats of one format, with a result of the same.
    Arithmetic(FloatOp, FloatFormat),
    /// From the first format to the second.
    Cast(FloatFormat, FloatFormat),
    /// From an integer of `w` bits.
    FromInteger {
        /// Is the integer signed?
        signed: bool,
        /// Its width.
        w: u32,
        /// The format of the result.
        to: FloatFormat,
    },
    /// To an integer of `w` bits, toward zero.
    ToInteger {
        /// Is the integer signed?
        signed: bool,
        /// Its width.
        w: u32,
        /// The format of the operand.
        from: FloatFormat,
    },
}

impl Raiser {
    /// A conversion between a format and an integer of `w` bits.
    pub fn conversion(op: ConvOp, format: FloatFormat, w: u32) -> Raiser {
        match op {
            ConvOp::FloatToSigned | ConvOp::FloatToUnsigned => Raiser::ToInteger {
                signed: op == ConvOp::FloatToSigned,
                w,
                from: format,
            },
            ConvOp::SignedToFloat | ConvOp::UnsignedToFloat => Raiser::FromInteger {
                signed: op == ConvOp::SignedToFloat,
                w,
                to: format,
            },
        }
    }

    /// The exceptions that it can raise.
    pub fn exceptions(self) -> &'static [Check] {
        use Check::*;
        match self {
            Raiser::Arithmetic(op, _) => match op {
                // A sum that is tiny is exact.
                FloatOp::Add | FloatOp::Sub => &[FpOverflow, FpInvalid, FpNan, FpInexact],
                FloatOp::Mul | FloatOp::Fma => {
                    &[FpOverflow, FpUnderflow, FpInvalid, FpNan, FpInexact]
                }
                FloatOp::Div => &[FpDiv, FpOverflow, FpUnderflow, FpInvalid, FpNan, FpInexact],
                FloatOp::Rem => &[FpInvalid, FpNan],
                FloatOp::Sqrt => &[FpInvalid, FpNan, FpInexact],
                FloatOp::Call => &[FpNan],
                FloatOp::Round | FloatOp::Compare => &[],
            },
            Raiser::Cast(..) => &[FpOverflow, FpUnderflow, FpInexact],
            Raiser::FromInteger { .. } => &[FpOverflow, FpInexact],
            Raiser::ToInteger { .. } => &[FpCast, FpInexact],
        }
    }

    /// The widths of its operands.
    pub fn widths(self) -> ([u32; 3], usize) {
        match self {
            Raiser::Arithmetic(op, f) => ([f.bits(); 3], arity(op)),
            Raiser::Cast(from, _) | Raiser::ToInteger { from, .. } => ([from.bits(); 3], 1),
            Raiser::FromInteger { w, .. } => ([w; 3], 1),
        }
    }

    /// The operation in words.
    pub fn words(self) -> &'static str {
        match self {
            Raiser::Arithmetic(op, _) => match op {
                FloatOp::Add => "addition",
                FloatOp::Sub => "subtraction",
                FloatOp::Mul => "multiplication",
                FloatOp::Div => "division",
                FloatOp::Rem => "remainder",
                FloatOp::Fma => "fused multiplication and addition",
                FloatOp::Sqrt => "square root",
                FloatOp::Call => "function",
                FloatOp::Round => "rounding",
                FloatOp::Compare => "comparison",
            },
            Raiser::Cast(..) => "conversion to a smaller type",
            Raiser::FromInteger { .. } => "conversion of an integer",
            Raiser::ToInteger { .. } => "conversion to an integer",
        }
    }
}

const fn arity(op: FloatOp) -> usize {
    match op {
        FloatOp::Sqrt | FloatOp::Round => 1,
        FloatOp::Add
        | FloatOp::Sub
        | FloatOp::Mul
        | FloatOp::Div
        | FloatOp::Rem
        | FloatOp::Compare => 2,
        FloatOp::Fma | FloatOp::Call => 3,
    }
}

/// The flags of numbers.
fn flags(op: Raiser, mode: RoundingMode, args: [u128; 3]) -> Flags<bool> {
    let reading = Reading::Machine;
    match op {
        Raiser::Arithmetic(op, f) => {
            let operation = match op {
                FloatOp::Add => Operation::Add,
                FloatOp::Sub => Operation::Subtract,
                FloatOp::Mul => Operation::Multiply,
                FloatOp::Div => Operation::Divide,
                FloatOp::Rem => Operation::Modulo,
                FloatOp::Fma => Operation::MultiplyAdd,
                FloatOp::Sqrt => Operation::SquareRoot,
                FloatOp::Round => Operation::RoundToIntegral,
                FloatOp::Compare | FloatOp::Call => {
                    let mut flags = Flags::none(&Numbers::<u128>::new());
                    let nan = args[..2].iter().any(|&x| pattern::is_nan(f, x));
                    flags.invalid = op == FloatOp::Compare && nan;
                    return flags;
                }
            };
            pattern::by_definition(operation, f, reading, mode, args).1
        }
        Raiser::Cast(from, to) => pattern::convert_in(from, to, reading, mode, &args[0]).1,
        Raiser::FromInteger { signed, w, to } => {
            pattern::from_integer_in(to, mode, signed, w, &BigUint::from(args[0])).1
        }
        Raiser::ToInteger { signed, w, from } => {
            let x = BigUint::from(args[0]);
            pattern::to_integer_in(from, RoundingMode::TowardZero, signed, w, &x).1
        }
    }
}

/// Does the operation raise the exception on these operands?
pub fn raised(what: Check, op: Raiser, mode: RoundingMode, args: [u128; 3]) -> bool {
    match op {
        Raiser::Arithmetic(FloatOp::Call, f) => {
            let [result, a, b] = args.map(|x| pattern::is_nan(f, x));
            return what == Check::FpNan && result && !a && !b;
        }
        Raiser::Arithmetic(op, f) => {
            let operands = &args[..arity(op)];
            if operands.iter().any(|&x| pattern::is_nan(f, x)) {
                return false;
            }
        }
        Raiser::Cast(from, _) if pattern::is_nan(from, args[0]) => return false,
        Raiser::Cast(..) | Raiser::FromInteger { .. } | Raiser::ToInteger { .. } => {}
    }
    let flags = flags(op, mode, args);
    match what {
        Check::FpOverflow => flags.overflow,
        Check::FpUnderflow => flags.underflow,
        Check::FpDiv => flags.divide_by_zero,
        Check::FpInvalid | Check::FpNan | Check::FpCast => flags.invalid,
        Check::FpInexact => flags.inexact,
        _ => false,
    }
}

/// The flags of numbers as the processor's status words have them.
pub fn status(op: Raiser, mode: RoundingMode, args: [u128; 3]) -> u64 {
    let flags = flags(by_instruction(op), mode, args);
    let all = [
        flags.invalid,
        flags.denormal,
        flags.divide_by_zero,
        flags.overflow,
        flags.underflow,
        flags.inexact,
    ];
    let bits = all.iter().enumerate();
    bits.map(|(at, &flag)| u64::from(flag) << at).sum()
}

/// A conversion to an integer raises what its instruction does, which may be wider than C's type.
fn by_instruction(op: Raiser) -> Raiser {
    match op {
        Raiser::ToInteger { signed, w, from } if w <= 64 => {
            let through = u32::from(instruction_width(signed, from, w as u8));
            Raiser::ToInteger {
                signed: signed || through > w,
                w: through,
                from,
            }
        }
        other => other,
    }
}
