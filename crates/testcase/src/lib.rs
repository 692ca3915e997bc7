//! The results of a Polypath run: test cases, their native replay, coverage and reports.
//!
//! This crate knows `ir` (sites, branches, lines) but neither the solver nor the machine: the
//! executor hands over plain data ([`TestCase`], [`RunStats`] …) and [`OutputDir`] puts it on disk.

#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

pub mod addresses;
mod ahead;
pub mod bug;
pub mod bytes;
pub mod corpus;
pub mod coverage;
pub mod ctest;
mod derived;
mod disk;
pub mod explain;
pub mod frontier;
pub mod gcov;
pub mod java;
pub mod kind;
pub mod klee;
pub mod ktest;
pub mod locate;
pub mod model;
pub use vocab::symbol as names;
mod origin;
pub mod output;
pub mod pack;
pub mod read;
pub mod replay;
pub mod report;
pub mod rerun;
pub mod reserve;
pub mod sanitize;
pub mod shell;
pub mod show;
pub mod suppress;
mod telling;
pub mod testdir;

pub use ahead::{AHEAD, Ahead, last_point};
pub use bug::Bug;
pub use coverage::Coverage;
pub use kind::ErrorKind;
pub use locate::Located;
pub use model::{
    ByteRanges, ErrorRecord, ExitKind, Expected, FileSpec, RunInfo, RunStats, StackFrame, TestCase,
    TimePoint, test_name, test_number,
};
pub use output::{OutputDir, WriteSummary};
pub use read::Run;
pub use rerun::Rerun;
pub use reserve::Reserved;
pub use suppress::Suppression;
