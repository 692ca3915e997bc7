//! Learned state pruning: a pruner drops states while the searcher selects, and the exploration goes in rounds.
//!
//! [`search::homi`] learns which states are worth keeping. This module gives it the features of states and tests, and
//! carries out its decisions. A pruned state leaves its test and is spilled, as for memory (`spill`). Module `whole_tests`
//! finds out what such tests cover, `waiting` describes what happens to pruned states after that, and `rounds` what happens to the
//! others at the end of a round.

mod rounds;
mod waiting;
mod whole_tests;

use super::Engine;
use super::states::LiveStates;
use crate::endings::{Ending, Keep};
use crate::errors::Termination;
use crate::event::LiveEnd;
use crate::features::Features;
use crate::machine::Machine;
use crate::observe::Marking;
use crate::portable::Pruned;
use crate::prefix::Prefix;
use crate::state::{Marks, State};
use explore::Sink;
use search::homi::{BitSet, Clock, Due, Options, Pruner, greedy_beyond};
use search::{Needs, Searcher, StateId};
use std::collections::HashSet;
use std::time::Duration;
use term::Term;
use waiting::PrunedStates;

/// Work in a tick: instructions, and what a query and its effort count as, in instructions. A tick is about a
/// millisecond.
const TICK: u64 = 20_000;
const QUERY: u64 = 300;
const EFFORT: u64 = 4;
/// Tests of different states that are written at a time.
const DIFFERENT: usize = 64;

/// Makes a searcher without states, from a seed.
pub type NewSearcher = Box<dyn Fn(u64) -> Box<dyn Searcher>>;

/// How states are pruned.
pub struct PruningPlan {
    /// The pruner's hyper-parameters.
    pub options: Options,
    /// The searchers that a round can have, with their names; [`Options::searchers`] of them.
    pub searchers: Vec<(String, NewSearcher)>,
    /// Pruned states that a round takes up again; `None`: as many as can be rebuilt in an eighth of a round.
    pub resume: Option<usize>,
    /// The part of the run's work in which the inputs of pruned states run on to the end of the program, from 0 to 1, so that
    /// what their tests cover there is learned.
    pub test_share: f64,
}

/// The pruner and its data.
pub(super) struct Pruning {
    pruner: Pruner,
    plan: PruningPlan,
    /// Processor time when the exploration began.
    began: Duration,
    /// Sites that are outcomes of branches.
    outcomes: BitSet,
    /// Paths that ended and were reported, by their choices.
    told: HashSet<u64>,
    /// States that were pruned, to be taken up again.
    waiting: PrunedStates,
    /// Live states that left a test where they stood: taken up, or different from all others.
    have_test: HashSet<u64>,
    /// Core conditions of all tests.
    tested: BitSet,
    /// Work of the inputs of pruned states that ran on.
    tests_work: u64,
    /// States that this round pruned or lost for memory, and the branches that were covered when it began.
    dropped: u64,
    branches_before: usize,
    round_began: Clock,
}

impl Pruning {
    /// Shows the collector the terms that prefixes hold.
    pub fn trace(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        self.waiting.trace(visit);
    }

    /// A path with these core conditions leaves a test that passes these sites.
    fn learn(&mut self, conditions: &BitSet, passed: &BitSet) {
        self.tested.add(conditions);
        let branches = passed.and(&self.outcomes);
        self.pruner.learn(conditions, &branches);
    }

    /// Do rounds go on with the states that are there?
    fn goes_on(&self) -> bool {
        self.plan.options.method.goes_on
    }

    /// It may take so much memory from now on.
    pub fn resize(&mut self, memory: u64) {
        self.waiting.resize(memory);
    }

    /// Can each pruned state go on elsewhere?
    pub fn may_go_elsewhere(&self) -> bool {
        self.waiting.iter().all(|p| p.floats.may_leave())
    }

    /// How many pruned states wait.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Those, by the place that stays theirs until they are taken.
    pub fn prefixes(&mut self) -> impl Iterator<Item = (usize, &mut Prefix)> {
        self.waiting.iter_mut()
    }

    /// What learned pruning did with a live state.
    pub fn of_live(&self, s: &State) -> Pruned {
        if self.have_test.contains(&s.identity()) {
            Pruned::HasTest
        } else {
            Pruned::Not
        }
    }
}

