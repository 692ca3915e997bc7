//! Dynamic symbolic execution (concolic testing), with one difference: the assignments that the solver *tries* are
//! inputs as well ("Multiplex symbolic execution: exploring multiple paths by solving once", Alg. 1).
//!
//! The loop runs inputs, keeps the sides of branches that no run took in a tree of paths, asks the solver for an input
//! that takes one of them, and so on. A query's partial solutions violate some earlier conjunct; if that opens a
//! branch that no run took, they are run too, whether the query was satisfiable, unsatisfiable or undecided.
//!
//! The frontier can be divided: an explorer gives away parts and takes in those of others ([`Part`]). [`Concolic`] is
//! the [`Exploration`](explore::Exploration) of a [`Program`] in any language.
//!
//! The crate knows a [`Target`] that runs inputs and the solver's interface. It knows neither LLVM nor a
//! machine, memory or files.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

mod concolic;
mod conditions;
mod explorer;
mod neighbours;
mod part;
mod partial;
mod portable;
mod stats;
mod target;
mod tree;
mod trust;

pub use concolic::{Concolic, Program, first_prefixes};
pub use conditions::Conditions;
pub use explorer::{Explorer, ExplorerOptions};
pub use neighbours::{Neighbours, changeable};
pub use part::{Cutoff, OpenSide, Part, Ticket};
pub use partial::{LeftOut, PartialLimits, PartialOptions};
pub use portable::{Names, PortablePart, Undecided};
pub use stats::ExplorerStats;
pub use target::{Cut, Decision, Divergence, Executed, Holder, Input, Quota, Retraced, Target};
pub use trust::Trust;
