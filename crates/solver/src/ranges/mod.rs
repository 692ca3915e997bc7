//! Value ranges and known bits of terms under a path.
//!
//! A forward pass over a term's graph. Leaves are bounded by the byte sets; a term that a
//! conjunct compares with a constant is bounded by that conjunct; every node keeps an abstract
//! value ([`term::domain`]). Gives bounds for addresses and sizes without a query.
//!
//! A condition over one byte is looked up in its truth table, a read of few possible elements is
//! their join.
//!
//! Sound outer bounds only. Terms wider than 64 bits and other arrays get the pool's facts.
//!
//! There are two users of the pass. [`PathRanges`] keeps what it has found along a path, and serves all questions about paths;
//! whether a term is too large for it is a property of the term ([`size`]), so that an answer depends on the term and the path alone and
//! never on what is kept. [`Ranges`] begins with nothing, from conjuncts that need not be a path's; it may take further bounds for granted
//! and says which conjuncts its answers rest on. It looks at no more than [`MAX_NODES`] nodes; beyond, the pool's path-free facts are used.

mod elements;
mod facts;
mod kept;
mod memo;
mod pass;
mod size;
#[cfg(test)]
mod tests;
mod tree;

use crate::domain::TruthTables;
use crate::path::PathCondition;
use facts::Facts;
pub(crate) use kept::PathRanges;
use pass::{Effort, Notes, Pass};
use rustc_hash::{FxHashMap, FxHashSet};
use term::domain::Fact;
use term::{Pool, Symbol, Term};
pub(crate) use tree::PathMark;

/// Nodes that a pass looks at.
const MAX_NODES: usize = 3000;

/// Bounds that conjuncts put on terms, and the ranges computed from them.
pub(crate) struct Ranges<'p> {
    pc: &'p PathCondition,
    facts: Facts,
    known: FxHashMap<Term, Fact>,
    effort: Effort,
    sources: Sources,
}

/// Conjuncts that were used.
#[derive(Default)]
struct Sources(FxHashSet<Term>);

impl Sources {
    fn in_order(&self) -> Vec<Term> {
        let mut used: Vec<Term> = self.0.iter().copied().collect();
        used.sort_unstable();
        used
    }
}

impl Notes for Sources {
    fn uses(&mut self, conjunct: Term) {
        self.0.insert(conjunct);
    }
    fn rests_on(&mut self, _: Term, _: Term) {}
    fn rests_on_byte(&mut self, _: Term, _: Symbol) {}
}

impl<'p> Ranges<'p> {
    /// Collects what the conjuncts say about single terms.
    pub fn new(pool: &Pool, pc: &'p PathCondition, conjuncts: &[Term]) -> Ranges<'p> {
        let mut facts = Facts::default();
        for &c in conjuncts {
            facts.add(pool, c);
        }
        Ranges {
            pc,
            facts,
            known: FxHashMap::default(),
            effort: Effort::of(MAX_NODES),
            sources: Sources::default(),
        }
    }

    /// Takes `lo <= t <= hi` for granted; [`Self::used`] has [`Term::TRUE`] when something rests on it.
    pub fn grant(&mut self, pool: &Pool, t: Term, (lo, hi): (u64, u64)) {
        self.facts.bound(pool, t, lo, hi, Term::TRUE);
    }

    /// The conjuncts that the ranges rest on so far.
    pub fn used(&self) -> Vec<Term> {
        self.sources.in_order()
    }

    /// The range of a bit-vector term of at most 64 bits; it is never empty.
    pub fn range(&mut self, pool: &Pool, tables: &mut TruthTables, root: Term) -> Fact {
        let mut pass = Pass {
            pool,
            tables,
            pc: self.pc,
            facts: &self.facts,
            known: &mut self.known,
            notes: &mut self.sources,
            effort: self.effort,
        };
        let range = pass.range(root);
        self.effort = pass.effort;
        range
    }
}
