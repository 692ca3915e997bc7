//! The loop: run inputs, choose an open branch, ask the solver, run the solution and the partial solutions ("Multiplex
//! symbolic execution: exploring multiple paths by solving once", Alg. 1).

mod again;
mod ask;
mod deferred;
mod near;
mod share;
mod vain;

use crate::conditions::{Rank, RunId};
use crate::neighbours::Neighbours;
use crate::part::{Part, Ticket};
use crate::partial::{PartialOptions, PartialSolution, Queue};
use crate::stats::ExplorerStats;
use crate::target::{Cut, Divergence, Executed, Input, Quota, Target};
use crate::tree::{Branch, Eye, Inserted, NewPath, NodeId, Tree};
use crate::trust::Trust;
use again::Again;
use deferred::Deferred;
use search::{BranchId, Strategy, UNKNOWN};
use solver::{Budget, Model, Technique, Why};
use std::collections::VecDeque;
use term::Evaluator;
use vain::Vain;

/// How the loop behaves.
#[derive(Clone, Debug)]
pub struct ExplorerOptions {
    /// The partial solutions that are run.
    pub partial: PartialOptions,
    /// The budget of one query; [`Budget::effort`] grows from `first_effort`.
    pub budget: Budget,
    /// Steps of a first run, at least (four times those of the longest seed, if that is more); what takes longer is
    /// cut and taken up again when nothing else is left. One long loop must not cost what a thousand runs do.
    pub first_steps: u64,
    /// Steps of a last run.
    pub last_steps: u64,
    /// Effort of a branch's second query, of which its first one gets a part; what takes more is parked until nothing else is left.
    pub first_effort: u64,
    /// What is explored here is a task that is to end at the same place whenever it is repeated.
    pub task: Option<explore::Budget>,
}

impl Default for ExplorerOptions {
    fn default() -> ExplorerOptions {
        ExplorerOptions {
            partial: PartialOptions::default(),
            budget: Budget::default(),
            first_steps: 1 << 20,
            last_steps: 1 << 28,
            first_effort: 4_000_000,
            task: None,
        }
    }
}

/// Growth of the length of a run that was cut, from one attempt to the next.
const STEPS_FACTOR: u64 = 16;

/// The source of an input.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// A seed: nothing is expected of it.
    Seed,
    /// The solution of a query for the rest of this node.
    Solution(NodeId),
    /// A partial solution that is to open this node's rest.
    Partial(NodeId, Technique),
    /// A neighbour of an input that takes this node's rest, for which the solver was to be asked.
    Neighbour(NodeId),
}

impl Source {
    /// The node whose rest the input was made for.
    fn expected(self) -> Option<NodeId> {
        match self {
            Source::Seed => None,
            Source::Solution(node) | Source::Partial(node, _) | Source::Neighbour(node) => {
                Some(node)
            }
        }
    }
}

/// An input that takes a branch which the strategy chose.
struct Found {
    input: Input,
    node: NodeId,
    /// No query was needed.
    is_neighbour: bool,
}

/// A run that was cut and will be taken up again.
struct Long {
    input: Input,
    source: Source,
    /// Steps of the next attempt.
    steps: u64,
    /// The run, if its end is in a place that no other run has reached.
    owner: Option<RunId>,
}

/// Inputs of one start that have not run yet.
struct Seeds {
    start: usize,
    inputs: VecDeque<Model>,
    is_first: bool,
    ticket: Ticket,
}

/// The exploration of one target.
pub struct Explorer {
    options: ExplorerOptions,
    strategy: Box<dyn Strategy>,
    tree: Tree,
    /// Solutions and partial solutions.
    inputs: VecDeque<Found>,
    seeds: VecDeque<Seeds>,
    /// Parts that other workers gave, not begun yet.
    waiting: Vec<(Part, Ticket)>,
    /// One of them was begun just now.
    took_up: bool,
    partial: Queue,
    neighbours: Neighbours,
    trust: Trust,
    parked: Vec<(BranchId, Why)>,
    /// Those of the parked branches that have had a first query only.
    again: Again,
    deferred: Deferred,
    vain: Vain,
    long: VecDeque<Long>,
    /// Steps of a first run.
    steps: u64,
    evaluator: Evaluator,
    /// While an input waits for memory: the node whose rest it was made for.
    running: Option<NodeId>,
    /// The entry of the frontier that is being explored.
    key: u64,
    /// Its first run was that of the whole exploration, whoever else takes part in it.
    pub(crate) has_opened: bool,
    /// Counts of the exploration so far.
    pub stats: ExplorerStats,
}

