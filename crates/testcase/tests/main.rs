//! Test cases: written, read, replayed and reported.
//!
//! One binary for all, which fills every core and is linked once: a file beside this one needs a line here (`tidy` looks).

mod builds;
mod common;
mod files;
mod gcov;
mod replay;
mod report;
