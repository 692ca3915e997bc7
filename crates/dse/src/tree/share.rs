//! Sharing a tree among explorers: parts of it are given away, and parts of other trees are attached.

use super::{Alternative, Child, Eye, NodeId, Rest, Slot, Tail, Tree};
use crate::conditions::{Rank, Run, RunId};
use crate::part::{Cutoff, OpenSide, Part, Ticket};
use crate::target::{Decision, Executed, Input};
use search::BranchId;

/// A part that was hung into the tree.
pub(crate) struct Adopted {
    /// Its branches.
    pub opened: Vec<BranchId>,
    /// The run, if it was cut and is to go on.
    pub cut: Option<RunId>,
}

/// A run's path as others describe it.
pub(crate) struct Described<'a> {
    pub input: &'a Input,
    pub sides: &'a [OpenSide],
    pub cutoff: Option<Cutoff>,
    pub ticket: Ticket,
    pub rank: Rank,
}

impl Tree {
    /// All starts are others' until they are given.
    pub fn shut(&mut self) {
        self.roots.fill(Child::Elsewhere);
    }

    /// All paths of a start are ours to explore.
    pub fn begin(&mut self, start: usize) {
        if self.roots[start] == Child::Elsewhere {
            self.roots[start] = Child::Unseen;
        }
    }

    /// The runs on whose paths something is left.
    pub fn runs(&self) -> Vec<RunId> {
        self.runs.ids()
    }

    /// The entry of the frontier that a run is.
    pub fn ticket(&mut self, id: RunId) -> Option<&mut Ticket> {
        Some(&mut self.runs.get_mut(id)?.ticket)
    }

    /// After how many decisions a run was cut, if nobody knows yet what comes there.
    pub fn end_of(&self, id: RunId) -> Option<usize> {
        let tail = self.runs.of(id).tail.as_ref()?;
        (self.child(tail.slot) == Child::Unfinished(id)).then_some(tail.at)
    }

    /// Is anything left on the path of a run? Its end may be known by another run.
    pub fn has_part(&self, id: RunId) -> bool {
        let run = self.runs.of(id);
        run.holds > usize::from(run.tail.is_some()) || self.end_of(id).is_some()
    }

    /// The open branches on the path of a run, in its order.
    pub fn open_on(&self, id: RunId) -> Vec<BranchId> {
        let all = self.runs.of(id).branches.clone().map(BranchId);
        all.filter(|b| self.branches.contains(*b)).collect()
    }

    /// The open branches on the path of a run.
    pub fn part(&self, id: RunId) -> Part {
        self.describe(id, &self.open_on(id), true)
    }

    /// These open branches of a run, and its end if that is wanted and unknown.
    fn describe(&self, id: RunId, branches: &[BranchId], with_end: bool) -> Part {
        let run = self.runs.of(id);
        let branches = branches.iter().map(|&b| &self.branches[b]);
        let unknown = |tail: &&Tail| self.child(tail.slot) == Child::Unfinished(id);
        let tail = run.tail.as_ref().filter(unknown).filter(|_| with_end);
        let sides = branches.clone().map(|b| OpenSide {
            at: b.at as usize,
            others: self.others(b.node, b.own as usize),
            effort: b.effort,
            parked: b.parked,
        });
        Part::Path {
            input: Input {
                start: run.start,
                values: run.input.clone(),
            },
            sides: sides.collect(),
            cutoff: tail.map(|tail| Cutoff {
                at: tail.at,
                steps: tail.steps,
            }),
            step: branches
                .map(|b| b.step)
                .chain(tail.map(|tail| tail.step))
                .max()
                .unwrap_or(0),
        }
    }

    fn others(&self, node: NodeId, own: usize) -> Vec<(term::Term, term::Term)> {
        let all = self.nodes[node].alternatives.iter().enumerate();
        let others = all.filter(|&(i, _)| i != own);
        others.map(|(_, a)| (a.taken, a.other)).collect()
    }

