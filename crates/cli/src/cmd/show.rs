//! `polypath show DIR [TEST|--errors|--stats]`

use crate::exit::{Exit, UsageError};
use anyhow::Context;
use run::rerun;
use std::path::{Path, PathBuf};
use testcase::read::{self, NotResults};
use testcase::{Located, Rerun, Run, TestCase, show};

#[derive(clap::Args)]
#[command(after_long_help = format!("{EXAMPLES}\n\n{}", crate::exit::HELP))]
pub struct Args {
    /// The output directory of a run, and tests of it by name or number; or tests by their paths (DIR/tests/test000001), also
    /// if they are in the pack. --stats takes several directories
    #[arg(required = true, value_name = "DIR [TEST]")]
    what: Vec<PathBuf>,
    /// Print all errors: each place once, with its stacks of calls and the input that leads there
    #[arg(long, conflicts_with_all = ["stats", "tests"])]
    errors: bool,
    /// Print the statistics, as klee-stats does: of one run all of them, of several runs a table
    #[arg(long, conflicts_with = "tests")]
    stats: bool,
    /// Print a line for each test
    #[arg(long)]
    tests: bool,
}

const EXAMPLES: &str = "\
Examples:
  polypath show polypath-last                      what the run found, and its most telling tests
  polypath show polypath-last 17                   a test as ktest-tool prints it, and how to run it
  polypath show polypath-last --errors             all errors, with stacks and input
  polypath show --stats out-a out-b                a table, as of klee-stats";

/// Tests that are listed if nobody asks for all.
const TELLING: usize = 20;
/// Errors of which the overview has the input.
const ERRORS: usize = 10;

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let located = Located::all(&args.what)?;
    // A run whose tests are named is not shown as a whole.
    let tests: Vec<&Located> = located.iter().filter(|l| l.test.is_some()).collect();
    let asks_for_all = args.errors || args.stats || args.tests;
    if !tests.is_empty() {
        if asks_for_all {
            let why = "--errors, --stats and --tests are about a run, and a test is named";
            return Err(UsageError(why.into()).into());
        }
        for test in tests {
            let found = test.read().map_err(|e| UsageError(format!("{e:#}")))?;
            let found = found.context("a test was named")?;
            say::out_part!("{}", show::test(&found, &rerun_of(&test.run)));
        }
        return Ok(Exit::Nothing);
    }
    let runs: anyhow::Result<Vec<Run>> = located.iter().map(|l| one(&l.run)).collect();
    let runs = runs?;
    let mut problems = Vec::new();
    if args.stats && runs.len() > 1 {
        let names = args.what.iter().map(|name| name.display().to_string());
        let stats = runs.iter().map(|run| run.stats.clone());
        let rows: Vec<_> = names.zip(stats).collect();
        say::out_part!("{}", show::table(&rows));
        problems.extend(runs.iter().flat_map(|run| run.problems.clone()));
    } else {
        for run in &runs {
            if args.stats {
                problems.extend(stats(run)?);
            } else if args.errors {
                say::out_part!("{}", show::errors(run, &mut lines(run)));
            } else if args.tests {
                problems.extend(all_tests(run)?);
            } else {
                problems.extend(overview(&run.dir)?);
                continue;
            }
            problems.extend(run.problems.iter().cloned());
        }
    }
    for problem in &problems {
        say::err!("polypath: {problem}");
    }
    Ok(if problems.is_empty() {
        Exit::Nothing
    } else {
        Exit::Failed
    })
}

/// A run without its tests.
fn one(dir: &Path) -> anyhow::Result<Run> {
    let run = Run::without_tests(dir)?;
    if run.info.is_none() && run.stats.is_none() && !run.errors_known {
        let why = format!("{}: no run wrote it", dir.display());
        return Err(NotResults(why).into());
    }
    Ok(run)
}

/// How the tests of a run are run again.
fn rerun_of(dir: &Path) -> Rerun {
    let info = Run::without_tests(dir).ok().and_then(|run| run.info);
    match info {
        Some(info) => rerun::read(&info, dir),
        None => Rerun {
            tests: dir.join("tests"),
            ..Rerun::default()
        },
    }
}

/// The lines below an error: those of its test.
pub(super) fn lines(run: &Run) -> impl FnMut(&testcase::ErrorRecord) -> Vec<String> {
    let rerun = rerun_of(&run.dir);
    let dir = run.dir.clone();
    move |error| match &error.test[..] {
        "" => Vec::new(),
        test => match read::named(&dir, test) {
            Ok(test) => rerun.lines(&test),
            Err(e) => vec![format!("# {e:#}")],
        },
    }
}

/// Prints the statistics of a run; returns the problem with its pack.
fn stats(run: &Run) -> anyhow::Result<Option<String>> {
    let stored = read::stored(&run.dir)?;
    say::out!("{}", show::tests(&stored, run.stats.as_ref()));
    match &run.stats {
        Some(stats) => say::out_part!("{}", show::stats(stats)),
        None => say::out!("no stats.json: the run was ended before it wrote any"),
    }
    Ok(stored.problem)
}

/// Prints a line for each test; returns the problems with them.
fn all_tests(run: &Run) -> anyhow::Result<Vec<String>> {
    let mut problems = Vec::new();
    // By number, which is not their order on the disk; only lines are kept.
    let mut all = std::collections::BTreeMap::new();
    read::each_test(
        &run.dir.join("tests"),
        &mut problems,
        &mut |test: TestCase| {
            all.insert(test.id, show::line(&test));
        },
    )?;
    for line in all.values() {
        say::out!("{line}");
    }
    Ok(problems)
}

/// Prints what a run found; returns the problems with its files.
fn overview(dir: &Path) -> anyhow::Result<Vec<String>> {
    let run = Run::outline(dir, TELLING)?;
    if let Some(info) = &run.info {
        let words: Vec<String> = info
            .command
            .iter()
            .map(|w| testcase::shell::word(w))
            .collect();
        say::out!("{}", words.join(" "));
    }
    match &run.stats {
        Some(stats) => {
            let end = stats.halted.as_deref();
            say::out!(
                "{} paths complete, {} partial; {}",
                stats.completed_paths,
                stats.partial_paths,
                end.unwrap_or("everything was explored")
            );
        }
        None => say::out!("no stats.json: the run was ended before it wrote any"),
    }
    say::out!(
        "{}",
        show::tests(&read::stored(&run.dir)?, run.stats.as_ref())
    );
    let bugs = testcase::bug::of_program(&run.errors);
    let mut lines = lines(&run);
    for bug in bugs.iter().take(ERRORS) {
        say::out!("{bug}");
        for line in lines(bug.shown()) {
            say::out!("    {line}");
        }
    }
    let dir = testcase::shell::word(run.dir.as_os_str().as_encoded_bytes());
    if let more @ 1.. = bugs.len().saturating_sub(ERRORS) {
        say::out!("{more} more errors: polypath show {dir} --errors");
    }
    let mut tests: Vec<&TestCase> = run.tests.iter().collect();
    tests.sort_by_key(|test| read::telling(test));
    for test in tests.iter().take(TELLING) {
        say::out!("{}", show::line(test));
    }
    if let more @ 1.. = run.totals.tests.saturating_sub(tests.len().min(TELLING)) {
        say::out!("{more} more tests: polypath show {dir} --tests");
    }
    Ok(run.problems.clone())
}
