//! Bitwise operators and shifts.

use super::ones_at_bottom;
use crate::node::{Op, Term};
use crate::pool::Pool;
use crate::rules::Rule;
use crate::semantics::mask;

impl Pool {
    /// Bitwise complement; negation of a truth value.
    pub fn not(&mut self, a: Term) -> Term {
        self.nested(|pool| pool.make_not(a))
    }

    fn make_not(&mut self, a: Term) -> Term {
        let width = self.same_width(a, a);
        if let Some(inner) = self.negated(a) {
            return self.fired_as(Rule::NotNot, inner);
        }
        if !self.may_rewrite() {
            return self.plain(Op::Not, width, 0, &[a]);
        }
        if let Some(inner) = self.operand(Op::Neg, a) {
            self.fire(Rule::NotNeg);
            let minus_one = self.ones(width);
            return self.add(minus_one, inner);
        }
        if let Some((k, x)) = self.with_const(Op::Xor, a) {
            self.fire(Rule::NotXor);
            let k = self.not(k);
            return self.xor(k, x);
        }
        if let Some(x) = self.operand(Op::Sext, a) {
            self.fire(Rule::NotSext);
            let x = self.not(x);
            return self.sext(width, x);
        }
        if let Some((x, y)) = self.operands(Op::Concat, a) {
            self.fire(Rule::NotConcat);
            let (x, y) = (self.not(x), self.not(y));
            return self.concat(x, y);
        }
        self.plain(Op::Not, width, 0, &[a])
    }

    /// Bitwise and; conjunction of truth values.
    pub fn and(&mut self, a: Term, b: Term) -> Term {
        self.nested(|pool| pool.bitwise(Op::And, a, b))
    }

    /// Bitwise or; disjunction of truth values.
    pub fn or(&mut self, a: Term, b: Term) -> Term {
        self.nested(|pool| pool.bitwise(Op::Or, a, b))
    }