    /// Takes open branches of a run out, and its end if that is wanted: they are others' now.
    pub fn give(&mut self, id: RunId, branches: &[BranchId], with_end: bool) -> Part {
        let part = self.describe(id, branches, with_end);
        if let Part::Path {
            cutoff: Some(_), ..
        } = part
            && let Some(slot) = self.runs.of(id).tail.as_ref().map(|tail| tail.slot)
        {
            self.hang(slot, Child::Elsewhere);
            self.drop_tail(id);
        }
        for &id in branches {
            if let Some(branch) = self.drop_branch(id) {
                self.nodes[branch.node].rest = Rest::Elsewhere;
            }
        }
        part
    }

    /// Hangs in what others describe, whose input was run again up to the last of its decisions. `None`: it does not fit,
    /// and nothing more is left to explore than before.
    pub fn adopt(
        &mut self,
        eye: &mut Eye<'_>,
        path: &Described<'_>,
        executed: Executed,
    ) -> Option<Adopted> {
        let decisions = &executed.decisions;
        let nodes = self.path_of_others(eye, path.input, decisions)?;
        let first = self.next;
        let mut opened = Vec::new();
        for side in path.sides {
            let (node, own) = nodes[side.at];
            if let Rest::Open(_) = self.nodes[node].rest {
                // It cannot be in two places; but if it is, once is enough.
                continue;
            }
            for &(taken, other) in &side.others {
                self.add_foreign(eye, node, (taken, other), path.input);
            }
            let at = (side.at, &decisions[side.at]);
            let id = self.open(node, at, own, (side.effort, side.parked));
            opened.push(id);
        }
        let end = path.cutoff.and_then(|cutoff| {
            let slot = match cutoff.at.checked_sub(1) {
                None => Slot::Root(path.input.start as u32),
                Some(last) => Slot::Alternative(nodes[last].0, nodes[last].1 as u32),
            };
            let is_free = matches!(self.child(slot), Child::Unseen | Child::Elsewhere);
            is_free.then_some((slot, cutoff))
        });
        let tail = end.map(|(slot, Cutoff { at, steps })| {
            self.hang(slot, Child::Unfinished(self.runs.next()));
            let step = at.checked_sub(1).map_or(0, |last| decisions[last].step);
            Tail {
                slot,
                at,
                step,
                steps,
            }
        });
        let is_cut = tail.is_some();
        let id = self.runs.add(Run::new(
            executed.conditions,
            (path.input.start, path.input.values.clone()),
            first..self.next,
            (opened.len(), tail),
            path.ticket,
            path.rank,
        ));
        Some(Adopted {
            opened,
            cut: is_cut.then_some(id),
        })
    }

    /// The nodes of a path that others explored, and the alternatives that it takes there. Those that are new here have nothing
    /// to explore.
    fn path_of_others(
        &mut self,
        eye: &mut Eye<'_>,
        input: &Input,
        decisions: &[Decision],
    ) -> Option<Vec<(NodeId, usize)>> {
        let mut slot = Slot::Root(input.start as u32);
        let mut nodes = Vec::with_capacity(decisions.len());
        for d in decisions {
            let node = match self.child(slot) {
                Child::BranchPoint(n) if self.nodes[n].site == d.site => n,
                Child::Unseen | Child::Elsewhere => self.grow(slot, d, Rest::Elsewhere),
                Child::BranchPoint(_) | Child::Leaf | Child::Unfinished(_) => return None,
            };
            let known = self.taken(eye, node, d, &input.values);
            let own = known.unwrap_or_else(|| {
                let n = &mut self.nodes[node];
                n.alternatives.push(Alternative {
                    taken: d.taken,
                    other: d.other,
                    child: Child::Elsewhere,
                    is_foreign: false,
                });
                n.alternatives.len() - 1
            });
            nodes.push((node, own));
            slot = Slot::Alternative(node, own as u32);
        }
        Some(nodes)
    }

    /// An alternative that others reported. If it is known already, there is nothing to add.
    fn add_foreign(
        &mut self,
        eye: &mut Eye<'_>,
        node: NodeId,
        (taken, other): (term::Term, term::Term),
        input: &Input,
    ) {
        // The alternatives of a node exclude each other: what the path itself takes is not this one.
        let n = &mut self.nodes[node];
        let all = &n.alternatives;
        if all.iter().any(|a| a.taken == taken) || eye.holds(taken, &input.values) {
            return;
        }
        n.alternatives.push(Alternative {
            taken,
            other,
            child: Child::Elsewhere,
            is_foreign: true,
        });
    }
}
