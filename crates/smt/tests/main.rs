//! Scripts' solver from outside, against brute force, models and other solvers.
//!
//! One binary for all, which fills every core and is linked once: a file beside this one needs a line here (`tidy` looks).

mod integers;
mod mixed;
mod sequences;