impl Explorer {
    /// Begins with `seeds`, or with the target's first inputs when there are none.
    pub fn new(
        target: &dyn Target,
        strategy: Box<dyn Strategy>,
        seeds: Vec<Input>,
        options: ExplorerOptions,
    ) -> Explorer {
        let mut explorer = Explorer::shared(target.starts(), strategy, options);
        let first = (0..target.starts()).map(|start| target.first_input(start));
        for part in Part::first(first, seeds) {
            explorer.adopt(part, 0);
        }
        explorer
    }

    /// An explorer that begins with nothing but the parts that others give ([`Explorer::adopt`]), for a target with so
    /// many starts.
    pub fn shared(
        starts: usize,
        strategy: Box<dyn Strategy>,
        options: ExplorerOptions,
    ) -> Explorer {
        let mut tree = Tree::new(starts);
        tree.shut();
        let limits = options.partial.limits;
        Explorer {
            steps: options.first_steps,
            options,
            strategy,
            tree,
            inputs: VecDeque::new(),
            seeds: VecDeque::new(),
            waiting: Vec::new(),
            took_up: false,
            partial: Queue::new(limits.waiting),
            neighbours: Neighbours::default(),
            trust: if limits.is_always_asked {
                Trust::unconditional()
            } else {
                Trust::default()
            },
            parked: Vec::new(),
            again: Again::default(),
            deferred: Deferred::default(),
            vain: Vain::default(),
            long: VecDeque::new(),
            evaluator: Evaluator::default(),
            running: None,
            key: 0,
            has_opened: false,
            stats: ExplorerStats::default(),
        }
    }

    /// Explores until nothing is open, or until the target gives a reason to end.
    pub fn explore(&mut self, target: &mut dyn Target) -> Option<String> {
        loop {
            if let Some(why) = target.must_end() {
                return Some(why);
            }
            if !self.step(target) {
                return None;
            }
        }
    }

    /// Does one thing: runs an input, or asks for one. Returns whether there was anything to do.
    pub fn step(&mut self, target: &mut dyn Target) -> bool {
        if target.wants_collection() {
            self.collect(target);
        }
        if target.memory_is_short() {
            self.let_go(target);
            self.collect(target);
        }
        target.open_branches(self.live());
        if let Some(found) = self.inputs.pop_front() {
            let source = if found.is_neighbour {
                Source::Neighbour(found.node)
            } else {
                Source::Solution(found.node)
            };
            self.run(target, found.input, source, self.steps);
        } else if let Some((input, is_first, key)) = self.next_seed() {
            // Who has all parts begins with the last one.
            self.has_opened |=
                is_first && self.stats.runs == 0 && input.start + 1 == target.starts();
            self.work_on(target, key);
            self.run(target, input, Source::Seed, self.options.last_steps);
        } else if self.takes_up(target) && self.take_up(target) {
            // What is there already goes on beside what comes.
            self.took_up = true;
            return true;
        } else if let Some(waiting) = self.partial.pop() {
            self.run_partial(target, waiting);
        } else if self.ask_again(target) {
            return true;
        } else if let Some(id) = self.next_branch() {
            self.ask(target, id);
        } else if !self.take_up(target) && !self.take_back(target) && !self.unpark() {
            return self.lengthen(target);
        }
        self.took_up = false;
        true
    }

    /// Is it time to begin a part that waits? If there is plenty of memory, every other time: the strategy can choose among all
    /// of them then. (How much memory there is decides nothing in a task that is to be repeated.)
    fn takes_up(&self, target: &dyn Target) -> bool {
        !self.took_up && (self.options.task.is_some() || target.has_plenty_of_memory())
    }

