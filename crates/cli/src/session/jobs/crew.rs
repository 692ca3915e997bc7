//! The coordinator's side: it starts the workers, divides the work, writes what they find, and holds the limits.

use super::board::Board;
use super::member::{Event, Member};
use super::{Halted, Report, Welcome, link};
use crate::session::record::{Finding, Recorder, Seen};
use anyhow::{Context, bail};
use exec::{Ending, Halt, Totals};
use fleet::{Coordinator, Death, Order, SetAside, ToCoordinator, ToWorker, WorkerId};
use host::{Cause, Stop};
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use vocab::ErrorKind;

/// How long the coordinator waits for a message before it looks at clocks and loads.
const TURN: Duration = Duration::from_millis(10);
/// Between two looks at what the run takes.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Messages that wait to be read: then workers wait, too.
const BACKLOG: usize = 64;
/// What the deaths of workers may count for that die before they say a word, one after the other, until the run gives up.
const STILLBORN: u32 = 4 * Death::Crashed.weight();
/// How long workers may take to say their last word when everything is explored.
const GOODBYE: Duration = Duration::from_secs(5);

/// The processes at work, for the watchdog's thread.
pub type Pids = Arc<Mutex<Vec<u32>>>;

/// Reads what is written of a prefix.
pub type Lost = Box<dyn Fn(&[u8]) -> Result<exec::PathEnd, String>>;

/// What a run by several workers is.
pub struct Plan {
    pub jobs: u32,
    /// The command line behind `run`.
    pub args: Vec<OsString>,
    pub welcome: Welcome,
    /// The hash of the program.
    pub program: String,
    pub module: Rc<ir::Verified>,
    /// What is to be explored.
    pub prefixes: Vec<Vec<u8>>,
    pub stop: Stop,
    /// How long the run may take to end by itself.
    pub grace: Duration,
    pub pids: Pids,
    /// What is written of a prefix that killed its workers.
    pub lost: Lost,
}

/// What came of it.
pub struct Outcome {
    pub totals: Totals,
    pub halted: Option<String>,
    pub covered: Vec<bool>,
    pub branches: u64,
    /// Queries that the solver answered with a wrong model.
    pub rejected: Vec<String>,
}

/// See the module.
pub struct Crew<'a> {
    plan: Plan,
    recorder: &'a mut Recorder,
    coordinator: Coordinator,
    board: Board,
    members: BTreeMap<WorkerId, Member>,
    put: SyncSender<Event>,
    events: Receiver<Event>,
    /// Numbers of workers that are gone, by their seats, and how many died.
    departed: Vec<Totals>,
    died: Vec<u64>,
    /// By site, and the outcomes of branches among them.
    covered: Vec<bool>,
    outcomes: HashSet<(ir::BranchId, u32)>,
    held: HashSet<ir::Pc>,
    unmet: BTreeMap<ir::Pc, Finding>,
    rejected: Vec<String>,
    born: u32,
    stillborn: u32,
    /// A worker has no fork left: nobody begins anything any more.
    no_forks: bool,
    is_ending: bool,
    last_load: Instant,
    last_look: Instant,
}

