//! Tests of live states: states that the end of the run finds alive are paths that were paid for, and natively the input of each goes on
//! to the end of the program. So their inputs do that here, too, as long as their share of the time lasts.
//!
//! A copy of the state runs on its witness, without a fork and without a query ([`Worker::run_ahead`]); if it covers something new or
//! shows an error, it leaves a test. The state itself stays as it is, and is still to be explored: nothing counts a path. What was
//! covered guides the search from then on.
//!
//! It happens now and then, by the work done, so that runs repeat; when no fork is left; and at the end, so early before a limit of time
//! that the share is used up when it is reached. The deepest states come first, since most is decided of them, but one of each call path
//! comes before the second one of any: of ten orders that was the best one (docs/experiments/coreutils.md). After the live
//! states come the spilled ones that are in memory, then, at the end, the parked sides, for which the solver is asked once more.

use super::Engine;
use super::parked::AskedAgain;
use crate::endings::{Ending, Keep};
use crate::errors::Termination;
use crate::event::LiveEnd;
use crate::follow::Followed;
use crate::live_tests::LiveTests;
use crate::state::State;
use crate::worker::Worker;
use explore::Sink;
use search::StateId;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

/// Work after which live states get their tests for the first time, some seconds; the next time is when there is twice as much.
const FIRST_WORK: u64 = 4_000_000_000;
/// One input may take this part of what is left, and so much work in any case.
const LONGEST: u32 = 4;
const LEAST_WORK: u64 = 4_000_000;
/// Less time than this before the end is left to what ends the run, and less than that is not worth beginning with.
const SHORT: Duration = Duration::from_millis(2);
const WORTH: Duration = Duration::from_millis(20);

/// What was done for live states so far.
pub(super) struct Live {
    limits: LiveTests,
    /// Inputs of spilled states that ran to the end of the program.
    ran: HashSet<u64>,
    /// Work at which it is time again.
    next_work: u64,
    /// Time before the end at which it is time again; `None`: it was not yet.
    next_left: Option<Duration>,
    /// Processor time that all this has taken.
    spent: Duration,
}

/// How long live states have the machine.
#[derive(Clone, Copy)]
pub(super) enum Until {
    /// So much work is done.
    Work(u64),
    /// The run ends.
    End,
}

impl Live {
    pub fn new(limits: LiveTests) -> Live {
        Live {
            limits,
            ran: HashSet::new(),
            next_work: FIRST_WORK,
            next_left: None,
            spent: Duration::ZERO,
        }
    }

    /// Does each live state get a test?
    pub fn every(&self) -> bool {
        self.limits.every
    }
}

/// The input of a state as a number: a state keeps its input, so another one with the same takes the same path.
fn input_of(s: &State) -> u64 {
    let mut hasher = DefaultHasher::new();
    s.start.hash(&mut hasher);
    for (symbol, value) in s.witness.pack().bytes() {
        (symbol.0, value).hash(&mut hasher);
    }
    for choice in s.trail.latest().filter(|c| c.failure().is_some()) {
        choice.hash(&mut hasher);
    }
    hasher.finish()
}

impl Until {
    /// Has the time come?
    fn is_over(self, limits: &LiveTests, worker: &Worker) -> bool {
        worker.machine.stop().is_set()
            || match self {
                Until::Work(most) => worker.work() >= most,
                Until::End => limits.left().is_some_and(|(left, _)| left < SHORT),
            }
    }

    /// When one input has taken enough, of what is left.
    fn of_one(self, limits: &LiveTests, worker: &Worker) -> (u64, Option<Duration>) {
        let work = worker.work();
        let least = work + LEAST_WORK;
        match self {
            Until::Work(most) => {
                let part = most.saturating_sub(work) / u64::from(LONGEST);
                (least.max(work + part), None)
            }
            Until::End => {
                let left = limits.left().map(|(left, _)| left - left / LONGEST);
                (least, left)
            }
        }
    }
}

