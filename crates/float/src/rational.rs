//! Floats and rational numbers.

use crate::format::FloatFormat;
use crate::fpu::{Fpu, Reading};
use crate::logic::Logic;
use crate::numbers::{Number, Numbers};
use crate::round::Reach;
use crate::rounding::RoundingMode;
use crate::unpacked::Exact;
use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer as _;
use num_traits::Zero;

/// The pattern of `numerator` / `denominator` as a float, rounded.
///
/// # Panics
///
/// If the denominator is 0.
pub fn from_rational(
    format: FloatFormat,
    mode: RoundingMode,
    numerator: &BigInt,
    denominator: &BigUint,
) -> BigUint {
    let logic = Numbers::<BigUint>::new();
    let fpu = Fpu::constant(&logic, format, Reading::SmtLib, mode);
    // The quotient gets two bits more than the precision at least, and a sticky one.
    let magnitude = numerator.magnitude();
    let wanted = i64::from(format.precision()) + 2;
    let places = wanted - (magnitude.bits() as i64 - denominator.bits() as i64);
    let (dividend, divisor) = if places >= 0 {
        (magnitude << places, denominator.clone())
    } else {
        (magnitude.clone(), denominator << -places)
    };
    let (quotient, rest) = dividend.div_rem(&divisor);
    let significand = (quotient << 1u32) + u32::from(!rest.is_zero());
    let width = significand.bits().max(1) as u32;
    let exponent = i64::from(width) - 2 - places;
    let exact = Exact {
        negative: numerator.sign() == Sign::Minus,
        zero: numerator.is_zero(),
        exponent: logic.constant(63, exponent),
        significand: Number::new(width, significand),
    };
    let x = fpu.round(&exact, Reach::new(exponent, exponent), &true);
    fpu.pack(&x).value().clone()
}

/// The value of a float as numerator and denominator, in lowest terms; `None` of NaNs and infinities. The numbers have
/// about as many bits as the float's exponent says.
pub fn to_rational(format: FloatFormat, pattern: &BigUint) -> Option<(BigInt, BigUint)> {
    let logic = Numbers::<BigUint>::new();
    let fpu = Fpu::constant(&logic, format, Reading::SmtLib, RoundingMode::NearestEven);
    let x = fpu.unpack(&Number::new(format.bits(), pattern.clone()));
    if !x.is_finite(&logic) {
        return None;
    }
    let mut significand = x.significand.value().clone();
    let places = significand.trailing_zeros().unwrap_or(0);
    significand >>= places;
    let scale = x.exponent.signed() + 1 - i64::from(format.precision()) + places as i64;
    let sign = if x.negative { Sign::Minus } else { Sign::Plus };
    let one = BigUint::from(1u32);
    Some(if x.zero {
        (BigInt::zero(), one)
    } else if scale >= 0 {
        (BigInt::from_biguint(sign, significand << scale), one)
    } else {
        (BigInt::from_biguint(sign, significand), one << -scale)
    })
}
