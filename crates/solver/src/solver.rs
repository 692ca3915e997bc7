//! The interface of the solver: the fast path over byte sets, then the chain of layers.
//!
//! One side of a branch is free: the state's witness satisfies it. The other side costs at most one query, and most of
//! those are one intersection of 256-bit sets, taken here without building a query at all. Other queries are sliced
//! and go through the layers of `layers/`; the first answer counts, is checked, and is shown to every layer.

use crate::arith::is_arithmetic;
use crate::chain::Chain;
use crate::cx::{Cx, Rejected};
use crate::domain::{ByteSet, TruthTables, ValueTables};
use crate::layer_id::LayerId;
use crate::log::QueryLog;
use crate::model::Model;
use crate::options::SolverOptions;
use crate::path::{Origin, PathCondition};
use crate::query::{
    Ask, Budget, Core, Implication, NoTrials, Outcome, Query, Technique, Trials, Why,
};
use crate::ranges::PathRanges;
use crate::registry::{Guest, assemble};
use crate::slice::Slice;
use crate::stats::SolverStats;
use crate::wide_values::{ValueCounts, WideTables};
use rustc_hash::FxHashSet;
use std::path::Path;
use std::time::Instant;
use term::{Evaluator, Pool, Relocation, Sort, Symbol, Term, Trace};

/// Conjuncts over one byte whose other sides a query shows values of.
const SHOWN_CONJUNCTS: usize = 16;
/// Ranges of a symbol of 9 to 16 bits of which a value is tried, from either end.
const TRIED_RANGES: usize = 4;
/// Conditions that connect such a symbol with others, up to which values are tried.
const MOST_OTHERS: usize = 256;

/// `Pool::collect` asks its roots this often.
const TRACES: u32 = 2;

/// Wider products and divisions are not even evaluated.
const MAX_EVALUATED: u32 = 1 << 16;

/// Owns the layers, their caches, the SAT contexts and the statistics.
pub struct Solver {
    chain: Chain,
    pub(crate) tables: TruthTables,
    pub(crate) values: ValueTables,
    wide: WideTables,
    /// Ranges of terms on paths.
    pub(crate) ranges: PathRanges,
    pub(crate) evaluator: Evaluator,
    pub(crate) stats: SolverStats,
    /// The time of all queries, and of evaluations of terms that save queries.
    pub meter: host::Meter,
    pub(crate) use_domains: bool,
    use_independence: bool,
    /// Calls of `trace` since the last `relocate`; each collection traces twice.
    traced: u32,
    log: Option<QueryLog>,
    rejected: Rejected,
}

impl Solver {
    /// A solver with the given layers.
    pub fn new(options: SolverOptions) -> Solver {
        Solver::with_guests(options, Vec::new())
    }

    /// The same, with layers from crates above, each of which stands in the chain where [`LayerId`] has its row.
    pub fn with_guests(options: SolverOptions, guests: Vec<Guest>) -> Solver {
        Solver {
            chain: assemble(&options, guests),
            tables: TruthTables::default(),
            values: ValueTables::default(),
            wide: WideTables::default(),
            ranges: PathRanges::default(),
            evaluator: Evaluator::new(),
            stats: SolverStats::default(),
            meter: host::Meter::default(),
            use_domains: options.has(LayerId::Domains),
            use_independence: options.has(LayerId::Independence),
            traced: 0,
            rejected: Rejected::default(),
            log: None,
        }
    }

    /// Writes each query into an SMT-LIB script in this directory from now on, as asked (before any layer): `queries.smt2`,
    /// or, where others write into the directory, too (`has_others`), one with a name that no other has, `queries-N.smt2`.
    ///
    /// # Errors
    /// The directory or the script cannot be made.
    pub fn log_to(&mut self, dir: &Path, has_others: bool) -> Result<(), String> {
        self.log = Some(QueryLog::new(dir, has_others)?);
        Ok(())
    }

    /// The first queries for which a wrong model was found (and not used), as SMT-LIB scripts.
    pub fn rejected(&self) -> &[String] {
        self.rejected.scripts()
    }

    /// Counts a wrong model that a caller made of one of the solver's, and keeps its query.
    pub fn reject(&mut self, pool: &Pool, by: &str, conditions: &[Term]) {
        self.rejected.keep(&mut self.stats, pool, by, conditions);
    }

    /// Counts a question that was refuted by rewriting before it was asked.
    pub fn count_refuted(&mut self) {
        self.stats.queries += 1;
        self.stats.unsat += 1;
        self.stats.decided_by(LayerId::Rewrite);
    }

