//! An explorer among several: it takes in parts of the frontier, gives some away, and reports its own.

use super::{Explorer, Long, Seeds, Source};
use crate::conditions::{Rank, RunId};
use crate::part::{Part, Ticket};
use crate::target::{Divergence, Input, Retraced, Target};
use crate::tree::{Branch, Described, Eye, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};
use search::BranchId;
use solver::{Model, Why};
use std::collections::{BTreeMap, VecDeque};

impl Part {
    /// All that there is to explore: from `seeds` on, or from the `first` inputs of all starts when there are none. The seeds of
    /// a start belong together, since they may share parts of their paths.
    pub fn first(first: impl Iterator<Item = Model>, seeds: Vec<Input>) -> Vec<Part> {
        let mut by_start: BTreeMap<usize, VecDeque<Model>> = BTreeMap::new();
        let inputs = if seeds.is_empty() {
            let first = first.enumerate();
            first
                .map(|(start, values)| Input { start, values })
                .collect()
        } else {
            seeds
        };
        for Input { start, values } in inputs {
            by_start.entry(start).or_default().push_back(values);
        }
        let part = |(start, inputs)| Part::Inputs {
            start,
            inputs,
            is_first: true,
        };
        by_start.into_iter().map(part).collect()
    }
}

/// Something that may be given to others, by the number of decisions before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gift {
    Branch(BranchId),
    /// The end of a run that was cut.
    End(RunId),
}

impl Explorer {
    /// Branches that are open still and not parked.
    pub fn open(&self) -> usize {
        let parked = self.parked.iter();
        let parked = parked.filter(|(id, _)| self.tree.branches.contains(*id));
        self.tree.branches.len() - parked.count()
    }

    /// The size of the frontier: open branches, runs that were cut, and parts that were not begun. Inputs that belong
    /// together count once.
    pub fn live(&self) -> usize {
        let waiting: usize = self.waiting.iter().map(|(part, _)| part.len()).sum();
        if self.seeds.is_empty() {
            self.open() + self.long.len() + waiting
        } else {
            1 + waiting
        }
    }

    /// Number of open branches, and of inputs that have not run.
    pub fn left_open(&self) -> usize {
        let waiting: usize = self.waiting.iter().map(|(part, _)| part.len()).sum();
        let inputs: usize = self.seeds.iter().map(|seeds| seeds.inputs.len()).sum();
        self.open() + waiting + inputs
    }

    /// Are there branches that the solver has not decided, and that may be asked for again?
    pub fn has_parked(&self) -> bool {
        !self.parked.is_empty()
    }

    /// Runs that were cut and wait for their next attempt.
    pub fn cut(&self) -> usize {
        self.long.len()
    }

    /// Takes in a part that others gave, or that is all, as the entry of this number of the frontier.
    pub fn adopt(&mut self, part: Part, key: u64) {
        for why in parked(&part) {
            *self.stats.parked.entry(why.name()).or_default() += 1;
        }
        let is_told = true;
        self.waiting.push((part, Ticket { key, is_told }));
    }

    /// Runs an input that others have found, too. It belongs to the entry of the frontier that is being explored.
    pub fn add_input(&mut self, input: Input) {
        self.seeds.push_back(Seeds {
            start: input.start,
            inputs: [input.values].into(),
            is_first: false,
            ticket: Ticket {
                key: self.key,
                is_told: false,
            },
        });
    }

    /// Begins one of the parts that wait. Returns whether there was one.
    pub(super) fn take_up(&mut self, target: &mut dyn Target) -> bool {
        let Some((part, ticket)) = self.waiting.pop() else {
            return false;
        };
        self.work_on(target, ticket.key);
        let decisions = part.decisions();
        match part {
            Part::Inputs {
                start,
                inputs,
                is_first,
            } => {
                if is_first {
                    self.tree.begin(start);
                }
                self.seeds.push_back(Seeds {
                    start,
                    inputs,
                    is_first,
                    ticket,
                });
            }
            Part::Path { .. } => {
                let mut again = retraced(target, &part);
                let mut part = part;
                if matches!(again, Retraced::NoMemory) {
                    // Once more without what nobody needs; the part is among what is collected.
                    self.waiting.push((part, ticket));
                    self.collect(target);
                    let Some((same, _)) = self.waiting.pop() else {
                        return true;
                    };
                    part = same;
                    again = retraced(target, &part);
                }
                match again {
                    Retraced::Stopped => self.waiting.push((part, ticket)),
                    Retraced::NoMemory => {
                        self.stats.dropped += part.len() as u64;
                        self.forget_parked(&part);
                    }
                    Retraced::Here(executed) => {
                        let met = executed.decisions.len();
                        let is_there = met == decisions;
                        if !is_there || !self.hang_in(target, &part, ticket, executed) {
                            self.stats.divergences += part.len() as u64;
                            self.forget_parked(&part);
                            if let Part::Path { input, .. } = &part {
                                let predicted = decisions;
                                target.diverged(input, Divergence::Again { predicted, met });
                            }
                        }
                    }
                }
            }
        }
        true
    }

