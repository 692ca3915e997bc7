//! A run of `polypath run`: from the program's file to a directory of tests.

pub mod claim;
pub mod contract;
pub mod frontend;
pub mod harness;
pub mod jobs;
pub mod last_words;
pub mod plan;
pub mod progress;
pub mod pruning;
pub mod record;
pub mod resume;
pub mod usage;
