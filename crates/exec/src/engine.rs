//! The run: many states, one searcher, limits, and the moments at which the user hears of it.

use crate::collect::COLLECT_MIN;
use crate::endings::{Ending, Halt, Tally};
use crate::errors::{ErrorKind, Termination};
use crate::event::{Ended, Sink};
use crate::features::Features;
use crate::follow::{Followed, Prefix};
use crate::machine::Machine;
use crate::run::{SLICE_PAGES, Stop};
use crate::spill::Spilled;
use crate::state::State;
use crate::turn::{Parked, Turn};
use crate::watch::{Pressure, Ticker};
use search::{Metrics, Searcher, StateId};
use solver::{Budget, NoTrials, Outcome, Why};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Instructions that a state runs before the engine looks at clock and memory again.
pub(crate) const SLICE: u64 = 200_000;
/// Scheduling decisions between two looks at memory and the term pool.
const LOOK_EVERY: u32 = 16;
/// Seconds of solving after which they are looked at in any case.
const LONG_QUERY_S: f64 = 0.005;
/// How often resident memory is read.
const MEMORY_EVERY: Duration = Duration::from_millis(20);
/// Spilled states that are rebuilt at a time.
const TAKEN_UP: usize = 8;
/// Parked states kept for a retry; older ones are only counted.
const MAX_PARKED: usize = 1000;
/// Time for a parked query at its retry, as a multiple of the usual budget.
const RETRY_FACTOR: f64 = 4.0;

/// What each state may still run when no fork is left (`--max-forks`), and what its queries may take: it goes on
/// to its end, but not for ever.
const TAIL_INSTRUCTIONS: u64 = 1_000_000;
const TAIL_EFFORT: u64 = 4_000_000;

/// Limits of a run; 0 is "no limit".
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// How long the run may go on writing when it is stopped.
    pub grace: Duration,
    /// Bytes of resident memory.
    pub memory: u64,
    /// Gives freed memory back to the system; the engine does not know the allocator.
    pub release: Option<fn()>,
}

/// Numbers that the status line shows.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    pub completed: u64,
    pub partial: u64,
    pub live: usize,
    pub live_max: usize,
    pub parked: u64,
    /// Parked sides that went on because the solver tried a model of theirs in another query.
    pub rescued: u64,
    pub instructions: u64,
    pub memory_bytes: u64,
    pub memory_max: u64,
    pub collections: u64,
    /// Paths by how they ended.
    pub endings: Tally<Ending>,
    /// Those that ended in an error, by its kind.
    pub errors: BTreeMap<ErrorKind, u64>,
    pub parked_by: BTreeMap<&'static str, u64>,
    /// Exit status of the only path, if exactly one completed.
    pub exit_status: Option<i32>,
    /// Paths that saw something new and were ended with the run, too late for a test.
    pub unsaved: u64,
    /// States whose memory was needed: only their prefix was kept.
    pub spilled: u64,
    /// Those that were rebuilt and went on.
    pub taken_up: u64,
    /// Paths that were followed to their end once more ([`Options::check_prefixes`](crate::Options)).
    pub followed: u64,
}

impl Counters {
    /// Asks how much memory is in use.
    pub(crate) fn look_at_memory(&mut self) -> u64 {
        self.memory_bytes = room::sample();
        self.memory_max = self.memory_max.max(self.memory_bytes);
        self.memory_bytes
    }

    /// Counts sides of branches that the solver did not decide.
    fn park(&mut self, why: Why, sides: u64) {
        if sides > 0 {
            self.parked += sides;
            *self.parked_by.entry(why.name()).or_default() += sides;
        }
    }

    /// Books the end of a path: how it really ended, and whether that is an error that no earlier path has shown.
    pub(crate) fn book(
        &mut self,
        machine: &mut Machine,
        s: &State,
        why: &Termination,
    ) -> (Termination, bool) {
        let mut why = machine.judged(s, why);
        if let Termination::Exit(status) = why
            && machine.comes_again(s, status)
        {
            why = Termination::Cut(Ending::Again);
        }
        let ending = why.ending();
        self.endings.add(ending, 1);
        if ending == Ending::Again {
            // Counted when it was explored first.
        } else if ending.is_complete() {
            self.completed += 1;
        } else {
            self.partial += 1;
        }
        let mut is_new = false;
        match &why {
            Termination::Exit(status) => {
                self.exit_status =
                    (self.completed == 1).then(|| machine.status_under(*status, &s.witness));
            }
            Termination::Error(e) => {
                self.exit_status = None;
                *self.errors.entry(e.kind).or_default() += 1;
                is_new = machine.first_report(s, e);
            }
            Termination::Cut(_) => {}
            Termination::Internal(what) => {
                machine.warn_once(format!("internal error, path dropped: {what}"));
            }
        }
        (why, is_new)
    }

