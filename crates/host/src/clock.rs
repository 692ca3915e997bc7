//! Processor time, by thread, by process and with the children.

use rustix::time::{ClockId, Timespec, clock_gettime};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Processor time of this thread, user and system.
pub fn thread_time() -> Duration {
    duration(clock_gettime(ClockId::ThreadCPUTime))
}

/// Processor time of this process, user and system.
pub fn process_time() -> Duration {
    duration(clock_gettime(ClockId::ProcessCPUTime))
}

/// Nanoseconds of processor time that [`aside`] has left out.
static ASIDE: AtomicU64 = AtomicU64::new(0);

/// Processor time of this process and of its children that have ended, with those that they had started; without that of work which
/// was put [`aside`].
pub fn family_time() -> Duration {
    let all = process_time() + children_time() + crate::child::time_of_killed();
    all.saturating_sub(Duration::from_nanos(ASIDE.load(Ordering::Relaxed)))
}

/// Does work that is no part of what the process was started for, as what is made once for all runs: its processor time does not count.
pub fn aside<T>(work: impl FnOnce() -> T) -> T {
    let before = family_time();
    let done = work();
    let spent = family_time().saturating_sub(before);
    ASIDE.fetch_add(spent.as_nanos() as u64, Ordering::Relaxed);
    done
}

/// Processor time of another process, user and system; `None` if there is none of this number.
pub fn time_of_process(pid: u32) -> Option<Duration> {
    let pid = libc::pid_t::try_from(pid).ok()?;
    // SAFETY: the calls only fill our variables; the time stays zero if the process has just ended.
    unsafe {
        let mut clock = 0;
        let mut now: libc::timespec = std::mem::zeroed();
        if libc::clock_getcpuclockid(pid, &mut clock) != 0 {
            return None;
        }
        libc::clock_gettime(clock, &mut now);
        Some(Duration::new(now.tv_sec as u64, now.tv_nsec as u32))
    }
}

/// A process that looks at the clock several times a second, and did not for so long, was stopped.
const STOPPED: Duration = Duration::from_secs(2);

/// The time that another process may take by the clock. Where the machine is too busy to give it the processor that it asks for, it gets up
/// to four times as long: one that only waits for its turn does not hang. Time in which both were stopped (Ctrl-Z) does not count.
///
/// Its twin for runs inside of a JVM is `Patience.java`.
#[derive(Clone, Debug)]
pub struct Patience {
    limit: Duration,
    begun: Instant,
    asked: Instant,
    /// From shortly before the limit: when the window began over which its share of a processor is measured, and its processor time until
    /// then.
    window: Option<(Instant, Duration)>,
}

impl Patience {
    const MOST: u32 = 4;
    const WINDOW: Duration = Duration::from_secs(1);
    /// With a smaller share of a processor it waits for something, with a larger one it has what it asks for.
    const HUNGRY: std::ops::Range<f64> = 0.02..0.8;

    /// Begins now.
    pub fn new(limit: Duration) -> Patience {
        let now = Instant::now();
        Patience {
            limit,
            begun: now,
            asked: now,
            window: None,
        }
    }

    /// The longest time that comes of a limit.
    pub fn longest(limit: Duration) -> Duration {
        Patience::MOST * limit
    }

    /// How long to wait until the next question, at most so long.
    pub fn pause(&self, most: Duration) -> Duration {
        match self.limit.checked_sub(self.begun.elapsed()) {
            Some(left) => left.min(most),
            None => most,
        }
    }

    /// Whether the process has taken too long, which is asked several times a second; its processor time is looked at from a second
    /// before the limit on.
    pub fn is_over(&mut self, processor_time: impl FnOnce() -> Duration) -> bool {
        self.is_over_at(Instant::now(), processor_time)
    }

    fn is_over_at(&mut self, now: Instant, processor_time: impl FnOnce() -> Duration) -> bool {
        let gap = now.saturating_duration_since(self.asked);
        if gap > STOPPED {
            self.begun += gap;
            self.window = None;
        }
        self.asked = now;
        let taken = now.saturating_duration_since(self.begun);
        // The first window ends with the limit.
        let window = Patience::WINDOW.min(self.limit);
        if taken + window < self.limit {
            return false;
        }
        if taken >= Patience::longest(self.limit) {
            return true;
        }
        let length = |since: Instant| now.saturating_duration_since(since);
        if let Some((since, _)) = self.window
            && (taken < self.limit || length(since) < window)
        {
            return false;
        }
        let used = processor_time();
        if let Some((since, before)) = self.window.replace((now, used)) {
            let used = used.saturating_sub(before);
            let share = used.as_secs_f64() / length(since).as_secs_f64();
            return !Patience::HUNGRY.contains(&share);
        }
        false
    }
}

fn duration(time: Timespec) -> Duration {
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn children_time() -> Duration {
    // SAFETY: getrusage fills the zeroed structure or fails, and then it stays zero.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage
    };
    let time = |t: libc::timeval| Duration::new(t.tv_sec as u64, 1000 * t.tv_usec as u32);
    time(usage.ru_utime) + time(usage.ru_stime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_put_aside_is_not_counted() {
        let burn = || {
            let begun = thread_time();
            while thread_time() - begun < Duration::from_millis(300) {}
        };
        let (all, before) = (process_time(), family_time());
        aside(burn);
        assert!(process_time() - all >= Duration::from_millis(300));
        // Other threads of the tests may have worked between two looks at the clock.
        assert!(family_time().saturating_sub(before) < Duration::from_millis(150));
    }

    #[test]
    fn waiting_costs_no_processor_time() {
        let before = thread_time();
        std::thread::sleep(Duration::from_millis(20));
        assert!(thread_time() - before < Duration::from_millis(15));
        assert!(process_time() >= thread_time());
        let same = time_of_process(std::process::id()).expect("this process exists");
        assert!(process_time() >= same && same >= before);
    }

    /// Seconds after which a process has taken too long that gets this share of a processor, and is stopped once for so many
    /// seconds after three.
    fn patience(limit: u64, share: f64, stopped: u64) -> f64 {
        let limit = Duration::from_secs(limit);
        let mut patience = Patience::new(limit);
        let begun = patience.begun;
        let (mut at, mut used) = (Duration::ZERO, Duration::ZERO);
        let step = Duration::from_millis(100);
        while !patience.is_over_at(begun + at, || used) {
            at += step;
            used += step.mul_f64(share);
            if at == Duration::from_secs(3) {
                at += Duration::from_secs(stopped);
            }
        }
        at.as_secs_f64()
    }

    #[test]
    fn only_a_process_that_does_not_get_the_processor_gets_more_time() {
        for (share, least, most) in [
            // It sleeps, or waits for what never comes.
            (0.0, 10.0, 10.3),
            // It computes.
            (1.0, 10.0, 10.3),
            (3.0, 10.0, 10.3),
            // It waits for its turn.
            (0.2, 40.0, 40.5),
        ] {
            let took = patience(10, share, 0);
            assert!((least..most).contains(&took), "{share}: {took}");
            let stopped = patience(10, share, 60);
            let more = stopped - took;
            assert!((59.0..62.0).contains(&more), "{share}: {more}");
        }
        // The window of a short limit is as short.
        let took = patience(1, 1.0, 0);
        assert!((1.0..1.3).contains(&took), "{took}");
        assert_eq!(patience(0, 1.0, 0), 0.0);
    }
}
