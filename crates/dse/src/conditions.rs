//! The conditions of a run, from which the path before any of its decisions can be had again.
//!
//! A path condition is indexed for the solver, and a copy of it at each decision would cost more than the run:
//! what is written after a copy is no longer shared. So every 32nd one is kept whole, and what lies
//! between is added again when a branch is asked for.

use rustc_hash::FxHashMap;
use solver::{Conjunct, PathCondition, TraceSet};
use term::Term;

/// Conditions between two paths that are kept whole.
const EVERY: usize = 32;

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
        if last.is_none_or(|last| path.len() >= last + EVERY) {
            self.kept.push(path.clone());
        }
    }

    /// To be called with the path at the end of the run.
    pub fn finish(&mut self, path: &PathCondition) {
        self.all = path.iter().collect();
    }
}

/// Names the conditions of a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct RunId(u64);

/// The conditions of the runs that branches are open on.
#[derive(Default)]
pub(crate) struct Runs {
    /// With the number of open branches.
    runs: FxHashMap<RunId, (Conditions, usize)>,
    next: u64,
}

impl Runs {
    /// Adds a run with so many open branches; without any it is dropped.
    pub fn add(&mut self, conditions: Conditions, branches: usize) -> RunId {
        let id = RunId(self.next);
        self.next += 1;
        if branches > 0 {
            self.runs.insert(id, (conditions, branches));
        }
        id
    }

    /// The id that the next run gets.
    pub fn next(&self) -> RunId {
        RunId(self.next)
    }

    /// One open branch less.
    pub fn release(&mut self, id: RunId) {
        if let Some((_, branches)) = self.runs.get_mut(&id) {
            *branches -= 1;
            if *branches == 0 {
                self.runs.remove(&id);
            }
        }
    }

    /// The first `len` conditions of a run.
    pub fn before(&self, id: RunId, len: usize) -> &[Conjunct] {
        &self.runs[&id].0.all[..len]
    }

    /// The same as a path; `extend` adds a condition to one.
    pub fn path(
        &self,
        id: RunId,
        len: usize,
        extend: &mut dyn FnMut(&mut PathCondition, Conjunct),
    ) -> PathCondition {
        let (conditions, _) = &self.runs[&id];
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
        let mut ids: Vec<RunId> = self.runs.keys().copied().collect();
        ids.sort_unstable_by_key(|id| id.0);
        for id in ids {
            let Some((conditions, _)) = self.runs.get_mut(&id) else {
                continue;
            };
            conditions.all.iter_mut().for_each(|c| visit(&mut c.term));
            for path in &mut conditions.kept {
                path.trace_shared(paths, visit);
            }
        }
    }
}