    /// Books the end of a path and tells it.
    pub(crate) fn finish(
        &mut self,
        machine: &mut Machine,
        s: &State,
        why: &Termination,
        sink: &mut dyn Sink,
    ) {
        let (why, is_new) = self.book(machine, s, why);
        let end = Ended { why: &why, is_new };
        if why.ending() != Ending::Internal {
            return tell(machine, s, &end, sink);
        }
        // The state may be what the engine stumbled over: telling of it must not end the run.
        let told = catch_unwind(AssertUnwindSafe(|| tell(machine, s, &end, sink)));
        if told.is_err() {
            machine.warn_once("the input of an internal error could not be written".into());
        }
    }
}

/// Tells of the end of a path.
fn tell(machine: &mut Machine, s: &State, end: &Ended<'_>, sink: &mut dyn Sink) {
    let wants_input = sink.wants_input(s, end);
    sink.ended(machine.path_end(s, end, wants_input));
}

/// The run.
pub struct Engine {
    pub machine: Machine,
    pub counters: Counters,
    searcher: Box<dyn Searcher>,
    features: Features,
    states: Vec<Option<Box<State>>>,
    free: Vec<u32>,
    limits: Limits,
    collect_at: usize,
    retries: Vec<Parked>,
    /// The first states as they were, to rebuild others from.
    first: Vec<State>,
    spilled: Spilled,
    /// What the latest turn brought; kept for its allocations.
    turn: Turn,
    pressure: Pressure,
    last_memory_look: Instant,
    ticker: Ticker,
    /// Instructions and effort at which the run ends, once no fork is left.
    tail: Option<(u64, u64)>,
}

impl Engine {
    pub fn new(
        machine: Machine,
        searcher: Box<dyn Searcher>,
        first: Vec<Box<State>>,
        limits: Limits,
    ) -> Engine {
        let features = Features::new(searcher.needs(), &machine.module);
        let pressure = Pressure::new(limits.memory);
        let mut engine = Engine {
            first: Vec::new(),
            spilled: Spilled::new(limits.memory),
            turn: Turn::default(),
            pressure,
            machine,
            counters: Counters::default(),
            searcher,
            features,
            states: Vec::new(),
            free: Vec::new(),
            limits,
            collect_at: COLLECT_MIN,
            retries: Vec::new(),
            last_memory_look: Instant::now(),
            ticker: Ticker::new(),
            tail: None,
        };
        for s in first {
            if engine.pressure.is_limited() || engine.machine.options.check_prefixes {
                let copy = s.fork(&mut engine.machine.tlb);
                engine.first.push(copy);
            }
            engine.add(s, None);
        }
        engine
    }