    /// Bitwise exclusive or.
    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        self.nested(|pool| pool.bitwise(Op::Xor, a, b))
    }

    /// Implication of truth values: ~a | b.
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not_a = self.not(a);
        self.or(not_a, b)
    }

    fn again(&mut self, op: Op, a: Term, b: Term) -> Term {
        self.nested(|pool| pool.bitwise(op, a, b))
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
        if !self.may_rewrite() {
            return self.plain(op, width, 0, &[a, b]);
        }
        if self.is_const(a) {
            if let Some(result) = self.bitwise_const(op, width, a, b) {
                return result;
            }
        } else if let Some(result) = self.absorbed(op, width, a, b) {
            return result;
        }
        if op != Op::And
            && let Some(result) = self.joined(Rule::OrJoin, a, b)
        {
            return result;
        }
        self.plain(op, width, 0, &[a, b])
    }

    /// Rules for a constant first operand.
    fn bitwise_const(&mut self, op: Op, width: u32, k: Term, x: Term) -> Option<Term> {
        let (zero, ones) = (self.is_zero(k), self.is_ones(k));
        match op {
            Op::And if ones => return Some(self.fired_as(Rule::BitIdentity, x)),
            Op::Or | Op::Xor if zero => return Some(self.fired_as(Rule::BitIdentity, x)),
            Op::And if zero => return Some(self.fired_as(Rule::BitAbsorbing, k)),
            Op::Or if ones => return Some(self.fired_as(Rule::BitAbsorbing, k)),
            Op::Xor if ones => {
                self.fire(Rule::XorOnes);
                return Some(self.not(x));
            }
            _ => {}
        }
        if self.is_const(x) {
            return None;
        }
        if let Some((inner, rest)) = self.with_const(op, x) {
            self.fire(Rule::BitConsts);
            let both = self.plain(op, width, 0, &[k, inner]);
            return Some(self.again(op, both, rest));
        }
        if let (Op::Xor, Some(inner)) = (op, self.negated(x)) {
            self.fire(Rule::XorNot);
            let k = self.not(k);
            return Some(self.xor(k, inner));
        }
        if let (Op::And, Some(limbs)) = (op, self.as_const_wide(k)) {
            let low = ones_at_bottom(limbs)?;
            self.fire(Rule::MaskRun);
            let field = self.extract(low - 1, 0, x);
            return Some(self.zext(width, field));
        }
        let value = self.as_const(k)?;
        let (zeros, known_ones) = self.known_bits(x);
        match op {
            Op::And => {
                let needed = value & !zeros;
                if needed == mask(width) & !zeros {
                    return Some(self.fired_as(Rule::MaskCovers, x));
                }
                let shift = needed.trailing_zeros();
                let run = needed.checked_shr(shift).unwrap_or(0);
                if needed != 0 && run & (run + 1) == 0 {
                    self.fire(Rule::MaskRun);
                    let top = shift + run.trailing_ones() - 1;
                    let field = self.extract(top, shift, x);
                    let low = if shift > 0 {
                        let zero = self.zero(shift);
                        self.concat(field, zero)
                    } else {
                        field
                    };
                    return Some(self.zext(width, low));
                }
                if needed != value && needed != 0 {
                    self.fire(Rule::MaskTrim);
                    let needed = self.bv(width, needed);
                    return Some(self.and(needed, x));
                }
            }
            Op::Or if value & !known_ones == 0 => {
                return Some(self.fired_as(Rule::MaskCovers, x));
            }
            _ => {}
        }
        None
    }

    /// Rules for an operand that occurs, plain or complemented, in the other one.
    fn absorbed(&mut self, op: Op, width: u32, a: Term, b: Term) -> Option<Term> {
        let dual = match op {
            Op::And => Op::Or,
            Op::Or => Op::And,
            _ => Op::None,
        };
        for (x, y) in [(a, b), (b, a)] {
            if let Some((p, q)) = self.operands(op, y) {
                if x == p || x == q {
                    self.fire(Rule::Absorb);
                    let other = if x == p { q } else { p };
                    return Some(if op == Op::Xor { other } else { y });
                }
                if op != Op::Xor && (self.are_opposite(x, p) || self.are_opposite(x, q)) {
                    self.fire(Rule::AbsorbOpposite);
                    return Some(if op == Op::And {
                        self.zero(width)
                    } else {
                        self.ones(width)
                    });
                }
                if self.is_const(p) {
                    // The constant moves out, where it can meet others.
                    self.fire(Rule::BitPull);
                    let rest = self.again(op, x, q);
                    return Some(self.again(op, p, rest));
                }
            }
            if let Some((p, q)) = self.operands(dual, y) {
                if x == p || x == q {
                    return Some(self.fired_as(Rule::Absorb, x));
                }
                for (inner, other) in [(p, q), (q, p)] {
                    if self.are_opposite(x, inner) {
                        self.fire(Rule::AbsorbOpposite);
                        return Some(self.again(op, x, other));
                    }
                }
            }
            if let (Op::Xor, Some(inner)) = (op, self.negated(x)) {
                self.fire(Rule::XorNot);
                let differ = self.xor(inner, y);
                return Some(self.not(differ));
            }
        }
        if width == 1 && op == Op::And {
            return self.exclusive(a, b).or_else(|| self.neither(a, b));
        }
        if width == 1 && op == Op::Or {
            return self.either(a, b);
        }
        None
    }

    /// x != y & !(x < y) is y < x.
    fn neither(&mut self, a: Term, b: Term) -> Option<Term> {
        let (a, b) = (self.negated(a)?, self.negated(b)?);
        let (op, x, y) = self.less_or_equal(a, b)?;
        self.fire(Rule::LessOrEqual);
        Some(self.less(op, y, x))
    }

    /// x = y | x < y is !(y < x).
    fn either(&mut self, a: Term, b: Term) -> Option<Term> {
        let (op, x, y) = self.less_or_equal(a, b)?;
        self.fire(Rule::LessOrEqual);
        let greater = self.less(op, y, x);
        Some(self.not(greater))
    }

    /// The comparison x < y, signed or not, where the other term is x = y.
    fn less_or_equal(&mut self, a: Term, b: Term) -> Option<(Op, Term, Term)> {
        for (equal, less) in [(a, b), (b, a)] {
            let op = self.node(less).op;
            if self.node(equal).op != Op::Eq || !matches!(op, Op::Ult | Op::Slt) {
                continue;
            }
            // The equality can have been rewritten: -x = k as x = -k.
            let (x, y) = self.operands(op, less)?;
            if self.eq(x, y) == equal {
                return Some((op, x, y));
            }
        }
        None
    }

    fn less(&mut self, op: Op, x: Term, y: Term) -> Term {
        match op {
            Op::Ult => self.ult(x, y),
            _ => self.slt(x, y),
        }
    }

    /// x = k & x = m is false; x = k & x != m is x = k, for constants k != m.
    fn exclusive(&mut self, a: Term, b: Term) -> Option<Term> {
        for (p, q) in [(a, b), (b, a)] {
            let Some((k, x)) = self.with_const(Op::Eq, p) else {
                continue;
            };
            if let Some((m, y)) = self.with_const(Op::Eq, q)
                && x == y
                && k != m
            {
                return Some(self.fired_as(Rule::EqExclusive, Term::FALSE));
            }
            let other = self.negated(q).and_then(|q| self.with_const(Op::Eq, q));
            if other.is_some_and(|(m, y)| x == y && k != m) {
                return Some(self.fired_as(Rule::EqExclusive, p));
            }
        }
        None
    }

    /// x op y → high part of x : low part of y, for op in or, xor, add, when y is 0 from some bit
    /// on and x is 0 below it.
    pub(crate) fn joined(&mut self, rule: Rule, a: Term, b: Term) -> Option<Term> {
        let width = self.node(a).sort;
        if width <= 64 && (self.info[a.at()].zeros | self.info[b.at()].zeros) & 1 == 0 {
            return None;
        }
        for (x, y) in [(a, b), (b, a)] {
            let split = self.used_bits(y);
            if split == 0 || split >= width || self.low_zeros(x) < split {
                continue;
            }
            self.fire(rule);
            let high = self.extract(width - 1, split, x);
            let low = self.extract(split - 1, 0, y);
            return Some(self.concat(high, low));
        }
        None
    }

    /// Counts `rule` and gives `result`.
    #[inline]
    pub(crate) fn fired_as(&mut self, rule: Rule, result: Term) -> Term {
        self.fire(rule);
        result
    }

    /// The shift amount when it is constant or surely too large, at most the width.
    fn amount(&self, b: Term) -> Option<u32> {
        let width = self.node(b).sort;
        if let Some(value) = self.as_const(b) {
            return Some(value.min(width as u64) as u32);
        }
        if width <= 64 {
            return (self.interval(b).0 >= width as u64).then_some(width);
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
            None if self.is_zero(a) => self.fired_as(Rule::ZeroShifted, a),
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
            None if self.is_zero(a) => self.fired_as(Rule::ZeroShifted, a),
            None => self.plain(Op::Lshr, width, 0, &[a, b]),
        }
    }

    /// Arithmetic right shift; the sign everywhere when the amount is the width or more.
    pub fn ashr(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if self.is_nonnegative(a) {
            self.fire(Rule::AshrPositive);
            return self.lshr(a, b);
        }
        match self.amount(b) {
            Some(0) => self.fired_as(Rule::ShiftZero, a),
            Some(amount) => {
                self.fire(Rule::AshrConst);
                let high = self.extract(width - 1, amount.min(width - 1), a);
                self.sext(width, high)
            }
            None if self.is_ones(a) => self.fired_as(Rule::ZeroShifted, a),
            None => self.plain(Op::Ashr, width, 0, &[a, b]),
        }
    }
}
