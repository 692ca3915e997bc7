//! Which floating-point exceptions an operation raises: of numbers, and as conditions on terms.
//!
//! An exception is raised by the operation that makes it: of a NaN or an infinity among the operands nothing is said
//! again. Otherwise exceptions are the processor's flags (`float::Flags`), with two differences: `fp-cast` is its
//! `invalid` of conversions to integers, for the width of C's type; comparisons are not looked at.

mod conditions;
mod exactness;

pub use conditions::condition;

use float::{FloatFormat, Operation, Reading, RoundingMode, pattern};
use ir::FloatOp;
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
        /// Of the result.
        to: FloatFormat,
    },
    /// To an integer of `w` bits, toward zero.
    ToInteger {
        /// Is the integer signed?
        signed: bool,
        /// Its width.
        w: u32,
        /// Of the operand.
        from: FloatFormat,
    },
}

impl Raiser {
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
            },
            Raiser::Cast(..) => "conversion to a smaller type",
            Raiser::FromInteger { .. } => "conversion of an integer",
            Raiser::ToInteger { .. } => "conversion to an integer",
        }
    }
}

const fn arity(op: FloatOp) -> usize {
    match op {
        FloatOp::Sqrt => 1,
        FloatOp::Add | FloatOp::Sub | FloatOp::Mul | FloatOp::Div | FloatOp::Rem => 2,
        FloatOp::Fma | FloatOp::Call => 3,
    }
}

/// Does the operation raise the exception on these operands?
pub fn raised(what: Check, op: Raiser, mode: RoundingMode, args: [u128; 3]) -> bool {
    let reading = Reading::Machine;
    let flags = match op {
        Raiser::Arithmetic(op, f) => {
            let operation = match op {
                FloatOp::Add => Operation::Add,
                FloatOp::Sub => Operation::Subtract,
                FloatOp::Mul => Operation::Multiply,
                FloatOp::Div => Operation::Divide,
                FloatOp::Rem => Operation::Modulo,
                FloatOp::Fma => Operation::MultiplyAdd,
                FloatOp::Sqrt => Operation::SquareRoot,
                FloatOp::Call => {
                    let [result, a, b] = args.map(|x| pattern::is_nan(f, x));
                    return what == Check::FpNan && result && !a && !b;
                }
            };
            let operands = &args[..arity(op)];
            if operands.iter().any(|&x| pattern::is_nan(f, x)) {
                return false;
            }
            pattern::by_definition(operation, f, reading, mode, args).1
        }
        Raiser::Cast(from, to) => {
            if pattern::is_nan(from, args[0]) {
                return false;
            }
            pattern::convert_in(from, to, reading, mode, &args[0]).1
        }
        Raiser::FromInteger { signed, w, to } => {
            pattern::from_integer_in(to, mode, signed, w, &BigUint::from(args[0])).1
        }
        Raiser::ToInteger { signed, w, from } => {
            let x = BigUint::from(args[0]);
            let (fits, flags) =
                pattern::to_integer_in(from, RoundingMode::TowardZero, signed, w, &x);
            return match what {
                Check::FpCast => fits.is_none(),
                _ => fits.is_some() && flags.inexact,
            };
        }
    };
    match what {
        Check::FpOverflow => flags.overflow,
        Check::FpUnderflow => flags.underflow,
        Check::FpDiv => flags.divide_by_zero,
        Check::FpInvalid | Check::FpNan => flags.invalid,
        Check::FpInexact => flags.inexact,
        _ => false,
    }
}
