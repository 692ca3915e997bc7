//! The loop: run inputs, choose an open branch, ask, run what was found and what was tried
//! ("Multiplex symbolic execution: exploring multiple paths by solving once", Alg. 1).

use crate::partial::{Queue, Waiting};
use crate::stats::ExplorerStats;
use crate::target::{Cut, Input, Target};
use crate::tree::{Known, NewPath, NodeId, Tree};
use rustc_hash::FxHashMap;
use search::{BranchId, Metrics, Strategy, UNKNOWN};
use solver::{Budget, Model, Outcome, Technique, Trials, Why};
use std::collections::VecDeque;
use std::rc::Rc;
use term::{Evaluator, Pool, Term};

/// How the loop behaves.
#[derive(Clone, Debug)]
pub struct ExplorerOptions {
    /// Run partial solutions too, those of these techniques.
    pub partial_solutions: Rc<[Technique]>,
    /// Of each query at most.
    pub partial_budget: usize,
    /// Of one query; [`Budget::effort`] grows from `first_effort`.
    pub budget: Budget,
    /// Steps of a first run, at least (four times those of the longest seed, if that is more); what takes longer is
    /// cut and taken up again when nothing else is left. One long loop must not cost what a thousand runs do.
    pub first_steps: u64,
    /// Steps of a last run.
    pub last_steps: u64,
    /// Effort of a branch's first query; what takes more is parked until nothing else is left.
    pub first_effort: u64,
}

impl Default for ExplorerOptions {
    fn default() -> ExplorerOptions {
        ExplorerOptions {
            partial_solutions: Rc::default(),
            partial_budget: 32,
            budget: Budget::default(),
            first_steps: 1 << 20,
            last_steps: 1 << 28,
            first_effort: 4_000_000,
        }
    }
}

/// Growth of the length of a run that was cut, from one attempt to the next.
const STEPS_FACTOR: u64 = 16;

/// What is remembered of an open branch, for the strategy.
#[derive(Clone, Copy, Default)]
struct Traits {
    depth: u32,
    run: u64,
    run_covered: u64,
    distance: u32,
}

impl Traits {
    fn metrics(&self) -> Metrics {
        Metrics {
            depth: self.depth,
            run: self.run,
            run_covered: self.run_covered,
            covered_new: self.run_covered > 0,
            min_distance_to_uncovered: self.distance,
            ..Metrics::default()
        }
    }
}

/// Where an input comes from.
#[derive(Clone, Copy)]
enum Source {
    /// A seed: nothing is expected of it.
    Seed,
    /// The solution of a query for the rest of this node.
    Solution(NodeId),
    /// A partial solution that is to open this node's rest.
    Partial(NodeId, Technique),
}

/// What a query tried, up to a number.
struct Tried {
    wanted: Rc<[Technique]>,
    trials: Vec<(Model, Technique)>,
    over: u64,
}

/// Trials of one query that are looked at.
const TRIED: usize = 128;

impl Tried {
    fn new(wanted: Rc<[Technique]>) -> Tried {
        Tried {
            wanted,
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
        if self.trials.len() < TRIED {
            self.trials.push((a.clone(), by))
        } else {
            self.over += 1
        }
    }

    fn wanted(&self) -> bool {
        !self.wanted.is_empty()
    }
}

/// The exploration of one target.
pub struct Explorer {
    options: ExplorerOptions,
    strategy: Box<dyn Strategy>,
    tree: Tree,
    inputs: VecDeque<(Input, Source)>,
    partial: Queue,
    traits: FxHashMap<BranchId, Traits>,
    parked: Vec<(BranchId, Why)>,
    /// Runs that were cut, with the steps of their next attempt.
    long: Vec<(Input, Source, u64)>,
    /// Steps of a first run.
    steps: u64,
    evaluator: Evaluator,
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
        let first = |start| Input {
            start,
            values: target.first_input(start),
        };
        let inputs = if seeds.is_empty() {
            (0..target.starts()).map(first).collect()
        } else {
            seeds
        };
        Explorer {
            steps: options.first_steps,
            options,
            strategy,
            tree: Tree::new(target.starts()),
            inputs: inputs.into_iter().map(|i| (i, Source::Seed)).collect(),
            partial: Queue::default(),
            traits: FxHashMap::default(),
            parked: Vec::new(),
            long: Vec::new(),
            evaluator: Evaluator::default(),
            stats: ExplorerStats::default(),
        }
    }

