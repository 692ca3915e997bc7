//! Comparisons. Results have width 1.

use crate::node::{Node, Op, Term};
use crate::pool::Pool;
use crate::rules::Rule;
use crate::sort::Sort;

impl Pool {
    /// Equality of bit-vectors, of floats as bit patterns, or of arrays.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if a == b {
            return self.fired_as(Rule::CompareSelf, Term::TRUE);
        }
        if let Sort::Float(_) = self.sort(a) {
            let (x, y) = (self.fp_to_bits(a), self.fp_to_bits(b));
            return self.eq(x, y);
        }
        let bits = self.sort(a).bits();
        let (a, b) = self.ordered(a, b);
        if bits == 1 {
            self.fire(Rule::EqBool);
            if self.is_const(a) {
                return if a == Term::TRUE { b } else { self.not(b) };
            }
            let differ = self.xor(a, b);
            return self.not(differ);
        }
        if self.is_const(a) && self.is_const(b) {
            self.fire(Rule::Fold);
            return Term::FALSE; // constants are interned and the terms differ
        }
        self.intern(Node::new(Op::Eq, 1, &[a, b]).with_aux(bits))
    }

    /// Disequality.
    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// Unsigned a < b.
    pub fn ult(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if a == b {
            return self.fired_as(Rule::CompareSelf, Term::FALSE);
        }
        self.plain(Op::Ult, 1, width, &[a, b])
    }

    /// Signed a < b.
    pub fn slt(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if a == b {
            return self.fired_as(Rule::CompareSelf, Term::FALSE);
        }
        self.plain(Op::Slt, 1, width, &[a, b])
    }

    /// Unsigned a <= b.
    pub fn ule(&mut self, a: Term, b: Term) -> Term {
        let greater = self.ult(b, a);
        self.not(greater)
    }

    /// Unsigned a > b.
    pub fn ugt(&mut self, a: Term, b: Term) -> Term {
        self.ult(b, a)
    }

    /// Unsigned a >= b.
    pub fn uge(&mut self, a: Term, b: Term) -> Term {
        self.ule(b, a)
    }

    /// Signed a <= b.
    pub fn sle(&mut self, a: Term, b: Term) -> Term {
        let greater = self.slt(b, a);
        self.not(greater)
    }

    /// Signed a > b.
    pub fn sgt(&mut self, a: Term, b: Term) -> Term {
        self.slt(b, a)
    }

    /// Signed a >= b.
    pub fn sge(&mut self, a: Term, b: Term) -> Term {
        self.sle(b, a)
    }
}
