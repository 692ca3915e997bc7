//! Tools that the suites share. Nothing here knows a suite.

pub mod anchors;
pub mod array_programs;
pub mod contenders;
mod context;
mod cores;
pub mod coreutils;
pub mod curve;
pub mod debian;
pub mod families;
pub mod float;
pub mod formats;
pub mod gcov;
pub mod help;
pub mod kept;
pub mod large_run;
mod needs;
pub mod queries;
pub mod report;
pub mod run;
pub mod script;
pub mod techniques;
pub mod trees;

pub use context::{CaseNames, Context, fresh_dir};
pub use needs::Need;
