//! The paths seen so far, as a tree over their decisions.
//!
//! A node is a place where a path depended on its input, after a given prefix of decisions. Its alternatives are the
//! conditions that runs met there: two for a branch, any number for a switch, a resolved address or a value. The
//! values that no alternative covers are the node's *rest*; as long as it may be feasible and no run took it, it is an
//! open branch. Parts of the tree may be explored by others: nothing grows there (`share`). Subtrees without open
//! branches are cut back when memory is short (`prune`). A walk through the tree predicts the path of an input
//! (`light`).

mod alternatives;
mod light;
mod prune;
mod share;
mod store;

pub(crate) use light::Known;
pub(crate) use share::Described;

use crate::conditions::{Conditions, Rank, Run, RunId, Runs};
use crate::part::Ticket;
use crate::target::{Decision, Divergence, Input};
use alternatives::Alternatives;
use search::{BranchId, Metrics, Near};
use solver::{Conjunct, Model, Origin, PathCondition, TraceSet, Why};
use store::{Branches, Nodes};
use term::{Evaluator, Pool, Term};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct NodeId(u32);

/// Largest number of objects to which one address is followed. A stray index reaches every object of the program, and
/// most of these paths teach little.
const MAX_OBJECTS: usize = 16;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Child {
    /// No run went here yet.
    Unseen,
    /// This run was cut here, and will go on.
    Unfinished(RunId),
    /// The subtree is explored elsewhere, or completely explored.
    Elsewhere,
    BranchPoint(NodeId),
    /// A path ends.
    Leaf,
}

struct Alternative {
    taken: Term,
    other: Term,
    child: Child,
    /// It was reported by others: where it is met here, its terms may look different.
    is_foreign: bool,
}

/// The values that no alternative of a node covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rest {
    Open(BranchId),
    /// It is known to be empty, or is given up.
    Closed,
    /// It is others' to explore.
    Elsewhere,
}

struct BranchPoint {
    site: u64,
    hangs: Slot,
    alternatives: Alternatives,
    rest: Rest,
}

/// The place at which a child hangs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Slot {
    Root(u32),
    Alternative(NodeId, u32),
}

/// The end of a run that was cut and will continue.
pub(crate) struct Tail {
    slot: Slot,
    /// After so many decisions, the last of them in this step.
    pub at: usize,
    pub step: u64,
    /// Steps of the next attempt.
    pub steps: u64,
}

/// The rest of a node: a branch that the solver may open. There are millions of them.
pub(crate) struct Branch {
    pub node: NodeId,
    pub run: RunId,
    /// The alternative that the run took, the number of the decision, and its step.
    own: u32,
    pub at: u32,
    step: u64,
    /// How many of the run's conditions come before.
    before: u32,
    /// The nearest uncovered place.
    pub near: Near,
    pub effort: u64,
    /// Why the solver did not decide it, if it was asked.
    pub parked: Option<Why>,
    /// See [`Decision::can_wait`].
    pub can_wait: bool,
}

/// A run, to be added.
pub(crate) struct NewPath<'a> {
    pub start: usize,
    /// The input of the run.
    pub input: &'a Model,
    pub decisions: &'a [Decision],
    /// It came to its end.
    pub complete: bool,
    /// It was cut, and will go on with so many steps.
    pub goes_on: Option<u64>,
    /// The node whose rest the input was made for.
    pub expected: Option<NodeId>,
    /// The effort of the first queries for branches that it opens.
    pub effort: u64,
    /// The part of the frontier that it came from.
    pub key: u64,
    pub rank: Rank,
}

/// Values of terms under an input, for comparisons with it.
pub(crate) struct Eye<'a> {
    pub pool: &'a Pool,
    pub evaluator: &'a mut Evaluator,
}

impl Eye<'_> {
    fn holds(&mut self, t: Term, input: &Model) -> bool {
        self.evaluator.eval(self.pool, t, input) != 0
    }
}

