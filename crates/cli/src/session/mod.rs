//! A run of `polypath run`: from the program's file to a directory of tests.

pub mod harness;
pub mod load;
pub mod options;
pub mod progress;
pub mod record;
pub mod signals;
