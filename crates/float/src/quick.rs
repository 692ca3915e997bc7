//! Arithmetic on formats of up to 62 bits of precision in integers of 128 bits, in all rounding modes: for what the host
//! has no instruction. Each result is the one of the definition, which stays the judge (`tests/host.rs`).
//!
//! NaNs are left to the definition, as operands and as results.

use crate::format::FloatFormat;
use crate::natural::mask;
use crate::operation::Operation;
use crate::rounding::RoundingMode;
use std::cmp::Ordering;

/// The largest precision whose products leave two bits of 128 for rounding.
const MAX_PRECISION: u32 = 62;

/// Are the format's numbers computed here?
#[inline]
const fn is_narrow(format: FloatFormat) -> bool {
    !format.has_integer_bit() && format.precision() <= MAX_PRECISION && format.bits() <= 128
}

/// The number ± `significand` · 2^`exponent`; or an infinity.
#[derive(Clone, Copy)]
struct Dyadic {
    negative: bool,
    infinite: bool,
    significand: u128,
    exponent: i64,
}

impl Dyadic {
    /// The float of a pattern; `None` if it is a NaN.
    #[inline]
    fn of(format: FloatFormat, pattern: u128) -> Option<Dyadic> {
        let below = format.precision() - 1;
        let field = pattern >> below & mask(format.exponent_bits());
        let fraction = pattern & ((1 << below) - 1);
        let infinite = field == mask(format.exponent_bits());
        if infinite && fraction != 0 {
            return None;
        }
        let hidden = u128::from(field > 0) << below;
        let lowest = format.min_exponent() - i64::from(below);
        Some(Dyadic {
            negative: pattern >> (format.bits() - 1) & 1 == 1,
            infinite,
            significand: fraction | hidden,
            exponent: lowest + (field.max(1) as i64 - 1),
        })
    }

    fn zero(negative: bool) -> Dyadic {
        Dyadic {
            negative,
            infinite: false,
            significand: 0,
            exponent: 0,
        }
    }

    fn infinity(negative: bool) -> Dyadic {
        Dyadic {
            infinite: true,
            ..Dyadic::zero(negative)
        }
    }

    fn is_zero(self) -> bool {
        self.significand == 0 && !self.infinite
    }

    fn with_sign(self, negative: bool) -> Dyadic {
        Dyadic { negative, ..self }
    }

    /// The same number, which is not zero, with the highest bit of its significand moved up to `position`.
    #[inline]
    fn raised(self, position: u32) -> Dyadic {
        let by = position - self.significand.ilog2();
        Dyadic {
            significand: self.significand << by,
            exponent: self.exponent - i64::from(by),
            ..self
        }
    }

    /// The pattern of the number, rounded. The last bit of a significand that ends in a `sticky` one stands for all that
    /// follow; such a significand must have more bits than the format's precision and two.
    #[inline]
    fn rounded(self, format: FloatFormat, mode: RoundingMode) -> u128 {
        let (below, eb) = (format.precision() - 1, format.exponent_bits());
        let infinity = mask(eb) << below;
        let sign = u128::from(self.negative) << (format.bits() - 1);
        if self.infinite {
            return sign | infinity;
        }
        if self.significand == 0 {
            return sign;
        }
        let outward = match mode {
            RoundingMode::TowardPositive => !self.negative,
            RoundingMode::TowardNegative => self.negative,
            _ => false,
        };
        let nearest = matches!(mode, RoundingMode::NearestEven | RoundingMode::NearestAway);
        let top = self.exponent + i64::from(self.significand.ilog2());
        if top > format.max_exponent() {
            return sign | (infinity - u128::from(!nearest && !outward));
        }
        // The weight of the last bit that is kept.
        let last = top.max(format.min_exponent()) - i64::from(below);
        let places = last - self.exponent;
        let (kept, up) = match u32::try_from(places) {
            Err(_) => (self.significand << -places, false),
            Ok(0) => (self.significand, false),
            Ok(places) if places < 128 => {
                let kept = self.significand >> places;
                let lost = self.significand & mask(places);
                let half = 1 << (places - 1);
                let up = match mode {
                    RoundingMode::NearestEven => lost > half || lost == half && kept & 1 == 1,
                    RoundingMode::NearestAway => lost >= half,
                    _ => outward && lost != 0,
                };
                (kept, up)
            }
            // Less than half of the smallest number.
            Ok(_) => (0, outward),
        };
        // The hidden bit of a normal number counts one in the field, and so does a carry.
        let field = (last + i64::from(below) - format.min_exponent()) as u128;
        let magnitude = (field << below) + kept + u128::from(up);
        if magnitude >= infinity && !nearest && !outward {
            return sign | (infinity - 1);
        }
        sign | magnitude
    }
}