    /// Branches that are open still, parked ones included.
    pub fn open(&self) -> usize {
        self.tree.branches.len()
    }

    /// Explores until nothing is open or the target says why it must end.
    pub fn explore(&mut self, target: &mut dyn Target) -> Option<String> {
        loop {
            if let Some(why) = target.must_end() {
                return Some(why);
            }
            if target.wants_collection() {
                self.collect(target);
            }
            if target.memory_is_short() {
                self.let_go();
                self.collect(target);
            }
            target.open_branches(self.tree.branches.len());
            if let Some((input, source)) = self.inputs.pop_front() {
                let steps = match source {
                    Source::Seed => self.options.last_steps,
                    _ => self.steps,
                };
                self.run(target, input, source, steps);
            } else if let Some(waiting) = self.partial.pop() {
                self.run_partial(target, waiting);
            } else if let Some(id) = self.strategy.next() {
                self.ask(target, id);
            } else if !self.unpark() && !self.lengthen(target) {
                return None;
            }
        }
    }

    fn run(&mut self, target: &mut dyn Target, input: Input, source: Source, steps: u64) {
        let executed = target.run(&input, steps);
        if let (Source::Seed, None) = (source, executed.cut) {
            self.steps = self.steps.max(executed.steps.saturating_mul(4));
        }
        self.stats.runs += 1;
        let expected = match source {
            Source::Seed => None,
            Source::Solution(node) | Source::Partial(node, _) => Some(node),
        };
        let path = NewPath {
            start: input.start,
            input: &executed.values,
            decisions: &executed.decisions,
            complete: executed.cut.is_none(),
            expected,
            effort: self.options.first_effort,
        };
        let inserted = self.tree.insert(&path, executed.conditions);
        self.stats.paths += u64::from(inserted.new_path);
        self.stats.limited += inserted.limited;
        for (id, at) in inserted.opened {
            let traits = Traits {
                depth: at as u32,
                run: self.stats.runs,
                run_covered: executed.newly_covered,
                distance: executed.decisions[at].distance,
            };
            // A branch that closed in the same run is gone already.
            if self.tree.branches.contains_key(&id) {
                self.traits.insert(id, traits);
                self.strategy.add(id, &traits.metrics());
            }
        }
        for id in &inserted.closed {
            self.traits.remove(id);
        }
        self.stats.divergences += u64::from(inserted.contradicts);
        if executed.cut == Some(Cut::Steps) {
            self.stats.cut += 1;
            // What it was made for may lie further on.
            let rest = if inserted.as_expected {
                Source::Seed
            } else {
                source
            };
            self.long
                .push((input, rest, steps.saturating_mul(STEPS_FACTOR)));
        }
        match source {
            Source::Seed => {}
            _ if !inserted.as_expected && executed.cut.is_some() => {}
            Source::Solution(node) if inserted.as_expected => self.reopen(node),
            Source::Solution(node) => {
                // The machine went elsewhere than the solver was asked for: not again.
                self.stats.divergences += u64::from(!inserted.contradicts);
                if let Some(id) = self.tree.rest(node) {
                    self.close(id);
                }
            }
            Source::Partial(node, by) => {
                self.stats
                    .ran(by, inserted.new_path, executed.newly_covered);
                if inserted.as_expected && self.tree.rest(node).is_none() {
                    self.stats.queries_saved += 1;
                }
            }
        }
    }

    /// A node with more than two ways (a switch, an address, a value) may have further ones.
    fn reopen(&mut self, node: NodeId) {
        if let Some(id) = self.tree.rest(node)
            && let Some(traits) = self.traits.get(&id)
        {
            self.strategy.add(id, &traits.metrics());
        }
    }

    fn run_partial(&mut self, target: &mut dyn Target, waiting: Waiting) {
        let place = (waiting.node, waiting.branch);
        let values = &waiting.input.values;
        let tree = &self.tree;
        if !tree.still_opens(target.pool(), &mut self.evaluator, place, values) {
            self.stats.partial_known += 1;
            return;
        }
        self.run(
            target,
            waiting.input,
            Source::Partial(waiting.node, waiting.by),
            self.steps,
        );
    }

