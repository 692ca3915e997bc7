//! Part `multiplex`: Table 7 of "Multiplex symbolic execution" in C. Programs over GSL that compute with small
//! symbolic matrices run with and without partial solutions, concolic, depth first and breadth first. The paper's
//! experiment is about optimization-based solving, so the method is numeric search.

use crate::tools::curve::{self, Curve, Point};
use crate::tools::float::{FloatTable, Gsl, Setting, compile, explore};
use crate::tools::kept::ResultStore;
use crate::tools::report::{Cell, Report, median, number};
use crate::tools::techniques::ablation;
use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use testcase::RunStats;

/// CPU seconds by default.
const SECONDS: f64 = 10.0;

macro_rules! source {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!(
                "../../../../../../benches/fp/matrices/",
                $name,
                ".c"
            )),
        )
    };
}

/// The programs.
const PROGRAMS: &[(&str, &str)] = &[
    source!("eigenvalues"),
    source!("jacobi"),
    source!("cholesky"),
    source!("least_squares"),
    source!("square_root"),
    source!("eigenvectors"),
    source!("product"),
    source!("rank"),
    source!("singular_values"),
    source!("threshold"),
];

/// The names of the programs.
pub fn names() -> impl Iterator<Item = &'static str> {
    PROGRAMS.iter().map(|(name, _)| *name)
}

/// What they include.
const HEADER: (&str, &str) = (
    "matrix.h",
    include_str!("../../../../../../benches/fp/matrices/matrix.h"),
);

/// A column of Table 7.
struct Configuration {
    name: &'static str,
    search: &'static str,
    partial: bool,
    /// The paper's averages: tests, and new instructions.
    paper: [f64; 2],
}

/// In the paper's order: each with partial solutions stands before the one without.
const CONFIGURATIONS: [Configuration; 4] = [
    Configuration {
        name: "DFS+P",
        search: "dfs",
        partial: true,
        paper: [484.0, 495.0],
    },
    Configuration {
        name: "DFS",
        search: "dfs",
        partial: false,
        paper: [17.0, 55.0],
    },
    Configuration {
        name: "BFS+P",
        search: "bfs",
        partial: true,
        paper: [514.0, 469.0],
    },
    Configuration {
        name: "BFS",
        search: "bfs",
        partial: false,
        paper: [22.0, 387.0],
    },
];

/// One run.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct MatrixRun {
    /// Inputs that were run.
    tests: u64,
    /// Instructions covered after the first path.
    new: u64,
    /// The same over time.
    curve: Vec<Point>,
    /// What the techniques of partial solutions did.
    counters: BTreeMap<String, f64>,
}

/// See the module.
pub fn run(setting: &Setting) -> Result<Vec<FloatTable>> {
    let seconds = setting.context.time.unwrap_or(SECONDS);
    let gsl = Gsl::find()?;
    let dir = setting.dir.join("matrices");
    std::fs::create_dir_all(&dir).with_context(|| dir.display().to_string())?;
    std::fs::write(dir.join(HEADER.0), HEADER.1)?;
    let mut kept: ResultStore<MatrixRun> = ResultStore::open(&setting.dir.join("multiplex.jsonl"))?;
    let mut outcomes: Vec<Vec<MatrixRun>> = CONFIGURATIONS.iter().map(|_| Vec::new()).collect();
    let title = format!(
        "Programs over symbolic matrices, {seconds} CPU s: tests (#T) and instructions covered after the first path (#NI)"
    );
    let mut columns = vec!["program".to_string()];
    for configuration in &CONFIGURATIONS {
        columns.extend(["#T", "#NI"].map(|what| format!("{} {what}", configuration.name)));
    }
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut report = Report::new(&title, &columns);
    report.plotted = vec![2, 4, 6, 8];
    for (name, text) in setting.context.choose(PROGRAMS, |(name, _)| name) {
        say::err!("fp: {name}");
        let program = build(setting, &gsl, &dir, name, text)?;
        let mut row: Vec<Cell> = vec![(*name).into()];
        for (configuration, all) in CONFIGURATIONS.iter().zip(&mut outcomes) {
            let mut own = Vec::new();
            for seed in 0..setting.seeds() {
                let words = [
                    *name,
                    configuration.name,
                    &format!("{seconds} s, seed {seed}"),
                ];
                let key = setting.key(&words);
                own.push(kept.get(&key, || {
                    run_one(setting, &program, configuration, seconds, seed)
                })?);
            }
            let middle = |value: fn(&MatrixRun) -> u64| -> Cell {
                let values: Vec<f64> = own.iter().map(|o| value(o) as f64).collect();
                median(&values).map_or(Cell::Empty, Cell::from)
            };
            row.extend([middle(|o| o.tests), middle(|o| o.new)]);
            all.extend(own);
        }
        report.rows.push(row);
    }
    averages(&mut report, &outcomes);
    remarks(&mut report, &outcomes);
    let figure = figure7(setting, &outcomes, seconds);
    let path = setting.context.out.join("fp-multiplex-fig7.svg");
    std::fs::write(&path, figure).with_context(|| path.display().to_string())?;
    Ok(vec![FloatTable::new("fp-multiplex", report)])
}

fn build(setting: &Setting, gsl: &Gsl, dir: &Path, name: &str, text: &str) -> Result<PathBuf> {
    let source = dir.join(format!("{name}.c"));
    std::fs::write(&source, text)?;
    let program = dir.join(name);
    let include = format!("-I{}", gsl.tree.display());
    let [library, blas] = gsl.archives();
    compile(
        setting,
        &[&source, &library, &blas],
        &[&include, "-lm"],
        &program,
    )?;
    Ok(program)
}

