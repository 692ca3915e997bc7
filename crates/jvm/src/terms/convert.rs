//! Conversions between types, by their distance from `i2l`. From a float to an integer they saturate, and NaN becomes 0.

use super::floats::wrap;
use term::{FloatFormat, FloatPredicate, Pool, Term};

pub(crate) fn convert(pool: &mut Pool, conversion: u32, a: Term) -> Term {
    match conversion {
        0 => pool.sext(64, a),
        1 | 4 => from_int(pool, FloatFormat::SINGLE, a),
        2 | 5 => from_int(pool, FloatFormat::DOUBLE, a),
        3 => pool.extract(31, 0, a),
        6 | 9 => to_int(pool, 32, a),
        7 | 10 => to_int(pool, 64, a),
        8 => between(pool, FloatFormat::DOUBLE, a),
        11 => between(pool, FloatFormat::SINGLE, a),
        12 => narrow(pool, 8, true, a),
        13 => narrow(pool, 16, false, a),
        _ => narrow(pool, 16, true, a),
    }
}

fn from_int(pool: &mut Pool, format: FloatFormat, a: Term) -> Term {
    let float = pool.sint_to_fp(format, a);
    pool.fp_to_bits(float)
}

fn between(pool: &mut Pool, format: FloatFormat, a: Term) -> Term {
    let a = wrap(pool, a);
    let float = pool.fp_to_fp(format, a);
    pool.fp_to_bits(float)
}

fn narrow(pool: &mut Pool, width: u32, signed: bool, a: Term) -> Term {
    let low = pool.extract(width - 1, 0, a);
    if signed {
        pool.sext(32, low)
    } else {
        pool.zext(32, low)
    }
}

fn to_int(pool: &mut Pool, width: u32, a: Term) -> Term {
    let single = pool.width(a) == 32;
    let float = wrap(pool, a);
    // 2^(width - 1), which each format has exactly.
    let limit = match (single, width) {
        (true, 32) => pool.bv(32, u64::from(2f32.powi(31).to_bits())),
        (true, _) => pool.bv(32, u64::from(2f32.powi(63).to_bits())),
        (false, 32) => pool.bv(64, 2f64.powi(31).to_bits()),
        (false, _) => pool.bv(64, 2f64.powi(63).to_bits()),
    };
    let limit = wrap(pool, limit);
    let low = pool.fneg(limit);
    let inside = pool.fp_to_sint(width, float);
    let most = pool.bv(width, (1 << (width - 1)) - 1);
    let least = pool.bv(width, 1 << (width - 1));
    let zero = pool.bv(width, 0);
    let above = pool.fcmp(FloatPredicate::Oge, float, limit);
    let below = pool.fcmp(FloatPredicate::Ole, float, low);
    let is_nan = pool.fcmp(FloatPredicate::Uno, float, float);
    let value = pool.ite(below, least, inside);
    let value = pool.ite(above, most, value);
    pool.ite(is_nan, zero, value)
}