impl Engine {
    /// Lets the inputs of live states run on if it is time.
    pub(super) fn test_live(&mut self, sink: &mut dyn Sink) {
        let limits = self.live.limits;
        if limits.share <= 0.0 || self.worker.limits.budget.is_some() {
            return;
        }
        if let Some((left, whole)) = limits.left() {
            let next = self.live.next_left;
            let next = next.unwrap_or_else(|| limits.reserve(whole, self.live.spent));
            if left < WORTH {
                return;
            }
            if left <= next {
                // What comes alive later has its turn halfway to the end.
                self.run_live(Until::End, sink);
                let left = limits.left().map_or(Duration::ZERO, |(left, _)| left);
                self.live.next_left = Some(left / 2);
                return;
            }
        }
        let work = self.worker.work();
        if work >= self.live.next_work {
            let since = self.live.next_work / 2;
            self.run_live(Until::Work(work + limits.work(since)), sink);
            self.live.next_work = 2 * work;
        }
    }

    /// The same when no fork is left: the run ends after that.
    pub(super) fn test_live_at_last(&mut self, sink: &mut dyn Sink) {
        let limits = self.live.limits;
        if limits.share > 0.0 && self.worker.limits.budget.is_none() {
            let work = self.worker.work();
            let most = (work as f64 * limits.share) as u64;
            self.run_live(Until::Work(work + most.max(LEAST_WORK)), sink);
        }
    }

    fn run_live(&mut self, until: Until, sink: &mut dyn Sink) {
        let began = host::clock::thread_time();
        self.run_all(until, sink);
        self.live.spent += host::clock::thread_time().saturating_sub(began);
    }

    fn run_all(&mut self, until: Until, sink: &mut dyn Sink) {
        let limits = self.live.limits;
        let order = self.promising();
        for &id in &order {
            let Some(s) = self.states.get(id) else {
                continue;
            };
            if s.has_run_ahead {
                continue;
            }
            if !self.goes_on(until, sink) {
                return;
            }
            // Others may have taken it meanwhile.
            let Some(s) = self.states.get(id) else {
                continue;
            };
            let mut copy = Box::new(s.fork(&mut self.worker.machine.tlb));
            let rest = self.run_one(&mut copy, until, sink);
            if let Some(s) = self.states.get_mut(id) {
                s.progress.covered_new = rest;
                s.has_run_ahead = true;
            }
        }
        self.run_spilled(until, sink);
        if matches!(until, Until::End) && limits.every {
            self.test_the_rest(&order, sink);
        }
        if matches!(until, Until::End) {
            self.ask_parked(until, sink);
        }
    }

    /// Is there more to do, and time for it? Does what is to be done between two slices.
    pub(super) fn goes_on(&mut self, until: Until, sink: &mut dyn Sink) -> bool {
        self.between_inputs(sink) && !until.is_over(&self.live.limits, &self.worker)
    }

    /// Does what is to be done between the inputs of two states. Returns whether there is memory for the next one, and the run goes
    /// on here.
    pub(super) fn between_inputs(&mut self, sink: &mut dyn Sink) -> bool {
        if self.worker.has_to_look() {
            if self.worker.memory_is_short() {
                return false;
            }
            self.worker.tick(sink);
            if self.worker.wants_collection() {
                self.collect();
            }
            sink.look(self);
        }
        !self.has_left
    }

    /// Runs the copy of a state to its end. Returns whether something that it has covered is not shown by a test.
    pub(super) fn run_one(&mut self, s: &mut State, until: Until, sink: &mut dyn Sink) -> bool {
        let limits = self.live.limits;
        let (most, left) = until.of_one(&limits, &self.worker);
        let (why, sites) = self.worker.run_ahead(s, sink, &mut |worker| {
            worker.work() < most
                || left.is_some_and(|least| limits.left().is_some_and(|(now, _)| now > least))
        });
        for site in sites {
            self.features.covered(site);
        }
        let counters = &mut self.worker.counters;
        counters.live_runs += 1;
        counters.live_cut += u64::from(!why.ending().is_complete());
        if why.ending().keep() == Keep::Never {
            // The path of the state passes there, too.
            return s.progress.covered_new;
        }
        let is_told = self.worker.tell_ahead(s, &why, limits.every, sink);
        self.worker.counters.live_tests += u64::from(is_told);
        false
    }

