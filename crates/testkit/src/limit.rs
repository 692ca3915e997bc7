//! A limit for each test, so that a hang is a failure with a name.

use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

/// Far above what any test takes on a machine with much other work.
const MOST: Duration = Duration::from_secs(15 * 60);

/// Tests that run: their names, and when they began.
static RUNNING: Mutex<Vec<(u64, String, Instant)>> = Mutex::new(Vec::new());
static WATCH: Once = Once::new();

/// A test that runs, or a part of one. A test binary ends with the names of those that take longer than 15 minutes.
#[derive(Debug)]
pub struct Limit(u64);

/// A limit of 15 minutes for the test that this thread runs, until the value goes: for tests that wait for processes or threads
/// and have no [`crate::Place`], which has one.
pub fn limit() -> Limit {
    Limit::begin("all of it")
}

impl Limit {
    /// The limit of the test that this thread runs, for a part of it.
    pub(crate) fn begin(part: &str) -> Limit {
        WATCH.call_once(|| {
            std::thread::spawn(watch);
        });
        let thread = std::thread::current();
        let name = format!("{} ({part})", thread.name().unwrap_or("a test"));
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let number = running.last().map_or(0, |(n, ..)| n + 1);
        running.push((number, name, Instant::now()));
        Limit(number)
    }
}

impl Drop for Limit {
    fn drop(&mut self) {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|(n, ..)| *n != self.0);
    }
}

fn watch() {
    loop {
        std::thread::sleep(Duration::from_secs(1));
        let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let late: Vec<&str> = running
            .iter()
            .filter(|(.., begun)| begun.elapsed() > MOST)
            .map(|(_, name, _)| name.as_str())
            .collect();
        if !late.is_empty() {
            complain(&format!(
                "no end after {} minutes: {}\n",
                MOST.as_secs() / 60,
                late.join(", ")
            ));
            std::process::abort();
        }
    }
}

/// To the real standard error: what a test prints is shown only when it has ended.
fn complain(text: &str) {
    use std::io::Write;
    // Nobody is left to be told.
    let _ = std::io::stderr().write_all(text.as_bytes());
}
