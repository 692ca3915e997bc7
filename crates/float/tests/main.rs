//! Floats against definitions, other libraries and the processor.
//!
//! One binary for all, which fills every core and is linked once: a file beside this one needs a line here (`tidy` looks).

mod apfloat;
mod exhaustive;
mod host;
mod operands;
#[cfg(target_arch = "x86_64")]
mod processor;
mod wide;