/// The result of an operation on patterns, unless it is left to the definition.
#[inline]
pub(crate) fn arithmetic(
    operation: Operation,
    format: FloatFormat,
    mode: RoundingMode,
    args: [u128; 3],
) -> Option<u128> {
    if !is_narrow(format) {
        return None;
    }
    let a = Dyadic::of(format, args[0]);
    let b = Dyadic::of(format, args[1]);
    let c = Dyadic::of(format, args[2]);
    let result = match operation {
        Operation::Add => sum(a?, b?, mode)?,
        Operation::Subtract => {
            let b = b?;
            sum(a?, b.with_sign(!b.negative), mode)?
        }
        Operation::Multiply => product(a?, b?)?,
        // Musl's `fma` treats zeros in a way of its own.
        Operation::MultiplyAdd => {
            let (a, b, c) = (a?, b?, c?);
            if format == FloatFormat::DOUBLE && (a.is_zero() || b.is_zero() || c.is_zero()) {
                return None;
            }
            sum(product(a, b)?, c, mode)?
        }
        Operation::Divide => quotient(a?, b?)?,
        Operation::SquareRoot => root(a?)?,
        _ => return None,
    };
    Some(result.rounded(format, mode))
}

/// The order of two numbers, unless one is a NaN or the format is too wide.
#[inline]
pub(crate) fn compare(format: FloatFormat, a: u128, b: u128) -> Option<Ordering> {
    if !is_narrow(format) {
        return None;
    }
    let sign = 1 << (format.bits() - 1);
    let place = |pattern: u128| {
        let magnitude = (pattern & (sign - 1)) as i128;
        let is_number = magnitude as u128 >> (format.precision() - 1)
            < mask(format.exponent_bits())
            || magnitude as u128 == mask(format.exponent_bits()) << (format.precision() - 1);
        let place = if pattern & sign != 0 {
            -magnitude
        } else {
            magnitude
        };
        is_number.then_some(place)
    };
    Some(place(a)?.cmp(&place(b)?))
}

/// A number in another format, unless it is a NaN or a format is too wide.
#[inline]
pub(crate) fn convert(
    from: FloatFormat,
    to: FloatFormat,
    mode: RoundingMode,
    pattern: u128,
) -> Option<u128> {
    if !is_narrow(from) || !is_narrow(to) {
        return None;
    }
    Some(Dyadic::of(from, pattern)?.rounded(to, mode))
}

/// a + b, of numbers of at most 124 bits; the last bit may be sticky.
#[inline]
fn sum(a: Dyadic, b: Dyadic, mode: RoundingMode) -> Option<Dyadic> {
    let differs = a.negative != b.negative;
    if a.infinite || b.infinite {
        let is_invalid = a.infinite && b.infinite && differs;
        return (!is_invalid).then_some(if a.infinite { a } else { b });
    }
    let of_zero = if differs {
        mode == RoundingMode::TowardNegative
    } else {
        a.negative
    };
    match (a.significand == 0, b.significand == 0) {
        (true, true) => return Some(Dyadic::zero(of_zero)),
        (true, false) => return Some(b),
        (false, true) => return Some(a),
        (false, false) => {}
    }
    // The top bit of the larger one at 125 leaves room for a carry; the other one may fall off behind it.
    let (mut large, mut small) = (a.raised(125), b.raised(125));
    if (small.exponent, small.significand) > (large.exponent, large.significand) {
        (large, small) = (small, large);
    }
    let distance = u32::try_from(large.exponent - small.exponent).unwrap_or(u32::MAX);
    let shifted = small.significand.checked_shr(distance).unwrap_or(0);
    let is_lost = shifted.checked_shl(distance) != Some(small.significand);
    let significand = if differs {
        large.significand - shifted - u128::from(is_lost)
    } else {
        large.significand + shifted
    };
    if significand == 0 {
        return Some(Dyadic::zero(of_zero));
    }
    Some(Dyadic {
        significand: significand | u128::from(is_lost),
        ..large
    })
}

/// a * b, exactly.
#[inline]
fn product(a: Dyadic, b: Dyadic) -> Option<Dyadic> {
    let negative = a.negative != b.negative;
    if a.infinite || b.infinite {
        return (!a.is_zero() && !b.is_zero()).then(|| Dyadic::infinity(negative));
    }
    Some(Dyadic {
        negative,
        infinite: false,
        significand: a.significand * b.significand,
        exponent: a.exponent + b.exponent,
    })
}

/// a / b; the last bit may be sticky.
#[inline]
fn quotient(a: Dyadic, b: Dyadic) -> Option<Dyadic> {
    let negative = a.negative != b.negative;
    match (a.infinite, b.infinite) {
        (true, true) => return None,
        (true, false) => return Some(Dyadic::infinity(negative)),
        (false, true) => return Some(Dyadic::zero(negative)),
        (false, false) => {}
    }
    if b.significand == 0 {
        return (a.significand != 0).then(|| Dyadic::infinity(negative));
    }
    if a.significand == 0 {
        return Some(Dyadic::zero(negative));
    }
    let a = a.raised(127);
    let quotient = a.significand / b.significand;
    let is_lost = quotient * b.significand != a.significand;
    Some(Dyadic {
        negative,
        infinite: false,
        significand: quotient | u128::from(is_lost),
        exponent: a.exponent - b.exponent,
    })
}

/// The square root; the last bit may be sticky.
#[inline]
fn root(a: Dyadic) -> Option<Dyadic> {
    if a.is_zero() {
        return Some(a);
    }
    if a.negative {
        return None;
    }
    if a.infinite {
        return Some(a);
    }
    let mut a = a.raised(126);
    if a.exponent % 2 != 0 {
        a = a.raised(127);
    }
    let root = a.significand.isqrt();
    let is_lost = root * root != a.significand;
    Some(Dyadic {
        significand: root | u128::from(is_lost),
        exponent: a.exponent / 2,
        ..a
    })
}