/// The changes that a new path made.
#[derive(Default)]
pub(crate) struct Inserted {
    pub new_path: bool,
    /// Branches that are open now.
    pub opened: Vec<BranchId>,
    /// Branches whose rest is taken now.
    pub closed: Vec<BranchId>,
    /// Those that were given up although more may be there.
    pub limited: u64,
    /// The run met the expected node, and took a side that no run had taken there.
    pub as_expected: bool,
    /// Another place or condition was met than the runs before had met after the same decisions.
    pub contradicts: Option<Divergence>,
    /// The run entered a part that others explore: the new nodes there are not ours.
    pub elsewhere: bool,
    /// The run, if it was cut where no other one was, and will go on.
    pub cut: Option<RunId>,
}

/// See the module.
pub(crate) struct Tree {
    roots: Vec<Child>,
    nodes: Nodes,
    /// Nodes that are no part of the tree any more.
    free: Vec<NodeId>,
    pub branches: Branches,
    runs: Runs,
    next: u64,
}

impl Tree {
    pub fn new(starts: usize) -> Tree {
        Tree {
            roots: vec![Child::Unseen; starts],
            nodes: Nodes::default(),
            free: Vec::new(),
            branches: Branches::default(),
            runs: Runs::default(),
            next: 0,
        }
    }

    fn child(&self, slot: Slot) -> Child {
        match slot {
            Slot::Root(start) => self.roots[start as usize],
            Slot::Alternative(n, i) => self.nodes[n].alternatives[i as usize].child,
        }
    }

    fn hang(&mut self, slot: Slot, child: Child) {
        match slot {
            Slot::Root(start) => self.roots[start as usize] = child,
            Slot::Alternative(n, i) => {
                self.nodes[n].alternatives[i as usize].child = child;
            }
        }
    }

    /// Adds the path of a run.
    pub fn insert(
        &mut self,
        eye: &mut Eye<'_>,
        run: &NewPath<'_>,
        conditions: Conditions,
    ) -> Inserted {
        let mut result = Inserted::default();
        let first = self.next;
        let tail = self.follow(eye, run, &mut result);
        let is_cut = tail.is_some();
        let ticket = Ticket {
            key: run.key,
            is_told: false,
        };
        let id = self.runs.add(Run::new(
            conditions,
            (run.start, run.input.clone()),
            first..self.next,
            (result.opened.len(), tail),
            ticket,
            run.rank,
        ));
        result.cut = is_cut.then_some(id);
        for &id in &result.closed {
            self.drop_branch(id);
        }
        result
    }

    fn drop_branch(&mut self, id: BranchId) -> Option<Branch> {
        let branch = self.branches.remove(id)?;
        self.runs.release(branch.run);
        Some(branch)
    }

