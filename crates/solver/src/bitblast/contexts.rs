//! SAT instances that stay small.
//!
//! One ever-growing instance is a trap: every query pays for all circuits that other queries left
//! behind, because propagation and in-processing walk them. So there are a few contexts, each used
//! by the queries of one region of the path tree. A query goes to the context that knows most of
//! its terms already, unless that context (with what is missing) would exceed a small multiple of
//! the query's own cone; then a fresh one replaces the least recently used.
//!
//! A conjunct is asserted by assuming the output literal of its circuit, which is its activation
//! literal as well: nothing about any path is ever asserted for good, learnt clauses stay valid,
//! and the failed assumptions *are* the unsatisfiable core.

use super::cnf::Cnf;
use super::lower::{Lowering, Settings, cost, is_array_equality};
use crate::arith::refine::{ArithmeticRefiner, MAX_CONFLICTS};
use crate::arith::{OpId, is_arithmetic};
use crate::arrays::equality::NARROW;
use crate::arrays::inspect::{Relevant, inspect};
use crate::arrays::precheck::Intervals;
use crate::arrays::refine::Refiner;
use crate::query::{Core, Model, Technique, Trials, Why};
use crate::sat::{Engine, Lit, Recorder, SatBackend, SatLimits, SatResult};
use crate::slice::limbs;
use crate::stats::SolverStats;
use linear::Deadline;
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Instant;
use term::{Evaluator, Op, Pool, Relocation, Sort, Symbol, Term};

/// Contexts kept at once.
const CONTEXTS: usize = 6;
/// A context may cost this many times the cone of a query it serves…
const GROWTH: u64 = 3;
/// …plus this many gates.
const SLACK: u64 = 600;

/// Conflicts before the SAT solver's phases are set to the start assignment.
const EASY: u64 = 20;

/// Building a gate and its clauses takes about as long as this many gates take in a conflict.
const GATE_EFFORT: u64 = 32;
/// However large the circuit, a query may have this many conflicts.
const MIN_CONFLICTS: u64 = 50;

/// A context with more gates lives only until the next one is built.
const LARGE: usize = 300_000;

struct SatContext {
    lowering: Lowering,
    cnf: Cnf,
    sat: Box<dyn SatBackend>,
    last_used: u64,
}

/// [`Budget::effort`](crate::Budget::effort) of growing a circuit from `old` to `new` gates and of conflicts
/// in it.
fn effort(old: usize, new: usize, conflicts: u64) -> u64 {
    let built = (new - old) as u64;
    (built * GATE_EFFORT).saturating_add(conflicts.saturating_mul(new as u64))
}

/// What a SAT call says about a set of terms.
pub(crate) enum Answer {
    /// Values of the symbols (others are as in the start assignment).
    Sat(Model),
    /// Terms that cannot hold together.
    Unsat(Core),
    Unknown(Why),
}

/// What a set of terms is decided with.
pub(crate) struct Question<'a> {
    pub terms: &'a [Term],
    /// The symbols whose values are wanted.
    pub symbols: &'a [Symbol],
    /// Gives the values of what no circuit mentions.
    pub start: &'a Model,
    pub conflicts: u64,
    /// What is left of [`Budget::effort`](crate::Budget::effort).
    pub effort: u64,
    pub deadline: Option<Deadline>,
    /// Bounds of index terms that hold for this question.
    pub intervals: &'a Intervals,
    /// Evaluates the terms under abstract models of arrays, which are shown to `trials`.
    pub evaluator: &'a mut Evaluator,
    pub trials: &'a mut dyn Trials,
}

/// What of a query may be abstract.
struct Abstracted {
    /// Reads and equalities of arrays.
    arrays: Vec<Term>,
    /// Products and divisions.
    operations: Vec<Term>,
}

/// How refinement ends.
enum Refined {
    Model(Model),
    /// The SAT solver found no model.
    Not(SatResult),
}

/// The contexts of one SAT engine.
pub(crate) struct Contexts {
    engine: Engine,
    settings: Settings,
    contexts: Vec<SatContext>,
    clock: u64,
}

impl Contexts {
    pub fn new(engine: Engine, settings: Settings) -> Contexts {
        Contexts {
            engine,
            settings,
            contexts: Vec::new(),
            clock: 0,
        }
    }

