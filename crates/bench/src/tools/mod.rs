//! What the suites share. Nothing here knows a suite.

pub mod anchors;
pub mod array_programs;
mod context;
pub mod coreutils;
pub mod gcov;
mod needs;
pub mod queries;
pub mod report;
pub mod techniques;
pub mod trees;

pub use context::{Context, fresh_dir};
pub use needs::Need;
