//! The part of `polypath run` that knows of several workers: they explore from the beginning (`--jobs N`), or go on with what one
//! worker has left.

use super::Explored;
use super::prepare::Ready;
use crate::exit::UsageError;
use crate::session::jobs::checkpoint::Checkpoint;
use crate::session::jobs::crew::{Crew, Pids, Plan};
use crate::session::jobs::solo::Solo;
use crate::session::jobs::{self, Welcome};
use crate::session::options::Args;
use crate::session::plan::RunPlan;
use crate::session::record::Recorder;
use anyhow::Context;
use exec::{
    Engine, Halt, ObjectEnd, Output, PathEnd, PathInput, PathOutcome, PortablePrefix, State,
};
use host::Watchdog;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;
use testcase::frontier;

/// What stays of a program when the machine that would run it here is gone.
pub struct Begin {
    module: Rc<ir::Verified>,
    hash: String,
    bitcode: Option<PathBuf>,
    /// The objects of the first states with their sizes, and how many of them are input.
    objects: Vec<Vec<(String, usize)>>,
    inputs: Vec<u32>,
}

/// What decides how a run goes on with workers.
#[derive(Clone)]
pub struct Ways<'a> {
    /// Of the program that is run.
    pub args: &'a Args,
    pub plan: &'a RunPlan,
    pub pids: Pids,
    pub watchdog: &'a Watchdog,
}

impl Begin {
    /// Of a program that is ready.
    pub fn of(ready: &Ready) -> Begin {
        let objects = |s: &State| {
            let sizes = s.objects.iter();
            sizes
                .map(|o| (o.name.to_string(), o.symbols.len()))
                .collect()
        };
        Begin {
            module: ready.machine.module.clone(),
            hash: ready.hash.clone(),
            bitcode: ready.bitcode.clone(),
            objects: ready.first.iter().map(|s| objects(s)).collect(),
            inputs: ready.first.iter().map(|s| s.input_objects).collect(),
        }
    }

    /// Explores with one worker in this process; with several ones from when there has been enough to do for a while, if there may
    /// be any.
    ///
    /// # Errors
    /// Workers cannot be started.
    pub fn explore_alone(
        self,
        engine: Engine,
        ways: Ways<'_>,
        recorder: &mut Recorder,
    ) -> anyhow::Result<Explored> {
        let args = ways.args;
        let _lock = frontier::lock(recorder.out.path())?;
        let mut engine = engine.recorded();
        let limits = ways.watchdog.limits();
        let mut solo = Solo::new(recorder, self.hash.clone(), args.may_get_workers(), limits);
        let halt = engine.run(&mut solo);
        if !solo.finish(halt.is_none()) {
            return Ok(Explored::by(engine.worker, halt.map(Halt::name)));
        }
        drop(engine);
        crate::release_memory();
        let left = frontier::read(recorder.out.path())?.context("the frontier is gone")?;
        let left = Checkpoint::read(&left)?;
        if !args.quiet {
            let jobs = args.jobs();
            recorder
                .progress
                .say(&format!("{jobs} workers go on (--jobs 1: one)"));
        }
        self.explore(left, ways, recorder)
    }

    /// Explores with several workers what is left.
    ///
    /// # Errors
    /// Workers cannot be started.
    pub fn explore(
        self,
        begin: Checkpoint,
        ways: Ways<'_>,
        recorder: &mut Recorder,
    ) -> anyhow::Result<Explored> {
        let Begin {
            module,
            hash,
            bitcode,
            objects,
            inputs,
        } = self;
        let Ways {
            args,
            plan,
            pids,
            watchdog,
        } = ways;
        let jobs = args.jobs();
        let plan = serde_json::to_string(&compiled(plan, bitcode));
        let plan = plan.map_err(|e| UsageError(format!("--jobs {jobs}: {e}")))?;
        let plan = Plan {
            jobs,
            // Behind `polypath run`.
            args: crate::arguments().iter().skip(2).cloned().collect(),
            welcome: Welcome {
                plan,
                invented: recorder.cases.invented.clone(),
                elapsed: Duration::ZERO,
                board: PathBuf::new(),
                seat: 0,
                memory: jobs::share_of_memory(args.memory << 20, jobs),
                grace: watchdog.grace() / 4,
            },
            program: hash,
            module: module.clone(),
            begin,
            stop: watchdog.stop(),
            limits: watchdog.limits(),
            pids,
            lost: Box::new(move |bytes| lost(bytes, &objects, &inputs)),
        };
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
