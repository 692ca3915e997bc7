//! The machine from outside: IR, floats, another language.
//!
//! One binary for all, which fills every core and is linked once: a file beside this one needs a line here (`tidy` looks).

// Under the name that `operands` gives it.
extern crate float as polypath_float;

mod float_exceptions;
mod ir;
mod language;
#[path = "../../float/tests/operands/mod.rs"]
mod operands;
mod soft_float;
