//! When to stop, by the clocks: the processor time of this thread, so that a busy machine changes no
//! answer, the wall's for who waits, and the flag that ends the whole run.

use host::Stop;
use host::clock::thread_time;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The end of a search; whatever comes first.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    /// Processor time of the thread that made this.
    cpu: Option<Duration>,
    wall: Option<Instant>,
    stop: Stop,
}

static WAS_LATE: AtomicBool = AtomicBool::new(false);

/// Has a clock ended any computation of this process? Then another time it may come further, and a run does not repeat.
pub fn was_late() -> bool {
    WAS_LATE.load(Relaxed)
}

impl Deadline {
    /// After so many seconds of this thread's processor time (infinite for no such end), and at the latest at
    /// a moment or when the run is stopped; `None` when there is no end.
    pub fn new(cpu_seconds: f64, wall: Option<Instant>, stop: Stop) -> Option<Deadline> {
        let is_bounded = cpu_seconds.is_finite() && cpu_seconds < 1e9;
        let cpu = is_bounded.then(|| thread_time() + Duration::from_secs_f64(cpu_seconds.max(0.0)));
        let is_bounded = cpu.is_some() || wall.is_some() || !stop.is_never();
        is_bounded.then_some(Deadline { cpu, wall, stop })
    }

    /// Is it over? Ask on the thread that made it.
    pub fn is_past(&self) -> bool {
        if self.stop.is_set() || room::is_full() {
            return true;
        }
        let is_late = self.wall.is_some_and(|end| Instant::now() >= end)
            || self.cpu.is_some_and(|end| thread_time() >= end);
        if is_late {
            WAS_LATE.store(true, Relaxed);
        }
        is_late
    }

    /// Seconds of processor time that are left; infinite without such an end.
    pub fn cpu_seconds_left(&self) -> f64 {
        self.cpu.map_or(f64::INFINITY, |end| {
            end.saturating_sub(thread_time()).as_secs_f64()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_costs_no_processor_time() {
        let second = Deadline::new(1.0, None, Stop::never()).expect("an end");
        std::thread::sleep(Duration::from_millis(20));
        let left = second.cpu_seconds_left();
        assert!(left > 0.985 && left <= 1.0, "{left}");
        assert!(!second.is_past());
        assert!(
            Deadline::new(0.0, None, Stop::never())
                .expect("an end")
                .is_past()
        );
    }

    #[test]
    fn the_wall_and_the_flag_end_it_too() {
        let now =
            Deadline::new(f64::INFINITY, Some(Instant::now()), Stop::never()).expect("an end");
        assert!(now.is_past() && now.cpu_seconds_left().is_infinite());
        let stop = Stop::new();
        let stopped = Deadline::new(f64::INFINITY, None, stop).expect("an end");
        assert!(!stopped.is_past());
        stop.set(host::Cause::Time);
        assert!(stopped.is_past());
        assert!(Deadline::new(f64::INFINITY, None, Stop::never()).is_none());
    }
}
