//! Terms against their definitions.
//!
//! One binary for all, which fills every core and is linked once: a file beside this one needs a line here (`tidy` looks).

mod arrays;
mod chains;
mod collect;
mod common;
mod deep;
mod floats;
mod ints;
mod points;
mod rules;
mod semantics;
mod smtlib;
mod tables;
mod wide_arrays;
