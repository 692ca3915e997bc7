//! Bit-vector terms to circuits to clauses.
//!
//! `circuits` knows operators, `aig` gates, `cnf` clauses, `terms` which bits a term has, `lower` the order in which
//! terms get them, `valuation` what gates are under a model. Nothing here knows arrays or abstract products: terms
//! that have no plain circuit are left to an [`Extension`].

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
