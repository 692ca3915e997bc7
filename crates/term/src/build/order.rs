//! The orders: unsigned and signed less-than, and the comparisons made of them.

use crate::node::{Op, Term};
use crate::pool::Pool;
use crate::rules::Rule;
use crate::semantics::mask;

impl Pool {
    /// Unsigned a < b.
    pub fn ult(&mut self, a: Term, b: Term) -> Term {
        self.nested(|pool| pool.make_ult(a, b))
    }

    /// Signed a < b.
    pub fn slt(&mut self, a: Term, b: Term) -> Term {
        self.nested(|pool| pool.make_slt(a, b))
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

    fn make_ult(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if a == b {
            return self.fired_as(Rule::CompareSelf, Term::FALSE);
        }
        let (left, right) = (self.is_const(a), self.is_const(b));
        if left && right || !self.may_rewrite() {
            return self.plain(Op::Ult, 1, width, &[a, b]);
        }
        if width == 1 {
            self.fire(Rule::CompareBool);
            let not_a = self.not(a);
            return self.and(not_a, b);
        }
        if self.is_zero(b) || self.is_ones(a) {
            return self.fired_as(Rule::CompareEnds, Term::FALSE);
        }
        let result = match self.ult_ends(width, a, b) {
            Some(result) => Some(result),
            None if left => self.ult_const_left(width, a, b),
            None if right => self.ult_const_right(width, a, b),
            None => self.order_same(Op::Ult, a, b),
        };
        result.unwrap_or_else(|| self.plain(Op::Ult, 1, width, &[a, b]))
    }

    /// A comparison that only one value, or all but one, of an operand satisfies.
    fn ult_ends(&mut self, width: u32, a: Term, b: Term) -> Option<Term> {
        if width > 64 {
            if self.is_zero(a) {
                self.fire(Rule::UltEnds);
                return Some(self.ne(a, b));
            }
            if self.is_one(b) {
                self.fire(Rule::UltEnds);
                let zero = self.zero(width);
                return Some(self.eq(zero, a));
            }
            return None;
        }
        let ((a_lo, a_hi), (b_lo, b_hi)) = (self.interval(a), self.interval(b));
        if a_hi < b_lo || a_lo >= b_hi {
            return None; // decided
        }
        if b_lo == b_hi {
            if b_hi == a_lo + 1 {
                self.fire(Rule::UltEnds);
                let least = self.bv(width, a_lo);
                return Some(self.eq(least, a));
            }
            if b_hi == a_hi {
                self.fire(Rule::UltEnds);
                return Some(self.ne(b, a));
            }
        }
        if a_lo == a_hi {
            if b_hi == a_lo + 1 {
                self.fire(Rule::UltEnds);
                let most = self.bv(width, b_hi);
                return Some(self.eq(most, b));
            }
            if b_lo == a_lo {
                self.fire(Rule::UltEnds);
                return Some(self.ne(a, b));
            }
        }
        None
    }

    /// t < k for a constant k.
    fn ult_const_right(&mut self, width: u32, t: Term, k: Term) -> Option<Term> {
        let node = *self.node(t);
        let [x, y, z] = node.kids;
        match node.op {
            Op::Zext => {
                if self.used_bits(k) > node.aux {
                    return Some(self.fired_as(Rule::UltExtend, Term::TRUE));
                }
                self.fire(Rule::UltExtend);
                let k = self.extract(node.aux - 1, 0, k);
                Some(self.ult(x, k))
            }
            Op::Sext => {
                self.fire(Rule::UltExtend);
                let low = self.extract(node.aux - 1, 0, k);
                if self.sext(width, low) == k {
                    return Some(self.ult(x, low));
                }
                // k lies between the non-negative and the negative values.
                let sign = self.sign_bit(x);
                Some(self.not(sign))
            }
            Op::Concat => {
                let low = self.extract(node.aux - 1, 0, k);
                let high = self.extract(width - 1, node.aux, k);
                if self.is_zero(low) {
                    self.fire(Rule::UltConcat);
                    return Some(self.ult(x, high));
                }
                if x == high {
                    self.fire(Rule::UltConcat);
                    return Some(self.ult(y, low));
                }
                // A constant low part only decides ties.
                if self.is_const(y) {
                    self.fire(Rule::UltConcat);
                    let tie = self.ult(y, low) == Term::TRUE;
                    return Some(if tie {
                        self.ule(x, high)
                    } else {
                        self.ult(x, high)
                    });
                }
                None
            }
            Op::Not => {
                self.fire(Rule::UltNot);
                let k = self.not(k);
                Some(self.ult(k, x))
            }
            Op::Add => {
                let shift = self.no_wrap(width, x, y)?;
                let bound = self
                    .as_const(k)?
                    .checked_sub(shift.0)
                    .map(|bound| bound.wrapping_add(shift.1));
                self.fire(Rule::UltShift);
                Some(match bound {
                    Some(bound) if bound <= mask(width) && (shift.1 == 0 || bound >= shift.1) => {
                        let bound = self.bv(width, bound);
                        self.ult(y, bound)
                    }
                    Some(_) => Term::TRUE,
                    None => Term::FALSE,
                })
            }
            Op::Ite => self.order_choice(Op::Ult, true, [x, y, z], k),
            _ => None,
        }
    }

    /// k < t for a constant k.
    fn ult_const_left(&mut self, width: u32, k: Term, t: Term) -> Option<Term> {
        let node = *self.node(t);
        let [x, y, z] = node.kids;
        match node.op {
            Op::Zext => {
                if self.used_bits(k) > node.aux {
                    return Some(self.fired_as(Rule::UltExtend, Term::FALSE));
                }
                self.fire(Rule::UltExtend);
                let k = self.extract(node.aux - 1, 0, k);
                Some(self.ult(k, x))
            }
            Op::Sext => {
                self.fire(Rule::UltExtend);
                let low = self.extract(node.aux - 1, 0, k);
                if self.sext(width, low) == k {
                    return Some(self.ult(low, x));
                }
                Some(self.sign_bit(x))
            }
            Op::Concat => {
                let low = self.extract(node.aux - 1, 0, k);
                let high = self.extract(width - 1, node.aux, k);
                if self.is_ones(low) {
                    self.fire(Rule::UltConcat);
                    return Some(self.ult(high, x));
                }
                if x == high {
                    self.fire(Rule::UltConcat);
                    return Some(self.ult(low, y));
                }
                if self.is_const(y) {
                    self.fire(Rule::UltConcat);
                    let tie = self.ult(low, y) == Term::TRUE;
                    return Some(if tie {
                        self.ule(high, x)
                    } else {
                        self.ult(high, x)
                    });
                }
                None
            }
            Op::Not => {
                self.fire(Rule::UltNot);
                let k = self.not(k);
                Some(self.ult(x, k))
            }
            Op::Add => {
                let shift = self.no_wrap(width, x, y)?;
                let bound = self
                    .as_const(k)?
                    .checked_sub(shift.0)
                    .map(|bound| bound.wrapping_add(shift.1));
                self.fire(Rule::UltShift);
                Some(match bound {
                    Some(bound) if bound <= mask(width) && (shift.1 == 0 || bound >= shift.1) => {
                        let bound = self.bv(width, bound);
                        self.ult(bound, y)
                    }
                    Some(_) => Term::FALSE,
                    None => Term::TRUE,
                })
            }
            Op::Ite => self.order_choice(Op::Ult, false, [x, y, z], k),
            _ => None,
        }
    }

    /// How k + x relates to x when its interval tells: (s, 0) when it is always x + s, (0, s) when
    /// it is always x - s.
    fn no_wrap(&self, width: u32, k: Term, x: Term) -> Option<(u64, u64)> {
        let k = self.as_const(k)?;
        let (lo, hi) = self.interval(x);
        let all = mask(width);
        if hi <= all - k {
            return Some((k, 0));
        }
        (lo > all - k).then(|| (0, k.wrapping_neg() & all))
    }

    /// A comparison of ite(c, t, e) with a constant `k`, where a branch is constant.
    fn order_choice(
        &mut self,
        op: Op,
        choice_first: bool,
        choice: [Term; 3],
        k: Term,
    ) -> Option<Term> {
        let [c, t, e] = choice;
        if !self.is_const(t) && !self.is_const(e) {
            return None;
        }
        self.fire(Rule::OrderChoice);
        let mut compare = |x: Term| match (op, choice_first) {
            (Op::Ult, true) => self.ult(x, k),
            (Op::Ult, false) => self.ult(k, x),
            (_, true) => self.slt(x, k),
            (_, false) => self.slt(k, x),
        };
        let (yes, no) = (compare(t), compare(e));
        Some(self.ite(c, yes, no))
    }

    /// Comparisons of two terms with the same operator.
    fn order_same(&mut self, op: Op, a: Term, b: Term) -> Option<Term> {
        let (left, right) = (*self.node(a), *self.node(b));
        if left.op != right.op {
            return None;
        }
        let [x, y, _] = left.kids;
        let [p, q, _] = right.kids;
        match left.op {
            Op::Zext | Op::Sext => {
                self.fire(Rule::OrderSame);
                let to = left.aux.max(right.aux);
                let (x, p) = if left.op == Op::Zext {
                    (self.zext(to, x), self.zext(to, p))
                } else {
                    (self.sext(to, x), self.sext(to, p))
                };
                // A signed comparison of zero-extended terms has become an unsigned one before.
                Some(if op == Op::Ult {
                    self.ult(x, p)
                } else {
                    self.slt(x, p)
                })
            }
            Op::Not => {
                self.fire(Rule::OrderSame);
                Some(if op == Op::Ult {
                    self.ult(p, x)
                } else {
                    self.slt(p, x)
                })
            }
            Op::Concat if left.aux == right.aux && x == p => {
                self.fire(Rule::OrderSame);
                Some(self.ult(y, q))
            }
            Op::Concat if left.aux == right.aux && y == q => {
                self.fire(Rule::OrderSame);
                Some(if op == Op::Ult {
                    self.ult(x, p)
                } else {
                    self.slt(x, p)
                })
            }
            _ => None,
        }
    }

    fn make_slt(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if a == b {
            return self.fired_as(Rule::CompareSelf, Term::FALSE);
        }
        let (left, right) = (self.is_const(a), self.is_const(b));
        if left && right || !self.may_rewrite() {
            return self.plain(Op::Slt, 1, width, &[a, b]);
        }
        if width == 1 {
            self.fire(Rule::CompareBool);
            let not_b = self.not(b);
            return self.and(a, not_b);
        }
        let signs = (
            self.is_nonnegative(a),
            self.is_negative(a),
            self.is_nonnegative(b),
            self.is_negative(b),
        );
        if let (true, _, true, _) | (_, true, _, true) = signs {
            self.fire(Rule::SltUnsigned);
            return self.ult(a, b);
        }
        if let (true, _, _, true) | (_, true, true, _) = signs {
            self.fire(Rule::SltSigns);
            return self.bool(signs.1);
        }
        if self.is_zero(b) {
            self.fire(Rule::SltZero);
            return self.sign_bit(a);
        }
        if self.is_ones(a) {
            self.fire(Rule::SltZero);
            let sign = self.sign_bit(b);
            return self.not(sign);
        }
        let result = if left {
            self.slt_const(width, false, b, a)
        } else if right {
            self.slt_const(width, true, a, b)
        } else {
            self.order_same(Op::Slt, a, b)
        };
        result.unwrap_or_else(|| self.plain(Op::Slt, 1, width, &[a, b]))
    }

    /// t < k or k < t, signed, for a constant k; `first` tells which.
    fn slt_const(&mut self, width: u32, first: bool, t: Term, k: Term) -> Option<Term> {
        let node = *self.node(t);
        let [x, y, z] = node.kids;
        let compare = |pool: &mut Pool, x: Term, k: Term| {
            if first {
                pool.slt(x, k)
            } else {
                pool.slt(k, x)
            }
        };
        match node.op {
            Op::Sext => {
                self.fire(Rule::SltExtend);
                let low = self.extract(node.aux - 1, 0, k);
                if self.sext(width, low) == k {
                    return Some(compare(self, x, low));
                }
                // k is above or below all values of the operand.
                let above = !self.is_negative(k);
                Some(self.bool(first == above))
            }
            Op::Concat => {
                let low = self.extract(node.aux - 1, 0, k);
                let high = self.extract(width - 1, node.aux, k);
                if first && self.is_zero(low) || !first && self.is_ones(low) {
                    self.fire(Rule::SltConcat);
                    return Some(compare(self, x, high));
                }
                if x == high {
                    self.fire(Rule::SltConcat);
                    return Some(if first {
                        self.ult(y, low)
                    } else {
                        self.ult(low, y)
                    });
                }
                None
            }
            Op::Not => {
                self.fire(Rule::SltNot);
                let k = self.not(k);
                Some(if first {
                    self.slt(k, x)
                } else {
                    self.slt(x, k)
                })
            }
            Op::Ite => self.order_choice(Op::Slt, first, [x, y, z], k),
            _ => {
                // t < min + 1, max - 1 < t.
                let one = self.bv(width, 1);
                let end = if first {
                    self.sub(k, one)
                } else {
                    self.add(k, one)
                };
                let sign = self.sign_bit(end);
                let rest = self.extract(width - 2, 0, end);
                let at_end = if first {
                    sign == Term::TRUE && self.is_zero(rest)
                } else {
                    sign == Term::FALSE && self.is_ones(rest)
                };
                at_end.then(|| {
                    self.fire(Rule::SltEnds);
                    self.eq(end, t)
                })
            }
        }
    }
}