impl Engine {
    /// Lets a pruner drop states, if there is a plan for it. Before anything ran.
    #[must_use]
    pub fn pruned_by(mut self, plan: Option<PruningPlan>) -> Engine {
        let Some(plan) = plan else {
            return self;
        };
        let machine = &mut self.worker.machine;
        let sites = &machine.module.sites;
        machine.observers.marking = Some(Marking::new(sites.len()));
        let outcomes = sites.iter().zip(0u32..);
        let outcomes = outcomes.filter(|(site, _)| site.outcome.is_some());
        let outcomes = outcomes.map(|(_, number)| number).collect();
        let make = plan.searchers.iter().map(|(_, make)| make(0).needs());
        let needs = make.fold(Needs::NONE, Needs::union);
        self.features = Features::new(needs, &machine.module);
        if self.first.is_empty() {
            let states = self.states.iter();
            self.first = states.map(|(_, s)| s.fork(&mut machine.tlb)).collect();
        }
        for s in &mut self.first {
            s.marks = Some(Marks::default());
        }
        // They begin anew below, under the searcher of the first round.
        self.states = LiveStates::default();
        self.pruning = Some(Pruning {
            pruner: Pruner::new(plan.options.clone()),
            began: host::clock::process_time(),
            outcomes,
            told: HashSet::new(),
            waiting: PrunedStates::new(
                self.worker.limits.memory,
                plan.searchers[0].1(plan.options.seed),
            ),
            have_test: HashSet::new(),
            tested: BitSet::default(),
            tests_work: 0,
            dropped: 0,
            branches_before: 0,
            round_began: Clock::default(),
            plan,
        });
        if self.shared.is_some() {
            self.go_on(false);
        } else {
            self.begin();
        }
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
                self.run_whole_tests(&go, sink);
                self.evict(go, Ending::Pruned, sink);
                self.test_the_different(sink);
            }
            Due::Round => self.end_round(sink),
        }
    }

    /// Writes tests of the live states that differ most from all tests so far: they have core conditions that no test
    /// has. Natively such a test goes on to its end, which the state may never reach.
    fn test_the_different(&mut self, sink: &mut dyn Sink) {
        let Some(pruning) = &self.pruning else {
            return;
        };
        let (ids, sets): (Vec<StateId>, Vec<&BitSet>) = conditions(&self.states).unzip();
        let mut tested = pruning.tested.clone();
        let different = greedy_beyond(&mut tested, sets.into_iter(), DIFFERENT);
        let lacks_test = |id: &StateId| {
            let s = self.states.get(*id);
            s.is_some_and(|s| !pruning.have_test.contains(&s.identity()))
        };
        let different = different.into_iter().map(|at| ids[at]);
        let different: Vec<StateId> = different.filter(lacks_test).collect();
        self.run_whole_tests(&different, sink);
        let why = &Termination::Cut(Ending::Pruned);
        for id in different {
            let (Some(pruning), Some(s)) = (&mut self.pruning, self.states.get(id)) else {
                continue;
            };
            let status = self.worker.counters.pruning.get_or_insert_default();
            status.early_tests += 1;
            if !pruning.have_test.insert(s.identity()) {
                continue;
            }
            if let Some(marks) = &s.marks {
                pruning.learn(&marks.conditions, &marks.passed);
            }
            self.worker.tell(s, &LiveEnd::new(why, false), sink);
        }
    }

    /// The states that go first when memory is short.
    pub(super) fn least_promising(&mut self, n: usize) -> Vec<StateId> {
        let pruning = self.pruning.as_mut();
        let known = pruning.and_then(|p| p.pruner.worst(conditions(&self.states), n));
        known.unwrap_or_else(|| self.searcher.worst(n))
    }

    /// Counts and reports the end of a path that may have been reported in an earlier round, and lets the pruner learn
    /// from its test. A pruned state waits from now on.
    pub(super) fn finish_once(&mut self, s: &State, why: &Termination, sink: &mut dyn Sink) {
        let (Some(pruning), Some(marks)) = (&mut self.pruning, &s.marks) else {
            return self.worker.finish(s, why, sink);
        };
        let ending = why.ending();
        let id = s.identity();
        let is_told = !pruning.told.insert(id);
        let is_pruned = ending == Ending::Pruned;
        // What memory drives out is pruned, too (Algorithm 1, lines 5 and 6), but does not wait.
        let is_dropped = is_pruned || ending == Ending::RandomDrop;
        // Where it got its test? Then it has not run since.
        let has_test = is_dropped && pruning.have_test.remove(&id);
        pruning.dropped += u64::from(is_dropped);
        let is_new = has_test || !is_told;
        let waits = is_pruned && (pruning.goes_on() || is_new && pruning.plan.resume != Some(0));
        if has_test {
            self.worker.book(s, why);
        } else if is_told && !pruning.goes_on() && (is_dropped || ending.is_complete()) {
            let again = Termination::Cut(Ending::Again);
            self.worker.finish(s, &again, sink);
        } else {
            let leaves_test = match ending.keep() {
                Keep::Always => true,
                Keep::New => s.progress.covered_new,
                Keep::Never => false,
            };
            if leaves_test {
                pruning.learn(&marks.conditions, &marks.passed);
            }
            self.worker.finish(s, why, sink);
        }
        if waits {
            let mut prefix = Prefix::of(s);
            prefix.progress.covered_new = false;
            self.put_aside(prefix);
        }
    }
}

/// The live states with their core conditions.
fn conditions(states: &LiveStates) -> impl Iterator<Item = (StateId, &BitSet)> {
    let live = states.iter();
    live.filter_map(|(id, s)| Some((id, &s.marks.as_ref()?.conditions)))
}

/// The time and the work that the run has spent.
fn clock(machine: &Machine, instructions: u64, began: Duration) -> Clock {
    let stats = machine.reason.solver.stats();
    let work = instructions + stats.queries * QUERY + stats.effort / EFFORT;
    Clock {
        seconds: host::clock::process_time()
            .saturating_sub(began)
            .as_secs_f64(),
        ticks: work / TICK,
    }
}
