//! The coordinator's side: it starts the workers, hears what they say, divides the work, and has the recorder write what they find.

use super::super::explored::Explored;
use super::super::record::Recorder;
use super::part::NAME;
use super::{Begin, Checkpoint, Outcome, Program, Report, Welcome};
use crate::session::jobs::board::Board;
use crate::session::jobs::keeper::Keeper;
use crate::session::jobs::link::bytes;
use crate::session::jobs::local::Local;
use crate::session::jobs::member::{Carrier, Event, Fate};
use crate::session::jobs::{fits, share_of_memory};
use anyhow::{Context, bail};
use dse::Counted;
use exec::Ending;
use fleet::{Coordinator, Death, Dispatch, Key, Order, ToCoordinator, ToWorker, WorkerId};
use host::shelf::Shelf;
use host::{Cause, Stop, TimeLimits};
use jvm::{Info, Look, Part, PathEnd, Place, Places, Totals};
use serde_bytes::ByteBuf;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// How long the coordinator waits for a message before it looks at clocks and loads.
const TURN: Duration = Duration::from_millis(10);
/// Messages that wait to be read: then workers wait, too.
const BACKLOG: usize = 4;
/// How long workers may take to say their last word when everything is explored.
const GOODBYE: Duration = Duration::from_secs(5);
/// What the deaths of workers may count for that die before they say a word, until the run gives up.
const STILLBORN: u32 = 4 * Death::Crashed.weight();
/// How long the last frontier may take if nothing presses.
const LONG: Duration = Duration::from_secs(60);

/// What a run by several workers is.
pub struct Plan {
    pub jobs: u32,
    /// The command line behind `java run`.
    pub args: Vec<OsString>,
    pub program: Program,
    /// Bytes of memory for all processes, without the JVMs; 0: no limit.
    pub memory: u64,
    pub stop: Stop,
    /// How long the run may take to end by itself.
    pub limits: TimeLimits,
}

/// A worker, as the coordinator sees it.
struct Member {
    process: Local,
    seat: u32,
    /// It has said that it fits.
    has_joined: bool,
    /// It has said its last word, by itself.
    has_ended: bool,
    /// What it found, as a part of its next commit.
    found: Vec<ByteBuf>,
    /// Our numbers of its places.
    numbers: Vec<u32>,
    /// As of its last commit.
    done: Done,
    counted: Counted,
}

/// What one or several workers have done.
#[derive(Clone, Default)]
struct Done {
    totals: Totals,
    explored: Explored,
    completed: u64,
    partial: u64,
    deaths: u64,
}

impl Done {
    fn add(&mut self, other: &Done) {
        self.totals.add(&other.totals);
        self.explored.add(&other.explored);
        self.completed += other.completed;
        self.partial += other.partial;
        self.deaths += other.deaths;
    }
}

/// See the module.
pub struct Crew<'a> {
    plan: Plan,
    recorder: &'a mut Recorder,
    dispatch: Coordinator,
    board: Board,
    board_path: PathBuf,
    members: BTreeMap<WorkerId, Member>,
    put: SyncSender<Event>,
    events: Receiver<Event>,
    /// What was done before, and what those did who are gone, by their seats.
    before: Done,
    departed: Vec<Done>,
    /// Of those who are gone, what stays true when others go on with what they had.
    settled: Done,
    keeper: Keeper,
    frontier_failed: bool,
    places: Places,
    rejected: Vec<String>,
    /// Parts that nobody explores: they killed their workers, or cannot be read again.
    lost: u64,
    /// Why no worker can run the program any more.
    failed: Option<String>,
    born: u32,
    stillborn: u32,
    is_ending: bool,
    last_load: Instant,
}

