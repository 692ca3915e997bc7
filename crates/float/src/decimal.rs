//! Decimal numbers as floats: a natural number times a power of ten, rounded once.
//!
//! Clinger's fast path ("How to read floating point numbers accurately", PLDI 1990) computes it by one operation: where the number and
//! the power of ten are floats of the format, the product or quotient of both is rounded once. Here it is the only path. Where they are
//! no floats of the format, they are floats of a wider one, in which the operation loses nothing that decides how the result is
//! rounded in the narrow one ([`decimal_format`] says why). So what a text means is two or three operations, which whoever decides
//! conditions on floats knows.

use crate::format::FloatFormat;
use crate::rational::from_rational;
use crate::rounding::RoundingMode;
use num_bigint::{BigInt, BigUint};

/// Exponent bits of the formats that are made here: those of the widest that has a name, and two more, so that nothing overflows.
const EXPONENT_BITS: u32 = 17;

/// Bits of 5^k: those of 10^k as the significand of a float.
fn five_bits(k: u32) -> u32 {
    BigUint::from(5u32).pow(k).bits() as u32
}

/// Bits of the largest number of so many decimal digits, at most 38.
fn digit_bits(digits: u32) -> u32 {
    128 - (10u128.pow(digits) - 1).leading_zeros()
}

/// The narrowest format in which m · 10^e, for each m of at most `digits` (up to 38) decimal digits and each e from `low` to `high`, is
/// computed as one product or quotient of floats, so that a conversion of that to `target` is the number rounded to nearest. It is
/// `target` itself if m and the power are floats there. `None` if it would be wider than formats can be.
///
/// Products are exact there. A quotient q = m / 10^k lies between two neighbours of which one may be a tie of `target`: c · 2^s, with
/// an odd c of at most p + 1 bits. If q is another number, the distance of q and c · 2^s is at least q · 2^-b, where b is the number of
/// bits of m, or of c · 5^k if that has more: multiplied with 10^k and a power of two, both are integers of so many bits.
/// So with two bits more than b, rounding q leads neither to the tie nor past it.
///
/// # Panics
///
/// If the bounds of e have different signs: each side of zero is another operation.
pub fn decimal_format(
    target: FloatFormat,
    digits: u32,
    low: i32,
    high: i32,
) -> Option<FloatFormat> {
    assert!(low <= high && (low >= 0 || high < 0), "{low} to {high}");
    let number = digit_bits(digits);
    let power = five_bits(low.unsigned_abs().max(high.unsigned_abs()));
    let precision = target.precision();
    if number.max(power) <= precision {
        return Some(target);
    }
    let needed = if low >= 0 {
        number + power
    } else {
        number.max(precision + 1 + power) + 2
    };
    narrowest(needed)
}

/// A format of at least this precision, in which numbers of the formats of C neither overflow nor vanish: one that has a name, if any.
fn narrowest(precision: u32) -> Option<FloatFormat> {
    let named = [FloatFormat::DOUBLE, FloatFormat::X87, FloatFormat::QUAD];
    let fits = |format: &FloatFormat| format.precision() >= precision;
    let made = || FloatFormat::new(EXPONENT_BITS, precision).ok();
    named.into_iter().find(fits).or_else(made)
}

/// The narrowest format in which x · 10^k, for a float x of this precision that makes it at most 10^`digits`, is computed as one
/// product or quotient, so that rounding that to an integer is the number rounded to the nearest integer. `None` if it would be wider
/// than formats can be.
///
/// As for [`decimal_format`]: the ties are halves of odd integers c here. x is m · 2^s, so that x / 10^k is at least its 2^-b-th part
/// away from c / 2, with the bits of m or of c · 5^k as b.
pub fn digits_format(precision: u32, k: i32, digits: u32) -> Option<FloatFormat> {
    let power = five_bits(k.unsigned_abs());
    let needed = if k >= 0 {
        precision + power
    } else {
        precision.max(digit_bits(digits) + 1 + power) + 2
    };
    narrowest(needed)
}

/// The pattern of 10^k in a format, rounded to nearest if it is no float there.
pub fn power_of_ten(format: FloatFormat, k: u32) -> BigUint {
    from_decimal(format, RoundingMode::NearestEven, 1, i64::from(k))
}