    /// Walks along a run's decisions, and adds new nodes. Returns its end if it was cut there and has to continue.
    fn follow(
        &mut self,
        eye: &mut Eye<'_>,
        run: &NewPath<'_>,
        result: &mut Inserted,
    ) -> Option<Tail> {
        let mut slot = Slot::Root(run.start as u32);
        for (at, d) in run.decisions.iter().enumerate() {
            let node = match self.child(slot) {
                Child::BranchPoint(n) if self.nodes[n].site == d.site => n,
                child @ (Child::Unseen | Child::Unfinished(_)) => {
                    self.pass(child);
                    let n = self.grow(slot, d, Rest::Closed);
                    if !d.is_known {
                        let id = self.open(n, (at, d), 0, (run.effort, None));
                        result.opened.push(id);
                    }
                    n
                }
                Child::Elsewhere => {
                    result.elsewhere = true;
                    return None;
                }
                child @ (Child::BranchPoint(_) | Child::Leaf) => {
                    let predicted = match child {
                        Child::BranchPoint(n) => Some(self.nodes[n].site),
                        _ => None,
                    };
                    let met = Some(d.site);
                    result.contradicts = Some(Divergence::Place { predicted, met });
                    return None;
                }
            };
            let known = self.taken(eye, node, d, run.input);
            if known.is_none() && result.contradicts.is_none() {
                // Alternatives exclude each other.
                let mut others = self.nodes[node].alternatives.iter();
                let other = others.find(|a| eye.holds(a.taken, run.input));
                result.contradicts = other.map(|a| Divergence::Condition {
                    site: d.site,
                    predicted: a.taken,
                    met: d.taken,
                });
            }
            let n = &mut self.nodes[node];
            if known.is_none() && n.rest == Rest::Elsewhere {
                result.elsewhere = true;
                return None;
            }
            let index = known.unwrap_or_else(|| {
                let opposite = |a: &Alternative| a.taken == d.other || a.other == d.taken;
                let is_last = n.alternatives.iter().any(opposite);
                n.alternatives.push(Alternative {
                    taken: d.taken,
                    other: d.other,
                    child: Child::Unseen,
                    is_foreign: false,
                });
                let is_enough =
                    d.origin == Origin::BoundsCheck && n.alternatives.len() == MAX_OBJECTS;
                if let Rest::Open(id) = n.rest {
                    if is_last || is_enough {
                        result.limited += u64::from(!is_last);
                        result.closed.push(id);
                        n.rest = Rest::Closed;
                    } else if let Some(branch) = self.branches.get(id) {
                        self.runs.changed(branch.run);
                    }
                }
                n.alternatives.len() - 1
            });
            result.as_expected |= known.is_none() && run.expected == Some(node);
            slot = Slot::Alternative(node, index as u32);
        }
        match self.child(slot) {
            child @ (Child::Unseen | Child::Unfinished(_)) if run.complete => {
                self.pass(child);
                self.hang(slot, Child::Leaf);
                result.new_path = true;
            }
            Child::Unseen => {
                let steps = run.goes_on?;
                self.hang(slot, Child::Unfinished(self.runs.next()));
                return Some(Tail {
                    slot,
                    at: run.decisions.len(),
                    step: run.decisions.last().map_or(0, |d| d.step),
                    steps,
                });
            }
            Child::Unfinished(_) | Child::Leaf => {}
            Child::Elsewhere => result.elsewhere = true,
            Child::BranchPoint(n) if run.complete => {
                result.contradicts = Some(Divergence::Place {
                    predicted: Some(self.nodes[n].site),
                    met: None,
                });
            }
            Child::BranchPoint(_) => {}
        }
        None
    }

    /// A run goes on where another one was cut: that is not for the other one to find out any more.
    fn pass(&mut self, child: Child) {
        if let Child::Unfinished(run) = child {
            self.runs.changed(run);
        }
    }

    /// The alternative of a node that an input takes with this decision, if it is known.
    fn taken(&self, eye: &mut Eye<'_>, node: NodeId, d: &Decision, input: &Model) -> Option<usize> {
        let all = &self.nodes[node].alternatives;
        let same = all.iter().position(|a| a.taken == d.taken);
        same.or_else(|| {
            all.iter()
                .position(|a| a.is_foreign && eye.holds(a.taken, input))
        })
    }

    fn grow(&mut self, slot: Slot, d: &Decision, rest: Rest) -> NodeId {
        let grown = BranchPoint {
            site: d.site,
            hangs: slot,
            alternatives: Alternatives::None,
            rest,
        };
        let node = match self.free.pop() {
            Some(node) => {
                self.nodes[node] = grown;
                node
            }
            None => self.nodes.push(grown),
        };
        self.hang(slot, Child::BranchPoint(node));
        node
    }

    /// Opens the rest of a node that the next run to be added meets with this decision.
    fn open(
        &mut self,
        node: NodeId,
        (at, d): (usize, &Decision),
        own: usize,
        (effort, parked): (u64, Option<Why>),
    ) -> BranchId {
        let id = BranchId(self.next);
        self.next += 1;
        self.nodes[node].rest = Rest::Open(id);
        let branch = Branch {
            node,
            run: self.runs.next(),
            own: own as u32,
            at: at as u32,
            step: d.step,
            before: d.before as u32,
            near: d.near,
            effort,
            parked,
            can_wait: d.can_wait,
        };
        self.branches.insert(id, branch);
        id
    }

    /// The input on whose path a branch is open.
    pub fn input_of(&self, branch: &Branch) -> Input {
        let run = self.runs.of(branch.run);
        Input {
            start: run.start,
            values: run.input.clone(),
        }
    }

