//! Conditions over floats and integers as a problem of minimization, solved by descent.
//!
//! The idea is that of XSat (Fu, Su: "XSat: a fast floating-point satisfiability solver", CAV 2016) and of section III-A.5 of
//! "Symbolic execution of floating-point programs: how far are we?": a distance says how far an assignment is from
//! satisfying the conditions, 0 if it does, and a search makes it smaller. Different from both, floats move in steps
//! of powers of two in their order as bit patterns ([`variables`]), distances are logarithms of units in the last place
//! ([`distance`]), and instead of sampling there is a pattern search with restarts and weights ([`descent`]).
//!
//! The search never says that there is no solution. All its choices come from a seed, and it is limited by a count.

mod descent;
mod distance;
#[cfg(test)]
mod tests;
mod variables;

pub(crate) use descent::{Descent, Problem};
