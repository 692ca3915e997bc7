//! Processor time, by thread, by process and with the children.

use rustix::time::{ClockId, Timespec, clock_gettime};
use std::time::{Duration, Instant};

/// Processor time of this thread, user and system.
pub fn thread_time() -> Duration {
    duration(clock_gettime(ClockId::ThreadCPUTime))
}

/// Processor time of this process, user and system.
pub fn process_time() -> Duration {
    duration(clock_gettime(ClockId::ProcessCPUTime))
}

/// Processor time of this process and of its children that have ended, with those that they had started.
pub fn family_time() -> Duration {
    process_time() + children_time() + crate::child::time_of_killed()
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

/// How long this process was stopped (Ctrl-Z) since its last look, if it looks several times a second: patience with others that were
/// stopped, too, does not count that.
pub fn stopped_since(last: Instant) -> Duration {
    let gap = last.elapsed();
    if gap > STOPPED { gap } else { Duration::ZERO }
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
    fn waiting_costs_no_processor_time() {
        let before = thread_time();
        std::thread::sleep(Duration::from_millis(20));
        assert!(thread_time() - before < Duration::from_millis(15));
        assert!(process_time() >= thread_time());
        let same = time_of_process(std::process::id()).expect("this process exists");
        assert!(process_time() >= same && same >= before);
    }
}