    /// Asks for an input that takes an open branch.
    fn ask(&mut self, target: &mut dyn Target, id: BranchId) {
        let Some(branch) = self.tree.branches.get(&id) else {
            return;
        };
        let (node, start, witness) = (branch.node, branch.start, branch.witness.clone());
        let budget = Budget {
            effort: branch.effort,
            ..self.options.budget
        };
        let before = self
            .tree
            .path_to(branch, &mut |path, c| target.extend(path, c));
        let conditions: Vec<Term> = self.tree.rest_conditions(node).collect();
        let cond = target.all(&conditions);
        self.stats.queries += 1;
        let mut tried = Tried::new(self.options.partial_solutions.clone());
        let outcome = target.solve(&before, &witness, cond, &budget, &mut tried);
        let solved = matches!(outcome, Outcome::Sat(_)).then_some(id);
        if !tried.trials.is_empty() {
            let known = self.tree.known(node, witness);
            self.keep(target.pool(), start, &known, tried, solved);
        }
        match outcome {
            Outcome::Sat(values) => {
                self.stats.sat += 1;
                self.inputs
                    .push_back((Input { start, values }, Source::Solution(node)));
            }
            Outcome::Unsat(_) => {
                self.stats.unsat += 1;
                self.close(id);
            }
            Outcome::Unknown(why) => {
                self.stats.unknown += 1;
                *self.stats.parked.entry(why.name()).or_default() += 1;
                self.parked.push((id, why));
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
            let opens = self.tree.opens(pool, &mut self.evaluator, known, &values);
            match opens {
                Some((_, id)) if solved == Some(id) || kept.iter().any(|k| k.1 == id) => {}
                Some((node, id)) => kept.push((node, id, values, by)),
                None => {}
            }
        }
        kept.sort_by_key(|k| self.distance(k.0));
        let over = kept.len().saturating_sub(self.options.partial_budget);
        self.stats.partial_over_budget += tried.over + over as u64;
        kept.truncate(self.options.partial_budget);
        for (node, branch, values, by) in kept {
            self.stats.kept(by);
            let waiting = Waiting {
                input: Input { start, values },
                node,
                branch,
                by,
            };
            let left_out = self.partial.push(self.distance(node), waiting);
            self.stats.partial_over_budget += u64::from(left_out);
        }
    }

    /// From a node's open branch to uncovered code.
    fn distance(&self, node: NodeId) -> u32 {
        let traits = self.tree.rest(node).and_then(|id| self.traits.get(&id));
        traits.map_or(UNKNOWN, |t| t.distance)
    }

    fn close(&mut self, id: BranchId) {
        self.tree.close(id);
        self.traits.remove(&id);
    }

    /// Takes parked branches up again with more effort. Whether there were any.
    fn unpark(&mut self) -> bool {
        let mut some = false;
        for (id, why) in std::mem::take(&mut self.parked) {
            let Some(branch) = self.tree.branches.get_mut(&id) else {
                self.unpark_count(why);
                continue;
            };
            // More time does not help where no layer decides the theory.
            let hopeless = !matches!(why, Why::Timeout | Why::Budget | Why::TooLarge);
            if hopeless || branch.effort == u64::MAX {
                self.traits.remove(&id);
                continue; // stays counted as parked, and open
            }
            branch.effort = Budget::next_effort(branch.effort).unwrap_or(u64::MAX);
            self.unpark_count(why);
            let traits = self.traits.get(&id).copied().unwrap_or_default();
            self.strategy.add(id, &traits.metrics());
            some = true;
        }
        some
    }

    /// Takes up runs that were cut. Whether there were any.
    fn lengthen(&mut self, target: &mut dyn Target) -> bool {
        let mut some = false;
        for (input, source, steps) in std::mem::take(&mut self.long) {
            if steps > self.options.last_steps {
                continue; // stays counted
            }
            if target.must_end().is_some() {
                self.long.push((input, source, steps));
                continue;
            }
            self.stats.cut -= 1;
            self.run(target, input, source, steps);
            some = true;
        }
        some || !self.long.is_empty()
    }

    fn unpark_count(&mut self, why: Why) {
        if let Some(n) = self.stats.parked.get_mut(why.name()) {
            *n -= 1;
        }
    }

    /// Gives up every other open branch, the ones found last first.
    fn let_go(&mut self) {
        let mut ids: Vec<BranchId> = self.tree.branches.keys().copied().collect();
        ids.sort_unstable();
        for id in ids.split_off(ids.len() / 2) {
            self.close(id);
            self.stats.dropped += 1;
        }
        while self.partial.pop().is_some() {
            self.stats.partial_over_budget += 1;
        }
    }

    fn collect(&mut self, target: &mut dyn Target) {
        let tree = &mut self.tree;
        target.collect(&mut |paths, visit| tree.trace(paths, visit));
        self.evaluator = Evaluator::default();
    }
}