    /// Adds a conjunct to a path; `true` is dropped.
    #[inline]
    pub fn push(&mut self, pool: &mut Pool, pc: &mut PathCondition, c: Term, origin: Origin) {
        debug_assert_eq!(pool.width(c), 1, "a conjunct is a condition");
        self.catch_up();
        self.meter.enter();
        let tables = self.use_domains.then_some(&mut self.tables);
        pc.push(pool, tables, c, origin);
        self.meter.leave();
    }

    /// Is the path together with `cond` satisfiable? The witness must satisfy the path.
    pub fn feasible(&mut self, pool: &mut Pool, cond: Term, ask: Ask<'_>) -> Outcome {
        self.meter.enter();
        let outcome = self.decide(pool, cond, ask);
        self.meter.leave();
        outcome
    }

    fn decide(&mut self, pool: &mut Pool, cond: Term, ask: Ask<'_>) -> Outcome {
        let Ask {
            path: pc,
            witness,
            budget,
            trials,
            slice,
        } = ask;
        let nobody: &mut dyn Trials = &mut NoTrials;
        let trials = trials.unwrap_or(nobody);
        self.catch_up();
        self.stats.queries += 1;
        if let Some(log) = &mut self.log {
            log.write(pool, pc, Some(witness), cond, &mut self.stats);
        }
        if self.use_domains
            && let Some(symbol) = pool.single_symbol(cond)
            && pool.symbol_sort(symbol) == Sort::BitVec(8)
            && let Some(outcome) = self.by_domain(pool, pc, witness, cond, symbol, trials)
        {
            return outcome;
        }
        if self.evaluator.eval(pool, cond, witness) & 1 != 0 {
            self.stats.decided_by(LayerId::Rewrite);
            self.stats.sat += 1;
            return Outcome::Sat(witness.clone());
        }
        if self.use_domains
            && !trials.wanted()
            && let Some(symbol) = pool.single_symbol(cond)
            && matches!(pool.symbol_sort(symbol), Sort::BitVec(9..=16))
            && let Some(outcome) = self.by_ranges(pool, pc, witness, cond, symbol)
        {
            return outcome;
        }
        debug_assert!(
            !self.stats.queries.is_multiple_of(64) || self.witness_is_model(pool, pc, witness),
            "the witness does not satisfy the path"
        );
        let own;
        let slice = match slice.filter(|_| self.use_independence) {
            Some(known) => known,
            None => {
                own = if self.use_independence {
                    Slice::of(pool, pc, cond)
                } else {
                    Slice::whole(pool, pc, cond)
                };
                &own
            }
        };
        let query = Query {
            pc,
            cond,
            witness,
            witness_holds: true,
            slice,
        };
        self.ask(pool, &query, budget, trials)
    }

    /// A model of a path from nothing.
    pub fn solve(
        &mut self,
        pool: &mut Pool,
        pc: &PathCondition,
        budget: &Budget,
        trials: &mut dyn Trials,
    ) -> Outcome {
        self.meter.enter();
        let outcome = self.solve_whole(pool, pc, budget, trials);
        self.meter.leave();
        outcome
    }

    fn solve_whole(
        &mut self,
        pool: &mut Pool,
        pc: &PathCondition,
        budget: &Budget,
        trials: &mut dyn Trials,
    ) -> Outcome {
        self.catch_up();
        self.stats.queries += 1;
        if let Some(log) = &mut self.log {
            log.write(pool, pc, None, Term::TRUE, &mut self.stats);
        }
        let slice = Slice::whole(pool, pc, Term::TRUE);
        if is_too_wide(pool, &slice.terms) && pc.contradiction().is_none() {
            self.stats.unknown += 1;
            return Outcome::Unknown(Why::TooLarge);
        }
        // A start that the byte sets allow satisfies every conjunct over one byte.
        let mut start = Model::new();
        for &symbol in &slice.symbols {
            if pool.symbol_sort(symbol) == Sort::BitVec(8) {
                match pc.domain(symbol).first() {
                    Some(value) => start.set(symbol, value as u64),
                    None => {
                        self.stats.decided_by(LayerId::Domains);
                        self.stats.unsat += 1;
                        return Outcome::Unsat(unary_core(pc, symbol));
                    }
                }
            }
        }
        if !self.use_independence {
            return self.solve_part(pool, pc, &start, &slice, budget, trials);
        }
        // Parts that share no symbol, one after the other: an unsatisfiable one decides even when
        // another one cannot be decided.
        let deadline = budget.deadline();
        let mut known: FxHashSet<Symbol> = FxHashSet::default();
        let mut is_first = true;
        let mut model = start;
        let mut why = None;
        for conjunct in pc.iter() {
            let first = pool.set_iter(pool.symbols(conjunct.term)).next();
            if first.map_or(!is_first, |symbol| known.contains(&symbol)) {
                continue;
            }
            is_first = false;
            let part = Slice::of(pool, pc, conjunct.term);
            known.extend(part.symbols.iter().copied());
            let budget = budget.rest(deadline);
            match self.solve_part(pool, pc, &model, &part, &budget, trials) {
                Outcome::Sat(found) => model = found,
                Outcome::Unsat(core) => return Outcome::Unsat(core),
                Outcome::Unknown(reason) => why = why.or(Some(reason)),
            }
        }
        why.map_or(Outcome::Sat(model), Outcome::Unknown)
    }

