//! The tree of all paths that were asked about: a node stands for a sequence of conjuncts, whoever has it.
//!
//! Runs that begin with the same conjuncts pass the same nodes, so that what was found at a node serves all of them. A path carries the
//! node that was found for it last; only the conjuncts behind that one are looked up.

use crate::path::PathCondition;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use term::{Relocation, Term};

/// The number of a node, other than that of any other sequence of conjuncts in this process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct PathNode(u64);

impl PathNode {
    /// That of a path without conjuncts.
    pub const START: PathNode = PathNode(0);
}

/// The node of a path's first so many conjuncts.
#[derive(Clone, Default)]
pub(crate) struct PathMark(Cell<(u32, PathNode)>);

/// Nodes that are kept.
const KEPT: usize = 1 << 18;
/// Each tree numbers its nodes from a multiple of this on.
const BLOCK: u64 = 1 << 32;
/// The first number of the next tree.
static NEXT: AtomicU64 = AtomicU64::new(BLOCK);

/// How a node is reached.
#[derive(Clone, Copy)]
struct Reached {
    from: PathNode,
    conjunct: Term,
}

/// See the module.
pub(super) struct PathTree {
    first: u64,
    /// By number.
    steps: Vec<Reached>,
    next: FxHashMap<(PathNode, Term), PathNode>,
}

impl Default for PathTree {
    fn default() -> PathTree {
        PathTree {
            first: NEXT.fetch_add(BLOCK, Ordering::Relaxed),
            steps: Vec::new(),
            next: FxHashMap::default(),
        }
    }
}

impl PathTree {
    /// Are more nodes kept than should be, beside those of this path?
    pub fn is_full(&self, pc: &PathCondition) -> bool {
        self.steps.len() >= KEPT.max(2 * pc.len())
    }

    /// How many conjuncts of a path were not met on it yet.
    pub fn unknown(&self, pc: &PathCondition) -> usize {
        let (len, node) = pc.mark.0.get();
        let known = if self.step(node).is_some() { len } else { 0 };
        pc.len() - known as usize
    }

    /// The node of a path.
    pub fn of(&mut self, pc: &PathCondition) -> PathNode {
        let (mut len, mut node) = pc.mark.0.get();
        if self.step(node).is_none() {
            (len, node) = (0, PathNode::START);
        }
        for position in len..pc.len() as u32 {
            let step = Reached {
                from: node,
                conjunct: pc.term_at(position),
            };
            node = *self.next.entry((node, step.conjunct)).or_insert_with(|| {
                self.steps.push(step);
                PathNode(self.first + self.steps.len() as u64 - 1)
            });
        }
        pc.mark.0.set((pc.len() as u32, node));
        node
    }

    /// The node one conjunct before another one, and that conjunct; `None` at the start, and for nodes that are not kept.
    pub fn before(&self, node: PathNode) -> Option<(PathNode, Term)> {
        self.step(node).map(|step| (step.from, step.conjunct))
    }

    /// Is the node known?
    pub fn has(&self, node: PathNode) -> bool {
        self.step(node).is_some()
    }

    fn step(&self, node: PathNode) -> Option<Reached> {
        let at = node.0.checked_sub(self.first)?;
        let step = *self.steps.get(usize::try_from(at).ok()?)?;
        step.conjunct.is_some().then_some(step)
    }

    /// Terms were renumbered. Nodes keep their numbers; those of sequences with a conjunct that is gone are none any more.
    pub fn relocate(&mut self, relocation: &Relocation) {
        self.next.clear();
        for at in 0..self.steps.len() {
            let Reached { from, conjunct } = self.steps[at];
            let is_reached = from == PathNode::START || self.has(from);
            let moved = relocation.get(conjunct).filter(|_| is_reached);
            self.steps[at].conjunct = moved.unwrap_or(Term::NONE);
            if let Some(conjunct) = moved {
                let node = PathNode(self.first + at as u64);
                self.next.insert((from, conjunct), node);
            }
        }
    }
}
