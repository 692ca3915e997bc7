//! A worker of a run: the machine, and everything that running it needs except the choice of what runs next.
//!
//! There are two schedules: [`Engine`](crate::Engine), which forks states, and [`Concolic`](crate::Concolic), which
//! runs one input after the other. Each owns a worker, gives it a state to run for a slice, and takes apart the
//! results (a [`Turn`]). The worker counts, reports progress to the user, checks clock, stop flag and memory, compacts
//! the terms, and counts and reports the ends of paths. It knows no searcher and no tree: several workers could serve
//! one schedule.

use crate::collect::{COLLECT_MIN, More};
use crate::endings::Ending;
use crate::errors::{ProgramError, Termination};
use crate::event::LiveEnd;
use crate::follow::Followed;
use crate::live_tests::LiveTests;
use crate::machine::Machine;
use crate::policy::Decider;
use crate::prefix::Prefix;
use crate::run::{SLICE, SLICE_PAGES, SliceEnd};
use crate::state::State;
use crate::trail::{Choice, ChoiceKind};
use crate::turn::Turn;
use crate::watch::Pressure;
use explore::{
    AssumptionNews, Budget, Counters, Loss, Place, Places, Sink, SoFar, Tally, Ticker, Totals,
};
use ir::SiteId;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Work of an instruction, of a question to the solver and of a fork, about; the latter with the state that it makes, the end of
/// its path and its test. They are fitted to `tr`, where they are nine tenths of
/// the whole (docs/experiments/coreutils.md); forks of small functions take a quarter of that.
const INSTRUCTION_WORK: u64 = 8;
const QUERY_WORK: u64 = 3_000;
const FORK_WORK: u64 = 30_000;
/// Slices between two looks at memory and the term pool.
const LOOK_EVERY: u32 = 16;
/// Work of a slice after which they are looked at in any case: some milliseconds. (Not time: when terms are collected decides
/// how later ones are numbered, and a run is to repeat.)
const LONG_WORK: u64 = 4_000_000;
/// How often resident memory is read.
const MEMORY_EVERY: Duration = Duration::from_millis(20);

/// Limits of a run; 0 is "no limit".
#[derive(Clone, Copy, Debug, Default)]
pub struct RunLimits {
    /// How long the run may go on writing when it is stopped.
    pub grace: Duration,
    /// Bytes of resident memory.
    pub memory: u64,
    /// The budget after which the engine leaves the rest to other workers, see [`Budget`].
    pub budget: Option<Budget>,
    /// What live states may take for their tests.
    pub live: LiveTests,
    /// When memory is short, states that are drawn from this seed are lost for good, rather than spilled and rebuilt later.
    pub drop_seed: Option<u64>,
}

/// See the module.
pub struct Worker {
    /// The machine.
    pub machine: Machine,
    /// The counts so far.
    pub counters: Counters,
    /// Work of the last slice, see [`Machine::work`].
    pub(crate) spent: u64,
    pub(crate) limits: RunLimits,
    /// Decides when memory has to be freed.
    pub(crate) pressure: Pressure,
    ticker: Ticker,
    /// Terms at which the pool is collected.
    collect_at: usize,
    slices_since_look: u32,
    last_memory_look: Instant,
    /// Sites that were told of, and those that others have covered.
    told: Vec<bool>,
    elsewhere: Vec<bool>,
    /// Sees the first path that ends, at its end.
    pub at_first_end: Option<FirstEnd>,
    /// The part of the tree of paths that is below each of the first states; 0 where states do not fork, and the tree is unknown.
    pub(crate) start_weight: f64,
    /// Errors that were shown for the first time, at the ends of paths.
    pub(crate) errors_shown: u64,
}

/// Sees a state at the end of its path.
pub type FirstEnd = Box<dyn FnOnce(&State)>;

/// The numbers of a machine and a schedule as they are now.
pub fn totals(m: &Machine, n: &Counters) -> Totals {
    let mut losses = Tally::default();
    for &loss in Loss::ALL {
        losses.add(loss, m.lost(loss, n));
    }
    let stats = m.reason.solver.stats();
    let rows = stats.rows().into_iter();
    Totals {
        counters: n.clone(),
        machine: m.stats.clone(),
        losses,
        queries: stats.queries,
        solver_time_s: m.reason.solver.solver_time_s(),
        solver: rows.map(|row| (row.name.into(), row.value)).collect(),
        terms: m.reason.pool.len() as u64,
        ..Totals::default()
    }
}

/// A worker while its machine is at work.
struct AtWork<'a> {
    machine: &'a Machine,
    counters: &'a Counters,
    told: &'a mut [bool],
}

