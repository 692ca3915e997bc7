//! Order, minimum and maximum, classes.

use crate::fpu::{Fpu, Reading};
use crate::logic::Logic;
use crate::predicate::FloatPredicate;
use crate::unpacked::Unpacked;

/// The outcome of a comparison: exactly one of the three holds, or none if the first operand is greater.
pub struct Order<L: Logic> {
    /// The first operand is less.
    pub less: L::Bool,
    /// The operands are equal.
    pub equal: L::Bool,
    /// An operand is a NaN.
    pub unordered: L::Bool,
}

impl<L: Logic> Order<L> {
    /// The truth of a predicate.
    pub fn holds(&self, logic: &L, predicate: FloatPredicate) -> L::Bool {
        use std::cmp::Ordering;
        let known = logic.or(&logic.or(&self.less, &self.equal), &self.unordered);
        let outcomes = [
            (Some(Ordering::Less), self.less.clone()),
            (Some(Ordering::Equal), self.equal.clone()),
            (Some(Ordering::Greater), logic.not(&known)),
            (None, self.unordered.clone()),
        ];
        let mut holds = logic.truth(false);
        for (order, outcome) in outcomes {
            if predicate.holds(order) {
                holds = logic.or(&holds, &outcome);
            }
        }
        holds
    }
}

impl<L: Logic> Fpu<'_, L> {
    /// Compares two floats. Raises `invalid` for a signalling NaN, or, if the comparison is `signaling`, for any NaN.
    pub fn compare(&self, a: &Unpacked<L>, b: &Unpacked<L>, signaling: bool) -> Order<L> {
        let l = self.logic;
        let unordered = l.or(&a.nan, &b.nan);
        let loud = if signaling {
            unordered.clone()
        } else {
            l.or(&self.is_signaling(a), &self.is_signaling(b))
        };
        self.raise(&loud, |flags| &mut flags.invalid);
        self.look_for_denormals(&[a, b], &l.not(&unordered));
        let (x, y) = (self.magnitude(a), self.magnitude(b));
        let level = l.equal(&x.0, &y.0);
        let smaller = |x: &(L::Bits, L::Bits), y: &(L::Bits, L::Bits)| {
            l.or(&l.less(&x.0, &y.0), &l.and(&level, &l.less(&x.1, &y.1)))
        };
        let zeros = l.and(&a.zero, &b.zero);
        let alike = l.not(&l.xor(&a.negative, &b.negative));
        let same = l.and(&l.and(&level, &l.equal(&x.1, &y.1)), &alike);
        let below = l.choose_bool(
            &a.negative,
            &l.or(&l.not(&b.negative), &smaller(&y, &x)),
            &l.and(&l.not(&b.negative), &smaller(&x, &y)),
        );
        let ordered = l.not(&unordered);
        Order {
            less: l.and(&l.and(&below, &l.not(&zeros)), &ordered),
            equal: l.and(&l.or(&same, &zeros), &ordered),
            unordered,
        }
    }

    /// Two numbers that order magnitudes, the first before the second.
    fn magnitude(&self, x: &Unpacked<L>) -> (L::Bits, L::Bits) {
        let l = self.logic;
        let wide = l.width(&x.exponent);
        let lowest = l.append_zeros(&l.ones(1), wide - 1);
        let exponent = l.add(&x.exponent, &lowest);
        let precision = self.format.precision();
        (
            l.choose(&x.infinite, &l.ones(wide), &exponent),
            l.choose(&x.infinite, &l.ones(precision), &x.significand),
        )
    }

    /// The smaller of two floats, or the larger one; the other operand where one is a NaN (C's `fmin` and `fmax`). Of
    /// zeros with unlike signs [`Fpu::first_of_zeros`] decides.
    ///
    /// The instructions that compilers make of it choose an operand and leave it as it is, even a signalling NaN.
    pub fn min_max(&self, minimum: bool, a: &Unpacked<L>, b: &Unpacked<L>) -> Unpacked<L> {
        let l = self.logic;
        let (x, y) = if minimum { (b, a) } else { (a, b) };
        let order = self.compare(x, y, false);
        let first = self.first_of_zeros(minimum, a, b);
        let zeros = l.and(&l.and(&a.zero, &b.zero), &l.not(&first));
        let better = l.and(&order.less, &l.not(&b.nan));
        let second = l.or(&l.or(&a.nan, &better), &zeros);
        self.choose(&second, b, a)
    }

    /// Of zeros with unlike signs, is the first operand the minimum (maximum) in this reading? `minsd` and the like
    /// give the first operand of those that compilers pass; for x87 they call C's functions, where -0 is below +0.
    /// The theory of SMT-LIB leaves it open, and here it is the first.
    pub fn first_of_zeros(&self, minimum: bool, a: &Unpacked<L>, b: &Unpacked<L>) -> L::Bool {
        let l = self.logic;
        if self.reading == Reading::SmtLib || !self.format.has_integer_bit() {
            return l.truth(true);
        }
        let (low, high) = if minimum { (a, b) } else { (b, a) };
        l.or(&low.negative, &l.not(&high.negative))
    }

    /// Is it a subnormal number?
    pub fn is_subnormal(&self, x: &Unpacked<L>) -> L::Bool {
        let l = self.logic;
        let number = l.and(&x.is_finite(l), &l.not(&x.zero));
        l.and(&number, &self.is_below_normal(x))
    }

    /// Is it a normal number?
    pub fn is_normal(&self, x: &Unpacked<L>) -> L::Bool {
        let l = self.logic;
        l.and(&x.is_finite(l), &l.not(&self.is_below_normal(x)))
    }
}
