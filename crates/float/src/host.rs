//! The host's arithmetic, where it computes the same: on `float` and `double` to nearest even; on
//! `long double` where the host has x87 instructions.

use crate::format::FloatFormat;
use crate::fpu::Reading;
use crate::natural::mask;
use crate::operation::Operation;
use crate::rounding::RoundingMode;
#[cfg(target_arch = "x86_64")]
use crate::x87;
use std::cmp::Ordering;

macro_rules! host {
    ($name:ident, $float:ident) => {
        #[inline]
        fn $name(
            operation: Operation,
            mode: RoundingMode,
            a: $float,
            b: $float,
            c: $float,
        ) -> Option<$float> {
            if operation == Operation::RoundToIntegral {
                return Some(match mode {
                    RoundingMode::NearestEven => a.round_ties_even(),
                    RoundingMode::NearestAway => a.round(),
                    RoundingMode::TowardPositive => a.ceil(),
                    RoundingMode::TowardNegative => a.floor(),
                    RoundingMode::TowardZero => a.trunc(),
                });
            }
            if mode != RoundingMode::NearestEven {
                return None;
            }
            let ordinary = |x: $float| x.is_finite() && x != 0.0;
            Some(match operation {
                Operation::Add => a + b,
                Operation::Subtract => a - b,
                Operation::Multiply => a * b,
                Operation::Divide => a / b,
                Operation::Modulo => a % b,
                Operation::SquareRoot => a.sqrt(),
                Operation::MultiplyAdd if ordinary(a) && ordinary(b) && ordinary(c) => {
                    a.mul_add(b, c)
                }
                Operation::Minimum if !a.is_nan() && !b.is_nan() => {
                    if b < a {
                        b
                    } else {
                        a
                    }
                }
                Operation::Maximum if !a.is_nan() && !b.is_nan() => {
                    if b > a {
                        b
                    } else {
                        a
                    }
                }
                _ => return None,
            })
        }
    };
}
host!(single, f32);
host!(double, f64);

/// The result of an operation, if the host has it.
#[inline]
pub(crate) fn arithmetic(
    operation: Operation,
    format: FloatFormat,
    reading: Reading,
    mode: RoundingMode,
    [a, b, c]: [u128; 3],
) -> Option<u128> {
    let result: Option<u128> = if format == FloatFormat::DOUBLE {
        let result = double(operation, mode, as_double(a), as_double(b), as_double(c))?;
        (!result.is_nan()).then(|| result.to_bits().into())
    } else if format == FloatFormat::SINGLE {
        let result = single(operation, mode, as_single(a), as_single(b), as_single(c))?;
        (!result.is_nan()).then(|| result.to_bits().into())
    } else {
        return other(operation, format, reading, mode, [a, b, c]);
    };
    match reading {
        Reading::Machine => result.or_else(|| nan(operation, format, a, b)),
        Reading::SmtLib => result,
    }
}

/// The NaN of an SSE instruction: the compiler of this code may have swapped the operands.
#[cold]
fn nan(operation: Operation, format: FloatFormat, a: u128, b: u128) -> Option<u128> {
    let quiet = 1 << (format.precision() - 2);
    let is_nan = |x| compare(format, x, x) == Some(None);
    Some(match operation {
        Operation::RoundToIntegral => a,
        Operation::MultiplyAdd => return None,
        _ if is_nan(a) => a | quiet,
        _ if operation.arity() == 2 && is_nan(b) => b | quiet,
        _ => u128::MAX << (format.precision() - 2) & mask(format.bits()),
    })
}

/// On a format that is neither `float` nor `double`.
fn other(
    operation: Operation,
    format: FloatFormat,
    reading: Reading,
    mode: RoundingMode,
    args: [u128; 3],
) -> Option<u128> {
    #[cfg(target_arch = "x86_64")]
    if (format, reading) == (FloatFormat::X87, Reading::Machine) {
        return x87::arithmetic(operation, mode, args);
    }
    None
}

#[inline]
fn as_double(bits: u128) -> f64 {
    f64::from_bits(bits as u64)
}

#[inline]
fn as_single(bits: u128) -> f32 {
    f32::from_bits(bits as u32)
}

/// The order of two floats, if the host has the format.
#[inline]
pub(crate) fn compare(format: FloatFormat, a: u128, b: u128) -> Option<Option<Ordering>> {
    if format == FloatFormat::DOUBLE {
        return Some(as_double(a).partial_cmp(&as_double(b)));
    }
    if format == FloatFormat::SINGLE {
        return Some(as_single(a).partial_cmp(&as_single(b)));
    }
    #[cfg(target_arch = "x86_64")]
    if format == FloatFormat::X87 {
        return Some(x87::compare(a, b));
    }
    None
}

/// Between formats that the host has.
#[inline]
pub(crate) fn convert(
    from: FloatFormat,
    to: FloatFormat,
    reading: Reading,
    mode: RoundingMode,
    bits: u128,
) -> Option<u128> {
    if (from, to) == (FloatFormat::SINGLE, FloatFormat::DOUBLE) {
        let x = as_single(bits);
        return (!x.is_nan()).then(|| f64::from(x).to_bits().into());
    }
    if (from, to, mode)
        == (
            FloatFormat::DOUBLE,
            FloatFormat::SINGLE,
            RoundingMode::NearestEven,
        )
    {
        let x = as_double(bits);
        return (!x.is_nan()).then(|| (x as f32).to_bits().into());
    }
    #[cfg(target_arch = "x86_64")]
    if reading == Reading::Machine {
        return x87::convert(from, to, mode, bits);
    }
    None
}

/// From an integer, already extended to 128 bits.
#[inline]
pub(crate) fn from_integer(
    format: FloatFormat,
    mode: RoundingMode,
    signed: bool,
    value: u128,
) -> Option<u128> {
    #[cfg(target_arch = "x86_64")]
    if format == FloatFormat::X87 && (signed || value >> 127 == 0) {
        return x87::from_integer(value as i128);
    }
    if mode != RoundingMode::NearestEven {
        return None;
    }
    Some(match (format, signed) {
        (FloatFormat::DOUBLE, true) => (value as i128 as f64).to_bits().into(),
        (FloatFormat::DOUBLE, false) => (value as f64).to_bits().into(),
        (FloatFormat::SINGLE, true) => (value as i128 as f32).to_bits().into(),
        (FloatFormat::SINGLE, false) => (value as f32).to_bits().into(),
        _ => return None,
    })
}

/// Toward zero, if that is the mode and the number far from the ends of the range.
#[inline]
fn truncated(mode: RoundingMode, x: f64) -> Option<i64> {
    // False for a NaN.
    let small = x.abs() < 9e18;
    (mode == RoundingMode::TowardZero && small).then_some(x as i64)
}

/// To an integer of up to 64 bits that fits, extended to 128 bits.
#[inline]
pub(crate) fn to_integer(
    format: FloatFormat,
    mode: RoundingMode,
    signed: bool,
    width: u32,
    bits: u128,
) -> Option<u128> {
    if width > 64 {
        return None;
    }
    let integer = match format {
        FloatFormat::DOUBLE => truncated(mode, as_double(bits))?,
        FloatFormat::SINGLE => truncated(mode, as_single(bits).into())?,
        #[cfg(target_arch = "x86_64")]
        FloatFormat::X87 => x87::to_integer(mode, bits)?,
        _ => return None,
    };
    let integer = i128::from(integer);
    let (least, most) = if signed {
        (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1)
    } else {
        (0, (1i128 << width) - 1)
    };
    (least..=most).contains(&integer).then_some(integer as u128)
}