    /// Terms were renumbered.
    pub fn relocate(&mut self, relocation: Option<&Relocation>) {
        match relocation {
            Some(relocation) => {
                for context in &mut self.contexts {
                    context.lowering.relocate(relocation);
                }
            }
            None => self.contexts.clear(),
        }
    }

    /// Decides a set of conditions.
    pub fn solve(
        &mut self,
        pool: &Pool,
        question: &mut Question<'_>,
        stats: &mut SolverStats,
    ) -> Answer {
        let (index, abstracted) = self.choose(pool, question.terms, stats);
        let context = &mut self.contexts[index];
        let gates = context.lowering.gates();
        let (variables, clauses) = (context.cnf.variables, context.cnf.clauses);
        let conflicts = stats.sat_conflicts;
        let answer = context.solve(pool, question, &abstracted, stats);
        let spent = effort(
            gates,
            context.lowering.gates(),
            stats.sat_conflicts - conflicts,
        );
        stats.effort += spent;
        if question.effort != u64::MAX {
            question.effort = question.effort.saturating_sub(spent);
        }
        stats.gates += (context.lowering.gates() - gates) as u64;
        stats.variables += context.cnf.variables - variables;
        stats.clauses += context.cnf.clauses - clauses;
        if matches!(answer, Answer::Unknown(Why::TooLarge)) {
            self.contexts.swap_remove(index);
        }
        answer
    }

    /// The context that knows most of the terms and stays small enough, or a fresh one; and what
    /// below the terms may be abstract.
    fn choose(
        &mut self,
        pool: &Pool,
        terms: &[Term],
        stats: &mut SolverStats,
    ) -> (usize, Abstracted) {
        self.clock += 1;
        let (cone, nodes) = cone(pool, terms);
        // The candidates by how many of the conditions themselves they know, latest first; only
        // the first one that knows anything of the cone is measured exactly.
        let mut candidates: Vec<(usize, u64, usize)> = (0..self.contexts.len())
            .map(|i| {
                let context = &self.contexts[i];
                let known = terms.iter().filter(|&&t| context.lowering.has(t)).count();
                (known, context.last_used, i)
            })
            .collect();
        candidates.sort_unstable_by(|a, b| b.cmp(a));
        let fits = |i: usize| {
            let lowering = &self.contexts[i].lowering;
            let missing: u64 = nodes
                .iter()
                .filter(|(t, _)| !lowering.has(*t))
                .map(|&(_, c)| c)
                .sum();
            missing < cone && lowering.cost + missing <= GROWTH * cone + SLACK
        };
        let chosen = candidates.iter().take(2).map(|c| c.2).find(|&i| fits(i));
        let index = match chosen {
            Some(i) => i,
            None => {
                if self.contexts.len() >= CONTEXTS {
                    let oldest = (0..self.contexts.len())
                        .min_by_key(|&i| self.contexts[i].last_used)
                        .expect("not empty");
                    self.contexts.swap_remove(oldest);
                }
                self.contexts.retain(|c| c.lowering.gates() <= LARGE);
                stats.contexts_built += 1;
                self.contexts.push(SatContext {
                    lowering: Lowering::new(self.settings),
                    cnf: Cnf::default(),
                    sat: self.engine.build(),
                    last_used: 0,
                });
                self.contexts.len() - 1
            }
        };
        self.contexts[index].last_used = self.clock;
        let terms = || nodes.iter().map(|&(t, _)| t);
        let abstracted = Abstracted {
            arrays: terms()
                .filter(|&t| pool.op(t) == Op::Select || is_array_equality(pool, t))
                .collect(),
            operations: terms().filter(|&t| is_arithmetic(pool.op(t))).collect(),
        };
        (index, abstracted)
    }
}

/// Cost of all nodes below the terms, and the nodes with theirs.
fn cone(pool: &Pool, terms: &[Term]) -> (u64, Vec<(Term, u64)>) {
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut stack: Vec<Term> = terms.to_vec();
    let mut nodes = Vec::new();
    let mut total = 0;
    while let Some(t) = stack.pop() {
        if pool.is_const(t) || !seen.insert(t) {
            continue;
        }
        let c = cost(pool, t);
        total += c;
        nodes.push((t, c));
        stack.extend_from_slice(pool.children(t));
    }
    (total, nodes)
}

