//! Coordination with fake workers and fake machines.
//!
//! One binary for all, which fills every core and is linked once: a file beside this one needs a line here (`tidy` looks).

mod net;
mod rounds;
mod workers;
