//! `polypath java`: the methods of Java programs (`docs/java.md`).

mod replay;
mod run;
mod test;

use crate::exit::Exit;
use crate::options::JavaRunArgs;

/// Explores Java programs.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Explore the paths of a method and write test cases
    Run(Box<JavaRunArgs>),
    /// Run the tests again on a plain JVM, and compare
    Replay(replay::ReplayArgs),
    /// Explore all public methods of a package under one budget
    Test(test::TestArgs),
}

/// Replays the tests of a Java run, or the one test in `dir`, as `polypath replay` was asked to.
pub fn replay_run(
    run: &testcase::Run,
    dir: &std::path::Path,
    time: std::time::Duration,
    selection: testcase::replay::Selection,
    no_fence: bool,
    form: ::run::plan::ProgressForm,
    stop: &std::sync::atomic::AtomicBool,
) -> anyhow::Result<testcase::replay::ExitSummary> {
    replay::replay(run, dir, time, selection, no_fence, form, stop)
}

/// Runs the subcommand.
///
/// # Errors
/// Wrong usage, a JDK that is missing, files that cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Run(args) => run::run(args),
        Command::Replay(args) => replay::run(args),
        Command::Test(args) => test::run(args),
    }
}
