//! The paths seen so far, as a tree over their decisions.
//!
//! A node is a place where a path depended on its input, after a given prefix of decisions. Its
//! alternatives are the conditions that runs met there: two for a branch, any number for a switch, a
//! resolved address or a value. What no alternative covers is the node's *rest*; while that may be
//! feasible and nobody took it, it is an open branch.

use crate::conditions::{Conditions, RunId, Runs};
use crate::target::Decision;
use rustc_hash::FxHashMap;
use search::BranchId;
use solver::{Conjunct, Model, Origin, PathCondition, TraceSet};
use term::{Evaluator, Pool, Term};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct NodeId(u32);

/// Objects that one address is followed to. A stray index reaches every object of the program, and where it leads tells
/// little.
const MAX_OBJECTS: usize = 16;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Child {
    /// No run went here yet.
    Unseen,
    Node(NodeId),
    /// A path ends.
    Leaf,
}

struct Alternative {
    taken: Term,
    other: Term,
    child: Child,
}

struct Node {
    site: u64,
    hangs: Slot,
    alternatives: Vec<Alternative>,
    /// The open branch of the rest; none once the rest is known to be empty or given up.
    rest: Option<BranchId>,
}

/// Where a child hangs.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Root(usize),
    Alternative(NodeId, usize),
}

/// The rest of a node: a branch that the solver may open.
pub(crate) struct Branch {
    pub node: NodeId,
    pub start: usize,
    run: RunId,
    /// How many of the run's conditions come before.
    before: usize,
    /// Satisfies these.
    pub witness: Model,
    pub effort: u64,
}

/// A run, to be added.
pub(crate) struct NewPath<'a> {
    pub start: usize,
    pub input: &'a Model,
    pub decisions: &'a [Decision],
    /// It came to its end.
    pub complete: bool,
    /// The node whose rest the input was made for.
    pub expected: Option<NodeId>,
    /// Of the first queries for branches that it opens.
    pub effort: u64,
}

/// What a new path changed.
#[derive(Default)]
pub(crate) struct Inserted {
    pub new_path: bool,
    /// Branches that are open now, each with the index of its decision in the run.
    pub opened: Vec<(BranchId, usize)>,
    /// Branches whose rest is taken now.
    pub closed: Vec<BranchId>,
    /// Of these, those that were given up although more may be there.
    pub limited: u64,
    /// The run met the expected node and took what nobody had taken there.
    pub as_expected: bool,
    /// Another place or condition was met than the runs before had met after the same decisions.
    pub contradicts: bool,
}

/// Where a walk of an input through the tree ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// At the end of a known path.
    Known,
    /// At a node none of whose alternatives it takes.
    New(NodeId),
    /// Where no run went on, for other reasons than its input (it was cut short).
    Unseen,
}

/// What an input is known to do, for the inputs that differ from it little.
pub(crate) struct Known {
    start: usize,
    /// The nodes that it meets and the alternatives that it takes, from the root on.
    path: Vec<(NodeId, usize)>,
    /// Where the path ends.
    end: Child,
    input: Model,
}

/// The symbols by which an input differs from another one.
struct Changed(Vec<bool>);

impl Changed {
    fn between(a: &Model, b: &Model) -> Changed {
        let symbols = a.differing(b);
        let mut flags = vec![false; symbols.last().map_or(0, |s| s.0 as usize + 1)];
        for s in symbols {
            flags[s.0 as usize] = true;
        }
        Changed(flags)
    }

    /// May the condition's value differ too?
    fn concerns(&self, pool: &Pool, t: Term) -> bool {
        let mut symbols = pool.set_iter(pool.symbols(t));
        symbols.any(|s| self.0.get(s.0 as usize) == Some(&true))
    }
}

/// See the module.
pub(crate) struct Tree {
    roots: Vec<Child>,
    nodes: Vec<Node>,
    pub branches: FxHashMap<BranchId, Branch>,
    runs: Runs,
    next: u64,
}

impl Tree {
    pub fn new(starts: usize) -> Tree {
        Tree {
            roots: vec![Child::Unseen; starts],
            nodes: Vec::new(),
            branches: FxHashMap::default(),
            runs: Runs::default(),
            next: 0,
        }
    }

