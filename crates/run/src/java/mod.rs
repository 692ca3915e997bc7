//! Java programs as a language of runs (`docs/java.md`).

mod given;
mod hash;
pub mod part;
mod parts;
pub mod plain;
mod policy;
mod program;
mod sources;
mod witness;

pub use hash::hash;
pub use parts::{place_of, spare};
pub use program::JavaProgram;

/// How a line begins that warns of something.
pub const WARNING: &str = "polypath: warning: ";
