//! Before the solver is asked for a branch, neighbours of an input that passes by it are tried.

use super::ask::Chosen;
use super::{Explorer, Found};
use crate::neighbours::changeable;
use crate::target::{Input, Target};
use crate::tree::NodeId;
use crate::trust::Trust;
use search::BranchId;
use solver::{Model, Technique};
use term::Term;

/// Neighbours that are tried before one query.
const TRIED: usize = 256;
/// Conditions before a branch that tell which bytes to change: the last ones.
const LOOKED_AT: usize = 64;
/// Work of passing a decision of the path whose condition need not be evaluated.
const DECISION: u64 = 16;

impl Explorer {
    /// Tries neighbours until one takes the chosen branch, as long as that is worth while at its place. Those that take other
    /// open branches wait for their run. Whether the solver need not be asked.
    ///
    /// A branch that depends on one byte is left to the solver, which knows the byte's values.
    pub(super) fn take_by_neighbour(
        &mut self,
        target: &mut dyn Target,
        chosen: &Chosen<'_>,
    ) -> bool {
        let techniques = &self.options.partial.techniques;
        if !techniques.contains(&Technique::Neighbour) {
            return false;
        }
        let allowed = self.trust.allowance(chosen.site);
        let pool = &target.reason().pool;
        if allowed == 0 {
            return false;
        }
        let branch = &self.tree.branches[chosen.id];
        let before = self.tree.before(branch).rev();
        let before: Vec<Term> = before.take(LOOKED_AT).collect();
        let symbols = changeable(pool, chosen.conditions, &before);
        if symbols.len() < 2 {
            return false;
        }
        let known = self.tree.known(chosen.node, chosen.witness.clone());
        let mut kept: Vec<(NodeId, BranchId, Model, Technique)> = Vec::new();
        let mut found = None;
        let each = Trust::cost(DECISION * known.decisions() as u64);
        let mut cost = each;
        for _ in 0..TRIED {
            if cost >= allowed {
                break;
            }
            let work = term::work::spent();
            let Some(values) = self.neighbours.of(pool, &symbols, chosen.witness) else {
                cost += each;
                continue;
            };
            self.stats.partial_tried += 1;
            let opens = self.tree.opens(pool, &mut self.evaluator, &known, &values);
            cost += each + term::work::spent() - work;
            match opens {
                Some((_, id)) if id == chosen.id => {
                    found = Some(values);
                    break;
                }
                Some((_, id)) if kept.iter().any(|k| k.1 == id) => {}
                Some((node, id)) => kept.push((node, id, values, Technique::Neighbour)),
                None => {}
            }
        }
        self.trust.tried_neighbours(chosen.site, cost);
        let opened = kept.iter().map(|k| k.0);
        let opened = opened.chain(found.as_ref().map(|_| chosen.node));
        for node in opened {
            let place = self.tree.site(node);
            self.trust.neighbour_opened(chosen.site, place);
        }
        self.queue(chosen.start, kept);
        let Some(values) = found else {
            return false;
        };
        self.stats.kept(Technique::Neighbour);
        let start = chosen.start;
        self.work_on(target, self.tree.key_of(self.tree.branches[chosen.id].run));
        self.inputs.push_back(Found {
            input: Input { start, values },
            node: chosen.node,
            is_neighbour: true,
        });
        true
    }
}
