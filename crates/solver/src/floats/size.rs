//! How large the circuits of float operations are, about.

use float::FloatFormat;
use term::{Op, Pool, Sort, Term};

/// Gates of the float operations in some conditions, estimated: products, quotients and roots grow with the square of the
/// precision, and a remainder multiplies modulo its divisor once for each bit of an exponent.
pub(crate) fn gates(pool: &Pool, conditions: &[Term]) -> u64 {
    let format = |t: Term| match pool.sort(t) {
        Sort::Float(format) => Some(format),
        _ => None,
    };
    let of = |t: Term| {
        let kid = pool.children(t).iter().find_map(|&kid| format(kid));
        format(t)
            .or(kid)
            .map_or(0, |format| of_one(pool.op(t), format))
    };
    let cone = pool.cone(conditions);
    cone.into_iter().map(of).fold(0, u64::saturating_add)
}

fn of_one(op: Op, format: FloatFormat) -> u64 {
    let (eb, sb) = (
        u64::from(format.exponent_bits()),
        u64::from(format.precision()),
    );
    let square = sb * sb;
    match op {
        Op::FMul | Op::FDiv | Op::FSqrt => 6 * square,
        Op::Fma => 10 * square,
        Op::FRem | Op::FRemainder => 20 * eb * square,
        Op::FNeg | Op::FAbs | Op::Ite => 0,
        Op::FCmp | Op::FMin | Op::FMax => 8 * (eb + sb),
        _ => 40 * (eb + sb),
    }
}

/// Does the host compute with floats of the formats in these conditions? Others take hundreds of its instructions.
pub(crate) fn is_native(pool: &Pool, conditions: &[Term]) -> bool {
    let native = [FloatFormat::SINGLE, FloatFormat::DOUBLE];
    let fits = |t: &Term| match pool.sort(*t) {
        Sort::Float(format) => native.contains(&format),
        _ => true,
    };
    pool.cone(conditions).iter().all(fits)
}
