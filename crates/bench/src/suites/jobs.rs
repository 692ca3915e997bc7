//! Suite `jobs`: the gain of a second worker, the costs of tests on disk and of continuing a run, and the losses of a
//! small memory.
//!
//! Programs that are explored to the end, by one worker and by two in turns; coverage of coreutils in the same time by the
//! clock; the same under a small cap of memory; the processor time of a test on disk; a run that is stopped five times.

use crate::tools::anchors::COREUTILS_ARGUMENTS;
use crate::tools::report::{Cell, Report, median};
use crate::tools::{Context, fresh_dir, trees};
use anyhow::{Context as _, Result, ensure};
use oracle::measure::{Usage, measure};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use testcase::RunStats;

/// The sources, so that the installed binary can run the suite.
const SOURCES: &[(&str, &str)] = &[
    ("fork", include_str!("../../../../benches/jobs/fork.c")),
    ("parser", include_str!("../../../../benches/jobs/parser.c")),
    ("sort", include_str!("../../../../benches/jobs/sort.c")),
    ("tables", include_str!("../../../../benches/jobs/tables.c")),
    ("words", include_str!("../../../../benches/jobs/words.c")),
];

/// The program of which tests are written.
const TESTED: &str = include_str!("../../../../benches/core/fork16.c");

/// A program of coreutils that is explored to the end with these arguments.
const CUT: &[&str] = &[
    "--sym-args",
    "1",
    "3",
    "2",
    "--sym-stdin",
    "4",
    "--sym-exact",
];

/// Programs whose coverage is compared.
const COREUTILS: &[&str] = &[
    "base64", "cat", "cut", "expr", "fmt", "od", "pr", "tr", "tsort", "wc",
];

/// Interleaved runs of which the median counts.
const RUNS: u64 = 3;
/// Seconds of a run for coverage.
const COVERAGE_S: f64 = 30.0;
/// How often a run is stopped.
const STOPS: u32 = 5;
/// The ending of paths for which there was no memory, in `stats.json`.
const MEMORY: &str = "memory";
/// Longer than anything takes.
const LONG: Duration = Duration::from_secs(1800);

/// What is compared: columns of the table.
const COLUMNS: [&str; 6] = ["what", "program", "figure", "--jobs 1", "--jobs 2", "ratio"];

struct Suite<'a> {
    context: &'a Context,
    report: Report,
}

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let mut report = Report::new("One worker and two, on two cores", &COLUMNS);
    report.plotted = vec![3, 4];
    let mut suite = Suite { context, report };
    let coreutils = trees::fetched("coreutils")?.join("src");
    let sources = context.out.join("jobs");
    std::fs::create_dir_all(&sources)?;
    let mut programs = Vec::new();
    for (name, text) in SOURCES {
        let path = sources.join(format!("{name}.c"));
        std::fs::write(&path, text).with_context(|| format!("cannot write {name}"))?;
        programs.push((*name, path, &[][..]));
    }
    programs.push(("cut", coreutils.join("cut"), CUT));
    for (name, path, arguments) in &programs {
        if context.wants(name) {
            suite.exhaustive(name, path, arguments)?;
        }
    }
    for name in COREUTILS.iter().filter(|name| context.wants(name)) {
        suite.coverage(name, &coreutils.join(name))?;
    }
    if context.wants("memory") {
        suite.memory(&coreutils.join("cut"))?;
    }
    if context.wants("tests") {
        let path = sources.join("fork16.c");
        std::fs::write(&path, TESTED).context("cannot write fork16")?;
        suite.tests(&path)?;
    }
    if context.wants("resume") {
        suite.resume(&coreutils.join("cut"))?;
    }
    Ok(suite.report)
}

