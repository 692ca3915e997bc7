//! The part of SMT-LIB solving above the solver: preprocessing, integers, cores, and the dialogue.
//!
//! A [`ScriptSolver`] has the layer for integers, and simplifies queries by the passes of `preprocess`. Queries of explored programs use nothing of this.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

mod dialogue;
mod lia;
mod limits;
mod minimize;
mod preprocess;
mod replay;
mod run;
mod script;
mod several;
mod stats;
mod turns;

pub use limits::max_gates;
pub use run::{Ended, Unreadable, Work, run};
pub use script::ScriptSolver;
pub use stats::PassStats;
pub use turns::TurnAnswer;
