//! The references against which tests and experiments compare Polypath: the native run of a program, brute force over
//! all its inputs, generated programs, other solvers.
//!
//! Everything here drives the `polypath` binary from outside, as a user would: nothing is linked in that could look
//! better from within.

#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

pub mod browser;
pub mod csmith;
pub mod fidelity;
pub mod formulas;
pub mod measure;
pub mod python;
pub mod random;
pub mod symbolic;
