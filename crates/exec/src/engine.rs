//! The run: many states, one searcher, limits, and the moments at which the user hears of it.

use crate::clock::Clock;
use crate::errors::Termination;
use crate::machine::{Machine, Parked};
use crate::run::{SLICE_PAGES, Stop};
use crate::state::State;
use search::{Distances, Metrics, Searcher, StateId};
use solver::{NoTrials, Outcome, Why};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use term::Trace;

/// Instructions that a state runs before the engine looks at clock and memory again.
pub(crate) const SLICE: u64 = 200_000;
/// Scheduling decisions between two looks at the clock.
const CLOCK_EVERY: u32 = 16;
/// Seconds of solving after which the clock is looked at in any case.
const LONG_QUERY_S: f64 = 0.005;
/// How often resident memory is read.
const MEMORY_EVERY: Duration = Duration::from_millis(20);
/// The pool is collected when it has doubled, but not below this many nodes.
pub(crate) const COLLECT_MIN: usize = 1 << 20;
/// Parked states kept for a retry; older ones are only counted.
const MAX_PARKED: usize = 1000;
/// Time for a parked query at its retry, as a multiple of the usual budget.
const RETRY_FACTOR: f64 = 4.0;

/// How the effort for a parked query grows from one retry to the next, and up to where; the last retry
/// has no such limit.
const EFFORT_FACTOR: u64 = 16;
const LAST_EFFORT: u64 = 1 << 36;

/// Limits of a run; 0 is "no limit".
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    pub time: Option<Duration>,
    /// Processor time of the whole process.
    pub cpu_time: Option<Duration>,
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
    pub endings: BTreeMap<&'static str, u64>,
    pub parked_by: BTreeMap<&'static str, u64>,
    /// Exit status of the only path, if exactly one completed.
    pub exit_status: Option<i32>,
    pub memory_killed: u64,
    pub internal_errors: u64,
}

impl Counters {
    /// Books the end of a path.
    pub(crate) fn book(&mut self, machine: &mut Machine, why: &Termination) {
        if why.is_complete() {
            self.completed += 1;
        } else {
            self.partial += 1;
        }
        let name = match why {
            Termination::Exit(status) => {
                self.exit_status = (self.completed == 1).then_some(*status);
                "exit"
            }
            Termination::Error(e) => {
                self.exit_status = None;
                e.kind.name()
            }
            Termination::Silent => "silent",
            Termination::Limit(what) => what,
            Termination::Internal(what) => {
                self.internal_errors += 1;
                machine.warn_once(format!("internal error, path dropped: {what}"));
                "internal"
            }
        };
        *self.endings.entry(name).or_default() += 1;
    }
}

/// What hears of the run's events.
pub trait Sink {
    /// A path ended. The state is whole: stack, witness, world.
    fn ended(&mut self, m: &mut Machine, s: &State, why: &Termination, n: &Counters);
    /// Called about ten times a second.
    fn tick(&mut self, m: &Machine, n: &Counters);
}

/// The run.
pub struct Engine {
    pub machine: Machine,
    pub counters: Counters,
    searcher: Box<dyn Searcher>,
    distances: Option<Distances>,
    states: Vec<Option<Box<State>>>,
    free: Vec<u32>,
    limits: Limits,
    clock: Clock,
    collect_at: usize,
    retries: Vec<Parked>,
    kill_above: u64,
    /// Seconds that one query may take; less near the end of the run.
    query_seconds: f64,
    last_memory_look: Instant,
    needs_pc_counts: bool,
    pc_counts: BTreeMap<ir::Pc, u64>,
}

impl Engine {
    pub fn new(
        machine: Machine,
        searcher: Box<dyn Searcher>,
        first: Vec<Box<State>>,
        limits: Limits,
    ) -> Engine {
        let needs = searcher.needs();
        let distances = needs.distance.then(|| Distances::new(&machine.module));
        let query_seconds = machine.options.budget.seconds;
        let mut engine = Engine {
            machine,
            query_seconds,
            counters: Counters::default(),
            searcher,
            distances,
            states: Vec::new(),
            free: Vec::new(),
            limits,
            clock: Clock::start(limits.time, limits.cpu_time),
            collect_at: COLLECT_MIN,
            retries: Vec::new(),
            kill_above: first_threshold(limits.memory),
            last_memory_look: Instant::now(),
            needs_pc_counts: needs.pc_count || needs.call_path,
            pc_counts: BTreeMap::new(),
        };
        for s in first {
            engine.add(s, None);
        }
        engine
    }

