//! The results of a run that cannot end by itself: the watchdog's thread writes the statistics of the last snapshot,
//! and flushes buffers. Tests and errors are on disk already.

use super::usage::{cpu_seconds, peak_memory_mb};
use crate::exit::Exit;
use host::Cause;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use testcase::{Coverage, OutputDir, RunStats};

/// The run as it was at the last look.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Its losses so far are in `halted`.
    pub stats: RunStats,
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

/// Writes the results from the snapshot, and gives the exit status. `command` is what can go on with the run.
pub fn write(
    cause: Cause,
    out: &OutputDir,
    shared: &SharedSnapshot,
    command: &str,
    strict: bool,
) -> Exit {
    let Snapshot {
        mut stats,
        coverage,
        before,
    } = shared.lock().clone();
    let left_out = stats.halted.take().map(|h| format!("; {h}"));
    let halted = format!(
        "{cause} (stopped inside an operation){}",
        left_out.unwrap_or_default()
    );
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
    say(&format!(
        "not everything was explored: {halted}; {found} errors, {}",
        written.told(stats.unsaved(), out.path())
    ));
    let dir = out.path().as_os_str().as_encoded_bytes();
    let dir = testcase::shell::word(dir);
    if found > 0 {
        // Tests are not read here: a disk that hangs must not keep the run from its end.
        say(&format!("their input: polypath show {dir} --errors"));
    }
    if testcase::frontier::exists(out.path()) {
        say(&format!("to continue: polypath {command} --resume {dir}"));
    }
    let internal = stats.endings.contains_key(explore::Ending::Internal.name());
    let failed = internal || written.lost + written.failed_writes > 0;
    super::claim::exit(&stats, found, failed, strict, cause == Cause::Signal)
}

/// Prints a line on standard error. The process ends behind it: it is waited for, but not for long.
pub fn say(text: &str) {
    say::err!("polypath: {text}");
    say::settle();
}
