//! What ran, as plain values: made once from the options and kept in `info.json`, so that whoever comes back to a run
//! (`replay`) reads values and parses no command line. An option may be renamed; old runs still replay.

use super::options::{Args, Libm};
use linux::{ProgramInput, WorldConfig};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use testcase::RunInfo;
use vocab::Checks;

/// The program of a run, and what it ran on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunPlan {
    /// Where the command was given: relative names, also those inside the program, mean what they meant there.
    pub directory: PathBuf,
    /// The program as the user named it; with `--entry` the driver of the function.
    pub program: PathBuf,
    /// Flags for the compiler, if the program is a source.
    pub cc_flags: Vec<String>,
    /// What is looked for.
    pub checks: Checks,
    /// The program has functions that simulate float operations.
    pub soft_float: bool,
    /// What calls of the mathematical library are.
    #[serde(default)]
    pub libm: Libm,
    /// Which of its input is symbolic.
    pub input: ProgramInput,
    /// The world around it, but for `stdin`.
    world: WorldConfig,
    /// Concrete standard input.
    #[serde(with = "testcase::bytes::list")]
    stdin: Vec<Vec<u8>>,
}

impl RunPlan {
    /// The plan of these options.
    ///
    /// # Errors
    /// Options that contradict each other, and files that cannot be read.
    pub fn new(args: &Args) -> anyhow::Result<RunPlan> {
        let input = args.input()?;
        let mut world = args.world()?;
        Ok(RunPlan {
            directory: std::env::current_dir()?,
            program: args.program.clone(),
            cc_flags: args.cc_flag.clone(),
            checks: args.checks(),
            soft_float: args.simulates_floats(),
            libm: args.libm,
            input,
            stdin: vec![std::mem::take(&mut world.stdin)],
            world,
        })
    }

    /// The world around the program.
    pub fn world(&self) -> WorldConfig {
        WorldConfig {
            stdin: self.stdin.concat(),
            ..self.world.clone()
        }
    }

    /// Keeps the plan with what else is known of the run. What ran with `--entry` is the driver, which `info` names.
    ///
    /// # Errors
    /// A name that is not UTF-8: the run has no plan then, and its tests replay natively only.
    pub fn keep(&self, info: &mut RunInfo, is_driver: bool) -> Result<(), serde_json::Error> {
        let mut plan = self.clone();
        if is_driver {
            plan.program = PathBuf::from(&info.program);
        }
        info.plan = Some(serde_json::to_value(plan)?);
        Ok(())
    }

    /// The plan of a run; an error in words if it has none that this version understands.
    pub fn of(info: &RunInfo) -> Result<RunPlan, String> {
        let plan = info
            .plan
            .as_ref()
            .ok_or_else(|| format!("polypath {} could keep no plan in info.json", info.version))?;
        RunPlan::deserialize(plan).map_err(|e| format!("the plan in info.json: {e}"))
    }
}
