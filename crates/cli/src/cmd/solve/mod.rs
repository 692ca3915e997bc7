//! `polypath solve FILE.smt2…|-`
//!
//! Reads commands one at a time and answers each before the next one is read, so that a program
//! can hold a dialogue over pipes. An error is reported and passed over; nothing that was asserted
//! is forgotten for it: after an assertion that could not be read, only `unsat` is said.

mod check;
mod limits;
mod options;
mod partial;
mod reals;
mod replay;
mod session;
mod several;

use crate::exit::{Exit, UsageError};
use crate::session::jobs;
use crate::session::options::{arrays_help, seconds};
use anyhow::anyhow;
use limits::{Place, ScriptLimits};
use session::{Flow, Session};
use smtlib::Reader;
use solver::{ArrayMethod, LayerId, SatKind, SolverOptions};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use term::Pool;

#[derive(clap::Args)]
#[command(after_help = "\
Answers go to standard output, statistics to standard error. Exit status: 0 every command was
answered (`unknown` at a limit or Ctrl-C is an answer), 1 the script had errors (reported on standard
output, with line and column), 2 wrong usage, 3 the solver failed.")]
pub struct Args {
    /// An SMT-LIB 2 script; `-` reads commands from standard input and answers each at once. Several scripts
    /// are executed each from nothing, and answered in this order; after its answers comes a comment
    /// `; read S solve S FILE`: the CPU seconds of reading its commands and of executing them
    #[arg(value_name = "FILE|-", required = true)]
    scripts: Vec<PathBuf>,
    /// Seconds for the whole script (each one), then `unknown` (0: no limit); "90", "15m", "2h"
    #[arg(long, value_name = "S", default_value = "0", value_parser = seconds)]
    time: Duration,
    /// Scripts to solve at the same time, by processes of their own; with 1, one process solves them one after the other
    #[arg(long, value_name = "N", default_value_t = jobs::cores(), value_parser = clap::value_parser!(u32).range(1..=i64::from(jobs::MOST)))]
    jobs: u32,
    /// Memory cap in MB (for each script at work); above it `unknown`. A script's circuits may take half of it, or of the
    /// machine's memory
    #[arg(long, value_name = "MB")]
    memory: Option<u64>,
    /// The script is a log of queries (`polypath run --log-queries`): ask them of one solver as the run did, each
    /// condition on its path from the state's model, until `--time` CPU seconds were spent on
    /// questions; each answer with its CPU seconds
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
    /// How reads of arrays are decided
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = ArrayMethod::by_name, long_help = arrays_help())]
    arrays: ArrayMethod,
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
            arrays: self.arrays,
            abstract_width: self.abstract_width,
            max_gates: Some(limits::max_gates(self.memory)),
            seed: self.seed,
            ..SolverOptions::default()
        })
    }
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let several = args.scripts.len() > 1;
    let is_input = |script: &Path| script.as_os_str() == "-";
    if several && args.scripts.iter().any(|s| is_input(s)) {
        return Err(UsageError("`-` stands alone".into()).into());
    }
    for script in args.scripts.iter().filter(|s| !is_input(s)) {
        let wrong = match std::fs::metadata(script) {
            Ok(file) if file.is_dir() => "a directory, not a script".to_string(),
            Ok(_) => continue,
            Err(e) => e.to_string(),
        };
        return Err(UsageError(format!("{}: {wrong}", script.display())).into());
    }
    let only = several::only();
    if several && args.jobs > 1 && only.is_none() {
        return several::run(args, args.jobs as usize);
    }
    let scripts = match only {
        Some(number) => number..number + 1,
        None => 0..args.scripts.len(),
    };
    let scripts = args.scripts.get(scripts).unwrap_or_default();
    if args.replay {
        return replay::run(args, scripts);
    }
    let limits = ScriptLimits::start(args.time(), args.memory, is_input(&args.scripts[0]))?;
    let (done, mut worst) = if several {
        limits::resumed()
    } else {
        (0, Exit::Nothing)
    };
    for (i, script) in scripts.iter().enumerate().skip(done) {
        let solver = args.solver_options()?;
        let limits = limits.again(several.then(|| Place::new(script, i + 1, worst)));
        let mut session = Session::new(solver, limits, args.partial_solutions, args.model);
        let mut pool = Pool::new();
        let mut times = Times::default();
        let ended = if is_input(script) {
            converse(io::stdin().lock(), &mut pool, &mut session, &mut times).map(std::mem::forget)
        } else {
            let file =
                File::open(script).map_err(|e| UsageError(format!("{}: {e}", script.display())))?;
            let reader = converse(file, &mut pool, &mut session, &mut times);
            reader.map(|reader| {
                if !several {
                    std::mem::forget(reader);
                }
            })
        };
        let exit = match ended {
            Ok(()) if session.failed => Exit::Failed,
            Ok(()) if session.errors > 0 => Exit::Found,
            Ok(()) => Exit::Nothing,
            // The reader of our answers has gone: nobody is left to tell.
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Exit::Nothing,
            Err(e) => return Err(anyhow!("cannot write to standard output: {e}")),
        };
        worst = worst.max(exit);
        if several {
            let (Times { read, solve }, script) = (times, script.display());
            let comment = format_args!("; read {read:.6} solve {solve:.6} {script}");
            session.limits.tell(comment, worst);
        }
        if args.stats {
            session.print_stats();
        }
        if !several {
            // Terms die with the process: taking them apart costs more than it gives.
            std::mem::forget((session, pool));
        }
    }
    Ok(worst)
}

/// CPU seconds of a script.
#[derive(Default)]
struct Times {
    /// Reading commands and building their terms.
    read: f64,
    /// Executing them.
    solve: f64,
}

/// CPU seconds of this thread.
fn cpu_seconds() -> f64 {
    host::clock::thread_time().as_secs_f64()
}

/// Executes commands until the script ends.
fn converse<R: Read>(
    input: R,
    pool: &mut Pool,
    session: &mut Session,
    times: &mut Times,
) -> io::Result<Reader<R>> {
    let mut reader = Reader::new(input);
    let mut before = cpu_seconds();
    let mut lap = |sum: &mut f64| {
        let now = cpu_seconds();
        *sum += now - before;
        before = now;
    };
    loop {
        session.limits.idle();
        let next = reader.next(pool);
        session.limits.busy();
        lap(&mut times.read);
        let mut out = io::stdout().lock();
        match next {
            Ok(None) => break,
            Ok(Some(command)) => {
                let flow = session.execute(pool, &mut reader, command, &mut out)?;
                out.flush()?;
                if flow == Flow::Stop {
                    break;
                }
            }
            Err(error) => {
                if error.lost_assertion {
                    session.lose();
                }
                session.report(&mut out, &error.to_string())?;
                out.flush()?;
            }
        }
        lap(&mut times.solve);
    }
    Ok(reader)
}