impl<'a> Crew<'a> {
    /// # Errors
    /// When the system refuses.
    pub fn new(
        plan: Plan,
        begin: Begin,
        shelf: Shelf,
        recorder: &'a mut Recorder,
    ) -> anyhow::Result<Crew<'a>> {
        const NO_MEMORY: &str = "no memory to share with workers";
        let jobs = plan.jobs as usize;
        let board = Board::new(plan.jobs, 0).context(NO_MEMORY)?;
        let board_path = board.path().context(NO_MEMORY)?;
        let mut dispatch = Coordinator::new(shelf, begin.parts);
        let keeper = Keeper::new(recorder.out.path());
        dispatch.expect(jobs);
        let (put, events) = sync_channel(BACKLOG);
        Ok(Crew {
            plan,
            recorder,
            dispatch,
            board,
            board_path,
            members: BTreeMap::new(),
            put,
            events,
            before: Done {
                totals: begin.totals,
                explored: begin.explored,
                ..Done::default()
            },
            departed: vec![Done::default(); jobs],
            settled: Done::default(),
            keeper,
            frontier_failed: false,
            places: begin.places,
            rejected: begin.rejected,
            lost: 0,
            failed: None,
            born: 0,
            stillborn: 0,
            is_ending: false,
            last_load: Instant::now(),
        })
    }

    /// Explores until everything is explored or the run has to end.
    ///
    /// # Errors
    /// Workers cannot be started, or do not fit.
    pub fn run(mut self) -> anyhow::Result<Outcome> {
        let stopped = loop {
            if let Some(cause) = self.plan.stop.cause() {
                break Some(cause.to_string());
            }
            if let Some(why) = self.failed.take() {
                break Some(why);
            }
            if self.dispatch.is_done() {
                break None;
            }
            self.hire()?;
            self.direct();
            self.turn()?;
            if self.keeper.is_due() {
                let kept = self.keeper.keep(self.checkpoint());
                self.note_frontier(kept);
            }
        };
        let begun = Instant::now();
        let stuck = match self.plan.stop.cause() {
            Some(cause) if stopped.is_some() => {
                let most = self.plan.limits.grace(cause) * 3 / 5;
                self.part_with_all(&ToWorker::Stop(cause as u8), most)?
            }
            _ if stopped.is_some() => {
                self.part_with_all(&ToWorker::Stop(Cause::Signal as u8), GOODBYE)?
            }
            _ => self.part_with_all(&ToWorker::Finish, GOODBYE)?,
        };
        if let Some(unreadable) = self.dispatch.unreadable() {
            self.lost += unreadable.prefixes;
            say::err!(
                "polypath: what was spilled cannot be read again: {}",
                unreadable.why
            );
        }
        match (&stopped, self.plan.stop.cause()) {
            (None, _) => self.keeper.revoke(),
            (_, Some(cause)) => {
                self.keep_last_frontier(begun + self.plan.limits.grace(cause) * 4 / 5);
            }
            (_, None) => self.keep_last_frontier(begun + LONG),
        }
        let mut all = self.done();
        if stopped.is_some() {
            // What nobody has begun, and what those had who did not end by themselves.
            let left = self.dispatch.abandoned();
            let open = left.iter().map(|p| {
                let bytes = p.read().map_err(|e| e.to_string());
                let part = bytes.and_then(|bytes| Part::from_bytes(&bytes));
                part.map_or(1, |part| part.len() as u64)
            });
            all.explored.open += open.sum::<u64>();
        }
        all.explored.dropped += self.lost;
        let stopped = stopped.map(|why| match stuck {
            0 => why,
            n => format!("{why} ({n} workers stopped inside an operation)"),
        });
        Ok(Outcome {
            workers: self.workers(),
            methods: self.places.methods(),
            rejected: self.rejected,
            totals: all.totals,
            explored: all.explored,
            has_nothing_left: stopped.is_none(),
            stopped,
        })
    }

    /// What a later run can go on from.
    fn checkpoint(&self) -> Checkpoint {
        let mut all = self.before.clone();
        all.add(&self.settled);
        for member in self.members.values() {
            let mut done = member.done.clone();
            done.explored = done.explored.settled(&member.counted);
            all.add(&done);
        }
        all.totals.instructions = self.places.instructions();
        Checkpoint::of(
            &self.plan.program,
            self.recorder,
            &self.places,
            self.dispatch.frontier(),
            (all.totals, all.explored),
            self.rejected.clone(),
        )
    }

    /// Writes what is left to explore when the run has to end, if there is time until this moment.
    fn keep_last_frontier(&mut self, end: Instant) {
        let kept = self.keeper.keep_last(self.checkpoint(), end);
        if let Ok(false) = kept {
            say::err!(
                "polypath: there was no time to write the last frontier: a run that goes on begins some seconds before the end of this one"
            );
        }
        self.note_frontier(kept.map(|_| ()));
    }

    fn note_frontier(&mut self, kept: std::io::Result<()>) {
        if let Err(e) = kept
            && !std::mem::replace(&mut self.frontier_failed, true)
        {
            say::err!(
                "polypath: the frontier cannot be written, this run cannot be gone on with: {e}"
            );
        }
    }

    /// The whole run so far.
    fn done(&self) -> Done {
        let mut all = self.before.clone();
        self.departed.iter().for_each(|part| all.add(part));
        self.members.values().for_each(|m| all.add(&m.done));
        all.totals.instructions = self.places.instructions();
        all
    }

    /// What `stats.json` says of each worker. One that died and the one in its place are one there.
    fn workers(&self) -> Vec<serde_json::Value> {
        let mut parts = self.departed.clone();
        for member in self.members.values() {
            parts[member.seat as usize].add(&member.done);
        }
        let worker = |done: &Done| {
            serde_json::json!({
                "completed_paths": done.completed,
                "partial_paths": done.partial,
                "instructions": done.totals.steps,
                "queries": done.totals.queries,
                "solver_time_s": done.totals.solver_time_s,
                "deaths": done.deaths,
            })
        };
        parts.iter().map(worker).collect()
    }

    /// Starts workers on free seats.
    fn hire(&mut self) -> anyhow::Result<()> {
        let free = |seat: &u32| !self.members.values().any(|m| m.seat == *seat);
        let seats: Vec<u32> = (0..self.plan.jobs).filter(free).collect();
        for seat in seats {
            self.born += 1;
            let id = WorkerId(self.born);
            let put = self.put.clone();
            let tell = move |event| put.send(event).is_ok();
            let started = Local::start(id, &["java", NAME], &self.plan.args, tell);
            let mut process = started.context("a worker cannot be started")?;
            let covered = self.places.all().iter().filter(|info| info.covered);
            let welcome = Welcome {
                entry: self.plan.program.entry.clone(),
                board: self.board_path.clone(),
                seat,
                memory: share_of_memory(self.plan.memory, self.plan.jobs),
                results: self.recorder.out.path().to_path_buf(),
                covered: covered.map(|info| info.place.clone()).collect(),
            };
            process.say(ToWorker::Welcome(bytes(&welcome).into()));
            let member = Member {
                process,
                seat,
                has_joined: false,
                has_ended: false,
                found: Vec::new(),
                numbers: Vec::new(),
                done: Done::default(),
                counted: Counted::default(),
            };
            self.members.insert(id, member);
        }
        Ok(())
    }

    /// Gives out work, and lets those who have much give.
    fn direct(&mut self) {
        if self.last_load.elapsed() >= TURN {
            self.last_load = Instant::now();
            for (&id, member) in &self.members {
                let (_, live) = self.board.seen_of(member.seat);
                self.dispatch.load(id, live);
            }
        }
        for (id, order) in self.dispatch.orders() {
            let message = match order {
                Order::Work(parts) => ToWorker::Work(parts),
                Order::Give(n) => ToWorker::Give(n),
                // Those are of another dispatcher.
                Order::Task { .. } => continue,
            };
            if let Some(member) = self.members.get_mut(&id) {
                member.process.say(message);
            }
        }
    }

    /// Hears what the workers say, for a moment.
    fn turn(&mut self) -> anyhow::Result<()> {
        if let Ok(event) = self.events.recv_timeout(TURN) {
            self.hear(event)?;
            while let Ok(event) = self.events.try_recv() {
                self.hear(event)?;
                if self.plan.stop.is_set() || self.recorder.is_due() {
                    break;
                }
            }
        }
        if self.recorder.is_due() {
            self.look();
        }
        Ok(())
    }

    /// Has the recorder look at the run as it is now.
    fn look(&mut self) {
        let mut cpu = Duration::ZERO;
        let mut memory = room::sample();
        for member in self.members.values() {
            let pid = member.process.pid();
            memory += room::resident_of(pid).unwrap_or(0);
            cpu += host::clock::time_of_process(pid).unwrap_or_default();
        }
        self.recorder.beside(cpu, memory);
        let all = self.done();
        self.recorder.look(Look {
            totals: &all.totals,
            places: &self.places,
        });
    }

    fn hear(&mut self, event: Event) -> anyhow::Result<()> {
        let (id, message) = match event {
            Event::Said(id, message) => (id, message),
            Event::Gone(id, None) => return self.gone(id),
            Event::Gone(id, Some(why)) => return self.give_up_on(id, &why),
        };
        let Some(member) = self.members.get_mut(&id) else {
            return Ok(());
        };
        match message {
            ToCoordinator::Hello { version, program } => {
                if let Err(why) = fits(&version, &program, &self.plan.program.entry) {
                    bail!(why);
                }
                member.has_joined = true;
                self.stillborn = 0;
                self.dispatch.join(id);
            }
            ToCoordinator::Found(found) => member.found.push(found),
            ToCoordinator::New(new) => self.dispatch.ahead(id, new),
            ToCoordinator::Commit(commit) => {
                if let Err(why) = self.take(id, commit) {
                    return self.give_up_on(id, &why);
                }
                // If there is no time for the rest, this is what is told.
                if self.is_ending {
                    self.look();
                }
            }
            ToCoordinator::Failed(why) => return self.give_up_on(id, &why),
        }
        Ok(())
    }

    /// Takes a commit: all of it, or nothing.
    fn take(&mut self, id: WorkerId, mut commit: fleet::Commit) -> Result<(), String> {
        let Some(member) = self.members.get_mut(&id) else {
            return Ok(());
        };
        let read = |e: postcard::Error| format!("what it found cannot be read: {e}");
        let report: Report = postcard::from_bytes(&commit.found).map_err(read)?;
        let mut paths: Vec<PathEnd> = Vec::new();
        for part in member.found.drain(..) {
            let part: Vec<PathEnd> = postcard::from_bytes(&part).map_err(read)?;
            paths.extend(part);
        }
        paths.extend(report.paths);
        let known = member.numbers.len() + report.places.len();
        if paths
            .iter()
            .flat_map(|p| &p.covered)
            .any(|&n| n as usize >= known)
        {
            return Err("it covered what it has not told of".into());
        }
        self.dispatch.commit(id, &mut commit)?;
        member.has_ended = commit.is_last;
        let places = report.places.into_iter();
        let numbers = places.map(|info: Info| self.places.take_in(info));
        member.numbers.extend(numbers);
        self.places.take_in_sources(report.sources);
        member.done.totals = report.totals;
        member.done.explored = report.explored;
        member.counted = report.counted;
        self.rejected.extend(report.rejected);
        if let Some(why) = report.failed {
            self.failed.get_or_insert(why);
        }
        let numbers = std::mem::take(&mut member.numbers);
        let (mut completed, mut partial) = (0, 0);
        let mut news: Vec<Place> = Vec::new();
        let all = self.done();
        for mut path in paths {
            path.covered = path.covered.iter().map(|&n| numbers[n as usize]).collect();
            path.covered.retain(|&number| self.places.cover(number));
            let all_places = self.places.all();
            news.extend(
                path.covered
                    .iter()
                    .map(|&n| &all_places[n as usize].place)
                    .cloned(),
            );
            let run = Look {
                totals: &all.totals,
                places: &self.places,
            };
            if self.recorder.write(path, run).is_complete() {
                completed += 1;
            } else {
                partial += 1;
            }
            // One commit may bring more tests than are written in a second.
            if self.recorder.is_due() {
                self.recorder.look(run);
            }
        }
        if let Some(member) = self.members.get_mut(&id) {
            member.numbers = numbers;
            member.done.completed += completed;
            member.done.partial += partial;
        }
        self.tell_others(id, &news);
        Ok(())
    }

    /// What one has covered the others need not look for.
    fn tell_others(&mut self, id: WorkerId, news: &[Place]) {
        if news.is_empty() {
            return;
        }
        for (_, member) in self.members.iter_mut().filter(|(other, _)| **other != id) {
            if member.has_joined && !member.has_ended {
                member.process.say(ToWorker::Covered(bytes(&news).into()));
            }
        }
    }

    /// A worker cannot be believed, or cannot work: its part goes to others.
    fn give_up_on(&mut self, id: WorkerId, why: &str) -> anyhow::Result<()> {
        if let Some(member) = self.members.get_mut(&id) {
            say::err!("polypath: a worker is ended: {why}");
            member.process.kill();
        }
        self.gone(id)
    }

    /// A worker has ended: what it had goes to others.
    fn gone(&mut self, id: WorkerId) -> anyhow::Result<()> {
        let Some(mut member) = self.members.remove(&id) else {
            return Ok(());
        };
        let (lease, _) = self.board.seen_of(member.seat);
        let Fate { death, words } = member.process.bury(member.has_ended);
        member.done.totals.jvm_s = member.done.totals.unheard_s;
        self.board.leave(member.seat);
        // Who has not begun when the run ends is ended by us.
        let settled = Done {
            explored: member.done.explored.clone().settled(&member.counted),
            deaths: u64::from(!member.has_ended),
            ..member.done.clone()
        };
        if member.has_ended || self.is_ending && !member.has_joined {
            self.dispatch.leave(id);
            self.departed[member.seat as usize].add(&member.done);
            self.settled.add(&settled);
            return Ok(());
        }
        self.departed[member.seat as usize].add(&settled);
        self.settled.add(&settled);
        if !member.has_joined {
            self.stillborn += death.weight();
            if self.stillborn >= STILLBORN {
                bail!("workers end before they begin ({words})");
            }
            return Ok(());
        }
        let ran = (lease != 0).then_some(Key(lease));
        if let Some(aside) = self.dispatch.died(id, ran, death) {
            let part = aside.0.and_then(|bytes| Part::from_bytes(&bytes));
            self.lost += part.map_or(1, |part| part.len() as u64);
            *self.recorder.endings.entry(Ending::Internal).or_default() += 1;
            say::err!(
                "polypath: a part of the program's paths crashed its workers and is left out, please report it"
            );
        }
        if !self.is_ending {
            let what = match death {
                Death::Crashed => "crashed",
                Death::Killed => "was killed",
            };
            say::err!("polypath: a worker {what} ({words}); its part goes to others");
        }
        Ok(())
    }

    /// The run ends, as all workers are told. Returns how many did not end by themselves.
    fn part_with_all(&mut self, word: &ToWorker, most: Duration) -> anyhow::Result<usize> {
        let end = Instant::now() + most;
        self.is_ending = true;
        self.look();
        for member in self.members.values_mut() {
            // Who has not begun has nothing to say.
            if member.has_joined {
                member.process.say(word.clone());
            } else {
                member.process.kill();
            }
        }
        while !self.members.is_empty() && Instant::now() < end {
            if let Ok(event) = self.events.recv_timeout(TURN) {
                self.hear(event)?;
            }
        }
        let stuck: Vec<WorkerId> = self.members.keys().copied().collect();
        let joined = self.members.values().filter(|m| m.has_joined).count();
        for id in stuck {
            if let Some(member) = self.members.get_mut(&id) {
                member.process.kill();
            }
            self.gone(id)?;
        }
        Ok(joined)
    }
}
