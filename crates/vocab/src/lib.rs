//! The words that several crates share, each as one table: kinds of errors, checks, endings of paths, what a run can
//! leave out, what limits its claim.
//!
//! Their names are part of the contract of `errors.json` and `stats.json`. A new word is one row; code that handles all
//! of them iterates over the table.

#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod bound;
mod check;
mod contract;
mod counted;
mod ending;
mod kind;
pub mod link_note;
mod loss;
mod lost;
pub mod symbol;
mod text;

pub use bound::Bound;
pub use check::{Check, Checks, Group};
pub use contract::{ASKS_FOR_NUMBERS, CONTRACTS, PLACEHOLDERS, STUBS, is_looked_at};
pub use counted::{are, counted};
pub use ending::{Ending, Keep};
pub use kind::ErrorKind;
pub use loss::{Loss, Tally};
pub use lost::Lost;
/// The function that fuzzers call instead of `main`.
pub const FUZZ_TARGET: &str = "LLVMFuzzerTestOneInput";

pub use text::{bytes_of, text_of};
