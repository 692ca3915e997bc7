//! The interface for layers of other crates that run their own search over circuits, under a theory that the solver
//! does not know.
//!
//! [`whole_circuits`] builds circuits of bit-vector terms, in which the layer gives its own terms bits
//! ([`Lowering::provide`]); [`Cnf`] hands their clauses to a SAT solver, and [`decide`] runs the layer's [`Search`],
//! refined until the abstract parts of the circuits hold, too. Crate `smt` does so for integers.

pub use crate::circuit::cnf::Cnf;
pub use crate::circuit::{Intervals, Lowering};
pub use crate::extensions::whole_circuits;
pub use crate::refine::{Question, Search, SearchAnswer, decide};
pub use crate::shown::{Set, Shown, nearest};