impl SatContext {
    fn solve(
        &mut self,
        pool: &Pool,
        question: &mut Question<'_>,
        abstracted: &Abstracted,
        stats: &mut SolverStats,
    ) -> Answer {
        let deadline = question.deadline;
        let gates = self.lowering.gates();
        self.lowering.limit = usize::try_from(question.effort / GATE_EFFORT)
            .unwrap_or(usize::MAX)
            .saturating_add(gates);
        let mut assumptions: Vec<Lit> = Vec::with_capacity(question.terms.len());
        let mut source: FxHashMap<Lit, Term> = FxHashMap::default();
        for &t in question.terms {
            let lit = match self.lowering.condition(pool, t, deadline) {
                Ok(lit) => lit,
                Err(why) => return Answer::Unknown(why),
            };
            if lit == Lit::TRUE {
                continue;
            }
            if lit == Lit::FALSE {
                return Answer::Unsat(vec![t]);
            }
            if let Some(&other) = source.get(&!lit) {
                return Answer::Unsat(vec![other, t]);
            }
            if source.insert(lit, t).is_none() {
                assumptions.push(lit);
            }
        }
        let external: Vec<Lit> = assumptions
            .iter()
            .map(|&l| self.cnf.implying(&self.lowering.aig, &mut *self.sat, l))
            .collect();
        self.refiner(pool, deadline).settle();
        let operations = self.arithmetic().relevant(&abstracted.operations);
        let before = self.sat.conflicts();
        let left = question
            .effort
            .saturating_sub(effort(gates, self.lowering.gates(), 0));
        let allowed = left / self.lowering.gates().max(1) as u64;
        question.conflicts = question
            .conflicts
            .min(allowed.saturating_add(MIN_CONFLICTS));
        let result = self.search(pool, question, &external, question.conflicts, stats);
        let relevant = Relevant::gather(
            pool,
            &self.lowering.arrays,
            &abstracted.arrays,
            question.intervals,
        );
        let is_exact = relevant.is_empty() && operations.is_empty();
        let answer = match result {
            SatResult::Sat if is_exact => {
                Answer::Sat(self.model(pool, question.symbols, question.start))
            }
            result if is_exact => self.negative(result, &assumptions, &external, &source),
            result => {
                let begun = Instant::now();
                stats.array_queries += u64::from(!relevant.is_empty());
                stats.arith_queries += u64::from(!operations.is_empty());
                let refined = self.refine(
                    pool,
                    question,
                    &relevant,
                    &operations,
                    result,
                    &external,
                    stats,
                );
                let answer = match refined {
                    Ok(Refined::Model(model)) => Answer::Sat(model),
                    Ok(Refined::Not(result)) => {
                        self.negative(result, &assumptions, &external, &source)
                    }
                    Err(why) => Answer::Unknown(why),
                };
                let refiner = self.refiner(pool, deadline);
                stats.array_axioms_spared += refiner.spared(&relevant);
                if !relevant.is_empty() {
                    stats.array_nanoseconds += begun.elapsed().as_nanos() as u64;
                }
                answer
            }
        };
        stats.sat_conflicts += self.sat.conflicts() - before;
        answer
    }

    fn refiner<'a>(&'a mut self, pool: &'a Pool, deadline: Option<Deadline>) -> Refiner<'a> {
        Refiner {
            pool,
            lowering: &mut self.lowering,
            cnf: &mut self.cnf,
            sat: &mut *self.sat,
            deadline,
            added: 0,
            filtered: 0,
        }
    }

