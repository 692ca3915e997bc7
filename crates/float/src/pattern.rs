//! Operations on bit patterns.
//!
//! The functions on `u128` are for formats and integers of up to 128 bits; those that end in `_in` compute with
//! numbers of the caller's choice (`BigUint` for any width), always by the definition and never on the host.

use crate::flags::Flags;
use crate::format::FloatFormat;
use crate::fpu::{Fpu, Reading};
use crate::host;
use crate::natural::{Natural, mask};
use crate::numbers::{Number, Numbers};
use crate::operation::Operation;
use crate::quick;
use crate::rounding::RoundingMode;
use num_bigint::BigUint;
use std::cmp::Ordering;

fn fpu<N: Natural>(
    logic: &Numbers<N>,
    format: FloatFormat,
    reading: Reading,
    mode: RoundingMode,
) -> Fpu<'_, Numbers<N>> {
    Fpu::constant(logic, format, reading, mode)
}

fn number<N: Natural>(format: FloatFormat, pattern: &N) -> Number<N> {
    Number::new(format.bits(), pattern.clone())
}

/// A result of at most 128 bits.
fn narrow(value: &BigUint) -> u128 {
    Natural::to_u128(value).expect("a pattern of at most 128 bits")
}

/// Applies an operation to its operands' patterns (those it does not have are ignored).
#[inline]
pub fn apply(
    operation: Operation,
    format: FloatFormat,
    reading: Reading,
    mode: RoundingMode,
    args: [u128; 3],
) -> u128 {
    host::arithmetic(operation, format, reading, mode, args)
        .or_else(|| quick::arithmetic(operation, format, mode, args))
        .unwrap_or_else(|| by_definition(operation, format, reading, mode, args).0)
}

/// [`apply`] without the host, and the flags that the operation raises.
#[cold]
pub fn by_definition(
    operation: Operation,
    format: FloatFormat,
    reading: Reading,
    mode: RoundingMode,
    args: [u128; 3],
) -> (u128, Flags<bool>) {
    let args = &args[..operation.arity()];
    if operation.width(format) <= 128 {
        return apply_in(operation, format, reading, mode, args);
    }
    let args: Vec<BigUint> = args.iter().map(|&arg| arg.into()).collect();
    let (result, flags) = apply_in(operation, format, reading, mode, &args);
    (narrow(&result), flags)
}

/// [`by_definition`] for patterns of any width.
pub fn apply_in<N: Natural>(
    operation: Operation,
    format: FloatFormat,
    reading: Reading,
    mode: RoundingMode,
    args: &[N],
) -> (N, Flags<bool>) {
    let logic = Numbers::new();
    let fpu = fpu(&logic, format, reading, mode);
    let x: Vec<_> = args
        .iter()
        .map(|arg| fpu.unpack(&number(format, arg)))
        .collect();
    let pattern = fpu.pack(&fpu.apply(operation, &x));
    (pattern.value().clone(), fpu.flags())
}

/// Is the pattern a NaN, or an encoding that x87 does not support?
pub fn is_nan(format: FloatFormat, pattern: u128) -> bool {
    compare(format, pattern, pattern).is_none()
}

/// The order of two floats; `None` if one is a NaN.
#[inline]
pub fn compare(format: FloatFormat, a: u128, b: u128) -> Option<Ordering> {
    host::compare(format, a, b)
        .or_else(|| quick::compare(format, a, b).map(Some))
        .unwrap_or_else(|| compare_in(format, &a, &b))
}

/// [`compare`] for patterns of any width.
pub fn compare_in<N: Natural>(format: FloatFormat, a: &N, b: &N) -> Option<Ordering> {
    let logic = Numbers::new();
    let fpu = fpu(&logic, format, Reading::Machine, RoundingMode::NearestEven);
    let [a, b] = [a, b].map(|pattern| fpu.unpack(&number(format, pattern)));
    let order = fpu.compare(&a, &b, false);
    match (order.unordered, order.less, order.equal) {
        (true, ..) => None,
        (_, true, _) => Some(Ordering::Less),
        (.., true) => Some(Ordering::Equal),
        _ => Some(Ordering::Greater),
    }
}

