//! Java programs as a target of concolic exploration.
//!
//! The program runs on a JVM of the user's, in a process of its own. Its classes are woven there (`java/`): beside each
//! value goes the number of an expression, and what is computed from input is recorded in a stream. Here that stream
//! becomes terms and decisions, which `dse` explores.
//!
//! The crate knows what the records mean and how a JVM is started. It knows no class files (the weaver does) and no
//! files of a run (`cli` writes those).

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

mod aside;
mod flow;
mod input;
mod jvm;
mod kit;
mod names;
mod outcome;
mod places;
mod run;
mod target;
mod terms;
mod wire;

pub use jvm::{Failure, Fencing, InputFiles, MainInput, Options, WORLD};
pub use kit::{Kit, KitError, Tools};
pub use names::{lost, open_branches};
pub use outcome::Judge;
pub use places::{MethodCoverage, Places};
pub use target::Java;
