//! An end to a replay, by time or by a signal.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Between two looks at a clock and a flag.
const LOOK: Duration = Duration::from_millis(20);

/// Works until it is done, the flag is set, or so much time has passed.
pub fn within<T>(
    limit: Option<Duration>,
    stop: &AtomicBool,
    work: impl FnOnce(&AtomicBool) -> T,
) -> T {
    let begun = Instant::now();
    let end = AtomicBool::new(false);
    let (done, is_done) = channel::<()>();
    std::thread::scope(|scope| {
        let end = &end;
        scope.spawn(move || {
            while is_done.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                let is_late = limit.is_some_and(|limit| begun.elapsed() >= limit);
                if is_late || stop.load(Ordering::Relaxed) {
                    end.store(true, Ordering::Relaxed);
                    return;
                }
            }
        });
        // Dropped also when the work panics.
        let _done = done;
        work(end)
    })
}
