//! Ranges that are kept from one question to the next.
//!
//! Paths are asked about again and again: for the bounds of each address, and at each query. Three things are kept:
//!
//! * the conjuncts of the path that was asked about last, with what they say of single terms: another path takes back the conjuncts that it
//!   has not, and adds its own;
//! * the ranges of terms on that path: a conjunct that comes or goes takes along those that were computed from a term that it bounds,
//!   or from a byte whose values it leaves ([`Memo`]);
//! * the answers, by term and node in the tree of paths ([`PathTree`]): a run that begins like an earlier one asks the same.
//!
//! A path that has little in common with the one before is not followed for a term about which few of its conjuncts speak: those few are
//! taken alone, and nothing is kept but the answer. It is the same, since a conjunct that bounds a part of a term shares its symbols.
//!
//! The answer depends on the term and the path alone, never on what is kept: the tests compare it with a pass that begins with nothing.

use super::Sources;
use super::facts::Facts;
use super::memo::Memo;
use super::pass::{Effort, Notes, Pass, is_narrow};
use super::size::Sizes;
use super::tree::{PathNode, PathTree};
use crate::domain::TruthTables;
use crate::path::PathCondition;
use crate::slice::Slice;
use rustc_hash::FxHashMap;
use term::domain::Fact;
use term::{Pool, Relocation, Sort, Term};

/// Answers that are kept.
const KEPT: usize = 1 << 18;
/// A path is followed if so many conjuncts come and go at most, or so many for each one that speaks of the term. (Tests have short
/// paths.)
const NEAR: usize = if cfg!(test) { 2 } else { 64 };
const NEAR_TIMES: usize = if cfg!(test) { 1 } else { 4 };
/// How deep a term is looked into that is too large as a whole.
pub(super) const SHALLOW: u32 = 6;

/// See the module.
#[derive(Default)]
pub(crate) struct PathRanges {
    levels: Vec<KeptConjunct>,
    facts: Facts,
    memo: Memo,
    sizes: Sizes,
    tree: PathTree,
    answers: FxHashMap<(PathNode, Term), Fact>,
}

/// How a path was followed.
enum Followed {
    /// Its facts are those that are kept.
    Here,
    /// It is far from the one before: the facts that matter for a term.
    Far(Facts),
}

/// A conjunct of the path that was asked about last.
struct KeptConjunct {
    node: PathNode,
    conjunct: Term,
    /// The length of the trail of facts before it.
    trail: usize,
}

impl PathRanges {
    /// The range of a bit-vector term of at most 64 bits on a path; it is never empty.
    pub fn range(
        &mut self,
        pool: &Pool,
        tables: &mut TruthTables,
        pc: &PathCondition,
        t: Term,
    ) -> Fact {
        let known = pool.fact(t);
        if known.value().is_some() || !is_narrow(pool, t) {
            return known;
        }
        // A path that is met for the first time is not entered into the tree for a term about which few conjuncts speak.
        if let Some(facts) = self.few_facts(pool, pc, t, self.tree.unknown(pc)) {
            return apart(pool, tables, pc, &facts, &mut self.sizes, t).0;
        }
        let node = self.node(pc);
        if let Some(&range) = self.answers.get(&(node, t)) {
            return range;
        }
        let range = match self.follow(pool, pc, node, t) {
            Followed::Here => {
                let Memo { known, rests } = &mut self.memo;
                let (sizes, facts) = (&mut self.sizes, &self.facts);
                let range = pass(pool, tables, pc, facts, known, rests).whole_or_shallow(sizes, t);
                self.memo.trim();
                range
            }
            Followed::Far(facts) => apart(pool, tables, pc, &facts, &mut self.sizes, t).0,
        };
        if self.answers.len() >= KEPT {
            self.answers.clear();
        }
        self.answers.insert((node, t), range);
        range
    }

    /// The facts of the conjuncts that speak of a term, where they are few beside those that would be followed.
    fn few_facts(
        &self,
        pool: &Pool,
        pc: &PathCondition,
        t: Term,
        followed: usize,
    ) -> Option<Facts> {
        if followed <= NEAR {
            return None;
        }
        let slice = Slice::of(pool, pc, t);
        if followed <= NEAR + NEAR_TIMES * slice.terms.len() {
            return None;
        }
        let mut facts = Facts::default();
        slice.terms.iter().for_each(|&c| facts.add(pool, c));
        Some(facts)
    }

    /// The conjuncts on which the range of a term rests: it is computed anew, since what is kept does not say them.
    pub fn sources(
        &mut self,
        pool: &Pool,
        tables: &mut TruthTables,
        pc: &PathCondition,
        t: Term,
    ) -> Vec<Term> {
        let far = self
            .few_facts(pool, pc, t, self.tree.unknown(pc))
            .or_else(|| {
                let node = self.node(pc);
                match self.follow(pool, pc, node, t) {
                    Followed::Here => None,
                    Followed::Far(facts) => Some(facts),
                }
            });
        let facts = far.as_ref().unwrap_or(&self.facts);
        let (_, sources) = apart(pool, tables, pc, facts, &mut self.sizes, t);
        sources.in_order()
    }

