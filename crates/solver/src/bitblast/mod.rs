//! Bit-vector terms to circuits to clauses.
//!
//! `circuits` knows operators, `aig` gates, `cnf` clauses, `lower` terms, `reads` array reads, and
//! `contexts` keeps the SAT instances small.

pub mod aig;
pub mod circuits;
pub(crate) mod cnf;
pub(crate) mod contexts;
pub(crate) mod lower;
pub(crate) mod reads;
