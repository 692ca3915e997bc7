//! What the techniques of the solver share while a query runs.

use crate::boxes::Floats;
use crate::domain::TruthTables;
use crate::model::Model;
use crate::query::Query;
use crate::stats::SolverStats;
use linear::Deadline;
use term::{Evaluator, Pool, Term};

/// The terms, the caches that every technique uses, the counters, and the end of the query's time.
pub struct Env<'a> {
    /// The terms.
    pub pool: &'a mut Pool,
    pub(crate) tables: &'a mut TruthTables,
    /// Evaluates terms; what it has computed of one assignment serves all techniques.
    pub evaluator: &'a mut Evaluator,
    /// The counters.
    pub stats: &'a mut SolverStats,
    /// The end of the query's time, if it has one.
    pub deadline: Option<Deadline>,
    /// Sets in which floats of the query at hand must lie, once a layer has found them: for the circuits.
    pub(crate) float_sets: Vec<(Term, Floats)>,
}

impl Env<'_> {
    /// Is the query's time up?
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|end| end.is_past())
    }

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