    /// The entry of the frontier that a run belongs to.
    pub fn key_of(&self, run: RunId) -> u64 {
        self.runs.of(run).ticket.key
    }

    /// Changes the query or the facts of a branch.
    pub fn update(&mut self, id: BranchId, update: impl FnOnce(&mut Branch)) {
        if let Some(branch) = self.branches.get_mut(id) {
            update(branch);
            self.runs.changed(branch.run);
        }
    }

    /// A run that was cut goes on now. Returns whether nobody has seen yet what comes; then [`Tree::went_on`] follows.
    pub fn goes_on(&mut self, id: RunId) -> bool {
        let is_unseen = self.end_of(id).is_some();
        match self.slot_of_tail(id) {
            Some(slot) if is_unseen => self.hang(slot, Child::Unseen),
            _ => self.drop_tail(id),
        }
        is_unseen
    }

    /// A run has gone on, and was cut once more if `is_cut`. Returns whether that was before the place where it had been cut: then
    /// that is its end as before.
    pub fn went_on(&mut self, id: RunId, is_cut: bool) -> bool {
        let unseen = |slot: &Slot| is_cut && self.child(*slot) == Child::Unseen;
        if let Some(slot) = self.slot_of_tail(id).filter(unseen) {
            self.hang(slot, Child::Unfinished(id));
            self.runs.changed(id);
            return true;
        }
        self.drop_tail(id);
        false
    }

    fn slot_of_tail(&self, id: RunId) -> Option<Slot> {
        Some(self.runs.get(id)?.tail.as_ref()?.slot)
    }

    /// The end of a run is not its own any more.
    fn drop_tail(&mut self, id: RunId) {
        let run = self.runs.get_mut(id);
        if run.is_some_and(|run| run.tail.take().is_some()) {
            self.runs.release(id);
        }
    }

    /// Where in the program a node is.
    pub fn site(&self, node: NodeId) -> u64 {
        self.nodes[node].site
    }

    /// The conditions of the path to an open branch.
    pub fn before(&self, branch: &Branch) -> impl DoubleEndedIterator<Item = Term> + '_ {
        let before = self.runs.before(branch.run, branch.before as usize);
        before.iter().map(|c| c.term)
    }

    /// The conditions that hold together on the rest of a node.
    pub fn rest_conditions(&self, node: NodeId) -> impl Iterator<Item = Term> + '_ {
        self.nodes[node].alternatives.iter().map(|a| a.other)
    }

    /// The path to an open branch; `extend` adds a condition to one.
    pub fn path_to(
        &self,
        branch: &Branch,
        extend: &mut dyn FnMut(&mut PathCondition, Conjunct),
    ) -> PathCondition {
        self.runs.path(branch.run, branch.before as usize, extend)
    }

    /// The rest of the node is empty, or is given up.
    pub fn close(&mut self, id: BranchId) {
        if let Some(branch) = self.drop_branch(id) {
            self.nodes[branch.node].rest = Rest::Closed;
        }
    }

    /// The branch is open still (its rest may have lost further alternatives).
    pub fn rest(&self, node: NodeId) -> Option<BranchId> {
        match self.nodes[node].rest {
            Rest::Open(id) => Some(id),
            Rest::Closed | Rest::Elsewhere => None,
        }
    }

    /// What a strategy may know of an open branch.
    pub fn metrics(&self, id: BranchId) -> Option<Metrics> {
        let branch = self.branches.get(id)?;
        let Rank { run, covered } = self.runs.of(branch.run).rank;
        Some(Metrics {
            depth: branch.at,
            run,
            run_covered: covered,
            covered_new: covered > 0,
            min_distance_to_uncovered: branch.near.distance,
            nearest_uncovered: branch.near.site,
            ..Metrics::default()
        })
    }

    /// Shows all terms to a collection.
    pub fn trace(&mut self, paths: &mut TraceSet, visit: &mut dyn FnMut(&mut Term)) {
        for node in self.nodes.iter_mut() {
            for a in node.alternatives.iter_mut() {
                visit(&mut a.taken);
                visit(&mut a.other);
            }
        }
        self.runs.trace(paths, visit);
    }
}
