//! Whether a result is the exact one, and whether it is tiny.
//!
//! One rounding decides both: in a format with room for more exponents the sign of `a * b - c` is the exact one,
//! because what is not zero never rounds to zero there.

use super::conditions::ExactnessConditions;
use float::{FloatFormat, FloatPredicate, RoundingMode};
use ir::FloatOp;
use term::Term;

/// A format in which products of two numbers of `f`, and what is next to its smallest normal number, are exact or
/// far from an end of the range.
pub(super) fn wider(f: FloatFormat, precision: u32) -> FloatFormat {
    FloatFormat::new(f.exponent_bits() + 2, precision).expect("formats of programs are small")
}

/// Below, or below or equal.
pub(super) const fn less(or_equal: bool) -> FloatPredicate {
    if or_equal {
        FloatPredicate::Ole
    } else {
        FloatPredicate::Olt
    }
}

impl ExactnessConditions<'_> {
    /// Is the result the exact one? The operands are finite, and nothing is divided by zero.
    pub(super) fn is_exact(&mut self, op: FloatOp, f: FloatFormat, x: [Term; 3]) -> Term {
        let [a, b, c] = x;
        let mode = self.mode;
        let result = self.result(op, mode, x);
        let u = wider(f, f.precision() + 2);
        match op {
            FloatOp::Add | FloatOp::Sub => {
                // A rounded sum less the operand of the larger magnitude is exact (T. J. Dekker, 1971).
                let b = if op == FloatOp::Sub {
                    self.pool.fneg(b)
                } else {
                    b
                };
                let (first, second) = (self.pool.fsub(result, a), self.pool.fsub(result, b));
                let first = self.is_equal(first, b);
                let second = self.is_equal(second, a);
                self.pool.and(first, second)
            }
            FloatOp::Mul => self.is_product(u, a, b, result),
            FloatOp::Div => self.is_product(u, result, b, a),
            FloatOp::Sqrt => self.is_product(u, result, result, a),
            FloatOp::Fma => {
                let (sum, error) = self.exact_sum(f, a, b, c);
                let w = self.pool.float_format(sum);
                let result = self.pool.fp_to_fp(w, result);
                let same = self.is_equal(result, sum);
                let none = self.is_zero(w, error);
                self.pool.and(same, none)
            }
            FloatOp::Rem | FloatOp::Call | FloatOp::Round | FloatOp::Compare => self.pool.tru(),
        }
    }

    /// `a * b == c`, exactly.
    fn is_product(&mut self, u: FloatFormat, a: Term, b: Term, c: Term) -> Term {
        let [a, b, c] = [a, b, c].map(|x| self.pool.fp_to_fp(u, x));
        let c = self.pool.fneg(c);
        let difference = self.pool.fma(a, b, c);
        self.is_zero(u, difference)
    }

    /// `a * b + c` as a rounded sum and its error, in a format in which the product is exact (2Sum of D. E. Knuth).
    fn exact_sum(&mut self, f: FloatFormat, a: Term, b: Term, c: Term) -> (Term, Term) {
        let w = wider(f, 2 * f.precision() + 2);
        let [a, b, c] = [a, b, c].map(|x| self.pool.fp_to_fp(w, x));
        let p = &mut *self.pool;
        let product = p.fmul(a, b);
        let sum = p.fadd(product, c);
        let virtual_c = p.fsub(sum, product);
        let virtual_product = p.fsub(sum, virtual_c);
        let of_c = p.fsub(c, virtual_c);
        let of_product = p.fsub(product, virtual_product);
        (sum, p.fadd(of_product, of_c))
    }

    /// Is the result below all normal numbers when it is rounded to the format's precision without a bound on the
    /// exponent? The operands are finite, and nothing is divided by zero.
    pub(super) fn is_tiny(&mut self, op: FloatOp, f: FloatFormat, x: [Term; 3]) -> Term {
        if op == FloatOp::Fma {
            let (sum, error) = self.exact_sum(f, x[0], x[1], x[2]);
            let w = self.pool.float_format(sum);
            return self.is_below_normal(f, w, sum, |build, limit, or_equal| {
                build.is_sum_below(w, sum, error, limit, or_equal)
            });
        }
        let result = self.result(op, self.mode, x);
        let u = wider(f, f.precision() + 2);
        let [a, b] = [x[0], x[1]].map(|x| self.pool.fp_to_fp(u, x));
        let (a, b) = (self.pool.fabs(a), self.pool.fabs(b));
        let result = self.pool.fp_to_fp(u, result);
        self.is_below_normal(f, u, result, |build, limit, or_equal| {
            // How far the size is above the limit: |a| * |b| - limit, or that of a quotient times |b|.
            let limit = build.pool.fneg(limit);
            let distance = match op {
                FloatOp::Mul => build.pool.fma(a, b, limit),
                _ => build.pool.fma(limit, b, a),
            };
            let zero = build.zero(u);
            build.pool.fcmp(less(or_equal), distance, zero)
        })
    }

    /// Is the size of `sum + error` below the limit, or the limit? `error` is less than half a unit in the last place.
    fn is_sum_below(
        &mut self,
        w: FloatFormat,
        sum: Term,
        error: Term,
        limit: Term,
        or_equal: bool,
    ) -> Term {
        let (size, negative) = (self.pool.fabs(sum), self.is_negative(sum));
        let (inward, zero) = (self.pool.fneg(error), self.zero(w));
        // What the error adds to the size.
        let added = self.pool.ite(negative, inward, error);
        let beside = self.pool.fcmp(less(or_equal), added, zero);
        let at = self.is_equal(size, limit);
        let at = self.pool.and(at, beside);
        let below = self.pool.fcmp(FloatPredicate::Olt, size, limit);
        self.pool.or(below, at)
    }

    /// Does a number lie below the normal ones of `f` when it is rounded to their precision? Of `number` only the sign
    /// counts; `is_below` compares the exact size with a limit of the format `u`, and says whether it is below, or
    /// the limit itself if its last argument says so.
    pub(super) fn is_below_normal(
        &mut self,
        f: FloatFormat,
        u: FloatFormat,
        number: Term,
        is_below: impl Fn(&mut Self, Term, bool) -> Term,
    ) -> Term {
        let [normal, nearest, outward] = [0, 1, 2].map(|n| self.below_least_normal(f, u, n));
        match self.mode {
            RoundingMode::NearestEven | RoundingMode::NearestAway => is_below(self, nearest, false),
            RoundingMode::TowardZero => is_below(self, normal, false),
            RoundingMode::TowardPositive | RoundingMode::TowardNegative => {
                let inward = is_below(self, normal, false);
                let outward = is_below(self, outward, true);
                let negative = self.is_negative(number);
                if self.mode == RoundingMode::TowardPositive {
                    self.pool.ite(negative, inward, outward)
                } else {
                    self.pool.ite(negative, outward, inward)
                }
            }
        }
    }

    /// The smallest normal number of `f`, less so many quarters of the smallest subnormal one (none, one or two), in the
    /// format `u`: half of the last makes the largest number below it that has the precision of `f`.
    fn below_least_normal(&mut self, f: FloatFormat, u: FloatFormat, quarters: u32) -> Term {
        match quarters {
            0 => self.number(u, f.min_exponent(), 0),
            n => self.number(u, f.min_exponent() - 1, f.precision() + 1 - n),
        }
    }
}
