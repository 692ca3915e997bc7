//! Arithmetic: neg, add, sub, mul, divisions and remainders.

use crate::node::{Op, Term};
use crate::pool::Pool;
use crate::rules::Rule;

impl Pool {
    /// Two's complement: -a.
    pub fn neg(&mut self, a: Term) -> Term {
        self.nested(|pool| pool.make_neg(a))
    }

    fn make_neg(&mut self, a: Term) -> Term {
        let width = self.same_width(a, a);
        if let Some(inner) = self.operand(Op::Neg, a) {
            return self.fired_as(Rule::NegNeg, inner);
        }
        if width == 1 {
            return self.fired_as(Rule::ArithBool, a);
        }
        if !self.may_rewrite() {
            return self.plain(Op::Neg, width, 0, &[a]);
        }
        if let Some(inner) = self.negated(a) {
            self.fire(Rule::NegNot);
            let one = self.bv(width, 1);
            return self.add(one, inner);
        }
        if let Some((x, y)) = self.operands(Op::Sub, a) {
            self.fire(Rule::NegSub);
            return self.sub(y, x);
        }
        if let Some((k, x)) = self.with_const(Op::Add, a) {
            self.fire(Rule::NegSub);
            let minus = self.neg(k);
            return self.sub(minus, x);
        }
        if let Some((k, x)) = self.with_const(Op::Mul, a) {
            self.fire(Rule::MulConsts);
            let minus = self.neg(k);
            return self.mul(minus, x);
        }
        self.plain(Op::Neg, width, 0, &[a])
    }

