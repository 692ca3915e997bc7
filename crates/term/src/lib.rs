//! Terms: hash-consed expressions over bit-vectors, arrays, integers and floating-point numbers.
//!
//! A [`Term`] is a handle into a [`Pool`]. Constructors rewrite ([`Rule`]); each node knows its known bits, interval
//! and free symbols; callers that know more compute in [`domain`]. Terms are evaluated under an [`Assignment`] by an
//! [`Evaluator`] (one shot, memoised) or a [`Tape`] (compiled, many runs), rebuilt by [`substitute`], sent to the pool
//! of another process as [`PortableTerms`], and printed by [`Printer`]; [`Pool::collect`] compacts the pool.
//!
//! The crate knows no program, no solver and no file format but the SMT-LIB text it prints. No
//! pass recurses over terms.

#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

mod access;
mod assignment;
mod build;
mod collect;
mod columns;
mod display;
pub mod domain;
mod eval;
mod fpu;
mod info;
mod linear;
mod node;
mod points;
mod pool;
mod portable;
mod print;
mod quick_float;
mod rules;
mod semantics;
mod sort;
mod substitute;
mod symset;
mod table;
mod tape;
mod truth;
mod value;
mod wide;
pub mod work;

pub use assignment::{ArrayValue, Assignment, PackedAssignment};
pub use build::decimal::Decimal;
pub use collect::{Relocation, Trace, Visit};
pub use display::Shown;
pub use eval::Evaluator;
pub use float::{FloatFormat, FloatPredicate, MathFunction, Reading, RoundingMode};
pub use fpu::{MathLibrary, float_operation, math_value, use_math_library};
pub use linear::Linear;
pub use node::{Op, Symbol, Term};
pub use num_bigint::BigInt;
pub use points::Points;
pub use pool::Pool;
pub use portable::PortableTerms;
pub use print::{Names, Printer, to_smt2};
pub use rules::Rule;
pub use semantics::{apply as apply_narrow, mask, sign_extend};
pub use sort::Sort;
pub use substitute::{Substitution, substitute};
pub use symset::{SymbolIter, SymbolSet};
pub use tape::{LANES, Lanes, Scratch, Tape};
pub use value::BitValue;
pub use wide::apply as apply_wide;
