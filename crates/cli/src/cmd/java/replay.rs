//! `polypath java replay`: the tests of a run on a plain JVM.

use crate::cmd::replay::{run_dir, status};
use crate::exit::{Exit, UsageError};
use crate::options::seconds;
use crate::session::plan::{Java, Plan};
use anyhow::{Context, Error};
use jvm::{Kit, Tools};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use testcase::Run;
use testcase::java::replay as plain;
use testcase::replay::sandbox::{Config, Sandbox, Scratch};
use testcase::replay::{ReplayProgress, Selection};

/// Runs tests again.
#[derive(clap::Args)]
#[command(after_long_help = crate::exit::HELP)]
pub struct ReplayArgs {
    /// The output directory of a run, or one of its tests (DIR/tests/test000001)
    dir: PathBuf,
    /// Seconds for each test
    #[arg(long, value_name = "S", default_value = "5", value_parser = seconds)]
    time: Duration,
    /// Replay N tests, evenly chosen
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Replay only tests that covered something new or ended in an error
    #[arg(long)]
    new: bool,
}

/// Replays.
///
/// # Errors
/// Wrong usage, a JDK that is missing, tests that cannot be read or compiled.
pub fn run(args: &ReplayArgs) -> anyhow::Result<Exit> {
    if args.time.is_zero() || args.sample == Some(0) {
        return Err(UsageError("--time and --sample must be more than 0".into()).into());
    }
    let stop = host::signals::flag().context("cannot listen to signals")?;
    let selection = Selection {
        only_new: args.new,
        sample: args.sample,
    };
    let dir = std::path::absolute(&args.dir)?;
    replay(&dir, args.time, selection, &stop)
}

/// The tools that Java programs take, of the JDK that the user names or that is in the PATH.
pub fn tools() -> Result<Tools, jvm::KitError> {
    let home = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    Tools::find(home.as_deref())
}

/// Replays the tests in this directory.
pub fn replay(
    dir: &Path,
    time: Duration,
    selection: Selection,
    stop: &AtomicBool,
) -> anyhow::Result<Exit> {
    let run = Run::without_tests(run_dir(dir))?;
    let info = run.info.as_ref();
    let info = info.context("the run does not say what was run (info.json)")?;
    let plan = Plan::of(info).map_err(Error::msg)?;
    let plan = plan.java().map_err(Error::msg)?;
    let line = status::Line::default();
    let progress = |p| line.show(&p);
    let how = How {
        time,
        selection,
        progress: &progress,
        stop,
    };
    let summary = on_plain_jvm(dir, plan, &how, plain::run)?;
    line.clear();
    status::print(&summary.text_of_jvm());
    Ok(match summary.exit_code() {
        0 => Exit::Nothing,
        1 => Exit::Found,
        _ => Exit::Failed,
    })
}

/// Which tests are run on a plain JVM, and how long each may take.
pub struct How<'a> {
    pub time: Duration,
    pub selection: Selection,
    pub progress: &'a dyn Fn(ReplayProgress),
    /// When this is set, the replay ends with what it has.
    pub stop: &'a AtomicBool,
}

/// Does something with tests of a directory on a plain JVM in the sandbox.
///
/// # Errors
/// There is no JDK, the sandbox cannot be made, or what `run` says.
pub fn on_plain_jvm<T>(
    dir: &Path,
    plan: &Java,
    how: &How<'_>,
    run: impl FnOnce(&plain::Options<'_>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let kit = Kit::ensure(tools()?, &mut status::say)?;
    let scratch = Scratch::new("java").context("cannot create a temporary directory")?;
    let driver = kit.plain();
    let java = kit.tools.java.canonicalize()?;
    let mut needed = vec![java.clone(), scratch.path().join("classes")];
    std::fs::create_dir_all(&needed[1])?;
    needed.extend(plan.class_path.iter().cloned());
    needed.extend(std::env::split_paths(&driver));
    let (agent, seen) = kit.agent();
    needed.extend([agent.clone(), seen]);
    let sandbox = Sandbox::new(Config {
        needed,
        ..Config::default()
    })
    .context("cannot start programs")?;
    if let Some(warning) = sandbox.fence().warning() {
        status::say(&warning);
    }
    let stand_ins: Vec<_> = Kit::stand_in_sources().collect();
    run(&plain::Options {
        dir,
        method: plan.method()?,
        class_path: &plan.class_path,
        java: &java,
        javac: &kit.tools.javac,
        driver: &driver,
        agent: &agent,
        stand_ins: &stand_ins,
        scratch: &scratch,
        world: &jvm::WORLD,
        heap_mb: plan.heap_mb,
        time: how.time,
        sandbox: &sandbox,
        selection: how.selection,
        progress: how.progress,
        stop: how.stop,
    })
}
