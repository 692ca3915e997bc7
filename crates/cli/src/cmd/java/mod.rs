//! `polypath java`: the methods of Java programs (`docs/java.md`).

mod given;
mod hash;
mod options;
mod part;
mod plan;
mod policy;
mod replay;
mod run;
mod sources;
mod test;
mod witness;

use crate::exit::Exit;
use std::path::PathBuf;
use testcase::RunInfo;

/// The command of workers, below `java`.
pub const PART: &str = part::NAME;

/// Where a run was started.
///
/// # Errors
/// Its record does not say it.
pub fn directory_of(info: &RunInfo) -> Result<PathBuf, String> {
    let plan = plan::Plan::of(Some(info)).map_err(|e| format!("{e:#}"))?;
    Ok(plan.directory)
}

/// How a line begins that warns of something.
const WARNING: &str = "polypath: warning: ";

/// Explores Java programs.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Explore the paths of a method and write test cases
    Run(Box<options::RunArgs>),
    /// Explore a part of a run: `polypath java run` starts it
    #[command(name = part::NAME, hide = true)]
    Part(Box<options::RunArgs>),
    /// Run the tests again on a plain JVM, and compare
    Replay(replay::ReplayArgs),
    /// Explore all public methods of a package under one budget
    Test(test::TestArgs),
}

/// Replays the tests of a Java run, or one test, as `polypath replay` was asked to.
pub fn replay_run(
    dir: &std::path::Path,
    time: std::time::Duration,
    only_new: bool,
    sample: Option<usize>,
    stop: &std::sync::atomic::AtomicBool,
) -> anyhow::Result<Exit> {
    let selection = testcase::replay::Selection { only_new, sample };
    replay::replay(dir, time, selection, stop)
}

/// Runs the subcommand.
///
/// # Errors
/// Wrong usage, a JDK that is missing, files that cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Run(args) => run::run(args),
        Command::Part(args) => part::run(args),
        Command::Replay(args) => replay::run(args),
        Command::Test(args) => test::run(args),
    }
}