    fn child(&self, slot: Slot) -> Child {
        match slot {
            Slot::Root(start) => self.roots[start],
            Slot::Alternative(n, i) => self.nodes[n.0 as usize].alternatives[i].child,
        }
    }

    fn hang(&mut self, slot: Slot, child: Child) {
        match slot {
            Slot::Root(start) => self.roots[start] = child,
            Slot::Alternative(n, i) => self.nodes[n.0 as usize].alternatives[i].child = child,
        }
    }

    /// Adds the path of a run.
    pub fn insert(&mut self, run: &NewPath<'_>, conditions: Conditions) -> Inserted {
        let mut result = Inserted::default();
        self.follow(run, &mut result);
        self.runs.add(conditions, result.opened.len());
        for &id in &result.closed {
            self.drop_branch(id);
        }
        result
    }

    fn drop_branch(&mut self, id: BranchId) -> Option<Branch> {
        let branch = self.branches.remove(&id)?;
        self.runs.release(branch.run);
        Some(branch)
    }

    fn follow(&mut self, run: &NewPath<'_>, result: &mut Inserted) {
        let mut slot = Slot::Root(run.start);
        for (at, d) in run.decisions.iter().enumerate() {
            let node = match self.child(slot) {
                Child::Node(n) if self.nodes[n.0 as usize].site == d.site => n,
                Child::Unseen => {
                    let n = self.grow(slot, run, d);
                    result
                        .opened
                        .extend(self.nodes[n.0 as usize].rest.map(|b| (b, at)));
                    n
                }
                Child::Node(_) | Child::Leaf => {
                    result.contradicts = true;
                    return;
                }
            };
            let n = &mut self.nodes[node.0 as usize];
            let known = n.alternatives.iter().position(|a| a.taken == d.taken);
            let index = known.unwrap_or_else(|| {
                let opposite = |a: &Alternative| a.taken == d.other || a.other == d.taken;
                if n.alternatives.iter().any(opposite) {
                    result.closed.extend(n.rest.take());
                }
                n.alternatives.push(Alternative {
                    taken: d.taken,
                    other: d.other,
                    child: Child::Unseen,
                });
                if d.origin == Origin::BoundsCheck && n.alternatives.len() == MAX_OBJECTS {
                    result.limited += u64::from(n.rest.is_some());
                    result.closed.extend(n.rest.take());
                }
                n.alternatives.len() - 1
            });
            result.as_expected |= known.is_none() && run.expected == Some(node);
            slot = Slot::Alternative(node, index);
        }
        match self.child(slot) {
            Child::Unseen if run.complete => {
                self.hang(slot, Child::Leaf);
                result.new_path = true;
            }
            Child::Unseen | Child::Leaf => {}
            Child::Node(_) => result.contradicts = run.complete,
        }
    }

    fn grow(&mut self, slot: Slot, run: &NewPath<'_>, d: &Decision) -> NodeId {
        let node = NodeId(self.nodes.len() as u32);
        let id = BranchId(self.next);
        self.next += 1;
        self.nodes.push(Node {
            site: d.site,
            hangs: slot,
            alternatives: Vec::new(),
            rest: (!d.is_known).then_some(id),
        });
        self.hang(slot, Child::Node(node));
        if d.is_known {
            return node;
        }
        let branch = Branch {
            node,
            start: run.start,
            run: self.runs.next(),
            before: d.before,
            witness: run.input.clone(),
            effort: run.effort,
        };
        self.branches.insert(id, branch);
        node
    }

