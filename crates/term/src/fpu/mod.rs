//! The results of floating-point operators on bit patterns: as `float` defines them, in the machine's reading.
//!
//! Functions of the mathematical library run through the host's `f32` and `f64` methods: formats other than Single
//! and Double through `f64`, so that results of X87 and Quad are good to 53 bits only.

mod libm;

pub use libm::{MathLibrary, math_value, use_math_library};

use crate::node::Op;
use crate::sort::Sort;
use crate::wide::{from_u128, to_u128};
use float::{FloatFormat, FloatPredicate, MathFunction, Operation, Reading, RoundingMode, pattern};
use num_bigint::BigUint;

/// Which of the readings of floating-point arithmetic terms have. A conversion to an integer that does not fit gives
/// the smallest signed integer, and the largest unsigned one.
const READING: Reading = Reading::Machine;

/// Applies the float operator `op`: `from` is the sort of the first operand, `to` of the result,
/// `imm` the node's rounding mode, predicate or function. No value is wider than 128 bits.
pub(crate) fn apply(op: Op, from: Sort, to: Sort, imm: u8, args: [u128; 3]) -> u128 {
    match (from, to) {
        (_, _) if matches!(op, Op::FpFromBits | Op::FpToBits) => args[0],
        (Sort::BitVec(width), Sort::Float(format)) => {
            pattern::from_integer(format, rounding(imm), op == Op::SintToFp, width, args[0])
        }
        (Sort::Float(format), Sort::BitVec(_)) if op == Op::FCmp => {
            let order = pattern::compare(format, args[0], args[1]);
            FloatPredicate::ALL[imm as usize].holds(order) as u128
        }
        (Sort::Float(format), Sort::BitVec(width)) => {
            let signed = op == Op::FpToSint;
            pattern::to_integer(format, rounding(imm), signed, width, args[0]).unwrap_or_else(
                || {
                    if signed {
                        1 << (width - 1)
                    } else {
                        u128::MAX >> (128 - width)
                    }
                },
            )
        }
        (Sort::Float(format), Sort::Float(target)) => match op {
            Op::FNeg => pattern::negate(format, args[0]),
            Op::FAbs => pattern::absolute(format, args[0]),
            Op::FpToFp => pattern::convert(format, target, READING, rounding(imm), args[0]),
            Op::FCall => math_value(format, MathFunction::ALL[imm as usize], [args[0], args[1]]),
            _ => pattern::apply(operation(op), format, READING, rounding(imm), args),
        },
        _ => unreachable!("{op:?} from {from:?} to {to:?}"),
    }
}

/// [`apply`] on values of at most 64 bits.
#[inline]
pub(crate) fn apply_narrow(op: Op, from: Sort, to: Sort, imm: u8, [a, b, c]: [u64; 3]) -> u64 {
    apply(op, from, to, imm, [a.into(), b.into(), c.into()]) as u64
}

/// [`apply`] on values of any width, as little-endian limbs (none of an operand that there is not).
pub(crate) fn apply_limbs(
    op: Op,
    from: Sort,
    to: Sort,
    imm: u8,
    args: [&[u64]; 3],
    out: &mut [u64],
) {
    if from.bits().max(to.bits()) <= 128 {
        return from_u128(out, apply(op, from, to, imm, args.map(to_u128)));
    }
    let value = apply_wide(op, from, to, imm, args.map(to_number));
    out.fill(0);
    for (out, limb) in out.iter_mut().zip(value.iter_u64_digits()) {
        *out = limb;
    }
}

fn to_number(limbs: &[u64]) -> BigUint {
    let digits = limbs
        .iter()
        .flat_map(|&limb| [limb as u32, (limb >> 32) as u32]);
    BigUint::new(digits.collect())
}

/// [`apply`] on numbers of any size, always by definition.
fn apply_wide(op: Op, from: Sort, to: Sort, imm: u8, args: [BigUint; 3]) -> BigUint {
    let power = |bits: u32| BigUint::from(1u32) << bits;
    let is_negative = |format: FloatFormat| args[0].bit(format.bits() as u64 - 1);
    let [a, b, _] = &args;
    match (from, to) {
        (_, _) if matches!(op, Op::FpFromBits | Op::FpToBits) => a.clone(),
        (Sort::BitVec(width), Sort::Float(format)) => {
            pattern::from_integer_in(format, rounding(imm), op == Op::SintToFp, width, a).0
        }
        (Sort::Float(format), Sort::BitVec(_)) if op == Op::FCmp => {
            let order = pattern::compare_in(format, a, b);
            BigUint::from(u32::from(FloatPredicate::ALL[imm as usize].holds(order)))
        }
        (Sort::Float(format), Sort::BitVec(width)) => {
            let signed = op == Op::FpToSint;
            pattern::to_integer_in(format, rounding(imm), signed, width, a)
                .0
                .unwrap_or_else(|| {
                    if signed {
                        power(width - 1)
                    } else {
                        power(width) - 1u32
                    }
                })
        }
        (Sort::Float(format), Sort::Float(target)) => {
            let sign = power(format.bits() - 1);
            match op {
                Op::FNeg | Op::FAbs if is_negative(format) => a - sign,
                Op::FNeg => a + sign,
                Op::FAbs => a.clone(),
                Op::FpToFp => pattern::convert_in(format, target, READING, rounding(imm), a).0,
                Op::FCall => {
                    let function = MathFunction::ALL[imm as usize];
                    let even = RoundingMode::NearestEven;
                    let narrow = [a, b].map(|arg| {
                        let double =
                            pattern::convert_in(format, FloatFormat::DOUBLE, READING, even, arg).0;
                        to_u128(&double.to_u64_digits())
                    });
                    let result = math_value(FloatFormat::DOUBLE, function, narrow).into();
                    pattern::convert_in(FloatFormat::DOUBLE, format, READING, even, &result).0
                }
                _ => {
                    let operation = operation(op);
                    let args = &args[..operation.arity()];
                    pattern::apply_in(operation, format, READING, rounding(imm), args).0
                }
            }
        }
        _ => unreachable!("{op:?} from {from:?} to {to:?}"),
    }
}

/// The rounding mode that a node holds.
pub(crate) fn rounding(imm: u8) -> RoundingMode {
    RoundingMode::ALL[imm as usize]
}

/// The operation of an operator that takes and gives floats of one format, if it is one and no function of the mathematical
/// library.
pub fn float_operation(op: Op) -> Option<Operation> {
    Some(match op {
        Op::FAdd => Operation::Add,
        Op::FSub => Operation::Subtract,
        Op::FMul => Operation::Multiply,
        Op::FDiv => Operation::Divide,
        Op::FRem => Operation::Modulo,
        Op::FRemainder => Operation::Remainder,
        Op::Fma => Operation::MultiplyAdd,
        Op::FSqrt => Operation::SquareRoot,
        Op::FRound => Operation::RoundToIntegral,
        Op::FMin => Operation::Minimum,
        Op::FMax => Operation::Maximum,
        _ => return None,
    })
}

/// The same of an operator that is known to be one.
fn operation(op: Op) -> Operation {
    float_operation(op).unwrap_or_else(|| unreachable!("{op:?} is not float arithmetic"))
}

#[cfg(test)]
mod tests;
