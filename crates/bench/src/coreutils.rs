//! Suite `coreutils`: 60 CPU seconds of symbolic execution per program and seed, with the arguments of
//! KLEE's comparison; the tests replay natively under one gcov build; the median beside KLEE's best.

use crate::anchors::{COREUTILS, COREUTILS_ARGUMENTS, Coreutils};
use crate::gcov::{Covered, Judge};
use crate::measure::measure;
use crate::report::{Cell, Report, median};
use crate::{Context, fresh_dir};
use anyhow::{Context as _, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use testcase::{Run, TestCase};

/// Replayed tests per run beside those that covered something new: a native run takes longer than
/// a path.
const OTHERS_REPLAYED: usize = 300;
/// The cap of each run.
const MEMORY_MIB: u32 = 2000;

/// The trees that `bench/fetch coreutils` and `bench/gcov` leave.
pub struct Trees {
    /// Built by `polypath build`.
    pub bitcode: PathBuf,
    /// Built by gcc --coverage.
    pub gcov: PathBuf,
}

/// Where `bench/fetch` and `bench/gcov` leave what they built.
pub fn work_dir() -> Result<PathBuf> {
    let cache = match std::env::var_os("XDG_CACHE_HOME").filter(|v| !v.is_empty()) {
        Some(dir) => PathBuf::from(dir),
        None => PathBuf::from(std::env::var_os("HOME").context("HOME is not set")?).join(".cache"),
    };
    Ok(cache.join("polypath/work"))
}

impl Trees {
    /// Looks in the cache.
    pub fn find() -> Result<Trees> {
        let work = work_dir()?;
        let trees = Trees {
            bitcode: work.join("coreutils"),
            gcov: work.join("coreutils-gcov"),
        };
        for (tree, script) in [
            (&trees.bitcode, "bench/fetch coreutils"),
            (&trees.gcov, "bench/gcov"),
        ] {
            ensure!(
                tree.is_dir(),
                "{} is missing: run {script} first",
                tree.display()
            );
        }
        Ok(trees)
    }
}

/// One run of one program.
pub struct Explored {
    pub covered: Covered,
    pub cpu_s: f64,
    pub peak_mb: f64,
    pub stats: testcase::Stats,
    /// Memory errors and the like that were reported.
    pub errors: Vec<String>,
    pub failures: Vec<String>,
}

/// Runs `polypath` on a coreutils program and replays its tests.
pub fn explore(
    context: &Context,
    trees: &Trees,
    program: &str,
    seed: u64,
    time: f64,
    more: &[&str],
) -> Result<Explored> {
    let label = more.join("").replace([',', ':', '-'], "_");
    let out = context
        .out
        .join("runs")
        .join(format!("{program}{label}-{seed}"));
    fresh_dir(&out)?;
    let mut command = Command::new(&context.polypath);
    command.arg("run").arg("--quiet").arg("--out").arg(&out);
    // Processor seconds: the machine may be busy. The wall only bounds a run that sleeps.
    command.arg("--cpu-time").arg(time.to_string());
    command.arg("--time").arg((10.0 * time).to_string());
    command.arg("--memory").arg(MEMORY_MIB.to_string());
    command.arg("--seed").arg(seed.to_string());
    command.args(more).args(&context.run_options);
    // The symbolic arguments stand at their place among the program's, as KLEE's users write them.
    command
        .arg(trees.bitcode.join("src").join(program))
        .args(COREUTILS_ARGUMENTS);
    // A run may take a moment to write its tests after its time is up.
    let usage = measure(&mut command, Duration::from_secs_f64(10.0 * time + 120.0))?;
    let mut failures = Vec::new();
    if usage.timed_out {
        failures.push(format!("{program}: did not stop when its time was up"));
    } else if usage.code() > 1 {
        failures.push(format!(
            "{program}: exit {}: {}",
            usage.code(),
            usage.last_words()
        ));
    }
    let cap = f64::from(MEMORY_MIB);
    if usage.peak_mb > 1.1 * cap {
        let peak = usage.peak_mb;
        failures.push(format!(
            "{program}: {peak:.0} MiB, above the cap of {cap} MiB"
        ));
    }
    let (run, stats) = match Run::read(&out).and_then(Run::whole) {
        Ok(whole) => whole,
        Err(e) => {
            failures.push(format!("{program}: {e:#}"));
            Default::default()
        }
    };
    let judge = Judge::coreutils(&trees.gcov, program)?;
    let mut tests: Vec<&TestCase> = run.tests.iter().collect();
    tests.sort_by_key(|t| !t.covered_new);
    let first = tests.iter().filter(|t| t.covered_new).count();
    let (covered, failed) = judge.replay(tests.into_iter().take(first + OTHERS_REPLAYED))?;
    if failed > 0 {
        failures.push(format!("{program}: {failed} tests could not be replayed"));
    }
    let errors = run.errors.iter().filter(|e| e.kind.is_program_error());
    let errors = errors.map(|e| format!("{program}: {} at {}:{}", e.kind.id(), e.file, e.line));
    Ok(Explored {
        covered,
        cpu_s: usage.cpu_s,
        peak_mb: usage.peak_mb,
        stats,
        errors: errors.collect(),
        failures,
    })
}

/// The hand-written ceiling, if `ceiling.json` lies beside the coverage build: program → percent of
/// lines and branches.
fn ceilings(gcov: &Path) -> Result<std::collections::BTreeMap<String, (f64, f64)>> {
    let path = gcov.join("ceiling.json");
    if !path.exists() {
        return Ok(Default::default());
    }
    let text = std::fs::read(&path).with_context(|| path.display().to_string())?;
    serde_json::from_slice(&text).with_context(|| path.display().to_string())
}

/// How much of the gap between KLEE and the ceiling is closed, in percent.
fn gap_closed(ours: f64, klee: f64, ceiling: f64) -> Cell {
    if ceiling <= klee + 0.5 {
        return Cell::Empty;
    }
    Cell::Number((100.0 * (ours - klee) / (ceiling - klee)).round())
}

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let trees = Trees::find()?;
    let time = context.time.unwrap_or(60.0);
    let seeds = context.seeds.unwrap_or(3).max(1);
    let columns = [
        "program",
        "lines %",
        "branches %",
        "KLEE lines %",
        "KLEE branches %",
        "gap closed %",
        "paths",
        "tests",
        "queries",
        "M instr/CPU-s",
        "CPU s",
        "peak MiB",
        "errors",
    ];
    let title =
        format!("coreutils 9.1, {time} CPU s, median of {seeds} seeds, gcov after native replay");
    let mut report = Report::new(&title, &columns);
    report.plotted = vec![1, 3, 2, 4];
    let ceilings = ceilings(&trees.gcov)?;
    for anchor in COREUTILS.iter().filter(|a| context.wants(a.program)) {
        let mut runs = Vec::new();
        for seed in 1..=seeds {
            say::err!("coreutils: {}, seed {seed}", anchor.program);
            let run = explore(context, &trees, anchor.program, seed, time, &[])?;
            report.failures.extend(run.failures.iter().cloned());
            report.remarks.extend(run.errors.iter().cloned());
            runs.push(run);
        }
        report
            .rows
            .push(row(anchor, &runs, ceilings.get(anchor.program).copied()));
        // What is there so far, should a long experiment be interrupted.
        report.write(&context.out, "coreutils")?;
    }
    report.remarks.sort();
    report.remarks.dedup();
    if ceilings.is_empty() {
        report.remarks.push(
            "gap closed: to what these runs reach together (bench/ceiling adds hand-written tests)"
                .into(),
        );
    }
    Ok(report)
}

