//! Linear arithmetic over real numbers next to bit-vectors and floats, decided lazily.
//!
//! Terms have no reals. A comparison of linear forms over reals is an *atom*: a Boolean symbol of its own, which the solver
//! of the other theories may give either value. `fp.to_real` of a float is an unknown that the float's value
//! determines, and the float that a real is rounded to is a symbol whose value bounds the real ([`table`]). A model of the
//! other theories thus becomes bounds on linear forms, which general simplex decides: either there are values of the
//! reals, or some of the bounds contradict each other, which is a lemma that every model obeys
//! ([`theory`]; the lazy approach, see R. Sebastiani, "Lazy satisfiability modulo theories", JSAT 2007). Bounds
//! that come from floats are weakened in a lemma as far as the contradiction allows, so that it excludes a range of floats and not
//! only the one of the model. Where the numbers of several floats contradict atoms, the inequality between them that
//! follows from the atoms becomes an atom itself, with a circuit that says exactly what it means of the floats ([`exact`]).

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

mod exact;
mod lemma;
mod number;
mod rounding;
mod table;
mod theory;

pub use number::{from_fraction, to_fraction};
pub use table::{Reals, TableMark, Unknown};
pub use theory::{Theory, Verdict};
