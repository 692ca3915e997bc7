//! One SAT instance, and the search in it.
//!
//! The search begins near the start assignment, unless [`SatStart`] says otherwise: see [`InContext::prime`]. If the query has a receiver of trials, the
//! trails of a longer search are shown to it.

use crate::circuit::Lowering;
use crate::circuit::cnf::Cnf;
use crate::circuit::model::{Input, completed, inputs, read_model};
use crate::cx::Cx;
use crate::model::Model;
use crate::options::SatStart;
use crate::query::{GATE_EFFORT, Technique, Why};
use crate::refine::{self, Question, Search, SearchAnswer};
use crate::sat::{Lit, Recorder, SatBackend, SatEngine, SatLimits, SatResult};
use linear::Deadline;
use rustc_hash::FxHashMap;
use term::Term;

/// Conflicts before the SAT solver's phases are set to the start assignment.
const EASY: u64 = 20;

/// However large the circuit, a query may have this many conflicts.
const MIN_CONFLICTS: u64 = 50;

/// A context with more gates lives only until the next one is built.
pub(super) const LARGE: usize = 300_000;

/// A circuit with its clauses in a SAT solver.
pub(super) struct SatContext {
    pub lowering: Lowering,
    pub cnf: Cnf,
    sat: Box<dyn SatBackend>,
    start: SatStart,
    /// The query that used it last.
    pub last_used: u64,
}

/// [`Budget::effort`](crate::Budget::effort) of growing a circuit from `old` to `new` gates and of conflicts
/// in it.
pub(super) fn effort(old: usize, new: usize, conflicts: u64) -> u64 {
    let built = (new - old) as u64;
    (built * GATE_EFFORT).saturating_add(conflicts.saturating_mul(new as u64))
}

impl SatContext {
    /// An empty instance.
    pub fn new(lowering: Lowering, engine: SatEngine, start: SatStart) -> SatContext {
        SatContext {
            lowering,
            cnf: Cnf::default(),
            sat: engine.build(),
            start,
            last_used: 0,
        }
    }

    /// Number of gates.
    pub fn gates(&self) -> usize {
        self.lowering.circuit.gates()
    }

    /// Decides the question; `cone` are all terms below it.
    pub fn solve(
        &mut self,
        cx: &mut Cx<'_>,
        question: &mut Question<'_>,
        cone: &[Term],
    ) -> SearchAnswer {
        let gates = self.gates();
        let limits = &mut self.lowering.circuit.limits;
        limits.gates = usize::try_from(question.effort / GATE_EFFORT)
            .unwrap_or(usize::MAX)
            .saturating_add(gates);
        limits.deadline = cx.deadline;
        let mut assumptions: Vec<Lit> = Vec::with_capacity(question.terms.len());
        let mut source: FxHashMap<Lit, Term> = FxHashMap::default();
        for &t in question.terms {
            let lit = match self.lowering.condition(cx.pool, t) {
                Ok(lit) => lit,
                Err(why) => return SearchAnswer::Unknown(why),
            };
            if lit == Lit::TRUE {
                continue;
            }
            if lit == Lit::FALSE {
                return SearchAnswer::Unsat(vec![t]);
            }
            if let Some(&other) = source.get(&!lit) {
                return SearchAnswer::Unsat(vec![other, t]);
            }
            if source.insert(lit, t).is_none() {
                assumptions.push(lit);
            }
        }
        let aig = &self.lowering.circuit.aig;
        let assumptions: Vec<(Lit, Term)> = assumptions
            .iter()
            .map(|&l| (self.cnf.implying(aig, &mut *self.sat, l), source[&l]))
            .collect();
        let left = question
            .effort
            .saturating_sub(effort(gates, self.gates(), 0));
        let allowed = left / self.gates().max(1) as u64;
        question.conflicts = question
            .conflicts
            .min(allowed.saturating_add(MIN_CONFLICTS));
        let before = self.sat.conflicts();
        let mut search = InContext {
            context: self,
            assumptions,
        };
        let answer = refine::decide(&mut search, cx, cone, question);
        cx.stats.sat_conflicts += self.sat.conflicts() - before;
        answer
    }
}

/// The search for a model of conditions in a context.
struct InContext<'c> {
    context: &'c mut SatContext,
    /// The SAT solver's literals that imply the conditions.
    assumptions: Vec<(Lit, Term)>,
}

