//! `polypath-bench`: the experiments.
//!
//! Everything here drives the `polypath` binary from outside, as a user would, and measures CPU time
//! of the whole process tree: nothing is linked in that could look better from within.
//!
//! `suites` has the experiments, `tools` what they share; no tool knows a suite.

#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod suites;
mod tools;

use anyhow::{Result, ensure};
use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;
use suites::SuiteGroup;
use tools::Context;

/// Runs an experiment: tables, JSON and plots.
#[derive(Parser)]
#[command(
    name = "polypath-bench",
    version,
    args_conflicts_with_subcommands = true
)]
struct Args {
    #[command(subcommand)]
    command: Option<BenchCommand>,
    #[command(flatten)]
    suite: BenchRun,
}

#[derive(clap::Subcommand)]
enum BenchCommand {
    /// A suite whose question is answered: the experiments of the papers, and those that a decision rested on
    Papers(BenchRun),
    /// Print what a suite needs, one thing a line: `tree NAME` (of bench/fetch), `judge NAME`, `package NAME TEST`
    Needs {
        /// `SUITE`, or `papers SUITE`
        #[arg(required = true, num_args = 1..=2)]
        suite: Vec<String>,
    },
}

#[derive(clap::Args)]
struct BenchRun {
    /// The experiment; without it they are listed
    suite: Option<String>,
    /// The polypath binary (default: the one beside this program)
    #[arg(long, value_name = "FILE")]
    polypath: Option<PathBuf>,
    /// Where tables, JSON, plots and the runs' outputs go
    #[arg(long, default_value = "polypath-bench", value_name = "DIR")]
    out: PathBuf,
    /// Seconds for each run
    #[arg(long, value_name = "S")]
    time: Option<f64>,
    /// Seeds for each configuration; the table shows medians
    #[arg(long, value_name = "N")]
    seeds: Option<u64>,
    /// Generated programs (1000), or queries, or tests to replay
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// Runs at the same time, in suites that compare coverage or CPU seconds [default: the cores]; with 1, runs do not
    /// take each other's caches: for figures that are to be compared with others'
    #[arg(long, value_name = "N")]
    jobs: Option<std::num::NonZeroUsize>,
    /// Everything, where a suite has a smaller selection of its own
    #[arg(long)]
    all: bool,
    /// First seed of the generated programs
    #[arg(long, value_name = "N", default_value_t = 1)]
    first_seed: u64,
    /// Only these programs or cases
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,
    /// A searcher to compare (repeatable)
    #[arg(long = "search", value_name = "NAME")]
    searchers: Vec<String>,
    /// Further options for each `polypath run`, after `--`
    #[arg(last = true, value_name = "OPTIONS")]
    run_options: Vec<String>,
}

/// As those of `polypath`: a goal that was missed is a failure of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    Nothing = 0,
    Usage = 2,
    Failed = 3,
}

/// How many workers a run has that is not told.
const JOBS: &str = "POLYPATH_JOBS";

fn main() -> ExitCode {
    // Tests are replayed by a process of their own: this program again.
    let arguments: Vec<_> = std::env::args_os().collect();
    if let [_, mode] = arguments.as_slice()
        && mode == testcase::replay::sandbox::WORKER
    {
        testcase::replay::sandbox::worker_main();
    }
    // One worker is compared with one worker; suites that want more say so.
    if std::env::var_os(JOBS).is_none() {
        // SAFETY: no other thread runs yet.
        unsafe { std::env::set_var(JOBS, "1") };
    }
    let exit = run(Args::parse()).unwrap_or_else(|error| {
        say::err!("polypath-bench: {error:#}");
        Exit::Failed
    });
    let exit = match say::lost() {
        Some(why) => {
            say::err!("polypath-bench: cannot write to standard output: {why}");
            Exit::Failed
        }
        None => exit,
    };
    ExitCode::from(exit as u8)
}

fn run(args: Args) -> Result<Exit> {
    let (group, args) = match args.command {
        Some(BenchCommand::Needs { suite }) => {
            let known = match suite.as_slice() {
                [papers, name] if papers == "papers" => known(SuiteGroup::Papers, name),
                words => known(SuiteGroup::Front, &words.join(" ")),
            };
            let Some(suite) = known else {
                return Ok(Exit::Usage);
            };
            for need in suite.needs.iter().copied().flatten() {
                say::out!("{need}");
            }
            return Ok(Exit::Nothing);
        }
        Some(BenchCommand::Papers(args)) => (SuiteGroup::Papers, args),
        None => (SuiteGroup::Front, args.suite),
    };
    let Some(name) = &args.suite else {
        for suite in group.suites() {
            say::out!("{:<14} {}", suite.name, suite.help);
        }
        if group == SuiteGroup::Front {
            say::out!("{:<14} those whose question is answered", "papers SUITE");
        }
        return Ok(Exit::Nothing);
    };
    let Some(suite) = known(group, name) else {
        return Ok(Exit::Usage);
    };
    let polypath = match args.polypath {
        Some(path) => std::path::absolute(path)?,
        None => std::env::current_exe()?.with_file_name("polypath"),
    };
    ensure!(
        polypath.is_file(),
        "{} is missing: ./x build makes it, --polypath names another",
        polypath.display()
    );
    let cores = || std::thread::available_parallelism().ok();
    let met = suite.run(&Context {
        polypath,
        jobs: args.jobs.or_else(cores).map_or(1, |n| n.get()),
        out: std::path::absolute(&args.out)?,
        time: args.time,
        seeds: args.seeds,
        first_seed: args.first_seed,
        count: args.count,
        all: args.all,
        only: args.only,
        searchers: args.searchers,
        run_options: args.run_options,
    })?;
    Ok(if met { Exit::Nothing } else { Exit::Failed })
}

/// The suite of that name; if there is none, where it is or which there are has been said.
fn known(group: SuiteGroup, name: &str) -> Option<&'static suites::Suite> {
    let said = |why| say::err!("polypath-bench: {why}");
    group.find(name).map_err(said).ok()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Args::command().debug_assert();
    }
}
