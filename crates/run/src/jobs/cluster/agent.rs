//! A node's side: it starts workers for a run on another machine, and passes on the messages of both.

use super::super::board::Board;
use super::super::local::Local;
use super::super::member::{Carrier, Event};
use super::super::{LEAST_MEMORY, Spill, Welcome, link, share_of_memory};
use super::program::{self, Unpacked};
use super::{Job, hall};
use anyhow::{Context, anyhow, bail, ensure};
use explore::Place;
use fleet::net::Connection;
use fleet::net::message::{FromNode, Seen, ToNode};
use fleet::net::sealed::Sealer;
use fleet::{Death, ToCoordinator, ToWorker, WorkerId, frame};
use host::blob::Blob;
use std::collections::{BTreeMap, HashSet};
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// Interval between two reports about the workers; a worker that has states to spare and had none is reported at the
/// next look.
const TELL_EVERY: Duration = Duration::from_millis(100);
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// Messages that wait to be passed on: then further senders wait, too.
const BACKLOG: usize = 16;

/// The resources that a node gives to the run.
pub struct Means {
    /// Processes that explore.
    pub workers: u32,
    /// Bytes of memory for all of them; 0: no limit. `None`: the run decides.
    pub memory: Option<u64>,
    /// Room on disk for all of them, for states that wait while memory is short.
    pub spill: Option<Spill>,
}

/// An event for a node.
enum Heard {
    Run(ToNode),
    /// The run is gone, for this reason.
    RunGone(String),
    Worker(Event),
}

struct Worker {
    process: Local,
    /// Its place on the board.
    seat: u32,
    /// It has sent its last message.
    has_ended: bool,
    /// Live states, as last reported to the run.
    told: u64,
}

/// See the module.
struct Agent {
    to: Sealer<TcpStream>,
    put: SyncSender<Heard>,
    board: Board,
    ir: Blob,
    /// What was made for a program that is not its IR.
    unpacked: Option<Unpacked>,
    /// Bytes that each worker may take, and its room on disk.
    share: u64,
    spill: Option<Spill>,
    places: u32,
    workers: BTreeMap<u32, Worker>,
    /// The places that are certainly covered, by all nodes.
    covered: HashSet<Place>,
    /// Forks elsewhere.
    others: u64,
}

/// Works for the run until it ends.
///
/// # Errors
/// The run is gone, refuses, or makes no sense.
pub fn work(mut connection: Connection, means: &Means) -> anyhow::Result<()> {
    let first = connection.from.message().context("the run sends nothing")?;
    let ToNode::Job { program, job } = first else {
        bail!("the run makes no sense");
    };
    let job: Job = postcard::from_bytes(&job).context("the run makes no sense")?;
    let share = share_of_memory(means.memory.unwrap_or(job.memory), means.workers);
    ensure!(
        share == 0 || share >= LEAST_MEMORY,
        "each of {} workers would have {} MiB of memory, at least {} are needed: --memory, --jobs",
        means.workers,
        share >> 20,
        LEAST_MEMORY >> 20
    );
    let bytes = program::fetch(&job.form, &program, &mut connection)?;
    let unpacked = match program::prepare(&job.form, &bytes, &mut connection) {
        Ok(unpacked) => unpacked,
        Err(why) => {
            // The run tells its user.
            let unfit = FromNode::Unfit(format!("{why:#}"));
            return Err(match frame::write(&mut connection.to, &unfit) {
                Ok(()) => why,
                Err(gone) => why.context(format!("the run is gone: {gone}")),
            });
        }
    };
    let sites = usize::try_from(job.sites).context("the run makes no sense")?;
    let (put, heard) = sync_channel(BACKLOG);
    let Connection { mut from, to, .. } = connection;
    let mut agent = Agent {
        to,
        put: put.clone(),
        board: Board::new(means.workers, sites).context("no memory to share with workers")?,
        ir: Blob::new(if unpacked.is_some() { &[0] } else { &bytes })
            .context("no memory to share with workers")?,
        unpacked,
        share,
        spill: means.spill.clone().map(|spill| Spill {
            bytes: spill.bytes / u64::from(means.workers),
            ..spill
        }),
        places: means.workers,
        workers: BTreeMap::new(),
        covered: HashSet::new(),
        others: 0,
    };
    drop(bytes);
    agent.say(&FromNode::Ready {
        workers: means.workers,
    })?;
    std::thread::Builder::new()
        .name("from the run".into())
        .spawn(move || {
            loop {
                let said = match from.message() {
                    Ok(message) => Heard::Run(message),
                    Err(why) => Heard::RunGone(hall::words(&why)),
                };
                let is_last = matches!(said, Heard::RunGone(_));
                if put.send(said).is_err() || is_last {
                    return;
                }
            }
        })?;
    agent.attend(&heard)
}

impl Agent {
    fn say(&mut self, message: &FromNode) -> anyhow::Result<()> {
        frame::write(&mut self.to, message).map_err(|e| anyhow!("the run is gone: {e}"))
    }