impl SoFar for AtWork<'_> {
    fn totals(&mut self) -> Totals {
        totals(self.machine, self.counters)
    }

    fn news(&mut self) -> Places {
        let sites = self
            .machine
            .observers
            .coverage
            .sites
            .iter()
            .zip(&mut *self.told);
        let new = (0..).zip(sites).filter(|(_, (hit, told))| **hit && !**told);
        let new = new.map(|(site, (_, told))| {
            *told = true;
            site
        });
        Places::of(new.collect())
    }
}

impl SoFar for Worker {
    fn totals(&mut self) -> Totals {
        self.at_work().totals()
    }

    fn news(&mut self) -> Places {
        self.at_work().news()
    }
}

impl Worker {
    /// A worker that has done nothing yet.
    pub(crate) fn new(machine: Machine, limits: RunLimits) -> Worker {
        let sites = machine.module.sites.len();
        Worker {
            machine,
            counters: Counters::default(),
            spent: 0,
            limits,
            pressure: Pressure::new(limits.memory),
            ticker: Ticker::default(),
            collect_at: COLLECT_MIN,
            slices_since_look: 0,
            last_memory_look: Instant::now(),
            told: vec![false; sites],
            elsewhere: vec![false; sites],
            at_first_end: None,
            start_weight: 0.0,
            errors_shown: 0,
        }
    }

    /// It may take so many bytes of memory from now on.
    pub(crate) fn resize(&mut self, memory: u64) {
        self.limits.memory = memory;
        self.pressure = Pressure::new(memory);
    }

    /// Runs a state for a slice, or up to where it forks or ends. Other events are added to `turn`. Progress is
    /// reported meanwhile.
    pub(crate) fn run(&mut self, s: &mut State, turn: &mut Turn, sink: &mut dyn Sink) -> SliceEnd {
        let stop = self.machine.stop();
        self.machine.works_on(s.lease.key());
        let before = s.progress.instructions;
        let pages = self.machine.tlb.pages_made();
        let work = self.work();
        let mut slice = self.machine.slice(SLICE);
        let outcome = loop {
            let outcome = self.machine.run_guarded(s, &mut slice, turn);
            for (state, error) in turn.found.drain(..) {
                self.tell_error(&state, error, sink);
            }
            match outcome {
                SliceEnd::Look if stop.is_set() => break SliceEnd::Fuel,
                SliceEnd::Look => self.tick(sink),
                outcome => break outcome,
            }
        };
        let ran = s.progress.instructions - before;
        self.counters.instructions += ran;
        self.spent = self.work().saturating_sub(work);
        let grown = self.machine.tlb.pages_made() - pages;
        let is_large = grown > SLICE_PAGES / 2 || room::is_short();
        if ran >= SLICE / 2 || self.spent > LONG_WORK || is_large {
            self.slices_since_look = LOOK_EVERY;
        }
        outcome
    }

    /// Rebuilds a state from its prefix and the state in which its path began, see [`Machine::follow`]. Progress is
    /// reported meanwhile.
    pub(crate) fn follow(
        &mut self,
        start: &State,
        prefix: &Prefix,
        sink: &mut dyn Sink,
    ) -> Followed {
        let Worker {
            machine,
            counters,
            ticker,
            told,
            ..
        } = self;
        machine.works_on(prefix.lease.key());
        counters.followed_instructions += prefix.progress.instructions;
        machine.follow(start, prefix, &mut |m| {
            if ticker.is_due() {
                sink.tick(&mut AtWork {
                    machine: m,
                    counters,
                    told,
                });
            }
        })
    }

    /// Runs a state to the end of the program on its witness, and forks nothing: a copy of one that is still to be explored. After
    /// each slice `may_go_on` is asked. Returns how it ended, and the sites that nobody had covered. What is counted on the
    /// way is counted when the exploration comes there; only the work is, as that of following a path.
    pub(crate) fn run_ahead(
        &mut self,
        s: &mut State,
        sink: &mut dyn Sink,
        may_go_on: &mut dyn FnMut(&Worker) -> bool,
    ) -> (Termination, Vec<SiteId>) {
        s.trail.push(Choice {
            pc: s.hot.pc,
            kind: ChoiceKind::Ahead,
            choice: 0,
            at: s.progress.instructions,
        });
        let stats = self.machine.stats.clone();
        let decider = std::mem::replace(&mut self.machine.decider, Decider::Ahead);
        let mut turn = Turn::default();
        let why = loop {
            let before = self.counters.instructions;
            let end = self.run(s, &mut turn, sink);
            let ran = self.counters.instructions - before;
            self.counters.instructions = before;
            self.counters.followed_instructions += ran;
            if let SliceEnd::Ended(why) = end {
                break why;
            }
            if let Some(cause) = self.machine.stop().cause() {
                break Termination::stopped(cause);
            }
            if self.memory_is_full() {
                break Termination::Cut(Ending::Memory);
            }
            if !may_go_on(self) {
                break Termination::Cut(Ending::Instructions);
            }
        };
        self.machine.decider = decider;
        let now = std::mem::replace(&mut self.machine.stats, stats);
        // Each is given once.
        self.machine.stats.warnings = now.warnings;
        (why, turn.sites)
    }