impl Suite<'_> {
    fn command(&self, out: &Path, program: &Path, options: &[&str]) -> Command {
        let mut command = Command::new(&self.context.polypath);
        command.args(["run", "--quiet", "--out"]).arg(out);
        command.args(options).args(&self.context.run_options);
        command.arg(program);
        command
    }

    fn explore(
        &self,
        program: &Path,
        jobs: &str,
        options: &[&str],
        arguments: &[&str],
    ) -> Result<(Usage, RunStats)> {
        let out = self.out()?;
        let options = [&["--jobs", jobs], options].concat();
        let mut command = self.command(&out, program, &options);
        let usage = measure(command.args(arguments), LONG)?;
        ensure!(
            usage.code() <= 1,
            "exit {}: {}",
            usage.code(),
            usage.last_words()
        );
        Ok((usage, stats(&out)?))
    }

    fn out(&self) -> Result<PathBuf> {
        let out = self.context.out.join("runs").join("jobs");
        fresh_dir(&out)?;
        Ok(out)
    }

    fn row(&mut self, what: &str, program: &str, figure: &str, values: [f64; 2], goal: Cell) {
        say::err!("jobs: {what} {program}: {values:?}");
        let [one, two] = values.map(Cell::Number);
        let row = vec![what.into(), program.into(), figure.into(), one, two, goal];
        self.report.rows.push(row);
    }

    /// Explored to the end: how much sooner two are done.
    fn exhaustive(&mut self, name: &str, program: &Path, arguments: &[&str]) -> Result<()> {
        let mut wall = [Vec::new(), Vec::new()];
        let mut paths = Vec::new();
        for _ in 0..self.context.seeds.unwrap_or(RUNS) {
            for (jobs, wall) in ["1", "2"].iter().zip(&mut wall) {
                let (usage, stats) = self.explore(program, jobs, &["--no-tests"], arguments)?;
                ensure!(stats.halted.is_none(), "{name}: {:?}", stats.halted);
                wall.push(usage.wall_s);
                paths.push(stats.completed_paths);
            }
        }
        if paths.iter().any(|&n| n != paths[0]) {
            let text = format!("{name}: numbers of paths differ: {paths:?}");
            self.report.failures.push(text);
        }
        let values = wall.map(|wall| median(&wall).unwrap_or_default());
        let figure = format!("seconds for {} paths", paths[0]);
        let goal = at_least(values[0] / values[1], 1.85);
        self.row("to the end", name, &figure, values, goal);
        Ok(())
    }

    /// Branches that are covered after the same time.
    fn coverage(&mut self, name: &str, program: &Path) -> Result<()> {
        let time = self.context.time.unwrap_or(COVERAGE_S).to_string();
        let mut covered = [Vec::new(), Vec::new()];
        for seed in 0..self.context.seeds.unwrap_or(RUNS) {
            let seed = seed.to_string();
            for (jobs, covered) in ["1", "2"].iter().zip(&mut covered) {
                let options = ["--time", &time, "--seed", &seed, "--tests", "new"];
                let (_, stats) = self.explore(program, jobs, &options, COREUTILS_ARGUMENTS)?;
                covered.push(stats.covered_branches as f64);
            }
        }
        let values = covered.map(|covered| median(&covered).unwrap_or_default());
        let goal = at_least(values[1] / values[0], 1.0);
        let figure = format!("branches after {time} s");
        self.row("coverage", name, &figure, values, goal);
        Ok(())
    }

    /// The same with little memory, beside much.
    fn memory(&mut self, program: &Path) -> Result<()> {
        let time = (2.0 * self.context.time.unwrap_or(COVERAGE_S)).to_string();
        let mut values = [[0.0; 2]; 2];
        for (jobs, at) in [("1", 0), ("2", 1)] {
            for (memory, of) in [("300", 0), ("2000", 1)] {
                let options = ["--time", &time, "--memory", memory, "--tests", "new"];
                let (_, stats) = self.explore(program, jobs, &options, COREUTILS_ARGUMENTS)?;
                values[of][at] = stats.covered_branches as f64;
                let lost = stats.endings.get(MEMORY).copied().unwrap_or(0);
                if lost > 0 {
                    let text =
                        format!("{lost} paths ended for memory ({memory} MiB, --jobs {jobs})");
                    self.report.failures.push(text);
                }
            }
        }
        let [small, large] = values;
        self.row(
            "memory",
            "cut",
            "branches with 2,000 MiB",
            large,
            Cell::Empty,
        );
        let goal = at_least((small[0] / large[0]).min(small[1] / large[1]), 0.99);
        self.row("memory", "cut", "branches with 300 MiB", small, goal);
        Ok(())
    }

    /// What a test on disk takes.
    fn tests(&mut self, program: &Path) -> Result<()> {
        let mut values = [0.0; 2];
        for (jobs, value) in ["1", "2"].iter().zip(&mut values) {
            let mut each = Vec::new();
            for _ in 0..self.context.seeds.unwrap_or(RUNS) {
                let (without, _) = self.explore(program, jobs, &["--no-tests"], &[])?;
                let (with, stats) = self.explore(program, jobs, &[], &[])?;
                each.push(1e3 * (with.cpu_s - without.cpu_s) / stats.tests as f64);
            }
            *value = median(&each).unwrap_or_default();
        }
        let goal = Cell::Goal {
            value: values[0].max(values[1]),
            goal: 0.05,
            at_most: true,
        };
        self.row("tests", "fork16", "milliseconds for each", values, goal);
        Ok(())
    }

    /// What five stops cost, in processor time.
    fn resume(&mut self, program: &Path) -> Result<()> {
        let mut values = [0.0; 2];
        let mut ratio: f64 = 0.0;
        for (jobs, value) in ["1", "2"].iter().zip(&mut values) {
            let (usage, whole) = self.explore(program, jobs, &[], CUT)?;
            let part = format!("{:.2}", usage.wall_s / f64::from(STOPS + 1));
            let out = self.out()?;
            let options = ["--jobs", jobs, "--time", &part];
            measure(self.command(&out, program, &options).args(CUT), LONG)?;
            for stop in 1..=STOPS {
                let time = if stop < STOPS { part.as_str() } else { "0" };
                let mut command = Command::new(&self.context.polypath);
                command.args(["run", "--quiet", "--jobs", jobs, "--time", time]);
                measure(command.arg("--resume").arg(&out), LONG)?;
            }
            let stopped = stats(&out)?;
            if stopped.completed_paths != whole.completed_paths {
                let text = format!("{} paths after stops", stopped.completed_paths);
                self.report.failures.push(text);
            }
            *value = stopped.instructions as f64 / whole.instructions as f64;
            ratio = ratio.max(stopped.cpu_s / whole.cpu_s);
        }
        let goal = Cell::Goal {
            value: ratio,
            goal: 1.03,
            at_most: true,
        };
        self.row(
            "five stops",
            "cut",
            "instructions and (ratio) CPU time, of those without stops",
            values,
            goal,
        );
        Ok(())
    }
}

fn at_least(value: f64, goal: f64) -> Cell {
    Cell::Goal {
        value,
        goal,
        at_most: false,
    }
}

fn stats(out: &Path) -> Result<RunStats> {
    let path = out.join("stats.json");
    let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_slice(&bytes).with_context(|| format!("cannot read {}", path.display()))
}
