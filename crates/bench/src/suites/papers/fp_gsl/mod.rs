//! Suite `fp-gsl`: floating-point conditions in GSL. Every method of `--fp-solver` is measured against the others and
//! against other solvers, beside the figures of "Symbolic Execution of Floating-point Programs: How far are we?" (the
//! study) and "Multiplex symbolic execution", Table 7 (the matrices).
//!
//! The suite has three parts; `--only` names parts, and functions, programs or methods within them.

mod gsl_functions;
mod matrices;
mod queries;
mod study;

use crate::tools::Context;
use crate::tools::contenders::PEERS;
use crate::tools::float::{self, FloatStudy, Gsl, Setting};
use crate::tools::report::Report;
use anyhow::{Result, ensure};

const PARTS: &[(&str, FloatStudy)] = &[
    ("queries", queries::run),
    ("study", study::run),
    ("multiplex", matrices::run),
];

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let offered = float::methods(context)?;
    know_names(context, &offered)?;
    let chosen = context.choose(PARTS, |(name, _)| name);
    let parts: Vec<FloatStudy> = chosen.into_iter().map(|&(_, run)| run).collect();
    Setting::new(context, &offered)?.report(&parts)
}

/// A misspelled name would choose everything.
fn know_names(context: &Context, methods: &[String]) -> Result<()> {
    let parts = PARTS.iter().map(|(name, _)| *name);
    let peers = PEERS.iter().copied();
    let mut known: Vec<&str> = parts.chain(matrices::names()).chain(peers).collect();
    known.extend(methods.iter().map(String::as_str));
    let mut unknown = context.only.clone();
    unknown.retain(|name| !known.contains(&name.as_str()));
    if !unknown.is_empty() {
        let functions = gsl_functions::all(&Gsl::find()?.tree)?;
        unknown.retain(|name| functions.iter().all(|f| f.name != *name));
    }
    ensure!(
        unknown.is_empty(),
        "--only: unknown names {}; there are functions of GSL, and {}",
        unknown.join(", "),
        known.join(", ")
    );
    Ok(())
}
