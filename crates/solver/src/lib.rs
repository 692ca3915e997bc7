//! The solver: decides queries by layers, from truth tables to bit-blasting. A receiver may watch the assignments that
//! they try.
//!
//! A state of the executor owns a [`PathCondition`] and a witness (a model of it); a [`Solver`] answers whether one
//! more condition is feasible, which bounds a term has, and which values it takes. The crate knows terms but not
//! programs: conjuncts only carry a word for their [`Origin`].

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

mod arith;
mod arrays;
mod bitblast;
mod boxes;
mod chain;
mod circuit;
mod cx;
mod domain;
mod extensions;
mod extremes;
pub mod facts;
mod floats;
mod grid;
mod ilp;
mod invert;
mod layer;
mod layer_id;
mod layers;
mod log;
mod model;
mod numbers;
mod numeric;
mod on_demand;
mod options;
mod papers;
mod partial;
mod path;
mod prefer;
mod pvec;
mod query;
mod ranges;
mod reals;
mod reasoner;
mod refine;
mod registry;
pub mod sat;
mod shown;
mod slice;
mod solver;
mod states;
mod stats;
pub mod theory;
mod wide_values;

pub use arrays::ArrayMethod;
pub use circuit::{aig, circuits};
pub use cx::Cx;
pub use domain::ByteSet;
pub use extremes::{Bounds, Extreme, TermValues};
pub use layer::Layer;
pub use layer_id::LayerId;
pub use log::{WITNESS, parse_witness};
pub use model::Model;
pub use numeric::Metric;
pub use options::{FloatMethod, Points, SatStart, SolverOptions, TheoryKind};
pub use partial::{Receiver, Trial};
pub use path::{Conjunct, Origin, PathCondition, TraceSet};
pub use pvec::PVec;
pub use query::{Ask, Budget, Core, Implication, NoTrials, Outcome, Query, Technique, Trials, Why};
pub use reasoner::Reasoner;
pub use registry::Guest;
pub use sat::SatKind;
pub use slice::Slice;
pub use solver::{Solver, is_too_wide};
pub use states::{Splits, by_states, with_settled};
pub use stats::{SolverStats, StatRow};
pub use wide_values::ValueCounts;
