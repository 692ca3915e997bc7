//! Arithmetic: neg, add, sub, mul, divisions and remainders.

use crate::node::{Op, Term};
use crate::pool::Pool;
use crate::rules::Rule;

impl Pool {
    /// Two's complement: -a.
    pub fn neg(&mut self, a: Term) -> Term {
        let width = self.same_width(a, a);
        if self.op(a) == Op::Neg {
            self.fire(Rule::NegNeg);
            return self.child(a, 0);
        }
        self.plain(Op::Neg, width, 0, &[a])
    }

    /// Sum modulo 2^w.
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        let (a, b) = self.ordered(a, b);
        if self.is_zero(a) {
            self.fire(Rule::AddZero);
            return b;
        }
        if self.is_const(a) && self.op(b) == Op::Add {
            let (inner, rest) = (self.child(b, 0), self.child(b, 1));
            if self.is_const(inner) {
                self.fire(Rule::AddConsts);
                let sum = self.plain(Op::Add, width, 0, &[a, inner]);
                return self.add(sum, rest);
            }
        }
        self.plain(Op::Add, width, 0, &[a, b])
    }

    /// Difference modulo 2^w.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if a == b {
            self.fire(Rule::SubSelf);
            return self.zero(width);
        }
        if self.is_const(b) {
            self.fire(Rule::SubConst);
            let minus = self.plain(Op::Neg, width, 0, &[b]);
            return self.add(minus, a);
        }
        if self.is_zero(a) {
            return self.neg(b);
        }
        self.plain(Op::Sub, width, 0, &[a, b])
    }

    /// Product modulo 2^w.
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        let (a, b) = self.ordered(a, b);
        if self.is_const(a) && !self.is_const(b) {
            if self.is_zero(a) || self.is_one(a) || self.is_ones(a) {
                self.fire(Rule::MulZeroOne);
                return if self.is_zero(a) {
                    a
                } else if self.is_one(a) {
                    b
                } else {
                    self.neg(b)
                };
            }
            if let Some(power) = self.power_of_two(a) {
                self.fire(Rule::MulPower);
                let amount = self.bv(width, power as u64);
                return self.shl(b, amount);
            }
        }
        self.plain(Op::Mul, width, 0, &[a, b])
    }

    /// Unsigned quotient; x / 0 = ~0.
    pub fn udiv(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if self.is_one(b) {
            self.fire(Rule::DivOne);
            return a;
        }
        if let Some(power) = self.power_of_two(b) {
            self.fire(Rule::UdivPower);
            let amount = self.bv(width, power as u64);
            return self.lshr(a, amount);
        }
        self.plain(Op::Udiv, width, 0, &[a, b])
    }

    /// Signed quotient rounded to zero; x / 0 is 1 for negative x, else -1.
    pub fn sdiv(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if width > 1 && self.is_one(b) {
            self.fire(Rule::DivOne);
            return a;
        }
        self.plain(Op::Sdiv, width, 0, &[a, b])
    }

    /// Unsigned remainder; x % 0 = x.
    pub fn urem(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if let Some(power) = self.power_of_two(b) {
            self.fire(Rule::UremPower);
            if power == 0 {
                return self.zero(width);
            }
            let low = self.extract(power - 1, 0, a);
            return self.zext(width, low);
        }
        self.plain(Op::Urem, width, 0, &[a, b])
    }

    /// Signed remainder with the sign of the dividend; x % 0 = x.
    pub fn srem(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        self.plain(Op::Srem, width, 0, &[a, b])
    }
}
