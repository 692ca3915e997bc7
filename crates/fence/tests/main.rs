//! All tests of this crate: what a program behind the fence sees and can do, compared with what is there on the host.

mod hidden;
mod inherit;
mod inside;
mod namespaces;
mod rules;
