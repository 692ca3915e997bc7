//! A run: from its plan to a directory of tests. `course` is its course, `language` what a language says of it, and `c` and `java` the two
//! languages there are. What is said on a command line is read above, in `cli`; this knows values only.

#![deny(unsafe_code)]
#![warn(missing_docs)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod c;
mod claim;
mod contract;
pub mod course;
pub mod exit;
pub mod frontend;
pub mod harness;
pub mod java;
pub mod jobs;
mod language;
mod last_words;
pub mod plan;
pub mod process;
mod progress;
mod pruning;
mod record;
pub mod resume;
mod usage;
