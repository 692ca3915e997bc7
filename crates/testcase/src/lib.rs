//! What a Polypath run leaves behind: test cases, their native replay, coverage and reports.
//!
//! This crate knows `ir` (sites, branches, lines) but neither the solver nor the machine: the
//! executor hands over plain data ([`TestCase`], [`Stats`] …) and [`OutputDir`] puts it on disk.

pub mod bytes;
pub mod coverage;
mod disk;
pub mod gcov;
pub mod kind;
pub mod klee;
pub mod ktest;
pub mod model;
pub mod output;
pub mod pack;
pub mod read;
pub mod replay;
pub mod report;
pub mod sanitize;
pub mod testdir;

pub use coverage::Coverage;
pub use kind::ErrorKind;
pub use model::{
    ErrorRecord, ExitKind, Expected, FileSpec, Frame, RunInfo, Stats, TestCase, TimePoint,
    test_name,
};
pub use output::{OutputDir, WriteSummary};
pub use read::Run;