    /// The node of a path. When too many are kept, the tree begins anew, and with it what is kept by its nodes.
    fn node(&mut self, pc: &PathCondition) -> PathNode {
        if self.tree.is_full(pc) {
            (self.tree, self.answers) = Default::default();
        }
        self.tree.of(pc)
    }

    /// The conjuncts that this path has beyond those in common with the one before, the last one first, and how many those are.
    fn way(&self, pc: &PathCondition, node: PathNode) -> (Vec<(PathNode, Term)>, usize) {
        let mut new = Vec::new();
        let (mut at, mut common) = (node, pc.len());
        while common > 0 && self.levels.get(common - 1).is_none_or(|l| l.node != at) {
            let (before, conjunct) = self.tree.before(at).expect("a path's nodes are known");
            new.push((at, conjunct));
            (at, common) = (before, common - 1);
        }
        (new, common)
    }

    /// Keeps the facts of this path, which has this node, or gives those that matter for a term.
    fn follow(&mut self, pool: &Pool, pc: &PathCondition, node: PathNode, t: Term) -> Followed {
        let (new, common) = self.way(pc, node);
        let followed = new.len() + self.levels.len().saturating_sub(common);
        if let Some(facts) = self.few_facts(pool, pc, t, followed) {
            return Followed::Far(facts);
        }
        self.take_back(pool, common);
        for (node, conjunct) in new.into_iter().rev() {
            let trail = self.facts.trail().len();
            self.facts.add(pool, conjunct);
            self.touch(pool, conjunct, trail);
            self.levels.push(KeptConjunct {
                node,
                conjunct,
                trail,
            });
        }
        Followed::Here
    }

    /// Takes the conjuncts after the first `len` back.
    fn take_back(&mut self, pool: &Pool, len: usize) {
        while self.levels.len() > len
            && let Some(KeptConjunct {
                conjunct, trail, ..
            }) = self.levels.pop()
        {
            self.touch(pool, conjunct, trail);
            self.facts.take_back(trail);
        }
    }

    /// A conjunct comes or goes, whose facts are those of the trail from here on: forgets what rests on others.
    fn touch(&mut self, pool: &Pool, conjunct: Term, trail: usize) {
        for &t in &self.facts.trail()[trail..] {
            self.memo.forget(t);
        }
        if let Some(symbol) = pool.single_symbol(conjunct)
            && pool.symbol_sort(symbol) == Sort::BitVec(8)
        {
            self.memo.forget_byte(symbol);
        }
    }

    /// Terms were renumbered, in the way that is given if it is known: what is there of others goes.
    pub fn relocate(&mut self, relocation: Option<&Relocation>) {
        let Some(relocation) = relocation else {
            *self = PathRanges::default();
            return;
        };
        self.tree.relocate(relocation);
        self.sizes.relocate(relocation);
        let tree = &self.tree;
        let answers = std::mem::take(&mut self.answers).into_iter();
        let is_kept = |node: PathNode| node == PathNode::START || tree.has(node);
        self.answers = answers
            .filter(|((node, _), _)| is_kept(*node))
            .filter_map(|((node, t), range)| Some(((node, relocation.get(t)?), range)))
            .collect();
        if self.levels.iter().all(|level| tree.has(level.node)) {
            for level in &mut self.levels {
                level.conjunct = relocation.get(level.conjunct).expect("its node is kept");
            }
            self.facts.relocate(relocation);
            self.memo.relocate(relocation);
        } else {
            (self.levels, self.facts, self.memo) = Default::default();
        }
    }
}

/// The range of a term by these facts alone, and the conjuncts that it rests on; nothing is kept.
fn apart(
    pool: &Pool,
    tables: &mut TruthTables,
    pc: &PathCondition,
    facts: &Facts,
    sizes: &mut Sizes,
    t: Term,
) -> (Fact, Sources) {
    let (mut known, mut sources) = (FxHashMap::default(), Sources::default());
    let range = pass(pool, tables, pc, facts, &mut known, &mut sources).whole_or_shallow(sizes, t);
    (range, sources)
}

/// A pass over a path whose effort is bounded by the size of its term.
fn pass<'a, N: Notes>(
    pool: &'a Pool,
    tables: &'a mut TruthTables,
    pc: &'a PathCondition,
    facts: &'a Facts,
    known: &'a mut FxHashMap<Term, Fact>,
    notes: &'a mut N,
) -> Pass<'a, N> {
    Pass {
        pool,
        tables,
        pc,
        facts,
        known,
        notes,
        effort: Effort::of(usize::MAX),
    }
}

impl<N: Notes> Pass<'_, N> {
    /// The range of a term, or that by its uppermost operations if it is large.
    fn whole_or_shallow(mut self, sizes: &mut Sizes, t: Term) -> Fact {
        if sizes.fits(self.pool, t) {
            self.range(t)
        } else {
            self.shallow(t, SHALLOW)
        }
    }
}
