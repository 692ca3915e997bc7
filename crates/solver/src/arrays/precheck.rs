//! The check over integers before the abstraction is built (Alg. 3 of "Type and interval aware array
//! constraint solving for symbolic execution").
//!
//! It bounds the index of every read of the query, bounds the reads by the elements that they can
//! then meet, and decides the query when that leaves nothing. The intervals go on to the axioms.

use crate::ilp::index_intervals;
use crate::layers::{Env, Ranges};
use crate::query::{Core, Query};
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Op, Pool, Sort, Term};

/// Ticks of the linear programs that bound the indices of one query.
const TICKS: u64 = 20_000;

/// Inclusive bounds of index terms.
pub(crate) type Intervals = FxHashMap<Term, (u64, u64)>;

/// What the pre-check says.
pub(crate) enum Precheck {
    /// There is no solution, because of these conjuncts (the condition is not listed).
    Unsat(Core),
    /// It may have one; what is known of its indices.
    Open(Intervals),
}

/// Checks the query of which `terms` are the conditions.
pub(crate) fn precheck(env: &mut Env<'_>, query: &Query<'_>, terms: &[Term]) -> Precheck {
    let indices = indices(env.pool, terms);
    let mut intervals = Intervals::default();
    if indices.is_empty() {
        return Precheck::Open(intervals);
    }
    env.stats.array_prechecks += 1;
    let found = index_intervals(env, query.pc, terms, &indices, TICKS);
    if let Some(mut core) = found.unsat {
        env.stats.array_prechecks_unsat += 1;
        core.retain(|&t| t != query.cond);
        return Precheck::Unsat(core);
    }
    for (index, (low, high)) in indices.into_iter().zip(found.bounds) {
        if low <= high {
            intervals.insert(index, (low, high));
        }
    }
    let mut ranges = Ranges::new(env.pool, query.pc, &query.slice.terms);
    if ranges.range(env.pool, env.tables, query.cond).value() == Some(0) {
        env.stats.array_prechecks_unsat += 1;
        return Precheck::Unsat(ranges.used());
    }
    Precheck::Open(intervals)
}

/// The index terms of all reads below some terms, at most 64 bits wide, inner ones first.
fn indices(pool: &Pool, terms: &[Term]) -> Vec<Term> {
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut stack: Vec<Term> = terms
        .iter()
        .copied()
        .filter(|&t| pool.has_array(t))
        .collect();
    let mut indices = Vec::new();
    while let Some(t) = stack.pop() {
        if !pool.has_array(t) || !seen.insert(t) {
            continue;
        }
        if pool.op(t) == Op::Select {
            let index = pool.child(t, 1);
            if matches!(pool.sort(index), Sort::BitVec(1..=64)) {
                indices.push(index);
            }
        }
        stack.extend_from_slice(pool.children(t));
    }
    indices.sort_unstable();
    indices.dedup();
    indices
}
