//! Equality. Results have width 1.

use crate::node::{Node, Op, Term};
use crate::pool::Pool;
use crate::rules::Rule;
use crate::sort::Sort;

impl Pool {
    /// Equality of bit-vectors, of floats as bit patterns, of arrays or of integers.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        self.nested(|pool| pool.make_eq(a, b))
    }

    /// Disequality.
    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    fn make_eq(&mut self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if a == b {
            return self.fired_as(Rule::CompareSelf, Term::TRUE);
        }
        match self.sort(a) {
            Sort::Float(_) => {
                let (x, y) = (self.fp_to_bits(a), self.fp_to_bits(b));
                return self.eq(x, y);
            }
            Sort::Int => return self.int_eq(a, b),
            _ => {}
        }
        let bits = self.sort(a).bits();
        let (a, b) = self.ordered(a, b);
        if self.is_const(a) && self.is_const(b) {
            self.fire(Rule::Fold);
            return Term::FALSE; // constants are interned and the terms differ
        }
        let plain = Node::new(Op::Eq, 1, &[a, b]).with_aux(bits);
        if bits == 0 || !self.may_rewrite() {
            return self.intern(plain);
        }
        if bits == 1 {
            self.fire(Rule::EqBool);
            if self.is_const(a) {
                return if a == Term::TRUE { b } else { self.not(b) };
            }
            let differ = self.xor(a, b);
            return self.not(differ);
        }
        if self.are_opposite(a, b) {
            return self.fired_as(Rule::EqOpposite, Term::FALSE);
        }
        let result = if self.is_const(a) {
            self.eq_const(a, b)
        } else {
            match self.eq_part(a, b) {
                Some(result) => Some(result),
                None => self.eq_part(b, a).or_else(|| self.eq_same(a, b)),
            }
        };
        result.unwrap_or_else(|| self.intern(plain))
    }

    /// `k` = `t` for a constant `k`.
    fn eq_const(&mut self, k: Term, t: Term) -> Option<Term> {
        let node = *self.node(t);
        let width = node.sort;
        let [x, y, z] = node.kids;
        match node.op {
            Op::Zext => {
                self.fire(Rule::EqExtend);
                if self.used_bits(k) > node.aux {
                    return Some(Term::FALSE);
                }
                let low = self.extract(node.aux - 1, 0, k);
                Some(self.eq(low, x))
            }
            Op::Sext => {
                self.fire(Rule::EqExtend);
                let low = self.extract(node.aux - 1, 0, k);
                if self.sext(width, low) != k {
                    return Some(Term::FALSE);
                }
                Some(self.eq(low, x))
            }
            Op::Concat => {
                self.fire(Rule::EqConcat);
                let high = self.extract(width - 1, node.aux, k);
                let low = self.extract(node.aux - 1, 0, k);
                let high = self.eq(high, x);
                let low = self.eq(low, y);
                Some(self.and(high, low))
            }
            Op::Add if self.is_const(x) => {
                self.fire(Rule::EqShift);
                let k = self.sub(k, x);
                Some(self.eq(k, y))
            }
            Op::Sub if self.is_const(x) => {
                self.fire(Rule::EqShift);
                let k = self.sub(x, k);
                Some(self.eq(k, y))
            }
            Op::Sub if self.is_zero(k) => {
                self.fire(Rule::EqDifference);
                Some(self.eq(x, y))
            }
            Op::Xor if self.is_zero(k) => {
                self.fire(Rule::EqDifference);
                Some(self.eq(x, y))
            }
            Op::Xor if self.is_const(x) => {
                self.fire(Rule::EqShift);
                let k = self.xor(k, x);
                Some(self.eq(k, y))
            }
            Op::Neg => {
                self.fire(Rule::EqShift);
                let k = self.neg(k);
                Some(self.eq(k, x))
            }
            Op::Not => {
                self.fire(Rule::EqShift);
                let k = self.not(k);
                Some(self.eq(k, x))
            }
            Op::Mul => {
                let factor = self.as_const(x).filter(|factor| factor & 1 == 1)?;
                self.fire(Rule::EqMul);
                let inverse = self.bv(width, inverse(factor));
                let k = self.mul(k, inverse);
                Some(self.eq(k, y))
            }
            Op::Or if self.is_zero(k) => {
                self.fire(Rule::EqOrZero);
                let left = self.eq(k, x);
                let right = self.eq(k, y);
                Some(self.and(left, right))
            }
            Op::And if self.is_ones(k) => {
                self.fire(Rule::EqOrZero);
                let left = self.eq(k, x);
                let right = self.eq(k, y);
                Some(self.and(left, right))
            }
            Op::Ite => self.eq_choice(k, x, y, z),
            _ => None,
        }
    }

    /// `k` = ite(c, t, e) where a branch is constant: its outcome is known.
    fn eq_choice(&mut self, k: Term, c: Term, t: Term, e: Term) -> Option<Term> {
        let (condition, known, other) = if self.is_const(t) {
            (c, t, e)
        } else if self.is_const(e) {
            (self.not(c), e, t)
        } else {
            return None;
        };
        self.fire(Rule::EqChoice);
        let rest = self.eq(k, other);
        Some(if known == k {
            self.or(condition, rest)
        } else {
            let not_condition = self.not(condition);
            self.and(not_condition, rest)
        })
    }

    /// `a` = `b` where `b` is a part of `a`: a = a + y and the like.
    fn eq_part(&mut self, a: Term, b: Term) -> Option<Term> {
        let node = *self.node(a);
        let [x, y, z] = node.kids;
        let width = node.sort;
        match node.op {
            Op::Add | Op::Xor if x == b || y == b => {
                self.fire(Rule::EqPart);
                let zero = self.zero(width);
                Some(self.eq(zero, if x == b { y } else { x }))
            }
            Op::Sub if x == b => {
                self.fire(Rule::EqPart);
                let zero = self.zero(width);
                Some(self.eq(zero, y))
            }
            Op::Ite if y == b || z == b => {
                self.fire(Rule::EqPart);
                let (condition, other) = if y == b { (x, z) } else { (self.not(x), y) };
                let rest = self.eq(other, b);
                Some(self.or(condition, rest))
            }
            Op::Concat if self.op(b) == Op::Zext && self.may_branch() => {
                self.fire(Rule::EqConcat);
                let high = self.extract(width - 1, node.aux, b);
                let low = self.extract(node.aux - 1, 0, b);
                let high = self.eq(x, high);
                let low = self.eq(y, low);
                Some(self.and(high, low))
            }
            _ => None,
        }
    }

    /// Equality of two terms with the same operator.
    fn eq_same(&mut self, a: Term, b: Term) -> Option<Term> {
        let (left, right) = (*self.node(a), *self.node(b));
        if left.op != right.op {
            return None;
        }
        let [x, y, _] = left.kids;
        let [p, q, _] = right.kids;
        match left.op {
            Op::Not | Op::Neg => {
                self.fire(Rule::EqSame);
                Some(self.eq(x, p))
            }
            Op::Zext | Op::Sext if left.aux == right.aux => {
                self.fire(Rule::EqSame);
                Some(self.eq(x, p))
            }
            Op::Zext | Op::Sext => {
                self.fire(Rule::EqSame);
                let (wide, short) = if left.aux > right.aux { (x, p) } else { (p, x) };
                let to = left.aux.max(right.aux);
                let short = if left.op == Op::Zext {
                    self.zext(to, short)
                } else {
                    self.sext(to, short)
                };
                Some(self.eq(wide, short))
            }
            Op::Concat if left.aux == right.aux && self.may_branch() => {
                self.fire(Rule::EqConcat);
                let high = self.eq(x, p);
                let low = self.eq(y, q);
                Some(self.and(high, low))
            }
            Op::Add if self.is_const(x) && self.is_const(p) => {
                self.fire(Rule::EqSame);
                let k = self.sub(x, p);
                let left = self.add(k, y);
                Some(self.eq(left, q))
            }
            Op::Add | Op::Xor => {
                let (left, right) = match () {
                    _ if x == p => (y, q),
                    _ if x == q => (y, p),
                    _ if y == p => (x, q),
                    _ if y == q => (x, p),
                    _ => return None,
                };
                self.fire(Rule::EqSame);
                Some(self.eq(left, right))
            }
            Op::Sub if x == p => {
                self.fire(Rule::EqSame);
                Some(self.eq(y, q))
            }
            Op::Sub if y == q => {
                self.fire(Rule::EqSame);
                Some(self.eq(x, p))
            }
            _ => None,
        }
    }

    /// Are two terms of the same width different under every assignment, visibly?
    pub(crate) fn are_distinct(&self, a: Term, b: Term) -> bool {
        if a == b {
            return false;
        }
        if self.is_const(a) && self.is_const(b) || self.are_opposite(a, b) {
            return true;
        }
        let (x, y) = (&self.info[a.at()], &self.info[b.at()]);
        if self.node(a).sort <= 64
            && (x.zeros & y.ones != 0 || x.ones & y.zeros != 0 || x.hi < y.lo || y.hi < x.lo)
        {
            return true;
        }
        // x + k and x + m, or x itself.
        let split = |t: Term| self.with_const(Op::Add, t).unwrap_or((Term::NONE, t));
        let ((k, x), (m, y)) = (split(a), split(b));
        x == y && k != m
    }
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration.
fn inverse(odd: u64) -> u64 {
    let mut inverse = odd; // right to 3 bits
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    debug_assert!(odd.wrapping_mul(inverse) == 1);
    inverse
}