    /// Hangs a part into the tree whose input was run again. Returns whether it fits.
    fn hang_in(
        &mut self,
        target: &dyn Target,
        part: &Part,
        ticket: Ticket,
        executed: crate::Executed,
    ) -> bool {
        let Part::Path {
            input,
            sides,
            cutoff,
            ..
        } = part
        else {
            return false;
        };
        let path = Described {
            input,
            sides,
            cutoff: *cutoff,
            ticket,
            rank: Rank {
                run: self.stats.runs,
                covered: 0,
            },
        };
        let mut eye = Eye {
            pool: &target.reason().pool,
            evaluator: &mut self.evaluator,
        };
        let Some(adopted) = self.tree.adopt(&mut eye, &path, executed) else {
            return false;
        };
        self.stats.adopted += 1;
        for id in adopted.opened {
            let branch = &self.tree.branches[id];
            match branch.parked {
                Some(why) => {
                    let effort = branch.effort;
                    self.parked.push((id, why));
                    self.may_ask_again(id, effort, why);
                }
                None => self.offer(id),
            }
        }
        if let (Some(owner), Some(cutoff)) = (adopted.cut, cutoff) {
            self.long.push_back(Long {
                input: input.clone(),
                source: Source::Seed,
                steps: cutoff.steps,
                owner: Some(owner),
            });
        }
        true
    }

    /// Takes back a part that the target kept, and begins it. Returns whether there was one.
    pub(super) fn take_back(&mut self, target: &mut dyn Target) -> bool {
        let kept = target.kept();
        self.waiting.extend(kept);
        self.take_up(target)
    }

    fn forget_parked(&mut self, part: &Part) {
        for why in parked(part) {
            self.unpark_count(why);
        }
    }

    /// The next input that has not run yet, whether it is the first one of its start, and the entry of the list to which it
    /// belongs.
    pub(super) fn next_seed(&mut self) -> Option<(Input, bool, u64)> {
        let seeds = self.seeds.front_mut()?;
        let start = seeds.start;
        let key = seeds.ticket.key;
        let values = seeds.inputs.pop_front();
        let is_first = std::mem::take(&mut seeds.is_first);
        seeds.ticket.is_told = false;
        if seeds.inputs.is_empty() {
            self.seeds.pop_front();
        }
        let values = values?;
        Some((Input { start, values }, is_first, key))
    }

    /// Gives away the least deep branches: at most `n`, and at most half of all. The receiver explores the paths
    /// behind them. As long as inputs wait, which may lead anywhere, it gives nothing of the tree.
    pub fn give(&mut self, n: usize) -> Vec<Part> {
        let n = n.min(self.live() / 2);
        let mut given = Vec::new();
        let mut size = 0;
        while let Some((part, _)) = self.waiting.first()
            && size + part.len() <= n
        {
            size += part.len();
            self.forget_parked(&self.waiting[0].0.clone());
            given.push(self.waiting.remove(0).0);
        }
        if !self.seeds.is_empty() || size >= n {
            return given;
        }
        let mut gifts = self.gifts();
        let n = (n - size).min(gifts.len());
        if n == 0 {
            return given;
        }
        gifts.select_nth_unstable(n - 1);
        gifts.truncate(n);
        let parts = self.part_with(gifts.into_iter().map(|(_, gift)| gift));
        given.extend(parts.into_iter().map(|(part, _)| part));
        given
    }

    /// Others have covered a place, by its number in [`crate::Executed::newly_covered`].
    pub fn covered(&mut self, place: u32) {
        self.strategy.covered(place);
    }

    /// Puts aside the half of the open branches that belongs to the earliest runs; those that the target does not keep
    /// are dropped. Returns whether there were any. It goes run by run, since there is no memory to describe all of it
    /// at once.
    pub(super) fn put_earliest_half_aside(&mut self, target: &mut dyn Target) -> bool {
        let kept = self.kept();
        let ends: FxHashSet<RunId> = self.ends().map(|(run, _)| run).collect();
        // The last one stays: something has to go on.
        let mut left = (self.giveable(&kept).count() + ends.len()) / 2;
        let mut any = false;
        for run in self.tree.runs() {
            let mut branches = self.tree.open_on(run);
            branches.retain(|&id| is_giveable(&self.tree.branches[id], &kept));
            branches.truncate(left);
            left -= branches.len();
            let with_end = left > 0 && ends.contains(&run);
            left -= usize::from(with_end);
            if with_end {
                self.long.retain(|long| long.owner != Some(run));
            }
            if !branches.is_empty() || with_end {
                let key = self.tree.key_of(run);
                let part = self.tree.give(run, &branches, with_end);
                any |= !part.is_empty();
                if !target.keep(&part, key) {
                    self.stats.dropped += part.len() as u64;
                }
            }
            if left == 0 {
                break;
            }
        }
        any
    }

