//! Suite `coreutils`: 60 CPU seconds of symbolic execution per program and seed, with the arguments of
//! KLEE's comparison; the tests replay natively under one gcov build; the median beside KLEE's best.

use crate::tools::Context;
use crate::tools::anchors::{COREUTILS, Coreutils};
use crate::tools::coreutils::{JudgedProgram, ProgramRun, explore, programs};
use crate::tools::gcov::Covered;
use crate::tools::report::{Cell, Report, median};
use crate::tools::trees;
use anyhow::{Context as _, Result};
use std::path::Path;

/// A second set, for which KLEE was not measured: with `--all`, or when named.
const SECOND: &[JudgedProgram<'_>] = &[
    JudgedProgram::coreutils("csplit"),
    JudgedProgram::coreutils("fmt"),
    JudgedProgram::coreutils("join"),
    JudgedProgram::coreutils("numfmt"),
    JudgedProgram::of("sed", "sed", "sed/sed", &["sed"]),
    JudgedProgram::of("diff", "diffutils", "src/diff", &["src"]),
];

/// The programs to run: the ten that KLEE was measured on, the second set, and any program of coreutils that is named.
fn chosen<'a>(context: &Context, all: &'a [String]) -> Vec<JudgedProgram<'a>> {
    let mut chosen: Vec<JudgedProgram<'a>> = COREUTILS
        .iter()
        .filter(|a| context.wants(a.program))
        .map(|a| JudgedProgram::coreutils(a.program))
        .collect();
    let is_named = |name: &str| context.wants(name) && !context.only.is_empty();
    chosen.extend(SECOND.iter().filter(|s| is_named(s.name) || context.all));
    for name in all {
        if is_named(name) && chosen.iter().all(|s| s.name != name) {
            chosen.push(JudgedProgram::coreutils(name));
        }
    }
    chosen
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
    let all = programs()?;
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
    let ceilings = ceilings(&trees::judge("coreutils")?)?;
    for subject in chosen(context, &all) {
        let all: Vec<u64> = (1..=seeds).collect();
        let runs = context.each(&all, |&seed| {
            say::err!("coreutils: {}, seed {seed}", subject.name);
            explore(context, subject, seed, time, &[])
        })?;
        for run in &runs {
            report.failures.extend(run.failures.iter().cloned());
            report.remarks.extend(run.errors.iter().cloned());
        }
        report.rows.push(row(
            subject.name,
            &runs,
            ceilings.get(subject.name).copied(),
        ));
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

fn row(program: &str, runs: &[ProgramRun], ceiling: Option<(f64, f64)>) -> Vec<Cell> {
    let middle = |f: &dyn Fn(&ProgramRun) -> f64| {
        median(&runs.iter().map(f).collect::<Vec<_>>()).unwrap_or(0.0)
    };
    let mut all = Covered::default();
    runs.iter().for_each(|r| all.merge(&r.covered));
    let (lines, branches) = (
        middle(&|r| r.covered.line_percent()),
        middle(&|r| r.covered.branch_percent()),
    );
    let klee = COREUTILS.iter().find(|a| a.program == program);
    let klee = klee.map(Coreutils::best);
    let ceiling = ceiling.map_or(all.branch_percent(), |(_, b)| b.max(all.branch_percent()));
    let errors: std::collections::BTreeSet<&String> = runs.iter().flat_map(|r| &r.errors).collect();
    // KLEE's figures are rounded to whole percents.
    let at_least = |value: f64, goal: Option<f64>| match goal {
        Some(goal) => Cell::Goal {
            value,
            goal: goal - 0.5,
            at_most: false,
        },
        None => value.into(),
    };
    let (klee_lines, klee_branches) = (klee.map(|k| k.0), klee.map(|k| k.1));
    let number = |value: Option<f64>| value.map_or(Cell::Empty, Cell::from);
    vec![
        program.into(),
        at_least(lines, klee_lines),
        at_least(branches, klee_branches),
        number(klee_lines),
        number(klee_branches),
        klee_branches.map_or(Cell::Empty, |klee| gap_closed(branches, klee, ceiling)),
        middle(&|r| r.stats.completed_paths as f64).into(),
        middle(&|r| r.stats.tests as f64).into(),
        middle(&|r| r.stats.queries as f64).into(),
        middle(&|r| r.stats.instructions as f64 / r.cpu_s / 1e6).into(),
        middle(&|r| r.cpu_s).into(),
        middle(&|r| r.peak_mb).into(),
        (errors.len() as u64).into(),
    ]
}
