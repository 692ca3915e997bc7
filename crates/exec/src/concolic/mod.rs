//! The machine in concolic mode: one input runs after the other, and what none of them took is asked for. Which branch is asked
//! for next, and how the exploration is divided, is the business of crate `dse`.
//!
//! `subject` is the machine as that crate's target, `program` what it has to know beside, `aside` has what memory drove out,
//! `divergence` has words for a run that left its path, and `portable` how a part of the frontier goes to another worker.

mod aside;
mod divergence;
mod portable;
mod program;
mod subject;

pub use portable::PortablePart;
pub use subject::{ObjectBytes, Subject};

/// The exploration of a program by inputs that run one after the other.
pub type Concolic = dse::Concolic<Subject>;