    /// A model of the conjuncts of a slice over the values that `start` gives to other symbols.
    fn solve_part(
        &mut self,
        pool: &mut Pool,
        pc: &PathCondition,
        start: &Model,
        part: &Slice,
        budget: &Budget,
        trials: &mut dyn Trials,
    ) -> Outcome {
        let query = Query {
            pc,
            cond: Term::TRUE,
            witness: start,
            witness_holds: false,
            slice: part,
        };
        let mut outcome = self.ask(pool, &query, budget, trials);
        if let Outcome::Unsat(core) = &mut outcome {
            core.retain(|&t| t != Term::TRUE);
        }
        outcome
    }

    /// Does the path imply `cond`?
    pub fn must_be_true(&mut self, pool: &mut Pool, cond: Term, ask: Ask<'_>) -> Implication {
        let negated = pool.not(cond);
        match self.feasible(pool, negated, ask) {
            Outcome::Sat(model) => Implication::No(model),
            Outcome::Unsat(_) => Implication::Yes,
            Outcome::Unknown(why) => Implication::Unknown(why),
        }
    }

    /// Translates what the caches hold after a collection; terms that are gone drop out.
    pub fn relocate(&mut self, relocation: &Relocation) {
        // A relocation cannot be applied if an earlier one was missed: everything starts afresh.
        let missed = self.traced > TRACES;
        self.renumber((!missed).then_some(relocation));
    }

    /// Gives memory back: drops every cache and SAT context. Answers stay right, they just have to
    /// be found again.
    pub fn shed(&mut self) {
        self.renumber(None);
    }

    /// Terms were renumbered, and nobody has said how: what is kept by terms means others.
    #[inline]
    pub(crate) fn catch_up(&mut self) {
        if self.traced > 0 {
            self.renumber(None);
        }
    }

    #[cold]
    fn renumber(&mut self, relocation: Option<&Relocation>) {
        self.traced = 0;
        self.tables.relocate(relocation);
        self.values.relocate(relocation);
        self.wide.relocate(relocation);
        self.ranges.relocate(relocation);
        self.chain.relocate(relocation);
        if let Some(log) = &mut self.log {
            log.relocate(relocation);
        }
    }

    /// The statistics so far.
    pub fn stats(&self) -> &SolverStats {
        &self.stats
    }

    /// Seconds of processor time spent on questions: deciding, and everything that is done in order not to have to.
    pub fn solver_time_s(&self) -> f64 {
        self.meter.seconds()
    }

    fn witness_is_model(&mut self, pool: &Pool, pc: &PathCondition, witness: &Model) -> bool {
        let terms: Vec<Term> = pc.iter().map(|c| c.term).collect();
        self.evaluator.first_false(pool, &terms, witness).is_none()
    }

    /// The values of the only symbol of a condition, a byte, that satisfy it; `None` if it has others.
    pub fn satisfying(&mut self, pool: &Pool, condition: Term) -> Option<(Symbol, ByteSet)> {
        self.catch_up();
        let symbol = pool.single_symbol(condition)?;
        let is_byte = pool.symbol_sort(symbol) == Sort::BitVec(8);
        is_byte.then(|| (symbol, self.tables.get(pool, condition, symbol)))
    }