    fn arithmetic(&mut self) -> ArithmeticRefiner<'_> {
        ArithmeticRefiner {
            lowering: &mut self.lowering,
            cnf: &mut self.cnf,
            sat: &mut *self.sat,
            lemmas: 0,
            circuits: 0,
        }
    }

    /// One call of the SAT solver.
    fn search(
        &mut self,
        pool: &Pool,
        question: &mut Question<'_>,
        external: &[Lit],
        conflicts: u64,
        stats: &mut SolverStats,
    ) -> SatResult {
        let deadline = question.deadline;
        let limits = |conflicts| SatLimits {
            conflicts,
            deadline,
        };
        stats.sat_calls += 1;
        let mut result = self.sat.solve(external, &limits(conflicts.min(EASY)));
        if result == SatResult::OutOfConflicts && conflicts > EASY {
            self.prime(pool, question.symbols, question.start, question.deadline);
            let limits = limits(conflicts - EASY);
            result = match question.trials.wanted() {
                true => self.watch(pool, question, external, &limits, stats),
                false => self.sat.solve(external, &limits),
            };
        }
        result
    }

    /// A search whose trails are shown, completed to assignments of all inputs.
    fn watch(
        &mut self,
        pool: &Pool,
        question: &mut Question<'_>,
        external: &[Lit],
        limits: &SatLimits,
        stats: &mut SolverStats,
    ) -> SatResult {
        let mut bits: Vec<(Symbol, usize)> = Vec::new();
        let (mut inputs, mut phases) = (Vec::new(), Vec::new());
        for &symbol in question.symbols {
            let (Some(own), Sort::BitVec(width)) =
                (self.lowering.symbol(symbol), pool.symbol_sort(symbol))
            else {
                continue;
            };
            let limbs = limbs(question.start, symbol, width);
            for (i, &bit) in own.iter().enumerate() {
                if let Some(lit) = self.cnf.get(bit) {
                    bits.push((symbol, i));
                    inputs.push(lit);
                    phases.push(limbs[i / 64] >> (i % 64) & 1 == 1);
                }
            }
        }
        let mut recorder = Recorder::new(inputs, phases);
        let result = self.sat.solve_watched(external, limits, &mut recorder);
        stats.sat_watched += !recorder.tried.is_empty() as u64;
        for values in &recorder.tried {
            let mut model = question.start.clone();
            for bits in bits
                .iter()
                .zip(values)
                .collect::<Vec<_>>()
                .chunk_by(|a, b| a.0.0 == b.0.0)
            {
                let symbol = bits[0].0.0;
                let width = pool.symbol_sort(symbol).bits();
                let mut limbs = limbs(question.start, symbol, width);
                for &(&(_, i), &value) in bits {
                    let (limb, mask) = (i / 64, 1u64 << (i % 64));
                    limbs[limb] = limbs[limb] & !mask | if value { mask } else { 0 };
                }
                match width {
                    ..=64 => model.set(symbol, limbs[0]),
                    _ => model.set_wide(symbol, &limbs),
                }
            }
            question.trials.tried(&model, Technique::Trail);
        }
        result
    }

    /// Refines the abstraction of arrays (Alg. 2 of "Type and interval aware array constraint solving for
    /// symbolic execution") and of arithmetic until a model holds or there is none.
    #[allow(clippy::too_many_arguments)]
    fn refine(
        &mut self,
        pool: &Pool,
        question: &mut Question<'_>,
        relevant: &Relevant,
        operations: &[OpId],
        mut result: SatResult,
        external: &[Lit],
        stats: &mut SolverStats,
    ) -> Result<Refined, Why> {
        guard_defaults(&self.lowering, pool, relevant)?;
        let begun = self.sat.conflicts();
        let mut relevant_now;
        let mut relevant = relevant;
        let mut round = 0;
        while result == SatResult::Sat {
            let mut model = self.model(pool, question.symbols, question.start);
            let (mut violations, mut technique) = (Vec::new(), Technique::Abstraction);
            if !relevant.is_empty() {
                technique = Technique::Cegar;
                violations = inspect(
                    pool,
                    &self.lowering,
                    &self.cnf,
                    &mut *self.sat,
                    relevant,
                    question.symbols,
                    &mut model,
                    question.evaluator,
                );
            }
            question.trials.tried(&model, technique);
            stats.evaluations += 1;
            let wrong = question
                .evaluator
                .first_false(pool, question.terms, &model)
                .is_some();
            if !wrong {
                return Ok(Refined::Model(model));
            }
            let spent = self.sat.conflicts() - begun;
            let values = self.arithmetic().values(operations);
            let mut added = 0;
            if !violations.is_empty() {
                let mut refiner = self.refiner(pool, question.deadline);
                refiner.refine(relevant, &violations, round, true)?;
                if refiner.added == 0 && refiner.filtered > 0 {
                    // The safety net: what is known of the indices was not enough.
                    stats.array_nets += 1;
                    refiner.refine(relevant, &violations, round, false)?;
                }
                added = refiner.added;
                stats.array_axioms += added;
                stats.array_refinements += 1;
                round += 1;
            }
            if !operations.is_empty() {
                let mut refiner = self.arithmetic();
                refiner.refine(operations, &values, spent > MAX_CONFLICTS)?;
                added += refiner.lemmas + refiner.circuits;
                stats.arith_lemmas += refiner.lemmas;
                stats.arith_circuits += refiner.circuits;
                stats.arith_rounds += 1;
            }
            if added == 0 {
                return Ok(Refined::Model(model)); // its evaluation fails, which is counted
            }
            if !relevant.is_empty() {
                relevant_now = Relevant::gather(
                    pool,
                    &self.lowering.arrays,
                    &relevant.roots,
                    question.intervals,
                );
                relevant = &relevant_now;
            }
            if spent >= question.conflicts {
                return Err(Why::Budget);
            }
            if question.deadline.is_some_and(|end| end.is_past()) {
                return Err(Why::Timeout);
            }
            result = self.search(pool, question, external, question.conflicts - spent, stats);
        }
        Ok(Refined::Not(result))
    }

    /// The answer when there is no model.
    fn negative(
        &mut self,
        result: SatResult,
        assumptions: &[Lit],
        external: &[Lit],
        source: &FxHashMap<Lit, Term>,
    ) -> Answer {
        match result {
            SatResult::Sat => Answer::Unknown(Why::Internal),
            SatResult::Unsat => {
                let core = assumptions
                    .iter()
                    .zip(external)
                    .filter(|&(_, &e)| self.sat.failed(e))
                    .map(|(l, _)| source[l])
                    .collect();
                Answer::Unsat(core)
            }
            SatResult::OutOfConflicts => Answer::Unknown(Why::Budget),
            SatResult::OutOfTime => Answer::Unknown(Why::Timeout),
        }
    }

    /// Leaves the start assignment in the saved phases of the SAT solver, by one call in which the
    /// inputs are assumed and the rest follows by propagation. The start satisfies the path, so the
    /// search then repairs what the new condition breaks instead of finding everything anew.
    fn prime(
        &mut self,
        pool: &Pool,
        symbols: &[Symbol],
        start: &Model,
        deadline: Option<Deadline>,
    ) {
        let mut inputs: Vec<Lit> = Vec::new();
        for &symbol in symbols {
            let (Some(bits), Sort::BitVec(width)) =
                (self.lowering.symbol(symbol), pool.symbol_sort(symbol))
            else {
                continue;
            };
            let limbs = limbs(start, symbol, width);
            for (i, &bit) in bits.iter().enumerate() {
                if let Some(lit) = self.cnf.get(bit) {
                    inputs.push(lit.negate_if(limbs[i / 64] >> (i % 64) & 1 == 0));
                }
            }
        }
        let limits = SatLimits {
            conflicts: EASY,
            deadline,
        };
        self.sat.solve(&inputs, &limits);
    }

    fn model(&mut self, pool: &Pool, symbols: &[Symbol], start: &Model) -> Model {
        read_model(
            pool,
            &self.lowering,
            &self.cnf,
            &mut *self.sat,
            symbols,
            start,
        )
    }
}

