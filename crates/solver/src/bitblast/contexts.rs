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
use super::lower::{Lowering, cost};
use crate::query::{Core, Model, Why};
use crate::sat::{Engine, Lit, SatBackend, SatLimits, SatResult};
use crate::slice::limbs;
use crate::stats::SolverStats;
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Instant;
use term::{Pool, Relocation, Sort, Symbol, Term};

/// Contexts kept at once.
const CONTEXTS: usize = 6;
/// A context may cost this many times the cone of a query it serves…
const GROWTH: u64 = 3;
/// …plus this many gates.
const SLACK: u64 = 600;

/// Conflicts before the SAT solver's phases are set to the start assignment.
const EASY: u64 = 20;

/// A context with more gates lives only until the next one is built.
const LARGE: usize = 300_000;

struct SatContext {
    lowering: Lowering,
    cnf: Cnf,
    sat: Box<dyn SatBackend>,
    last_used: u64,
}

/// What a SAT call says about a set of terms.
pub(crate) enum Answer {
    /// Values of the symbols (others are as in the start assignment).
    Sat(Model),
    /// Terms that cannot hold together.
    Unsat(Core),
    Unknown(Why),
}

/// The contexts of one SAT engine.
pub(crate) struct Contexts {
    engine: Engine,
    contexts: Vec<SatContext>,
    clock: u64,
}

impl Contexts {
    pub fn new(engine: Engine) -> Contexts {
        Contexts {
            engine,
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

    /// Decides a set of conditions. `start` gives the values of what no circuit mentions.
    #[allow(clippy::too_many_arguments)]
    pub fn solve(
        &mut self,
        pool: &Pool,
        terms: &[Term],
        symbols: &[Symbol],
        start: &Model,
        conflicts: u64,
        deadline: Option<Instant>,
        stats: &mut SolverStats,
    ) -> Answer {
        let index = self.choose(pool, terms, stats);
        let context = &mut self.contexts[index];
        let (gates, clauses) = (context.lowering.gates(), context.cnf.clauses);
        let answer = context.solve(pool, terms, symbols, start, conflicts, deadline, stats);
        stats.gates += (context.lowering.gates() - gates) as u64;
        stats.clauses += context.cnf.clauses - clauses;
        if matches!(answer, Answer::Unknown(Why::TooLarge)) {
            self.contexts.swap_remove(index);
        }
        answer
    }

    /// The context that knows most of the terms and stays small enough, or a fresh one.
    fn choose(&mut self, pool: &Pool, terms: &[Term], stats: &mut SolverStats) -> usize {
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
                    lowering: Lowering::default(),
                    cnf: Cnf::default(),
                    sat: self.engine.build(),
                    last_used: 0,
                });
                self.contexts.len() - 1
            }
        };
        self.contexts[index].last_used = self.clock;
        index
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
    #[allow(clippy::too_many_arguments)]
    fn solve(
        &mut self,
        pool: &Pool,
        terms: &[Term],
        symbols: &[Symbol],
        start: &Model,
        conflicts: u64,
        deadline: Option<Instant>,
        stats: &mut SolverStats,
    ) -> Answer {
        let mut assumptions: Vec<Lit> = Vec::with_capacity(terms.len());
        let mut source: FxHashMap<Lit, Term> = FxHashMap::default();
        for &t in terms {
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
            .map(|&l| self.cnf.literal(&self.lowering.aig, &mut *self.sat, l))
            .collect();
        let limits = |conflicts| SatLimits {
            conflicts,
            deadline,
        };
        stats.sat_calls += 1;
        let before = self.sat.conflicts();
        let mut result = self.sat.solve(&external, &limits(conflicts.min(EASY)));
        if result == SatResult::OutOfConflicts && conflicts > EASY {
            self.prime(pool, symbols, start, deadline);
            result = self.sat.solve(&external, &limits(conflicts - EASY));
        }
        stats.sat_conflicts += self.sat.conflicts() - before;
        match result {
            SatResult::Sat => Answer::Sat(self.model(pool, symbols, start)),
            SatResult::Unsat => {
                let core = assumptions
                    .iter()
                    .zip(&external)
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
    fn prime(&mut self, pool: &Pool, symbols: &[Symbol], start: &Model, deadline: Option<Instant>) {
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

    /// Bits that no clause mentions keep the start assignment's value.
    fn model(&mut self, pool: &Pool, symbols: &[Symbol], start: &Model) -> Model {
        let mut model = start.clone();
        for &symbol in symbols {
            let Some(bits) = self.lowering.symbol(symbol).map(<[Lit]>::to_vec) else {
                continue;
            };
            let Sort::BitVec(width) = pool.symbol_sort(symbol) else {
                continue;
            };
            let mut limbs = limbs(start, symbol, width);
            for (i, &bit) in bits.iter().enumerate() {
                if let Some(lit) = self.cnf.get(bit) {
                    let (limb, mask) = (i / 64, 1u64 << (i % 64));
                    if self.sat.value(lit) {
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
}
