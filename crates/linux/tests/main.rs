//! The world of a program against tables and the real kernel.
//!
//! One binary for all, which fills every core and is linked once: a file beside this one needs a line here (`tidy` looks).

mod common;
mod input;
mod kernel;
mod process;
mod symbolic;
mod table;
