//! Runs scripts, one after the other or several at the same time, within their limits.

use crate::dialogue::{Flow, Session};
use crate::limits::{CurrentScript, ScriptLimits};
use crate::{limits, replay, several};
use anyhow::{Result, anyhow};
use smtlib::Reader;
use solver::SolverOptions;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use term::Pool;

/// The work to do.
pub struct Work {
    /// The scripts; one that is `-` is standard input, and stands alone.
    pub scripts: Vec<PathBuf>,
    /// The limits of each script.
    pub time: Option<Duration>,
    /// Memory of each that is at work, in MB.
    pub memory: Option<u64>,
    /// Number of scripts at the same time, each in a process of its own.
    pub jobs: usize,
    /// The scripts are logs of queries, which are asked as the run asked them.
    pub replay: bool,
    /// Write what the solver tries, as comments.
    pub partial_solutions: bool,
    /// Write the model after each `sat`.
    pub models: bool,
    /// Write statistics to standard error at the end.
    pub stats: bool,
    /// The solver of each script.
    pub solver: SolverOptions,
    /// When the process began.
    pub started: Instant,
}

/// How scripts ended, from the best to the worst.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Ended {
    /// Each command was answered.
    Answered,
    /// A command had an error, which was answered.
    Errors,
    /// A process for one script was started wrongly.
    Usage,
    /// The solver failed.
    Failed,
}

/// A script that cannot be opened.
#[derive(Debug)]
pub struct Unreadable(pub String);

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unreadable {}

pub(crate) fn is_input(script: &Path) -> bool {
    script.as_os_str() == "-"
}

/// Executes the scripts; answers go to standard output. With several scripts and jobs, or when a script has to be given up and others follow,
/// the program that calls this is started again with its own arguments.
///
/// # Errors
/// [`Unreadable`], or what the system refused.
pub fn run(work: &Work) -> Result<Ended> {
    let several = work.scripts.len() > 1;
    let only = several::only();
    if several && work.jobs > 1 && only.is_none() {
        return several::run(work);
    }
    let scripts = match only {
        Some(number) => number..number + 1,
        None => 0..work.scripts.len(),
    };
    let scripts = work.scripts.get(scripts).unwrap_or_default();
    if work.replay {
        return replay::run(work, scripts);
    }
    let limits = ScriptLimits::start(
        work.started,
        work.time,
        work.memory,
        is_input(&work.scripts[0]),
    )?;
    let (done, mut worst) = if several {
        limits::resumed()
    } else {
        (0, Ended::Answered)
    };
    for (i, script) in scripts.iter().enumerate().skip(done) {
        let solver = work.solver.clone();
        let limits = limits.again(several.then(|| CurrentScript::new(script, i + 1, worst)));
        let mut session = Session::new(solver, limits, work.partial_solutions, work.models);
        let mut pool = Pool::new();
        let mut times = Times::default();
        let ended = if is_input(script) {
            converse(io::stdin().lock(), &mut pool, &mut session, &mut times).map(std::mem::forget)
        } else {
            let file =
                File::open(script).map_err(|e| Unreadable(format!("{}: {e}", script.display())))?;
            let reader = converse(file, &mut pool, &mut session, &mut times);
            reader.map(|reader| {
                if !several {
                    std::mem::forget(reader);
                }
            })
        };
        let exit = match ended {
            Ok(()) if session.failed => Ended::Failed,
            Ok(()) if session.errors > 0 => Ended::Errors,
            Ok(()) => Ended::Answered,
            // The reader of our answers has gone: nobody is left to tell.
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ended::Answered,
            Err(e) => return Err(anyhow!("cannot write to standard output: {e}")),
        };
        worst = worst.max(exit);
        if several {
            let (Times { read, solve }, script) = (times, script.display());
            let comment = format_args!("; read {read:.6} solve {solve:.6} {script}");
            session.limits.tell(comment, worst);
        }
        if work.stats {
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
pub(crate) fn cpu_seconds() -> f64 {
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
        let mut out = say::Results::new();
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
