//! The logic of crate `float` whose bit-vectors are terms.

use crate::node::Term;
use crate::pool::Pool;
use float::Logic;
use std::cell::RefCell;

/// Bit-vector terms of a pool; truth values are those of width 1.
pub(super) struct Terms<'p>(RefCell<&'p mut Pool>);

impl<'p> Terms<'p> {
    pub fn new(pool: &'p mut Pool) -> Terms<'p> {
        Terms(RefCell::new(pool))
    }

    /// Does something with the pool.
    pub fn with<T>(&self, action: impl FnOnce(&mut Pool) -> T) -> T {
        action(&mut self.0.borrow_mut())
    }
}

impl Logic for Terms<'_> {
    type Bool = Term;
    type Bits = Term;

    fn truth(&self, value: bool) -> Term {
        if value { Term::TRUE } else { Term::FALSE }
    }
    fn not(&self, a: &Term) -> Term {
        self.with(|pool| pool.not(*a))
    }
    fn and(&self, a: &Term, b: &Term) -> Term {
        self.with(|pool| pool.and(*a, *b))
    }
    fn or(&self, a: &Term, b: &Term) -> Term {
        self.with(|pool| pool.or(*a, *b))
    }
    fn xor(&self, a: &Term, b: &Term) -> Term {
        self.with(|pool| pool.xor(*a, *b))
    }
    fn choose_bool(&self, condition: &Term, a: &Term, b: &Term) -> Term {
        self.choose(condition, a, b)
    }

    fn width(&self, a: &Term) -> u32 {
        self.with(|pool| pool.width(*a))
    }
    fn constant(&self, width: u32, value: i64) -> Term {
        let rest = if value < 0 { u64::MAX } else { 0 };
        let mut limbs = vec![rest; width.div_ceil(64) as usize];
        limbs[0] = value as u64;
        self.with(|pool| pool.bv_wide(width, &limbs))
    }
    fn bit_of(&self, a: &Term) -> Term {
        *a
    }
    fn choose(&self, condition: &Term, a: &Term, b: &Term) -> Term {
        self.with(|pool| pool.ite(*condition, *a, *b))
    }
    fn equal(&self, a: &Term, b: &Term) -> Term {
        self.with(|pool| pool.eq(*a, *b))
    }
    fn less(&self, a: &Term, b: &Term) -> Term {
        self.with(|pool| pool.ult(*a, *b))
    }
    fn extract(&self, high: u32, low: u32, a: &Term) -> Term {
        self.with(|pool| pool.extract(high, low, *a))
    }
    fn concat(&self, high: &Term, low: &Term) -> Term {
        self.with(|pool| pool.concat(*high, *low))
    }
    fn sign_extend(&self, width: u32, a: &Term) -> Term {
        self.with(|pool| pool.sext(width, *a))
    }
    fn add(&self, a: &Term, b: &Term) -> Term {
        self.with(|pool| pool.add(*a, *b))
    }
    fn subtract(&self, a: &Term, b: &Term) -> Term {
        self.with(|pool| pool.sub(*a, *b))
    }
    fn multiply(&self, a: &Term, b: &Term) -> Term {
        self.with(|pool| pool.mul(*a, *b))
    }
    fn shift_left(&self, a: &Term, by: &Term) -> Term {
        let by = self.amount(a, by);
        self.with(|pool| pool.shl(*a, by))
    }
    fn shift_right(&self, a: &Term, by: &Term) -> Term {
        let by = self.amount(a, by);
        self.with(|pool| pool.lshr(*a, by))
    }

    /// In halving steps.
    fn normalize(&self, a: &Term) -> (Term, Term) {
        let width = self.width(a);
        let bits = 32 - width.leading_zeros();
        let (mut shifted, mut count) = (*a, self.zeros(bits));
        for step in (0..bits).rev() {
            let places = 1 << step;
            if places >= width {
                continue;
            }
            let top = self.extract(width - 1, width - places, &shifted);
            let empty = self.is_zero(&top);
            let moved = self.append_zeros(&self.low(width - places, &shifted), places);
            shifted = self.choose(&empty, &moved, &shifted);
            let more = self.add(&count, &self.constant(bits, i64::from(places)));
            count = self.choose(&empty, &more, &count);
        }
        let all = self.constant(bits, i64::from(width));
        (shifted, self.choose(&self.is_zero(a), &all, &count))
    }

    fn divide(&self, a: &Term, zeros: u32, b: &Term) -> (Term, Term) {
        let dividend = self.append_zeros(a, zeros);
        let divisor = self.extend(self.width(&dividend), b);
        let (quotient, rest) =
            self.with(|pool| (pool.udiv(dividend, divisor), pool.urem(dividend, divisor)));
        (self.low(zeros + 1, &quotient), self.is_nonzero(&rest))
    }

    fn modulo(&self, a: &Term, b: &Term) -> Term {
        let divisor = self.extend(self.width(a), b);
        let rest = self.with(|pool| pool.urem(*a, divisor));
        self.low(self.width(b), &rest)
    }

    /// Digit by digit, two bits of the radicand a step.
    fn square_root(&self, a: &Term, zeros: u32) -> (Term, Term) {
        let radicand = self.append_zeros(a, zeros);
        let steps = self.width(&radicand) / 2;
        // The rest is at most twice the root.
        let wide = steps + 2;
        let (mut root, mut rest) = (self.zeros(wide), self.zeros(wide));
        for step in (0..steps).rev() {
            let pair = self.extract(2 * step + 1, 2 * step, &radicand);
            rest = self.concat(&self.low(wide - 2, &rest), &pair);
            let trial = self.concat(&self.low(wide - 2, &root), &self.constant(2, 1));
            let fits = self.not(&self.less(&rest, &trial));
            rest = self.choose(&fits, &self.subtract(&rest, &trial), &rest);
            root = self.concat(&self.low(wide - 1, &root), &fits);
        }
        (self.low(steps, &root), self.is_nonzero(&rest))
    }
}

impl Terms<'_> {
    /// An amount to shift `a` by, as wide as `a`: its width or more if the amount is.
    fn amount(&self, a: &Term, by: &Term) -> Term {
        let (width, given) = (self.width(a), self.width(by));
        if given <= width {
            return self.extend(width, by);
        }
        let beyond = self.is_nonzero(&self.extract(given - 1, width, by));
        let all = self.ones(width);
        self.choose(&beyond, &all, &self.low(width, by))
    }
}
