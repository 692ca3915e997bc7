//! Numbers in text: a natural number times a power of ten as one product or quotient, rounded once. `float::decimal_format` has the format in
//! which it is, and says why.

use crate::node::Term;
use crate::pool::Pool;
use crate::{FloatFormat, RoundingMode};
use std::ops::RangeInclusive;

/// The widest format of which the solver knows sets of values.
const KNOWN_BITS: u32 = 128;

/// Powers in one table; more are products of two.
const STEP: u32 = 16;

/// What is known of the numbers that texts of one shape can be.
#[derive(Clone, Copy, Debug)]
pub struct Decimal {
    target: FloatFormat,
    /// The format of the operation.
    format: FloatFormat,
    digits: u32,
    low: i32,
    high: i32,
}

impl Decimal {
    /// Numbers of at most `digits` digits times powers of ten from `low` to `high`, which are on one side of zero, as floats of `target`. `None`
    /// if there is no format in which they are one operation.
    pub fn new(target: FloatFormat, digits: u32, low: i32, high: i32) -> Option<Decimal> {
        let format = float::decimal_format(target, digits, low, high)?;
        Some(Decimal {
            target,
            format,
            digits,
            low,
            high,
        })
    }
}

impl Pool {
    /// The number `number` (64 bits, unsigned) times ten to the `exponent` (64 bits), which are as `shape` says, as a float of its target: rounded to nearest.
    pub fn decimal(&mut self, shape: Decimal, number: Term, exponent: Term) -> Term {
        let Decimal { low, high, .. } = shape;
        let float = self.uint_to_fp(shape.format, number);
        let power = self.power(shape.format, exponent, low, high);
        let value = if low >= 0 {
            self.fmul(float, power)
        } else {
            self.fdiv(float, power)
        };
        let value = self.fp_to_fp(shape.target, value);
        if shape.format.bits() <= KNOWN_BITS {
            return value;
        }
        self.bounded(
            number,
            value,
            (i64::from(low), i64::from(high) + i64::from(shape.digits)),
        )
    }

    /// 10^k in a format, rounded to nearest if it is no float there.
    pub fn power_of_ten(&mut self, format: FloatFormat, k: u32) -> Term {
        let limbs = float::power_of_ten(format, k).to_u64_digits();
        let pattern = self.bv_wide(format.bits(), &limbs);
        self.fp_from_bits(format, pattern)
    }

    /// The same float, which is `number` times one of the powers of ten between these two. It says so where nothing else does, so that
    /// conditions that no such number can satisfy are refuted.
    fn bounded(&mut self, number: Term, value: Term, (low, high): (i64, i64)) -> Term {
        let format = self.float_format(value);
        let (least, most) = (self.bound(format, low), self.bound(format, high));
        let value = self.fmax(value, least);
        let value = self.fmin(value, most);
        let none = self.bv(64, 0);
        let is_none = self.eq(number, none);
        let zero = self.bv_wide(format.bits(), &[0]);
        let zero = self.fp_from_bits(format, zero);
        self.ite(is_none, zero, value)
    }

    fn bound(&mut self, format: FloatFormat, e: i64) -> Term {
        let limbs = float::from_decimal(format, RoundingMode::NearestEven, 1, e).to_u64_digits();
        let pattern = self.bv_wide(format.bits(), &limbs);
        self.fp_from_bits(format, pattern)
    }

    /// 10^|e| in a format that has it, for an exponent from `low` to `high`, which have one sign.
    fn power(&mut self, format: FloatFormat, e: Term, low: i32, high: i32) -> Term {
        let (low, high, k) = if low < 0 {
            let k = self.neg(e);
            (high.unsigned_abs(), low.unsigned_abs(), k)
        } else {
            (low.unsigned_abs(), high.unsigned_abs(), e)
        };
        if high - low <= 2 * STEP {
            return self.chosen(format, k, low..=high, 1);
        }
        // Sixteen times one exponent, and another: the product of their powers is one of the format's floats, as each power is.
        let sixteenths = self.bv(64, STEP.trailing_zeros().into());
        let upper = self.lshr(k, sixteenths);
        let lower = self.bv(64, u64::from(STEP - 1));
        let lower = self.and(k, lower);
        let upper = self.chosen(format, upper, low / STEP..=high / STEP, STEP);
        let lower = self.chosen(format, lower, 0..=STEP - 1, 1);
        self.fmul(upper, lower)
    }

    /// 10^(k · `times`), for a k among these.
    fn chosen(
        &mut self,
        format: FloatFormat,
        k: Term,
        among: RangeInclusive<u32>,
        times: u32,
    ) -> Term {
        let mut choice = self.power_of_ten(format, among.end() * times);
        for n in among.rev().skip(1) {
            let here = self.bv(64, n.into());
            let is_here = self.eq(k, here);
            let power = self.power_of_ten(format, n * times);
            choice = self.ite(is_here, power, choice);
        }
        choice
    }
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
                let chosen = pool.power(format, exponent, low, high);
                let bits = pool.fp_to_bits(chosen);
                let wanted = float::power_of_ten(format, e.unsigned_abs()).to_u64_digits();
                let wanted = pool.bv_wide(format.bits(), &wanted);
                assert_eq!(bits, wanted, "10^{e} of {low} to {high}");
            }
        }
    }
}