    /// Rebuilds spilled states that are in memory, the latest first, and lets their inputs run on.
    fn run_spilled(&mut self, until: Until, sink: &mut dyn Sink) {
        for back in 0..self.spilled.states.top().len() {
            if !self.goes_on(until, sink) {
                return;
            }
            let top = self.spilled.states.top();
            let Some(waiting) = top.len().checked_sub(back + 1).and_then(|at| top.get(at)) else {
                return;
            };
            let Ok(prefix) = waiting.copy(&mut self.worker.machine) else {
                // It is told when its turn comes.
                continue;
            };
            if let Followed::Here(mut s) = self.rebuild(&prefix, sink)
                && self.live.ran.insert(input_of(&s))
            {
                self.run_one(&mut s, until, sink);
            }
        }
    }

    /// Tests of the states whose inputs have not run, as the states stand.
    fn test_the_rest(&mut self, order: &[StateId], sink: &mut dyn Sink) {
        let why = Termination::Cut(Ending::Time);
        for id in order {
            if self.worker.machine.stop().is_set() {
                return;
            }
            let Some(mut s) = self.states.take(*id, &mut self.shared) else {
                continue;
            };
            if !s.has_run_ahead {
                self.worker.tell(&s, &LiveEnd::new(&why, false), sink);
                self.worker.counters.live_tests += 1;
                s.progress.covered_new = false;
                s.has_run_ahead = true;
            }
            self.states.put(*id, s);
        }
    }

    /// Asks for parked sides once more; those that are decided live on, and run.
    fn ask_parked(&mut self, until: Until, sink: &mut dyn Sink) {
        for _ in 0..self.parked.len() {
            // Those that wait for their turn belong to the frontier meanwhile.
            if !self.goes_on(until, sink) || self.parked.is_empty() {
                return;
            }
            let mut side = self.parked.remove(0);
            match self.ask_again(&mut side) {
                AskedAgain::Open => self.parked.push(side),
                AskedAgain::Closed => {}
                AskedAgain::Lives => {
                    let mut copy = Box::new(side.state.fork(&mut self.worker.machine.tlb));
                    let rest = self.run_one(&mut copy, until, sink);
                    side.state.progress.covered_new = rest;
                    side.state.has_run_ahead = true;
                    self.unpark(side);
                }
            }
        }
    }

    /// The live states, the most promising ones first: the deepest state of each call path, then the second one of each, and so on; states
    /// of the same depth in the searcher's order.
    fn promising(&mut self) -> Vec<StateId> {
        let mut order = self.searcher.worst(self.searcher.len());
        order.reverse();
        let depth = |id: &StateId| {
            let s = self.states.get(*id);
            s.map_or(0, |s| s.progress.depth)
        };
        order.sort_by_key(|id| Reverse(depth(id)));
        let mut met: HashMap<u64, u32> = HashMap::new();
        let mut ranked: Vec<(u32, StateId)> = Vec::with_capacity(order.len());
        for id in order {
            if let Some(s) = self.states.get(id) {
                let n = met.entry(place_of(s)).or_default();
                ranked.push((*n, id));
                *n += 1;
            }
        }
        ranked.sort_by_key(|(n, _)| *n);
        ranked.into_iter().map(|(_, id)| id).collect()
    }
}

/// The calls in progress, and the next instruction.
fn place_of(s: &State) -> u64 {
    let mut hasher = DefaultHasher::new();
    s.hot.pc.hash(&mut hasher);
    for frame in s.frames() {
        frame.return_pc.hash(&mut hasher);
    }
    hasher.finish()
}
