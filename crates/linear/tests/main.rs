//! Linear arithmetic against brute force and exact elimination.
//!
//! One binary for all, which fills every core and is linked once: a file beside this one needs a line here (`tidy` looks).

mod common;
mod implied;
mod integers;
mod numbers;
mod simplex;
