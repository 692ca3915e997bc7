//! `polypath part`: a worker, which explores a part of a run of any language. `polypath run --jobs N`, `polypath java
//! run --jobs N` and `polypath worker` start it. Its standard input is a socket to the coordinator, from which it gets
//! the plan of the run; it has no options.

use crate::exit::Exit;
use run::jobs::Hired;
use run::plan::Language;
use run::{c, java};

/// Explores the parts that the run gives it.
///
/// # Errors
/// It was not started by a run, or the program cannot be run.
pub fn run() -> anyhow::Result<Exit> {
    let hired = Hired::new()?;
    match hired.plan.language {
        Language::C(_) => c::part::run(&hired),
        Language::Java(_) => java::part::run(&hired),
    }
}
