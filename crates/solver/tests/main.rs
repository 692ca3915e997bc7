//! The solver from outside, against brute force, models and other solvers.
//!
//! One binary for all, which fills every core and is linked once: a file beside this one needs a line here (`tidy` looks).

mod api;
mod arithmetic;
mod arrays;
mod circuits;
mod common;
mod congruence;
mod float_effort;
mod formulas;
mod linear_programs;
mod on_demand;
mod oracle;
mod partial;
mod sat;
mod sat_start;
mod small_inputs;
