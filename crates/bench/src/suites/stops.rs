//! Suite `stops`: what a run loses that is stopped again and again.
//!
//! Real programs, built by their own build systems, are explored to the end twice: without a stop, and with ten at random moments by random
//! means (SIGINT, SIGTERM, SIGHUP, SIGKILL of the process, SIGKILL of all its processes), each followed by `polypath run --resume`. After each
//! stop all that was there before must still be there: tests, errors, covered branches; in the end both must have the same paths.

use crate::tools::report::{Cell, Report};
use crate::tools::{Context, fresh_dir, trees};
use anyhow::{Context as _, Result, ensure};
use oracle::measure::measure;
use oracle::random::Random;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::collections::BTreeSet;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use testcase::{ErrorRecord, Run, RunStats};

/// A program and its input.
struct Stopped {
    name: &'static str,
    /// Its tree, and the program in it.
    tree: &'static str,
    program: &'static str,
    jobs: &'static str,
    /// The input, and a larger one for `--all`, which takes half an hour.
    input: &'static [&'static str],
    large: &'static [&'static str],
}

#[rustfmt::skip]
const PROGRAMS: &[Stopped] = &[
    Stopped { name: "dos2unix", tree: "dos2unix", program: "dos2unix", jobs: "1", input: &["--sym-stdin", "7"], large: &["--sym-stdin", "9"] },
    Stopped { name: "byacc", tree: "byacc", program: "yacc", jobs: "2", input: &["--sym-files", "1", "5", "--", "A"], large: &["--sym-files", "1", "6", "--", "A"] },
    Stopped { name: "sqlite3", tree: "sqlite3", program: "sqlite3", jobs: "1", input: &["--sym-stdin", "3"], large: &["--sym-stdin", "4"] },
];

/// Stops of each run.
const STOPS: u64 = 10;
/// Longer than any of the runs takes.
const LONG: Duration = Duration::from_secs(4 * 3600);
/// How often a run is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// How a run is stopped.
#[derive(Clone, Copy)]
enum Means {
    /// It may write what it knows.
    Asked(Signal),
    /// It may not.
    Killed,
    /// Nor may its workers.
    AllKilled,
}

const MEANS: [Means; 5] = [
    Means::Asked(Signal::INT),
    Means::Asked(Signal::TERM),
    Means::Asked(Signal::HUP),
    Means::Killed,
    Means::AllKilled,
];

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let stops = context.count.unwrap_or(STOPS);
    let columns = [
        "program",
        "workers",
        "paths",
        "tests",
        "branches",
        "errors",
        "stops",
        "CPU s",
        "CPU s with stops",
        "ratio",
    ];
    let title = format!("Runs with about {stops} stops at random, beside runs without");
    let mut report = Report::new(&title, &columns);
    for (program, seed) in PROGRAMS.iter().zip(context.first_seed..) {
        if context.wants(program.name) {
            compare(context, program, (stops, seed), &mut report)?;
            report.write(&context.out, "stops")?;
        }
    }
    Ok(report)
}

fn compare(
    context: &Context,
    program: &Stopped,
    (stops, seed): (u64, u64),
    report: &mut Report,
) -> Result<()> {
    let name = program.name;
    let binary = trees::fetched(program.tree)?.join(program.program);
    let input = if context.all {
        program.large
    } else {
        program.input
    };
    let out = |what: &str| -> Result<PathBuf> {
        let out = context
            .out
            .join("runs")
            .join(format!("stops-{name}-{what}"));
        fresh_dir(&out)?;
        Ok(out)
    };
    let first = |out: &Path| {
        let mut command = Command::new(&context.polypath);
        command.args(["run", "--quiet", "--jobs", program.jobs, "--out"]);
        command.arg(out).args(&context.run_options);
        command.arg(&binary).args(input);
        command
    };
    let whole_out = out("whole")?;
    let usage = measure(&mut first(&whole_out), LONG)?;
    ensure!(
        usage.code() <= 1,
        "{name}: exit {}: {}",
        usage.code(),
        usage.last_words()
    );
    let whole = RunResults::read(&whole_out)?;
    let stopped_out = out("stopped")?;
    let mut random = Random(seed);
    let between = Duration::from_secs_f64(usage.wall_s / (stops + 1) as f64);
    let mut before = RunResults::default();
    let mut done = 0;
    loop {
        let mut command = match done {
            0 => first(&stopped_out),
            _ => {
                let mut command = Command::new(&context.polypath);
                command
                    .args(["run", "--quiet", "--resume"])
                    .arg(&stopped_out);
                command
            }
        };
        let means = *random.one_of(&MEANS);
        // From half to one and a half times the mean.
        let after = between.mul_f64(0.5 + f64::from(random.below(1000)) / 1000.0);
        let is_last = done == stops;
        let was_stopped = run_until(&mut command, (!is_last).then_some((after, means)))?;
        let now = RunResults::read(&stopped_out)?;
        for lost in now.lacks(&before) {
            report
                .failures
                .push(format!("{name}, after stop {done}: {lost}"));
        }
        say::err!(
            "stops: {name}: {} paths after stop {done}",
            now.stats.completed_paths
        );
        before = now;
        if !was_stopped {
            break;
        }
        done += 1;
    }
    let same = [
        (
            "paths",
            whole.stats.completed_paths == before.stats.completed_paths,
        ),
        ("endings", whole.stats.endings == before.stats.endings),
        ("tests", whole.stats.tests == before.stats.tests),
        ("covered branches", whole.branches == before.branches),
        ("errors", whole.errors == before.errors),
    ];
    let others = same.iter().filter(|(_, same)| !same).map(|(what, _)| what);
    for what in others {
        report
            .failures
            .push(format!("{name}: other {what} than without stops"));
    }
    let figure = |n: u64| Cell::Number(n as f64);
    report.rows.push(vec![
        name.into(),
        program.jobs.into(),
        figure(before.stats.completed_paths),
        figure(before.stats.tests),
        figure(before.branches.len() as u64),
        figure(before.errors.len() as u64),
        figure(done),
        whole.stats.cpu_s.into(),
        before.stats.cpu_s.into(),
        (before.stats.cpu_s / whole.stats.cpu_s).into(),
    ]);
    Ok(())
}