    /// Explores until everything is explored, a limit is reached, or `stop` is set. Returns why it
    /// stopped early, `None` when the exploration is complete.
    pub fn run(&mut self, sink: &mut dyn Sink, stop: &AtomicBool) -> Option<String> {
        let mut last: Option<StateId> = None;
        let mut since_clock = 0;
        let mut next_tick = Instant::now();
        let halted = loop {
            since_clock += 1;
            if since_clock >= CLOCK_EVERY {
                since_clock = 0;
                let now = Instant::now();
                if stop.load(Ordering::Relaxed) {
                    break Some("interrupted".to_string());
                }
                if let Some((left, limit)) = self.clock.left() {
                    if left.is_zero() {
                        break Some(limit.to_string());
                    }
                    let budget = &mut self.machine.options.budget;
                    budget.seconds = self.query_seconds;
                    self.clock.bound(budget);
                }
                if now - self.last_memory_look >= MEMORY_EVERY {
                    self.last_memory_look = now;
                    self.watch_memory(sink, &mut last);
                }
                if now >= next_tick {
                    next_tick = now + Duration::from_millis(100);
                    self.counters.live = self.searcher.len();
                    sink.tick(&self.machine, &self.counters);
                }
                if self.machine.pool.len() >= self.collect_at {
                    self.collect();
                }
            }
            let Some(id) = self.select() else {
                if self.retry_parked(stop) {
                    continue;
                }
                break None;
            };
            let mut s = self.states[id.0 as usize]
                .take()
                .expect("the searcher names a live state");
            if last != Some(id) {
                self.machine.tlb.flush();
                last = Some(id);
            }
            let before = s.progress.instructions;
            let solving = self.machine.solver.solver_time_s();
            let pages = self.machine.tlb.pages_made();
            self.machine.overheard.listening = !self.retries.is_empty();
            let outcome = self.machine.run_guarded(&mut s, SLICE);
            let ran = s.progress.instructions - before;
            self.counters.instructions += ran;
            if self.needs_pc_counts {
                *self.pc_counts.entry(s.pc).or_default() += ran;
            }
            let solved = self.machine.solver.solver_time_s() - solving;
            let grown = self.machine.tlb.pages_made() - pages;
            if ran >= SLICE / 2 || solved > LONG_QUERY_S || grown > SLICE_PAGES / 2 {
                since_clock = CLOCK_EVERY;
            }
            self.after(id, s, outcome, sink, &mut last);
            self.rescue();
        };
        if halted.is_some() {
            self.wind_up(sink, halted.as_deref().unwrap_or_default());
        }
        self.counters.live = self.searcher.len();
        self.counters.memory_bytes = resident_bytes();
        sink.tick(&self.machine, &self.counters);
        halted
    }

    fn select(&mut self) -> Option<StateId> {
        let Engine {
            searcher,
            states,
            distances,
            pc_counts,
            ..
        } = self;
        searcher.select(&mut |id| match &states[id.0 as usize] {
            Some(s) => metrics(s, distances.as_mut(), pc_counts),
            None => Metrics::default(),
        })
    }

