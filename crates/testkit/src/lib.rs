//! Tools that the tests of several crates share. A development dependency only: no product code uses it.
//!
//! - [`need`] and [`skip`]: a test that cannot run here is counted as skipped, and fails where it must not be skipped.
//! - [`engine!`] and [`place!`]: a scratch directory for one test, with the `polypath` command.
//! - [`limit`]: no test waits for ever.
//! - [`Attended`]: a process that a test disturbs and waits for, with a bound.
//! - [`until`]: waiting for a condition; [`processor_time`], [`listens`] and [`is_gone`] say how far a process is.
//! - [`java::compile`]: the Java programs of the tests.
//! - [`llvm_22`]: the library of a newer LLVM than ours.
//! - [`Random`]: the random numbers of all generated tests.
//! - [`solvers::ask`]: verdicts of z3 and bitwuzla on a folder of scripts.
//! - [`xml::assert_well_formed`]: XML that readers take.
//! - [`in_parallel`]: many small checks on all cores, all complaints at once.

#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

mod attended;
pub mod java;
mod limit;
mod need;
mod newer;
mod parallel;
mod place;
mod programs;
mod random;
pub mod solvers;
mod wait;
pub mod xml;

pub use attended::{Attended, signal};
pub use limit::{Limit, limit};
pub use need::{need, skip};
pub use newer::llvm_22;
pub use parallel::in_parallel;
pub use place::{Place, Ran, json};
pub use programs::choices;
pub use random::Random;
pub use wait::{MOST, below, family_time, is_gone, is_stopped, listens, processor_time, until};