    /// Explores until everything is explored or the run is stopped. Returns why it
    /// stopped early, `None` when the exploration is complete.
    pub fn run(&mut self, sink: &mut dyn Sink) -> Option<Halt> {
        let stop = self.machine.stop();
        let mut since_look = 0;
        let halted = loop {
            if let Some(cause) = stop.cause() {
                break Some(Halt::Stopped(cause));
            }
            if self.tail_is_over() {
                break Some(Halt::Forks);
            }
            since_look += 1;
            if since_look >= LOOK_EVERY {
                since_look = 0;
                let now = Instant::now();
                if now - self.last_memory_look >= MEMORY_EVERY || room::is_short() {
                    self.last_memory_look = now;
                    self.watch_memory(sink);
                }
                self.tick(sink);
                if self.machine.pool.len() >= self.collect_at {
                    self.collect();
                }
            }
            let Some(id) = self.select() else {
                if self.retry_parked() || self.simulate_floats() || self.take_up(sink) {
                    continue;
                }
                break None;
            };
            let mut s = self.states[id.0 as usize]
                .take()
                .expect("the searcher names a live state");
            let before = s.progress.instructions;
            let solving = self.machine.solver.meter.mark();
            let pages = self.machine.tlb.pages_made();
            self.machine.overheard.listening = !self.retries.is_empty();
            let mut slice = self.machine.slice(SLICE);
            let mut turn = std::mem::take(&mut self.turn);
            let outcome = loop {
                match self.machine.run_guarded(&mut s, &mut slice, &mut turn) {
                    Stop::Look if stop.is_set() => break Stop::Fuel,
                    Stop::Look => self.tick(sink),
                    outcome => break outcome,
                }
            };
            let ran = s.progress.instructions - before;
            self.counters.instructions += ran;
            self.features.ran(s.pc, ran);
            let solved = self.machine.solver.meter.seconds_since(solving);
            let grown = self.machine.tlb.pages_made() - pages;
            let is_large = grown > SLICE_PAGES / 2 || room::is_short();
            if ran >= SLICE / 2 || solved > LONG_QUERY_S || is_large {
                since_look = LOOK_EVERY;
            }
            self.after(id, s, outcome, &mut turn, sink);
            self.turn = turn;
            self.rescue();
        };
        if let Some(halt) = halted {
            self.wind_up(sink, halt);
        } else {
            for (s, why) in self.machine.unmet_assumptions() {
                self.finish(&s, &why, sink);
            }
        }
        self.counters.live = 0;
        self.counters.look_at_memory();
        sink.tick(&self.machine, &self.counters);
        halted
    }

    /// Are the forks used up, and what the live states may do after that, too?
    fn tail_is_over(&mut self) -> bool {
        let (most, forks) = (self.machine.options.max_forks, self.machine.stats.forks);
        if most == 0 || forks < most {
            return false;
        }
        let now = (
            self.counters.instructions,
            self.machine.solver.stats().effort,
        );
        let live = self.searcher.len() as u64;
        let (instructions, effort) = *self.tail.get_or_insert((
            now.0.saturating_add(live.saturating_mul(TAIL_INSTRUCTIONS)),
            now.1.saturating_add(live.saturating_mul(TAIL_EFFORT)),
        ));
        live > 0 && (now.0 > instructions || now.1 > effort)
    }

    /// Lets the user hear of the run, about ten times a second.
    fn tick(&mut self, sink: &mut dyn Sink) {
        if self.ticker.is_due() {
            self.counters.live = self.searcher.len() + self.spilled.len();
            sink.tick(&self.machine, &self.counters);
        }
    }

    fn select(&mut self) -> Option<StateId> {
        let Engine {
            searcher,
            states,
            features,
            ..
        } = self;
        searcher.select(&mut |id| match &states[id.0 as usize] {
            Some(s) => features.of(s),
            None => Metrics::default(),
        })
    }

    /// Books what a turn brought; emptied, not dropped: a turn for each fork would allocate anew.
    fn after(
        &mut self,
        id: StateId,
        s: Box<State>,
        outcome: Stop,
        turn: &mut Turn,
        sink: &mut dyn Sink,
    ) {
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
        self.counters.park(Why::Float, floats);
        for p in turn.parked.drain(..) {
            self.counters.park(p.why, 1);
            if self.retries.len() < MAX_PARKED {
                self.retries.push(p);
            }
        }
        match outcome {
            Stop::Fuel | Stop::Look | Stop::Forked => {
                let m = self.features.of(&s);
                self.states[id.0 as usize] = Some(s);
                self.searcher.update(id, &m);
            }
            Stop::Ended(why) => {
                self.finish(&s, &why, sink);
                self.searcher.remove(id);
                self.free.push(id.0);
            }
        }
    }

    fn add(&mut self, s: Box<State>, parent: Option<StateId>) {
        let m = self.features.of(&s);
        let id = match self.free.pop() {
            Some(i) => {
                self.states[i as usize] = Some(s);
                i
            }
            None => {
                self.states.push(Some(s));
                self.states.len() as u32 - 1
            }
        };
        self.searcher.add(StateId(id), parent, &m);
        self.counters.live_max = self.counters.live_max.max(self.searcher.len());
    }

