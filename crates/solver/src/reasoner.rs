//! The pool of terms and the solver over it, of which a program under exploration has one of each, whether it forks or
//! runs input by input.

use crate::{Ask, Conjunct, Model, Origin, Outcome, PathCondition, Solver};
use term::{Evaluator, Pool, Relocation, Term, Trace as _};

/// Shows a visitor the terms that are held.
type Holders<'a> = dyn FnMut(&mut dyn FnMut(&mut Term)) + 'a;

/// See the module.
pub struct Reasoner {
    /// All terms.
    pub pool: Pool,
    /// Decides conditions.
    pub solver: Solver,
    /// Values of terms under assignments.
    pub evaluator: Evaluator,
}

impl Reasoner {
    /// Without terms yet.
    pub fn new(solver: Solver) -> Reasoner {
        Reasoner {
            pool: Pool::new(),
            solver,
            evaluator: Evaluator::new(),
        }
    }

    /// The value of a term under a model. Its time counts as that of a question.
    #[inline]
    pub fn eval(&mut self, t: Term, model: &Model) -> u64 {
        self.solver.meter.enter();
        let value = self.evaluator.eval(&self.pool, t, model);
        self.solver.meter.leave();
        value
    }

    /// See [`Solver::feasible`].
    #[inline]
    pub fn feasible(&mut self, cond: Term, ask: Ask<'_>) -> Outcome {
        self.solver.feasible(&mut self.pool, cond, ask)
    }

    /// Adds a condition to a path, see [`Solver::push`].
    #[inline]
    pub fn push(&mut self, path: &mut PathCondition, cond: Term, origin: Origin) {
        self.solver.push(&mut self.pool, path, cond, origin);
    }

    /// The same of a conjunct that another path has.
    #[inline]
    pub fn extend(&mut self, path: &mut PathCondition, c: Conjunct) {
        self.push(path, c.term, c.origin);
    }

    /// The conjunction of conditions.
    pub fn all(&mut self, conditions: &[Term]) -> Term {
        let first = self.pool.tru();
        let pool = &mut self.pool;
        conditions.iter().fold(first, |all, &c| pool.and(all, c))
    }

    /// The work of evaluation, propagation and the SAT solvers on this thread, in steps of a nanosecond or two:
    /// counted, so that runs repeat.
    #[inline]
    pub fn work(&self) -> u64 {
        term::work::spent() + self.solver.stats().effort_work()
    }

    /// Compacts the terms; `holders` shows all that are held elsewhere. Returns where they are now.
    pub fn collect(&mut self, holders: &mut Holders<'_>) -> Relocation {
        let Reasoner {
            pool,
            solver,
            evaluator,
        } = self;
        let moved = pool.collect(&mut |visit| {
            holders(visit);
            solver.trace(visit);
        });
        solver.relocate(&moved);
        *evaluator = Evaluator::new();
        moved
    }

    /// An operation was interrupted, by a panic or for want of memory: the caches may be half updated. The pool only
    /// ever grows.
    pub fn recover(&mut self) {
        self.evaluator = Evaluator::new();
        self.pool.recover();
        self.solver.meter.leave_all();
        self.solver.shed();
    }
}