/// Runs a command, and stops it so after so long; whether it was still at work then.
fn run_until(command: &mut Command, stop: Option<(Duration, Means)>) -> Result<bool> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.process_group(0).spawn()?;
    let begun = Instant::now();
    let end = begun + stop.map_or(LONG, |(after, _)| after);
    while Instant::now() < end {
        if let Some(status) = child.try_wait()? {
            ensure!(
                matches!(status.code(), Some(0 | 1)),
                "a part ended by itself: {status}"
            );
            return Ok(false);
        }
        std::thread::sleep(LOOK);
    }
    let (_, means) = stop.context("a run does not come to its end")?;
    kill(&child, means)?;
    child.wait()?;
    Ok(true)
}

fn kill(child: &Child, means: Means) -> Result<()> {
    let pid = Pid::from_child(child);
    match means {
        Means::Asked(signal) => kill_process(pid, signal)?,
        Means::Killed => kill_process(pid, Signal::KILL)?,
        Means::AllKilled => kill_process_group(pid, Signal::KILL)?,
    }
    Ok(())
}

/// What a user finds in the directory of a run.
#[derive(Default)]
struct RunResults {
    stats: RunStats,
    /// Names of the tests that are files.
    tests: BTreeSet<String>,
    /// Bytes of the pack.
    pack: u64,
    /// Kind, file and line.
    errors: BTreeSet<(String, String, u32)>,
    /// File, line, column and side.
    branches: BTreeSet<(String, u32, u32, usize)>,
}

impl RunResults {
    fn read(out: &Path) -> Result<RunResults> {
        let run = Run::without_tests(out)?;
        let mut seen = RunResults {
            // (One that was killed at once has written none yet.)
            stats: run.stats.unwrap_or_default(),
            ..RunResults::default()
        };
        let entries = std::fs::read_dir(out.join("tests")).context("no tests")?;
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.ends_with(".pack") {
                seen.pack += entry.metadata()?.len();
            } else {
                seen.tests.insert(name);
            }
        }
        let error = |e: ErrorRecord| (e.kind.id().to_owned(), e.file, e.line);
        seen.errors = run.errors.into_iter().map(error).collect();
        for file in run.coverage.unwrap_or_default().files {
            for branch in file.branches {
                let sides = branch.taken.iter().enumerate().filter(|(_, taken)| **taken);
                let place = |(side, _)| (file.path.clone(), branch.line, branch.column, side);
                seen.branches.extend(sides.map(place));
            }
        }
        Ok(seen)
    }

    /// What was there before and is not now, in words.
    fn lacks(&self, before: &RunResults) -> Vec<String> {
        let mut lost = Vec::new();
        for (what, n) in [
            ("tests", before.tests.difference(&self.tests).count()),
            ("errors", before.errors.difference(&self.errors).count()),
            (
                "branches",
                before.branches.difference(&self.branches).count(),
            ),
            (
                "bytes of the pack",
                before.pack.saturating_sub(self.pack) as usize,
            ),
        ] {
            if n > 0 {
                lost.push(format!("{n} {what} are gone"));
            }
        }
        lost
    }
}
