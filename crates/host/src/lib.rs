//! What the engine asks of the system that it runs on: clocks, signals, the end of the process, and
//! child processes that end with it, and room on disk. A leaf: knows nothing of programs, terms or files of a run.

#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

pub mod blob;
pub mod child;
pub mod clock;
mod meter;
pub mod scratch;
pub mod shelf;
pub mod signals;
mod stop;
mod watchdog;
pub mod words;

pub use meter::Meter;
pub use stop::{Cause, Stop};
pub use watchdog::{Ending, Guard, TimeLimits, Watchdog};
