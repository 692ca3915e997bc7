//! Arithmetic on float and double, rounded to nearest. `%` is C's `fmod`.

use crate::wire::opcode::*;
use term::{FloatFormat, FloatPredicate, Pool, Term};

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
