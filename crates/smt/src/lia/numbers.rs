//! Big integers as rationals.

use linear::Rational;
use num_bigint::{BigInt, Sign};

/// An integer as an exact rational.
pub(crate) fn rational(value: &BigInt) -> Rational {
    match i64::try_from(value) {
        Ok(small) => Rational::from(small),
        Err(_) => {
            let (sign, digits) = value.to_u64_digits();
            Rational::from_limbs(sign == Sign::Minus, &digits)
        }
    }
}

/// A rational that is an integer.
pub(crate) fn integer(value: &Rational) -> BigInt {
    if let Some(small) = value.to_i64() {
        return BigInt::from(small);
    }
    let (negative, limbs) = value.to_limbs().expect("an integer");
    let halves = limbs.iter().flat_map(|l| [*l as u32, (*l >> 32) as u32]);
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    BigInt::new(sign, halves.collect())
}
