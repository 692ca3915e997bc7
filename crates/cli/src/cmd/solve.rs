//! `polypath solve FILE.smt2…|-`: the command line; crate `smt` executes the scripts.

use crate::exit::{Exit, UsageError};
use crate::options::{arrays_help, named_if, seconds};
use run::jobs;
use run::plan::FpSolver;
use smt::{Ended, Unreadable, Work};
use solver::{ArrayMethod, LayerId, SatKind, SatStart, SolverOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(clap::Args)]
#[command(after_help = "\
Answers go to standard output, statistics to standard error. Exit status: 0 every command was
answered (`unknown` at a limit or Ctrl-C is an answer), 1 the script had errors (reported on standard
output, with line and column), 2 wrong usage, 3 the solver failed.")]
pub struct Args {
    /// An SMT-LIB 2 script; `-` reads commands from standard input and answers each at once. Several scripts
    /// are independent of each other, and answered in this order; the answers of each are followed by a comment
    /// `; read S solve S FILE`: the CPU seconds of reading its commands and of executing them
    #[arg(value_name = "FILE|-", required = true)]
    scripts: Vec<PathBuf>,
    /// Seconds for the whole script (each one), then `unknown` (0: no limit); "90", "15m", "2h"
    #[arg(long, value_name = "S", default_value = "0", value_parser = seconds)]
    time: Duration,
    /// Scripts to solve at the same time, each in a process of its own; with 1, one process solves them one after the other
    #[arg(long, value_name = "N", default_value_t = jobs::cores(), value_parser = clap::value_parser!(u32).range(1..=i64::from(jobs::MOST)))]
    jobs: u32,
    /// Memory cap in MB (for each script at work); above it `unknown`. A script's circuits may take half of it, or of the
    /// machine's memory
    #[arg(long, value_name = "MB")]
    memory: Option<u64>,
    /// The script is a log of queries (`polypath run --log-queries`): ask one solver as the run did, each
    /// condition on its path from the state's model, until `--time` CPU seconds were spent on
    /// queries; print each answer with its CPU seconds
    #[arg(long, conflicts_with = "model")]
    replay: bool,
    /// Print the assignments that the solver tries, as comments: each with its technique, the
    /// number of conditions that it satisfies before the first violated one, and the time
    #[arg(long)]
    partial_solutions: bool,
    /// Print the model after each `sat`
    #[arg(long)]
    model: bool,
    /// Print statistics at the end, to standard error
    #[arg(long)]
    stats: bool,
    /// Layers of the solver to use (all)
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = LayerId::by_name)]
    solver_layers: Vec<LayerId>,
    /// SAT solver: auto, cadical or batsat
    #[arg(long, value_name = "NAME", default_value = "auto")]
    sat: String,
    /// Where a SAT solver's search begins: witness, none, or fresh (docs/options.md)
    #[arg(long, value_name = "NAME", default_value = "witness", value_parser = SatStart::by_name)]
    sat_start: SatStart,
    /// The method that decides reads of arrays
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = ArrayMethod::by_name, long_help = arrays_help())]
    arrays: ArrayMethod,
    /// The method that decides conditions on floats
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = named_if(FpSolver::decides_conditions))]
    fp_solver: FpSolver,
    /// Abstract products and divisions of operands with at least this many bits; a huge number for never
    #[arg(long, value_name = "BITS")]
    abstract_width: Option<u32>,
    /// Seed of the layers that guess
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

impl Args {
    /// The time limit, if there is one.
    fn time(&self) -> Option<Duration> {
        (!self.time.is_zero()).then_some(self.time)
    }

    fn solver_options(&self) -> anyhow::Result<SolverOptions> {
        let Some(&(_, sat)) = SatKind::ALL.iter().find(|(name, _)| *name == self.sat) else {
            let known: Vec<&str> = SatKind::ALL.iter().map(|(name, _)| *name).collect();
            return Err(UsageError(format!("--sat: one of {}", known.join(", "))).into());
        };
        Ok(SolverOptions {
            layers: self.solver_layers.clone(),
            sat,
            sat_start: self.sat_start,
            arrays: self.arrays,
            abstract_width: self.abstract_width,
            max_gates: Some(smt::max_gates(self.memory)),
            seed: self.seed,
            floats: self.fp_solver.method(),
            ..SolverOptions::default()
        })
    }
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let several = args.scripts.len() > 1;
    let is_input = |script: &Path| script.as_os_str() == "-";
    if several && args.scripts.iter().any(|s| is_input(s)) {
        return Err(UsageError("`-` must be the only file".into()).into());
    }
    for script in args.scripts.iter().filter(|s| !is_input(s)) {
        let wrong = match std::fs::metadata(script) {
            Ok(file) if file.is_dir() => "a directory, not a script".to_string(),
            Ok(_) => continue,
            Err(e) => e.to_string(),
        };
        return Err(UsageError(format!("{}: {wrong}", script.display())).into());
    }
    let work = Work {
        scripts: args.scripts.clone(),
        time: args.time(),
        memory: args.memory,
        jobs: args.jobs as usize,
        replay: args.replay,
        partial_solutions: args.partial_solutions,
        models: args.model,
        stats: args.stats,
        solver: args.solver_options()?,
        started: run::process::started(),
    };
    match smt::run(&work) {
        Ok(Ended::Answered) => Ok(Exit::Nothing.unless_stopped()),
        Ok(Ended::Errors) => Ok(Exit::Found),
        Ok(Ended::Usage) => Ok(Exit::Usage),
        Ok(Ended::Failed) => Ok(Exit::Failed),
        Err(error) if error.is::<Unreadable>() => Err(UsageError(format!("{error:#}")).into()),
        Err(error) => Err(error),
    }
}