    /// Tells of a path that was run ahead of the exploration, if it has shown something new or each is `wanted`. Returns
    /// whether it did.
    pub(crate) fn tell_ahead(
        &mut self,
        s: &State,
        why: &Termination,
        wanted: bool,
        sink: &mut dyn Sink,
    ) -> bool {
        let machine = &mut self.machine;
        let judged = machine.links.environment.clone().judged(machine, s, why);
        let why = judged.unwrap_or_else(|| why.clone());
        let is_new = match &why {
            Termination::Error(e) => machine.first_report(s, e, true),
            _ => false,
        };
        let is_told = wanted || is_new || s.progress.covered_new;
        if is_told {
            let end = LiveEnd {
                is_ahead: true,
                ..LiveEnd::new(&why, is_new)
            };
            self.tell(s, &end, sink);
        }
        is_told
    }

    /// Work so far, in steps of about two nanoseconds: that of the reasoner ([`term::work`]), the instructions, the questions and the forks. It
    /// is the same in each run.
    pub fn work(&self) -> u64 {
        let ran = self.counters.instructions + self.counters.followed_instructions;
        let queries = self.machine.reason.solver.stats().queries;
        let overhead = queries * QUERY_WORK + self.machine.stats.forks * FORK_WORK;
        self.machine.work() + ran * INSTRUCTION_WORK + overhead
    }

    /// Does it leave sides that the solver has not decided for later?
    pub(crate) fn leaves_parked(&self) -> bool {
        self.limits
            .budget
            .as_ref()
            .is_some_and(|most| !most.retries)
    }

    /// Is its budget used up?
    pub(crate) fn is_spent(&self) -> bool {
        let forks = self.machine.stats.forks;
        let budget = self.limits.budget.as_ref();
        budget.is_some_and(|most| self.work() >= most.work || forks >= most.forks)
    }

    /// Is it time to look at memory and the term pool? Asked before each slice; true before every few, and after a long
    /// one.
    pub(crate) fn has_to_look(&mut self) -> bool {
        self.slices_since_look += 1;
        let is_time = self.slices_since_look >= LOOK_EVERY;
        if is_time {
            self.slices_since_look = 0;
        }
        is_time
    }

    /// Bytes in use, if it is time to ask: the system is asked a few times a second, and whenever memory is short.
    fn memory_look(&mut self) -> Option<u64> {
        let now = Instant::now();
        if now - self.last_memory_look < MEMORY_EVERY && !room::is_short() {
            return None;
        }
        self.last_memory_look = now;
        Some(self.counters.look_at_memory())
    }

    /// Is so much memory in use that some of it has to be let go of?
    pub(crate) fn memory_is_short(&mut self) -> bool {
        let bytes = self.memory_look();
        bytes.is_some_and(|bytes| self.pressure.is_over(bytes))
    }

    /// Is the memory full? For a schedule that has nothing else to let go of: the path that runs has to end then.
    pub(crate) fn memory_is_full(&mut self) -> bool {
        let Some(bytes) = self.memory_look().filter(|_| self.pressure.is_limited()) else {
            return false;
        };
        // Above the alarm each step ends its slice: only growth beyond this counts.
        self.pressure.alarm_beyond(bytes);
        room::is_full()
    }

    /// Reports progress to the user, about ten times a second.
    pub(crate) fn tick(&mut self, sink: &mut dyn Sink) {
        if self.ticker.is_due() {
            self.counters.look_at_memory();
            sink.tick(self);
        }
    }

