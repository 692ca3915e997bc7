//! Asks the solver for an input that takes an open branch, and keeps the partial solutions.

use super::{Explorer, Found};
use crate::partial::PartialSolution;
use crate::target::{Input, Target};
use crate::tree::{Known, NodeId};
use crate::trust::Trust;
use search::BranchId;
use solver::{Budget, Model, Outcome, Technique, Trials};
use term::{Pool, Term};

/// The partial solutions of a query, up to a number.
struct Tried {
    wanted: Vec<Technique>,
    most: usize,
    trials: Vec<(Model, Technique)>,
    over: u64,
}

impl Tried {
    fn new(wanted: Vec<Technique>, most: u32) -> Tried {
        Tried {
            wanted,
            most: most as usize,
            trials: Vec::new(),
            over: 0,
        }
    }
}

impl Trials for Tried {
    fn tried(&mut self, a: &Model, by: Technique) {
        if !self.wanted.contains(&by) {
            return;
        }
        if self.trials.len() < self.most {
            self.trials.push((a.clone(), by))
        } else {
            self.over += 1
        }
    }

    fn wanted(&self) -> bool {
        !self.wanted.is_empty()
    }
}

/// The open branch that the strategy chose.
pub(super) struct Chosen<'a> {
    pub id: BranchId,
    pub node: NodeId,
    pub site: u64,
    pub start: usize,
    /// Satisfies the conditions before it.
    pub witness: &'a Model,
    /// The conditions that hold on it.
    pub conditions: &'a [Term],
}

impl Explorer {
    /// Asks for an input that takes an open branch.
    pub(super) fn ask(&mut self, target: &mut dyn Target, id: BranchId) {
        // A strategy can name what is open no longer, and what it has given away before and waits for more effort.
        let branch = self.tree.branches.get(id);
        let Some(branch) = branch.filter(|branch| branch.parked.is_none()) else {
            return;
        };
        let node = branch.node;
        let Input {
            start,
            values: witness,
        } = self.tree.input_of(branch);
        let key = self.tree.key_of(branch.run);
        let effort = self.effort_for(id);
        let budget = Budget {
            effort,
            ..self.options.budget
        };
        let conditions: Vec<Term> = self.tree.rest_conditions(node).collect();
        let chosen = Chosen {
            id,
            node,
            site: self.tree.site(node),
            start,
            witness: &witness,
            conditions: &conditions,
        };
        if self.take_by_neighbour(target, &chosen) {
            return;
        }
        let branch = &self.tree.branches[id];
        let before = self
            .tree
            .path_to(branch, &mut |path, c| target.reason_mut().extend(path, c));
        self.work_on(target, key);
        let site = chosen.site;
        let cond = target.reason_mut().all(&conditions);
        let is_small = target.reason().pool.single_symbol(cond).is_some();
        self.stats.queries += 1;
        let mut tried = Tried::new(
            self.trust.trusted(&self.options.partial.techniques),
            self.options.partial.limits.tried,
        );
        let work = target.reason().work();
        let spent = target.reason().solver.stats().effort;
        let outcome = target.solve(&before, &witness, cond, &budget, &mut tried);
        let work = target.reason().work() - work;
        self.trust.asked(site, work, is_small);
        self.vain
            .asked(site, matches!(outcome, Outcome::Sat(_)), work);
        let spent = target.reason().solver.stats().effort - spent;
        self.learn_effort(&outcome, effort, spent);
        let solved = matches!(outcome, Outcome::Sat(_)).then_some(id);
        if !tried.trials.is_empty() {
            let known = self.tree.known(node, witness);
            self.keep(&target.reason().pool, start, &known, tried, solved);
        }
        match outcome {
            Outcome::Sat(values) => {
                self.stats.sat += 1;
                self.inputs.push_back(Found {
                    input: Input { start, values },
                    node,
                    is_neighbour: false,
                });
            }
            Outcome::Unsat(_) => {
                self.stats.unsat += 1;
                self.close(id);
            }
            Outcome::Unknown(why) => {
                self.stats.unknown += 1;
                *self.stats.parked.entry(why.name()).or_default() += 1;
                self.tree.update(id, |branch| branch.parked = Some(why));
                self.parked.push((id, why));
                self.may_ask_again(id, effort, why);
            }
        }
    }

    /// Keeps the trials that open branches, one for each branch, the most promising ones.
    /// `solved` has its solution already.
    fn keep(
        &mut self,
        pool: &Pool,
        start: usize,
        known: &Known,
        tried: Tried,
        solved: Option<BranchId>,
    ) {
        let mut kept: Vec<(NodeId, BranchId, Model, Technique)> = Vec::new();
        self.stats.partial_tried += tried.trials.len() as u64 + tried.over;
        for (values, by) in tried.trials {
            let work = term::work::spent();
            let opens = self.tree.opens(pool, &mut self.evaluator, known, &values);
            let cost = Trust::cost(term::work::spent() - work);
            self.trust.tried(by, cost);
            match opens {
                Some((_, id)) if solved == Some(id) || kept.iter().any(|k| k.1 == id) => {}
                Some((node, id)) => {
                    self.trust.opened(by, self.tree.site(node));
                    kept.push((node, id, values, by));
                }
                None => {}
            }
        }
        self.stats.partial_left_out.tried += tried.over;
        self.queue(start, kept);
    }

    /// Lets inputs that open branches wait for their run, the most promising ones if there are too many.
    pub(super) fn queue(
        &mut self,
        start: usize,
        mut kept: Vec<(NodeId, BranchId, Model, Technique)>,
    ) {
        kept.sort_by_key(|k| self.distance(k.0));
        let most = self.options.partial.limits.kept as usize;
        self.stats.partial_left_out.kept += kept.len().saturating_sub(most) as u64;
        kept.truncate(most);
        for (node, branch, values, by) in kept {
            self.stats.kept(by);
            let waiting = PartialSolution {
                input: Input { start, values },
                node,
                branch,
                by,
            };
            let left_out = self.partial.push(self.distance(node), waiting);
            self.stats.partial_left_out.waiting += u64::from(left_out);
        }
    }
}