    /// What a term of at most 64 bits over one symbol of at most 16 can be on a path, each with the number of the symbol's values for which it is so. `None`
    /// if it has other symbols, or is too much. That a value is missing is a proof; that it is there is none where the symbol has more than eight bits.
    pub fn classes_left(
        &mut self,
        pool: &Pool,
        path: &PathCondition,
        t: Term,
    ) -> Option<ValueCounts> {
        self.catch_up();
        let symbol = pool.single_symbol(t)?;
        if pool.width(t) > 64 {
            return None;
        }
        let left: ValueCounts = match pool.symbol_sort(symbol) {
            Sort::BitVec(8) => {
                let classes = self.values.classes(pool, t, symbol)?;
                let domain = path.domain(symbol);
                let left = classes
                    .iter()
                    .map(|(value, set)| (*value, set.intersect(&domain).len()));
                left.filter(|class| class.1 > 0).collect()
            }
            Sort::BitVec(9..=16) => self.wide.left(pool, path, t, symbol)?,
            _ => return None,
        };
        (!left.is_empty()).then_some(left)
    }

    /// One intersection: decides conditions over a byte that shares no conjunct with others, and
    /// proves unsatisfiability for every byte. The table *is* the evaluation of the condition at
    /// each value, so the model needs no further check.
    #[inline]
    fn by_domain(
        &mut self,
        pool: &Pool,
        pc: &PathCondition,
        witness: &Model,
        cond: Term,
        symbol: Symbol,
        trials: &mut dyn Trials,
    ) -> Option<Outcome> {
        let allowed = self.tables.get(pool, cond, symbol);
        self.stats.truth_tables = self.tables.computed;
        let left = pc.domain(symbol).intersect(&allowed);
        let outcome = if left.is_empty() {
            self.stats.unsat += 1;
            self.show_values(pool, pc, witness, allowed, symbol, trials);
            Outcome::Unsat(unary_core(pc, symbol))
        } else if pc.group_of(symbol).is_none() && pc.is_consistent() {
            self.stats.sat += 1;
            let mut model = witness.clone();
            if !left.contains(model.get(symbol) as u8) {
                let value = left.first().expect("not empty");
                model.set(symbol, value as u64);
                self.show_values(pool, pc, witness, allowed, symbol, trials);
            }
            debug_assert!(self.evaluator.eval(pool, cond, &model) == 1);
            Outcome::Sat(model)
        } else {
            return None;
        };
        self.stats.decided_by(LayerId::Domains);
        Some(outcome)
    }

    /// The same of a symbol of 9 to 16 bits, whose values are ranges. The witness does not fulfil the condition.
    fn by_ranges(
        &mut self,
        pool: &Pool,
        pc: &PathCondition,
        witness: &Model,
        cond: Term,
        symbol: Symbol,
    ) -> Option<Outcome> {
        let left = self.wide.allowed(pool, pc, cond, symbol)?;
        if left.is_empty() {
            let core = pc.alone(symbol).iter().map(|&p| pc.term_at(p));
            self.stats.unsat += 1;
            self.stats.decided_by(LayerId::Domains);
            return Some(Outcome::Unsat(core.collect()));
        }
        if !pc.is_consistent() {
            return None;
        }
        // What connects the symbol with others is evaluated: one value in each of some ranges is tried.
        let others = if pc.is_connected(symbol) {
            Slice::of(pool, pc, cond).terms
        } else {
            Vec::new()
        };
        if others.len() > MOST_OTHERS {
            return None;
        }
        let ends = left
            .iter()
            .rev()
            .take(TRIED_RANGES)
            .map(|range| range.1 - 1);
        let tried = left
            .iter()
            .take(TRIED_RANGES)
            .map(|range| range.0)
            .chain(ends);
        let outcome = tried.into_iter().find_map(|value| {
            let mut model = witness.clone();
            model.set(symbol, value.into());
            let is_model = self.evaluator.first_false(pool, &others, &model).is_none();
            is_model.then_some(Outcome::Sat(model))
        })?;
        self.stats.sat += 1;
        self.stats.decided_by(LayerId::Domains);
        Some(outcome)
    }

    /// Shows a value of each class that the intersection loses on its way: it satisfies the condition and the
    /// conjuncts before one of the path's, and violates that one, so a run with it takes the other side there.
    fn show_values(
        &mut self,
        pool: &Pool,
        pc: &PathCondition,
        witness: &Model,
        allowed: ByteSet,
        symbol: Symbol,
        trials: &mut dyn Trials,
    ) {
        if !trials.wanted() {
            return;
        }
        let mut left = allowed;
        for &position in pc.unary(symbol).iter().take(SHOWN_CONJUNCTS) {
            let holds = self.tables.get(pool, pc.term_at(position), symbol);
            if let Some(value) = left.intersect(&holds.complement()).first() {
                let mut model = witness.clone();
                model.set(symbol, value as u64);
                trials.tried(&model, Technique::Domain);
            }
            left = left.intersect(&holds);
        }
    }

