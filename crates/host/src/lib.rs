//! The interface to the operating system that Polypath runs on: clocks, signals, the end of the process, child
//! processes that end with it, and room on disk. A leaf: it knows no programs, terms or files of a run.

#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

pub mod blob;
pub mod child;
pub mod clock;
pub mod installed;
mod meter;
pub mod shelf;
pub mod signals;
mod stop;
mod suspend;
pub mod sweep;
mod watchdog;
pub mod words;

pub use meter::Meter;
pub use stop::{Cause, Stop};
pub use watchdog::{Ending, Guard, TimeLimits, Watchdog};

/// Ends the process on the spot with this status: nothing is flushed, and no destructor runs, of this thread or others. May be
/// called where only system calls may: in a handler of a signal, or between `fork` and `exec`.
pub fn end_now(status: i32) -> ! {
    // SAFETY: takes a number, touches no memory, and does not return.
    unsafe { libc::_exit(status) }
}
