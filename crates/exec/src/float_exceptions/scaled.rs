//! Underflow of products and quotients in the operation's own format, where its exponents leave room: the operation is
//! repeated on operands that are scaled by powers of two, far from the smallest numbers. It rounds there as it would if there
//! were no smallest exponent, so its size tells whether the result is tiny, and what it loses is a number of the format.
//!
//! Methods for floats meet only operations that the processor has; [`super::exactness`] takes a wider format where the
//! exponents leave no room.

use super::conditions::ExactnessConditions;
use float::{FloatFormat, FloatPredicate};
use ir::FloatOp;
use term::Term;

/// The powers of two by which operands are scaled.
struct Scales {
    /// Each factor of a product.
    factor: i64,
    /// A dividend whose divisor is not below 1.
    dividend: i64,
    /// That divisor, by the inverse. A dividend whose divisor is below 1, by this and the one above.
    divisor: i64,
}

impl Scales {
    /// `None` if the format's exponents leave no room.
    ///
    /// A scaled operand may overflow only if the result is not tiny, or is zero; a scaled result and its rounding error are
    /// normal numbers or exact; all whatever the operands are.
    fn of(f: FloatFormat) -> Option<Scales> {
        let (precision, most) = (i64::from(f.precision()), f.max_exponent());
        let least = -f.min_exponent();
        let (divisor, dividend) = (4 * precision, most - precision / 2);
        let sum = dividend + divisor;
        let factor = least / 2 + precision + 1;
        let fits = !f.has_integer_bit()
            // The least product of scaled factors, and its error.
            && 2 * factor >= least + 2 * precision
            // A factor that overflows has no tiny product.
            && factor <= most + 2 - precision
            // The least quotient, by the largest divisor; and a divisor that stays normal.
            && sum > most + 2 * precision
            && divisor <= least - precision;
        fits.then_some(Scales {
            factor,
            dividend,
            divisor,
        })
    }
}

impl ExactnessConditions<'_> {
    /// Is the rounded product or quotient tiny, and not the exact one? The operands are finite, and nothing is divided by
    /// zero. `None` of other operations, and if the format's exponents leave no room.
    pub(super) fn underflows(&mut self, op: FloatOp, f: FloatFormat, x: [Term; 3]) -> Option<Term> {
        let scales = Scales::of(f)?;
        let mode = self.mode;
        let (exponent, scaled, lost) = match op {
            FloatOp::Mul => {
                let by = self.number(f, scales.factor, 0);
                let [a, b] = [x[0], x[1]].map(|x| self.pool.fmul(x, by));
                let product = self.pool.fmul_rounded(mode, a, b);
                let negated = self.pool.fneg(product);
                let lost = self.pool.fma(a, b, negated);
                (2 * scales.factor, product, lost)
            }
            FloatOp::Div => {
                let size = self.pool.fabs(x[1]);
                let one = self.number(f, 0, 0);
                let is_large = self.pool.fcmp(FloatPredicate::Oge, size, one);
                let total = scales.dividend + scales.divisor;
                let (half, rest) = (total / 2, total - total / 2);
                let [dividend, divisor, half, rest] =
                    [scales.dividend, -scales.divisor, half, rest].map(|e| self.number(f, e, 0));
                let p = &mut *self.pool;
                let once = p.fmul(x[0], dividend);
                let twice = p.fmul(x[0], half);
                let twice = p.fmul(twice, rest);
                let a = p.ite(is_large, once, twice);
                let smaller = p.fmul(x[1], divisor);
                let b = p.ite(is_large, smaller, x[1]);
                let quotient = p.fdiv_rounded(mode, a, b);
                let negated = p.fneg(a);
                let lost = p.fma(quotient, b, negated);
                (total, quotient, lost)
            }
            _ => return None,
        };
        // The smallest normal number, and the result, scaled like the operands.
        let limit = self.number(f, f.min_exponent() + exponent, 0);
        let size = self.pool.fabs(scaled);
        let tiny = self.pool.fcmp(FloatPredicate::Olt, size, limit);
        let result = self.result(op, mode, x);
        let (half, rest) = (exponent / 2, exponent - exponent / 2);
        let [half, rest] = [half, rest].map(|e| self.number(f, e, 0));
        let result = self.pool.fmul(result, half);
        let result = self.pool.fmul(result, rest);
        let same = self.is_equal(result, scaled);
        let nothing = self.is_zero(f, lost);
        let exact = self.pool.and(same, nothing);
        let inexact = self.pool.not(exact);
        Some(self.pool.and(tiny, inexact))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formats_of_the_processor_have_room() {
        let has_room = |f| Scales::of(f).is_some();
        assert!(
            [FloatFormat::SINGLE, FloatFormat::DOUBLE, FloatFormat::QUAD].map(has_room)
                == [true; 3]
        );
        assert!(!has_room(FloatFormat::HALF) && !has_room(FloatFormat::X87));
    }
}
