//! Conversions between text and numbers: what libc's code asks for once it has decided the shape of a text
//! (`runtime/musl/src/internal/polypath_number.h`).
//!
//! Code that converts digit by digit, with a carry and a fork for each, makes thousands of paths and conditions of what is one function
//! of the digits. Here it is a term: a product or quotient of the digits' number and a power of ten, in a format in which that is rounded
//! correctly (`float::decimal_format`).

use super::Table;
use exec::{Call, Done, Machine, State, Termination};
use float::RoundingMode;
use memory::Value;
use std::sync::OnceLock;
use term::{FloatFormat, Op, Pool, Term};

/// What libc calls.
pub const TABLE: Table = &[
    (vocab::ASKS_FOR_NUMBERS, numbers),
    ("__polypath_decimal", decimal),
    ("__polypath_digits", digits),
    ("__polypath_power", power_of_ten),
];

/// The widest format of which the solver knows sets of values.
const KNOWN_BITS: u32 = 128;

/// Powers in one table; more are products of two.
const STEP: u32 = 16;

/// `int __polypath_numbers(const void *bytes, size_t n)`.
fn numbers(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let at = m.concretize(s, c.arg(0), 64);
    let count = m.concretize(s, c.arg(1), 64);
    let mut is_asked = has_operations(s);
    if is_asked && count > 0 && !every_number() {
        is_asked = false;
        for place in at..at + count {
            let byte = m.load(s, Value::concrete(place), 1)?;
            is_asked |= !Machine::is_concrete(byte);
        }
    }
    Ok(Done::Value(Value::concrete(u64::from(is_asked))))
}

fn has_operations(s: &State) -> bool {
    s.float_control.rounding == RoundingMode::NearestEven && !s.floats.are_simulated()
}

/// Are numbers that do not depend on input computed by operations, too, so that tests can compare these with libc's code?
fn every_number() -> bool {
    static EVERY: OnceLock<bool> = OnceLock::new();
    *EVERY.get_or_init(|| std::env::var_os("POLYPATH_EVERY_NUMBER").is_some())
}

/// Is there an operation for a call on this path, with arguments that depend on input or not? It is about to become a float term then.
fn is_operation(m: &mut Machine, s: &mut State, is_symbolic: bool) -> bool {
    let is_asked = is_symbolic || every_number();
    is_asked && has_operations(s) && (!is_symbolic || m.makes_float_terms(s))
}

/// The format of this precision that C has.
fn format_of(bits: u64) -> FloatFormat {
    let all = [FloatFormat::SINGLE, FloatFormat::DOUBLE];
    let found = all.into_iter().find(|f| u64::from(f.precision()) == bits);
    found.unwrap_or(FloatFormat::X87)
}

/// `int __polypath_decimal(unsigned long long m, int digits, long long e, int low, int high, int bits, int negative, long double *y)`.
fn decimal(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let [digits, low, high, bits, negative] =
        [1, 3, 4, 5, 6].map(|i| m.concretize(s, c.arg(i), 32) as u32);
    let at = m.concretize(s, c.arg(7), 64);
    let target = format_of(bits.into());
    let (number, exponent) = (c.arg(0), c.arg(2));
    let e = Machine::is_concrete(exponent).then_some(exponent.bits as i64 as i32);
    let (low, high) = e.map_or((low as i32, high as i32), |e| (e, e));
    let Some(format) = float::decimal_format(target, digits, low, high) else {
        return Ok(Done::Value(Value::concrete(0)));
    };
    let is_symbolic = !Machine::is_concrete(number) || e.is_none();
    if !is_operation(m, s, is_symbolic) {
        return Ok(Done::Value(Value::concrete(0)));
    }
    m.admit(s, at, 10, true)?;
    let number = m.term(number, 64u32);
    let exponent = m.term(exponent, 64u32);
    let pool = &mut m.reason.pool;
    let bounds = (i64::from(low), i64::from(high) + i64::from(digits));
    let integer = number;
    let number = pool.uint_to_fp(format, integer);
    let power = power(pool, format, exponent, low, high);
    let value = if low >= 0 {
        pool.fmul(number, power)
    } else {
        pool.fdiv(number, power)
    };
    let mut value = pool.fp_to_fp(target, value);
    if format.bits() > KNOWN_BITS {
        value = bounded(pool, integer, value, bounds);
    }
    let value = if negative == 0 {
        value
    } else {
        pool.fneg(value)
    };
    let wide = pool.fp_to_fp(FloatFormat::X87, value);
    let pattern = pool.fp_to_bits(wide);
    let (lower, upper) = (pool.extract(63, 0, pattern), pool.extract(79, 64, pattern));
    let (lower, upper) = (m.value(lower), m.value(upper));
    m.store(s, Value::concrete(at), 8, lower)?;
    m.store(s, Value::concrete(at + 8), 2, upper)?;
    Ok(Done::Value(Value::concrete(1)))
}

