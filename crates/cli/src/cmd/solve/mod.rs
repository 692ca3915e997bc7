//! `polypath solve FILE.smt2|-`
//!
//! Reads commands one at a time and answers each before the next one is read, so that a program
//! can hold a dialogue over pipes. An error is reported and passed over; nothing that was asserted
//! is forgotten for it: after an assertion that could not be read, only `unsat` is said.

mod check;
mod limits;
mod options;
mod partial;
mod session;

use crate::exit::{Exit, UsageError};
use crate::session::options::arrays_help;
use limits::Limits;
use session::{Flow, Session};
use smtlib::{Feature, Reader};
use solver::{ArrayMethod, SatKind, SolverOptions};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use term::Pool;

#[derive(clap::Args)]
#[command(after_help = "\
Answers go to standard output, statistics to standard error. Exit status: 0 every command was
answered (`unknown` at a limit or Ctrl-C is an answer), 1 the script had errors (reported on standard
output, with line and column), 2 wrong usage, 3 the solver failed.")]
pub struct Args {
    /// An SMT-LIB 2 script; `-` reads commands from standard input and answers each at once
    #[arg(value_name = "FILE|-")]
    script: PathBuf,
    /// Seconds for the whole script; then `unknown`. Without it there is no limit
    #[arg(long, value_name = "S")]
    time: Option<f64>,
    /// Memory cap in MB; above it `unknown`
    #[arg(long, value_name = "MB")]
    memory: Option<u64>,
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
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    solver_layers: Vec<String>,
    /// SAT solver: auto, cadical or batsat
    #[arg(long, value_name = "NAME", default_value = "auto")]
    sat: String,
    /// How reads of arrays are decided
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = ArrayMethod::by_name, long_help = arrays_help())]
    arrays: ArrayMethod,
    /// Seed of the layers that guess
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

impl Args {
    fn solver_options(&self) -> anyhow::Result<SolverOptions> {
        let Some(&(_, sat)) = SatKind::ALL.iter().find(|(name, _)| *name == self.sat) else {
            let known: Vec<&str> = SatKind::ALL.iter().map(|(name, _)| *name).collect();
            return Err(UsageError(format!("--sat: one of {}", known.join(", "))).into());
        };
        Ok(SolverOptions {
            layers: self.solver_layers.clone(),
            sat,
            arrays: self.arrays,
            seed: self.seed,
            ..SolverOptions::default()
        })
    }
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.time.is_some_and(|time| time.is_nan() || time < 0.0) {
        return Err(UsageError("--time: a number of seconds".into()).into());
    }
    let dialogue = args.script.as_os_str() == "-";
    let limits = Limits::start(args.time, args.memory, dialogue)?;
    let solver = args.solver_options()?;
    let mut session = Session::new(solver, limits, args.partial_solutions, args.model)
        .map_err(|e| UsageError(format!("--solver-layers: {e}")))?;
    let ended = if dialogue {
        converse(io::stdin().lock(), &mut session)
    } else {
        let file = File::open(&args.script)
            .map_err(|e| UsageError(format!("{}: {e}", args.script.display())))?;
        converse(file, &mut session)
    };
    if args.stats {
        session.print_stats();
    }
    let exit = match ended {
        Ok(()) if session.failed => Exit::Failed,
        Ok(()) if session.errors > 0 => Exit::Found,
        // The reader of our answers has gone: nobody is left to tell.
        Ok(()) | Err(_) => Exit::Nothing,
    };
    // Terms die with the process: taking them apart costs more than it gives.
    std::mem::forget(session);
    Ok(exit)
}

/// Executes commands until the script ends.
fn converse(input: impl Read, session: &mut Session) -> io::Result<()> {
    let mut pool = Pool::new();
    let mut reader = Reader::new(input);
    loop {
        session.limits.idle();
        let next = reader.next(&mut pool);
        session.limits.busy();
        let mut out = io::stdout().lock();
        match next {
            Ok(None) => break,
            Ok(Some(command)) => {
                let flow = session.execute(&mut pool, &mut reader, command, &mut out)?;
                out.flush()?;
                if flow == Flow::Stop {
                    break;
                }
            }
            Err(error) => {
                if error.lost_assertion {
                    session.lose(error.feature());
                }
                if error.feature() == Some(Feature::Float) {
                    session.success(&mut out)?;
                } else {
                    session.report(&mut out, &error.to_string())?;
                }
                out.flush()?;
            }
        }
    }
    std::mem::forget((pool, reader));
    Ok(())
}
