//! SAT instances that stay small.
//!
//! One ever-growing instance is a trap: every query pays for the circuits of all earlier queries, because propagation
//! and in-processing walk them. So there are a few contexts, each used by the queries of one region of the path tree.
//! A query goes to the context that knows most of its terms already, unless that context (with what is missing) would
//! exceed a small multiple of the query's own cone; then a fresh one replaces the least recently used.
//!
//! A conjunct is asserted by assuming the output literal of its circuit, which is its activation
//! literal as well: nothing about any path is ever asserted for good, learnt clauses stay valid,
//! and the failed assumptions *are* the unsatisfiable core.

use super::instance::{LARGE, SatContext, effort};
use crate::circuit::terms::cost;
use crate::cx::Cx;
use crate::extensions::Settings;
use crate::options::SatStart;
use crate::query::Why;
use crate::refine::{Question, SearchAnswer};
use crate::sat::SatEngine;
use crate::stats::SolverStats;
use rustc_hash::FxHashSet;
use term::{Pool, Relocation, Term};

/// Contexts kept at once.
const CONTEXTS: usize = 6;
/// A context may cost this many times the cone of a query it serves…
const GROWTH: u64 = 3;
/// …plus this many gates.
const SLACK: u64 = 600;

/// The contexts of one SAT engine.
pub(crate) struct Contexts {
    engine: SatEngine,
    settings: Settings,
    contexts: Vec<SatContext>,
    clock: u64,
}

impl Contexts {
    pub fn new(engine: SatEngine, settings: Settings) -> Contexts {
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
    pub fn solve(&mut self, cx: &mut Cx<'_>, question: &mut Question<'_>) -> SearchAnswer {
        let (index, cone) = self.choose(cx.pool, question.terms, cx.stats);
        let context = &mut self.contexts[index];
        let gates = context.gates();
        let (variables, clauses) = (context.cnf.variables, context.cnf.clauses);
        let conflicts = cx.stats.sat_conflicts;
        let answer = context.solve(cx, question, &cone);
        let spent = effort(gates, context.gates(), cx.stats.sat_conflicts - conflicts);
        cx.stats.effort += spent;
        if question.effort != u64::MAX {
            question.effort = question.effort.saturating_sub(spent);
        }
        cx.stats.gates += (context.gates() - gates) as u64;
        cx.stats.variables += context.cnf.variables - variables;
        cx.stats.clauses += context.cnf.clauses - clauses;
        if matches!(answer, SearchAnswer::Unknown(Why::TooLarge)) {
            self.contexts.swap_remove(index);
        }
        answer
    }

    /// The context that knows most of the terms and stays small enough, or a fresh one; and all terms below.
    fn choose(
        &mut self,
        pool: &Pool,
        terms: &[Term],
        stats: &mut SolverStats,
    ) -> (usize, Vec<Term>) {
        self.clock += 1;
        if self.settings.start == SatStart::Fresh {
            self.contexts.clear();
        }
        let (cone, nodes) = cone(pool, terms);
        // The candidates by how many of the conditions themselves they know, latest first; only
        // the first one that knows anything of the cone is measured exactly.
        let mut candidates: Vec<(usize, u64, usize)> = (0..self.contexts.len())
            .map(|i| {
                let context = &self.contexts[i];
                let known = terms
                    .iter()
                    .filter(|&&t| context.lowering.circuit.has(t))
                    .count();
                (known, context.last_used, i)
            })
            .collect();
        candidates.sort_unstable_by(|a, b| b.cmp(a));
        let fits = |i: usize| {
            let circuit = &self.contexts[i].lowering.circuit;
            let missing: u64 = nodes
                .iter()
                .filter(|(t, _)| !circuit.has(*t))
                .map(|&(_, c)| c)
                .sum();
            missing < cone && circuit.cost + missing <= GROWTH * cone + SLACK
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
                self.contexts.retain(|c| c.gates() <= LARGE);
                stats.contexts_built += 1;
                let lowering = self.settings.lowering();
                let start = self.settings.start;
                let context = SatContext::new(lowering, self.engine, start);
                self.contexts.push(context);
                self.contexts.len() - 1
            }
        };
        self.contexts[index].last_used = self.clock;
        (index, nodes.into_iter().map(|(t, _)| t).collect())
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
