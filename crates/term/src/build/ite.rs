//! If-then-else over any sort.

use crate::node::{Node, Op, Term};
use crate::pool::Pool;
use crate::rules::Rule;
use crate::sort::Sort;

impl Pool {
    /// `t` when `c` (of width 1) is 1, else `e`.
    pub fn ite(&mut self, c: Term, t: Term, e: Term) -> Term {
        self.nested(|pool| pool.make_ite(c, t, e))
    }

    fn make_ite(&mut self, c: Term, t: Term, e: Term) -> Term {
        debug_assert_eq!(self.width(c), 1);
        debug_assert_eq!(self.sort(t), self.sort(e));
        if t == e {
            return self.fired_as(Rule::IteSame, t);
        }
        if let Some(value) = self.as_const(c) {
            return self.fired_as(Rule::IteConst, if value == 1 { t } else { e });
        }
        if let Some(inner) = self.negated(c) {
            self.fire(Rule::IteNot);
            return self.ite(inner, e, t);
        }
        let sort = self.node(t).sort;
        if self.may_rewrite() {
            let result = match self.ite_nested(c, t, e) {
                Some(result) => Some(result),
                None if sort == 1 => self.ite_bool(c, t, e),
                None if sort <= Sort::MAX_WIDTH => self.ite_vector(sort, c, t, e),
                None => None,
            };
            if let Some(result) = result {
                return result;
            }
        }
        self.intern(Node::new(Op::Ite, sort, &[c, t, e]))
    }

    /// A branch that is itself a choice.
    fn ite_nested(&mut self, c: Term, t: Term, e: Term) -> Option<Term> {
        if let Some([d, a, b]) = self.choice(t) {
            if d == c {
                self.fire(Rule::IteIte);
                return Some(self.ite(c, a, e));
            }
            if b == e || a == e {
                self.fire(Rule::IteMerge);
                let (d, other) = if b == e { (d, a) } else { (self.not(d), b) };
                let both = self.and(c, d);
                return Some(self.ite(both, other, e));
            }
        }
        if let Some([d, a, b]) = self.choice(e) {
            if d == c {
                self.fire(Rule::IteIte);
                return Some(self.ite(c, t, b));
            }
            if a == t || b == t {
                self.fire(Rule::IteMerge);
                let (d, other) = if a == t { (d, b) } else { (self.not(d), a) };
                let either = self.or(c, d);
                return Some(self.ite(either, t, other));
            }
        }
        if let Some((x, y)) = self.operands(Op::Eq, c)
            && ((x, y) == (t, e) || (y, x) == (t, e))
        {
            return Some(self.fired_as(Rule::IteEq, e));
        }
        None
    }

    fn choice(&self, t: Term) -> Option<[Term; 3]> {
        let node = self.node(t);
        (node.op == Op::Ite).then_some(node.kids)
    }

    /// Choices of width 1 that are connectives.
    fn ite_bool(&mut self, c: Term, t: Term, e: Term) -> Option<Term> {
        let same_as_c = |x: Term| x == c;
        if self.as_const(t) == Some(1) || same_as_c(t) {
            self.fire(Rule::IteBool);
            return Some(self.or(c, e));
        }
        if self.as_const(e) == Some(0) || same_as_c(e) {
            self.fire(Rule::IteBool);
            return Some(self.and(c, t));
        }
        if self.as_const(t) == Some(0) || self.are_opposite(t, c) {
            self.fire(Rule::IteBool);
            let not_c = self.not(c);
            return Some(self.and(not_c, e));
        }
        if self.as_const(e) == Some(1) || self.are_opposite(e, c) {
            self.fire(Rule::IteBool);
            let not_c = self.not(c);
            return Some(self.or(not_c, t));
        }
        if self.are_opposite(t, e) {
            self.fire(Rule::IteXor);
            return Some(self.xor(c, e));
        }
        None
    }

    /// Choices of bit-vectors that are extensions, or have a common part.
    fn ite_vector(&mut self, width: u32, c: Term, t: Term, e: Term) -> Option<Term> {
        if self.is_const(t) && self.is_const(e) {
            if self.is_zero(t) && (self.is_one(e) || self.is_ones(e)) {
                self.fire(Rule::IteExtend);
                let not_c = self.not(c);
                return Some(if self.is_one(e) {
                    self.zext(width, not_c)
                } else {
                    self.sext(width, not_c)
                });
            }
            if self.is_zero(e) && (self.is_one(t) || self.is_ones(t)) {
                self.fire(Rule::IteExtend);
                return Some(if self.is_one(t) {
                    self.zext(width, c)
                } else {
                    self.sext(width, c)
                });
            }
            return None;
        }
        if !self.may_branch() {
            return None;
        }
        let (x, y) = (*self.node(t), *self.node(e));
        if x.op == Op::Zext || y.op == Op::Zext {
            // The width of what is extended; the other side must fit, too.
            let from = match (x.op, y.op) {
                (Op::Zext, Op::Zext) => x.aux.max(y.aux),
                (Op::Zext, _) => x.aux,
                _ => y.aux,
            };
            let fits = |pool: &Pool, u: Term, op: Op| {
                op == Op::Zext || pool.is_const(u) && pool.used_bits(u) <= from
            };
            if fits(self, t, x.op) && fits(self, e, y.op) {
                self.fire(Rule::IteNarrow);
                let yes = self.extract(from - 1, 0, t);
                let no = self.extract(from - 1, 0, e);
                let narrow = self.ite(c, yes, no);
                return Some(self.zext(width, narrow));
            }
        }
        if x.op == Op::Sext && y.op == Op::Sext && x.aux == y.aux {
            self.fire(Rule::IteNarrow);
            let narrow = self.ite(c, x.kids[0], y.kids[0]);
            return Some(self.sext(width, narrow));
        }
        if x.op == Op::Concat && y.op == Op::Concat && x.aux == y.aux {
            if x.kids[0] == y.kids[0] {
                self.fire(Rule::IteShared);
                let low = self.ite(c, x.kids[1], y.kids[1]);
                return Some(self.concat(x.kids[0], low));
            }
            if x.kids[1] == y.kids[1] {
                self.fire(Rule::IteShared);
                let high = self.ite(c, x.kids[0], y.kids[0]);
                return Some(self.concat(high, x.kids[1]));
            }
        }
        None
    }
}
