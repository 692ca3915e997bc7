//! The coordinator: it starts the workers (`hiring`), receives their messages (`hearing`), divides the work, writes
//! their findings (`found`), keeps the numbers and the frontier (`books`), divides the memory (`memory`), enforces the
//! limits (`ending`), and runs a scout (`scout`, `scouting`).

mod books;
mod ending;
mod found;
mod hearing;
mod hiring;
mod memory;
mod nodes;
pub mod plan;
mod rounds;
pub mod scout;
mod scouting;
mod surroundings;
#[cfg(test)]
mod tests;

use super::Swayed;
use super::explored::Explored;
use super::keeper::Keeper;
use super::member::{Member, NodeId};
use crate::outlook::Outlook;
use crate::record::{Finding, Recorder};
use anyhow::Context;
use ending::GOODBYE;
use explore::{Ending, Halt, Loss, Place, Totals};
use fleet::{Coordinator, Death, Order, Rounds, Settle, ToWorker, Unreadable, WorkerId};
use found::Taken;
use host::Cause;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long the coordinator waits for a message before it looks at clocks and loads.
const TURN: Duration = Duration::from_millis(10);
/// Between two looks at what the run takes.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Bytes of findings that are not written yet, about, from which on no more messages are received. The first tests are
/// many small files each: they take as long as a hundred times as many later ones.
const UNWRITTEN: usize = 16 << 20;
/// Longer than writing the frontier takes.
const LONG: Duration = Duration::from_secs(3600);
/// The weight of deaths of workers that die before their first message, one after the other, at which the run gives
/// up.
const STILLBORN: u32 = 4 * Death::Crashed.weight();

pub use nodes::Cluster;
use nodes::Nodes;
pub use plan::{Plan, Prefixes, Shared};
use rounds::InRounds;
use scout::Scout;
pub use surroundings::{Heard, Surroundings};

/// The processes at work, for the watchdog's thread.
pub type Pids = Arc<Mutex<Vec<u32>>>;

/// The scout that may be running when the workers begin.
pub struct Advance {
    pub scout: Scout,
    pub around: Box<dyn Surroundings>,
    /// Queries that its solver answered with a wrong model.
    pub rejected: Vec<String>,
}

impl Advance {
    /// No scout has begun.
    pub fn none(plan: &Plan, around: Box<dyn Surroundings>) -> Advance {
        Advance {
            scout: Scout::new(plan),
            around,
            rejected: Vec::new(),
        }
    }
}

/// The place of a worker.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seat {
    /// On this machine.
    Here,
    /// On another one.
    On(NodeId),
    /// On one that is gone.
    Free,
}

/// See the module.
pub struct Crew<'a> {
    plan: Plan,
    recorder: &'a mut Recorder,
    dispatch: Box<dyn Settle<Taken>>,
    /// If it is one in rounds.
    rounds: Option<InRounds>,
    begun: Instant,
    outlook: Outlook,
    members: BTreeMap<WorkerId, Member>,
    seats: Vec<Seat>,
    nodes: Nodes,
    scout: Scout,
    around: Box<dyn Surroundings>,
    /// Numbers of workers that are gone, by their seats, and how many died.
    departed: Vec<Totals>,
    died: Vec<u64>,
    /// The part of these that remains if a later run continues; with the counts before this one began.
    settled: Totals,
    before: Totals,
    /// The places that workers have covered.
    covered: HashSet<Place>,
    held: HashSet<u32>,
    unmet: BTreeMap<u32, Finding>,
    rejected: Vec<String>,
    /// Findings that are not written yet, in their order.
    unwritten: VecDeque<Finding>,
    /// Bytes that it takes, about.
    unwritten_size: usize,
    born: u32,
    stillborn: u32,
    /// A worker has no fork left: no worker begins anything any more.
    no_forks: bool,
    /// A worker cannot run the program any more.
    has_failed: bool,
    is_ending: bool,
    keeper: Keeper,
    /// Said once.
    frontier_failed: bool,
    last_load: Instant,
    last_look: Instant,
    last_division: Instant,
}

