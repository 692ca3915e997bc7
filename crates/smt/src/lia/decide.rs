//! The search: the encoding under CDCL(T), refined until the abstract parts hold, too.
//!
//! Products and divisions of bit-vectors are circuits here; arrays are abstract as in the
//! bit-blaster, and their axioms go into the same SAT solver between two searches.

use super::encode::{Encoding, IntegerEncoding};
use super::numbers::integer;
use super::theory::Theory;
use super::trails::{self, Trails};
use linear::{NoObserver, Observer, Rational, Ticks, Var};
use solver::Model;
use solver::sat::{Lit, SatBackend, SatLimits, SatResult};
use solver::theory::{self, Cnf, Intervals, Lowering, Question, Search, SearchAnswer, Shown};
use solver::{Cx, NoTrials, Query, Technique, Why};
use std::collections::BTreeSet;
use term::Symbol;

/// Ticks (coefficients touched) per conflict that the budget allows.
const TICKS_PER_CONFLICT: u64 = 500;

/// Decides the conditions of a query by one of the encodings.
pub(super) fn encode_and_search(
    cx: &mut Cx<'_>,
    query: &Query<'_>,
    method: IntegerEncoding,
) -> Result<SearchAnswer, Why> {
    let conditions = query.conditions();
    let mut encoding = Encoding::new(theory::whole_circuits(cx.deadline), method);
    let roots = encoding.conditions(cx.pool, &conditions)?;
    if let Some(i) = roots.iter().position(|&root| root == Lit::FALSE) {
        let core: BTreeSet<usize> = encoding.premises().chain([i]).collect();
        return Ok(SearchAnswer::Unsat(
            core.into_iter().map(|i| conditions[i]).collect(),
        ));
    }
    let ticks = cx.budget.conflicts.saturating_mul(TICKS_PER_CONFLICT);
    let ticks = Ticks::until(ticks, cx.deadline);
    let fixed = std::mem::take(&mut encoding.fixed);
    let roots_of_graph = roots;
    let roots = roots_of_graph.iter().map(|&r| encoding.external(r));
    let roots: Vec<Lit> = roots.collect();
    // Who watches the simplex sees all of its way.
    if !cx.trials.wanted()
        && let Some(core) = encoding.refuted_at_root(&roots_of_graph, &fixed, &ticks)
    {
        let core = core.into_iter().map(|i| conditions[i]).collect();
        return Ok(SearchAnswer::Unsat(core));
    }
    let problem = std::mem::take(&mut encoding.problem);
    let mut symbols: Vec<(Symbol, Var)> = encoding.symbols.iter().map(|(s, v)| (*s, *v)).collect();
    symbols.sort_unstable();
    // The simplex and the trails have the listener; abstract models of circuits are not shown.
    let mut nobody = NoTrials;
    let (mut cx, trials) = cx.apart(&mut nobody);
    let mut none = NoObserver;
    let set = |model: &mut Model, symbol: Symbol, value: &Rational| {
        model.set_int(symbol, integer(value));
    };
    let mut shown = Shown::new(trials, query.witness, symbols.clone(), set);
    let is_watched = shown.is_wanted();
    let observer: &mut dyn Observer = if is_watched { &mut shown } else { &mut none };
    let atoms = std::mem::take(&mut encoding.atoms);
    let stop = encoding.sat.interrupt();
    let mut theory = Theory::new(problem, atoms, observer, ticks, stop);
    let truth = encoding.sat.external(encoding.truth).idx();
    // Definitions alone are never contradictory.
    if !theory.fix(&fixed, truth) {
        return Err(Why::Internal);
    }
    if is_watched {
        let wanted = &query.slice.symbols;
        let (lowering, cnf) = (&encoding.lowering, &encoding.cnf);
        let start = lowering.inputs(cx.pool, cnf, wanted, query.witness);
        let integers = symbols.iter().map(|&(_, v)| v).collect();
        theory.trails = Some(Trails::new(encoding.sat.variables(), &start, integers));
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
        begins_near_start: false,
        conflicts: cx.budget.conflicts,
        effort: u64::MAX,
        intervals: &Intervals::default(),
    };
    let cone = cx.pool.cone(&conditions);
    let answer = theory::decide(&mut search, &mut cx, &cone, &mut question);
    cx.stats.sat_conflicts += search.encoding.sat.conflicts();
    cx.stats.simplex_pivots += search.theory.pivots();
    cx.stats.theory_propagations += search.theory.propagations();
    let trails = search.trails(&cx, &question);
    drop(search);
    for model in trails {
        shown.tried(&model, Technique::Trail);
    }
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

impl WithIntegers<'_> {
    /// The assignments of the trails that were noted.
    fn trails(&mut self, cx: &Cx<'_>, question: &Question<'_>) -> Vec<Model> {
        let Some(noted) = self.theory.trails.take() else {
            return Vec::new();
        };
        let mut models = Vec::new();
        for (phases, numbers) in noted.assignments() {
            let value = |lit| trails::value(phases, lit);
            let Encoding { lowering, cnf, .. } = &self.encoding;
            let (symbols, start) = (question.symbols, question.start);
            let mut model = lowering.completed(cx.pool, cnf, symbols, start, value);
            for (&(symbol, v), number) in self.symbols.iter().zip(numbers) {
                let of_bits = self.encoding.value_of_bits(v, |_, lit| value(lit));
                model.set_int(symbol, of_bits.unwrap_or_else(|| integer(number)));
            }
            if models.last() != Some(&model) {
                models.push(model);
            }
        }
        models
    }
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
        cx: &mut Cx<'_>,
        question: &mut Question<'_>,
        conflicts: u64,
    ) -> SearchAnswer {
        let Encoding {
            lowering, cnf, sat, ..
        } = &mut self.encoding;
        let deadline = cx.deadline;
        let limits = SatLimits {
            conflicts,
            deadline,
        };
        let result = sat.run(&mut self.theory, &self.roots, &limits);
        cx.stats.sat_calls += 1;
        match (result, &self.theory.solution) {
            (SatResult::Unsat, _) if !self.theory.incomplete => {
                let failed = (0..self.roots.len()).filter(|&i| sat.failed(self.roots[i]));
                let mut core: BTreeSet<usize> = failed.collect();
                core.extend(self.encoding.premises());
                SearchAnswer::Unsat(core.into_iter().map(|i| question.terms[i]).collect())
            }
            (SatResult::Sat, Some(solution)) => {
                let (symbols, start) = (question.symbols, question.start);
                let mut model = lowering.read_model(cx.pool, cnf, sat, symbols, start);
                for &(symbol, v) in &self.symbols {
                    model.set_int(symbol, self.encoding.value_of(solution, v));
                }
                SearchAnswer::Sat(model)
            }
            _ => {
                let is_late = cx.is_late();
                SearchAnswer::Unknown(if is_late { Why::Timeout } else { Why::Budget })
            }
        }
    }
}