    /// Has it done what its task allows, and something at least?
    pub(crate) fn is_spent(&self, work: u64) -> bool {
        let n = &self.stats;
        let has_moved = n.runs + n.unsat + n.unknown > 0;
        has_moved && self.options.task.is_some_and(|most| work >= most.work)
    }

    fn work_on(&mut self, target: &mut dyn Target, key: u64) {
        self.key = key;
        target.works_on(key);
    }

    /// Runs an input. Returns whether it was cut and waits to go on, as the last one of those.
    fn run(&mut self, target: &mut dyn Target, input: Input, source: Source, steps: u64) -> bool {
        let longer = steps.saturating_mul(STEPS_FACTOR);
        let longer = Some(longer).filter(|&longer| longer <= self.options.last_steps);
        let work = target.reason().work();
        let quota = Quota {
            steps,
            is_last: longer.is_none(),
            may_come_back: self.tree.branches.len() > 1,
        };
        let mut executed = target.run(&input, quota);
        if executed.cut == Some(Cut::Crowded) {
            executed = self.run_with_room(target, &input, source, quota, executed.newly_covered);
        }
        let work = target.reason().work() - work;
        self.trust.ran(work);
        self.vain.ran(work);
        self.neighbours.remember(&executed.values);
        if let (Source::Seed, None) = (source, executed.cut) {
            self.steps = self.steps.max(executed.steps.saturating_mul(4));
        }
        self.stats.runs += 1;
        let goes_on = match executed.cut {
            None | Some(Cut::Lost | Cut::Crowded) => None,
            Some(Cut::End) => Some(steps),
            Some(Cut::Steps) => longer,
        };
        let newly_covered = executed.newly_covered.len() as u64;
        for &place in &executed.newly_covered {
            self.strategy.covered(place);
        }
        self.deferred.ran(newly_covered > 0);
        let path = NewPath {
            start: input.start,
            input: &executed.values,
            decisions: &executed.decisions,
            complete: executed.cut.is_none(),
            goes_on,
            expected: source.expected(),
            effort: again::quick(self.options.first_effort),
            key: self.key,
            rank: Rank {
                run: self.stats.runs,
                covered: newly_covered,
            },
        };
        let mut eye = Eye {
            pool: &target.reason().pool,
            evaluator: &mut self.evaluator,
        };
        let inserted = self.tree.insert(&mut eye, &path, executed.conditions);
        self.stats.paths += u64::from(inserted.new_path);
        self.stats.limited += inserted.limited;
        for &id in &inserted.opened {
            self.offer(id);
        }
        let is_astray = !inserted.as_expected && !inserted.elsewhere && executed.cut.is_none();
        let astray = match source {
            Source::Solution(node) if is_astray => Some(Divergence::Side {
                site: self.tree.site(node),
            }),
            _ => None,
        };
        if let Some(how) = inserted.contradicts.or(astray) {
            self.stats.divergences += 1;
            target.diverged(&input, how);
        }
        if let Some(steps) = goes_on {
            // What it was made for may lie further on.
            let source = if inserted.as_expected {
                Source::Seed
            } else {
                source
            };
            self.long.push_back(Long {
                input,
                source,
                steps,
                owner: inserted.cut,
            });
        } else if executed.cut == Some(Cut::Steps) {
            self.stats.cut += 1;
        }
        if !inserted.as_expected && executed.cut == Some(Cut::Lost) {
            self.give_up(source);
            return false;
        }
        let is_cut = executed.cut.is_some();
        self.settle(source, &inserted, is_cut, newly_covered);
        goes_on.is_some()
    }

    /// Repeats a run for which memory was short, without the open branches beside its path.
    fn run_with_room(
        &mut self,
        target: &mut dyn Target,
        input: &Input,
        source: Source,
        quota: Quota,
        covered_before: Vec<u32>,
    ) -> Executed {
        self.running = source.expected();
        while self.put_earliest_half_aside(target) {}
        self.prune();
        self.running = None;
        self.collect(target);
        let may_come_back = false;
        let mut executed = target.run(
            input,
            Quota {
                may_come_back,
                ..quota
            },
        );
        executed.newly_covered.extend(covered_before);
        executed
    }

