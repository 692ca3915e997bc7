//! The machine in concolic mode: inputs run one after the other, and the solver is asked for the sides of branches
//! that none of them took. Crate `dse` decides which branch is next, and how the exploration is divided.
//!
//! `subject` is the machine as a target of that crate, `program` implements the rest of its interface, `aside` keeps
//! parts of the frontier on disk while memory is short, `divergence` has the messages about runs that left their path,
//! and `portable` is the form in which a part of the frontier goes to another worker.

mod aside;
mod divergence;
mod portable;
mod program;
mod subject;

pub use portable::PortablePart;
pub use subject::{Passed, Subject};

/// The exploration of a program by inputs that run one after the other.
pub type Concolic = dse::Concolic<Subject>;
