//! The front end on bitcode and on programs in C.
//!
//! One binary for all, which fills every core and is linked once: a file beside this one needs a line here (`tidy` looks).

mod dead;
mod facts;
mod inputs;
mod newer;
mod shapes;
mod soft_float;
mod text;
