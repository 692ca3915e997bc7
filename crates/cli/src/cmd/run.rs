//! `polypath run PROGRAM`: a run of a program in IR.

use crate::exit::Exit;
use crate::options::{Invocation, RunArgs};
use run::c::IrProgram;
use run::course::{self, Results};
use run::jobs::Pids;
use run::plan::Plan;

/// Explores.
///
/// # Errors
/// Wrong usage, a program that cannot be run, files that cannot be written.
pub fn run(args: &RunArgs) -> anyhow::Result<Exit> {
    begin(args.plan()?)
}

/// Explores by a plan.
///
/// # Errors
/// As [`run`].
pub fn begin((plan, invocation): (Plan, Invocation)) -> anyhow::Result<Exit> {
    let Invocation { out, resume } = invocation;
    exec::limit_memory(plan.memory());
    let pids = Pids::default();
    let program = IrProgram::new(&plan, pids.clone())?;
    let results = resume.map_or(Results::New(out), Results::Old);
    course::run(plan, results, Box::new(program), pids)
}
