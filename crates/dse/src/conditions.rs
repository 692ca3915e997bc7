//! The record of a run: its input, and its conditions, from which the path condition before any of its decisions is rebuilt.
//!
//! A path condition is indexed for the solver, and a copy of it at each decision would cost more than the run: what is
//! added after a copy is no longer shared. So only some path conditions are kept whole, and the conjuncts between them
//! are added again when a branch is asked for. The path condition of a path whose conditions depend on each other is
//! one list of them all, which is written anew after each copy: so the distance between two copies grows with the
//! path, and all copies together are as long as a fixed number of paths.

use crate::part::Ticket;
use crate::tree::Tail;
use rustc_hash::FxHashMap;
use solver::{Conjunct, Model, PathCondition, TraceSet};
use std::ops::Range;
use term::Term;

/// The fewest conditions between two paths that are kept whole.
const EVERY: usize = 32;
/// On long paths, the part of the length that lies between two copies.
const PART: usize = 16;

/// Whether a path of this length is kept whole, after one of length `last`.
fn is_due(len: usize, last: Option<usize>) -> bool {
    last.is_none_or(|last| len >= last + EVERY.max(last / PART))
}

/// See the module.
#[derive(Default)]
pub struct Conditions {
    all: Vec<Conjunct>,
    /// Prefixes of it, by length.
    kept: Vec<PathCondition>,
}

impl Conditions {
    /// To be called with the path before each decision of a run, in order.
    pub fn note(&mut self, path: &PathCondition) {
        let last = self.kept.last().map(PathCondition::len);
        if is_due(path.len(), last) {
            self.kept.push(path.clone());
        }
    }

    /// All of them, in order.
    pub fn all(&self) -> &[Conjunct] {
        &self.all
    }

    /// To be called with the path at the end of the run.
    pub fn finish(&mut self, path: &PathCondition) {
        self.all = path.iter().collect();
    }
}

/// Names a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct RunId(u64);

/// The rank of a run for strategies: its number, and the number of places that it was the first to cover.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rank {
    pub run: u64,
    pub covered: u64,
}

/// The record of a run, kept as long as something on its path is open.
pub(crate) struct Run {
    pub conditions: Conditions,
    pub start: usize,
    pub input: Model,
    /// Numbers of its branches, some of which are open no longer.
    pub branches: Range<u64>,
    /// Its end, if it was cut and is to be taken up again.
    pub tail: Option<Tail>,
    /// The branches that are open, and the tail.
    pub holds: usize,
    pub ticket: Ticket,
    pub rank: Rank,
}

impl Run {
    pub fn new(
        conditions: Conditions,
        (start, input): (usize, Model),
        branches: Range<u64>,
        (open, tail): (usize, Option<Tail>),
        ticket: Ticket,
        rank: Rank,
    ) -> Run {
        Run {
            conditions,
            start,
            input,
            branches,
            holds: open + usize::from(tail.is_some()),
            tail,
            ticket,
            rank,
        }
    }
}

/// The runs on whose paths something is left.
#[derive(Default)]
pub(crate) struct Runs {
    runs: FxHashMap<RunId, Run>,
    next: u64,
}

impl Runs {
    /// Adds a run, which gets [`Runs::next`]; one on which nothing is left is dropped.
    pub fn add(&mut self, run: Run) -> RunId {
        let id = RunId(self.next);
        self.next += 1;
        if run.holds > 0 {
            self.runs.insert(id, run);
        }
        id
    }

    /// The id that the next run gets.
    pub fn next(&self) -> RunId {
        RunId(self.next)
    }

    /// A run on which something is left.
    pub fn of(&self, id: RunId) -> &Run {
        &self.runs[&id]
    }

    pub fn get(&self, id: RunId) -> Option<&Run> {
        self.runs.get(&id)
    }

    pub fn get_mut(&mut self, id: RunId) -> Option<&mut Run> {
        self.runs.get_mut(&id)
    }

    /// The ends of runs that were cut.
    pub fn tails(&self) -> impl Iterator<Item = &Tail> {
        self.runs.values().filter_map(|run| run.tail.as_ref())
    }

    /// The runs, the first ones first.
    pub fn ids(&self) -> Vec<RunId> {
        let mut ids: Vec<RunId> = self.runs.keys().copied().collect();
        ids.sort_unstable();
        ids
    }

    /// One open branch less, or the tail is taken up.
    pub fn release(&mut self, id: RunId) {
        if let Some(run) = self.runs.get_mut(&id) {
            run.holds -= 1;
            run.ticket.is_told = false;
            if run.holds == 0 {
                self.runs.remove(&id);
            }
        }
    }

    /// The open branches of a run are no longer those that were reported.
    pub fn changed(&mut self, id: RunId) {
        if let Some(run) = self.runs.get_mut(&id) {
            run.ticket.is_told = false;
        }
    }

    /// The first `len` conditions of a run.
    pub fn before(&self, id: RunId, len: usize) -> &[Conjunct] {
        &self.runs[&id].conditions.all[..len]
    }

    /// The same as a path; `extend` adds a condition to one.
    pub fn path(
        &self,
        id: RunId,
        len: usize,
        extend: &mut dyn FnMut(&mut PathCondition, Conjunct),
    ) -> PathCondition {
        let conditions = &self.runs[&id].conditions;
        let known = conditions.kept.partition_point(|p| p.len() <= len);
        let mut path = match known {
            0 => PathCondition::new(),
            n => conditions.kept[n - 1].clone(),
        };
        for &c in &conditions.all[path.len()..len] {
            extend(&mut path, c);
        }
        path
    }

    /// Shows all terms to a collection.
    pub fn trace(&mut self, paths: &mut TraceSet, visit: &mut dyn FnMut(&mut Term)) {
        // In the order of the runs, so that terms keep theirs.
        for id in self.ids() {
            let Some(Run { conditions, .. }) = self.runs.get_mut(&id) else {
                continue;
            };
            conditions.all.iter_mut().for_each(|c| visit(&mut c.term));
            for path in &mut conditions.kept {
                path.trace_shared(paths, visit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_a_long_path_are_no_longer_than_some_paths_together() {
        for len in [100, 10_000, 1_000_000] {
            let (mut last, mut sum) = (None, 0);
            for at in 0..len {
                if is_due(at, last) {
                    // What is added again for a branch is a small part of its path.
                    let gap = at - last.unwrap_or(0);
                    assert!(gap <= EVERY.max(at / PART + 1), "{gap} before {at}");
                    (last, sum) = (Some(at), sum + at);
                }
            }
            assert!(sum <= 2 * PART * len, "{sum} for {len}");
        }
    }
}
