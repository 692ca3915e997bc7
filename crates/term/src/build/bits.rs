//! Bitwise operators and shifts.

use crate::node::{Op, Term};
use crate::pool::Pool;
use crate::rules::Rule;

impl Pool {
    /// Bitwise complement; negation of a truth value.
    pub fn not(&mut self, a: Term) -> Term {
        let width = self.same_width(a, a);
        if let Some(inner) = self.negated(a) {
            self.fire(Rule::NotNot);
            return inner;
        }
        self.plain(Op::Not, width, 0, &[a])
    }

    /// Bitwise and; conjunction of truth values.
    pub fn and(&mut self, a: Term, b: Term) -> Term {
        self.bitwise(Op::And, a, b)
    }

    /// Bitwise or; disjunction of truth values.
    pub fn or(&mut self, a: Term, b: Term) -> Term {
        self.bitwise(Op::Or, a, b)
    }

    /// Bitwise exclusive or.
    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        self.bitwise(Op::Xor, a, b)
    }

    /// Implication of truth values: ~a | b.
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not_a = self.not(a);
        self.or(not_a, b)
    }

    fn bitwise(&mut self, op: Op, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        let (a, b) = self.ordered(a, b);
        if a == b {
            self.fire(Rule::BitSelf);
            return if op == Op::Xor { self.zero(width) } else { a };
        }
        if self.are_opposite(a, b) {
            self.fire(Rule::BitOpposite);
            return if op == Op::And {
                self.zero(width)
            } else {
                self.ones(width)
            };
        }
        if self.is_const(a) {
            let (zero, ones) = (self.is_zero(a), self.is_ones(a));
            match op {
                Op::And if ones => return self.fired_as(Rule::BitIdentity, b),
                Op::Or | Op::Xor if zero => return self.fired_as(Rule::BitIdentity, b),
                Op::And if zero => return self.fired_as(Rule::BitAbsorbing, a),
                Op::Or if ones => return self.fired_as(Rule::BitAbsorbing, a),
                Op::Xor if ones => {
                    self.fire(Rule::XorOnes);
                    return self.not(b);
                }
                _ => {}
            }
            if self.op(b) == op && self.is_const(self.child(b, 0)) {
                self.fire(Rule::BitConsts);
                let (inner, rest) = (self.child(b, 0), self.child(b, 1));
                let both = self.plain(op, width, 0, &[a, inner]);
                return self.bitwise(op, both, rest);
            }
        }
        self.plain(op, width, 0, &[a, b])
    }

    /// Counts `rule` and gives `result`.
    #[inline]
    pub(crate) fn fired_as(&mut self, rule: Rule, result: Term) -> Term {
        self.fire(rule);
        result
    }

    /// The shift amount when it is constant, at most the width.
    fn amount(&self, b: Term) -> Option<u32> {
        let width = self.node(b).sort;
        if let Some(value) = self.as_const(b) {
            return Some(value.min(width as u64) as u32);
        }
        let limbs = self.as_const_wide(b)?;
        let large = limbs[1..].iter().any(|&limb| limb != 0) || limbs[0] >= width as u64;
        Some(if large { width } else { limbs[0] as u32 })
    }

    /// Left shift; 0 when the amount is the width or more.
    pub fn shl(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        match self.amount(b) {
            Some(0) => self.fired_as(Rule::ShiftZero, a),
            Some(amount) => {
                self.fire(Rule::ShlConst);
                if amount == width {
                    return self.zero(width);
                }
                let high = self.extract(width - amount - 1, 0, a);
                let low = self.zero(amount);
                self.concat(high, low)
            }
            None => self.plain(Op::Shl, width, 0, &[a, b]),
        }
    }

    /// Logical right shift; 0 when the amount is the width or more.
    pub fn lshr(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        match self.amount(b) {
            Some(0) => self.fired_as(Rule::ShiftZero, a),
            Some(amount) => {
                self.fire(Rule::LshrConst);
                if amount == width {
                    return self.zero(width);
                }
                let high = self.extract(width - 1, amount, a);
                self.zext(width, high)
            }
            None => self.plain(Op::Lshr, width, 0, &[a, b]),
        }
    }

    /// Arithmetic right shift; the sign everywhere when the amount is the width or more.
    pub fn ashr(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        match self.amount(b) {
            Some(0) => self.fired_as(Rule::ShiftZero, a),
            Some(amount) => {
                self.fire(Rule::AshrConst);
                let high = self.extract(width - 1, amount.min(width - 1), a);
                self.sext(width, high)
            }
            None => self.plain(Op::Ashr, width, 0, &[a, b]),
        }
    }
}
