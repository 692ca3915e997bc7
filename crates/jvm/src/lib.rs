//! Java programs as a target of concolic exploration.
//!
//! The program runs on the user's JVM, in a separate process. Its classes are woven there (`java/`): each value is
//! accompanied by the number of an expression, and computations on input are recorded in a stream. This crate turns
//! the stream into terms and decisions, which `dse` explores.
//!
//! The crate knows the meaning of the records and starts the JVM. It knows no class files (the weaver does) and no
//! files of a run (`run` and `testcase` write those).

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

mod aside;
mod flow;
mod input;
mod jvm;
mod kit;
mod lend;
mod lengths;
mod names;
mod outcome;
mod places;
mod run;
mod target;
mod terms;
mod wire;

pub use input::{HIDDEN, RAW, STUB};
pub use jvm::{Failure, Fencing, InputFiles, MainInput, Options, WORLD};
pub use kit::{Kit, KitError, Tools};
pub use lend::{Borrowed, Spare};
pub use lengths::{Lengths, length_of};
pub use names::{lost, open_branches};
pub use outcome::Judge;
pub use places::{MethodCoverage, Places};
pub use target::Java;
