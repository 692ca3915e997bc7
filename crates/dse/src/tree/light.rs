//! Light executions: predict the path of an input by evaluating the conditions of the nodes on its way ("Multiplex
//! symbolic execution", section 3.6).

use super::{Alternative, Child, NodeId, Slot, Tree};
use search::BranchId;
use solver::Model;
use term::{Evaluator, Pool, Term};

/// The end of an input's walk through the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// At the end of a known path.
    Known,
    /// At a node none of whose alternatives it takes.
    New(NodeId),
    /// No run continued here, for other reasons than its input (it was cut short).
    Unseen,
}

/// The predicted path of an input, for inputs that differ little from it.
pub(crate) struct Known {
    start: u32,
    /// The nodes that it meets and the alternatives that it takes, from the root on.
    path: Vec<(NodeId, u32)>,
    /// The end of the path.
    end: Child,
    input: Model,
}

impl Known {
    /// How many decisions of its path are known.
    pub fn decisions(&self) -> usize {
        self.path.len()
    }
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

impl Tree {
    /// The predicted path of `input`, which meets `node` (it satisfies the conditions before it).
    pub fn known(&self, node: NodeId, input: Model) -> Known {
        let mut path = Vec::new();
        let mut slot = self.nodes[node].hangs;
        let start = loop {
            match slot {
                Slot::Root(start) => break start,
                Slot::Alternative(above, i) => {
                    path.push((above, i));
                    slot = self.nodes[above].hangs;
                }
            }
        };
        path.reverse();
        Known {
            start,
            path,
            end: Child::BranchPoint(node),
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
            let taken = self.nodes[node].alternatives[i as usize].taken;
            changed.concerns(pool, taken) && evaluator.eval(pool, taken, input) == 0
        });
        let from = left.map_or(known.end, |&(node, _)| Child::BranchPoint(node));
        let way = self.walk(pool, evaluator, from, input);
        debug_assert_eq!(
            way,
            self.walk(pool, evaluator, self.roots[known.start as usize], input)
        );
        let Way::New(node) = way else {
            return None;
        };
        let id = self.rest(node)?;
        // Up to where the input leaves the known path, the same conditions hold as on that.
        let on_path = left.is_some_and(|l| l.0 == node) || known.end == Child::BranchPoint(node);
        let branch = &self.branches[id];
        let before = self.before(branch);
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
        let alternatives = &self.nodes[node].alternatives;
        let mut taken = alternatives.iter().map(|a| a.taken);
        self.rest(node) == Some(branch) && !taken.any(|t| evaluator.eval(pool, t, input) != 0)
    }

    /// Follows an input through the tree from a node that it meets.
    fn walk(&self, pool: &Pool, evaluator: &mut Evaluator, from: Child, input: &Model) -> Way {
        let mut at = from;
        loop {
            let node = match at {
                Child::BranchPoint(n) => n,
                Child::Leaf => return Way::Known,
                Child::Unseen | Child::Unfinished(_) | Child::Elsewhere => return Way::Unseen,
            };
            let alternatives = &self.nodes[node].alternatives;
            let holds = |a: &Alternative| evaluator.eval(pool, a.taken, input) != 0;
            match alternatives.iter().position(holds) {
                Some(i) => at = alternatives[i].child,
                None => return Way::New(node),
            }
        }
    }
}
