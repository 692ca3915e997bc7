//! Suite `arrays`: the configurations of array solving on table-heavy programs and on programs of Debian, after Tables 2 and 3
//! and Fig. 5 to 8 of "Type and interval aware array constraint solving for symbolic execution".
//!
//! Depth first, so many CPU seconds a program and configuration, with all solver layers and without
//! those that keep queries from the SAT solver. What is compared are queries, paths and instructions per second, and the lines that are
//! covered: a run may end before its time because everything was explored. Means are over all programs and over the paper's two
//! selections: those in which a tenth of the queries is refined, and those in which four fifths of the time go to the solver.
//!
//! Each run is kept in `OUT/arrays`, so that a suite that was killed goes on.

use crate::tools::array_programs::{METHODS, SOURCES, mean, write_sources};
use crate::tools::kept::SharedStore;
use crate::tools::queries::PROGRAMS;
use crate::tools::report::{Cell, Report, number};
use crate::tools::{Context, run, trees};
use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use testcase::{Run, RunStats};

/// What the paper reports over its flushing baseline, mean over 23 programs: queries and paths in %.
const PAPER: &[(&str, f64, f64)] = &[
    ("assertion", 320.19, 324.78),
    ("assertion+precheck", 339.78, 351.50),
    ("cegar+precheck+typed", 592.89, 896.98),
];

/// What the paper reports over KLEE-Array, geometric means: paths in %.
const PAPER_KLEE_ARRAY: f64 = 30.0;
const KLEE_ARRAY: &str = "klee-array";

/// The configuration that has everything the paper has, and the one whose refinement tells which programs are selected.
const FULL: &str = "cegar+precheck+typed";
const REFINING: &str = "cegar";

/// The paper's selections: a tenth of the queries refined (Table 2), four fifths of the time in the solver.
const REFINED: f64 = 0.1;
const SOLVING: f64 = 0.8;

/// Name of a setting, and its solver layers.
const SETTINGS: &[(&str, Option<&str>)] = &[
    ("all layers", None),
    ("bare", Some("rewrite,independence,blast")),
];

/// How far behind the best fixed configuration `auto` may be.
const TOLERANCE: f64 = 0.95;

/// A program, and its symbolic input.
struct ArrayProgram {
    name: &'static str,
    path: PathBuf,
    arguments: &'static [&'static str],
}

