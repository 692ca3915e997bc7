//! `polypath java part`: a worker, which explores a part of a run. `polypath java run` starts it with the run's own options. Its
//! standard input is a socket that leads there.

use super::super::explored::Explored;
use super::super::options::RunArgs;
use super::super::replay::tools;
use super::{Report, Welcome};
use crate::exit::Exit;
use crate::session::jobs::board::{Board, Seat};
use crate::session::jobs::link::bytes;
use crate::session::jobs::wire::{AHEAD, Wire};
use anyhow::{Context, anyhow, bail};
use dse::{Explorer, List, Target as _};
use exec::Commons as _;
use fleet::{Change, Commit, Prefix, ToCoordinator, ToWorker, frame};
use host::{Stop, Watchdog};
use jvm::{Java, Kit, Look, Observer, Part, PathEnd, Place};
use std::cell::RefCell;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The name of the command.
pub const NAME: &str = "part";
/// Between two commits, at first and later.
const PAUSE_FIRST: Duration = Duration::from_millis(50);
const PAUSE: Duration = Duration::from_secs(1);

/// Keeps the paths until they are told of.
#[derive(Clone, Default)]
struct Ended {
    paths: Rc<RefCell<Vec<PathEnd>>>,
}

impl Observer for Ended {
    fn ended(&mut self, path: PathEnd, _: Look<'_>) {
        self.paths.borrow_mut().push(path);
    }

    fn tick(&mut self, _: Look<'_>) {}
}

/// Explores what the run gives.
///
/// # Errors
/// Nobody has started it, or the program cannot be run.
pub fn run(args: &RunArgs) -> anyhow::Result<Exit> {
    let mut socket = UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    let Ok(ToWorker::Welcome(welcome)) = frame::read(&mut socket) else {
        bail!("`polypath java {NAME}` is started by `polypath java run`");
    };
    let welcome: Welcome = postcard::from_bytes(&welcome).context("another version's welcome")?;
    exec::limit_memory(welcome.memory);
    let watchdog = Watchdog::of_worker(Exit::Failed.into()).context("cannot watch the worker")?;
    let stop = watchdog.stop();
    let seat = Rc::new(Seat {
        board: Board::open(&welcome.board).context("the run's shared memory")?,
        number: welcome.seat,
    });
    let kit = Kit::ensure(tools()?, &mut |_| {})?;
    let strategy = args.strategy(welcome.seat)?;
    let entry = welcome.entry.clone();
    let mut options = args.program(kit, entry, &welcome.results, welcome.seat)?;
    options.covered = welcome.covered;
    let (ended, memory) = (Ended::default(), welcome.memory);
    let mut observer = ended.clone();
    let target = Java::new(options, args.solver(true)?, stop, memory, &mut observer);
    let mut target = target.map_err(|e| anyhow!("{e}"))?;
    target.put_aside_on(super::shelf(&welcome.results, memory));
    let shared = seat.clone();
    target.tell_works_on(Box::new(move |key| shared.works_on(key)));
    let mut part = Worker {
        explorer: Explorer::shared(1, strategy, args.explorer(stop)?),
        target,
        list: List::default(),
        wire: Wire::new(socket, stop)?,
        seat,
        stop,
        ended,
        places: 0,
        sources: 0,
        last_commit: Instant::now(),
        pause: PAUSE_FIRST,
    };
    part.wire.greet(welcome.entry);
    part.explore();
    if let Some(why) = part.target.refused_aside() {
        say::err!("polypath: open branches could not be put aside: {why}");
    }
    // It dies with the process: taking it apart costs more than it gives. But the JVM ends first, so that its time is counted.
    let Worker {
        explorer, target, ..
    } = part;
    drop(target.into_places());
    std::mem::forget(explorer);
    Ok(Exit::Nothing)
}

/// See the module.
struct Worker<'a> {
    explorer: Explorer,
    target: Java<'a>,
    /// What it has to explore, as the coordinator knows it.
    list: List,
    wire: Wire,
    seat: Rc<Seat>,
    stop: Stop,
    ended: Ended,
    /// How many places and source files it has told of.
    places: usize,
    sources: usize,
    last_commit: Instant,
    pause: Duration,
}