impl<'a> Crew<'a> {
    /// # Errors
    /// When the system refuses.
    pub fn new(mut plan: Plan, recorder: &'a mut Recorder) -> anyhow::Result<Crew<'a>> {
        let sites = plan.module.sites.len();
        let board = Board::new(plan.jobs, sites).context("no memory to share with workers")?;
        plan.welcome.board = board.path().context("no memory to share with workers")?;
        let (put, events) = sync_channel(BACKLOG);
        let jobs = plan.jobs as usize;
        let now = Instant::now();
        Ok(Crew {
            coordinator: Coordinator::new(std::mem::take(&mut plan.prefixes)),
            plan,
            recorder,
            board,
            members: BTreeMap::new(),
            put,
            events,
            departed: vec![Totals::default(); jobs],
            died: vec![0; jobs],
            covered: vec![false; sites],
            outcomes: HashSet::new(),
            held: HashSet::new(),
            unmet: BTreeMap::new(),
            rejected: Vec::new(),
            born: 0,
            stillborn: 0,
            no_forks: false,
            is_ending: false,
            last_load: now,
            last_look: now,
        })
    }

    /// Explores until everything is explored or the run has to end.
    ///
    /// # Errors
    /// Workers cannot be started, or do not fit.
    pub fn run(mut self) -> anyhow::Result<Outcome> {
        let halt = loop {
            if let Some(cause) = self.plan.stop.cause() {
                break Some(Halt::Stopped(cause));
            }
            if self.coordinator.is_done() {
                break self.no_forks.then_some(Halt::Forks);
            }
            if self.no_forks && self.all_rest() {
                break Some(Halt::Forks);
            }
            self.hire()?;
            self.direct();
            self.turn()?;
        };
        let stuck = match halt {
            Some(Halt::Stopped(cause)) => self.stop(cause)?,
            Some(Halt::Forks) | None => self.dismiss()?,
        };
        let mut totals = self.totals();
        if let Some(halt) = halt {
            // What nobody has begun, and what those had who did not end by themselves.
            let left = self.coordinator.abandoned() as u64;
            let n = &mut totals.counters;
            n.endings.add(halt.ending(), left);
            n.partial += left;
        } else {
            self.tell_unmet(&mut totals);
        }
        totals.counters.live = 0;
        // All have ended: their time counts as that of children.
        self.recorder.beside.cpu_s = 0.0;
        self.recorder.beside.workers = self.workers();
        let name = halt.map(|halt| match stuck {
            0 => halt.name().to_string(),
            n => format!("{} ({n} workers stopped inside an operation)", halt.name()),
        });
        Ok(Outcome {
            halted: exec::left_out(name.as_deref(), &totals),
            totals,
            branches: self.outcomes.len() as u64,
            covered: self.covered,
            rejected: self.rejected,
        })
    }

    /// Starts workers on free seats.
    fn hire(&mut self) -> anyhow::Result<()> {
        if self.members.len() == self.plan.jobs as usize || self.no_forks {
            return Ok(());
        }
        let taken: HashSet<u32> = self.members.values().map(|m| m.seat).collect();
        for seat in (0..self.plan.jobs).filter(|seat| !taken.contains(seat)) {
            self.born += 1;
            let id = WorkerId(self.born);
            let started = Member::start(id, seat, &self.plan.args, self.put.clone());
            let mut member = started.context("a worker cannot be started")?;
            let welcome = Welcome {
                seat,
                elapsed: self.recorder.progress.elapsed(),
                ..self.plan.welcome.clone()
            };
            member.say(&ToWorker::Welcome(link::bytes(&welcome)));
            self.pids().push(member.pid());
            self.members.insert(id, member);
        }
        Ok(())
    }

    /// Gives out work, and lets those who have much give.
    fn direct(&mut self) {
        if self.no_forks {
            return;
        }
        if self.last_load.elapsed() >= TURN {
            self.last_load = Instant::now();
            for (&id, member) in &self.members {
                let (_, live) = self.board.seen_of(member.seat);
                self.coordinator.load(id, live);
            }
        }
        for (id, order) in self.coordinator.orders() {
            if let Some(member) = self.members.get_mut(&id) {
                member.say(&match order {
                    Order::Work(prefixes) => ToWorker::Work(prefixes),
                    Order::Give(n) => ToWorker::Give(n),
                });
            }
        }
    }

    /// Hears what the workers say, for a moment.
    fn turn(&mut self) -> anyhow::Result<()> {
        match self.events.recv_timeout(TURN) {
            Ok(event) => self.hear(event)?,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => unreachable!("the run holds a sender"),
        }
        while let Ok(event) = self.events.try_recv() {
            self.hear(event)?;
            if self.plan.stop.is_set() {
                break;
            }
        }
        if self.last_look.elapsed() >= LOOK_EVERY {
            self.last_look = Instant::now();
            self.look();
        }
        Ok(())
    }

    fn hear(&mut self, event: Event) -> anyhow::Result<()> {
        match event {
            Event::Said(id, message) => {
                let Some(member) = self.members.get_mut(&id) else {
                    return Ok(());
                };
                match message {
                    ToCoordinator::Hello { version, program } => {
                        let ours = env!("CARGO_PKG_VERSION");
                        if version != ours {
                            bail!("a worker is polypath {version}, this is {ours}");
                        }
                        if program != self.plan.program {
                            bail!("a worker has another program: was it changed just now?");
                        }
                        member.has_joined = true;
                        self.stillborn = 0;
                        self.coordinator.join(id);
                    }
                    ToCoordinator::Found(found) => member.found.push(found),
                    ToCoordinator::New(new) => member.new.extend(new),
                    ToCoordinator::Commit(commit) => {
                        if let Err(why) = self.take(id, commit) {
                            self.disbelieve(id, &why);
                        }
                    }
                    ToCoordinator::Failed(why) => bail!("a worker cannot go on: {why}"),
                }
                Ok(())
            }
            Event::Gone(id, why) => {
                if let Some(why) = why {
                    self.disbelieve(id, &why);
                }
                self.gone(id)
            }
        }
    }

    /// A worker that says what cannot be is ended; that is heard as its death.
    fn disbelieve(&mut self, id: WorkerId, why: &str) {
        let text = format!("a worker is ended, it makes no sense: {why}");
        self.recorder.progress.say(&text);
        if let Some(member) = self.members.get_mut(&id) {
            member.kill();
        }
    }

    /// Takes a commit: all of it, or nothing.
    fn take(&mut self, id: WorkerId, mut commit: fleet::Commit) -> Result<(), String> {
        let Some(member) = self.members.get_mut(&id) else {
            return Ok(());
        };
        let read = |e: postcard::Error| format!("what it found cannot be read: {e}");
        let report: Report = postcard::from_bytes(&commit.found).map_err(read)?;
        let mut findings = Vec::new();
        for part in member.found.drain(..) {
            let part: Vec<Finding> = postcard::from_bytes(&part).map_err(read)?;
            findings.extend(part);
        }
        findings.extend(report.findings);
        let sites = self.covered.len();
        if report.sites.iter().any(|&site| site as usize >= sites) {
            return Err("it covered what the program does not have".into());
        }
        commit.change.new.append(&mut member.new);
        self.coordinator.commit(id, &mut commit)?;
        member.totals = report.totals;
        member.parked = report.parked;
        if commit.is_last {
            member.has_ended = true;
            member.halted = report.halted;
            match report.halted {
                Some(Halted::Forks) => self.no_forks = true,
                // Its own part of the memory is full, whatever it did.
                Some(Halted::Stopped(number)) => {
                    self.plan
                        .stop
                        .set(Cause::of(number).unwrap_or(Cause::Signal));
                }
                None => {}
            }
        }
        self.rejected.extend(report.rejected);
        for site in report.sites {
            self.covered[site as usize] = true;
            self.outcomes
                .extend(self.plan.module.sites[site as usize].outcome);
        }
        self.held.extend(report.held);
        for (pc, finding) in report.unmet {
            self.unmet.entry(pc).or_insert(finding);
        }
        for finding in findings {
            self.recorder.write_shared(finding);
        }
        Ok(())
    }

    /// A worker's process has ended, or is about to.
    fn gone(&mut self, id: WorkerId) -> anyhow::Result<()> {
        let Some(member) = self.members.remove(&id) else {
            return Ok(());
        };
        self.pids().retain(|&pid| pid != member.pid());
        let (seat, has_joined, has_ended) = (member.seat, member.has_joined, member.has_ended);
        let (lease, _) = self.board.seen_of(seat);
        let (how, words, totals) = member.bury();
        self.board.leave(seat);
        self.departed[seat as usize].add(&totals);
        if has_ended {
            self.coordinator.leave(id);
            return Ok(());
        }
        self.died[seat as usize] += 1;
        // Nobody has seen what it has just claimed to cover.
        self.board.set_claimed(&self.covered);
        if !has_joined {
            self.stillborn += how.weight();
            if self.stillborn >= STILLBORN {
                bail!("workers end before they begin ({words})");
            }
            return Ok(());
        }
        let ran = (lease != 0).then_some(fleet::Key(lease));
        if let Some(aside) = self.coordinator.died(id, ran, how) {
            self.set_aside(&aside);
        }
        if !self.is_ending {
            let what = match how {
                Death::Crashed => "crashed",
                Death::Killed => "was killed",
            };
            let text = format!("a worker {what} ({words}); its part goes to others");
            self.recorder.progress.say(&text);
        }
        Ok(())
    }

    /// A prefix that crashed its workers is an error of ours, with its input.
    fn set_aside(&mut self, SetAside(prefix): &SetAside) {
        let n = &mut self.departed[0].counters;
        n.endings.add(Ending::Internal, 1);
        n.partial += 1;
        match (self.plan.lost)(prefix) {
            Ok(end) => {
                let time_s = self.recorder.progress.elapsed().as_secs_f64();
                let finding = self.recorder.cases.finding(end, time_s);
                self.recorder.write_shared(finding);
            }
            Err(why) => self.recorder.progress.say(&format!(
                "a path that crashed its workers cannot be shown: {why}"
            )),
        }
    }

    /// Has nobody anything to do but those who ended?
    fn all_rest(&self) -> bool {
        let at_work = self.members.iter().filter(|(_, m)| !m.has_ended);
        at_work
            .into_iter()
            .all(|(&id, m)| !m.has_joined || self.coordinator.is_idle(id))
    }

    /// The run has to end: workers write what may get a test, as long as there is time. Returns how many did not end by
    /// themselves.
    fn stop(&mut self, cause: Cause) -> anyhow::Result<usize> {
        let most = match cause {
            Cause::Memory => self.plan.grace / 4,
            _ => self.plan.grace * 3 / 5,
        };
        self.part(&ToWorker::Stop(cause as u8), most)
    }

    /// Everything is explored. Returns how many did not end by themselves.
    fn dismiss(&mut self) -> anyhow::Result<usize> {
        self.part(&ToWorker::Finish, GOODBYE)
    }

    fn part(&mut self, word: &ToWorker, most: Duration) -> anyhow::Result<usize> {
        let end = Instant::now() + most;
        self.is_ending = true;
        // Who has not begun has nothing to say.
        for member in self.members.values_mut() {
            if member.has_joined {
                member.say(word);
            } else {
                member.kill();
            }
        }
        while !self.members.is_empty() && Instant::now() < end {
            if let Ok(event) = self.events.recv_timeout(TURN) {
                self.hear(event)?;
            }
        }
        let stuck: Vec<WorkerId> = self.members.keys().copied().collect();
        for &id in &stuck {
            if let Some(member) = self.members.get_mut(&id) {
                member.kill();
            }
            self.gone(id)?;
        }
        Ok(stuck.len())
    }

    /// Assumptions that no path of any worker got past are errors.
    fn tell_unmet(&mut self, totals: &mut Totals) {
        for (pc, finding) in std::mem::take(&mut self.unmet) {
            if !self.held.contains(&pc) {
                let n = &mut totals.counters;
                n.completed += 1;
                n.exit_status = None;
                n.endings.add(Ending::Error, 1);
                *n.errors.entry(ErrorKind::User).or_default() += 1;
                self.recorder.write_shared(finding);
            }
        }
    }

    fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        self.departed.iter().for_each(|part| totals.add(part));
        self.members.values().for_each(|m| totals.add(&m.totals));
        totals.counters.live += self.coordinator.queued();
        totals
    }

