//! The results of a run that cannot end by itself: the watchdog's thread writes the statistics of the last snapshot,
//! and flushes buffers. Tests and errors are on disk already.

use super::usage::{cpu_seconds, peak_memory_mb};
use crate::exit::Exit;
use crate::figures::Figures;
use crate::native::{Attempt, NativeProgram};
use explore::Totals;
use host::Cause;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use testcase::{Coverage, OutputDir, RunStats};

/// The run as it was at the last look.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    pub stats: RunStats,
    /// The losses so far.
    pub totals: Totals,
    /// Paths that were alive, and nowhere counted.
    pub alive: u64,
    pub coverage: Arc<Coverage>,
    /// Wall-clock and processor time of the earlier parts of the run, in seconds.
    pub before: (f64, f64),
}

impl Snapshot {
    /// What the earlier parts of a run have left in its directory: what is known until this part has looked.
    pub fn of_earlier(dir: &Path, before: (f64, f64)) -> Snapshot {
        let mut snapshot = Snapshot {
            before,
            ..Snapshot::default()
        };
        // What an earlier part did not come to write is as unknown as at the beginning of a run.
        if let Ok(run) = testcase::Run::without_tests(dir) {
            if let Some(stats) = run.stats {
                snapshot.stats = RunStats {
                    halted: None,
                    failures: Vec::new(),
                    ..stats
                };
            }
            if let Some(coverage) = run.coverage {
                snapshot.coverage = Arc::new(coverage);
            }
        }
        snapshot
    }
}

/// The snapshot, shared by the run and the watchdog.
#[derive(Clone, Default)]
pub struct SharedSnapshot(Arc<Mutex<Snapshot>>);

impl SharedSnapshot {
    pub fn lock(&self) -> MutexGuard<'_, Snapshot> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes the language's additions to the record, from the watchdog's thread or this one.
pub type LastWords = Arc<dyn Fn(&OutputDir) + Send + Sync>;

/// The data for the record of a run that cannot end by itself.
#[derive(Clone)]
pub struct LastRecord {
    /// The command that continues it.
    pub command: String,
    pub strict: bool,
    pub out: Arc<OutputDir>,
    pub snapshot: SharedSnapshot,
    /// `None`: they are not wanted.
    pub figures: Option<Figures>,
    pub beside: LastWords,
    pub native: Option<NativeProgram>,
}

impl LastRecord {
    /// Writes the record, and gives the exit status.
    pub fn write(&self, cause: Cause) -> Exit {
        let exit = write(cause, self);
        (self.beside)(&self.out);
        exit
    }

    /// Makes the native program that the record names, when all is written.
    pub fn link(&self) {
        if let Some(native) = &self.native
            && let Attempt::Failed(why) = native.make(&self.out)
        {
            say(&why);
        }
    }
}

/// Writes the results from the snapshot, and gives the exit status.
fn write(cause: Cause, record: &LastRecord) -> Exit {
    let out = &*record.out;
    let Snapshot {
        mut stats,
        mut totals,
        alive,
        coverage,
        before,
    } = record.snapshot.lock().clone();
    // Who is alive ends as if the run had come to it.
    let ending = explore::stopped(cause);
    totals.counters.endings.add(ending, alive);
    stats.partial_paths += alive;
    if alive > 0 {
        *stats.endings.entry(ending.name().into()).or_default() += alive;
    }
    let name = format!("{cause} (stopped inside an operation)");
    let halted = explore::left_out(Some(&name), &totals).unwrap_or(name);
    stats.halted = Some(halted.clone());
    stats.wall_s = before.0 + crate::process::started().elapsed().as_secs_f64();
    // The last look knew the time of the workers, too.
    stats.cpu_s = stats.cpu_s.max(before.1 + cpu_seconds());
    stats.memory_max_mb = peak_memory_mb();
    let Some((written, found)) = out.last_words(&stats, &coverage) else {
        say(&format!(
            "not everything was explored: {halted}; the last results could not be written to {}",
            out.path().display()
        ));
        return Exit::Failed;
    };
    let tests = written.told(stats.unsaved(), out.path());
    for line in record.figures.map_or(Vec::new(), |of| of(&stats, &tests)) {
        say(&line);
    }
    say(&format!(
        "not everything was explored: {halted}; {found} errors, {tests}"
    ));
    let dir = out.path().as_os_str().as_encoded_bytes();
    let dir = testcase::shell::word(dir);
    if found > 0 {
        // Tests are not read here: a disk that hangs must not keep the run from its end.
        say(&format!("their input: polypath show {dir} --errors"));
    }
    if testcase::frontier::exists(out.path()) {
        let command = &record.command;
        say(&format!("to continue: polypath {command} --resume {dir}"));
    }
    let internal = stats.endings.contains_key(explore::Ending::Internal.name());
    let failed = internal || written.lost + written.failed_writes > 0;
    super::claim::exit(&stats, found, failed, record.strict, cause == Cause::Signal)
}

/// Prints a line on standard error. The process ends behind it: it is waited for, but not for long.
pub fn say(text: &str) {
    say::err!("polypath: {text}");
    say::settle();
}