    /// Sum modulo 2^w.
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        self.nested(|pool| pool.make_add(a, b))
    }

    fn make_add(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        let (a, b) = self.ordered(a, b);
        if self.is_zero(a) {
            return self.fired_as(Rule::AddZero, b);
        }
        if !self.may_rewrite() {
            return self.plain(Op::Add, width, 0, &[a, b]);
        }
        if width == 1 {
            self.fire(Rule::ArithBool);
            return self.xor(a, b);
        }
        let result = if self.is_const(a) {
            self.add_const(width, a, b)
        } else {
            let result = self.remainder(a, b, false);
            let result = result.or_else(|| self.remainder(b, a, false));
            result.or_else(|| self.add_terms(width, a, b))
        };
        if let Some(result) = result.or_else(|| self.joined(Rule::AddJoin, a, b)) {
            return result;
        }
        self.plain(Op::Add, width, 0, &[a, b])
    }

    fn add_const(&mut self, width: u32, k: Term, x: Term) -> Option<Term> {
        if self.is_const(x) {
            return None;
        }
        if let Some((inner, rest)) = self.with_const(Op::Add, x) {
            self.fire(Rule::AddConsts);
            let sum = self.plain(Op::Add, width, 0, &[k, inner]);
            return Some(self.add(sum, rest));
        }
        if let Some((inner, rest)) = self.with_const(Op::Sub, x) {
            self.fire(Rule::AddConsts);
            let sum = self.plain(Op::Add, width, 0, &[k, inner]);
            return Some(self.sub(sum, rest));
        }
        if let Some(inner) = self.operand(Op::Neg, x) {
            self.fire(Rule::AddNeg);
            return Some(self.sub(k, inner));
        }
        if let Some(inner) = self.negated(x) {
            self.fire(Rule::AddNot);
            let one = self.bv(width, 1);
            let less = self.sub(k, one);
            return Some(self.sub(less, inner));
        }
        None
    }

    fn add_terms(&mut self, width: u32, a: Term, b: Term) -> Option<Term> {
        if a == b {
            self.fire(Rule::AddSelf);
            let one = self.bv(width, 1);
            return Some(self.shl(a, one));
        }
        if self.are_opposite(a, b) {
            self.fire(Rule::AddOpposite);
            return Some(self.ones(width));
        }
        for (x, y) in [(a, b), (b, a)] {
            if let Some(inner) = self.operand(Op::Neg, y) {
                self.fire(Rule::AddNeg);
                return Some(self.sub(x, inner));
            }
            if let Some((p, q)) = self.operands(Op::Sub, y) {
                if q == x {
                    return Some(self.fired_as(Rule::AddSub, p));
                }
                if self.is_const(p) {
                    self.fire(Rule::AddPull);
                    let rest = self.sub(x, q);
                    return Some(self.add(p, rest));
                }
            }
            if let Some((k, rest)) = self.with_const(Op::Add, y) {
                self.fire(Rule::AddPull);
                let sum = self.add(x, rest);
                return Some(self.add(k, sum));
            }
        }
        None
    }

    /// Difference modulo 2^w.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        self.nested(|pool| pool.make_sub(a, b))
    }

    fn make_sub(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if a == b {
            self.fire(Rule::SubSelf);
            return self.zero(width);
        }
        if !self.may_rewrite() {
            return self.plain(Op::Sub, width, 0, &[a, b]);
        }
        if width == 1 {
            self.fire(Rule::ArithBool);
            return self.xor(a, b);
        }
        if self.is_const(b) {
            self.fire(Rule::SubConst);
            let minus = self.neg(b);
            return self.add(minus, a);
        }
        if self.is_zero(a) {
            self.fire(Rule::SubZero);
            return self.neg(b);
        }
        if let Some(inner) = self.operand(Op::Neg, b) {
            self.fire(Rule::SubNeg);
            return self.add(a, inner);
        }
        if self.is_ones(a) {
            self.fire(Rule::SubOnes);
            return self.not(b);
        }
        if let Some((p, q)) = self.operands(Op::Add, a) {
            if p == b || q == b {
                return self.fired_as(Rule::SubAdd, if p == b { q } else { p });
            }
            if self.is_const(p) {
                self.fire(Rule::SubPull);
                let rest = self.sub(q, b);
                return self.add(p, rest);
            }
        }
        if let Some((p, q)) = self.operands(Op::Add, b) {
            if p == a || q == a {
                self.fire(Rule::SubAdd);
                return self.neg(if p == a { q } else { p });
            }
            if self.is_const(p) {
                self.fire(Rule::SubPull);
                let minus = self.neg(p);
                if self.is_const(a) {
                    let difference = self.add(minus, a);
                    return self.sub(difference, q);
                }
                let rest = self.sub(a, q);
                return self.add(minus, rest);
            }
        }
        if let Some((p, q)) = self.operands(Op::Sub, a)
            && p == b
        {
            self.fire(Rule::SubAdd);
            return self.neg(q);
        }
        if let Some((p, q)) = self.operands(Op::Sub, b) {
            if p == a {
                return self.fired_as(Rule::SubAdd, q);
            }
            if self.is_const(p) {
                self.fire(Rule::SubPull);
                let minus = self.neg(p);
                let rest = self.add(a, q);
                return self.add(minus, rest);
            }
        }
        if let Some(rest) = self.remainder(a, b, true) {
            return rest;
        }
        if let Some(rest) = self.remainder(b, a, true) {
            self.fire(Rule::RemFromDiv);
            return self.neg(rest);
        }
        self.plain(Op::Sub, width, 0, &[a, b])
    }

    /// x + p or x - p, where p is the multiple of k that leaves a remainder of division by k: k * (y / k) = y - y % k.
    fn remainder(&mut self, x: Term, p: Term, is_difference: bool) -> Option<Term> {
        let (k, quotient) = self.with_const(Op::Mul, p)?;
        let is_signed = self.node(quotient).op == Op::Sdiv;
        let op = if is_signed { Op::Sdiv } else { Op::Udiv };
        let (y, by) = self.operands(op, quotient)?;
        if !self.is_const(by) {
            return None;
        }
        let is_minus = by != k;
        if is_minus && self.neg(by) != k {
            return None;
        }
        // What is added is y - y % k, or its opposite.
        let is_added = is_difference == is_minus;
        let same = if is_added {
            self.are_negatives(x, y)
        } else {
            x == y
        };
        if !same {
            return None;
        }
        self.fire(Rule::RemFromDiv);
        let rest = if is_signed {
            self.srem(y, by)
        } else {
            self.urem(y, by)
        };
        Some(if is_added { self.neg(rest) } else { rest })
    }

    /// Is one of the terms visibly the negative of the other one?
    fn are_negatives(&self, a: Term, b: Term) -> bool {
        self.operand(Op::Neg, a) == Some(b) || self.operand(Op::Neg, b) == Some(a)
    }

    /// Product modulo 2^w.
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        self.nested(|pool| pool.make_mul(a, b))
    }

    fn make_mul(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        let (a, b) = self.ordered(a, b);
        if !self.may_rewrite() {
            return self.plain(Op::Mul, width, 0, &[a, b]);
        }
        if width == 1 {
            self.fire(Rule::ArithBool);
            return self.and(a, b);
        }
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
            if let Some((k, x)) = self.with_const(Op::Mul, b) {
                self.fire(Rule::MulConsts);
                let product = self.plain(Op::Mul, width, 0, &[a, k]);
                return self.mul(product, x);
            }
            if let Some(x) = self.operand(Op::Neg, b) {
                self.fire(Rule::MulConsts);
                let minus = self.neg(a);
                return self.mul(minus, x);
            }
        }
        self.plain(Op::Mul, width, 0, &[a, b])
    }

    /// Unsigned quotient; x / 0 = ~0.
    pub fn udiv(&mut self, a: Term, b: Term) -> Term {
        self.nested(|pool| pool.make_udiv(a, b))
    }

    fn make_udiv(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if self.is_one(b) {
            return self.fired_as(Rule::DivOne, a);
        }
        if self.is_zero(b) {
            self.fire(Rule::DivZero);
            return self.ones(width);
        }
        if !self.may_rewrite() {
            return self.plain(Op::Udiv, width, 0, &[a, b]);
        }
        if let Some(power) = self.power_of_two(b) {
            self.fire(Rule::UdivPower);
            let amount = self.bv(width, power as u64);
            return self.lshr(a, amount);
        }
        if let Some(result) = self.divide_narrow(Op::Udiv, width, a, b) {
            return result;
        }
        if let (Some(k), Some((x, m))) = (self.as_const(b), self.operands(Op::Udiv, a)) {
            let product = self.as_const(m).and_then(|m| m.checked_mul(k));
            if let Some(product) = product.filter(|&p| p <= crate::semantics::mask(width) && p > 0)
            {
                self.fire(Rule::UdivUdiv);
                let product = self.bv(width, product);
                return self.udiv(x, product);
            }
        }
        self.plain(Op::Udiv, width, 0, &[a, b])
    }

    /// (zext x) / k and (zext x) % k with a constant k > 0 that fits x's width, in that width.
    fn divide_narrow(&mut self, op: Op, width: u32, a: Term, b: Term) -> Option<Term> {
        let x = self.operand(Op::Zext, a)?;
        let from = self.node(x).sort;
        if !self.is_const(b) || self.used_bits(b) > from {
            return None;
        }
        self.fire(Rule::DivNarrow);
        let k = self.extract(from - 1, 0, b);
        let narrow = match op {
            Op::Udiv => self.udiv(x, k),
            _ => self.urem(x, k),
        };
        Some(self.zext(width, narrow))
    }

    /// Signed quotient rounded to zero; x / 0 is 1 for negative x, else -1.
    pub fn sdiv(&mut self, a: Term, b: Term) -> Term {
        self.nested(|pool| pool.make_sdiv(a, b))
    }

    fn make_sdiv(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if width > 1 && self.is_one(b) {
            return self.fired_as(Rule::DivOne, a);
        }
        if self.may_rewrite() {
            if self.is_ones(b) {
                self.fire(Rule::SdivOnes);
                return self.neg(a);
            }
            if self.is_nonnegative(a) && self.is_nonnegative(b) {
                self.fire(Rule::SignedPositive);
                return self.udiv(a, b);
            }
        }
        self.plain(Op::Sdiv, width, 0, &[a, b])
    }

    /// Unsigned remainder; x % 0 = x.
    pub fn urem(&mut self, a: Term, b: Term) -> Term {
        self.nested(|pool| pool.make_urem(a, b))
    }

    fn make_urem(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if self.is_zero(b) {
            return self.fired_as(Rule::DivZero, a);
        }
        if a == b {
            self.fire(Rule::UremSelf);
            return self.zero(width);
        }
        if !self.may_rewrite() {
            return self.plain(Op::Urem, width, 0, &[a, b]);
        }
        if let Some(power) = self.power_of_two(b) {
            self.fire(Rule::UremPower);
            if power == 0 {
                return self.zero(width);
            }
            let low = self.extract(power - 1, 0, a);
            return self.zext(width, low);
        }
        if width <= 64 && self.interval(a).1 < self.interval(b).0 {
            return self.fired_as(Rule::UremSmall, a);
        }
        if let Some(result) = self.divide_narrow(Op::Urem, width, a, b) {
            return result;
        }
        self.plain(Op::Urem, width, 0, &[a, b])
    }

    /// Signed remainder with the sign of the dividend; x % 0 = x.
    pub fn srem(&mut self, a: Term, b: Term) -> Term {
        self.nested(|pool| pool.make_srem(a, b))
    }

    fn make_srem(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if a == b || self.is_one(b) || self.is_ones(b) {
            self.fire(Rule::SremOne);
            return self.zero(width);
        }
        if self.may_rewrite() && self.is_nonnegative(a) && self.is_nonnegative(b) {
            self.fire(Rule::SignedPositive);
            return self.urem(a, b);
        }
        self.plain(Op::Srem, width, 0, &[a, b])
    }
}