    /// Books what a slice brought.
    fn after(
        &mut self,
        id: StateId,
        s: Box<State>,
        outcome: Stop,
        sink: &mut dyn Sink,
        last: &mut Option<StateId>,
    ) {
        let new_sites = std::mem::take(&mut self.machine.new_sites);
        if let Some(d) = &mut self.distances {
            for site in new_sites {
                d.mark_covered(site);
            }
        }
        for child in std::mem::take(&mut self.machine.spawned) {
            self.add(child, Some(id));
        }
        for (dead, why) in std::mem::take(&mut self.machine.ended) {
            self.finish(&dead, &why, sink);
        }
        let floats = std::mem::take(&mut self.machine.stats.float_parked);
        if floats > 0 {
            self.counters.parked += floats;
            *self
                .counters
                .parked_by
                .entry(Why::Float.name())
                .or_default() += floats;
        }
        if !self.machine.parked.is_empty() {
            for p in std::mem::take(&mut self.machine.parked) {
                self.counters.parked += 1;
                *self.counters.parked_by.entry(p.why.name()).or_default() += 1;
                if self.retries.len() < MAX_PARKED {
                    self.retries.push(p);
                }
            }
        }
        match outcome {
            Stop::Fuel | Stop::Forked => {
                let m = metrics(&s, self.distances.as_mut(), &self.pc_counts);
                self.states[id.0 as usize] = Some(s);
                self.searcher.update(id, &m);
            }
            Stop::Ended(why) => {
                self.finish(&s, &why, sink);
                self.searcher.remove(id);
                self.free.push(id.0);
                *last = None;
                drop(s);
                self.machine.tlb.flush();
            }
        }
    }

    fn add(&mut self, s: Box<State>, parent: Option<StateId>) {
        let m = metrics(&s, self.distances.as_mut(), &self.pc_counts);
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
        self.counters.book(&mut self.machine, why);
        sink.ended(&mut self.machine, s, why, &self.counters);
    }

    /// Gives parked sides another chance with a larger budget, when nothing else is left to run.
    /// Returns whether it is worth going on.
    fn retry_parked(&mut self, stop: &AtomicBool) -> bool {
        let mut go_on = false;
        for mut p in std::mem::take(&mut self.retries) {
            let mut budget = self.machine.options.budget;
            p.effort = p.effort.saturating_mul(EFFORT_FACTOR);
            let last = p.effort > LAST_EFFORT;
            if last {
                budget.seconds = self.query_seconds * RETRY_FACTOR;
                budget.conflicts = budget.conflicts.saturating_mul(RETRY_FACTOR as u64);
            } else {
                budget.effort = p.effort;
            }
            self.clock.bound(&mut budget);
            let m = &mut self.machine;
            let outcome = m
                .solver
                .solve(&mut m.pool, &p.state.path, &budget, &mut NoTrials);
            match outcome {
                Outcome::Sat(model) => {
                    self.unpark(p.why);
                    p.state.witness = model;
                    self.add(p.state, None);
                    go_on = true;
                }
                Outcome::Unsat(_) => self.unpark(p.why),
                Outcome::Unknown(_) if last => {}
                Outcome::Unknown(_) => {
                    self.retries.push(p);
                    go_on = true;
                }
            }
            let late = self.clock.left().is_some_and(|(left, _)| left.is_zero());
            if late || stop.load(Ordering::Relaxed) {
                return true;
            }
        }
        go_on
    }

    /// Lets parked sides go on of which the solver has tried a model meanwhile.
    fn rescue(&mut self) {
        for p in self.machine.rescue(&mut self.retries) {
            self.unpark(p.why);
            self.counters.rescued += 1;
            self.add(p.state, None);
        }
    }

    fn unpark(&mut self, why: Why) {
        self.counters.parked -= 1;
        if let Some(n) = self.counters.parked_by.get_mut(why.name()) {
            *n -= 1;
        }
    }

