//! The thread that enforces the limits of a run.
//!
//! It owns the clocks and the signals. At a limit or a signal it sets the [`Stop`] and kills the children; the run is
//! then expected to end by itself. If it has not after a grace period, because it is inside something that does not
//! look at the flag, the thread itself writes the last words and ends the process. So a limit holds whatever the run
//! is doing; looking at the flag only makes the end more complete.

use crate::stop::{Cause, Stop};
use crate::{child, clock, signals};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often clocks, signals and guards are looked at.
const PERIOD: Duration = Duration::from_millis(10);
/// What the run may take after a signal before its end is taken over.
const SIGNAL_GRACE: Duration = Duration::from_millis(350);
/// After memory ran over: it grows on meanwhile.
const MEMORY_GRACE: Duration = Duration::from_millis(150);
/// The same after a limit: this part of the limit, between these.
const TIME_GRACE: u32 = 33;
const LEAST_GRACE: Duration = Duration::from_millis(400);
const MOST_GRACE: Duration = Duration::from_millis(800);

/// Limits in time; `None` is none.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimits {
    /// When the command began.
    pub started: Instant,
    /// Wall-clock time since [`TimeLimits::started`].
    pub wall: Option<Duration>,
    /// Processor time of this process. That of its children does not count: whether the program's IR came from the cache
    /// must not change what a run finds.
    pub cpu: Option<Duration>,
}

impl TimeLimits {
    fn reached(&self) -> Option<Cause> {
        if self.wall.is_some_and(|wall| self.started.elapsed() >= wall) {
            return Some(Cause::Time);
        }
        let is_spent = |cpu| clock::process_time() >= cpu;
        self.cpu.is_some_and(is_spent).then_some(Cause::CpuTime)
    }

    /// How long the run may take to end by itself for this reason.
    pub fn grace(&self, cause: Cause) -> Duration {
        let part = |limit: Option<Duration>| {
            (limit.unwrap_or_default() / TIME_GRACE).clamp(LEAST_GRACE, MOST_GRACE)
        };
        match cause {
            Cause::Signal => SIGNAL_GRACE,
            Cause::Time => part(self.wall),
            Cause::CpuTime => part(self.cpu),
            Cause::FirstLook => LEAST_GRACE,
            Cause::Memory => MEMORY_GRACE,
        }
    }
}

/// Says the last words and gives the exit status. It runs beside whatever the run is stuck in: it must wait for no
/// lock that the run may hold for long.
pub type Ending = Box<dyn FnOnce(Cause) -> u8 + Send>;

/// Something else that can end the run; looked at every 10 ms.
pub type Guard = Box<dyn FnMut() -> Option<Cause> + Send>;

struct WatchState {
    /// `None` once somebody has taken it: then the process is ending.
    ending: Mutex<Option<Ending>>,
    guards: Mutex<Vec<Guard>>,
}

/// The thread, as the run sees it.
pub struct Watchdog {
    stop: Stop,
    limits: TimeLimits,
    shared: Arc<WatchState>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watchdog {
    /// Begins to watch. Until [`Self::on_end`] says better, `status` is the process's if it has to be ended.
    ///
    /// # Errors
    /// When the handlers cannot be installed or the thread does not start.
    pub fn start(limits: TimeLimits, status: u8) -> io::Result<Watchdog> {
        signals::listen()?;
        Watchdog::begin(limits, status)
    }

    /// Begins to watch a process that works for another one, which holds the limits and says when the run has to end.
    /// Signals mean what they mean to any process.
    ///
    /// # Errors
    /// When the thread does not start.
    pub fn of_worker(status: u8) -> io::Result<Watchdog> {
        let none = TimeLimits {
            started: Instant::now(),
            wall: None,
            cpu: None,
        };
        Watchdog::begin(none, status)
    }

    fn begin(limits: TimeLimits, status: u8) -> io::Result<Watchdog> {
        let stop = Stop::new();
        let shared = Arc::new(WatchState {
            ending: Mutex::new(Some(Box::new(move |_| status))),
            guards: Mutex::default(),
        });
        let watched = shared.clone();
        std::thread::Builder::new()
            .name("watchdog".into())
            .spawn(move || watch(limits, stop, &watched))?;
        Ok(Watchdog {
            stop,
            limits,
            shared,
        })
    }

    /// The flag that it sets.
    pub fn stop(&self) -> Stop {
        self.stop
    }

    /// How long the run may take to end by itself, at least.
    pub fn grace(&self) -> Duration {
        SIGNAL_GRACE
    }

    /// The limits that it holds.
    pub fn limits(&self) -> TimeLimits {
        self.limits
    }

    /// Another reason to end.
    pub fn guard(&self, guard: Guard) {
        lock(&self.shared.guards).push(guard);
    }

    /// What to do when the run does not end by itself. Does not return if that is being done already.
    pub fn on_end(&self, ending: Ending) {
        let mut slot = lock(&self.shared.ending);
        if slot.is_none() {
            drop(slot);
            loop {
                std::thread::park(); // until the process ends
            }
        }
        *slot = Some(ending);
    }

    /// All is written: from now on only the status is left to be given.
    pub fn settle(&self, status: u8) {
        self.on_end(Box::new(move |_| status));
    }
}

fn watch(limits: TimeLimits, stop: Stop, shared: &WatchState) {
    let mut since = None;
    loop {
        std::thread::sleep(PERIOD);
        stop.beat();
        if !stop.is_set() {
            let guarded = || lock(&shared.guards).iter_mut().find_map(|guard| guard());
            let came = signals::came().then_some(Cause::Signal);
            if let Some(cause) = came.or_else(|| limits.reached()).or_else(guarded) {
                stop.set(cause);
            }
        }
        let Some(cause) = stop.cause() else { continue };
        let begun = *since.get_or_insert_with(|| {
            child::kill_all();
            Instant::now()
        });
        if begun.elapsed() >= limits.grace(cause)
            && let Some(ending) = lock(&shared.ending).take()
        {
            let status = ending(cause);
            crate::end_now(i32::from(status));
        }
    }
}
