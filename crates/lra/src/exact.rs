//! Linear inequalities over the numbers of floats as circuits.
//!
//! The finite floats of a format are the multiples of its least positive one with few significant bits, so their numbers
//! are integers in that unit, and so is a sum of multiples of them.

use float::{FloatFormat, FloatPredicate};
use linear::{Delta, Rational};
use num_bigint::BigUint;
use term::{Pool, Term};

/// Most bits of an integer that a float is.
const MOST_BITS: u32 = 4096;

/// Can the floats of a format be integers of a reasonable width?
pub(crate) fn is_narrow(format: FloatFormat) -> bool {
    format.exponent_bits() <= 12 && integer_bits(format) <= MOST_BITS
}

/// Bits of the magnitude of a finite float, in units of the least positive one.
fn integer_bits(format: FloatFormat) -> u32 {
    (1 << format.exponent_bits()) - 3 + format.precision()
}

/// Is the sum of multiples (by integers) of finite floats of one format at most a bound? Formats are [narrow](is_narrow).
pub(crate) fn at_most(
    pool: &mut Pool,
    format: FloatFormat,
    terms: &[(Term, Rational)],
    bound: &Delta,
) -> Term {
    let unit = crate::number::value(format, &BigUint::from(1u32)).expect("a finite float");
    let end = &bound.real / &unit;
    let floor = end.floor();
    // The largest integer within the bound.
    let most = if bound.delta.is_negative() && floor == end {
        &floor - &Rational::ONE
    } else {
        floor
    };
    let bits_of = |number: &Rational| {
        let (_, limbs) = number.to_limbs().expect("an integer");
        BigUint::new(crate::table::halves(&limbs))
    };
    let largest = terms.iter().map(|(_, factor)| bits_of(factor).bits()).max();
    let room = largest.unwrap_or(0) + terms.len().ilog2() as u64 + 2;
    let width = integer_bits(format) + room as u32;
    if bits_of(&most).bits() >= u64::from(width) {
        // Beyond all sums.
        return pool.bool(most.is_positive());
    }
    let integer = |pool: &mut Pool, number: &Rational| {
        let mut limbs = bits_of(number).to_u64_digits();
        limbs.resize(width.div_ceil(64) as usize, 0);
        let magnitude = pool.bv_wide(width, &limbs);
        if number.is_negative() {
            pool.neg(magnitude)
        } else {
            magnitude
        }
    };
    let mut sum = pool.zero(width);
    for (float, factor) in terms {
        let magnitude = magnitude(pool, format, *float, width);
        let zero = pool.zero(format.bits());
        let zero = pool.fp_from_bits(format, zero);
        let is_negative = pool.fcmp(FloatPredicate::Olt, *float, zero);
        let negative = pool.neg(magnitude);
        let number = pool.ite(is_negative, negative, magnitude);
        let factor = integer(pool, factor);
        let product = pool.mul(factor, number);
        sum = pool.add(sum, product);
    }
    let most = integer(pool, &most);
    pool.sle(sum, most)
}

/// The magnitude of a finite float in units of the least positive one.
fn magnitude(pool: &mut Pool, format: FloatFormat, float: Term, width: u32) -> Term {
    let (eb, stored) = (format.exponent_bits(), format.stored_bits());
    let bits = pool.fp_to_bits(float);
    let exponent = pool.extract(stored + eb - 1, stored, bits);
    let fraction = pool.extract(stored - 1, 0, bits);
    let zero = pool.zero(eb);
    let is_subnormal = pool.eq(exponent, zero);
    let hidden = pool.not(is_subnormal);
    let significand = pool.concat(hidden, fraction);
    let significand = pool.zext(width, significand);
    // The exponent of subnormal numbers is that of the least normal ones.
    let one = pool.bv(eb, 1);
    let places = pool.sub(exponent, one);
    let places = pool.ite(is_subnormal, zero, places);
    let places = pool.zext(width, places);
    pool.shl(significand, places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::value;
    use term::{Assignment, Evaluator, Sort};

    /// Against exact arithmetic, for all pairs of floats of a small format.
    #[test]
    fn sums_are_compared_exactly() {
        let format = FloatFormat::new(3, 3).unwrap();
        let mut pool = Pool::new();
        let symbols = ["x", "y"].map(|name| pool.new_symbol(name, Sort::BitVec(format.bits())));
        let floats = symbols.map(|symbol| {
            let bits = pool.symbol_term(symbol);
            pool.fp_from_bits(format, bits)
        });
        let factors = [Rational::from(3), Rational::from(-2)];
        let terms = [0, 1].map(|k| (floats[k], factors[k].clone()));
        for bound in [
            Delta::from(Rational::new(7, 4)),
            Delta::below(Rational::new(7, 4)),
            Delta::from(Rational::new(-1, 3)),
            Delta::below(Rational::from(-100)),
            Delta::from(Rational::from(1000)),
        ] {
            let holds = at_most(&mut pool, format, &terms, &bound);
            for pair in 0..1u64 << (2 * format.bits()) {
                let patterns = [pair & 63, pair >> 6];
                let numbers = patterns.map(|p| value(format, &BigUint::from(p)));
                let [Some(x), Some(y)] = numbers else {
                    continue;
                };
                let mut sum = &x * &factors[0];
                sum.add_product(&y, &factors[1]);
                let mut model = Assignment::default();
                symbols
                    .iter()
                    .zip(patterns)
                    .for_each(|(s, p)| model.set(*s, p));
                let said = Evaluator::new().eval(&pool, holds, &model) == 1;
                assert_eq!(said, Delta::from(sum) <= bound, "{patterns:?} {bound}");
            }
        }
    }
}
