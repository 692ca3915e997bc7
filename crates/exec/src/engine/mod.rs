//! The schedule of forking mode: many states, and a searcher that says which of them runs next.
//!
//! `parked` keeps the sides of branches that the solver could not decide, `spill` the states that were spilled for
//! memory. [`Engine::settle`] alone decides what happens to a fork: it is added to run later, spilled, or ended with
//! an ending of its own. `shared` has the part of an engine that shares its exploration with other workers.

mod heard;
mod live;
mod parked;
mod prune;
mod shared;
mod spill;
mod states;

pub use prune::{NewSearcher, PruningPlan};

use crate::endings::{Ending, Halt};
use crate::errors::Termination;
use crate::features::Features;
use explore::{List, ObjectBytes, Sink};

use crate::machine::Machine;
use crate::run::SliceEnd;
use crate::state::State;
use crate::turn::{OpenCheck, Parked, Turn};
use crate::worker::{RunLimits, Worker};
use dse::Input;
use prune::Pruning;
use search::{Metrics, RandomDrop, Searcher, StateId};
use solver::Why;
use spill::Spilled;
use states::LiveStates;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Instant;

/// Instructions that each state may still run when no fork is left (`--max-forks`), and the budget of its queries: it
/// runs to its end, but not for ever.
const TAIL_INSTRUCTIONS: u64 = 1_000_000;
const TAIL_EFFORT: u64 = 4_000_000;

/// Work without news after which a first look may end: some two thirds of a second where states are large, less in small functions.
const IDLE_LOOK: u64 = 300_000_000;

/// The exploration of a program by states that fork.
pub struct Engine {
    /// Runs them.
    pub worker: Worker,
    searcher: Box<dyn Searcher>,
    features: Features,
    states: LiveStates,
    /// Sides that the solver could not decide, to be tried again.
    parked: Vec<Parked>,
    /// Exceptions of floats that the solver could not decide.
    open_checks: Vec<OpenCheck>,
    /// The first states as they were, to rebuild others from; kept if that may be needed.
    first: Vec<State>,
    spilled: Spilled,
    /// Chooses states to lose when memory is short, if they are not to be spilled.
    random_drop: Option<RandomDrop>,
    pruning: Option<Pruning>,
    shared: Option<List>,
    /// Other workers explore the rest of the frontier.
    has_left: bool,
    /// Tests of states that may not come to their ends.
    live: live::Live,
    /// Inputs that others have found, and that have not run yet.
    heard: VecDeque<Input>,
    /// Instructions and effort at which the run ends, once no fork is left.
    tail: Option<(u64, u64)>,
    /// Work until a place was covered last.
    news: u64,
}

impl Engine {
    /// Will explore what the states in `first` lead to; they come from [`Machine::first_states`].
    pub fn new(
        machine: Machine,
        searcher: Box<dyn Searcher>,
        first: Vec<Box<State>>,
        limits: RunLimits,
    ) -> Engine {
        let mut engine = Engine {
            features: Features::new(searcher.needs(), &machine.module),
            worker: Worker::new(machine, limits),
            searcher,
            states: LiveStates::default(),
            parked: Vec::new(),
            open_checks: Vec::new(),
            first: Vec::new(),
            spilled: Spilled::new(limits.memory),
            random_drop: limits.drop_seed.map(RandomDrop::new),
            pruning: None,
            shared: None,
            has_left: false,
            live: live::Live::new(limits.live),
            heard: VecDeque::new(),
            tail: None,
            news: 0,
        };
        let tlb = &mut engine.worker.machine.tlb;
        engine.first = first.iter().map(|s| s.fork(tlb)).collect();
        engine.begin_in(first.len());
        for s in first {
            engine.add(s, None);
        }
        engine
    }

    /// Runs these inputs first. Returns those, by number, that are no input of the program.
    pub fn begin_with(&mut self, seeds: &[Vec<ObjectBytes>]) -> Vec<usize> {
        let mut unfit = Vec::new();
        let ids: Vec<StateId> = self.states.iter().map(|(id, _)| id).collect();
        for (number, parts) in seeds.iter().enumerate() {
            let entries: Vec<&State> = self.states.iter().map(|(_, s)| s).collect();
            let Some(input) = self.worker.machine.seed(&entries, parts) else {
                unfit.push(number);
                continue;
            };
            let id = ids[input.start];
            if let Some(s) = self.states.get_mut(id)
                && s.seeds.add(&Rc::new(input.values.clone()))
            {
                s.witness = input.values;
                self.searcher.hasten(id);
            }
        }
        unfit
    }

