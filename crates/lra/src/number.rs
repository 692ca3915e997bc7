//! Rationals of `linear` as numerators and denominators of big integers, and as floats.

use float::{FloatFormat, RoundingMode, from_rational, to_rational};
use linear::Rational;
use num_bigint::{BigInt, BigUint, Sign};

/// A numerator and a denominator as one number. The denominator must not be 0.
pub fn from_fraction(numerator: &BigInt, denominator: &BigUint) -> Rational {
    let is_negative = numerator.sign() == Sign::Minus;
    let numerator = Rational::from_limbs(is_negative, &numerator.magnitude().to_u64_digits());
    let denominator = Rational::from_limbs(false, &denominator.to_u64_digits());
    &numerator / &denominator
}

/// Numerator and denominator, in lowest terms.
pub fn to_fraction(number: &Rational) -> (BigInt, BigUint) {
    let [numerator, denominator] = [number.numerator(), number.denominator()].map(|part| {
        let (_, limbs) = part.to_limbs().expect("an integer");
        let halves = limbs.iter().flat_map(|&l| [l as u32, (l >> 32) as u32]);
        BigUint::new(halves.collect())
    });
    let sign = if number.is_negative() {
        Sign::Minus
    } else {
        Sign::Plus
    };
    (BigInt::from_biguint(sign, numerator), denominator)
}

/// The float that a number is rounded to, as its pattern.
pub(crate) fn rounded(format: FloatFormat, mode: RoundingMode, number: &Rational) -> BigUint {
    let (numerator, denominator) = to_fraction(number);
    from_rational(format, mode, &numerator, &denominator)
}

/// The value of a float; `None` of NaNs and infinities.
pub(crate) fn value(format: FloatFormat, pattern: &BigUint) -> Option<Rational> {
    let (numerator, denominator) = to_rational(format, pattern)?;
    Some(from_fraction(&numerator, &denominator))
}
