//! A solver with the parts that only scripts need.

use crate::lia::Lia;
use crate::preprocess::{PassContext, Preprocess};
use crate::stats::PassStats;
use linear::Deadline;
use solver::{
    Budget, LayerId, Outcome, PathCondition, Solver, SolverOptions, StatRow, Technique, Trials,
    is_too_wide,
};
use term::{Evaluator, Pool, Term};

/// The counter after which those of the passes stand in a report.
const BEFORE_PASSES: &str = "unknown";

/// A solver that knows integers, and that makes queries smaller which stand alone.
pub struct ScriptSolver {
    /// The solver below, which answers queries that are one of many.
    pub base: Solver,
    /// Counts of the passes.
    pub passes: PassStats,
}

impl ScriptSolver {
    /// A solver with the given layers.
    pub fn new(options: SolverOptions) -> ScriptSolver {
        ScriptSolver {
            base: Solver::with_guests(options, vec![(LayerId::Lia, Box::new(Lia))]),
            passes: PassStats::default(),
        }
    }

    /// Every counter of the solver and of the passes.
    pub fn rows(&self) -> Vec<StatRow> {
        let mut rows = self.base.stats().rows();
        let at = rows.iter().position(|row| row.name == BEFORE_PASSES);
        let at = at.map_or(rows.len(), |at| at + 1);
        rows.splice(at..at, self.passes.rows());
        rows
    }

    /// [`Solver::solve`] for a query that stands alone: preprocessed first. `Unsat` names all conjuncts;
    /// [`Self::smaller_core`] finds which are needed.
    pub fn solve_once(
        &mut self,
        pool: &mut Pool,
        pc: &PathCondition,
        budget: &Budget,
        trials: &mut dyn Trials,
    ) -> Outcome {
        self.base.meter.enter();
        let outcome = self.preprocess_and_solve(pool, pc, budget, trials);
        self.base.meter.leave();
        outcome
    }

    fn preprocess_and_solve(
        &mut self,
        pool: &mut Pool,
        pc: &PathCondition,
        budget: &Budget,
        trials: &mut dyn Trials,
    ) -> Outcome {
        let deadline = budget.deadline();
        let mut prepared = self.prepare(pool, pc, deadline, trials);
        let rest = budget.rest(deadline);
        self.ask_prepared(pool, &mut prepared, pc, &rest, trials)
    }

    /// Lets the passes run over a path.
    pub(crate) fn prepare(
        &mut self,
        pool: &mut Pool,
        pc: &PathCondition,
        deadline: Option<Deadline>,
        trials: &dyn Trials,
    ) -> Prepared {
        let all: Vec<Term> = pc.iter().map(|c| c.term).collect();
        if !pc.is_consistent() || is_too_wide(pool, &all) {
            return Prepared::AsItIs;
        }
        let mut query = Preprocess::new(pool, all.clone());
        let mut around = PassContext {
            pool,
            solver: &mut self.base,
            stats: &mut self.passes,
        };
        if !query.simplify(&mut around, deadline, trials.wanted()) {
            self.base.count_refuted();
            return Prepared::Refuted(all);
        }
        Prepared::Smaller(all, Box::new(query))
    }

    /// Asks about a path over which the passes have run.
    pub(crate) fn ask_prepared(
        &mut self,
        pool: &mut Pool,
        prepared: &mut Prepared,
        pc: &PathCondition,
        budget: &Budget,
        trials: &mut dyn Trials,
    ) -> Outcome {
        let (all, query) = match prepared {
            Prepared::AsItIs => return self.base.solve(pool, pc, budget, trials),
            Prepared::Refuted(all) => return Outcome::Unsat(all.clone()),
            Prepared::Smaller(all, query) => (all, query),
        };
        let path = query.path(pool, &mut self.base);
        let outcome = {
            let lifted: &mut dyn Trials = &mut query.lifted(pool, trials);
            let outcome = self.base.solve(pool, &path, budget, lifted);
            if let Outcome::Sat(model) = &outcome {
                lifted.tried(model, Technique::Preprocess); // opens what was satisfied by construction
            }
            outcome
        };
        match outcome {
            Outcome::Sat(mut model) => {
                let mut evaluator = Evaluator::new();
                query.lift(pool, &mut evaluator, &mut model);
                if evaluator.first_false(pool, all, &model).is_none() {
                    return Outcome::Sat(model);
                }
                let by = format!("preprocessing ({})", query.changed_by.join(", "));
                self.base.reject(pool, &by, all);
                debug_assert!(false, "preprocessing lifted to a wrong model");
                self.base.solve(pool, pc, budget, trials)
            }
            Outcome::Unsat(_) => Outcome::Unsat(all.clone()),
            unknown => unknown,
        }
    }
}

/// A path over which the passes have run.
pub(crate) enum Prepared {
    /// It contradicts itself at once, or its terms are too wide even to be evaluated: it is asked as it is.
    AsItIs,
    /// The passes have refuted these conjuncts.
    Refuted(Vec<Term>),
    /// The conjuncts, and what is left of them.
    Smaller(Vec<Term>, Box<Preprocess>),
}