    /// Paths begin in so many states, which share the tree of paths.
    fn begin_in(&mut self, starts: usize) {
        self.worker.start_weight = 1.0 / starts.max(1) as f64;
    }

    pub(crate) fn explore(&mut self, sink: &mut dyn Sink) -> Option<Halt> {
        let stop = self.worker.machine.stop();
        // Emptied after each slice, not made anew: it keeps its allocations.
        let mut turn = Turn::default();
        let halted = loop {
            if let Some(cause) = stop.cause() {
                sink.halting(self);
                break Some(Halt::Stopped(cause));
            }
            if self.tail_is_over() {
                self.test_live_at_last(sink);
                sink.halting(self);
                break Some(Halt::Forks);
            }
            self.worker.counters.live = self.searcher.len() + self.spilled.len();
            if self.worker.has_to_look() {
                if self.worker.memory_is_short() {
                    self.make_room(sink);
                }
                self.worker.tick(sink);
                if self.worker.wants_collection() {
                    self.collect();
                }
                sink.look(self);
                self.run_heard(sink);
                self.test_live(sink);
                self.end_idle_look();
            }
            if self.worker.is_spent() {
                self.has_left = true;
            }
            if self.has_left {
                break None;
            }
            self.settle_in(sink);
            self.prune(sink);
            let Some(id) = self.select() else {
                if self.resume_when_idle(sink) {
                    continue;
                }
                let parked = !self.worker.leaves_parked() && self.retry_parked();
                let is_asked_again = parked | self.retry_checks(sink);
                let goes_on = is_asked_again || self.simulate_floats() || self.take_up(sink);
                if goes_on || self.next_round(sink) || sink.wait(self) {
                    continue;
                }
                break None;
            };
            let mut s =
                (self.states.take(id, &mut self.shared)).expect("the searcher names a live state");
            let before = s.progress.instructions;
            s.is_deferred = false;
            if let Some(fork) = self.worker.machine.decider.fork() {
                fork.listens(!self.parked.is_empty());
            }
            let outcome = self.worker.run(&mut s, &mut turn, sink);
            self.features
                .ran(s.hot.pc, s.progress.instructions - before);
            self.searcher.spent(self.worker.spent);
            self.settle(id, s, outcome, &mut turn, sink);
            self.rescue();
        };
        if let Some(halt) = halted {
            self.wind_up(sink, halt);
        } else if self.shared.as_ref().is_none_or(|s| s.is_alone) && !self.has_left {
            for (s, why) in self.worker.machine.unmet_assumptions() {
                self.finish(&s, &why, sink);
            }
        }
        self.worker.rest(sink);
        halted
    }

    /// Are the forks used up, and what the live states may do after that, too?
    fn tail_is_over(&mut self) -> bool {
        let Worker {
            machine, counters, ..
        } = &self.worker;
        let (most, forks) = (machine.options.max_forks, machine.forks());
        if most == 0 || forks < most {
            return false;
        }
        let now = (counters.instructions, machine.reason.solver.stats().effort);
        let live = self.searcher.len() as u64;
        let (instructions, effort) = *self.tail.get_or_insert((
            now.0.saturating_add(live.saturating_mul(TAIL_INSTRUCTIONS)),
            now.1.saturating_add(live.saturating_mul(TAIL_EFFORT)),
        ));
        live > 0 && (now.0 > instructions || now.1 > effort)
    }

    /// A first look that has covered nothing for as long as it took until it last did ends: others may have more to show.
    fn end_idle_look(&self) {
        let idle = self.worker.work() - self.news;
        if idle > IDLE_LOOK.max(self.news) {
            self.worker.machine.end_first_look();
        }
    }

    fn select(&mut self) -> Option<StateId> {
        let Engine {
            searcher,
            states,
            features,
            ..
        } = self;
        searcher.select(&mut |id| match states.get(id) {
            Some(s) => features.of(s),
            None => Metrics::default(),
        })
    }

