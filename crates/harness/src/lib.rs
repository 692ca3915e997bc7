//! Under-constrained execution of one function: a C program that makes its parameters symbolic by
//! their types, and calls it.
//!
//! [`types`] describes a function, its parameters and their types (`polypath-lower` reads that from debug
//! information). [`driver::write`] turns the description into a driver in C, the one source of truth:
//! `polypath harness` shows it, `polypath run --entry` compiles and explores it, and since it is a
//! program, its tests replay natively. [`test_source`] gives the same driver the form that it has in tests which are C themselves.
//!
//! The idea is that of UC-KLEE (Ramos, Engler: "Under-Constrained Symbolic Execution", USENIX Security
//! 2015) with one difference. There a pointer is decided when it is first dereferenced; here the driver
//! allocates all objects up to a bounded depth at once, and the *choice* among null, the fresh object and
//! earlier ones of its type is a term without a branch ([`driver`]). A path forks only where the function
//! looks at the pointer, so laziness costs no engine support and works natively too; what it costs is
//! memory for objects that no path looks at.
//!
//! This crate knows no LLVM, no files and no processes.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

mod bounds;
mod calls;
pub mod convention;
pub mod declare;
pub mod driver;
pub mod expr;
mod layout;
pub mod made_up;
mod makers;
pub mod nearest;
pub mod offered;
mod pointers;
mod preamble;
mod raw;
mod results;
pub mod said;
pub mod test_source;
pub mod types;
mod writer;

pub use driver::{Driver, DriverOptions};
pub use made_up::Invented;
pub use raw::RawInput;
pub use types::Description;
