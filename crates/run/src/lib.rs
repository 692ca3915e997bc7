//! A run, from its plan to a directory of tests. `course` is its course, `language` the interface of a language, `c`
//! and `java` the two languages, `jobs` the workers, and `record` the results. Crate `cli` above parses command lines;
//! this crate gets plain values.

#![deny(unsafe_code)]
#![warn(missing_docs)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod c;
mod c_tests;
mod claim;
mod contract;
pub mod corpus;
pub mod course;
pub mod exchange;
pub mod exit;
mod figures;
pub mod follow;
pub mod frontend;
mod fuzz_board;
pub mod fuzzers;
pub mod harness;
pub mod java;
pub mod jobs;
mod language;
mod last_words;
pub mod library;
pub mod native;
mod outlook;
pub mod plan;
pub mod process;
mod progress;
mod pruning;
mod raw_input;
mod record;
pub mod rerun;
pub mod resume;
mod said;
mod usage;

pub use claim::besides_errors;
pub use record::shown_files;
