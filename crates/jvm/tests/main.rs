//! The weaver on classes that a JVM verifies and runs.
//!
//! One binary for all, which fills every core and is linked once: a file beside this one needs a line here (`tidy` looks).

mod check;
mod distances;
mod image;
mod numbers;
