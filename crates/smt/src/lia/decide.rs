//! The search: the encoding under CDCL(T), refined until what is abstract holds, too.
//!
//! Products and divisions of bit-vectors are circuits here; arrays are abstract as in the
//! bit-blaster, and their axioms go into the same SAT solver between two searches.

use super::encode::{Encoding, Method};
use super::numbers::integer;
use super::theory::Theory;
use linear::{NoObserver, Observer, Rational, Ticks, Var};
use solver::Env;
use solver::Model;
use solver::SolverStats;
use solver::sat::{Lit, SatBackend, SatLimits, SatResult};
use solver::theory::{self, Cnf, Intervals, Lowering, Question, Search, SearchAnswer, Shown};
use solver::{Budget, NoTrials, Query, Trials, Why};
use std::collections::BTreeSet;
use term::{Pool, Symbol};

/// Ticks (coefficients touched) per conflict that the budget allows.
const TICKS_PER_CONFLICT: u64 = 500;

/// Decides the conditions of a query by one of the encodings.
pub(super) fn encode_and_search(
    env: &mut Env<'_>,
    query: &Query<'_>,
    budget: &Budget,
    trials: &mut dyn Trials,
    method: Method,
) -> Result<SearchAnswer, Why> {
    let conditions = query.conditions();
    let mut encoding = Encoding::new(theory::whole_circuits(env.deadline), method);
    let roots = encoding.conditions(env.pool, &conditions)?;
    if let Some(i) = roots.iter().position(|&root| root == Lit::FALSE) {
        let core: BTreeSet<usize> = encoding.premises().chain([i]).collect();
        return Ok(SearchAnswer::Unsat(
            core.into_iter().map(|i| conditions[i]).collect(),
        ));
    }
    let ticks = budget.conflicts.saturating_mul(TICKS_PER_CONFLICT);
    let ticks = Ticks::until(ticks, env.deadline);
    let fixed = std::mem::take(&mut encoding.fixed);
    let roots_of_graph = roots;
    let roots = roots_of_graph.iter().map(|&r| encoding.external(r));
    let roots: Vec<Lit> = roots.collect();
    // Who watches the simplex sees all of its way.
    if !trials.wanted()
        && let Some(core) = encoding.refuted_at_root(&roots_of_graph, &fixed, &ticks)
    {
        let core = core.into_iter().map(|i| conditions[i]).collect();
        return Ok(SearchAnswer::Unsat(core));
    }
    let problem = std::mem::take(&mut encoding.problem);
    let mut symbols: Vec<(Symbol, Var)> = encoding.symbols.iter().map(|(s, v)| (*s, *v)).collect();
    symbols.sort_unstable();
    let mut none = NoObserver;
    let set = |model: &mut Model, symbol: Symbol, value: &Rational| {
        model.set_int(symbol, integer(value));
    };
    let mut shown = Shown::new(trials, query.witness, symbols.clone(), set);
    let observer: &mut dyn Observer = if shown.is_wanted() {
        &mut shown
    } else {
        &mut none
    };
    let atoms = std::mem::take(&mut encoding.atoms);
    let stop = encoding.sat.interrupt();
    let mut theory = Theory::new(problem, atoms, observer, ticks, stop);
    let truth = encoding.sat.external(encoding.truth).idx();
    // Definitions alone are never contradictory.
    if !theory.fix(&fixed, truth) {
        return Err(Why::Internal);
    }
    let mut search = WithIntegers {
        encoding,
        theory,
        roots,
        symbols,
    };
    let mut question = Question {
        terms: &conditions,
        symbols: &query.slice.symbols,
        start: query.witness,
        conflicts: budget.conflicts,
        effort: u64::MAX,
        deadline: env.deadline,
        intervals: &Intervals::default(),
        evaluator: env.evaluator,
        trials: &mut NoTrials, // the simplex has them
    };
    let cone = env.pool.cone(&conditions);
    let answer = theory::decide(&mut search, env.pool, &cone, &mut question, env.stats);
    env.stats.sat_conflicts += search.encoding.sat.conflicts();
    env.stats.simplex_pivots += search.theory.pivots();
    env.stats.theory_propagations += search.theory.propagations();
    Ok(answer)
}

/// The search for a model of conditions over integers and bit-vectors.
struct WithIntegers<'t> {
    encoding: Encoding,
    theory: Theory<'t>,
    /// The SAT solver's literals of the conditions.
    roots: Vec<Lit>,
    /// Integer symbols.
    symbols: Vec<(Symbol, Var)>,
}

impl Search for WithIntegers<'_> {
    fn parts(&mut self) -> (&mut Lowering, &mut Cnf, &mut dyn SatBackend) {
        let Encoding {
            lowering, cnf, sat, ..
        } = &mut self.encoding;
        (lowering, cnf, sat)
    }

    fn search(
        &mut self,
        pool: &Pool,
        question: &mut Question<'_>,
        conflicts: u64,
        stats: &mut SolverStats,
    ) -> SearchAnswer {
        let Encoding {
            lowering, cnf, sat, ..
        } = &mut self.encoding;
        let deadline = question.deadline;
        let limits = SatLimits {
            conflicts,
            deadline,
        };
        let result = sat.run(&mut self.theory, &self.roots, &limits);
        stats.sat_calls += 1;
        match (result, &self.theory.solution) {
            (SatResult::Unsat, _) if !self.theory.incomplete => {
                let failed = (0..self.roots.len()).filter(|&i| sat.failed(self.roots[i]));
                let mut core: BTreeSet<usize> = failed.collect();
                core.extend(self.encoding.premises());
                SearchAnswer::Unsat(core.into_iter().map(|i| question.terms[i]).collect())
            }
            (SatResult::Sat, Some(solution)) => {
                let (symbols, start) = (question.symbols, question.start);
                let mut model = lowering.read_model(pool, cnf, sat, symbols, start);
                for &(symbol, v) in &self.symbols {
                    model.set_int(symbol, self.encoding.value_of(solution, v));
                }
                SearchAnswer::Sat(model)
            }
            _ => {
                let is_late = deadline.is_some_and(|end| end.is_past());
                SearchAnswer::Unknown(if is_late { Why::Timeout } else { Why::Budget })
            }
        }
    }
}