    /// An input could not run up to its branch for want of memory: that branch is lost with it. (If the input is only
    /// a guess, the branch stays open.)
    fn give_up(&mut self, source: Source) {
        if let Source::Solution(node) = source
            && let Some(id) = self.tree.rest(node)
        {
            self.close(id);
        }
    }

    /// The branch for which an input was made is no longer open, or the input did not take it.
    fn settle(&mut self, source: Source, inserted: &Inserted, is_cut: bool, newly_covered: u64) {
        match source {
            Source::Seed => {}
            _ if !inserted.as_expected && is_cut => {}
            Source::Solution(node) if inserted.as_expected => self.reopen(node),
            Source::Solution(node) => {
                // The machine went elsewhere than the solver was asked for: not again.
                if let Some(id) = self.tree.rest(node) {
                    self.close(id);
                }
            }
            Source::Neighbour(node) => {
                let by = Technique::Neighbour;
                self.stats.ran(by, inserted.new_path, newly_covered);
                if !inserted.as_expected {
                    self.trust.neighbour_diverged(self.tree.site(node));
                } else if self.tree.rest(node).is_none() {
                    self.stats.queries_saved += 1;
                }
                self.reopen(node);
            }
            Source::Partial(node, by) => {
                self.stats.ran(by, inserted.new_path, newly_covered);
                if inserted.as_expected && self.tree.rest(node).is_none() {
                    self.stats.queries_saved += 1;
                }
            }
        }
    }

    /// A node with more than two ways (a switch, an address, a value) may have further ones.
    fn reopen(&mut self, node: NodeId) {
        if let Some(id) = self.tree.rest(node) {
            self.offer(id);
        }
    }

    /// The strategy may choose a branch, unless it is closed already.
    fn offer(&mut self, id: BranchId) {
        let can_wait = self.tree.branches.get(id).is_some_and(|b| b.can_wait);
        if can_wait {
            self.deferred.add(id);
            return;
        }
        if let Some(metrics) = self.tree.metrics(id) {
            self.strategy.add(id, &metrics);
        }
    }

    /// The branch to ask for next: one that can wait when its time has come, or when there is no other.
    fn next_branch(&mut self) -> Option<BranchId> {
        if let Some(due) = self.deferred.due().or_else(|| self.vain.due()) {
            return Some(due);
        }
        while let Some(id) = self.strategy.next() {
            if !self.puts_off(id) {
                return Some(id);
            }
        }
        self.deferred.next().or_else(|| self.vain.next())
    }

    /// Does a branch that the strategy names wait for others?
    fn puts_off(&mut self, id: BranchId) -> bool {
        if !self.strategy.may_put_off() {
            return false;
        }
        let is_open = |branch: &&Branch| branch.parked.is_none();
        let Some(branch) = self.tree.branches.get(id).filter(is_open) else {
            return false;
        };
        let place = self.tree.site(branch.node);
        self.vain.puts_off(id, place)
    }

    fn run_partial(&mut self, target: &mut dyn Target, waiting: PartialSolution) {
        let place = (waiting.node, waiting.branch);
        let values = &waiting.input.values;
        let tree = &self.tree;
        if !tree.still_opens(&target.reason().pool, &mut self.evaluator, place, values) {
            self.stats.partial_known += 1;
            return;
        }
        let branch = &self.tree.branches[waiting.branch];
        let key = self.tree.key_of(branch.run);
        self.work_on(target, key);
        self.run(
            target,
            waiting.input,
            Source::Partial(waiting.node, waiting.by),
            self.steps,
        );
    }

    /// From a node's open branch to uncovered code.
    fn distance(&self, node: NodeId) -> u32 {
        let branch = self
            .tree
            .rest(node)
            .and_then(|id| self.tree.branches.get(id));
        branch.map_or(UNKNOWN, |branch| branch.near.distance)
    }

    fn close(&mut self, id: BranchId) {
        self.tree.close(id);
    }

