//! SMT-LIB 2: commands from text, values to text.
//!
//! A [`Reader`] gives one [`Command`] at a time, with terms in a pool, and keeps the meaning of names;
//! [`write`](mod@write) has the texts of values and of functions' interpretations. Memory is that of the terms and of
//! the declarations: the script itself streams, and terms nest as deep as they like.
//!
//! Bit-vectors, floats, arrays over them, integers, linear reals, uninterpreted functions and sorts are read in
//! any combination; everything else is refused by name. Reals are linear forms, whose assertions crate `lra` keeps. A
//! function is read as an array over its arguments side by side, or, over integers, as a symbol for each application (as is a product of
//! integers), a declared sort as bit-vectors that are wide enough
//! for a model of any script. Terms of sort Float are those of the machine; the terms that are read never distinguish
//! two NaNs.
//!
//! The crate knows terms and no solver.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

mod command;
mod error;
mod lexer;
mod reader;
mod sort;
mod table;
mod terms;
mod theory;
pub mod write;

pub use command::{Assertion, Assumption, Command};
pub use error::{Error, ErrorKind, Feature, Position};
pub use reader::Reader;
pub use sort::{Scalar, ScriptSort, Sorts};
pub use table::{Declaration, Meaning, Named, Typed};
pub use theory::applied::{ApplicationTable, Applied, Product};
pub use write::ModelValue;
