//! If-then-else over any sort.

use crate::node::{Node, Op, Term};
use crate::pool::Pool;
use crate::rules::Rule;

impl Pool {
    /// `t` when `c` (of width 1) is 1, else `e`.
    pub fn ite(&mut self, c: Term, t: Term, e: Term) -> Term {
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
        if sort == 1 && (self.is_const(t) || self.is_const(e)) {
            self.fire(Rule::IteBool);
            return match (self.as_const(t), self.as_const(e)) {
                (Some(1), Some(_)) => c,
                (Some(_), Some(_)) => self.not(c),
                (Some(1), None) => self.or(c, e),
                (Some(_), None) => {
                    let not_c = self.not(c);
                    self.and(not_c, e)
                }
                (None, Some(0)) => self.and(c, t),
                (None, _) => {
                    let not_c = self.not(c);
                    self.or(not_c, t)
                }
            };
        }
        self.intern(Node::new(Op::Ite, sort, &[c, t, e]))
    }
}
