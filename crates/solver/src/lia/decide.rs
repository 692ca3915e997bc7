//! The search: the encoding under CDCL(T), refined until arrays hold, too.
//!
//! Products and divisions of bit-vectors are circuits here; arrays are abstract as in the
//! bit-blaster, and their axioms go into the same SAT solver between two searches.

use super::encode::Encoding;
use super::numbers::integer;
use super::theory::Theory;
use crate::arrays::inspect::{Relevant, inspect};
use crate::arrays::precheck::Intervals;
use crate::arrays::refine::Refiner;
use crate::bitblast::contexts::{guard_defaults, read_model};
use crate::bitblast::lower::{Lowering, Settings, is_array_equality};
use crate::query::{Budget, Model, Trials, Why};
use crate::sat::{Lit, SatBackend, SatLimits, SatResult};
use crate::shown::Shown;
use crate::stats::SolverStats;
use linear::{Deadline, NoObserver, Observer, Rational, Ticks, Var};
use std::collections::BTreeSet;
use term::{Evaluator, Op, Pool, Symbol, Term};

/// Ticks (coefficients touched) per conflict that the budget allows.
const TICKS_PER_CONFLICT: u64 = 500;

/// What the solving of conditions gave.
pub(crate) enum Answer {
    /// Values of the symbols, over those of the witness.
    Sat(Model),
    /// Positions of conditions that contradict each other.
    Unsat(Vec<usize>),
}

/// A conjunction to decide.
pub(crate) struct Question<'a> {
    pub pool: &'a Pool,
    pub conditions: &'a [Term],
    /// The symbols whose values are wanted.
    pub symbols: &'a [Symbol],
    pub witness: &'a Model,
    pub budget: &'a Budget,
    pub deadline: Option<Deadline>,
}

impl Question<'_> {
    /// Decides the conjunction.
    pub fn decide(
        &self,
        evaluator: &mut Evaluator,
        trials: &mut dyn Trials,
        stats: &mut SolverStats,
    ) -> Result<Answer, Why> {
        let lowering = Lowering::new(Settings::default());
        let mut encoding = Encoding::new(lowering, self.deadline);
        let roots = encoding.conditions(self.pool, self.conditions)?;
        if let Some(i) = roots.iter().position(|&root| root == Lit::FALSE) {
            let core: BTreeSet<usize> = encoding.premises().chain([i]).collect();
            return Ok(Answer::Unsat(core.into_iter().collect()));
        }
        let roots: Vec<Lit> = roots.iter().map(|&r| encoding.external(r)).collect();
        let problem = std::mem::take(&mut encoding.problem);
        let mut symbols: Vec<(Symbol, Var)> =
            encoding.symbols.iter().map(|(s, v)| (*s, *v)).collect();
        symbols.sort_unstable();
        let mut none = NoObserver;
        let set = |model: &mut Model, symbol: Symbol, value: &Rational| {
            model.set_int(symbol, integer(value));
        };
        let mut shown = Shown::new(trials, self.witness, symbols.clone(), set);
        let observer: &mut dyn Observer = match shown.is_wanted() {
            true => &mut shown,
            false => &mut none,
        };
        let ticks = self.budget.conflicts.saturating_mul(TICKS_PER_CONFLICT);
        let ticks = Ticks::until(ticks, self.deadline);
        let atoms = std::mem::take(&mut encoding.atoms);
        let stop = encoding.sat.interrupt();
        let mut theory = Theory::new(problem, atoms, observer, ticks, stop);
        let truth = encoding.sat.external(encoding.truth).idx();
        // Definitions alone are never contradictory.
        if !theory.fix(&std::mem::take(&mut encoding.fixed), truth) {
            return Err(Why::Internal);
        }
        let mut search = Search {
            question: self,
            encoding,
            roots,
            symbols,
        };
        let answer = search.refine(&mut theory, evaluator, stats);
        stats.sat_conflicts += search.encoding.sat.conflicts();
        stats.simplex_pivots += theory.pivots();
        stats.theory_propagations += theory.propagations();
        answer
    }
}

