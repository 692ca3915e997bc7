//! `polypath java replay`: the tests of a run on a plain JVM.

use crate::cmd::replay::within::{Steps, within};
use crate::cmd::replay::{JAVA_BUILD, directory_of, status, unless_cut};
use crate::exit::{Exit, UsageError};
use crate::options::{named, seconds};
use anyhow::{Context, Error};
use run::java::plain::{How, on_plain_jvm};
use run::plan::{Plan, ProgressForm};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use testcase::java::replay as plain;
use testcase::replay::{ExitSummary, Selection};
use testcase::{Located, Run};

/// Runs tests again.
#[derive(clap::Args)]
#[command(after_long_help = crate::exit::HELP)]
pub struct ReplayArgs {
    /// The output directory of a run, or one of its tests (DIR/tests/test000001), also if it is in the pack
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
    /// How the progress is shown on stderr (docs/progress.md)
    #[arg(long, value_name = "FORM", default_value = "line", value_parser = named::<ProgressForm>())]
    progress: ProgressForm,
    /// Run tests without the fence: they can do what you can. Needed where the kernel gives none
    #[arg(long)]
    no_fence: bool,
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
    let located = Located::of(&args.dir)?;
    let run = Run::without_tests(&located.run)?;
    let (_unpacked, dir) = directory_of(&located)?;
    let replayed = within(None, &stop, |end| {
        Steps::new(None, &stop, end).take(JAVA_BUILD, || {
            replay(
                &run,
                &dir,
                args.time,
                selection,
                args.no_fence,
                args.progress,
                end,
            )
        })
    });
    let summary = match replayed {
        Ok(summary) => summary,
        Err(e) => return unless_cut(e),
    };
    say::out_part!("{}", summary.text_of_jvm());
    Ok(crate::cmd::replay::exit(&summary))
}

/// Replays the tests of a run that are in this directory: all, or one.
pub fn replay(
    run: &Run,
    dir: &Path,
    time: Duration,
    selection: Selection,
    no_fence: bool,
    form: ProgressForm,
    stop: &AtomicBool,
) -> anyhow::Result<ExitSummary> {
    let info = run.info.as_ref();
    let info = info.context("the run has no record of its program (info.json)")?;
    let plan = Plan::of(info).map_err(Error::msg)?;
    let plan = plan.java().map_err(Error::msg)?;
    let line = status::StatusLine::new(form, "replayed");
    let progress = |p| line.show(&p);
    let how = How {
        time,
        selection,
        open: no_fence,
        progress: &progress,
        stop,
    };
    let summary = on_plain_jvm(dir, plan, &how, plain::run)?;
    line.clear();
    Ok(summary)
}
