//! Bit-vector terms as the logic that floating-point operations are written over.

use float::Logic;
use std::cell::RefCell;
use term::{Pool, Term};

/// A pool whose terms operations are made of. Truth values are bit-vectors of one bit.
pub(super) struct Terms<'p> {
    pool: RefCell<&'p mut Pool>,
}

impl<'p> Terms<'p> {
    pub fn new(pool: &'p mut Pool) -> Terms<'p> {
        Terms {
            pool: RefCell::new(pool),
        }
    }

    fn make<T>(&self, with: impl FnOnce(&mut Pool) -> T) -> T {
        with(&mut self.pool.borrow_mut())
    }

    /// `a` less `b`, unless that is negative: the bit that the digit has in a division, and the rest. Both have one bit
    /// more than they need.
    fn step(&self, a: Term, b: Term) -> (Term, Term) {
        self.make(|p| {
            let top = p.width(a) - 1;
            let difference = p.sub(a, b);
            let negative = p.extract(top, top, difference);
            let rest = p.ite(negative, a, difference);
            (p.not(negative), rest)
        })
    }
}

impl Logic for Terms<'_> {
    type Bool = Term;
    type Bits = Term;

    fn truth(&self, value: bool) -> Term {
        self.make(|p| p.bool(value))
    }
    fn not(&self, a: &Term) -> Term {
        self.make(|p| p.not(*a))
    }
    fn and(&self, a: &Term, b: &Term) -> Term {
        self.make(|p| p.and(*a, *b))
    }
    fn or(&self, a: &Term, b: &Term) -> Term {
        self.make(|p| p.or(*a, *b))
    }
    fn xor(&self, a: &Term, b: &Term) -> Term {
        self.make(|p| p.xor(*a, *b))
    }
    fn choose_bool(&self, condition: &Term, a: &Term, b: &Term) -> Term {
        self.make(|p| p.ite(*condition, *a, *b))
    }
    fn width(&self, a: &Term) -> u32 {
        self.pool.borrow().width(*a)
    }
    fn constant(&self, width: u32, value: i64) -> Term {
        let sign = if value < 0 { u64::MAX } else { 0 };
        let mut limbs = vec![sign; width.div_ceil(64) as usize];
        limbs[0] = value as u64;
        if !width.is_multiple_of(64) {
            let last = limbs.len() - 1;
            limbs[last] &= (1 << (width % 64)) - 1;
        }
        self.make(|p| p.bv_wide(width, &limbs))
    }
    fn bit_of(&self, a: &Term) -> Term {
        *a
    }
    fn choose(&self, condition: &Term, a: &Term, b: &Term) -> Term {
        self.make(|p| p.ite(*condition, *a, *b))
    }
    fn equal(&self, a: &Term, b: &Term) -> Term {
        self.make(|p| p.eq(*a, *b))
    }
    fn less(&self, a: &Term, b: &Term) -> Term {
        self.make(|p| p.ult(*a, *b))
    }
    fn extract(&self, high: u32, low: u32, a: &Term) -> Term {
        self.make(|p| p.extract(high, low, *a))
    }
    fn concat(&self, high: &Term, low: &Term) -> Term {
        self.make(|p| p.concat(*high, *low))
    }
    fn sign_extend(&self, width: u32, a: &Term) -> Term {
        self.make(|p| p.sext(width, *a))
    }
    fn add(&self, a: &Term, b: &Term) -> Term {
        self.make(|p| p.add(*a, *b))
    }
    fn subtract(&self, a: &Term, b: &Term) -> Term {
        self.make(|p| p.sub(*a, *b))
    }
    fn multiply(&self, a: &Term, b: &Term) -> Term {
        self.make(|p| p.mul(*a, *b))
    }

    fn shift_left(&self, a: &Term, by: &Term) -> Term {
        self.make(|p| {
            let by = amount(p, *a, *by);
            p.shl(*a, by)
        })
    }

    fn shift_right(&self, a: &Term, by: &Term) -> Term {
        self.make(|p| {
            let by = amount(p, *a, *by);
            p.lshr(*a, by)
        })
    }

