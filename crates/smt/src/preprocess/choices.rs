//! Pass `choices`: an operation that both branches of an if-then-else have in common is done once.
//!
//! `ite(c, op(x, y), op(x, z))` becomes `op(x, ite(c, y, z))`; a product, quotient, remainder or shift comes out
//! of both branches even when no operand is shared, since choosing operands is cheaper than a second circuit. `ite(c, x,
//! y) = ite(c, u, v)` becomes `ite(c, x = u, y = v)`, and a comparison with a constant goes into the branches when both
//! become smaller there. Only for terms that occur once: others would have to be kept
//! beside the new ones. (What is always good is done by the constructors of terms.)

use super::{Pass, PassContext, Preprocess};
use rustc_hash::FxHashMap;
use term::{Op, Pool, Sort, Term};

/// The pass.
pub(super) struct Choices;

impl Pass for Choices {
    fn name(&self) -> &'static str {
        "choices"
    }

    fn apply(&self, query: &mut Preprocess, around: &mut PassContext<'_>) -> bool {
        factor(query, around.pool, &mut around.stats.choices)
    }
}

/// Applies the rule; counts the terms changed.
pub(super) fn factor(query: &mut Preprocess, pool: &mut Pool, count: &mut u64) -> bool {
    let cone = pool.cone(&query.conjuncts);
    if !cone.iter().any(|&t| pool.op(t) == Op::Ite) {
        return false;
    }
    let edges = query.edges(pool, &cone);
    let mut rebuilt: FxHashMap<Term, Term> = FxHashMap::default();
    let mut found = 0;
    for t in cone {
        let old: Vec<Term> = pool.children(t).to_vec();
        let new: Vec<Term> = old.iter().map(|k| rebuilt[k]).collect();
        // What is new below has been looked at already: the next round goes on.
        let changed = if new == old {
            factored(pool, t, &|k| edges.get(&k) == Some(&1))
        } else {
            Some(pool.rebuild(t, &new))
        };
        found += u64::from(new == old && changed.is_some());
        rebuilt.insert(t, changed.unwrap_or(t));
    }
    if found > 0 {
        query.conjuncts = query.conjuncts.iter().map(|t| rebuilt[t]).collect();
        query.flatten(pool);
    }
    *count += found;
    found > 0
}

/// The operator at the root and its operands.
fn parts(pool: &Pool, t: Term) -> (Op, [Term; 2]) {
    let kids = pool.children(t);
    let get = |k: usize| kids.get(k).copied().unwrap_or(Term::NONE);
    (pool.op(t), [get(0), get(1)])
}

/// What takes the place of a term, if that is better.
fn factored(pool: &mut Pool, t: Term, is_single: &dyn Fn(Term) -> bool) -> Option<Term> {
    match pool.op(t) {
        Op::Ite => {
            let (c, x, y) = (pool.child(t, 0), pool.child(t, 1), pool.child(t, 2));
            let is_wide = matches!(pool.sort(t), Sort::BitVec(width) if width > 1);
            (is_wide && is_single(x) && is_single(y))
                .then(|| common(pool, c, x, y))
                .flatten()
        }
        Op::Eq => {
            let (a, b) = (pool.child(t, 0), pool.child(t, 1));
            if pool.op(b) != Op::Ite || !is_single(b) {
                return None;
            }
            let (c, u, v) = (pool.child(b, 0), pool.child(b, 1), pool.child(b, 2));
            if pool.is_const(a) {
                let (yes, no) = (pool.eq(a, u), pool.eq(a, v));
                // An equation as it stands has two terms more than its side.
                let is_less = |pool: &Pool, new: Term, old: Term| {
                    pool.size_hint(new) < pool.size_hint(old) + 2
                };
                return (is_less(pool, yes, u) && is_less(pool, no, v))
                    .then(|| pool.ite(c, yes, no));
            }
            if pool.op(a) != Op::Ite || pool.child(a, 0) != c || !is_single(a) {
                return None;
            }
            let (x, y) = (pool.child(a, 1), pool.child(a, 2));
            let (yes, no) = (pool.eq(x, u), pool.eq(y, v));
            Some(pool.ite(c, yes, no))
        }
        _ => None,
    }
}

/// `ite(c, x, y)` for branches with the same operator.
fn common(pool: &mut Pool, c: Term, x: Term, y: Term) -> Option<Term> {
    let ((op, [a, b]), (other, [mut u, mut v])) = (parts(pool, x), parts(pool, y));
    if op != other {
        return None;
    }
    let commutes = matches!(op, Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor);
    if commutes && (a == v || b == u) {
        (u, v) = (v, u);
    }
    let is_dear = match op {
        Op::Mul | Op::Udiv | Op::Sdiv | Op::Urem | Op::Srem | Op::Shl | Op::Lshr | Op::Ashr => true,
        Op::Add | Op::Sub | Op::And | Op::Or | Op::Xor => false,
        Op::Not | Op::Neg => {
            let inner = pool.ite(c, a, u);
            return Some(pool.rebuild(x, &[inner]));
        }
        _ => return None,
    };
    // Constants make circuits cheap.
    let has_const = [a, b, u, v].iter().any(|&k| pool.is_const(k));
    if a != u && b != v && (!is_dear || has_const) {
        return None;
    }
    let (left, right) = (pool.ite(c, a, u), pool.ite(c, b, v));
    Some(pool.rebuild(x, &[left, right]))
}
