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
use term::{Decimal, FloatFormat, Op, Pool, Term};

/// What libc calls.
pub const TABLE: Table = &[
    (vocab::ASKS_FOR_NUMBERS, numbers),
    ("__polypath_decimal", decimal),
    ("__polypath_digits", digits),
    ("__polypath_power", power_of_ten),
];

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
    let Some(shape) = Decimal::new(target, digits, low, high) else {
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
    let value = pool.decimal(shape, number, exponent);
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
    let power = pool.power_of_ten(format, k.unsigned_abs());
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
