//! Bit-vector terms to circuits to clauses.
//!
//! `circuits` builds operators, `aig` gates, `cnf` clauses; `terms` gives terms their bits, `lower` in the right
//! order, and `valuation` evaluates gates under a model. Nothing here knows arrays or abstract products: terms that
//! have no plain circuit are left to an [`Extension`].

pub mod aig;
pub mod circuits;
pub(crate) mod cnf;
mod extension;
mod lower;
pub(crate) mod model;
pub(crate) mod terms;
pub(crate) mod valuation;

pub use extension::Intervals;
pub(crate) use extension::{Clauses, Extension, Lowered, Scope};
pub use lower::Lowering;
pub(crate) use terms::Circuit;
