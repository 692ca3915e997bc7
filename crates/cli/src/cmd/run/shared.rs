//! `polypath run --jobs N` with N above 1: the coordinator's part of the command.

use super::Explored;
use super::prepare::Ready;
use crate::exit::UsageError;
use crate::session::jobs::checkpoint::Checkpoint;
use crate::session::jobs::crew::{Crew, Pids, Plan};
use crate::session::jobs::{self, Welcome};
use crate::session::options::Args;
use crate::session::plan::RunPlan;
use crate::session::record::Recorder;
use exec::{ObjectEnd, Output, PathEnd, PathInput, PathOutcome, PortablePrefix};
use fleet::Prefix;
use host::Watchdog;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Explores with several workers. `args` are those of the program that is run.
///
/// # Errors
/// Workers cannot be started.
pub fn explore(
    ready: Ready,
    args: &Args,
    plan: &RunPlan,
    past: Option<Checkpoint>,
    pids: Pids,
    watchdog: &Watchdog,
    recorder: &mut Recorder,
) -> anyhow::Result<Explored> {
    let Ready {
        machine,
        first,
        hash,
        bitcode,
        ..
    } = ready;
    let module = machine.module.clone();
    let begins: Vec<Vec<(String, usize)>> = first
        .iter()
        .map(|s| {
            let sizes = s.objects.iter();
            sizes
                .map(|o| (o.name.to_string(), o.symbols.len()))
                .collect()
        })
        .collect();
    let inputs: Vec<u32> = first.iter().map(|s| s.input_objects).collect();
    let begin = exec::first_prefixes(&machine, &first).into_iter();
    let begin = past.unwrap_or_else(|| Checkpoint {
        prefixes: begin.map(|bytes| Arc::new(Prefix::from(bytes))).collect(),
        ..Checkpoint::default()
    });
    let plan = serde_json::to_string(&compiled(plan, bitcode));
    let plan = plan.map_err(|e| UsageError(format!("--jobs {}: {e}", args.jobs)))?;
    let plan = Plan {
        jobs: args.jobs,
        // Behind `polypath run`.
        args: crate::arguments().iter().skip(2).cloned().collect(),
        welcome: Welcome {
            plan,
            invented: recorder.cases.invented.clone(),
            elapsed: Duration::ZERO,
            board: PathBuf::new(),
            seat: 0,
            memory: jobs::share_of_memory(args.memory << 20, args.jobs),
            grace: watchdog.grace() / 4,
        },
        program: hash,
        module: module.clone(),
        begin,
        stop: watchdog.stop(),
        limits: watchdog.limits(),
        pids,
        lost: Box::new(move |bytes| lost(bytes, &begins, &inputs)),
    };
    // The workers have their own.
    drop((machine, first));
    let outcome = Crew::new(plan, recorder)?.run()?;
    Ok(Explored {
        totals: outcome.totals,
        halted: outcome.halted,
        rejected: outcome.rejected,
        module,
        covered: outcome.covered,
        branches: outcome.branches,
        worker: None,
    })
}

/// The plan for workers: the program is compiled.
fn compiled(plan: &RunPlan, bitcode: Option<PathBuf>) -> RunPlan {
    let mut plan = plan.clone();
    if let Some(bitcode) = bitcode {
        plan.program = bitcode;
        plan.cc_flags.clear();
    }
    plan
}

/// The end of a path on which workers crashed: what is known of its input. `begins` and `inputs` are the objects of the
/// first states and how many of them are input.
fn lost(bytes: &[u8], begins: &[Vec<(String, usize)>], inputs: &[u32]) -> Result<PathEnd, String> {
    let mut prefix = PortablePrefix::from_bytes(bytes)?;
    let start = prefix.start as usize;
    let begin = begins.get(start).ok_or("the program has no such start")?;
    let mut objects = Vec::new();
    let mut add = |name: String, bytes| {
        objects.push(ObjectEnd {
            name,
            bytes,
            relevant: Vec::new(),
        });
    };
    for (name, size) in begin {
        let at = prefix
            .objects
            .iter()
            .position(|(n, b)| n == name && b.len() == *size);
        let bytes = at.map(|at| prefix.objects.swap_remove(at).1);
        add(name.clone(), bytes.unwrap_or_else(|| vec![0; *size]));
    }
    let choices = prefix.choices()?;
    prefix
        .objects
        .drain(..)
        .for_each(|(name, bytes)| add(name, bytes));
    Ok(PathEnd {
        outcome: PathOutcome::Internal("the processes that explored this path crashed".into()),
        is_new: false,
        covered_new: false,
        start: prefix.start,
        instructions: prefix.instructions(),
        stack: None,
        objects,
        input: Some(PathInput {
            input_objects: inputs.get(start).copied().unwrap_or(0),
            output: Output::default(),
            hash: prefix.hash,
            prefix: choices,
        }),
    })
}
