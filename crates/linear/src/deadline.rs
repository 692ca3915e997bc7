//! When to stop, by the clocks: the processor time of this thread, so that a busy machine changes no
//! answer, and the wall's for who waits.

use std::time::{Duration, Instant};

/// The end of a search; whichever clock comes first.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    /// Processor time of the thread that made this.
    cpu: Option<Duration>,
    wall: Option<Instant>,
}

impl Deadline {
    /// After so many seconds of this thread's processor time (infinite for no such end), and at the latest at
    /// a moment; `None` when there is no end.
    pub fn new(cpu_seconds: f64, wall: Option<Instant>) -> Option<Deadline> {
        let is_bounded = cpu_seconds.is_finite() && cpu_seconds < 1e9;
        let cpu = is_bounded.then(|| thread_time() + Duration::from_secs_f64(cpu_seconds.max(0.0)));
        (cpu.is_some() || wall.is_some()).then_some(Deadline { cpu, wall })
    }

    /// Is it over? Ask on the thread that made it.
    pub fn is_past(&self) -> bool {
        self.wall.is_some_and(|end| Instant::now() >= end)
            || self.cpu.is_some_and(|end| thread_time() >= end)
    }

    /// Seconds of processor time that are left; infinite without such an end.
    pub fn cpu_seconds_left(&self) -> f64 {
        self.cpu.map_or(f64::INFINITY, |end| {
            end.saturating_sub(thread_time()).as_secs_f64()
        })
    }
}

/// Processor time of this thread, user and system.
fn thread_time() -> Duration {
    // SAFETY: timespec is plain data; the call fills it.
    let now = unsafe {
        let mut now: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut now);
        now
    };
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_costs_no_processor_time() {
        let second = Deadline::new(1.0, None).expect("an end");
        std::thread::sleep(Duration::from_millis(20));
        let left = second.cpu_seconds_left();
        assert!(left > 0.985 && left <= 1.0, "{left}");
        assert!(!second.is_past());
        assert!(Deadline::new(0.0, None).expect("an end").is_past());
    }

    #[test]
    fn the_wall_ends_it_too() {
        let now = Deadline::new(f64::INFINITY, Some(Instant::now())).expect("an end");
        assert!(now.is_past() && now.cpu_seconds_left().is_infinite());
        assert!(Deadline::new(f64::INFINITY, None).is_none());
    }
}