/// Those that the context chooses: our own, then Debian's.
fn programs(context: &Context) -> Result<Vec<ArrayProgram>> {
    let mut programs = Vec::new();
    for (source, _) in SOURCES {
        programs.push(ArrayProgram {
            name: source.trim_end_matches(".c"),
            path: context.out.join("arrays").join(source),
            arguments: &[],
        });
    }
    for program in PROGRAMS {
        if context.wants(program.name) {
            programs.push(ArrayProgram {
                name: program.name,
                path: trees::fetched(program.tree)?.join(program.path),
                arguments: program.arguments,
            });
        }
    }
    programs.retain(|p| context.wants(p.name));
    Ok(programs)
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct ArrayRun {
    queries_per_s: f64,
    paths_per_s: f64,
    instructions_per_s: f64,
    cpu_s: f64,
    stats: RunStats,
}

impl ArrayRun {
    /// The share of the queries that were refined.
    fn refined(&self) -> f64 {
        counter(&self.stats, "array_queries") / (self.stats.queries as f64).max(1.0)
    }

    /// The share of the time that the solver took.
    fn solving(&self) -> f64 {
        self.stats.solver_time_s / self.cpu_s.max(1e-3)
    }
}

fn run_one(
    context: &Context,
    program: &ArrayProgram,
    method: &str,
    (setting, layers): (&str, Option<&str>),
    seconds: f64,
) -> Result<ArrayRun> {
    let label = format!("{}-{method}-{setting}", program.name);
    let out = context.out.join("runs").join(label.replace(' ', "-"));
    let mut command = run::explore(context, &out)?;
    command.args(["--no-tests", "--search", "dfs"]);
    command.args(["--arrays", method, "--cpu-time", &seconds.to_string()]);
    command.args(layers.iter().flat_map(|l| ["--solver-layers", l]));
    command.args(&context.run_options);
    command.arg(&program.path).args(program.arguments);
    let usage = run::finish(&mut command, &label, seconds * 20.0 + 60.0)?;
    let (_, stats) = Run::without_tests(&out)?.whole()?;
    let cpu = usage.cpu_s.max(1e-3);
    Ok(ArrayRun {
        queries_per_s: (stats.queries - counter(&stats, "unknown") as u64) as f64 / cpu,
        paths_per_s: stats.completed_paths as f64 / cpu,
        instructions_per_s: stats.instructions as f64 / cpu,
        cpu_s: cpu,
        stats,
    })
}

fn counter(stats: &RunStats, name: &str) -> f64 {
    let value = stats.more.get(&format!("solver_{name}"));
    value.and_then(|v| v.as_f64()).unwrap_or(0.0)
}

/// By how many per cent a configuration has more: the mean of the increases, and the increase of the geometric mean.
fn increase(base: &[&ArrayRun], own: &[&ArrayRun], value: fn(&ArrayRun) -> f64) -> (f64, f64) {
    let ratios = base.iter().zip(own);
    // A program without a query or a path in one of the two says nothing about their ratio.
    let ratios = ratios.filter(|(b, o)| value(b) > 0.0 && value(o) > 0.0);
    let ratios: Vec<f64> = ratios.map(|(b, o)| value(o) / value(b)).collect();
    let logarithms: Vec<f64> = ratios.iter().map(|r| r.ln()).collect();
    let percent = |ratio: f64| (ratio - 1.0) * 100.0;
    (percent(mean(&ratios)), percent(mean(&logarithms).exp()))
}

/// The increases of a configuration over another one, in words.
fn increases(base: &[&ArrayRun], own: &[&ArrayRun]) -> String {
    let both = |value| {
        let (arithmetic, geometric) = increase(base, own, value);
        format!("{arithmetic:+.0} % ({geometric:+.0} %)")
    };
    let lines = |runs: &[&ArrayRun]| {
        let covered = runs.iter().map(|r| r.stats.covered_lines as f64);
        number(covered.sum())
    };
    format!(
        "queries/s {}, paths/s {}, instructions/s {}, lines {} and {}",
        both(|o| o.queries_per_s),
        both(|o| o.paths_per_s),
        both(|o| o.instructions_per_s),
        lines(base),
        lines(own),
    )
}

/// The remark on one configuration: its increases in means (geometric means in brackets), its share of refinement, its axioms.
fn remark(setting: &str, method: &str, base: &[&ArrayRun], own: &[&ArrayRun]) -> String {
    let total = |name: &str| own.iter().map(|o| counter(&o.stats, name)).sum::<f64>();
    let mut text = format!(
        "{setting}, {method} over {}: {}",
        METHODS[0],
        increases(base, own)
    );
    if let Some((_, queries, paths)) = PAPER.iter().find(|p| p.0 == method) {
        text.push_str(&format!(" (paper: {queries:+.0} %, {paths:+.0} %)"));
    }
    text.push_str(&format!(
        "; {} queries refined in {} rounds with {} axioms, {} never generated, {} nets",
        number(total("array_queries")),
        number(total("array_refinements")),
        number(total("array_axioms")),
        number(total("array_axioms_spared")),
        number(total("array_nets")),
    ));
    if total("array_prechecks") > 0.0 {
        text.push_str(&format!(
            "; pre-check: {} of {} queries unsatisfiable, {:.2} s",
            number(total("array_prechecks_unsat")),
            number(total("array_prechecks")),
            total("array_precheck_nanoseconds") * 1e-9,
        ));
    }
    text
}

/// The configurations over each other, over all programs and over the paper's selections.
fn comparisons(setting: &str, runs: &[Vec<ArrayRun>]) -> Vec<String> {
    let at = |name: &str| METHODS.iter().position(|m| *m == name);
    let mut remarks = Vec::new();
    let of = |method: usize, which: &[usize]| -> Vec<&ArrayRun> {
        which.iter().map(|&p| &runs[method][p]).collect()
    };
    let all: Vec<usize> = (0..runs[0].len()).collect();
    for (method, name) in METHODS.iter().enumerate().skip(1) {
        remarks.push(remark(setting, name, &of(0, &all), &of(method, &all)));
    }
    let (Some(full), Some(refining)) = (at(FULL), at(REFINING)) else {
        return remarks;
    };
    let refined = all.iter().copied();
    let refined = refined.filter(|&p| runs[refining][p].refined() >= REFINED);
    let solving = all.iter().copied();
    let solving = solving.filter(|&p| runs[0][p].solving() >= SOLVING);
    let selections = [
        (
            "a tenth of the queries refined",
            refined.collect::<Vec<_>>(),
        ),
        ("four fifths of the time in the solver", solving.collect()),
    ];
    for (what, which) in &selections {
        for (method, name) in [
            (full, FULL),
            (METHODS.len() - 1, METHODS[METHODS.len() - 1]),
        ] {
            remarks.push(format!(
                "{setting}, {} of {} programs with {what}: {name} over {}: {}",
                which.len(),
                all.len(),
                METHODS[0],
                increases(&of(0, which), &of(method, which))
            ));
        }
    }
    if let Some(klee) = at(KLEE_ARRAY) {
        for (method, name) in [
            (full, FULL),
            (METHODS.len() - 1, METHODS[METHODS.len() - 1]),
        ] {
            remarks.push(format!(
                "{setting}, {name} over {KLEE_ARRAY}: {} (the paper: paths {PAPER_KLEE_ARRAY:+.0} %)",
                increases(&of(klee, &all), &of(method, &all))
            ));
        }
    }
    remarks
}

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    write_sources(context)?;
    let kept: SharedStore<ArrayRun> =
        SharedStore::open(&context.out.join("arrays").join("runs.jsonl"))?;
    let build = context.build()?;
    let seconds = context.time.unwrap_or(10.0);
    let mut columns = vec!["program", "layers", "what"];
    columns.extend(METHODS);
    let title = format!(
        "Configurations of array solving, DFS, {seconds} CPU s a program: queries, paths and instructions a second, lines covered"
    );
    let mut report = Report::new(&title, &columns);
    report.plotted = (3..3 + METHODS.len()).collect();
    let mut behind = 0;
    let programs = programs(context)?;
    for &(setting, layers) in SETTINGS {
        let mut all: Vec<Vec<ArrayRun>> = METHODS.iter().map(|_| Vec::new()).collect();
        for program in &programs {
            let name = program.name;
            let outcomes = context.each(METHODS, |method| {
                say::err!("arrays: {name}, {setting}, {method}");
                let more = context.run_options.join(" ");
                let key = format!("{build} {name} {setting} {method} {seconds} s {more}");
                kept.get(&key, || {
                    run_one(context, program, method, (setting, layers), seconds)
                })
            })?;
            let row = |what: &str, value: fn(&ArrayRun) -> f64| -> Vec<Cell> {
                let head: [Cell; 3] = [name.into(), setting.into(), what.into()];
                let cells = outcomes.iter().map(|o| value(o).into());
                head.into_iter().chain(cells).collect()
            };
            report.rows.push(row("queries", |o| o.queries_per_s));
            report.rows.push(row("paths", |o| o.paths_per_s));
            report
                .rows
                .push(row("instructions", |o| o.instructions_per_s));
            report
                .rows
                .push(row("lines", |o| o.stats.covered_lines as f64));
            let (auto, fixed) = outcomes.split_last().context("there are configurations")?;
            let best = fixed.iter().map(|o| o.paths_per_s).fold(0.0, f64::max);
            if auto.paths_per_s < TOLERANCE * best {
                behind += 1;
                report.remarks.push(format!(
                    "{name}, {setting}: auto has {} paths/s, the best fixed configuration {}",
                    number(auto.paths_per_s),
                    number(best)
                ));
            }
            for (kept, outcome) in all.iter_mut().zip(outcomes) {
                kept.push(outcome);
            }
            report.write(&context.out, "arrays")?;
        }
        report.remarks.extend(comparisons(setting, &all));
    }
    report.remarks.push(format!(
        "auto is more than 5 % behind the best fixed configuration in {behind} cases; means of increases, geometric means in brackets"
    ));
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn increases_leave_out_what_has_no_ratio() {
        let run = |paths_per_s: f64| ArrayRun {
            paths_per_s,
            ..ArrayRun::default()
        };
        let (base, own) = (
            [run(1.0), run(1.0), run(0.0)],
            [run(4.0), run(1.0), run(7.0)],
        );
        let (base, own) = (base.each_ref(), own.each_ref());
        let (arithmetic, geometric) = increase(&base, &own, |r| r.paths_per_s);
        assert_eq!((arithmetic, geometric), (150.0, 100.0));
    }
}