fn run_one(
    setting: &Setting,
    program: &Path,
    configuration: &Configuration,
    seconds: f64,
    seed: u64,
) -> Result<MatrixRun> {
    let explored = explore(setting, seconds, seed, |command| {
        command.args(["--no-tests", "--fp-solver", "search", "--mode", "concolic"]);
        command.args(["--search", configuration.search]);
        if configuration.partial {
            command.arg("--partial-solutions");
        }
        command.arg(program);
    })?;
    let RunStats {
        completed_paths,
        partial_paths,
        covered_instructions,
        more,
        ..
    } = &explored.stats;
    let first = explored.run.timeline.first();
    let first = first.map_or(0, |point| point.covered_instructions);
    let numbers = more
        .iter()
        .filter_map(|(k, v)| Some((k.clone(), v.as_f64()?)));
    Ok(MatrixRun {
        tests: completed_paths + partial_paths,
        new: covered_instructions - first,
        curve: curve::of(&explored.run.timeline, |p| {
            (p.covered_instructions - first) as f64
        }),
        counters: numbers
            .filter(|(k, _)| k.starts_with("multiplex_"))
            .collect(),
    })
}

/// The averages, and the paper's.
fn averages(report: &mut Report, outcomes: &[Vec<MatrixRun>]) {
    let mean = |own: &[MatrixRun], value: fn(&MatrixRun) -> u64| {
        own.iter().map(|o| value(o) as f64).sum::<f64>() / own.len().max(1) as f64
    };
    let mut ours: Vec<Cell> = vec!["average".into()];
    let mut paper: Vec<Cell> = vec!["the paper's average".into()];
    for (configuration, own) in CONFIGURATIONS.iter().zip(outcomes) {
        ours.extend([mean(own, |o| o.tests).into(), mean(own, |o| o.new).into()]);
        paper.extend(configuration.paper.map(Cell::from));
    }
    report.rows.extend([ours, paper]);
}

/// How much sooner partial solutions lead to what the configuration without them has at its end.
fn remarks(report: &mut Report, outcomes: &[Vec<MatrixRun>]) {
    let total = |k: usize| curve::sum(outcomes[k].iter().map(|o| &o.curve[..]));
    for (with, paper) in [(0, 99.1), (2, 4.6)] {
        let (own, base) = (total(with), total(with + 1));
        let names = (CONFIGURATIONS[with].name, CONFIGURATIONS[with + 1].name);
        let goal = base.last().map_or(0.0, |p| p.coverage);
        let time = |curve: &[Point]| curve::reaches(curve, goal).map(|p| p.time);
        report.remarks.push(match (time(&own), time(&base)) {
            (Some(own), Some(base)) => format!(
                "{} new instructions: {} after {} CPU s a run, {} after {}: {} times as quick (paper {paper})",
                number(goal),
                names.0,
                number(own),
                names.1,
                number(base),
                number(base / own.max(1e-3))
            ),
            _ => format!("{} does not reach the {} new instructions of {}", names.0, number(goal), names.1),
        });
        let stats: Vec<RunStats> = outcomes[with].iter().map(as_stats).collect();
        let lines = ablation(stats.iter());
        report
            .remarks
            .extend(lines.iter().map(|l| format!("{}: {l}", names.0)));
    }
    report.remarks.push(
        "the paper's programs are ten of Java over another library, so only the proportions compare".into(),
    );
}

fn as_stats(outcome: &MatrixRun) -> RunStats {
    let numbers = outcome.counters.iter();
    RunStats {
        more: numbers.map(|(k, v)| (k.clone(), (*v).into())).collect(),
        ..RunStats::default()
    }
}

/// New instructions of all programs over time.
fn figure7(setting: &Setting, outcomes: &[Vec<MatrixRun>], seconds: f64) -> String {
    let seeds = setting.seeds() as f64;
    let lines: Vec<Curve> = CONFIGURATIONS
        .iter()
        .zip(outcomes)
        .map(|(configuration, own)| {
            let sum = curve::sum(own.iter().map(|o| &o.curve[..]));
            Curve {
                name: configuration.name,
                dashed: !configuration.partial,
                points: sum.iter().map(|p| (p.time, p.coverage / seeds)).collect(),
            }
        })
        .collect();
    let points = lines.iter().flat_map(|l| &l.points);
    let highest = points.map(|p| p.1).fold(1.0, f64::max);
    curve::svg(
        "New instructions over CPU seconds",
        "CPU seconds",
        seconds,
        highest,
        &lines,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_s_averages_and_the_speed_of_partial_solutions() {
        let outcome = |new: u64, time: f64| MatrixRun {
            tests: 2,
            new,
            curve: vec![Point {
                time,
                coverage: new as f64,
                queries: 1,
            }],
            counters: [("multiplex_by_sat".to_string(), 3.0)].into(),
        };
        let outcomes = [(8, 1.0), (6, 4.0), (3, 1.0), (5, 1.0)];
        let outcomes: Vec<_> = outcomes.iter().map(|&(n, t)| vec![outcome(n, t)]).collect();
        let mut report = Report::new("", &["", "", "", "", "", "", "", "", ""]);
        averages(&mut report, &outcomes);
        remarks(&mut report, &outcomes);
        let table = report.table();
        assert!(
            table.contains("after 4: 4 times as quick (paper 99.1)"),
            "{table}"
        );
        assert!(table.contains("BFS+P does not reach the 5 new"), "{table}");
        assert!(
            table.contains("DFS+P: partial solutions by sat: 3 kept"),
            "{table}"
        );
    }
}
