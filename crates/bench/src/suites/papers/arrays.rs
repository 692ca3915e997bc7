//! Suite `arrays`: the configurations of array solving on table-heavy programs, after Tables 2 and 3
//! and Fig. 5-7 of "Type and interval aware array constraint solving for symbolic execution".
//!
//! Depth first, so many CPU seconds a program and configuration, with all solver layers and without
//! those that keep queries from the SAT solver. What is compared are queries and paths per second:
//! a run may end before its time because everything was explored.

use crate::tools::array_programs::{METHODS, SOURCES, mean, write_sources};
use crate::tools::report::{Cell, Report, number};
use crate::tools::{Context, run};
use anyhow::{Context as _, Result};
use testcase::{Run, RunStats};

/// What the paper reports over its flushing baseline, mean over 23 programs: queries and paths in %.
const PAPER: &[(&str, f64, f64)] = &[
    ("assertion", 320.19, 324.78),
    ("assertion+precheck", 339.78, 351.50),
    ("cegar+precheck+typed", 592.89, 896.98),
];

/// Name of a setting, and its solver layers.
const SETTINGS: &[(&str, Option<&str>)] = &[
    ("all layers", None),
    ("bare", Some("rewrite,independence,blast")),
];

/// How far behind the best fixed configuration `auto` may be.
const TOLERANCE: f64 = 0.95;

struct ArrayRun {
    queries_per_s: f64,
    paths_per_s: f64,
    stats: RunStats,
}

fn run_one(
    context: &Context,
    source: &str,
    method: &str,
    layers: Option<&str>,
    seconds: f64,
) -> Result<ArrayRun> {
    let out = context.out.join("runs").join(format!("{source}-{method}"));
    let mut command = run::explore(context, &out)?;
    command.args(["--no-tests", "--search", "dfs"]);
    command.args(["--arrays", method, "--cpu-time", &seconds.to_string()]);
    command.args(layers.iter().flat_map(|l| ["--solver-layers", l]));
    command.args(&context.run_options);
    command.arg(context.out.join("arrays").join(source));
    let label = format!("{source}, {method}");
    let usage = run::finish(&mut command, &label, seconds * 20.0 + 60.0)?;
    let (_, stats) = Run::without_tests(&out)?.whole()?;
    let cpu = usage.cpu_s.max(1e-3);
    Ok(ArrayRun {
        queries_per_s: (stats.queries - counter(&stats, "unknown") as u64) as f64 / cpu,
        paths_per_s: stats.completed_paths as f64 / cpu,
        stats,
    })
}

fn counter(stats: &RunStats, name: &str) -> f64 {
    let value = stats.more.get(&format!("solver_{name}"));
    value.and_then(|v| v.as_f64()).unwrap_or(0.0)
}

/// The remark on one configuration: its mean increase, its share of refinement, its axioms.
fn remark(setting: &str, method: &str, base: &[ArrayRun], own: &[ArrayRun]) -> String {
    let increase = |value: fn(&ArrayRun) -> f64| {
        let ratios = base.iter().zip(own);
        mean(
            &ratios
                .map(|(b, o)| (value(o) / value(b).max(1e-9) - 1.0) * 100.0)
                .collect::<Vec<_>>(),
        )
    };
    let total = |name: &str| own.iter().map(|o| counter(&o.stats, name)).sum::<f64>();
    let mut text = format!(
        "{setting}, {method}: queries/s {:+.0} %, paths/s {:+.0} % over {}",
        increase(|o| o.queries_per_s),
        increase(|o| o.paths_per_s),
        METHODS[0],
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

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    write_sources(context)?;
    let seconds = context.time.unwrap_or(10.0);
    let mut columns = vec!["program", "layers", "per CPU s"];
    columns.extend(METHODS);
    let title = format!("Configurations of array solving, DFS, {seconds} CPU s a program");
    let mut report = Report::new(&title, &columns);
    report.plotted = (3..3 + METHODS.len()).collect();
    let mut behind = 0;
    for (setting, layers) in SETTINGS {
        let mut all: Vec<Vec<ArrayRun>> = METHODS.iter().map(|_| Vec::new()).collect();
        for (source, _) in SOURCES {
            let program = source.trim_end_matches(".c");
            if !context.wants(program) {
                continue;
            }
            let mut outcomes = Vec::new();
            for method in METHODS {
                say::err!("arrays: {program}, {setting}, {method}");
                outcomes.push(run_one(context, source, method, *layers, seconds)?);
            }
            let row = |what: &str, value: fn(&ArrayRun) -> f64| -> Vec<Cell> {
                let head: [Cell; 3] = [program.into(), (*setting).into(), what.into()];
                let cells = outcomes.iter().map(|o| value(o).into());
                head.into_iter().chain(cells).collect()
            };
            report.rows.push(row("queries", |o| o.queries_per_s));
            report.rows.push(row("paths", |o| o.paths_per_s));
            let (auto, fixed) = outcomes.split_last().context("there are configurations")?;
            let best = fixed.iter().map(|o| o.paths_per_s).fold(0.0, f64::max);
            if auto.paths_per_s < TOLERANCE * best {
                behind += 1;
                report.remarks.push(format!(
                    "{program}, {setting}: auto has {} paths/s, the best fixed configuration {}",
                    number(auto.paths_per_s),
                    number(best)
                ));
            }
            for (kept, outcome) in all.iter_mut().zip(outcomes) {
                kept.push(outcome);
            }
            report.write(&context.out, "arrays")?;
        }
        for (method, own) in METHODS.iter().zip(&all).skip(1) {
            report.remarks.push(remark(setting, method, &all[0], own));
        }
    }
    report.remarks.push(format!(
        "auto is more than 5 % behind the best fixed configuration in {behind} cases"
    ));
    Ok(report)
}