    fn finish(&mut self, s: &State, why: &Termination, sink: &mut dyn Sink) {
        let error = match self.machine.options.check_prefixes {
            true => self.check_prefix(s, why, sink),
            false => None,
        };
        let why = error.as_ref().unwrap_or(why);
        self.counters.finish(&mut self.machine, s, why, sink);
    }

    /// Gives parked sides another chance with a larger budget, when nothing else is left to run.
    /// Returns whether it is worth going on.
    fn retry_parked(&mut self) -> bool {
        let mut go_on = false;
        for mut p in std::mem::take(&mut self.retries) {
            if self.machine.stop().is_set() {
                self.retries.push(p);
                go_on = true;
                continue;
            }
            let mut budget = self.machine.options.budget;
            let next = Budget::next_effort(p.effort);
            let is_last = next.is_none();
            if let Some(effort) = next {
                p.effort = effort;
                budget.effort = effort;
            } else {
                budget.seconds *= RETRY_FACTOR;
                budget.conflicts = budget.conflicts.saturating_mul(RETRY_FACTOR as u64);
            }
            let m = &mut self.machine;
            let outcome = m
                .solver
                .solve(&mut m.pool, &p.state.path, &budget, &mut NoTrials);
            match outcome {
                Outcome::Sat(model) => {
                    self.unpark(p.why, 1);
                    p.state.witness = model;
                    self.add(p.state, None);
                    go_on = true;
                }
                Outcome::Unsat(_) => self.unpark(p.why, 1),
                Outcome::Unknown(_) if is_last => {}
                Outcome::Unknown(_) => {
                    self.retries.push(p);
                    go_on = true;
                }
            }
        }
        go_on
    }

    /// Lets the paths on which sides were parked because of floats go on from their first float, with simulation.
    /// Returns whether there are any.
    fn simulate_floats(&mut self) -> bool {
        let starts = self.machine.float_starts.take();
        let any = !starts.is_empty();
        for (state, parked) in starts {
            self.unpark(Why::Float, parked);
            self.machine.stats.float_restarts += 1;
            self.add(state, None);
        }
        any
    }

    /// Lets parked sides go on of which the solver has tried a model meanwhile.
    fn rescue(&mut self) {
        for p in self.machine.rescue(&mut self.retries) {
            self.unpark(p.why, 1);
            self.counters.rescued += 1;
            self.add(p.state, None);
        }
    }

    fn unpark(&mut self, why: Why, sides: u64) {
        self.counters.parked -= sides;
        if let Some(n) = self.counters.parked_by.get_mut(why.name()) {
            *n -= sides;
        }
    }

    /// When memory runs out: lets go of what can be made again, then spills the least promising states.
    fn watch_memory(&mut self, sink: &mut dyn Sink) {
        let now = self.counters.look_at_memory();
        if !self.pressure.is_over(now) {
            return;
        }
        for p in std::mem::take(&mut self.retries) {
            self.spilled.park(p);
        }
        self.machine.float_starts.clear();
        let mut after = self.reclaim(false);
        if self.pressure.is_over(after) {
            self.evict(sink);
            after = self.reclaim(true);
        }
        self.pressure.settle(after);
        if self.searcher.len() <= 1 {
            // Nothing to choose from: it goes on until its memory is refused.
            self.pressure.let_grow(after);
        }
    }

    /// Spills a quarter of the states: they are rebuilt when nothing else is left. The last one goes only when it alone
    /// fills the memory, and then for good.
    fn evict(&mut self, sink: &mut dyn Sink) {
        let live = self.searcher.len();
        for id in self.searcher.worst((live / 4).max(1)) {
            if self.searcher.len() <= 1 && !room::is_full() {
                break;
            }
            let Some(s) = self.states[id.0 as usize].take() else {
                continue;
            };
            let is_last = self.searcher.len() <= 1;
            if !is_last && self.spilled.push(&s) {
                self.counters.spilled += 1;
                if s.progress.covered_new {
                    // The run may end before anybody comes back to it.
                    let (why, is_new) = (Termination::Cut(Ending::Memory), false);
                    let end = Ended { why: &why, is_new };
                    tell(&mut self.machine, &s, &end, sink);
                }
            } else {
                self.finish(&s, &Termination::Cut(Ending::Memory), sink);
            }
            self.searcher.remove(id);
            self.free.push(id.0);
        }
    }