impl Worker<'_> {
    fn explore(&mut self) {
        while self.target.must_end().is_none() {
            self.look();
            if !self.explorer.step(&mut self.target) && !self.wait() {
                break;
            }
        }
        self.commit(Commit {
            is_last: true,
            ..Commit::default()
        });
    }

    /// Between two steps.
    fn look(&mut self) {
        self.seat.has(self.explorer.live() + self.target.aside());
        for message in self.wire.mail() {
            self.obey(message);
        }
        self.send_ahead();
        if self.last_commit.elapsed() > self.pause {
            self.commit(Commit::default());
        }
    }

    /// There is nothing to do: waits for work. Returns whether there will be any.
    fn wait(&mut self) -> bool {
        self.seat.has(0);
        self.commit(Commit {
            is_idle: true,
            ..Commit::default()
        });
        while !self.stop.is_set() {
            match self.wire.next() {
                Some(ToWorker::Finish) | None => return false,
                Some(message) => {
                    self.obey(message);
                    if self.explorer.live() > 0 || self.explorer.has_parked() {
                        break;
                    }
                }
            }
        }
        true
    }

    fn obey(&mut self, message: ToWorker) {
        match message {
            ToWorker::Work(parts) => {
                for (key, bytes) in parts {
                    if let Err(why) = self.adopt(key.0, &bytes) {
                        self.wire.say(&ToCoordinator::Failed(why));
                    }
                }
            }
            ToWorker::Give(n) => {
                let given = self.explorer.give(n as usize);
                let size: usize = given.iter().map(dse::Part::len).sum();
                let bytes = |part| Prefix::from(Part::of(&self.target, part).to_bytes());
                let mut given: Vec<Prefix> = given.iter().map(bytes).collect();
                let aside = self.target.give_aside((n as usize).saturating_sub(size));
                given.extend(aside.into_iter().map(Prefix::from));
                self.commit(Commit {
                    answers: true,
                    is_idle: self.explorer.live() == 0,
                    change: Change {
                        given,
                        ..Change::default()
                    },
                    ..Commit::default()
                });
            }
            ToWorker::Covered(places) => {
                let places: Vec<Place> = match postcard::from_bytes(&places) {
                    Ok(places) => places,
                    Err(e) => return self.wire.say(&ToCoordinator::Failed(e.to_string())),
                };
                for place in places {
                    if let Some(number) = self.target.covered_elsewhere(place) {
                        self.explorer.covered(number);
                    }
                }
            }
            // The flag is set already, the end of the waiting is looked for there, and the others are not said to such workers.
            ToWorker::Stop(_)
            | ToWorker::Finish
            | ToWorker::Welcome(_)
            | ToWorker::Memory(_)
            | ToWorker::Task(_) => {}
        }
    }

    fn adopt(&mut self, key: u64, bytes: &[u8]) -> Result<(), String> {
        let part = Part::from_bytes(bytes)?;
        if part.start != 0 {
            return Err(format!("the program has no start {}", part.start));
        }
        let part = part.part(&mut self.target)?;
        self.list.adopt(key);
        self.explorer.adopt(part, key);
        Ok(())
    }

    /// Sends paths ahead of the next commit if there are many.
    fn send_ahead(&mut self) {
        let mut paths = self.ended.paths.borrow_mut();
        let size: usize = paths.iter().map(size).sum();
        if size > AHEAD {
            let ahead = bytes(&std::mem::take(&mut *paths));
            self.wire.say(&ToCoordinator::Found(ahead.into()));
        }
    }

    /// Tells what has changed and what was found.
    fn commit(&mut self, mut commit: Commit) {
        self.send_ahead();
        let Worker {
            explorer,
            target,
            list,
            wire,
            ..
        } = self;
        let (change, counted) = wire.tell_changes(|new| {
            let mut list = list.update(false, new);
            let of = &*target;
            let parked = explorer.each_part(&mut |ticket, part| {
                list.entry(&mut ticket.key, &mut ticket.is_told, || {
                    Part::of(of, &part()).to_bytes()
                });
            });
            target.each_aside(&mut |ticket, bytes| {
                list.entry(&mut ticket.key, &mut ticket.is_told, || bytes);
            });
            for (why, sides) in parked {
                list.parked(why, sides);
            }
            list.finish()
        });
        commit.change.gone = change.gone;
        commit.change.new = change.new;
        let all = target.places();
        let mut report = Report {
            paths: std::mem::take(&mut *self.ended.paths.borrow_mut()),
            places: all.all()[self.places..].to_vec(),
            explored: Explored::of(
                &explorer.stats,
                explorer.left_open() + explorer.cut() + target.aside(),
            ),
            counted,
            ..Report::default()
        };
        self.places = all.all().len();
        if all.sources().len() > self.sources {
            self.sources = all.sources().len();
            report.sources = all.sources().clone();
        }
        report.totals = target.totals();
        if commit.is_last {
            report.rejected = target.rejected().to_vec();
            report.failed = target.failed().map(str::to_string);
        }
        commit.found = bytes(&report).into();
        wire.say(&ToCoordinator::Commit(commit));
        self.seat.has(self.explorer.live());
        self.last_commit = Instant::now();
        self.pause = (2 * self.pause).min(PAUSE);
    }
}

/// Bytes that a path takes in a message, about.
fn size(path: &PathEnd) -> usize {
    let input: usize = path
        .input
        .iter()
        .map(|p| p.name.len() + p.bytes.len() + 8)
        .sum();
    64 + input + path.output.len()
}