    /// Looks at what the run takes, and lets the user hear of it.
    fn look(&mut self) {
        let mut totals = self.totals();
        let (mut memory, mut cpu) = (room::sample(), Duration::ZERO);
        for member in self.members.values() {
            memory += room::resident_of(member.pid()).unwrap_or(0);
            cpu += host::clock::time_of_process(member.pid()).unwrap_or_default();
        }
        totals.counters.memory_bytes = memory;
        let live = self.members.values().map(|m| self.board.seen_of(m.seat).1);
        totals.counters.live = live.sum::<u64>() as usize + self.coordinator.queued();
        let megabytes = memory as f64 / f64::from(1 << 20);
        let workers = self.workers();
        let beside = &mut self.recorder.beside;
        beside.cpu_s = cpu.as_secs_f64();
        beside.memory_max_mb = beside.memory_max_mb.max(megabytes);
        beside.workers = workers;
        let seen = Seen {
            module: &self.plan.module,
            covered: &self.covered,
            branches: self.outcomes.len() as u64,
        };
        self.recorder.hear(&totals, seen);
    }

    /// What `stats.json` says of each worker. One that died and the one in its place are one there.
    fn workers(&self) -> Vec<serde_json::Value> {
        let mut parts = self.departed.clone();
        for member in self.members.values() {
            parts[member.seat as usize].add(&member.totals);
        }
        let worker = |(totals, died): (&Totals, &u64)| {
            let n = &totals.counters;
            serde_json::json!({
                "completed_paths": n.completed,
                "partial_paths": n.partial,
                "instructions": n.instructions,
                "queries": totals.queries,
                "solver_time_s": totals.solver_time_s,
                "states_given": n.given,
                "states_adopted": n.adopted,
                "deaths": died,
            })
        };
        parts.iter().zip(&self.died).map(worker).collect()
    }

    fn pids(&self) -> std::sync::MutexGuard<'_, Vec<u32>> {
        self.plan
            .pids
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
