//! The thread that records the frontier of a run by several workers: the frontier may be large, and the coordinator waits for nothing.

use super::checkpoint::Checkpoint;
use super::frontier_log::{self, FrontierLog};
use super::syncer::Syncer;
use explore::Places;
use fleet::FrontierChanges;
use host::clock;
use host::shelf::Piece;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// See the module.
pub struct Keeper {
    dir: PathBuf,
    /// Prefixes are explored in the order of the record.
    is_ordered: bool,
    next: Instant,
    /// What the last record took.
    took: Duration,
    /// Nobody writes.
    kept: Option<FrontierLog>,
    writing: Option<JoinHandle<io::Result<Done>>>,
    give_up: Arc<AtomicBool>,
    syncer: Syncer,
    /// The record that is being written repeats the whole frontier.
    is_anew: bool,
    /// News about places that came while somebody wrote.
    news: Vec<Places>,
}

/// The frontier, for a record.
pub enum Told {
    /// All of it.
    All(Vec<Arc<Piece>>),
    /// What has changed since the last record.
    Since(FrontierChanges),
}

/// A record that was written.
struct Done {
    /// `None` if the next one has to begin anew.
    kept: Option<FrontierLog>,
    took: Duration,
}

impl Keeper {
    /// Of the run that writes into this directory from now on.
    pub fn new(dir: &Path, is_ordered: bool, now: Instant) -> Keeper {
        Keeper {
            dir: dir.to_owned(),
            is_ordered,
            next: now,
            took: Duration::ZERO,
            kept: None,
            writing: None,
            give_up: Arc::default(),
            syncer: Syncer::default(),
            is_anew: true,
            news: Vec::new(),
        }
    }

    /// Is it time for another record?
    pub fn is_due(&self, now: Instant) -> bool {
        let is_writing = self.writing.as_ref().is_some_and(|w| !w.is_finished());
        !is_writing && now >= self.next
    }

    /// The last record is written, or was given up. Must the next one have the whole frontier?
    ///
    /// # Errors
    /// It could not be written.
    pub fn settle(&mut self) -> io::Result<bool> {
        self.took = self.finish()?;
        Ok(self.kept.is_none())
    }

    /// Begins to write a record, when the last one is settled.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn keep(&mut self, now_open: Checkpoint, told: Told, now: Instant) -> io::Result<()> {
        self.next = now + frontier_log::pause(self.took);
        // The record has them.
        self.news.clear();
        let (dir, give_up) = (self.dir.clone(), self.give_up.clone());
        let syncer = self.syncer.clone();
        let is_ordered = self.is_ordered;
        let kept = self.kept.take();
        self.is_anew = kept.is_none();
        let thread = std::thread::Builder::new().name("frontier".into());
        self.writing = Some(thread.spawn(move || {
            let begun = clock::thread_time();
            let is_late = || give_up.load(Relaxed);
            let kept = write(&dir, kept, is_ordered, (now_open, told), &is_late)?;
            let took = clock::thread_time().saturating_sub(begun);
            // That may take seconds.
            syncer.begin(&dir);
            Ok(Done { kept, took })
        })?);
        Ok(())
    }

    /// Notes news about places: they count until the next record.
    ///
    /// # Errors
    /// They cannot be written, or the last record could not be.
    pub fn note(&mut self, news: Places) -> io::Result<()> {
        if !news.is_empty() {
            self.news.push(news);
        }
        if self.writing.as_ref().is_some_and(JoinHandle::is_finished) {
            self.finish()?;
        }
        let Some(log) = &mut self.kept else {
            return Ok(());
        };
        let mut news = self.news.drain(..);
        let written = news.try_for_each(|news| log.note(&news));
        drop(news);
        if written.is_err() {
            self.kept = None;
        }
        written
    }

    /// Waits for the record that is being written, if that is soon done, and gives it up otherwise. Must the last one have the whole
    /// frontier?
    pub fn settle_last(&mut self, is_late: &dyn Fn() -> bool) -> bool {
        // Changes are soon written, and the last record can then be as small; the whole frontier would be written twice.
        while self.writing.as_ref().is_some_and(|w| !w.is_finished()) && !self.is_anew && !is_late()
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.revoke();
        self.kept.is_none()
    }

    /// Writes the last record, unless it gets late before that is done. `false`: it did, and the record before, if there is one, still
    /// counts.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn keep_last(
        &mut self,
        now_open: Checkpoint,
        told: Told,
        is_late: &dyn Fn() -> bool,
    ) -> io::Result<bool> {
        let last = (now_open, told);
        let written = write(&self.dir, self.kept.take(), self.is_ordered, last, is_late);
        match written {
            Err(_) if is_late() => Ok(false),
            written => written.map(|_| true),
        }
    }

    /// A record that is being written does not matter any more.
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
            Some(Ok(Ok(done))) => {
                self.kept = done.kept;
                Ok(done.took)
            }
            Some(Ok(Err(e))) => Err(e),
            Some(Err(_)) => Err(io::Error::other("its thread panicked")),
        }
    }
}

/// Writes a record: the changes since the last one, if there is one.
fn write(
    dir: &Path,
    kept: Option<FrontierLog>,
    is_ordered: bool,
    (now_open, told): (Checkpoint, Told),
    is_late: &dyn Fn() -> bool,
) -> io::Result<Option<FrontierLog>> {
    let mut log = match (kept, told) {
        (Some(mut log), Told::Since(changes)) => {
            log.remove(changes.gone);
            for (id, piece) in changes.new {
                check(is_late)?;
                log.add(id, &piece.read()?)?;
            }
            log
        }
        (_, Told::Since(_)) => return Err(io::Error::other("there is no record to change")),
        (_, Told::All(pieces)) => {
            let mut log = FrontierLog::create(dir)?;
            for (place, piece) in (0..).zip(pieces) {
                check(is_late)?;
                let key = if is_ordered { place } else { piece.id() };
                log.add(key, &piece.read()?)?;
            }
            log
        }
    };
    log.record(&now_open.into_bytes())?;
    // Numbers that ascend in the order of the pieces would change with it, so all are written each time.
    Ok((!is_ordered).then_some(log))
}

fn check(is_late: &dyn Fn() -> bool) -> io::Result<()> {
    if is_late() {
        return Err(io::Error::other("not wanted any more"));
    }
    Ok(())
}
