//! How much time is left, by the wall and by the processor.

use solver::Budget;
use std::time::{Duration, Instant};

/// The limits in time of a run that began when this was made.
pub(crate) struct Clock {
    started: Instant,
    wall: Option<Duration>,
    cpu: Option<Duration>,
}

impl Clock {
    pub fn start(wall: Option<Duration>, cpu: Option<Duration>) -> Clock {
        Clock {
            started: Instant::now(),
            wall,
            cpu,
        }
    }

    /// Time until the nearer limit, and the name of that limit; `None` without limits.
    pub fn left(&self) -> Option<(Duration, &'static str)> {
        let wall = self
            .wall
            .map(|limit| (limit.saturating_sub(self.started.elapsed()), "time limit"));
        // The whole process counts: loading the program is part of the run.
        let cpu = self
            .cpu
            .map(|limit| (limit.saturating_sub(process_time()), "CPU time limit"));
        wall.into_iter().chain(cpu).min()
    }

    /// Keeps a query within the limits.
    pub fn bound(&self, budget: &mut Budget) {
        budget.until = self.wall.map(|limit| self.started + limit);
        if let Some(limit) = self.cpu {
            let left = limit.saturating_sub(process_time());
            budget.seconds = budget.seconds.min(left.as_secs_f64());
        }
    }
}

/// Processor time that this process has used, user and system.
fn process_time() -> Duration {
    // SAFETY: timespec is plain data; the call fills it.
    let now = unsafe {
        let mut now: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut now);
        now
    };
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearer_limit_counts() {
        let hour = Duration::from_secs(3600);
        assert!(Clock::start(None, None).left().is_none());
        let (left, name) = Clock::start(Some(hour), Some(10 * hour)).left().unwrap();
        assert!(left <= hour && name == "time limit");
        let (left, name) = Clock::start(Some(hour), Some(Duration::from_nanos(1)))
            .left()
            .unwrap();
        assert_eq!((left, name), (Duration::ZERO, "CPU time limit"));
    }
}
