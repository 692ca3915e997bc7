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
use suites::publications::{self, EVERY, PUBLICATIONS};
use tools::{CaseNames, Context};

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
    /// The tables and figures of a paper by its number (000, 001, 003, 004, or `all`), or a suite whose question is answered
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
    /// The experiment, after `papers` also a paper's number; without it they are listed
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
            return needs(&suite);
        }
        Some(BenchCommand::Papers(args)) => (SuiteGroup::Papers, args),
        None => (SuiteGroup::Front, args.suite),
    };
    let Some(name) = &args.suite else {
        if group == SuiteGroup::Papers {
            for paper in PUBLICATIONS {
                say::out!("{:<14} {}", paper.number, paper.title);
            }
            say::out!("{EVERY:<14} these four");
        }
        for suite in group.suites() {
            say::out!("{:<14} {}", suite.name, suite.help);
        }
        if group == SuiteGroup::Front {
            let name = "papers NAME";
            say::out!("{name:<14} the four papers, and suites whose question is answered");
        }
        return Ok(Exit::Nothing);
    };
    let papers = match group {
        SuiteGroup::Papers => publications::named(name),
        SuiteGroup::Front => Vec::new(),
    };
    let mut suite = None;
    if papers.is_empty() {
        suite = known(group, name);
        if suite.is_none() {
            return Ok(Exit::Usage);
        }
    }
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
    let context = Context {
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
        cases: CaseNames::default(),
    };
    let mut met = match suite {
        Some(suite) => suite.report(&context)?.met(),
        None => true,
    };
    for paper in papers {
        met &= paper.run(&context)?;
    }
    if let Some(unknown) = context.unknown_case() {
        say::err!("polypath-bench: {unknown}");
        return Ok(Exit::Usage);
    }
    Ok(if met { Exit::Nothing } else { Exit::Failed })
}

/// Prints what a suite or a paper needs, each thing once.
fn needs(words: &[String]) -> Result<Exit> {
    let mut needs: Vec<tools::Need> = Vec::new();
    let papers = match words {
        [papers, name] if papers == "papers" => publications::named(name),
        _ => Vec::new(),
    };
    for paper in &papers {
        needs.extend(paper.needs()?);
    }
    if papers.is_empty() {
        let known = match words {
            [papers, name] if papers == "papers" => known(SuiteGroup::Papers, name),
            words => known(SuiteGroup::Front, &words.join(" ")),
        };
        let Some(suite) = known else {
            return Ok(Exit::Usage);
        };
        needs.extend(suite.needs.iter().copied().flatten());
    }
    let mut said: Vec<tools::Need> = Vec::new();
    for need in needs {
        if !said.contains(&need) {
            said.push(need);
            say::out!("{need}");
        }
    }
    Ok(Exit::Nothing)
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
