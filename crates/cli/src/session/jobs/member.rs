//! A worker's process, as the coordinator sees it.

use super::Halted;
use exec::Totals;
use fleet::{Death, Key, Prefix, ToCoordinator, ToWorker, WorkerId, frame};
use serde_bytes::ByteBuf;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::SyncSender;
use std::time::Duration;

/// How long a message to a worker may take: its side reads whatever it does, unless it is stopped.
const PATIENCE: Duration = Duration::from_secs(2);

/// What comes from a worker.
pub enum Event {
    Said(WorkerId, ToCoordinator),
    /// It said its last word; if that made no sense, why.
    Gone(WorkerId, Option<String>),
}

pub struct Member {
    child: Child,
    socket: UnixStream,
    pub seat: u32,
    /// Bytes that it may take; 0: no limit.
    pub memory: u64,
    /// It has said that it fits.
    pub has_joined: bool,
    /// It has said its last word, by itself.
    pub has_ended: bool,
    pub halted: Option<Halted>,
    /// What it said as a part of its next commit.
    pub found: Vec<ByteBuf>,
    pub new: Vec<(Key, Prefix)>,
    /// As of its last commit.
    pub totals: Totals,
    pub parked: BTreeMap<String, u64>,
    /// Of those, what stays true when what it has left to explore goes to others.
    pub settled: Totals,
}

impl Member {
    /// Starts a worker with the run's arguments. Call it from the thread that waits for the workers.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn start(
        id: WorkerId,
        seat: u32,
        args: &[OsString],
        events: SyncSender<Event>,
    ) -> std::io::Result<Member> {
        let (socket, theirs) = UnixStream::pair()?;
        socket.set_write_timeout(Some(PATIENCE))?;
        let mut command = Command::new(std::env::current_exe()?);
        command
            .arg("worker")
            .args(args)
            .stdin(Stdio::from(OwnedFd::from(theirs)));
        host::child::tie_worker(&mut command);
        let child = command.spawn()?;
        // The command holds their end of the connection.
        drop(command);
        let mut from = socket.try_clone()?;
        std::thread::Builder::new()
            .name(format!("worker {}", id.0))
            .spawn(move || {
                let why = loop {
                    match frame::read(&mut from) {
                        Ok(message) => {
                            if events.send(Event::Said(id, message)).is_err() {
                                return;
                            }
                        }
                        Err(frame::FrameError::Closed | frame::FrameError::Io(_)) => break None,
                        Err(other) => break Some(other.to_string()),
                    }
                };
                // Nobody listens any more if the run has ended.
                let _ = events.send(Event::Gone(id, why));
            })?;
        Ok(Member {
            child,
            socket,
            seat,
            memory: 0,
            has_joined: false,
            has_ended: false,
            halted: None,
            found: Vec::new(),
            new: Vec::new(),
            totals: Totals::default(),
            parked: BTreeMap::new(),
            settled: Totals::default(),
        })
    }

    /// The number of its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Says something to it. One that cannot be reached is killed, which is told as its death.
    pub fn say(&mut self, message: &ToWorker) {
        if frame::write(&mut self.socket, message).is_err() {
            self.kill();
        }
    }

    /// Ends it.
    pub fn kill(&mut self) {
        // It may be dead already.
        let _ = self.child.kill();
    }

    /// Its numbers as of a commit, with the parked sides that are left to explore.
    pub fn counts(&mut self, totals: Totals, parked: BTreeMap<String, u64>) {
        // What is alive when the run has to end is counted as ended, but a later run may go on with it.
        if !(self.has_ended && self.halted.is_some()) {
            self.settled = without_gauges(totals.clone(), &parked);
        }
        self.totals = totals;
        self.parked = parked;
    }

    /// Waits for its end, which is near: how it died, and in which words.
    pub fn bury(mut self) -> (Death, String, Totals) {
        // It has closed its connection: it is about to end, or can do nothing any more.
        if !self.has_ended {
            std::thread::sleep(Duration::from_millis(5));
            if !matches!(self.child.try_wait(), Ok(Some(_))) {
                self.kill();
            }
        }
        let (how, words) = match self.child.wait() {
            Ok(status) => {
                let asked = [libc::SIGKILL, libc::SIGTERM, libc::SIGINT, libc::SIGHUP];
                let is_killed = status.signal().is_some_and(|s| asked.contains(&s));
                let how = if is_killed {
                    Death::Killed
                } else {
                    Death::Crashed
                };
                (how, status.to_string())
            }
            Err(e) => (Death::Crashed, e.to_string()),
        };
        (how, words, without_gauges(self.totals, &self.parked))
    }
}

/// The numbers that stay true when what is left to explore goes to others: `parked` of the parked sides do.
pub fn without_gauges(mut totals: Totals, parked: &BTreeMap<String, u64>) -> Totals {
    let n = &mut totals.counters;
    n.live = 0;
    n.memory_bytes = 0;
    for (why, &sides) in parked {
        n.parked = n.parked.saturating_sub(sides);
        if let Some(of) = n.parked_by.get_mut(why.as_str()) {
            *of = of.saturating_sub(sides);
        }
    }
    totals.losses.set(exec::Loss::Parked, n.parked);
    totals.terms = 0;
    totals
}