    /// Takes these out of the tree: a part for each run, with the entry of the list that it belongs to.
    fn part_with(&mut self, gifts: impl Iterator<Item = Gift>) -> Vec<(Part, u64)> {
        let mut by_run: BTreeMap<RunId, (Vec<BranchId>, bool)> = BTreeMap::new();
        for gift in gifts {
            match gift {
                Gift::Branch(id) => {
                    let run = self.tree.branches[id].run;
                    by_run.entry(run).or_default().0.push(id);
                }
                Gift::End(run) => by_run.entry(run).or_default().1 = true,
            }
        }
        let mut parts = Vec::new();
        for (run, (mut branches, with_end)) in by_run {
            branches.sort_unstable();
            if with_end {
                self.long.retain(|long| long.owner != Some(run));
            }
            let key = self.tree.key_of(run);
            let part = self.tree.give(run, &branches, with_end);
            if !part.is_empty() {
                parts.push((part, key));
            }
        }
        parts
    }

    /// Nodes that an input was found for that has not come there yet: their branches stay.
    fn kept(&self) -> FxHashSet<NodeId> {
        let solved = self.inputs.iter().map(|found| found.node);
        let long = self.long.iter().filter_map(|long| match long.source {
            Source::Solution(node) | Source::Neighbour(node) => Some(node),
            Source::Seed | Source::Partial(..) => None,
        });
        solved.chain(long).chain(self.running).collect()
    }

    /// Branches that may go to others.
    fn giveable<'a>(
        &'a self,
        kept: &'a FxHashSet<NodeId>,
    ) -> impl Iterator<Item = (BranchId, &'a Branch)> {
        let branches = self.tree.branches.iter();
        branches.filter(|(_, b)| is_giveable(b, kept))
    }

    /// Runs that were cut, whose ends may go to others, and how deep these are.
    fn ends(&self) -> impl Iterator<Item = (RunId, usize)> {
        let long = self.long.iter().filter(|long| long.source == Source::Seed);
        long.filter_map(|long| Some((long.owner?, self.tree.end_of(long.owner?)?)))
    }

    /// The things that may go to others, and their depth.
    fn gifts(&self) -> Vec<(usize, Gift)> {
        let kept = self.kept();
        let branches = self.giveable(&kept);
        let branches = branches.map(|(id, b)| (b.at as usize, Gift::Branch(id)));
        let ends = self.ends().map(|(run, at)| (at, Gift::End(run)));
        branches.chain(ends).collect()
    }

    /// Shows each part of the frontier: its entry, and its description. Returns how many branches of them are
    /// parked, by the reason.
    pub fn each_part(
        &mut self,
        show: &mut dyn FnMut(&mut Ticket, &dyn Fn() -> Part),
    ) -> FxHashMap<&'static str, u64> {
        let mut by_reason: FxHashMap<&'static str, u64> = FxHashMap::default();
        for (part, ticket) in &mut self.waiting {
            for why in parked(part) {
                *by_reason.entry(why.name()).or_default() += 1;
            }
            show(ticket, &|| part.clone());
        }
        for seeds in &mut self.seeds {
            show(&mut seeds.ticket, &|| Part::Inputs {
                start: seeds.start,
                inputs: seeds.inputs.clone(),
                is_first: seeds.is_first,
            });
        }
        for (id, why) in &self.parked {
            if self.tree.branches.contains(*id) {
                *by_reason.entry(why.name()).or_default() += 1;
            }
        }
        for id in self.tree.runs() {
            if !self.tree.has_part(id) {
                continue;
            }
            let Some(mut ticket) = self.tree.ticket(id).copied() else {
                continue;
            };
            show(&mut ticket, &|| self.tree.part(id));
            if let Some(kept) = self.tree.ticket(id) {
                *kept = ticket;
            }
        }
        by_reason
    }
}

/// May a branch go to others? Not if it is parked.
fn is_giveable(branch: &Branch, kept: &FxHashSet<NodeId>) -> bool {
    branch.parked.is_none() && !kept.contains(&branch.node)
}

/// Runs the input of a part again up to the last of its decisions.
fn retraced(target: &mut dyn Target, part: &Part) -> Retraced {
    match part {
        Part::Path { input, step, .. } => target.retrace(input, *step, part.decisions()),
        Part::Inputs { .. } => Retraced::Here(crate::Executed::default()),
    }
}

/// Why the solver did not decide branches of a part.
fn parked(part: &Part) -> impl Iterator<Item = Why> + '_ {
    let sides = match part {
        Part::Path { sides, .. } => &sides[..],
        Part::Inputs { .. } => &[],
    };
    sides.iter().filter_map(|side| side.parked)
}