    fn attend(mut self, heard: &Receiver<Heard>) -> anyhow::Result<()> {
        let mut next_look = Instant::now();
        let mut next_told = next_look;
        loop {
            let now = Instant::now();
            if now >= next_look {
                next_look = now + LOOK_EVERY;
                if now >= next_told || self.has_news() {
                    next_told = now + TELL_EVERY;
                    let seen = self.seen();
                    self.say(&FromNode::Seen(seen))?;
                }
            }
            match heard.recv_timeout(next_look.saturating_duration_since(now)) {
                Ok(Heard::Run(ToNode::Finished)) => return Ok(()),
                Ok(Heard::Run(message)) => self.obey(message)?,
                Ok(Heard::RunGone(why)) => bail!("the run is gone: {why}"),
                Ok(Heard::Worker(event)) => self.pass_on(event)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => unreachable!("the node holds a sender"),
            }
        }
    }

    /// Has a worker states to spare that had none at the last report?
    fn has_news(&self) -> bool {
        self.workers
            .values()
            .any(|w| w.told <= 1 && self.board.seen_of(w.seat).1 > 1)
    }

    fn seen(&mut self) -> Seen {
        let (mut memory, mut cpu) = (room::sample(), host::clock::family_time());
        for pid in self.workers.values().map(|w| w.process.pid()) {
            memory += room::resident_of(pid).unwrap_or(0);
            cpu += host::clock::time_of_process(pid).unwrap_or_default();
        }
        let board = &self.board;
        let workers = self.workers.iter_mut().map(|(&number, worker)| {
            let (lease, live) = board.seen_of(worker.seat);
            worker.told = live;
            (number, lease, live)
        });
        Seen {
            workers: workers.collect(),
            forks: self.board.forks() - self.others,
            memory,
            cpu_ms: cpu.as_millis() as u64,
        }
    }

    fn obey(&mut self, message: ToNode) -> anyhow::Result<()> {
        match message {
            ToNode::Start { worker, welcome } => {
                if let Err(e) = self.start(worker, &welcome) {
                    self.say(&FromNode::Ended {
                        worker,
                        lease: 0,
                        crashed: true,
                        how: format!("{e:#}"),
                    })?;
                }
            }
            ToNode::Say { worker, message } => {
                if let Some(worker) = self.workers.get_mut(&worker) {
                    worker.process.say(message);
                }
            }
            ToNode::Kill { worker } => {
                if let Some(worker) = self.workers.get_mut(&worker) {
                    worker.process.kill();
                }
            }
            ToNode::Covered(places) => {
                for &place in &places {
                    self.board.claim(place);
                }
                self.covered.extend(places);
            }
            ToNode::Forks(others) => {
                self.board.add_forks(others.saturating_sub(self.others));
                self.others = self.others.max(others);
            }
            ToNode::Refused(why) => bail!("the run refuses this machine: {why}"),
            ToNode::Alive | ToNode::Finished => {}
            ToNode::Job { .. } | ToNode::Program(_) => bail!("the run makes no sense"),
        }
        Ok(())
    }

    fn start(&mut self, number: u32, welcome: &[u8]) -> anyhow::Result<()> {
        let welcome: Welcome =
            postcard::from_bytes(welcome).context("another version's welcome")?;
        let is_taken = |seat: &u32| self.workers.values().any(|w| w.seat == *seat);
        let seat = (0..self.places).find(|seat| !is_taken(seat));
        let seat = seat.context("there is no room for a further worker")?;
        let unpacked = self.unpacked.as_ref();
        let place = unpacked.map(|unpacked| unpacked.place.path().to_owned());
        let welcome = Welcome {
            class_path: unpacked.map(|unpacked| unpacked.class_path.clone()),
            results: place.unwrap_or(welcome.results),
            seat,
            board: self.board.path().context("no memory to share")?,
            ir: self.ir.path(),
            memory: self.share,
            spill: self.spill.clone(),
            ..welcome
        };
        let put = self.put.clone();
        let tell = move |event| put.send(Heard::Worker(event)).is_ok();
        let process = Local::start(WorkerId(number), tell);
        let mut process = process.context("a worker cannot be started")?;
        process.say(ToWorker::Welcome(link::bytes(&welcome).into()));
        let worker = Worker {
            process,
            seat,
            has_ended: false,
            told: 0,
        };
        self.workers.insert(number, worker);
        Ok(())
    }

    fn pass_on(&mut self, event: Event) -> anyhow::Result<()> {
        match event {
            Event::Said(WorkerId(number), message) => {
                if let (Some(worker), ToCoordinator::Commit(commit)) =
                    (self.workers.get_mut(&number), &message)
                {
                    worker.has_ended |= commit.is_last;
                }
                let worker = number;
                self.say(&FromNode::Said { worker, message })
            }
            Event::Gone(WorkerId(number), nonsense) => {
                let Some(mut worker) = self.workers.remove(&number) else {
                    return Ok(());
                };
                if nonsense.is_some() {
                    worker.process.kill();
                }
                let fate = worker.process.bury(worker.has_ended);
                let (lease, _) = self.board.seen_of(worker.seat);
                self.board.leave(worker.seat);
                // Nobody has seen what it has just claimed to cover.
                self.board.set_claimed(&self.covered);
                self.say(&FromNode::Ended {
                    worker: number,
                    lease,
                    crashed: fate.death == Death::Crashed,
                    how: nonsense.unwrap_or(fate.words),
                })
            }
        }
    }
}
