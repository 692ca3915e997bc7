//! The check over integers before the abstraction is built (Alg. 3 of "Type and interval aware array
//! constraint solving for symbolic execution").
//!
//! It bounds the index of every read of the query, bounds the reads by the elements that they can then meet, and
//! refutes the query if no value is left. The intervals are used for the axioms. Ranges of values are tried first;
//! integer programs follow if they have lately sharpened an interval (the paper always solves them). Bounds are kept:
//! they hold for every later query that contains the same conjuncts.

use crate::circuit::Intervals;
use crate::cx::Cx;
use crate::ilp::{contradict, index_intervals};
use crate::query::{Core, Query};
use crate::ranges::Ranges;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use term::{Op, Pool, Sort, Term};

/// Ticks of the linear programs that bound the indices of one query.
const TICKS: u64 = 20_000;

/// One query in so many is tried if integer programs rarely sharpen an interval.
const RARELY: u32 = 16;
/// A query may have so many conjuncts more than those that cached bounds rest on.
const SLACK: usize = 4;
/// Index terms with cached bounds.
const MAX_KEPT: usize = 20_000;

/// The answer of the pre-check.
pub(crate) enum Precheck {
    /// There is no solution, because of these conjuncts (the condition is not listed).
    Unsat(Core),
    /// It may have a solution; the intervals of its indices.
    Open(Intervals),
}

/// Bounds found earlier. They rest on a set of conjuncts, and hold for every query that has these.
#[derive(Default)]
pub(crate) struct PrecheckCache {
    found: FxHashMap<Term, Found>,
    /// How often the programs knew more of an index than the ranges of values do, and how often not (halved now
    /// and then); and the queries for which they were left out.
    sharper: u32,
    blunt: u32,
    passed: u32,
}

/// The conjuncts that bounds rest on, and the bounds.
type Found = (Rc<[Term]>, (u64, u64));

impl PrecheckCache {
    /// Terms were renumbered.
    pub fn clear(&mut self) {
        self.found.clear();
    }

    /// Are the programs worth their time? Where indices are masked bytes they say no more than ranges do; then
    /// they are tried for one query of [`RARELY`].
    fn is_promising(&mut self) -> bool {
        if self.blunt < RARELY * (self.sharper + 1) {
            return true;
        }
        self.passed += 1;
        self.passed.is_multiple_of(RARELY)
    }

    fn note(&mut self, is_sharper: bool) {
        if is_sharper {
            self.sharper += 1
        } else {
            self.blunt += 1
        }
        if self.sharper + self.blunt > 256 {
            self.sharper /= 2;
            self.blunt /= 2;
        }
    }

    /// The bounds of every index, if all rest on conjuncts of the query, and nearly all on its own.
    fn lookup(&self, indices: &[Term], terms: &FxHashSet<Term>) -> Option<Intervals> {
        let mut seen: Option<&Rc<[Term]>> = None;
        let mut intervals = Intervals::default();
        for &index in indices {
            let (from, bounds) = self.found.get(&index)?;
            if !seen.is_some_and(|s| Rc::ptr_eq(s, from)) {
                if from.len() + SLACK < terms.len() || !from.iter().all(|t| terms.contains(t)) {
                    return None;
                }
                seen = Some(from);
            }
            intervals.insert(index, *bounds);
        }
        Some(intervals)
    }

    fn keep(&mut self, indices: &[Term], terms: &[Term], bounds: &[(u64, u64)]) {
        if self.found.len() > MAX_KEPT {
            self.found.clear();
        }
        let from: Rc<[Term]> = terms.into();
        for (&index, &bounds) in indices.iter().zip(bounds) {
            self.found.insert(index, (from.clone(), bounds));
        }
    }
}

/// Checks the query of which `terms` are the conditions, the asked one first.
pub(crate) fn precheck(
    cache: &mut PrecheckCache,
    cx: &mut Cx<'_>,
    query: &Query<'_>,
    terms: &[Term],
) -> Precheck {
    let indices = indices(cx.pool, terms);
    if indices.is_empty() {
        return Precheck::Open(Intervals::default());
    }
    cx.stats.array_prechecks += 1;
    let path = &query.slice.terms;
    let mut ranges = Ranges::new(cx.pool, query.pc, path);
    if ranges.range(cx.pool, cx.tables, query.cond).value() == Some(0) {
        cx.stats.array_prechecks_unsat += 1;
        return Precheck::Unsat(ranges.used());
    }
    let mut intervals = Intervals::default();
    for &index in &indices {
        let range = ranges.range(cx.pool, cx.tables, index);
        intervals.insert(index, (range.lo, range.hi));
    }
    let known = cache.lookup(&indices, &terms.iter().copied().collect());
    let sharper = match known {
        Some(known) => {
            cx.stats.array_prechecks_cached += 1;
            known
        }
        None if cache.is_promising() => {
            cx.stats.array_prechecks_integer += 1;
            // Without the condition, whose other side is asked next.
            let found = index_intervals(cx, query.pc, &terms[1..], &indices, TICKS);
            if let Some(core) = found.unsat {
                cx.stats.array_prechecks_unsat += 1;
                return Precheck::Unsat(core);
            }
            cache.keep(&indices, &terms[1..], &found.bounds);
            indices.iter().copied().zip(found.bounds).collect()
        }
        None => return Precheck::Open(intervals),
    };
    let granted = sharpen(&mut intervals, sharper);
    cache.note(!granted.is_empty());
    if !granted.is_empty() {
        let mut ranges = Ranges::new(cx.pool, query.pc, path);
        for &(index, bounds) in &granted {
            ranges.grant(cx.pool, index, bounds);
        }
        if ranges.range(cx.pool, cx.tables, query.cond).value() == Some(0) {
            cx.stats.array_prechecks_unsat += 1;
            let used = ranges.used();
            // The programs do not say which conjuncts an interval needs.
            let is_granted = used.contains(&Term::TRUE);
            return Precheck::Unsat(if is_granted { path.to_vec() } else { used });
        }
    }
    if is_refuted(cx, query, terms, &indices, &mut intervals) {
        cx.stats.array_prechecks_unsat += 1;
        return Precheck::Unsat(path.to_vec());
    }
    Precheck::Open(intervals)
}

/// Takes over sharper bounds; gives those that were.
fn sharpen(
    intervals: &mut Intervals,
    sharper: impl IntoIterator<Item = (Term, (u64, u64))>,
) -> Vec<(Term, (u64, u64))> {
    let mut granted = Vec::new();
    for (index, (lo, hi)) in sharper {
        let Some(own) = intervals.get_mut(&index) else {
            continue;
        };
        let both = (own.0.max(lo), own.1.min(hi));
        if both.0 <= both.1 && both != *own {
            *own = both;
            granted.push((index, both));
        }
    }
    granted
}

/// Alg. 3 with the condition: its lines 3 to 8 once more, and lines 9 and 10, an integer program of all conjuncts in which reads are
/// bounded by the elements within the sharpened intervals. The axioms of this query may use the intervals.
fn is_refuted(
    cx: &mut Cx<'_>,
    query: &Query<'_>,
    terms: &[Term],
    indices: &[Term],
    intervals: &mut Intervals,
) -> bool {
    let found = index_intervals(cx, query.pc, terms, indices, TICKS);
    if found.unsat.is_some() {
        return true;
    }
    sharpen(intervals, indices.iter().copied().zip(found.bounds));
    let mut ranges = Ranges::new(cx.pool, query.pc, terms);
    for (&index, &bounds) in &*intervals {
        ranges.grant(cx.pool, index, bounds);
    }
    contradict(cx, ranges, terms, TICKS)
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
