//! Suite `scale`: how many workers a coordinator can have. The real coordinator (crate `fleet`) divides recorded trees of real
//! programs among up to a thousand simulated workers.

mod simulate;
mod tree;

use crate::tools::curve::{Curve, svg};
use crate::tools::report::{Cell, Report};
use crate::tools::{Context, run};
use anyhow::{Context as _, Result};
use oracle::measure::Usage;
use serde::{Deserialize, Serialize};
use simulate::{Costs, SECOND, Simulated, Simulation};
use std::path::{Path, PathBuf};
use testcase::{Run, RunStats};
use tree::Tree;

/// A program whose tree is recorded.
struct RecordedProgram {
    name: &'static str,
    /// A source beside this suite's, or a program of coreutils.
    what: What,
    options: &'static [&'static str],
}

enum What {
    Source(&'static str),
    Coreutils,
}

const PARSER: &str = include_str!("../../../../../../benches/scale/parser.c");

#[rustfmt::skip]
const PROGRAMS: &[RecordedProgram] = &[
    RecordedProgram { name: "cut", what: What::Coreutils, options: &["--sym-args", "0", "1", "6", "--sym-args", "0", "2", "2", "--sym-stdin", "4", "--sym-exact"] },
    RecordedProgram { name: "expr", what: What::Coreutils, options: &["--sym-args", "1", "3", "3"] },
    RecordedProgram { name: "parser", what: What::Source(PARSER), options: &[] },
];

/// Numbers of workers, and the least part of their time that is to be useful.
const GOALS: &[(u32, f64)] = &[(16, 95.0), (256, 90.0), (1000, 80.0)];
/// Processor seconds that are recorded.
const RECORDED: f64 = 8.0;
/// Seconds of work for each worker, and for all of them at least: ten minutes.
const EACH: f64 = 20.0;
const LEAST: f64 = 600.0;
/// A message between two machines of one network, with the relay: what is assumed, not measured.
const MESSAGE: u64 = SECOND / 2000;

/// What was measured of a program. It is kept in `OUT/scale` and serves every later run of the suite, too.
#[derive(Serialize, Deserialize)]
struct Measured {
    tree: Tree,
    costs: Costs,
    /// Nanoseconds to write a test, and its bytes.
    test: f64,
    test_bytes: usize,
}

pub fn run(context: &Context) -> Result<Report> {
    let mut report = Report::new(
        "The real coordinator and simulated workers: trees of real programs",
        &[
            "program, workers",
            "work s",
            "wall s",
            "useful %",
            "following %",
            "paths",
            "messages/s",
            "MB/s",
            "coordinator busy %",
            "behind ms",
            "prefixes MB",
            "useful %, all tests",
        ],
    );
    let mut lines = Vec::new();
    for program in PROGRAMS.iter().filter(|p| context.wants(p.name)) {
        let mut measured = recorded(context, program)?;
        let mut points = Vec::new();
        for &(workers, goal) in GOALS {
            let each = context.time.unwrap_or(EACH);
            let wanted = (f64::from(workers) * each).max(LEAST);
            let work = measured.tree.grow((wanted * 1e9) as u64);
            let plain = Simulation::new(&measured.tree, workers, measured.costs).run();
            // Where the disk is the limit, more workers change nothing.
            let with_tests = (workers == GOALS[0].0).then(|| {
                let costs = Costs {
                    test: measured.test,
                    test_bytes: measured.test_bytes,
                    ..measured.costs
                };
                Simulation::new(&measured.tree, workers, costs).run()
            });
            let name = format!("{} {workers}", program.name);
            report
                .rows
                .push(row(name, work, &plain, with_tests.as_ref(), goal));
            points.push((f64::from(workers), 100.0 * plain.share()));
        }
        let costs = &measured.costs;
        report.remarks.push(format!(
            "{}: {} paths recorded in {:.1} s ({:.3} ms each, {:.0} choices), the longest takes {:.2} s; measured: start of a worker {:.0} ms, \
             following a path {:.3} ms, writing a test {:.3} ms",
            program.name,
            measured.tree.leaves,
            measured.tree.work as f64 / 1e9,
            measured.tree.work as f64 / measured.tree.leaves as f64 / 1e6,
            measured.tree.mean_depth,
            measured.tree.longest() as f64 / 1e9,
            costs.start as f64 / 1e6,
            costs.follow / 1e6,
            measured.test / 1e6,
        ));
        lines.push(Curve {
            name: program.name,
            dashed: false,
            points,
        });
    }
    report.remarks.push(format!(
        "assumed: {:.1} ms for a message; the coordinator's processor time is measured and passes in the simulation",
        MESSAGE as f64 / 1e6
    ));
    let drawn = svg(
        "Useful part of the workers' time",
        "workers",
        1000.0,
        100.0,
        &lines,
    );
    std::fs::write(context.out.join("scale-curve.svg"), drawn)?;
    report.plotted = vec![3];
    Ok(report)
}

fn row(
    name: String,
    work: f64,
    o: &Simulated,
    with_tests: Option<&Simulated>,
    goal: f64,
) -> Vec<Cell> {
    let seconds = o.time as f64 / 1e9;
    let all = o.time as f64 * f64::from(o.workers);
    vec![
        name.into(),
        (work / 1e9).into(),
        seconds.into(),
        Cell::Goal {
            value: 100.0 * o.share(),
            goal,
            at_most: false,
        },
        (100.0 * o.following as f64 / all).into(),
        o.paths.into(),
        (o.messages as f64 / seconds).into(),
        (o.bytes as f64 / 1e6 / seconds).into(),
        (100.0 * o.busy as f64 / o.time as f64).into(),
        (o.behind as f64 / 1e6).into(),
        (o.held as f64 / 1e6).into(),
        with_tests.map_or(Cell::Empty, |o| (100.0 * o.share()).into()),
    ]
}

/// The tree of a program, recorded if it is not there.
fn recorded(context: &Context, program: &RecordedProgram) -> Result<Measured> {
    let kept = context.out.join("scale").join(program.name);
    if let Ok(bytes) = std::fs::read(&kept) {
        return postcard::from_bytes(&bytes).with_context(|| kept.display().to_string());
    }
    let measured = record(context, program)?;
    std::fs::create_dir_all(context.out.join("scale"))?;
    std::fs::write(&kept, postcard::to_stdvec(&measured)?)?;
    Ok(measured)
}

/// Records the tree of a program, and measures what a worker does with it.
fn record(context: &Context, program: &RecordedProgram) -> Result<Measured> {
    let path = match program.what {
        What::Source(text) => {
            let path = context.out.join(format!("{}.c", program.name));
            std::fs::write(&path, text)?;
            path
        }
        What::Coreutils => crate::tools::trees::fetched("coreutils")?
            .join("src")
            .join(program.name),
    };
    let explore = |kind: &str, more: &[&str], checks: bool| -> Result<(PathBuf, Usage, RunStats)> {
        let out = context
            .out
            .join("runs/scale")
            .join(format!("{}-{kind}", program.name));
        explore(
            context,
            &path,
            &out,
            &[program.options, more].concat(),
            checks,
        )
    };
    let time = RECORDED.to_string();
    let limit = ["--cpu-time", &time];
    // Once, so that the IR is there.
    explore("start", &["--max-forks", "1", "--no-tests"], false)?;
    let (_, start, _) = explore("start", &["--max-forks", "1", "--no-tests"], false)?;
    let (out, with_tests, told) =
        explore("tests", &[&limit[..], &["--tests", "all"]].concat(), false)?;
    let (_, plain, paths) = explore("plain", &[&limit[..], &["--no-tests"]].concat(), false)?;
    let (_, followed, checked) =
        explore("followed", &[&limit[..], &["--no-tests"]].concat(), true)?;
    let begins = start.cpu_s * 1e9;
    let per_path = |usage: &Usage, stats: &RunStats| {
        (usage.cpu_s * 1e9 - begins).max(0.0)
            / (stats.completed_paths + stats.partial_paths).max(1) as f64
    };
    let path_cost = per_path(&plain, &paths);
    let tests = Run::read(&out).and_then(Run::whole)?.0.tests;
    let bytes = directory_size(&out.join("tests"))?;
    // Also of paths that got no test.
    let cpu = path_cost * (told.completed_paths + told.partial_paths) as f64;
    Ok(Measured {
        tree: Tree::new(&tests, cpu as u64)?,
        costs: Costs {
            start: begins as u64,
            follow: (per_path(&followed, &checked) - path_cost).max(0.0),
            message: MESSAGE,
            test: 0.0,
            test_bytes: 0,
        },
        test: (per_path(&with_tests, &told) - path_cost).max(0.0),
        test_bytes: (bytes / tests.len() as u64).max(1) as usize,
    })
}

fn explore(
    context: &Context,
    program: &Path,
    out: &Path,
    options: &[&str],
    checks: bool,
) -> Result<(PathBuf, Usage, RunStats)> {
    let mut command = run::explore(context, out)?;
    command.args(["--jobs", "1", "--search", "dfs"]);
    command.args(options);
    command.args(&context.run_options).arg(program);
    if checks {
        command.env("POLYPATH_CHECK_PREFIXES", "1");
    }
    let usage = run::finish(&mut command, &program.display().to_string(), 600.0)?;
    let (_, stats) = Run::without_tests(out).and_then(Run::whole)?;
    Ok((out.to_owned(), usage, stats))
}

/// Bytes of all files below a directory.
fn directory_size(dir: &Path) -> Result<u64> {
    let mut sum = 0;
    let mut open = vec![dir.to_owned()];
    while let Some(dir) = open.pop() {
        let entries = std::fs::read_dir(&dir).with_context(|| dir.display().to_string())?;
        for entry in entries {
            let entry = entry?;
            let meta = entry.metadata()?;
            if meta.is_dir() {
                open.push(entry.path());
            } else {
                sum += meta.len();
            }
        }
    }
    Ok(sum)
}