/// The pattern of m · 10^e in a format, rounded. It takes numbers of about 3.4 · |e| bits.
pub fn from_decimal(format: FloatFormat, mode: RoundingMode, m: u64, e: i64) -> BigUint {
    let power = BigUint::from(10u32).pow(u32::try_from(e.unsigned_abs()).unwrap_or(u32::MAX));
    let one = BigUint::from(1u32);
    if e >= 0 {
        from_rational(format, mode, &BigInt::from(power * m), &one)
    } else {
        from_rational(format, mode, &BigInt::from(m), &power)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fpu::Reading;
    use crate::operation::Operation;
    use crate::pattern;

    const EVEN: RoundingMode = RoundingMode::NearestEven;

    /// The same by the operations that [`decimal_format`] promises.
    fn by_operations(target: FloatFormat, digits: u32, m: u64, e: i32) -> Option<BigUint> {
        let format = decimal_format(target, digits, e, e)?;
        let number = pattern::from_integer_in(format, EVEN, false, 64, &BigUint::from(m)).0;
        let power = power_of_ten(format, e.unsigned_abs());
        let operation = if e >= 0 {
            Operation::Multiply
        } else {
            Operation::Divide
        };
        let args = [number, power];
        let x = pattern::apply_in(operation, format, Reading::Machine, EVEN, &args).0;
        Some(pattern::convert_in(format, target, Reading::Machine, EVEN, &x).0)
    }

    /// Numbers near the ties between two floats of the format, as digits and exponent: the hardest to round.
    fn near_ties(format: FloatFormat, seed: u64) -> Vec<(u64, i32)> {
        let mut state = seed;
        let mut next = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            state >> 11
        };
        let mut all = Vec::new();
        for _ in 0..40 {
            // An odd number of p + 1 bits times a power of two is a tie; its first digits are a text near it.
            let tie = BigUint::from(1 | next() | 1 << 53) >> (53 - format.precision().min(53));
            let shift = (next() % 300) as i64 - 150;
            let limit = if format == FloatFormat::SINGLE {
                60
            } else {
                150
            };
            let shift = shift.clamp(-limit, limit);
            let (mut numerator, mut denominator) = (tie | BigUint::from(1u32), BigUint::from(1u32));
            if shift >= 0 {
                numerator <<= shift;
            } else {
                denominator <<= -shift;
            }
            // 19 digits of it.
            let mut e = 0i32;
            let ten = BigUint::from(10u32);
            let most = ten.pow(19);
            while &numerator / &denominator >= most {
                denominator *= 10u32;
                e += 1;
            }
            while &numerator * 10u32 / &denominator < most {
                numerator *= 10u32;
                e -= 1;
            }
            let digits = (&numerator / &denominator).iter_u64_digits().next();
            let digits = digits.unwrap_or(0);
            all.extend([(digits, e), (digits + 1, e), (digits - 1, e)]);
        }
        all
    }

    #[test]
    fn one_operation_in_a_wide_enough_format_rounds_correctly() {
        let formats = [FloatFormat::SINGLE, FloatFormat::DOUBLE, FloatFormat::X87];
        for (format, seed) in formats.into_iter().zip(1..) {
            for (m, e) in near_ties(format, seed) {
                let wanted = from_decimal(format, EVEN, m, e.into());
                let got = by_operations(format, 19, m, e).unwrap();
                assert_eq!(got, wanted, "{m}e{e} in {format:?}");
            }
            // Few digits and small exponents, where the format itself will do or nearly.
            for m in [
                0,
                1,
                3,
                5,
                8_388_609,
                16_777_217,
                99_999_999,
                4_503_599_627_370_497,
            ] {
                for e in -30..30 {
                    let wanted = from_decimal(format, EVEN, m, e.into());
                    let digits = m.to_string().len() as u32;
                    let got = by_operations(format, digits, m, e).unwrap();
                    assert_eq!(got, wanted, "{m}e{e} in {format:?}");
                }
            }
        }
    }

    /// Rust's own conversion is another one.
    #[test]
    fn the_reference_is_that_of_another() {
        let texts = [
            (9_007_199_254_740_993, 0),
            (2_225_073_858_507_201, -323),
            (5, -324),
            (2, -324),
            (3, -324),
            (17_976_931_348_623_158, 292),
            (17_976_931_348_623_159, 292),
            (1, 309),
        ];
        for (m, e) in texts {
            let wanted: f64 = format!("{m}e{e}").parse().unwrap();
            let got = from_decimal(FloatFormat::DOUBLE, EVEN, m, e);
            assert_eq!(got, BigUint::from(wanted.to_bits()), "{m}e{e}");
            let got = by_operations(FloatFormat::DOUBLE, 19, m, e as i32).unwrap();
            assert_eq!(got, BigUint::from(wanted.to_bits()), "{m}e{e}");
        }
    }

    #[test]
    fn small_numbers_need_no_other_format() {
        let double = FloatFormat::DOUBLE;
        assert_eq!(decimal_format(double, 15, -22, -1), Some(double));
        assert_eq!(decimal_format(double, 15, 0, 22), Some(double));
        assert_eq!(decimal_format(double, 16, -1, -1), Some(FloatFormat::X87));
        assert_eq!(decimal_format(FloatFormat::SINGLE, 9, -8, -8), Some(double));
        assert_eq!(
            decimal_format(FloatFormat::X87, 19, -27, -1),
            Some(FloatFormat::X87)
        );
        // The whole range of double fits, that of long double does not.
        assert!(decimal_format(double, 19, -343, -23).is_some());
        assert!(decimal_format(double, 19, 23, 308).is_some());
        assert!(decimal_format(FloatFormat::X87, 19, -400, -28).is_some());
        assert_eq!(decimal_format(FloatFormat::X87, 19, -4000, -28), None);
    }
}
