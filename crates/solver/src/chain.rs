//! The chain of layers: the first answer counts, is checked, and is shown to all layers.
//!
//! The end of a chain may be wrapped: a [`Wrapper`] is asked instead of it, translates the query into another one, and
//! lets the chain behind it answer that.

use crate::bitblast::contexts::Contexts;
use crate::cx::Cx;
use crate::extensions::Settings;
use crate::layer::Layer;
use crate::layer_id::LayerId;
use crate::model::Model;
use crate::query::{NoTrials, Outcome, Query, Why};
use crate::refine::{Question, SearchAnswer};
use crate::sat::SatEngine;
use rustc_hash::FxHashSet;
use term::{Evaluator, Op, Pool, Relocation, Sort, Symbol, Term};

/// A layer in a chain.
pub(crate) struct Placed {
    pub id: LayerId,
    pub layer: Box<dyn Layer>,
}

/// A wrapper around the end of a chain.
pub(crate) trait Wrapper {
    /// Asks the chain behind about another query in this one's place. Its models have to be models of this query.
    fn ask(&mut self, cx: &mut Cx<'_>, query: &Query<'_>, rest: &mut Chain) -> Outcome;

    /// Terms were renumbered.
    fn relocate(&mut self, relocation: Option<&Relocation>);
}

/// The end of a chain, wrapped.
pub(crate) struct Wrapped {
    pub id: LayerId,
    pub wrapper: Box<dyn Wrapper>,
    pub chain: Box<Chain>,
}

/// Layers in the order in which a query meets them.
#[derive(Default)]
pub(crate) struct Chain {
    pub layers: Vec<Placed>,
    pub rest: Option<Wrapped>,
}

impl Chain {
    /// Asks the layers about a query, and checks each model on the `original` one, of which the query is another form. Sets
    /// [`Cx::decided_by`] if it is decided.
    pub fn ask(&mut self, cx: &mut Cx<'_>, query: &Query<'_>, original: &Query<'_>) -> Outcome {
        let mut why = Why::Incomplete;
        for Placed { id, layer } in &mut self.layers {
            match layer.check(cx, query) {
                Outcome::Unknown(reason) => why = later(why, reason),
                Outcome::Sat(model) if !cx.satisfies(original, &model) => {
                    let conditions = original.conditions();
                    (cx.rejected).keep(cx.stats, cx.pool, id.name(), &conditions);
                    debug_assert!(false, "layer {} gave a wrong model", id.name());
                    why = Why::Internal;
                }
                decided => {
                    if let Outcome::Unsat(core) = &decided {
                        debug_assert!(
                            !cx.stats.unsat.is_multiple_of(8)
                                || core_holds(cx, original.cond, core),
                            "layer {} gave a core that is satisfiable",
                            id.name()
                        );
                    }
                    cx.decided_by = Some(*id);
                    return decided;
                }
            }
        }
        let Some(Wrapped { id, wrapper, chain }) = &mut self.rest else {
            return Outcome::Unknown(why);
        };
        match wrapper.ask(cx, query, chain) {
            Outcome::Unknown(reason) => Outcome::Unknown(later(why, reason)),
            decided => {
                let is_checked = cx.decided_by.is_some();
                debug_assert!(is_checked, "{} decides without its chain", id.name());
                decided
            }
        }
    }

    /// Shows an answer to all layers but the one that gave it.
    pub fn learn(&mut self, cx: &mut Cx<'_>, query: &Query<'_>, outcome: &Outcome) {
        for Placed { id, layer } in &mut self.layers {
            if cx.decided_by != Some(*id) {
                layer.learn(cx, query, outcome);
            }
        }
        if let Some(rest) = &mut self.rest {
            rest.chain.learn(cx, query, outcome);
        }
    }

    /// Terms were renumbered.
    pub fn relocate(&mut self, relocation: Option<&Relocation>) {
        for Placed { layer, .. } in &mut self.layers {
            layer.relocate(relocation);
        }
        if let Some(rest) = &mut self.rest {
            rest.wrapper.relocate(relocation);
            rest.chain.relocate(relocation);
        }
    }
}

/// The reason for which a query is open when a further layer left it open for another one.
fn later(why: Why, reason: Why) -> Why {
    match reason {
        Why::Incomplete => why,
        // That a later layer has no circuit says less than how far an earlier one came.
        Why::Unsupported(_) | Why::Float | Why::Array if why != Why::Incomplete => why,
        reason => reason,
    }
}

/// Does a fresh SAT context fail to satisfy a core with its condition? (Debug builds, on samples.) Bounds of reads hold on every path
/// that has the reads, so they belong to each core without being in it.
fn core_holds(cx: &mut Cx<'_>, cond: Term, core: &[Term]) -> bool {
    let mut terms: Vec<Term> = core.iter().copied().chain([cond]).collect();
    terms.extend(bounds_of_reads(cx.pool, &terms));
    let mut contexts = Contexts::new(SatEngine::Batsat, Settings::default());
    let mut symbols: Vec<Symbol> = terms
        .iter()
        .flat_map(|&t| cx.pool.set_iter(cx.pool.symbols(t)))
        .collect();
    symbols.sort_unstable();
    symbols.dedup();
    let mut question = Question {
        terms: &terms,
        symbols: &symbols,
        start: &Model::new(),
        begins_near_start: false,
        conflicts: 2000,
        effort: u64::MAX,
        intervals: &Default::default(),
    };
    let (mut nobody, mut evaluator) = (NoTrials, Evaluator::new());
    let (mut alone, _) = cx.apart(&mut nobody);
    let mut stats = Default::default();
    alone.stats = &mut stats;
    alone.evaluator = &mut evaluator;
    match contexts.solve(&mut alone, &mut question) {
        // An abstract model of arrays that could not be refined further is no model.
        SearchAnswer::Sat(model) => Evaluator::new()
            .first_false(alone.pool, &terms, &model)
            .is_some(),
        _ => true,
    }
}

/// The bounds that were given with the reads below some terms, as conditions.
fn bounds_of_reads(pool: &mut Pool, terms: &[Term]) -> Vec<Term> {
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut stack: Vec<Term> = terms.to_vec();
    let mut found = Vec::new();
    while let Some(t) = stack.pop() {
        if !pool.has_array(t) || !seen.insert(t) {
            continue;
        }
        stack.extend_from_slice(pool.children(t));
        if pool.op(t) != Op::Select {
            continue;
        }
        let Some((lo, hi)) = pool.select_bounds(t) else {
            continue;
        };
        let index = pool.child(t, 1);
        if let Sort::BitVec(width @ 1..=64) = pool.sort(index) {
            let (lo, hi) = (pool.bv(width, lo), pool.bv(width, hi));
            found.push(pool.ule(lo, index));
            found.push(pool.ule(index, hi));
        }
    }
    found
}
