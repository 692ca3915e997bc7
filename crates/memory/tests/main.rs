//! Objects against plain bytes.
//!
//! One binary for all, which fills every core and is linked once: a file beside this one needs a line here (`tidy` looks).

mod differential;
mod faults;
mod sharing;
