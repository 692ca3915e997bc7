//! The machine on programs in IR text, without a compiler, a C library or a file system.
//!
//! - `files`: each `*.ir` in this directory, with what it is expected to do at its end (`POLYPATH_BLESS=1` writes it).
//! - `ways`: random programs, run by the inner loop and without it, on symbolic input and on the input of each path:
//!   all must agree. `POLYPATH_IR_PROGRAMS=N` runs N programs, `POLYPATH_IR_SEED` says with which one to begin.
//!   A program that fails is shrunk and printed, so that it can become a file here.
//! - `shared`: several engines that give each other prefixes, and die, find the paths of one.

mod explore;
mod files;
mod program;
mod shared;
mod shrink;
mod ways;