impl Search for InContext<'_> {
    fn parts(&mut self) -> (&mut Lowering, &mut Cnf, &mut dyn SatBackend) {
        let SatContext {
            lowering, cnf, sat, ..
        } = &mut *self.context;
        (lowering, cnf, &mut **sat)
    }

    fn search(
        &mut self,
        cx: &mut Cx<'_>,
        question: &mut Question<'_>,
        conflicts: u64,
    ) -> SearchAnswer {
        match self.call(cx, question, conflicts) {
            SatResult::Sat => {
                let (symbols, start) = (question.symbols, question.start);
                let (lowering, cnf, sat) = self.parts();
                SearchAnswer::Sat(read_model(
                    cx.pool,
                    &lowering.circuit,
                    cnf,
                    sat,
                    symbols,
                    start,
                ))
            }
            SatResult::Unsat => {
                let sat = &mut self.context.sat;
                let failed = self.assumptions.iter().filter(|&&(l, _)| sat.failed(l));
                SearchAnswer::Unsat(failed.map(|&(_, t)| t).collect())
            }
            SatResult::OutOfConflicts => SearchAnswer::Unknown(Why::Budget),
            SatResult::OutOfTime => SearchAnswer::Unknown(Why::Timeout),
        }
    }
}

impl InContext<'_> {
    /// A call of the SAT solver: a short one, then one that is primed and, if there is a receiver of trials, watched.
    fn call(&mut self, cx: &mut Cx<'_>, question: &mut Question<'_>, conflicts: u64) -> SatResult {
        let deadline = cx.deadline;
        let limits = |conflicts| SatLimits {
            conflicts,
            deadline,
        };
        cx.stats.sat_calls += 1;
        let external: Vec<Lit> = self.assumptions.iter().map(|&(lit, _)| lit).collect();
        if question.begins_near_start {
            let inputs = self.inputs(cx, question);
            self.prime(&inputs, question.start, deadline);
        }
        let sat = &mut self.context.sat;
        let result = sat.solve(&external, &limits(conflicts.min(EASY)));
        if result != SatResult::OutOfConflicts || conflicts <= EASY {
            return result;
        }
        let inputs = self.inputs(cx, question);
        if self.context.start == SatStart::Witness && !question.begins_near_start {
            self.prime(&inputs, question.start, deadline);
        }
        let limits = limits(conflicts - EASY);
        if cx.trials.wanted() {
            self.watch(cx, question.start, &inputs, &external, &limits)
        } else {
            self.context.sat.solve(&external, &limits)
        }
    }

    /// The inputs of the circuit that are wanted.
    fn inputs(&self, cx: &Cx<'_>, question: &Question<'_>) -> Vec<Input> {
        let SatContext { lowering, cnf, .. } = &*self.context;
        inputs(cx.pool, &lowering.circuit, cnf, question.symbols)
    }

    /// Leaves the start assignment in the saved phases of the SAT solver, by one call in which the
    /// inputs are assumed and the rest follows by propagation. The start satisfies the path, so the
    /// search then repairs what the new condition breaks instead of finding everything anew.
    fn prime(&mut self, inputs: &[Input], start: &Model, deadline: Option<Deadline>) {
        let as_in_start = inputs.iter().map(|i| i.lit.negate_if(!i.value(start)));
        let as_in_start: Vec<Lit> = as_in_start.collect();
        let limits = SatLimits {
            conflicts: EASY,
            deadline,
        };
        self.context.sat.solve(&as_in_start, &limits);
    }

    /// A search whose trails are shown, completed to assignments of all inputs.
    fn watch(
        &mut self,
        cx: &mut Cx<'_>,
        start: &Model,
        inputs: &[Input],
        external: &[Lit],
        limits: &SatLimits,
    ) -> SatResult {
        let phases = inputs.iter().map(|i| i.value(start)).collect();
        let lits = inputs.iter().map(|i| i.lit).collect();
        let mut recorder = Recorder::new(lits, phases);
        let sat = &mut self.context.sat;
        let result = sat.solve_watched(external, limits, &mut recorder);
        cx.stats.sat_watched += !recorder.tried.is_empty() as u64;
        for values in &recorder.tried {
            let model = completed(cx.pool, start, inputs, values);
            cx.trials.tried(&model, Technique::Trail);
        }
        result
    }
}
