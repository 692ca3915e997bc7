//! Exact linear arithmetic: rationals, general simplex, integers by cuts and branches.
//!
//! The crate knows variables, linear forms and bounds, and nothing of terms, formulas or solvers.
//! No float ever decides; every refutation comes with the bounds it rests on and a proof that
//! a debug build checks; an observer sees the assignment before each pivot.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

mod affine;
mod check;
mod deadline;
mod delta;
mod form;
mod integer;
mod optimize;
mod proof;
mod rational;
mod simplex;
mod tableau;
mod ticks;

pub use affine::Affine;
pub use check::{NoObserver, Observer, ProofCheck};
pub use deadline::{Deadline, was_late};
pub use delta::Delta;
pub use form::{Form, Var};
pub use integer::{Clash, Implied, IntegerStats, IntegerVerdict, Integers, Needed};
pub use optimize::Optimum;
pub use proof::{Conclusion, Proof, StepId};
pub use rational::Rational;
pub use simplex::{BoundTerm, Conflict, Side, Simplex, SimplexStats, VariableBound};

pub use ticks::Ticks;
