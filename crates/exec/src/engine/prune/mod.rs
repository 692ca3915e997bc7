//! Learned state pruning: a pruner drops states while the searcher selects, and the exploration goes in rounds.
//!
//! What is worth keeping is learned by [`search::homi`]; here it gets what it wants to know of states and tests, and
//! what it decides is done. A pruned state leaves its test, and goes on the way on which states go for memory (`spill`).
//! At the end of a round all states go, and the first states begin again: terms and the solver's caches stay.

use super::Engine;
use crate::endings::{Ending, Keep};
use crate::errors::Termination;
use crate::event::Sink;
use crate::features::Features;
use crate::follow::{Followed, Prefix};
use crate::machine::Machine;
use crate::marks::{Marking, Marks};
use crate::pruning::{PruningStatus, RoundEnd};
use crate::state::State;
use search::homi::{BitSet, Clock, Due, Options, Pruner, Rank};
use search::{Needs, Searcher, StateId};
use std::collections::HashSet;
use std::time::Instant;
use term::Term;

/// Work in a tick: instructions, and what a query and its effort count as, in instructions. A tick is about a
/// millisecond.
const TICK: u64 = 20_000;
const QUERY: u64 = 300;
const EFFORT: u64 = 4;
/// Features that the user is shown, of each sign.
const SHOWN: usize = 10;
/// Bytes of the prefixes of pruned states that are kept, as a part of the run's memory.
const PART: u64 = 16;
/// The same for a run without a limit.
const UNLIMITED: u64 = 1 << 28;

/// Makes a searcher without states, from a seed.
pub type NewSearcher = Box<dyn Fn(u64) -> Box<dyn Searcher>>;

/// How states are pruned.
pub struct PruningPlan {
    /// The pruner's hyper-parameters.
    pub options: Options,
    /// The searchers that a round can have, with their names; [`Options::searchers`] of them.
    pub searchers: Vec<(String, NewSearcher)>,
    /// Pruned states that a round takes up again.
    pub resume: usize,
}

/// The pruner, and what it needs.
pub(super) struct Pruning {
    pruner: Pruner,
    plan: PruningPlan,
    began: Instant,
    /// Sites that are outcomes of branches.
    outcomes: BitSet,
    /// Paths that ended and were told, by their choices.
    told: HashSet<u64>,
    /// States that were pruned, to be taken up again.
    pruned: Vec<Prefix>,
    pruned_bytes: u64,
    /// States that this round pruned, and the branches that were covered when it began.
    dropped: u64,
    branches_before: usize,
    round_began: Clock,
}

impl Pruning {
    /// Keeps what leads to a pruned state, if there is room.
    fn keep(&mut self, s: &State, most: u64) {
        if self.plan.resume == 0 {
            return;
        }
        let mut prefix = Prefix::of(s);
        prefix.progress.covered_new = false;
        let bytes = prefix.bytes();
        if self.pruned_bytes + bytes <= most {
            self.pruned_bytes += bytes;
            self.pruned.push(prefix);
        }
    }

    /// Shows the collector the terms that prefixes hold.
    pub fn trace(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        for prefix in &mut self.pruned {
            prefix.trace(visit);
        }
    }

    /// Takes the prefixes of the most promising pruned states out.
    fn most_promising(&mut self) -> Vec<Prefix> {
        if !matches!(&self.pruner.round().rank, Rank::Weights(w) if !w.is_empty()) {
            return Vec::new();
        }
        let pruner = &self.pruner;
        let score = |p: &Prefix| p.marks().map_or(0.0, |m| pruner.score(&m.conditions));
        // The latest of equal ones are taken.
        self.pruned.sort_by(|a, b| score(a).total_cmp(&score(b)));
        let first = self.pruned.len().saturating_sub(self.plan.resume);
        let taken = self.pruned.split_off(first);
        self.pruned_bytes -= taken.iter().map(Prefix::bytes).sum::<u64>();
        taken
    }
}

