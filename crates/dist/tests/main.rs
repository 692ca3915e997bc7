//! What belongs to releases and lies outside of this crate. One binary: a file beside this one needs a line here.

mod release;
