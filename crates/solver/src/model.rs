//! Assignments of the input symbols.

use term::Assignment;

/// A complete assignment of the input symbols; those never set are 0.
pub type Model = Assignment;