/// The same float, which is `number` times one of the powers of ten between these two. It says so where nothing else does, so that
/// conditions that no such number can satisfy are refuted.
fn bounded(pool: &mut Pool, number: Term, value: Term, (low, high): (i64, i64)) -> Term {
    let format = pool.float_format(value);
    let bound = |pool: &mut Pool, e| {
        let limbs = float::from_decimal(format, RoundingMode::NearestEven, 1, e).to_u64_digits();
        let pattern = pool.bv_wide(format.bits(), &limbs);
        pool.fp_from_bits(format, pattern)
    };
    let (least, most) = (bound(pool, low), bound(pool, high));
    let value = pool.fmax(value, least);
    let value = pool.fmin(value, most);
    let none = pool.bv(64, 0);
    let is_none = pool.eq(number, none);
    let zero = pool.bv_wide(format.bits(), &[0]);
    let zero = pool.fp_from_bits(format, zero);
    pool.ite(is_none, zero, value)
}

/// `int __polypath_digits(const long double *y, int k, int digits, unsigned long *n)`.
fn digits(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let from = m.concretize(s, c.arg(0), 64);
    let [k, digits] = [1, 2].map(|i| m.concretize(s, c.arg(i), 32) as u32);
    let k = k as i32;
    let at = m.concretize(s, c.arg(3), 64);
    let lower = m.load(s, Value::concrete(from), 8)?;
    let upper = m.load(s, Value::concrete(from + 8), 2)?;
    let is_symbolic = [lower, upper].iter().any(|v| !Machine::is_concrete(*v));
    let (lower, upper) = (m.term(lower, 64u32), m.term(upper, 16u32));
    let pool = &mut m.reason.pool;
    let pattern = pool.concat(upper, lower);
    let number = pool.fp_from_bits(FloatFormat::X87, pattern);
    let number = unwidened(pool, number);
    let precision = pool.float_format(number).precision();
    let Some(format) = float::digits_format(precision, k, digits) else {
        return Ok(Done::Value(Value::concrete(0)));
    };
    if !is_operation(m, s, is_symbolic) {
        return Ok(Done::Value(Value::concrete(0)));
    }
    m.admit(s, at, 8, true)?;
    let pool = &mut m.reason.pool;
    let number = pool.fp_to_fp(format, number);
    let power = constant_power(pool, format, k.unsigned_abs());
    let value = if k >= 0 {
        pool.fmul(number, power)
    } else {
        pool.fdiv(number, power)
    };
    let value = pool.fp_to_uint_rounded(RoundingMode::NearestEven, 64, value);
    let value = m.value(value);
    m.store(s, Value::concrete(at), 8, value)?;
    Ok(Done::Value(Value::concrete(1)))
}