/// A float in another format.
#[inline]
pub fn convert(
    from: FloatFormat,
    to: FloatFormat,
    reading: Reading,
    mode: RoundingMode,
    pattern: u128,
) -> u128 {
    host::convert(from, to, reading, mode, pattern)
        .or_else(|| quick::convert(from, to, mode, pattern))
        .unwrap_or_else(|| convert_in(from, to, reading, mode, &pattern).0)
}

/// [`convert`] for patterns of any width, with the flags that it raises.
pub fn convert_in<N: Natural>(
    from: FloatFormat,
    to: FloatFormat,
    reading: Reading,
    mode: RoundingMode,
    pattern: &N,
) -> (N, Flags<bool>) {
    let logic = Numbers::new();
    let source = fpu(&logic, from, reading, mode);
    let target = fpu(&logic, to, reading, mode);
    let x = source.unpack(&number(from, pattern));
    let result = target.pack(&target.convert(&source, &x));
    (result.value().clone(), target.flags())
}

/// An integer of `width` bits, in two's complement if it is `signed`, as a float.
#[inline]
pub fn from_integer(
    format: FloatFormat,
    mode: RoundingMode,
    signed: bool,
    width: u32,
    integer: u128,
) -> u128 {
    let shift = 128 - width;
    let extended = if signed {
        (((integer << shift) as i128) >> shift) as u128
    } else {
        integer
    };
    host::from_integer(format, mode, signed, extended)
        .unwrap_or_else(|| from_integer_in(format, mode, signed, width, &integer).0)
}

/// [`from_integer`] for any widths, with the flags that it raises.
pub fn from_integer_in<N: Natural>(
    format: FloatFormat,
    mode: RoundingMode,
    signed: bool,
    width: u32,
    integer: &N,
) -> (N, Flags<bool>) {
    let logic = Numbers::new();
    let fpu = fpu(&logic, format, Reading::Machine, mode);
    let x = fpu.from_integer(signed, &Number::new(width, integer.clone()));
    (fpu.pack(&x).value().clone(), fpu.flags())
}

/// A float as an integer of `width` bits, in two's complement if it is `signed`; `None` if it is a NaN or does not fit.
#[inline]
pub fn to_integer(
    format: FloatFormat,
    mode: RoundingMode,
    signed: bool,
    width: u32,
    pattern: u128,
) -> Option<u128> {
    if let Some(integer) = host::to_integer(format, mode, signed, width, pattern) {
        return Some(integer & mask(width));
    }
    if width < 128 {
        return to_integer_in(format, mode, signed, width, &pattern).0;
    }
    let pattern = BigUint::from(pattern);
    let integer = to_integer_in(format, mode, signed, width, &pattern).0?;
    Some(narrow(&integer))
}

/// [`to_integer`] for any widths (numbers of one bit more than the integer), with the flags that it raises.
pub fn to_integer_in<N: Natural>(
    format: FloatFormat,
    mode: RoundingMode,
    signed: bool,
    width: u32,
    pattern: &N,
) -> (Option<N>, Flags<bool>) {
    let logic = Numbers::new();
    let fpu = fpu(&logic, format, Reading::Machine, mode);
    let x = fpu.unpack(&number(format, pattern));
    let (integer, fits) = fpu.to_integer(signed, width, &x);
    (fits.then(|| integer.value().clone()), fpu.flags())
}

/// The pattern with its sign flipped, of a NaN too.
#[inline]
pub fn negate(format: FloatFormat, pattern: u128) -> u128 {
    pattern ^ sign(format)
}

/// The pattern without its sign, of a NaN too.
#[inline]
pub fn absolute(format: FloatFormat, pattern: u128) -> u128 {
    pattern & !sign(format)
}

/// The pattern of `a` with the sign of `b`.
#[inline]
pub fn copy_sign(format: FloatFormat, a: u128, b: u128) -> u128 {
    absolute(format, a) | b & sign(format)
}

/// The sign's bit.
#[inline]
const fn sign(format: FloatFormat) -> u128 {
    1 << (format.bits() - 1)
}