impl Engine {
    /// Lets a pruner drop states. Before anything ran.
    #[must_use]
    pub fn pruned_by(mut self, plan: PruningPlan) -> Engine {
        let machine = &mut self.worker.machine;
        let sites = &machine.module.sites;
        machine.marking = Some(Marking::new(sites.len()));
        let outcomes = sites.iter().zip(0u32..);
        let outcomes = outcomes.filter(|(site, _)| site.outcome.is_some());
        let outcomes = outcomes.map(|(_, number)| number).collect();
        let make = plan.searchers.iter().map(|(_, make)| make(0).needs());
        let needs = make.fold(Needs::NONE, Needs::union);
        self.features = Features::new(needs, &machine.module);
        if self.first.is_empty() {
            let states = self.states.iter().flatten();
            self.first = states.map(|s| s.fork(&mut machine.tlb)).collect();
        }
        for s in &mut self.first {
            s.marks = Some(Marks::default());
        }
        // They begin anew below, under the searcher of the first round.
        self.states.clear();
        self.free.clear();
        self.pruning = Some(Pruning {
            pruner: Pruner::new(plan.options.clone()),
            plan,
            began: Instant::now(),
            outcomes,
            told: HashSet::new(),
            pruned: Vec::new(),
            pruned_bytes: 0,
            dropped: 0,
            branches_before: 0,
            round_began: Clock::default(),
        });
        self.begin();
        self
    }

    /// Prunes states, or begins the next round, if that is due.
    pub(super) fn prune(&mut self, sink: &mut dyn Sink) {
        let Some(pruning) = &mut self.pruning else {
            return;
        };
        let now = clock(
            &self.worker.machine,
            self.worker.counters.instructions,
            pruning.began,
        );
        match pruning.pruner.due(now) {
            Due::Nothing => {}
            Due::Pruning => {
                let go = pruning.pruner.prune(conditions(&self.states), now);
                self.evict(go, Ending::Pruned, sink);
            }
            Due::Round => self.end_round(sink),
        }
    }

    /// Begins another round when nothing is left of this one, if something was pruned in it. Returns whether it did.
    pub(super) fn next_round(&mut self, sink: &mut dyn Sink) -> bool {
        let again = self.pruning.as_ref().is_some_and(|p| p.dropped > 0);
        if again {
            self.end_round(sink);
        }
        again
    }

    fn end_round(&mut self, sink: &mut dyn Sink) {
        let live = self.states.iter().zip(0..).filter(|(s, _)| s.is_some());
        let all = live.map(|(_, id)| StateId(id)).collect();
        self.evict(all, Ending::Pruned, sink);
        if self.worker.machine.stop().is_set() {
            return;
        }
        let Some(pruning) = &mut self.pruning else {
            return;
        };
        let Pruning { pruner, plan, .. } = pruning;
        let machine = &self.worker.machine;
        let counters = &mut self.worker.counters;
        let now = clock(machine, counters.instructions, pruning.began);
        let branches = machine.covered_outcomes.len();
        let status = counters.pruning.get_or_insert_default();
        let round = pruner.round();
        status.rounds.push(RoundEnd {
            how: round.how.name(),
            searcher: plan.searchers[round.searcher].0.clone(),
            share: round.share(&plan.options),
            seconds: now.seconds - pruning.round_began.seconds,
            ticks: now.ticks - pruning.round_began.ticks,
            pruned: std::mem::take(&mut pruning.dropped),
            new_branches: (branches - pruning.branches_before) as u64,
        });
        pruning.branches_before = branches;
        pruning.round_began = now;
        pruner.next_round(now);
        self.begin();
        self.resume(sink);
    }

    /// The first states of a round, under its searcher.
    fn begin(&mut self) {
        let Some(pruning) = &self.pruning else {
            return;
        };
        let (round, number) = (pruning.pruner.round(), pruning.pruner.round_number());
        let seed = pruning.plan.options.seed.wrapping_add(number as u64 - 1);
        self.searcher = pruning.plan.searchers[round.searcher].1(seed);
        let status = self.worker.counters.pruning.get_or_insert_default();
        pruning.show(&self.worker.machine, status);
        for start in 0..self.first.len() {
            let s = self.first[start].fork(&mut self.worker.machine.tlb);
            self.add(Box::new(s), None);
        }
    }