/// `void __polypath_power(int k, long double *ten)`.
fn power_of_ten(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let k = m.concretize(s, c.arg(0), 32) as u32 as i32;
    let at = m.concretize(s, c.arg(1), 64);
    let mode = s.float_control.rounding;
    let pattern = float::from_decimal(FloatFormat::X87, mode, 1, k.into());
    let mut limbs = pattern.iter_u64_digits();
    for (offset, bytes) in [(0, 8), (8, 2)] {
        let limb = Value::concrete(limbs.next().unwrap_or(0));
        m.store(s, Value::concrete(at + offset), bytes, limb)?;
    }
    Ok(Done::Next)
}

/// The number that a float was widened from, which has fewer bits. Of a signalling NaN it would be another one, but NaNs have no digits.
fn unwidened(pool: &mut Pool, x: Term) -> Term {
    let inner = match pool.op(x) {
        Op::FpToFp | Op::FNeg => pool.child(x, 0),
        _ => return x,
    };
    if pool.op(x) == Op::FNeg {
        let found = unwidened(pool, inner);
        return if found == inner { x } else { pool.fneg(found) };
    }
    let [narrow, wide] = [inner, x].map(|t| pool.float_format(t).precision());
    if narrow <= wide { inner } else { x }
}

/// 10^|e| in a format that has it, for an exponent from `low` to `high`, which have one sign.
fn power(pool: &mut Pool, format: FloatFormat, e: Term, low: i32, high: i32) -> Term {
    let (low, high, k) = if low < 0 {
        let k = pool.neg(e);
        (high.unsigned_abs(), low.unsigned_abs(), k)
    } else {
        (low.unsigned_abs(), high.unsigned_abs(), e)
    };
    if high - low <= 2 * STEP {
        return chosen(pool, format, k, low..=high, 1);
    }
    // Sixteen times one exponent, and another: the product of their powers is one of the format's floats, as each power is.
    let sixteenths = pool.bv(64, STEP.trailing_zeros().into());
    let upper = pool.lshr(k, sixteenths);
    let lower = pool.bv(64, u64::from(STEP - 1));
    let lower = pool.and(k, lower);
    let upper = chosen(pool, format, upper, low / STEP..=high / STEP, STEP);
    let lower = chosen(pool, format, lower, 0..=STEP - 1, 1);
    pool.fmul(upper, lower)
}

/// 10^(k · `times`), for a k among these.
fn chosen(
    pool: &mut Pool,
    format: FloatFormat,
    k: Term,
    among: std::ops::RangeInclusive<u32>,
    times: u32,
) -> Term {
    let mut choice = constant_power(pool, format, among.end() * times);
    for n in among.rev().skip(1) {
        let here = pool.bv(64, n.into());
        let is_here = pool.eq(k, here);
        let power = constant_power(pool, format, n * times);
        choice = pool.ite(is_here, power, choice);
    }
    choice
}

fn constant_power(pool: &mut Pool, format: FloatFormat, k: u32) -> Term {
    let limbs = float::power_of_ten(format, k).to_u64_digits();
    let pattern = pool.bv_wide(format.bits(), &limbs);
    pool.fp_from_bits(format, pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A power that is chosen by a term is the constant power, for each exponent.
    #[test]
    fn powers_are_those_of_their_exponents() {
        let mut pool = Pool::new();
        for (low, high) in [(-343, -23), (-22, -1), (0, 22), (23, 308)] {
            let format = float::decimal_format(FloatFormat::DOUBLE, 15, low, high).unwrap();
            for e in low..=high {
                let exponent = pool.bv(64, i64::from(e) as u64);
                let chosen = power(&mut pool, format, exponent, low, high);
                let bits = pool.fp_to_bits(chosen);
                let wanted = float::power_of_ten(format, e.unsigned_abs()).to_u64_digits();
                let wanted = pool.bv_wide(format.bits(), &wanted);
                assert_eq!(bits, wanted, "10^{e} of {low} to {high}");
            }
        }
    }
}
