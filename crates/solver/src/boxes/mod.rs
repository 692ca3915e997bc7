//! Boxes of floats: which values each term of some conditions can have, as a set of [`Floats`].
//!
//! Sets go from operands to results and back ([`step`]), as in solvers for constraints over floats (Michel, Rueher, Lebbah,
//! "Solving constraints over floating-point numbers", CP 2001; Botella, Gotlieb, Michel, "Symbolic execution of floating-point
//! computations", STVR 2006). Everything is rounded as the program rounds, so no solution is lost and an empty set is a proof.
//! The engine that does so to a fixed point, for floats and bit-vectors together, is `preprocess::facts`.

mod compare;
mod convert;
mod floats;
mod function;
mod libm;
mod numbers;
mod relations;
mod step;
#[cfg(test)]
mod tests;

pub(crate) use compare::Ways;
pub(crate) use floats::Floats;
pub(crate) use relations::Relations;
pub(crate) use step::{Enclosure, backward, forward, has_floats, is_kept};
