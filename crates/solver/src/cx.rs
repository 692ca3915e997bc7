//! The context that all techniques of the solver share while a query runs.

use crate::boxes::Floats;
use crate::domain::TruthTables;
use crate::layer_id::LayerId;
use crate::model::Model;
use crate::query::{Budget, NoTrials, Query, Trials};
use crate::ranges::PathRanges;
use crate::stats::SolverStats;
use linear::Deadline;
use term::{Evaluator, Pool, Term};

/// The terms, the caches that every technique uses, the counters, the budget, and the receiver of trials.
pub struct Cx<'a> {
    /// The terms.
    pub pool: &'a mut Pool,
    pub(crate) tables: &'a mut TruthTables,
    pub(crate) ranges: &'a mut PathRanges,
    /// Evaluates terms; its results for one assignment serve all techniques.
    pub evaluator: &'a mut Evaluator,
    /// The counters.
    pub stats: &'a mut SolverStats,
    /// The budget of the query, or of the part of it that runs.
    pub budget: Budget,
    /// The end of the query's time, if it has one.
    pub deadline: Option<Deadline>,
    /// The receiver of the assignments that are tried.
    pub trials: &'a mut dyn Trials,
    pub(crate) rejected: &'a mut Rejected,
    /// The layer that has decided the query, once one has.
    pub(crate) decided_by: Option<LayerId>,
    /// Sets in which floats of the query at hand must lie, once a layer has found them: for the circuits.
    pub(crate) float_sets: Vec<(Term, Floats)>,
}

impl<'a> Cx<'a> {
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

    /// The same without a listener, and the listener.
    pub fn apart<'b>(&'b mut self, nobody: &'b mut NoTrials) -> (Cx<'b>, &'b mut dyn Trials) {
        let cx = Cx {
            pool: self.pool,
            tables: self.tables,
            ranges: self.ranges,
            evaluator: self.evaluator,
            stats: self.stats,
            budget: self.budget,
            deadline: self.deadline,
            trials: nobody,
            rejected: self.rejected,
            decided_by: self.decided_by,
            float_sets: Vec::new(),
        };
        (cx, self.trials)
    }

    /// Does some work that may spend this.
    pub fn within<R>(&mut self, budget: Budget, work: impl FnOnce(&mut Cx<'a>) -> R) -> R {
        let whole = std::mem::replace(&mut self.budget, budget);
        let result = work(self);
        self.budget = whole;
        result
    }
}

/// Scripts of queries for which a layer returned a wrong model: bugs of ours, kept so that they can be fixed.
#[derive(Default)]
pub(crate) struct Rejected(Vec<String>);

/// Queries with wrong models that are kept.
const MAX_REJECTED: usize = 3;

impl Rejected {
    /// Keeps a query, and counts it.
    pub fn keep(&mut self, stats: &mut SolverStats, pool: &Pool, by: &str, conditions: &[Term]) {
        stats.models_rejected += 1;
        if self.0.len() < MAX_REJECTED {
            let script = term::to_smt2(pool, conditions);
            self.0.push(format!("; wrong model by {by}\n{script}"));
        }
    }

    /// The scripts.
    pub fn scripts(&self) -> &[String] {
        &self.0
    }
}
