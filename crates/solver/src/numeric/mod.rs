//! Conditions over floats and integers as a problem of minimization.
//!
//! The idea is that of XSat (Fu, Su: "XSat: a fast floating-point satisfiability solver", CAV 2016) and of section III-A.5 of
//! "Symbolic execution of floating-point programs: how far are we?": a distance says how far an assignment is from
//! satisfying the conditions, 0 if it does, and a search makes it smaller. Different from both, floats move in steps
//! of powers of two in their order as bit patterns ([`crate::numbers`]), distances are logarithms of units in the last place
//! ([`metric`]), and instead of sampling there is a pattern search with restarts and weights ([`descent`]), which leaves narrow
//! valleys along several equations at once ([`newton`]). The papers' own search is a baseline, in `papers/hopping`.
//!
//! The search never says that there is no solution. All its choices come from a seed, and it is limited by a count.

#[cfg(test)]
pub(crate) mod conditions;
mod descent;
mod distance;
mod metric;
mod newton;
#[cfg(test)]
mod tests;
mod values;
mod walk;

pub(crate) use descent::Descent;
pub use metric::Metric;
pub(crate) use values::Kind;
pub(crate) use walk::{Problem, Walk};