/// The symbols' values in the SAT solver's model. Bits that no clause mentions keep the start
/// assignment's value.
pub(crate) fn read_model(
    pool: &Pool,
    lowering: &Lowering,
    cnf: &Cnf,
    sat: &mut dyn SatBackend,
    symbols: &[Symbol],
    start: &Model,
) -> Model {
    let mut model = start.clone();
    for &symbol in symbols {
        let (Some(bits), Sort::BitVec(width)) = (lowering.symbol(symbol), pool.symbol_sort(symbol))
        else {
            continue;
        };
        let mut limbs = limbs(start, symbol, width);
        for (i, &bit) in bits.iter().enumerate() {
            if let Some(lit) = cnf.get(bit) {
                let (limb, mask) = (i / 64, 1u64 << (i % 64));
                if sat.value(lit) {
                    limbs[limb] |= mask;
                } else {
                    limbs[limb] &= !mask;
                }
            }
        }
        if width <= 64 {
            model.set(symbol, limbs[0]);
        } else {
            model.set_wide(symbol, &limbs);
        }
    }
    model
}

/// Default elements of compared arrays need an index that the context does not mention.
pub(crate) fn guard_defaults(
    lowering: &Lowering,
    pool: &Pool,
    relevant: &Relevant,
) -> Result<(), Why> {
    for &t in &relevant.equalities {
        if let Sort::Array { index, .. } = pool.sort(pool.child(t, 0))
            && index > NARROW
            && index < 32
            && lowering.mentioned() >= 1 << index
        {
            return Err(Why::TooLarge);
        }
    }
    Ok(())
}