    /// Asks the chain.
    fn ask(
        &mut self,
        pool: &mut Pool,
        query: &Query<'_>,
        budget: &Budget,
        trials: &mut dyn Trials,
    ) -> Outcome {
        if let Some(contradiction) = query.pc.contradiction() {
            self.stats.unsat += 1;
            return Outcome::Unsat(vec![contradiction]);
        }
        let begun = Instant::now();
        self.stats.slice_conjuncts += query.slice.terms.len() as u64;
        let mut cx = Cx {
            pool,
            tables: &mut self.tables,
            ranges: &mut self.ranges,
            evaluator: &mut self.evaluator,
            stats: &mut self.stats,
            budget: *budget,
            deadline: budget.deadline(),
            trials,
            rejected: &mut self.rejected,
            decided_by: None,
            float_sets: Vec::new(),
        };
        let mut outcome = self.chain.ask(&mut cx, query, query);
        if let Some(by) = cx.decided_by {
            cx.stats.decided_by(by);
            self.chain.learn(&mut cx, query, &outcome);
        } else if room::is_full() {
            self.renumber(None);
            outcome = Outcome::Unknown(Why::Memory);
        } else if matches!(outcome, Outcome::Unknown(Why::Incomplete | Why::Float)) && cx.is_late()
        {
            // Layers that look at the deadline hand the query on as if they had seen everything.
            outcome = Outcome::Unknown(Why::Timeout);
        }
        let time = begun.elapsed().as_nanos() as u64;
        self.stats.slow_nanoseconds += time;
        match &outcome {
            Outcome::Sat(_) => self.stats.sat += 1,
            Outcome::Unsat(_) => {
                self.stats.unsat += 1;
                self.stats.unsat_nanoseconds += time;
            }
            Outcome::Unknown(_) => {
                self.stats.unknown += 1;
                self.stats.unknown_nanoseconds += time;
            }
        }
        outcome
    }
}

/// Is there a product or division that already takes long to evaluate? Such conditions are not decided.
pub fn is_too_wide(pool: &Pool, terms: &[Term]) -> bool {
    let is_wide = |t: Term| is_arithmetic(pool.op(t)) && pool.width(t) > MAX_EVALUATED;
    pool.cone(terms).into_iter().any(is_wide)
}

fn unary_core(pc: &PathCondition, symbol: Symbol) -> Core {
    pc.unary(symbol).iter().map(|&p| pc.term_at(p)).collect()
}

/// Caches and SAT maps hold terms weakly: nothing is shown to the collector, which afterwards
/// tells [`Solver::relocate`] the new numbers. Without that call the caches start afresh.
impl Trace for Solver {
    fn trace(&mut self, _visit: &mut dyn FnMut(&mut Term)) {
        self.traced += 1;
    }
}

#[cfg(all(test, not(debug_assertions)))]
mod tests {
    use super::*;
    use crate::chain::Placed;
    use crate::layer::Layer;

    /// A layer that answers every query with a model of zeros.
    struct Liar;

    impl Layer for Liar {
        fn check(&mut self, _: &mut Cx<'_>, _: &Query<'_>) -> Outcome {
            Outcome::Sat(Model::new())
        }
    }

    /// In a debug build a wrong model is a panic at once.
    #[test]
    fn a_wrong_model_is_not_used_and_its_query_is_kept() {
        let mut pool = Pool::new();
        let mut solver = Solver::new(SolverOptions::default());
        let (id, layer) = (LayerId::Rewrite, Box::new(Liar));
        solver.chain.layers.insert(0, Placed { id, layer });
        let x = pool.new_symbol("x", Sort::BitVec(32));
        let x = pool.symbol_term(x);
        let seven = pool.bv(32, 7);
        let is_seven = pool.eq(x, seven);
        let pc = PathCondition::new();
        let (witness, budget) = (Model::new(), Budget::default());
        let outcome = solver.feasible(&mut pool, is_seven, Ask::new(&pc, &witness, &budget));
        let Outcome::Sat(model) = outcome else {
            panic!("another layer finds it");
        };
        assert_eq!(Evaluator::new().eval(&pool, is_seven, &model), 1);
        assert_eq!(solver.stats().models_rejected, 1);
        let [script] = solver.rejected() else {
            panic!("one query is kept");
        };
        assert!(
            script.contains("rewrite") && script.contains("(check-sat)"),
            "{script}"
        );
    }
}