    fn at_work(&mut self) -> AtWork<'_> {
        AtWork {
            machine: &self.machine,
            counters: &self.counters,
            told: &mut self.told,
        }
    }

    /// Reports that no state runs any more.
    pub(crate) fn rest(&mut self, sink: &mut dyn Sink) {
        self.counters.live = 0;
        self.counters.look_at_memory();
        sink.tick(self);
    }

    /// Asks of sites that it has not covered whether others have. Gives those that are new.
    pub(crate) fn covered_by_others(
        &mut self,
        is_covered: &mut dyn FnMut(Place) -> bool,
    ) -> Vec<SiteId> {
        let sites = self
            .elsewhere
            .iter_mut()
            .zip(&self.machine.observers.coverage.sites);
        let mut new = Vec::new();
        for (site, (known, &hit)) in (0..).zip(sites) {
            if !*known && is_covered(site.into()) {
                *known = true;
                new.extend((!hit).then_some(site));
            }
        }
        new
    }

    /// The assumptions so far. Those that failed are reported once.
    pub(crate) fn assumptions(&mut self, sink: &mut dyn Sink) -> AssumptionNews {
        let m = &mut self.machine;
        let held = m.held_assumptions().collect();
        let mut unmet = Vec::new();
        m.tell_unmet(&mut |m, s, why| {
            let (why, is_new) = (&why, true);
            let end = LiveEnd::new(why, is_new);
            let wants_input = sink.wants_input(end.of(s));
            unmet.push((s.hot.pc, m.path_end(s, &end, wants_input)));
        });
        AssumptionNews { held, unmet }
    }

    /// Has the term pool grown so much that it should be collected?
    pub(crate) fn wants_collection(&self) -> bool {
        self.machine.reason.pool.len() >= self.collect_at
    }

    /// Would a collection free much? Soon after another one all terms are needed, unless states `went` since.
    pub(crate) fn collection_pays(&self, went: bool) -> bool {
        let terms = self.machine.reason.pool.len();
        let has_grown = terms >= COLLECT_MIN / 8 && terms > self.collect_at / 8 * 5;
        has_grown || (went && terms >= COLLECT_MIN)
    }

    /// Compacts the term pool: everything goes that neither the machine holds nor the schedule, which shows its
    /// `states` and what `more` there is.
    pub(crate) fn collect<'a>(
        &mut self,
        states: impl Iterator<Item = &'a mut State>,
        more: &mut More<'_>,
    ) {
        self.machine.collect(states, more);
        self.counters.collections += 1;
        self.collect_at = (2 * self.machine.reason.pool.len()).max(COLLECT_MIN);
    }

    /// Books the end of a path: how it really ended, and whether that is an error that no earlier path has shown.
    pub(crate) fn book(&mut self, s: &State, why: &Termination) -> (Termination, bool) {
        let Worker {
            machine,
            counters,
            start_weight,
            errors_shown,
            ..
        } = self;
        let judged = machine.links.environment.clone().judged(machine, s, why);
        let mut why = judged.unwrap_or_else(|| why.clone());
        if let Termination::Exit(status) = why
            && machine.comes_again(s, status)
        {
            why = Termination::Cut(Ending::Again);
        }
        let ending = why.ending();
        counters.endings.add(ending, 1);
        // One that came again was counted when it was explored first.
        if ending != Ending::Again {
            // What ends only because the run does is still to be explored.
            let ends_with_run =
                matches!(ending, Ending::Time | Ending::Interrupted | Ending::NoForks);
            if !ends_with_run {
                counters.explored += *start_weight * (-f64::from(s.progress.depth)).exp2();
            }
            if ending.is_complete() {
                counters.completed += 1;
            } else {
                counters.partial += 1;
            }
        }
        let mut is_new = false;
        match &why {
            Termination::Exit(status) => {
                counters.exit_status =
                    (counters.completed == 1).then(|| machine.status_under(*status, &s.witness));
            }
            Termination::Error(e) => {
                counters.exit_status = None;
                *counters.errors.entry(e.kind).or_default() += 1;
                is_new = machine.first_report(s, e, false);
                *errors_shown += u64::from(is_new);
            }
            Termination::Cut(_) => {}
            Termination::Internal(what) => {
                machine.warn_once(format!("internal error, path dropped: {what}"));
            }
        }
        (why, is_new)
    }

    /// Books the end of a path and tells it.
    pub(crate) fn finish(&mut self, s: &State, why: &Termination, sink: &mut dyn Sink) {
        let (why, is_new) = self.book(s, why);
        let end = LiveEnd::new(&why, is_new);
        if why.ending() != Ending::Internal {
            return self.tell(s, &end, sink);
        }
        // The state may be what the engine stumbled over: telling of it must not end the run.
        let told = catch_unwind(AssertUnwindSafe(|| self.tell(s, &end, sink)));
        if told.is_err() {
            let message = "the input of an internal error could not be written";
            self.machine.warn_once(message.into());
        }
    }

    /// Reports an error after which the path continues; `s` is its state there.
    pub(crate) fn tell_error(&mut self, s: &State, error: ProgramError, sink: &mut dyn Sink) {
        let why = Termination::Error(error);
        self.tell(s, &LiveEnd::new(&why, true), sink);
    }

    /// Tells of the end of a path.
    pub(crate) fn tell(&mut self, s: &State, end: &LiveEnd<'_>, sink: &mut dyn Sink) {
        if !end.is_ahead
            && let Some(see) = self.at_first_end.take()
        {
            see(s);
        }
        let wants_input = sink.wants_input(end.of(s));
        let doubt = sink.ended(self.machine.path_end(s, end, wants_input));
        if let (Termination::Error(e), true) = (end.why, end.is_new) {
            self.machine.told_in_doubt(s, e, doubt);
        }
    }
}
