//! The flag that ends a run, which every long loop checks.
//!
//! A loop whose length the program under test decides looks at its [`Stop`] every some thousand steps and gives up
//! when it is set. It decides nothing about losses: its caller names what was left out.

use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

/// Why a run has to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Cause {
    /// SIGINT, SIGTERM or SIGHUP.
    Signal = 1,
    /// The wall clock.
    Time,
    /// The clock of the processor time.
    CpuTime,
    /// Memory is used up.
    Memory,
    /// Only what comes before longer arrays and strings was asked for.
    FirstLook,
}

impl Cause {
    const ALL: [Cause; 5] = [
        Cause::Signal,
        Cause::Time,
        Cause::CpuTime,
        Cause::Memory,
        Cause::FirstLook,
    ];

    /// The cause of this number, which is `cause as u8`.
    pub fn of(number: u8) -> Option<Cause> {
        Cause::ALL.into_iter().find(|&c| c as u8 == number)
    }

    /// As the results name it.
    pub fn name(self) -> &'static str {
        match self {
            Cause::Signal => "interrupted",
            Cause::Time => "time limit",
            Cause::CpuTime => "CPU time limit",
            Cause::Memory => "memory limit",
            Cause::FirstLook => "the first look is over",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Looks at, or sets, the flag of a run. A copy is the same flag; looking costs one relaxed load.
#[derive(Clone, Copy)]
pub struct Stop(&'static Flag);

struct Flag {
    /// A [`Cause`], 0 for none yet.
    cause: AtomicU8,
    beats: AtomicU32,
}

impl Flag {
    const fn new() -> Flag {
        Flag {
            cause: AtomicU8::new(0),
            beats: AtomicU32::new(0),
        }
    }
}

static NEVER: Flag = Flag::new();

impl Stop {
    /// A flag of its own, which lives as long as the process.
    pub fn new() -> Stop {
        Stop(Box::leak(Box::new(Flag::new())))
    }

    /// The flag that nobody sets.
    pub const fn never() -> Stop {
        Stop(&NEVER)
    }

    /// Is it the one that nobody sets?
    pub fn is_never(self) -> bool {
        std::ptr::eq(self.0, &raw const NEVER)
    }

    /// Is it time to give up?
    #[inline]
    pub fn is_set(self) -> bool {
        self.0.cause.load(Ordering::Relaxed) != 0
    }

    /// Why it is set.
    pub fn cause(self) -> Option<Cause> {
        Cause::of(self.0.cause.load(Ordering::Relaxed))
    }

    /// A coarse clock: grows every 10 ms while a watchdog is at work.
    #[inline]
    pub fn beats(self) -> u32 {
        self.0.beats.load(Ordering::Relaxed)
    }

    /// Another 10 ms have passed.
    pub(crate) fn beat(self) {
        self.0.beats.fetch_add(1, Ordering::Relaxed);
    }

    /// Sets it; the first cause stays.
    pub fn set(self, cause: Cause) {
        assert!(!self.is_never(), "this flag is never set");
        let _ = self
            .0
            .cause
            .compare_exchange(0, cause as u8, Ordering::Relaxed, Ordering::Relaxed);
    }
}

impl Default for Stop {
    fn default() -> Stop {
        Stop::never()
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stop({:?})", self.cause())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_cause_stays() {
        let (stop, other) = (Stop::new(), Stop::new());
        let copy = stop;
        assert!(!copy.is_set());
        stop.set(Cause::Time);
        stop.set(Cause::Signal);
        assert_eq!(copy.cause(), Some(Cause::Time));
        assert!(!other.is_set() && !Stop::never().is_set());
    }
}
