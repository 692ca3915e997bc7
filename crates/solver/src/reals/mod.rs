//! Float conditions solved over the real numbers, and the solution rounded (RSO).
//!
//! Section III-A.2 of "Symbolic execution of floating-point programs: how far are we?" and Ariadne (Barr, Vo, Le, Su, "Automatic
//! detection of floating-point exceptions", POPL 2013): without rounding conditions are easier, and near a real solution there
//! often is one in floats. Here boxes of real numbers are contracted by each condition (HC4: Benhamou, Goualard, Granvilliers,
//! Puget, "Revising hull and box consistency", ICLP 1999) and halved, until a box is a few doubles wide; numeric search looks for
//! a solution among its neighbors.
//!
//! That no real box is left proves nothing about floats.

mod functions;
mod interval;
mod newton;
mod search;
mod system;
#[cfg(test)]
mod tests;

pub(crate) use search::{Effort, solve};
