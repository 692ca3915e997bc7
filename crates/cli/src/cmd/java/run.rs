//! `polypath java run`: a run of a method of a Java program.

use crate::exit::Exit;
use crate::options::{Invocation, JavaRunArgs};
use run::course::{self, Results};
use run::java::{JavaProgram, hash};
use run::jobs::Pids;
use run::plan::Language;

/// Explores.
///
/// # Errors
/// Wrong usage, a JDK that is missing, files that cannot be written.
pub fn run(args: &JavaRunArgs) -> anyhow::Result<Exit> {
    let (mut plan, Invocation { out, resume }) = args.plan()?;
    exec::limit_memory(plan.memory());
    let pids = Pids::default();
    let program = JavaProgram::new(&plan, pids.clone())?;
    if let Language::Java(java) = &mut plan.language {
        java.hash = hash(&java.class_path);
    }
    let results = resume.map_or(Results::New(out), Results::Old);
    course::run(plan, results, Box::new(program), pids)
}
