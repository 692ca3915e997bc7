//! `polypath-oracle`: installs what some tests ask as Python packages in the cache, and prints the interpreter that has them.

#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![forbid(unsafe_code)]

use polypath_oracle::{formulas, python};
use std::process::ExitCode;

fn main() -> ExitCode {
    let name = std::env::args().nth(1);
    let found = match name.as_deref() {
        Some("solvers") => formulas::solvers::python(),
        Some("ray") => python::with_ray(),
        _ => {
            say::err!("polypath-oracle solvers (z3, bitwuzla and cvc5) or polypath-oracle ray");
            return ExitCode::from(2);
        }
    };
    match found {
        Ok(python) => {
            say::out!("{}", python.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            say::err!("polypath-oracle: {error:#}");
            ExitCode::FAILURE
        }
    }
}
