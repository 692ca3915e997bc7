//! A worker's process from its first message on, in any language: the plan of the run, its seat, its limits, and the
//! connection.

use super::board::{Board, Seat};
use super::link::Link;
use super::{PART, Welcome};
use crate::exit::Exit;
use crate::plan::Plan;
use crate::record::Cases;
use anyhow::{Context, bail};
use fleet::{ToWorker, frame};
use host::{Stop, Watchdog};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::time::Instant;

/// See the module.
pub struct Hired {
    /// The plan of the run.
    pub plan: Plan,
    pub(crate) welcome: Welcome,
    pub(crate) seat: Rc<Seat>,
    /// When the run began.
    started: Instant,
    socket: UnixStream,
    watchdog: Watchdog,
}

impl Hired {
    /// Waits for the first message on standard input, and enforces the limits in it.
    ///
    /// # Errors
    /// It was not started by a run, or by one of another version of polypath.
    pub fn new() -> anyhow::Result<Hired> {
        let mut socket = UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned()?);
        let said = frame::read(&mut socket);
        let Ok(ToWorker::Welcome(welcome)) = said else {
            bail!("`polypath {PART}` is started by `polypath run` and `polypath worker`");
        };
        let welcome: Welcome =
            postcard::from_bytes(&welcome).context("another version's welcome")?;
        let plan = serde_json::from_str(&welcome.plan).context("another version's plan")?;
        let now = Instant::now();
        let started = now.checked_sub(welcome.elapsed).unwrap_or(now);
        exec::limit_memory(welcome.memory);
        let watchdog =
            Watchdog::of_worker(Exit::Failed.into()).context("cannot watch the worker")?;
        let board = Board::open(&welcome.board).context("the run's shared memory")?;
        let number = welcome.seat;
        Ok(Hired {
            plan,
            welcome,
            seat: Rc::new(Seat { board, number }),
            started,
            socket,
            watchdog,
        })
    }

    /// Set when the worker has to end.
    pub(crate) fn stop(&self) -> Stop {
        self.watchdog.stop()
    }

    /// Reports that it is ready to explore the program with this hash. Tests of a reproducible run have no times.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn ready(&self, program: String, cases: Cases) -> anyhow::Result<Link> {
        let (socket, seat) = (self.socket.try_clone()?, self.seat.clone());
        let started = (!self.welcome.has_task).then_some(self.started);
        let mut link = Link::new(socket, cases, seat, self.stop(), started)?;
        link.greet(program);
        Ok(link)
    }
}