fn row(anchor: &Coreutils, runs: &[Explored], ceiling: Option<(f64, f64)>) -> Vec<Cell> {
    let middle = |f: &dyn Fn(&Explored) -> f64| {
        median(&runs.iter().map(f).collect::<Vec<_>>()).unwrap_or(0.0)
    };
    let mut all = Covered::default();
    runs.iter().for_each(|r| all.merge(&r.covered));
    let (lines, branches) = (
        middle(&|r| r.covered.line_percent()),
        middle(&|r| r.covered.branch_percent()),
    );
    let (klee_lines, klee_branches) = anchor.best();
    let ceiling = ceiling.map_or(all.branch_percent(), |(_, b)| b.max(all.branch_percent()));
    let errors: std::collections::BTreeSet<&String> = runs.iter().flat_map(|r| &r.errors).collect();
    // KLEE's figures are rounded to whole percents.
    let at_least = |value: f64, goal: f64| Cell::Goal {
        value,
        goal: goal - 0.5,
        at_most: false,
    };
    vec![
        anchor.program.into(),
        at_least(lines, klee_lines),
        at_least(branches, klee_branches),
        klee_lines.into(),
        klee_branches.into(),
        gap_closed(branches, klee_branches, ceiling),
        middle(&|r| r.stats.completed_paths as f64).into(),
        middle(&|r| r.stats.tests as f64).into(),
        middle(&|r| r.stats.queries as f64).into(),
        middle(&|r| r.stats.instructions as f64 / r.cpu_s / 1e6).into(),
        middle(&|r| r.cpu_s).into(),
        middle(&|r| r.peak_mb).into(),
        (errors.len() as u64).into(),
    ]
}