impl<'a> Crew<'a> {
    /// With the scout that has begun already, if one has.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn new(
        mut plan: Plan,
        advance: Advance,
        recorder: &'a mut Recorder,
    ) -> anyhow::Result<Crew<'a>> {
        let Advance {
            mut scout,
            mut around,
            rejected,
        } = advance;
        let jobs = plan.jobs as usize;
        let now = around.now();
        let begin = std::mem::take(&mut plan.begin);
        for places in begin.all_places() {
            let known = recorder.take_in(&places).map_err(anyhow::Error::msg);
            known.context("the frontier is of another program")?;
        }
        scout.covered.extend(begin.seen);
        let covered = begin.places.covered.into_iter().collect();
        plan.board.set_claimed(&covered);
        plan.board.add_forks(begin.totals.machine.forks);
        let nodes = match plan.cluster.take() {
            Some(cluster) => Nodes::open(cluster, &mut *around, recorder)?,
            None => Nodes::default(),
        };
        let (shelf, prefixes) = (plan.shelf.clone(), begin.prefixes);
        let mut dispatch: Box<dyn Settle<Taken>> = match &plan.rounds {
            Some(limits) => {
                let before = begin.totals.machine.forks;
                let forks = limits.max_forks.map(|most| most.saturating_sub(before));
                Box::new(Rounds::new(shelf, prefixes, forks, limits.least_work))
            }
            None => Box::new(Coordinator::new(shelf, prefixes)),
        };
        dispatch.expect(jobs);
        recorder.beside.unwritten = begin.unwritten.len() as u64;
        Ok(Crew {
            seats: vec![Seat::Here; jobs],
            nodes,
            scout,
            begun: now,
            outlook: Outlook::default(),
            dispatch,
            rounds: plan.rounds.as_ref().map(|_| InRounds::default()),
            keeper: Keeper::new(recorder.out.path(), plan.rounds.is_some(), now),
            plan,
            recorder,
            members: BTreeMap::new(),
            around,
            departed: vec![Totals::default(); jobs],
            died: vec![0; jobs],
            settled: begin.totals.clone(),
            before: begin.totals,
            covered,
            held: begin.held.into_iter().collect(),
            unmet: begin.unmet.into_iter().collect(),
            rejected,
            unwritten_size: begin.unwritten.iter().map(Finding::size).sum(),
            unwritten: begin.unwritten.into(),
            born: 0,
            stillborn: 0,
            no_forks: false,
            has_failed: false,
            is_ending: false,
            frontier_failed: false,
            last_load: now,
            last_look: now,
            last_division: now,
        })
    }

    /// Explores until everything is explored or the run has to end.
    ///
    /// # Errors
    /// Workers cannot be started, or do not fit.
    pub fn run(mut self) -> anyhow::Result<Explored> {
        loop {
            match self.outcome() {
                ControlFlow::Continue(()) => self.step()?,
                ControlFlow::Break(halt) => return self.conclude(halt),
            }
        }
    }

    /// Is the exploration over? Then also what stopped it, if not everything was explored.
    fn outcome(&self) -> ControlFlow<Option<Halt>> {
        if let Some(cause) = self.plan.stop.cause() {
            return ControlFlow::Break(Some(Halt::Stopped(cause)));
        }
        if self.has_failed {
            return ControlFlow::Break(Some(Halt::Failed));
        }
        if self.dispatch.is_done() {
            return ControlFlow::Break(self.no_forks.then_some(Halt::Forks));
        }
        if self.begins_no_more() && self.all_rest() {
            return ControlFlow::Break(Some(Halt::Forks));
        }
        ControlFlow::Continue(())
    }

    /// Goes on for a moment.
    fn step(&mut self) -> anyhow::Result<()> {
        self.keep_frontier();
        self.hire()?;
        self.send_scout()?;
        self.direct();
        self.turn()
    }

    /// Ends the run, and says what it came to.
    fn conclude(mut self, halt: Option<Halt>) -> anyhow::Result<Explored> {
        let begun = self.around.now();
        let stuck = match halt {
            Some(Halt::Stopped(cause)) => self.stop(cause)?,
            Some(Halt::Failed) => self.part(&ToWorker::Stop(Cause::Signal as u8), GOODBYE)?,
            Some(Halt::Forks) | None => self.dismiss()?,
        };
        for taken in self.dispatch.close() {
            self.count(taken);
        }
        let last = |part| match halt {
            Some(Halt::Stopped(cause)) => begun + self.plan.limits.grace(cause) * part / 10,
            Some(Halt::Forks | Halt::Failed) | None => self.around.now() + LONG,
        };
        let (written_by, frontier_by) = (last(7), last(8));
        let unwritten = match halt {
            Some(Halt::Stopped(_)) => self.write_last(written_by),
            Some(Halt::Forks | Halt::Failed) | None => {
                while !self.unwritten.is_empty() && !self.plan.stop.is_set() {
                    self.write_until(self.around.now() + LOOK_EVERY);
                    self.look();
                }
                self.unwritten.len() as u64
            }
        };
        self.nodes.finish();
        self.tell_of_the_disk();
        // All have ended: the time of those of this machine counts as that of children, in what a later run goes on from, too.
        self.recorder.beside.cpu_s = self.nodes.cpu_s();
        if let Some(rounds) = &mut self.rounds
            && (matches!(halt, Some(Halt::Stopped(_))) || unwritten > 0)
        {
            rounds.sway(Swayed::Clock);
        }
        self.tell_repeatable();
        let mut totals = self.totals();
        totals.losses.add(Loss::Unsaved, unwritten);
        self.recorder.beside.unwritten = unwritten;
        if halt.is_some() || unwritten > 0 {
            self.keep_last_frontier(frontier_by);
        } else {
            self.keeper.revoke();
            self.recorder.has_nothing_left = true;
        }
        if let Some(halt) = halt {
            // What nobody has begun, and what those had who did not end by themselves.
            let left = self.dispatch.abandoned();
            if let Some(open) = self.plan.prefixes.open {
                // One that cannot be read is no less a loss.
                let open = left
                    .iter()
                    .map(|p| p.read().map_or(1, |bytes| open(&bytes)));
                totals.losses.add(Loss::Open, open.sum());
            } else {
                let left = left.len() as u64;
                let n = &mut totals.counters;
                n.endings.add(halt.ending(), left);
                n.partial += left;
            }
        } else {
            self.tell_unmet(&mut totals);
        }
        totals.counters.live = 0;
        self.recorder.beside.workers = self.workers();
        self.recorder.beside.scout = self.scout.stats();
        let name = halt.map(|halt| match stuck {
            0 => halt.name().to_string(),
            n => format!("{} ({n} workers stopped inside an operation)", halt.name()),
        });
        let halted = explore::left_out(name.as_deref(), &totals);
        if halted.is_none() {
            self.forget_scouted();
        }
        let outcome = Explored {
            halted,
            totals,
            rejected: std::mem::take(&mut self.rejected),
        };
        // It dies with the process: taking it apart costs more than the run may still take.
        std::mem::forget(self);
        Ok(outcome)
    }

    /// Is nothing given out any more because there are no forks left? (In rounds, tasks are given out without forks.)
    fn begins_no_more(&self) -> bool {
        self.no_forks && self.rounds.is_none()
    }

    /// Counts the prefixes that cannot be explored, since they cannot be read again, and reports the problem with the
    /// disk.
    fn tell_of_the_disk(&mut self) {
        if let Some(Unreadable { prefixes, why }) = self.dispatch.unreadable() {
            for totals in [&mut self.departed[0], &mut self.settled] {
                totals.counters.endings.add(Ending::Disk, prefixes);
                totals.counters.partial += prefixes;
            }
            if let Some(rounds) = &mut self.rounds {
                rounds.sway(Swayed::Disk);
            }
            let text = format!("spilled states cannot be read again: {why}");
            self.recorder.progress.say(&text);
        }
        if let Some(why) = self.plan.shelf.refused() {
            let text = format!("prefixes stay in memory, the disk takes no more: {why}");
            self.recorder.progress.say(&text);
        }
    }

    /// Gives out work, and asks workers with many states to give some.
    fn direct(&mut self) {
        if self.begins_no_more() {
            return;
        }
        let now = self.around.now();
        if now >= self.last_load + TURN {
            self.last_load = now;
            for (&id, member) in &self.members {
                let (_, live) = self.plan.board.seen_of(member.seat);
                self.dispatch.load(id, live);
            }
        }
        for (id, order) in self.dispatch.orders() {
            let message = match order {
                Order::Work(prefixes) => ToWorker::Work(prefixes),
                Order::Give(n) => ToWorker::Give(n),
                Order::Task { round, task } => ToWorker::Task(self.with_known(round, task)),
            };
            if let Some(member) = self.members.get_mut(&id) {
                member.say(message);
            }
        }
    }

    /// Writes findings, and receives messages of workers, for a moment.
    fn turn(&mut self) -> anyhow::Result<()> {
        self.write_until(self.around.now() + TURN);
        if self.unwritten_size < self.unwritten_most() {
            self.listen()?;
        }
        let now = self.around.now();
        if now >= self.last_look + LOOK_EVERY {
            self.last_look = now;
            self.look();
            self.tell_of_the_disk();
            self.divide_memory();
        }
        Ok(())
    }

    /// So many bytes of findings may wait to be written.
    fn unwritten_most(&self) -> usize {
        match self.plan.memory {
            0 => UNWRITTEN,
            // Half of what is the coordinator's.
            memory => UNWRITTEN.min((memory / 32) as usize),
        }
    }

    /// Hears what the workers say, for a moment.
    fn listen(&mut self) -> anyhow::Result<()> {
        let patience = if self.unwritten.is_empty() {
            TURN
        } else {
            Duration::ZERO
        };
        if let Some(heard) = self.around.hear(patience) {
            self.hear(heard)?;
        }
        while let Some(heard) = self.around.hear(Duration::ZERO) {
            self.hear(heard)?;
            if self.plan.stop.is_set() || self.unwritten_size >= self.unwritten_most() {
                break;
            }
        }
        Ok(())
    }

    fn hear(&mut self, heard: Heard) -> anyhow::Result<()> {
        match heard {
            Heard::Worker(event) if Scout::has_said(&event) => {
                self.hear_scout(event);
                Ok(())
            }
            Heard::Worker(event) => self.hear_worker(event),
            Heard::Node(id, event) => self.hear_node(id, event),
        }
    }

    fn pids(&self) -> std::sync::MutexGuard<'_, Vec<u32>> {
        self.plan
            .pids
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
