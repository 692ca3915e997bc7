//! A run: from its plan to a directory of tests. `run` is its course, `language` what a language says of it.

pub mod claim;
pub mod contract;
pub mod frontend;
pub mod harness;
pub mod jobs;
pub mod language;
pub mod last_words;
pub mod plan;
pub mod progress;
pub mod pruning;
pub mod record;
pub mod resume;
pub mod run;
pub mod usage;
