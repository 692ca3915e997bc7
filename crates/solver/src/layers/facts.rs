//! Known bits with unsigned and signed intervals, from operands to results and back, for queries with products and divisions.
//!
//! The same contraction ([`crate::facts`]) as pass `facts` of a script's preprocessing, here only for a contradiction:
//! a product that cannot overflow within the path's bounds costs a SAT solver minutes, and two multiplications of
//! bounds here. So does the chain of divisions by ten that makes the digits of a number whose length the path fixes.
//!
//! Everything is asserted, so the refutation rests on all conditions. Other queries are left to `intervals`, whose
//! forward pass is cheaper, and to the circuits.

use crate::cx::Cx;
use crate::facts::contradict;
use crate::layer::Layer;
use crate::query::{Outcome, Query, Why};
use term::{Op, Pool, Sort, Term};

/// Queries with more terms are left to the circuits.
const MAX_TERMS: usize = 4000;

pub(crate) struct Facts;

impl Layer for Facts {
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        let mut conditions = query.slice.terms.to_vec();
        conditions.push(query.cond);
        let cone = cx.pool.cone(&conditions);
        let is_heavy = |t: &Term| is_product(cx.pool, *t) || is_division(cx.pool, *t);
        if cone.len() > MAX_TERMS || !cone.iter().any(is_heavy) {
            return Outcome::Unknown(Why::Incomplete);
        }
        if contradict(cx.pool, &conditions, cx.deadline) {
            Outcome::Unsat(query.slice.terms.to_vec())
        } else {
            Outcome::Unknown(Why::Incomplete)
        }
    }
}

/// A product or quotient of two terms that facts are kept about.
fn is_product(pool: &Pool, t: Term) -> bool {
    matches!(pool.sort(t), Sort::BitVec(1..=64))
        && matches!(
            pool.op(t),
            Op::Mul | Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem
        )
        && !pool.children(t).iter().any(|&k| pool.is_const(k))
}

/// A division by anything of more bits than a small circuit takes.
fn is_division(pool: &Pool, t: Term) -> bool {
    matches!(pool.sort(t), Sort::BitVec(17..=64))
        && matches!(pool.op(t), Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem)
}