    /// Takes parked branches up again with more effort. Whether there were any.
    fn unpark(&mut self) -> bool {
        let task = self.options.task;
        if task.is_some_and(|most| !most.retries) {
            return false;
        }
        let mut some = false;
        for (id, why) in std::mem::take(&mut self.parked) {
            let Some(branch) = self.tree.branches.get(id) else {
                self.unpark_count(why);
                continue;
            };
            // More time does not help where no layer decides the theory. (Floats without circuits are searched for.)
            let hopeless = !matches!(why, Why::Timeout | Why::Budget | Why::TooLarge | Why::Float);
            if hopeless || branch.effort == u64::MAX {
                // It stays counted as parked.
                self.close(id);
                continue;
            }
            let effort = Budget::next_effort(branch.effort).unwrap_or(u64::MAX);
            if task.is_some() && effort > explore::Budget::MOST_EFFORT {
                self.close(id);
                continue;
            }
            self.tree.update(id, |branch| {
                branch.effort = effort;
                branch.parked = None;
            });
            self.unpark_count(why);
            self.offer(id);
            some = true;
        }
        some
    }

    /// Takes up a run that was cut. Whether there was any.
    fn lengthen(&mut self, target: &mut dyn Target) -> bool {
        let Some(long) = self.long.pop_front() else {
            return false;
        };
        let key = long.owner.map(|run| self.tree.key_of(run));
        let unseen = long.owner.filter(|&run| self.tree.goes_on(run));
        let source = match long.source.expected() {
            Some(node) if !self.still_opens(target, node, &long.input) => Source::Seed,
            _ => long.source,
        };
        // (A seed that was cut where others had been goes on: nobody knows what comes.)
        let is_hint = long.owner.is_none() && long.source == Source::Seed;
        if unseen.is_none() && source == Source::Seed && !is_hint {
            // Another run has gone on where it was cut, or has taken the branch that it was made for.
            return true;
        }
        self.work_on(target, key.unwrap_or(0));
        let is_cut = self.run(target, long.input, source, long.steps);
        if let Some(run) = unseen
            && self.tree.went_on(run, is_cut)
            && let Some(again) = self.long.back_mut()
        {
            // The exploration ended before it came there: what it had left is left still.
            again.owner = Some(run);
        }
        true
    }

    /// Is a branch open at the node that the input takes?
    fn still_opens(&mut self, target: &dyn Target, node: NodeId, input: &Input) -> bool {
        let Some(branch) = self.tree.rest(node) else {
            return false;
        };
        let pool = &target.reason().pool;
        let place = (node, branch);
        (self.tree).still_opens(pool, &mut self.evaluator, place, &input.values)
    }

    fn unpark_count(&mut self, why: Why) {
        if let Some(n) = self.stats.parked.get_mut(why.name()) {
            *n -= 1;
        }
    }

    /// Memory is short: spills half of the open branches, those of the earliest runs (with those of the latest ones,
    /// or of any, two coreutils covered 1 to 10 % less), and the parts of the tree that only these needed. Branches
    /// for which the target has no room are given up.
    fn let_go(&mut self, target: &mut dyn Target) {
        if !self.put_earliest_half_aside(target) {
            // What is left, the solver has not decided: half of it is given up.
            let parked = self.parked.iter().map(|&(id, _)| id);
            let is_open = |id: &BranchId| self.tree.branches.contains(*id);
            let mut ids: Vec<BranchId> = parked.filter(is_open).collect();
            for id in ids.split_off(ids.len() / 2) {
                self.close(id);
                self.stats.dropped += 1;
            }
        }
        while self.partial.pop().is_some() {
            self.stats.partial_left_out.memory += 1;
        }
        self.prune();
    }

    /// Takes out of the tree what nothing needs that is open or on its way.
    fn prune(&mut self) {
        let solved = self.inputs.iter().map(|found| found.node);
        let long = self.long.iter().filter_map(|long| long.source.expected());
        self.tree.prune(solved.chain(long).chain(self.running));
    }

    fn collect(&mut self, target: &mut dyn Target) {
        let Explorer { tree, waiting, .. } = self;
        target.collect(&mut |paths, visit| {
            tree.trace(paths, visit);
            waiting.iter_mut().for_each(|(part, _)| part.trace(visit));
        });
        self.evaluator = Evaluator::default();
    }
}
