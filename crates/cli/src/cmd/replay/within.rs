//! An end to a replay and to the builds before it, by time or by a signal. What they have started ends with them.

use std::cell::RefCell;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Between two looks at a clock and a flag.
const LOOK: Duration = Duration::from_millis(20);

/// Works until it is done, the flag is set, or so much time has passed. Then the flag that the work has is set, and its children are
/// killed.
pub fn within<T>(
    limit: Option<Duration>,
    stop: &AtomicBool,
    work: impl FnOnce(&AtomicBool) -> T,
) -> T {
    let begun = Instant::now();
    // Short work may be done before anybody looks again.
    let end = AtomicBool::new(stop.load(Ordering::Relaxed));
    let (done, is_done) = channel::<()>();
    let result = std::thread::scope(|scope| {
        let end = &end;
        scope.spawn(move || {
            while is_done.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                let is_late = limit.is_some_and(|limit| begun.elapsed() >= limit);
                if is_late || stop.load(Ordering::Relaxed) {
                    end.store(true, Ordering::Relaxed);
                    host::child::kill_all();
                    return;
                }
            }
        });
        // Dropped also when the work panics.
        let _done = done;
        work(end)
    });
    host::child::allow();
    result
}

/// A step was ended before it was done, or did not begin.
#[derive(Debug)]
pub struct Cut(String);

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Cut {}

/// The steps of work that [`within`] ends: which of them it has ended.
pub struct Steps<'a> {
    limit: Option<Duration>,
    stop: &'a AtomicBool,
    end: &'a AtomicBool,
    cut: RefCell<Vec<String>>,
}

impl<'a> Steps<'a> {
    /// Of work with this limit, this flag from outside, and the flag that it has from [`within`].
    pub fn new(limit: Option<Duration>, stop: &'a AtomicBool, end: &'a AtomicBool) -> Steps<'a> {
        Steps {
            limit,
            stop,
            end,
            cut: RefCell::default(),
        }
    }

    /// Does a step. If it fails behind the end, that is the reason: its children were killed.
    ///
    /// # Errors
    /// [`Cut`], or those of the step.
    pub fn take<T>(
        &self,
        step: &str,
        work: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let is_over = || self.end.load(Ordering::Relaxed);
        let has_begun = !is_over();
        if has_begun {
            let result = work();
            if result.is_ok() || !is_over() {
                return result;
            }
        }
        let text = match self.limit {
            _ if self.stop.load(Ordering::Relaxed) => format!("a signal ended {step}"),
            Some(limit) if has_begun => {
                format!("the time limit of {} s ended {step}", limit.as_secs_f64())
            }
            _ => format!("no time was left for {step}"),
        };
        self.cut.borrow_mut().push(text.clone());
        Err(Cut(text).into())
    }

    /// What was cut, in words.
    pub fn cut(self) -> Vec<String> {
        self.cut.into_inner()
    }
}