    /// Takes the results of a state's slice out of `turn`, and decides what happens to each fork and to the state
    /// itself.
    fn settle(
        &mut self,
        id: StateId,
        mut s: Box<State>,
        outcome: SliceEnd,
        turn: &mut Turn,
        sink: &mut dyn Sink,
    ) {
        if !turn.sites.is_empty() {
            self.searcher.covered(turn.sites.len());
            self.news = self.worker.work();
        }
        let errors = self.worker.errors_shown;
        for site in turn.sites.drain(..) {
            self.features.covered(site);
        }
        for child in turn.forks.drain(..) {
            self.add(child, Some(id));
        }
        for (dead, why) in turn.ended.drain(..) {
            self.finish(&dead, &why, sink);
        }
        let floats = std::mem::take(&mut turn.floats);
        self.worker.counters.park(Why::Float.name(), floats);
        for side in turn.parked.drain(..) {
            self.park(side);
        }
        for check in turn.open_checks.drain(..) {
            self.keep_check(check);
        }
        match outcome {
            SliceEnd::Fuel | SliceEnd::Look | SliceEnd::Forked => {
                let m = self.features.of(&s);
                s.lease.moved_on();
                if s.is_deferred && !s.seeds.lead() {
                    self.searcher.defer(id);
                } else {
                    self.searcher.update(id, &m);
                }
                self.states.put(id, s);
            }
            SliceEnd::Ended(why) => {
                if std::mem::take(&mut turn.cut_before) && self.can_wait(&why) {
                    let is_spilled = !self.worker.machine.stop().is_set();
                    self.worker.counters.spilled += u64::from(is_spilled);
                    self.put_off(&mut s, &why, sink);
                } else {
                    self.finish(&s, &why, sink);
                }
                self.forget(id);
            }
        }
        if self.worker.errors_shown > errors {
            self.searcher.erred();
        }
    }

    /// May the running path, which the end of the run cut, go on later from before the instruction in which it was?
    fn can_wait(&self, why: &Termination) -> bool {
        if self.worker.machine.stop().is_set() {
            return self.shared.is_some();
        }
        let for_memory = *why == Termination::Cut(Ending::Memory);
        for_memory && self.searcher.len() > 1 && self.random_drop.is_none()
    }

    /// Adds a state that runs when the searcher selects it.
    fn add(&mut self, s: Box<State>, parent: Option<StateId>) {
        let m = self.features.of(&s);
        let (is_deferred, is_led) = (s.is_deferred, s.seeds.lead());
        let id = self.states.add(s);
        self.searcher.add(id, parent, &m);
        if is_led {
            self.searcher.hasten(id);
        } else if is_deferred {
            self.searcher.defer(id);
        }
        let counters = &mut self.worker.counters;
        counters.live_max = counters.live_max.max(self.searcher.len());
    }

    /// The state of this id is gone.
    fn forget(&mut self, id: StateId) {
        self.searcher.remove(id);
        self.states.release(id);
    }

    /// Books and tells the end of a path.
    fn finish(&mut self, s: &State, why: &Termination, sink: &mut dyn Sink) {
        let error = if self.worker.machine.options.check_prefixes {
            self.check_prefix(s, why, sink)
        } else {
            None
        };
        self.finish_once(s, error.as_ref().unwrap_or(why), sink);
    }

    /// Ends the live states at a limit. Paths that covered something new get their test.
    fn wind_up(&mut self, sink: &mut dyn Sink, halt: Halt) {
        let why = Termination::Cut(halt.ending());
        let end = Instant::now() + self.worker.limits.grace;
        let running: usize = self.states.iter().map(|(_, s)| s.seeds.running()).sum();
        if running > 0 {
            let text =
                format!("seeds that had not come to their end when the run ended: {running}");
            self.worker.machine.warn_once(text);
        }
        for id in (0..self.states.end()).map(StateId) {
            if let Some(s) = self.states.take(id, &mut self.shared) {
                let has_run = s.has_run_ahead;
                self.worker.counters.live_left += u64::from(!has_run);
                if self.live.every() && has_run && !s.progress.covered_new {
                    // It has its test.
                    self.worker.book(&s, &why);
                } else if Instant::now() < end || halt == Halt::Forks {
                    self.finish(&s, &why, sink);
                } else {
                    self.worker.book(&s, &why);
                    self.worker.counters.unsaved += u64::from(s.progress.covered_new);
                }
                // It dies with the process: taking many apart costs more than the run may still take.
                std::mem::forget(s);
            }
        }
        let counters = &mut self.worker.counters;
        counters
            .endings
            .add(halt.ending(), self.spilled.len() as u64);
        counters.partial += self.spilled.len() as u64;
        counters.live_left += self.spilled.len() as u64;
        counters.unsaved += self.spilled.states.unsaved();
    }

    /// Compacts the term pool.
    fn collect(&mut self) {
        let Engine {
            worker,
            states,
            parked,
            open_checks,
            first,
            pruning,
            ..
        } = self;
        let held = states.iter_mut();
        let held = held.chain(parked.iter_mut().map(|p| &mut *p.state));
        let held = held.chain(open_checks.iter_mut().map(|c| &mut *c.state));
        worker.collect(held.chain(first), &mut |_, visit| {
            pruning.iter_mut().for_each(|p| p.trace(visit));
        });
    }
}
