//! Floating-point conditions as conditions on bit-vectors (BVFP): the operations of crate `float` over terms.
//!
//! The terms are ordinary ones, so that rewriting, value ranges, the abstraction of products and everything else that knows
//! bit-vectors applies to them. The assignments that satisfy a lowered condition are those that satisfy the original one.

mod bounds;
mod logic;
mod lower;
mod modes;
mod plain;
mod size;
mod small;
#[cfg(test)]
mod tests;

pub(crate) use lower::Lowering;
pub(crate) use plain::Plain;
pub(crate) use size::{gates, is_native};
pub(crate) use small::Smaller;
