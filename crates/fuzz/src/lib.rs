//! Fuzzing at native speed.
//!
//! [`Programs`] are made from the bitcode that is explored: one with counters of its edges, one that also reports what it
//! compares. [`Server`] runs them behind the fence, one input after the other. [`fuzz`] is the fuzzer around them, of LibAFL's
//! parts, in a process of its own; its directory is one that AFL++ would have, and it reads those beside it.

#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

mod comparisons;
mod dictionary;
mod executor;
mod figures;
mod fuzzer;
mod part;
mod program;
mod queue;
mod server;

pub use dictionary::parse as tokens_of;
pub use figures::Figures;
pub use fuzzer::{Order, fuzz};
pub use part::{PART, Pace, WHOLE, part};
pub use program::Programs;
pub use queue::{Folder, Others, Queue, STATS};
pub use server::{By, End, NativeSetting, Server};