struct Search<'q> {
    question: &'q Question<'q>,
    encoding: Encoding,
    /// The SAT solver's literals of the conditions.
    roots: Vec<Lit>,
    /// Integer symbols.
    symbols: Vec<(Symbol, Var)>,
}

impl Search<'_> {
    /// Searches until a model satisfies the conditions with their arrays, or there is none.
    fn refine(
        &mut self,
        theory: &mut Theory<'_>,
        evaluator: &mut Evaluator,
        stats: &mut SolverStats,
    ) -> Result<Answer, Why> {
        let Question {
            pool, conditions, ..
        } = *self.question;
        let is_array = |&t: &Term| pool.op(t) == Op::Select || is_array_equality(pool, t);
        let arrays: Vec<Term> = pool.cone(conditions).into_iter().filter(is_array).collect();
        self.refiner().settle();
        let mut round = 0;
        loop {
            let mut model = match self.search(theory, stats)? {
                Answer::Sat(model) => model,
                unsat => return Ok(unsat),
            };
            if arrays.is_empty() {
                return Ok(Answer::Sat(model));
            }
            let Encoding {
                lowering, cnf, sat, ..
            } = &mut self.encoding;
            let relevant = Relevant::gather(pool, &lowering.arrays, &arrays, &Intervals::default());
            guard_defaults(lowering, pool, &relevant)?;
            let violations = inspect(
                pool,
                lowering,
                cnf,
                sat,
                &relevant,
                self.question.symbols,
                &mut model,
                evaluator,
            );
            stats.evaluations += 1;
            if evaluator.first_false(pool, conditions, &model).is_none() {
                return Ok(Answer::Sat(model));
            }
            let mut refiner = self.refiner();
            refiner.refine(&relevant, &violations, round, true)?;
            if refiner.added == 0 && refiner.filtered > 0 {
                refiner.refine(&relevant, &violations, round, false)?;
            }
            if refiner.added == 0 {
                return Err(Why::Array);
            }
            stats.array_axioms += refiner.added;
            stats.array_refinements += 1;
            round += 1;
        }
    }

    fn refiner(&mut self) -> Refiner<'_> {
        Refiner {
            pool: self.question.pool,
            lowering: &mut self.encoding.lowering,
            cnf: &mut self.encoding.cnf,
            sat: &mut self.encoding.sat,
            deadline: self.question.deadline,
            added: 0,
            filtered: 0,
        }
    }

    /// One search, with values of integers and bit-vectors.
    fn search(&mut self, theory: &mut Theory<'_>, stats: &mut SolverStats) -> Result<Answer, Why> {
        let Encoding {
            lowering, cnf, sat, ..
        } = &mut self.encoding;
        let deadline = self.question.deadline;
        let limits = SatLimits {
            conflicts: self
                .question
                .budget
                .conflicts
                .saturating_sub(sat.conflicts()),
            deadline,
        };
        let result = sat.run(theory, &self.roots, &limits);
        stats.sat_calls += 1;
        match (result, &theory.solution) {
            (SatResult::Unsat, _) if !theory.incomplete => {
                let failed = (0..self.roots.len()).filter(|&i| sat.failed(self.roots[i]));
                let mut core: BTreeSet<usize> = failed.collect();
                core.extend(self.encoding.premises());
                Ok(Answer::Unsat(core.into_iter().collect()))
            }
            (SatResult::Sat, Some(solution)) => {
                let Question {
                    pool,
                    symbols,
                    witness,
                    ..
                } = *self.question;
                let mut model = read_model(pool, lowering, cnf, sat, symbols, witness);
                for &(symbol, v) in &self.symbols {
                    model.set_int(symbol, self.encoding.value_of(solution, v));
                }
                Ok(Answer::Sat(model))
            }
            _ => {
                let is_late = deadline.is_some_and(|end| end.is_past());
                Err(if is_late { Why::Timeout } else { Why::Budget })
            }
        }
    }
}
