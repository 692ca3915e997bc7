//! Brings what is left to explore to the disk, now and then, by a thread of its own: it may be much, and the run waits for
//! nothing.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use testcase::frontier::{self, Journal};

/// Between two times that the frontier is written, at least; longer if that takes long: this part of the time is spent on
/// it at most.
const EVERY: Duration = Duration::from_secs(3);
const PART: u32 = 50;

/// The frontier of a run.
pub trait Left: Send + 'static {
    /// Writes it whole, unless that is revoked on the way.
    ///
    /// # Errors
    /// It cannot be written, or was revoked.
    fn write(self, journal: &mut Journal, revoked: &dyn Fn() -> bool) -> io::Result<()>;
}

/// See the module.
pub struct Keeper {
    dir: PathBuf,
    next: Instant,
    writing: Option<JoinHandle<io::Result<Duration>>>,
    give_up: Arc<AtomicBool>,
}

impl Keeper {
    /// For the run that writes into this directory from now on.
    pub fn new(dir: &Path, now: Instant) -> Keeper {
        Keeper {
            dir: dir.to_owned(),
            next: now,
            writing: None,
            give_up: Arc::default(),
        }
    }

    /// Is it time to write again?
    pub fn is_due(&self, now: Instant) -> bool {
        let is_writing = self.writing.as_ref().is_some_and(|w| !w.is_finished());
        !is_writing && now >= self.next
    }

    /// Begins to write the frontier.
    ///
    /// # Errors
    /// It cannot be written, or could not be the last time.
    pub fn keep(&mut self, left: impl Left, now: Instant) -> io::Result<()> {
        let took = self.finish()?;
        self.next = now + EVERY.max(took * PART);
        let (dir, give_up) = (self.dir.clone(), self.give_up.clone());
        let thread = std::thread::Builder::new().name("frontier".into());
        self.writing = Some(thread.spawn(move || {
            let begun = Instant::now();
            left.write(&mut Journal::create(&dir)?, &|| give_up.load(Relaxed))?;
            let took = begun.elapsed();
            // That may take seconds. If it does not reach the disk, the next one may.
            std::thread::spawn(move || frontier::sync(&dir));
            Ok(took)
        })?);
        Ok(())
    }

    /// Writes the frontier when the run ends, unless it gets late before that is done. `false`: it did, and the
    /// previous record, if there is one, stays.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn keep_last(&mut self, left: impl Left, is_late: &dyn Fn() -> bool) -> io::Result<bool> {
        self.revoke();
        let written = left.write(&mut Journal::create(&self.dir)?, is_late);
        match written {
            Err(_) if is_late() => Ok(false),
            written => written.map(|()| true),
        }
    }

    /// The frontier that is being written is obsolete.
    pub fn revoke(&mut self) {
        self.give_up.store(true, Relaxed);
        match self.finish() {
            // Written, given up, or impossible: what follows takes its place, and says what it cannot do.
            Ok(_) | Err(_) => self.give_up.store(false, Relaxed),
        }
    }

    fn finish(&mut self) -> io::Result<Duration> {
        match self.writing.take().map(JoinHandle::join) {
            None => Ok(Duration::ZERO),
            Some(Ok(written)) => written,
            Some(Err(_)) => Err(io::Error::other("its thread panicked")),
        }
    }
}