    /// Takes up states that earlier rounds pruned and that this round finds promising.
    fn resume(&mut self, sink: &mut dyn Sink) {
        let Some(pruning) = &mut self.pruning else {
            return;
        };
        for prefix in pruning.most_promising() {
            match self.rebuild(&prefix, sink) {
                Followed::Here(s) => {
                    self.worker.counters.resumed += 1;
                    self.add(s, None);
                }
                Followed::Ended(s, why) => self.worker.finish(&s, &why, sink),
                Followed::Stopped => return,
            }
        }
    }

    /// The states that go first when memory is short.
    pub(super) fn least_promising(&mut self, n: usize) -> Vec<StateId> {
        let pruning = self.pruning.as_mut();
        let known = pruning.and_then(|p| p.pruner.worst(conditions(&self.states), n));
        known.unwrap_or_else(|| self.searcher.worst(n))
    }

    /// Books and tells the end of a path that may have been told in an earlier round, and lets the pruner learn from its
    /// test.
    pub(super) fn finish_once(&mut self, s: &State, why: &Termination, sink: &mut dyn Sink) {
        let (Some(pruning), Some(marks)) = (&mut self.pruning, &s.marks) else {
            return self.worker.finish(s, why, sink);
        };
        let ending = why.ending();
        let identity = s.trail.identity() ^ s.progress.instructions.rotate_left(32);
        let is_told = !pruning.told.insert(identity);
        let is_pruned = ending == Ending::Pruned;
        if is_pruned {
            pruning.dropped += 1;
            let most = match self.worker.limits.memory {
                0 => UNLIMITED,
                limit => limit / PART,
            };
            pruning.keep(s, most);
        }
        if is_told && (is_pruned || ending.is_complete()) {
            return self
                .worker
                .finish(s, &Termination::Cut(Ending::Again), sink);
        }
        let has_test = match ending.keep() {
            Keep::Always => true,
            Keep::New => s.progress.covered_new,
            Keep::Never => false,
        };
        if has_test {
            let branches = marks.passed.and(&pruning.outcomes);
            pruning.pruner.learn(&marks.conditions, &branches);
        }
        self.worker.finish(s, why, sink);
    }
}

impl Pruning {
    /// Says what goes on in the round that begins.
    fn show(&self, machine: &Machine, status: &mut PruningStatus) {
        let round = self.pruner.round();
        status.round = self.pruner.round_number() as u64;
        status.how = round.how.name();
        status
            .searcher
            .clone_from(&self.plan.searchers[round.searcher].0);
        status.features = 0;
        status.weights.clear();
        let (Rank::Weights(weights), Some(marking)) = (&round.rank, &machine.marking) else {
            return;
        };
        status.features = weights.len() as u64;
        let mut ranked = weights.clone();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        let end = ranked.len();
        let shown = ranked.iter().enumerate();
        let shown = shown.filter(|(i, _)| *i < SHOWN || *i + SHOWN >= end);
        let in_words = |(_, &(feature, weight)): (usize, &(u32, f64))| {
            let words = marking.conditions.words(&machine.pool, feature);
            (words, weight)
        };
        status.weights.extend(shown.map(in_words));
    }
}

/// The live states with their core conditions.
#[allow(clippy::vec_box)]
fn conditions(states: &[Option<Box<State>>]) -> impl Iterator<Item = (StateId, &BitSet)> {
    let live = states.iter().zip(0..);
    live.filter_map(|(s, id)| Some((StateId(id), &s.as_ref()?.marks.as_ref()?.conditions)))
}

/// What the run has spent.
fn clock(machine: &Machine, instructions: u64, began: Instant) -> Clock {
    let stats = machine.solver.stats();
    let work = instructions + stats.queries * QUERY + stats.effort / EFFORT;
    Clock {
        seconds: began.elapsed().as_secs_f64(),
        ticks: work / TICK,
    }
}