    /// The conditions that hold together on the rest of a node.
    pub fn rest_conditions(&self, node: NodeId) -> impl Iterator<Item = Term> + '_ {
        self.nodes[node.0 as usize]
            .alternatives
            .iter()
            .map(|a| a.other)
    }

    /// The path to an open branch; `extend` adds a condition to one.
    pub fn path_to(
        &self,
        branch: &Branch,
        extend: &mut dyn FnMut(&mut PathCondition, Conjunct),
    ) -> PathCondition {
        self.runs.path(branch.run, branch.before, extend)
    }

    /// The rest of the node is empty, or is given up.
    pub fn close(&mut self, id: BranchId) {
        if let Some(branch) = self.drop_branch(id) {
            self.nodes[branch.node.0 as usize].rest = None;
        }
    }

    /// The branch is open still (its rest may have lost further alternatives).
    pub fn rest(&self, node: NodeId) -> Option<BranchId> {
        self.nodes[node.0 as usize].rest
    }

    /// What `input` is known to do, which meets `node` (it satisfies the conditions before it).
    pub fn known(&self, node: NodeId, input: Model) -> Known {
        let mut path = Vec::new();
        let mut slot = self.nodes[node.0 as usize].hangs;
        let start = loop {
            match slot {
                Slot::Root(start) => break start,
                Slot::Alternative(above, i) => {
                    path.push((above, i));
                    slot = self.nodes[above.0 as usize].hangs;
                }
            }
        };
        path.reverse();
        Known {
            start,
            path,
            end: Child::Node(node),
            input,
        }
    }

    /// The open branch that an input takes, if it does and fits everything that the program assumes before.
    /// This is the light execution: the machine is deterministic, so an input that meets known alternatives only
    /// repeats a known path. Conditions over symbols that `known` gives the same values are not evaluated.
    pub fn opens(
        &self,
        pool: &Pool,
        evaluator: &mut Evaluator,
        known: &Known,
        input: &Model,
    ) -> Option<(NodeId, BranchId)> {
        let changed = Changed::between(&known.input, input);
        let left = known.path.iter().find(|&&(node, i)| {
            let taken = self.nodes[node.0 as usize].alternatives[i].taken;
            changed.concerns(pool, taken) && evaluator.eval(pool, taken, input) == 0
        });
        let from = left.map_or(known.end, |&(node, _)| Child::Node(node));
        let way = self.walk(pool, evaluator, from, input);
        debug_assert_eq!(
            way,
            self.walk(pool, evaluator, self.roots[known.start], input)
        );
        let Way::New(node) = way else {
            return None;
        };
        let id = self.rest(node)?;
        // Up to where the input leaves the known path, the same conditions hold as on that.
        let on_path = left.is_some_and(|l| l.0 == node) || known.end == Child::Node(node);
        let branch = &self.branches[&id];
        let before = self
            .runs
            .before(branch.run, branch.before)
            .iter()
            .map(|c| c.term);
        let before: Vec<Term> = if on_path {
            before.filter(|&t| changed.concerns(pool, t)).collect()
        } else {
            before.collect()
        };
        let fits = evaluator.first_false(pool, &before, input).is_none();
        fits.then_some((node, id))
    }

    /// Whether an input that took an open branch when it was found still does.
    pub fn still_opens(
        &self,
        pool: &Pool,
        evaluator: &mut Evaluator,
        (node, branch): (NodeId, BranchId),
        input: &Model,
    ) -> bool {
        let alternatives = &self.nodes[node.0 as usize].alternatives;
        let mut taken = alternatives.iter().map(|a| a.taken);
        self.rest(node) == Some(branch) && !taken.any(|t| evaluator.eval(pool, t, input) != 0)
    }

    /// Follows an input through the tree from a node that it meets.
    fn walk(&self, pool: &Pool, evaluator: &mut Evaluator, from: Child, input: &Model) -> Way {
        let mut at = from;
        loop {
            let node = match at {
                Child::Node(n) => n,
                Child::Leaf => return Way::Known,
                Child::Unseen => return Way::Unseen,
            };
            let alternatives = &self.nodes[node.0 as usize].alternatives;
            let holds = |a: &Alternative| evaluator.eval(pool, a.taken, input) != 0;
            match alternatives.iter().position(holds) {
                Some(i) => at = alternatives[i].child,
                None => return Way::New(node),
            }
        }
    }

    /// Shows all terms to a collection.
    pub fn trace(&mut self, paths: &mut TraceSet, visit: &mut dyn FnMut(&mut Term)) {
        for node in &mut self.nodes {
            for a in &mut node.alternatives {
                visit(&mut a.taken);
                visit(&mut a.other);
            }
        }
        self.runs.trace(paths, visit);
    }
}
