//! The layers past the byte domains' fast path, one file each.
//!
//! A layer answers, or says `Unknown(Why::Incomplete)` to hand the query on; any other `Unknown`
//! is remembered as the reason should nobody answer. After a query is decided, every layer may
//! learn from it. To add a layer: a file here, its `mod` line, and one row in [`registry`], whose order is the order.

mod blast;
mod congruence;
mod cores;
mod domains;
mod elements;
mod facts;
mod intervals;
mod record;
mod registry;
mod reuse;
mod rewrite;
mod search;

pub(crate) use intervals::Ranges;
pub(crate) use record::Record;
pub use registry::LayerId;
pub(crate) use registry::{Placed, assemble};

use crate::domain::TruthTables;
use crate::query::{Budget, Model, Outcome, Query, Trials};
use crate::stats::SolverStats;
use linear::Deadline;
use term::{Evaluator, Pool, Relocation, Term};

/// What layers share while a query runs.
pub(crate) struct Env<'a> {
    pub pool: &'a mut Pool,
    pub tables: &'a mut TruthTables,
    pub evaluator: &'a mut Evaluator,
    pub stats: &'a mut SolverStats,
    pub deadline: Option<Deadline>,
}

impl Env<'_> {
    /// Is the condition true under the assignment?
    pub fn holds(&mut self, t: Term, a: &Model) -> bool {
        self.stats.evaluations += 1;
        self.evaluator.eval(self.pool, t, a) & 1 != 0
    }

    /// Are the condition and every conjunct of the slice true under the assignment?
    pub fn satisfies(&mut self, query: &Query<'_>, a: &Model) -> bool {
        self.holds(query.cond, a) && self.holds_all(&query.slice.terms, a)
    }

    /// Are all conditions true under the assignment? Shared subterms are evaluated once.
    pub fn holds_all(&mut self, terms: &[Term], a: &Model) -> bool {
        self.stats.evaluations += 1;
        self.evaluator.first_false(self.pool, terms, a).is_none()
    }
}

/// One technique.
pub(crate) trait Layer {
    /// Tries to decide the query.
    fn check(
        &mut self,
        env: &mut Env<'_>,
        query: &Query<'_>,
        budget: &Budget,
        trials: &mut dyn Trials,
    ) -> Outcome;
    /// Sees the answer that some layer gave.
    fn learn(&mut self, _env: &mut Env<'_>, _query: &Query<'_>, _outcome: &Outcome) {}
    /// Terms were renumbered: translates what the layer holds, or drops it when the new numbers
    /// are not known.
    fn relocate(&mut self, _relocation: Option<&Relocation>) {}
}