    /// Gives back what nobody needs; returns the bytes that are still in use.
    fn reclaim(&mut self, evicted: bool) -> u64 {
        self.machine.solver.shed();
        let terms = self.machine.pool.len();
        // Soon after a collection all terms are needed, unless states went since.
        let has_grown = terms >= COLLECT_MIN / 8 && terms > self.collect_at / 8 * 5;
        if has_grown || (evicted && terms >= COLLECT_MIN) {
            self.collect();
        }
        if let Some(release) = self.limits.release {
            release();
        }
        room::sample()
    }

    /// Ends what is still alive at a limit. Paths that saw something new get their test.
    fn wind_up(&mut self, sink: &mut dyn Sink, halt: Halt) {
        let why = Termination::Cut(halt.ending());
        let end = Instant::now() + self.limits.grace;
        for slot in 0..self.states.len() {
            if let Some(s) = self.states[slot].take() {
                if Instant::now() < end || halt == Halt::Forks {
                    self.finish(&s, &why, sink);
                } else {
                    self.counters.book(&mut self.machine, &s, &why);
                    self.counters.unsaved += u64::from(s.progress.covered_new);
                }
                // It dies with the process: taking many apart costs more than the run may still take.
                std::mem::forget(s);
            }
        }
        while self.spilled.pop().is_some() {
            self.counters.endings.add(halt.ending(), 1);
            self.counters.partial += 1;
        }
    }

    /// Compacts the term pool: everything that no state, query cache or parked side holds goes.
    fn collect(&mut self) {
        let Engine {
            machine,
            states,
            retries,
            first,
            spilled,
            ..
        } = self;
        let held = states.iter_mut().flatten().map(|b| &mut **b);
        let held = held.chain(retries.iter_mut().map(|p| &mut *p.state));
        machine.collect(held.chain(first), &mut |_, visit| spilled.trace(visit));
        self.counters.collections += 1;
        self.collect_at = (2 * machine.pool.len()).max(COLLECT_MIN);
    }

    /// Rebuilds some of the states that were spilled, when nothing else is left to run. Returns whether there are any.
    fn take_up(&mut self, sink: &mut dyn Sink) -> bool {
        let mut any = false;
        for _ in 0..TAKEN_UP {
            let Some(prefix) = self.spilled.pop() else {
                break;
            };
            any = true;
            match self.rebuild(&prefix, sink) {
                Followed::Here(s) => {
                    self.counters.taken_up += 1;
                    self.add(s, None);
                }
                Followed::Stopped => {
                    self.spilled.put_back(prefix);
                    return true;
                }
                Followed::Lost(why) => self.lose_spilled(&why),
            }
        }
        while !any && self.retries.len() < TAKEN_UP {
            let Some((prefix, why, effort)) = self.spilled.pop_parked() else {
                break;
            };
            match self.rebuild(&prefix, sink) {
                Followed::Here(state) => self.retries.push(Parked { state, why, effort }),
                // They stay counted as parked.
                Followed::Stopped => return true,
                Followed::Lost(_) => {}
            }
        }
        any || !self.retries.is_empty()
    }

    fn rebuild(&mut self, prefix: &Prefix, sink: &mut dyn Sink) -> Followed {
        let Engine {
            machine,
            counters,
            first,
            ticker,
            ..
        } = self;
        let start = &first[prefix.start as usize];
        machine.follow(start, prefix, &mut |m| {
            if ticker.is_due() {
                sink.tick(m, counters);
            }
        })
    }

    /// Does a path that ended come to its end again when it is followed? If not, what is wrong.
    fn check_prefix(
        &mut self,
        s: &State,
        why: &Termination,
        sink: &mut dyn Sink,
    ) -> Option<Termination> {
        if !why.ending().is_complete() {
            return None;
        }
        match self.rebuild(&Prefix::before_end(s), sink) {
            Followed::Here(_) => {
                self.counters.followed += 1;
                None
            }
            Followed::Stopped => None,
            Followed::Lost(how) => {
                let what = format!("following the prefix of a path: {how}");
                Some(Termination::Internal(what))
            }
        }
    }

    fn lose_spilled(&mut self, why: &str) {
        let message = format!("a path that was put aside for memory is lost: {why}");
        self.machine.warn_once(message);
        self.counters.endings.add(Ending::Memory, 1);
        self.counters.partial += 1;
    }
}