    /// In halving steps; each asks whether the upper bits are zero.
    fn normalize(&self, a: &Term) -> (Term, Term) {
        self.make(|p| {
            let width = p.width(*a);
            let count_bits = u32::BITS - width.leading_zeros();
            let (mut shifted, mut count) = (*a, p.zero(count_bits));
            for k in (0..count_bits).rev() {
                let step = 1 << k;
                if step >= width {
                    continue;
                }
                let upper = p.extract(width - 1, width - step, shifted);
                let none = p.zero(step);
                let empty = p.eq(upper, none);
                let rest = p.extract(width - step - 1, 0, shifted);
                let moved = p.concat(rest, none);
                shifted = p.ite(empty, moved, shifted);
                let bit = p.zext(count_bits, empty);
                let at = p.bv(count_bits, u64::from(k));
                let bit = p.shl(bit, at);
                count = p.or(count, bit);
            }
            let zero = p.zero(width);
            let is_zero = p.eq(*a, zero);
            let all = p.bv(count_bits, u64::from(width));
            (shifted, p.ite(is_zero, all, count))
        })
    }

    /// One digit after the other.
    fn divide(&self, a: &Term, zeros: u32, b: &Term) -> (Term, Term) {
        let width = self.width(a) + 2;
        let divisor = self.extend(width, b);
        let (mut quotient, mut rest) = self.step(self.extend(width, a), divisor);
        for _ in 0..zeros {
            let doubled = self.append_zeros(&self.low(width - 1, &rest), 1);
            let (digit, less) = self.step(doubled, divisor);
            quotient = self.concat(&quotient, &digit);
            rest = less;
        }
        (quotient, self.is_nonzero(&rest))
    }

    fn modulo(&self, a: &Term, b: &Term) -> Term {
        let width = self.width(a).max(self.width(b));
        let (dividend, divisor) = (self.extend(width, a), self.extend(width, b));
        let rest = self.make(|p| p.urem(dividend, divisor));
        self.low(self.width(b), &rest)
    }

    /// One digit after the other, which takes two of the radicand.
    fn square_root(&self, a: &Term, zeros: u32) -> (Term, Term) {
        let radicand = self.append_zeros(a, zeros);
        let digits = self.width(&radicand) / 2;
        let width = digits + 3;
        let mut rest = self.zeros(width);
        let mut root: Option<Term> = None;
        for k in (0..digits).rev() {
            let pair = self.extract(2 * k + 1, 2 * k, &radicand);
            rest = self.concat(&self.low(width - 2, &rest), &pair);
            let one = self.constant(2, 1);
            let trial = match &root {
                Some(root) => self.concat(root, &one),
                None => one,
            };
            let (digit, less) = self.step(rest, self.extend(width, &trial));
            root = Some(match &root {
                Some(root) => self.concat(root, &digit),
                None => digit,
            });
            rest = less;
        }
        let root = root.expect("a radicand has bits");
        (root, self.is_nonzero(&rest))
    }

    /// In stages, each of which records the bits that it drops.
    fn shift_right_sticky(&self, a: &Term, by: &Term) -> Term {
        let width = self.width(a);
        let (mut shifted, mut lost) = (*a, self.truth(false));
        for k in 0..self.width(by) {
            let moves = self.bit(k, by);
            let (dropped, moved) = match 1u32.checked_shl(k) {
                Some(step) if step < width => {
                    let kept = self.extract(width - 1, step, &shifted);
                    (self.low(step, &shifted), self.extend(width, &kept))
                }
                _ => (shifted, self.zeros(width)),
            };
            let loses = self.and(&moves, &self.is_nonzero(&dropped));
            lost = self.or(&lost, &loses);
            shifted = self.choose(&moves, &moved, &shifted);
        }
        self.join_last(&shifted, &lost)
    }
}

/// An amount to shift `a` by, in the width of `a`; one beyond that width stays beyond it.
fn amount(p: &mut Pool, a: Term, by: Term) -> Term {
    let (width, have) = (p.width(a), p.width(by));
    if have <= width {
        return p.zext(width, by);
    }
    let upper = p.extract(have - 1, width, by);
    let none = p.zero(have - width);
    let fits = p.eq(upper, none);
    let low = p.extract(width - 1, 0, by);
    // All bits shift everything out.
    let all = p.ones(width);
    p.ite(fits, low, all)
}
