//! A dialogue over SMT-LIB commands: its state, what each command does to it, and the answer that it writes.

mod check;
mod options;
pub(crate) mod partial;
mod products;
mod reals;
mod session;

pub(crate) use check::conjuncts;
pub(crate) use session::{Flow, Session};

#[cfg(test)]
mod tests;