    /// Ends the least promising states, each with its test, when memory runs out.
    fn watch_memory(&mut self, sink: &mut dyn Sink, last: &mut Option<StateId>) {
        let now = resident_bytes();
        self.counters.memory_bytes = now;
        self.counters.memory_max = self.counters.memory_max.max(now);
        if self.limits.memory == 0 || now < self.kill_above {
            return;
        }
        self.retries.clear();
        let live = self.searcher.len();
        let victims = self.searcher.worst((live / 4).max(1));
        for id in victims {
            // The last state goes only when it alone fills the memory.
            if self.searcher.len() <= 1 && now < self.limits.memory {
                break;
            }
            let Some(s) = self.states[id.0 as usize].take() else {
                continue;
            };
            self.counters.memory_killed += 1;
            self.finish(&s, &Termination::Limit("memory"), sink);
            self.searcher.remove(id);
            self.free.push(id.0);
        }
        *last = None;
        self.machine.tlb.flush();
        self.machine.solver.shed();
        if self.machine.pool.len() >= COLLECT_MIN {
            self.collect();
        }
        if let Some(release) = self.limits.release {
            release();
        }
        // What did not come back is fragmentation and will be reused: only growth beyond it counts.
        let after = resident_bytes();
        let cap = self.limits.memory;
        self.kill_above = first_threshold(cap).max(after + after / 50).min(cap);
    }

    /// Ends what is still alive at a limit. Paths that saw something new get their test.
    fn wind_up(&mut self, sink: &mut dyn Sink, why: &str) {
        let name = if why == "interrupted" {
            "interrupted"
        } else {
            "time"
        };
        for slot in 0..self.states.len() {
            if let Some(s) = self.states[slot].take() {
                self.finish(&s, &Termination::Limit(name), sink);
                self.searcher.remove(StateId(slot as u32));
            }
        }
        self.machine.tlb.flush();
    }

    /// Compacts the term pool: everything that no state, query cache or parked side holds goes.
    fn collect(&mut self) {
        let Engine {
            machine,
            states,
            retries,
            ..
        } = self;
        let Machine {
            pool,
            solver,
            tlb,
            evaluator,
            ..
        } = machine;
        tlb.flush();
        let mut holders: Vec<&mut State> = states
            .iter_mut()
            .flatten()
            .map(|b| &mut **b)
            .chain(retries.iter_mut().map(|p| &mut *p.state))
            .collect();
        let moved = pool.collect(&mut |visit| {
            let mut paths = solver::TraceSet::new();
            let mut worlds = linux::Seen::default();
            for s in &mut holders {
                s.trace_registers(visit);
                s.path.trace_shared(&mut paths, visit);
                s.world.trace_shared(&mut worlds, visit);
            }
            memory::trace_all(holders.iter_mut().map(|s| &mut s.memory), visit);
            tlb.trace(visit);
            solver.trace(visit);
        });
        solver.relocate(&moved);
        *evaluator = term::Evaluator::new();
        self.counters.collections += 1;
        self.collect_at = (2 * machine.pool.len()).max(COLLECT_MIN);
    }
}

fn metrics(
    s: &State,
    distances: Option<&mut Distances>,
    pc_counts: &BTreeMap<ir::Pc, u64>,
) -> Metrics {
    let p = &s.progress;
    let mut m = Metrics {
        depth: p.depth,
        instructions: p.instructions,
        since_new_coverage: if p.last_new == 0 {
            u64::MAX
        } else {
            p.instructions - p.last_new
        },
        covered_new: p.covered_new,
        site: s.site,
        recent_branches: s.recent_branches,
        query_cost_s: p.query_cost_s,
        ..Metrics::default()
    };
    if !pc_counts.is_empty() {
        m.pc_instructions = pc_counts.get(&s.pc).copied().unwrap_or(0);
        m.call_path_instructions = s
            .frames
            .iter()
            .map(|f| pc_counts.get(&f.return_pc).copied().unwrap_or(0))
            .sum();
    }
    if let Some(d) = distances {
        let near = d.of(s.pc, s.frames.iter().rev().map(|f| f.return_pc));
        m.min_distance_to_uncovered = near.distance;
        m.nearest_uncovered = near.site;
    }
    m
}

/// Memory use at which states begin to be ended: it takes some to end them.
pub(crate) fn first_threshold(cap: u64) -> u64 {
    cap - cap / 5
}

/// Resident memory of this process in bytes; 0 where the system does not say.
pub fn resident_bytes() -> u64 {
    let Ok(text) = std::fs::read_to_string("/proc/self/statm") else {
        return 0;
    };
    text.split(' ')
        .nth(1)
        .and_then(|n| n.parse::<u64>().ok())
        .unwrap_or(0)
        * 4096
}
