//! A worker's process from its first message on, in any language: the plan of the run, its seat, its limits, and the
//! connection.

use super::board::{Board, Seat};
use super::link::Link;
use super::task::{Known, TaskLink};
use super::{PART, Welcome};
use crate::exit::Exit;
use crate::plan::Plan;
use crate::record::Cases;
use anyhow::{Context, bail};
use explore::{Budget, Commons, Exploration};
use fleet::{ToWorker, frame};
use host::{Stop, Watchdog};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::time::Instant;

/// Seconds of processor time for one query of a task.
const LONG_QUERY_S: f64 = 60.0;

/// What a worker explores, and beside whom.
pub(crate) struct Role {
    /// What it shares with the others.
    pub commons: Rc<dyn Commons>,
    /// Of its random choices.
    pub seed: u64,
    /// Of a task of a run in rounds: what it may take.
    pub budget: Option<Budget>,
}

impl Role {
    /// Seconds of processor time for one query if the user wants so many. Effort limits those of a task: the clock is for what nobody
    /// has thought of, and then the run says so.
    pub fn query_s(&self, asked: f64) -> f64 {
        let least = self.budget.map_or(0.0, |_| LONG_QUERY_S);
        asked.max(least)
    }
}

/// See the module.
pub struct Hired {
    /// The plan of the run.
    pub plan: Plan,
    pub(crate) welcome: Welcome,
    pub(crate) seat: Rc<Seat>,
    /// When the run began.
    pub(crate) started: Instant,
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

    /// Explores what comes over this connection, as `begin` says.
    ///
    /// # Errors
    /// It cannot begin.
    pub(crate) fn explore(
        &self,
        mut link: Link,
        begin: impl FnOnce(Role) -> anyhow::Result<Box<dyn Exploration>>,
    ) -> anyhow::Result<Exit> {
        let seed = self.plan.search.seed;
        if !self.welcome.has_task {
            let mut all = begin(Role {
                commons: self.seat.clone(),
                seed: seed.wrapping_add(u64::from(self.welcome.number)),
                budget: None,
            })?;
            let halt = all.run(&mut link);
            link.finish(&mut *all, halt);
            all.end();
            return Ok(Exit::Nothing);
        }
        let Some(task) = link.task() else {
            link.part();
            return Ok(Exit::Nothing);
        };
        let most = &task.budget;
        let others = self.plan.limits.max_forks.saturating_sub(most.most_forks);
        let known = Known::new(self.seat.clone(), &task.known, others);
        let known = known.context("another version's task")?;
        let covered = known.covered();
        let mut all = begin(Role {
            commons: Rc::new(known),
            seed: seed.wrapping_add(task.number),
            budget: Some(Budget {
                work: most.work,
                forks: most.forks,
                retries: most.retries,
            }),
        })?;
        if let Some(mut link) = TaskLink::new(link, &mut *all, &task, covered) {
            let halt = all.run(&mut link);
            link.finish(&mut *all, halt);
        }
        all.end();
        Ok(Exit::Nothing)
    }
}
