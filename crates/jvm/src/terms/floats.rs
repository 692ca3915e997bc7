//! Arithmetic on float and double, rounded to nearest. `%` is C's `fmod`.

use crate::wire::opcode::*;
use crate::wire::{ATAN2, CEIL, FLOOR, FUNCTION, RINT, SQRT};
use term::{Decimal, FloatFormat, FloatPredicate, MathFunction, Pool, RoundingMode, Term};

/// The float that these bits are.
pub(crate) fn wrap(pool: &mut Pool, bits: Term) -> Term {
    let format = if pool.width(bits) == 32 {
        FloatFormat::SINGLE
    } else {
        FloatFormat::DOUBLE
    };
    pool.fp_from_bits(format, bits)
}

pub(crate) fn arithmetic(pool: &mut Pool, op: u32, a: Term, b: Term) -> Term {
    let (a, b) = (wrap(pool, a), wrap(pool, b));
    let result = match (op - IADD) / 4 {
        0 => pool.fadd(a, b),
        1 => pool.fsub(a, b),
        2 => pool.fmul(a, b),
        3 => pool.fdiv(a, b),
        _ => pool.frem(a, b),
    };
    pool.fp_to_bits(result)
}

pub(crate) fn negate(pool: &mut Pool, a: Term) -> Term {
    let a = wrap(pool, a);
    let result = pool.fneg(a);
    pool.fp_to_bits(result)
}

/// A function of one number that is exact or rounded to nearest.
pub(crate) fn function(pool: &mut Pool, op: u32, a: Term) -> Term {
    let a = wrap(pool, a);
    let result = match op {
        SQRT => pool.fsqrt(a),
        FLOOR => pool.fround_to_integral(RoundingMode::TowardNegative, a),
        CEIL => pool.fround_to_integral(RoundingMode::TowardPositive, a),
        RINT => pool.fround_to_integral(RoundingMode::NearestEven, a),
        _ => pool.fabs(a),
    };
    pool.fp_to_bits(result)
}

/// Those of one number whose last bit is the JVM's choice, in the order of their numbers from [`FUNCTION`] on.
pub(crate) const FUNCTIONS: [MathFunction; 14] = {
    use MathFunction::*;
    [
        Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Exp, Expm1, Log, Log10, Log1p,
    ]
};

/// A function whose last bit is the JVM's choice: the term is that of another library.
pub(crate) fn approximate(pool: &mut Pool, op: u32, a: Term) -> Term {
    let a = wrap(pool, a);
    let result = pool.fcall(FUNCTIONS[(op - FUNCTION) as usize], &[a]);
    pool.fp_to_bits(result)
}

/// The same of two numbers.
pub(crate) fn approximate_of_two(pool: &mut Pool, op: u32, a: Term, b: Term) -> Term {
    let (a, b) = (wrap(pool, a), wrap(pool, b));
    let function = match op {
        ATAN2 => MathFunction::Atan2,
        _ => MathFunction::Pow,
    };
    let result = pool.fcall(function, &[a, b]);
    pool.fp_to_bits(result)
}

/// A number in text: these digits times a power of ten, of which the number of digits and the least and greatest exponent are known. `None` if no
/// format is wide enough for that.
pub(crate) fn decimal(
    pool: &mut Pool,
    is_single: bool,
    (digits, low, high): (u32, i32, i32),
    number: Term,
    exponent: Term,
) -> Option<Term> {
    let target = if is_single {
        FloatFormat::SINGLE
    } else {
        FloatFormat::DOUBLE
    };
    let exponent = pool.sext(64, exponent);
    let (low, high) = match pool.as_const(exponent) {
        Some(e) => (e as i32, e as i32),
        None => (low, high),
    };
    let shape = Decimal::new(target, digits, low, high)?;
    let value = pool.decimal(shape, number, exponent);
    Some(pool.fp_to_bits(value))
}

/// `Math.max` and `Math.min`: NaN if one of them is; of the two zeros the negative one is the lesser.
pub(crate) fn extreme(pool: &mut Pool, greatest: bool, a: Term, b: Term) -> Term {
    let (x, y) = (wrap(pool, a), wrap(pool, b));
    let less = pool.fcmp(FloatPredicate::Olt, x, y);
    let more = pool.fcmp(FloatPredicate::Ogt, x, y);
    // Of equal numbers only the zeros differ: in their signs, of which the bits have both or either.
    let (both, either) = (pool.and(a, b), pool.or(a, b));
    let (first, second, equal) = if greatest {
        (more, less, both)
    } else {
        (less, more, either)
    };
    let (no_x, no_y) = (
        pool.fcmp(FloatPredicate::Uno, x, x),
        pool.fcmp(FloatPredicate::Uno, y, y),
    );
    let value = pool.ite(second, b, equal);
    let value = pool.ite(first, a, value);
    let value = pool.ite(no_y, b, value);
    pool.ite(no_x, a, value)
}

/// -1, 0 or 1; with a NaN -1 or 1, by the instruction.
pub(crate) fn compare(pool: &mut Pool, op: u32, a: Term, b: Term) -> Term {
    let greater_if_nan = (op - FCMPL) & 1 == 1;
    let (a, b) = (wrap(pool, a), wrap(pool, b));
    let (minus, zero, one) = (pool.bv(32, u64::MAX), pool.bv(32, 0), pool.bv(32, 1));
    let equal = pool.fcmp(FloatPredicate::Oeq, a, b);
    if greater_if_nan {
        let less = pool.fcmp(FloatPredicate::Olt, a, b);
        let rest = pool.ite(equal, zero, one);
        pool.ite(less, minus, rest)
    } else {
        let greater = pool.fcmp(FloatPredicate::Ogt, a, b);
        let rest = pool.ite(equal, zero, minus);
        pool.ite(greater, one, rest)
    }
}
