//! Decides queries by SAT solvers: `contexts` keeps the instances small, `instance` asks one.

pub(crate) mod contexts;
mod instance;
