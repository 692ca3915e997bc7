//! What floating-point operations mean.
//!
//! Each operation is written once, over a small [`Logic`] of bit-vectors (the idea of SymFPU: Brain, Schanda, Sun,
//! "Building better bit-blasting for floating-point problems", TACAS 2019): operands are unpacked, computed with,
//! rounded and packed by an [`Fpu`]. [`Numbers`] is the logic whose bit-vectors are numbers; whoever has terms or
//! gates makes another one. The functions of [`pattern`] apply operations to bit patterns, on the host where it
//! computes the same.
//!
//! A [`FloatFormat`] is any binary format of IEEE 754, or x87's of 80 bits. There are two [`Reading`]s, which differ
//! where the standard leaves a choice: what x86-64 code does, and the theory of SMT-LIB, which has one NaN.
//!
//! The crate knows no terms and no programs.

#![deny(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

mod add;
mod compare;
mod convert;
mod decimal;
mod divide;
mod flags;
mod format;
mod fpu;
mod host;
mod integer;
mod integral;
mod logic;
mod math;
mod multiply;
mod nan;
mod natural;
mod numbers;
mod operation;
pub mod pattern;
mod predicate;
mod quick;
mod rational;
mod remainder;
mod round;
mod rounding;
mod unpacked;
#[cfg(target_arch = "x86_64")]
mod x87;

pub use compare::Order;
pub use decimal::{decimal_format, digits_format, from_decimal, power_of_ten};
pub use flags::Flags;
pub use format::{FloatFormat, FormatError};
pub use fpu::{Fpu, Reading};
pub use logic::Logic;
pub use math::MathFunction;
pub use natural::Natural;
pub use numbers::{Number, Numbers};
pub use operation::Operation;
pub use predicate::FloatPredicate;
pub use rational::{from_rational, to_rational};
pub use rounding::{Rounding, RoundingMode};
pub use unpacked::Unpacked;
