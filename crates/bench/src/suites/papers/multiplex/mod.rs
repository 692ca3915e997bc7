//! Suite `multiplex`: "Multiplex symbolic execution", 4.3.2: Tables 3 and 6, Fig. 6 and 8.
//!
//! Thirteen functions of GSL, their parameters symbolic by their types (`polypath run --entry`), in the paper's six
//! configurations, and in four with its own technique for arrays alone. DFS and BFS, with and without partial solutions, are the concolic engine, so that a pair
//! differs in nothing else. RCN and RSS are KLEE's default and random strategies and run where KLEE runs them,
//! in forking mode. Coverage is that of LLVM instructions of the function and what it calls in the library;
//! the paper's count also has the soft-float library, so its LOC* are larger than ours.
//!
//! Beside the paper's numbers: the solver calls that a configuration needs for its baseline's final
//! coverage, the area under the curve of coverage over time, and the ratio of times where the baseline
//! takes long enough for one.

mod cases;

use crate::tools::curve::{self, Curve, Point};
use crate::tools::kept::SharedStore;
use crate::tools::report::{Cell, Report, median, number};
use crate::tools::techniques::ablation;
use crate::tools::trees::work_dir;
use crate::tools::{Context, help, run};
use anyhow::{Context as _, Result, ensure};
use cases::{COLUMNS, Case, SOURCES, cases};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use testcase::{Run, RunStats};

/// A column of Table 6.
struct Configuration {
    name: &'static str,
    options: &'static [&'static str],
    /// The configuration without partial solutions.
    baseline: Option<usize>,
}

const DFS: usize = 4;
const BFS: usize = 5;
/// The paper's own technique alone: array solving by refinement, whose models are the partial solutions (its section 3.4); and the
/// same without partial solutions.
const OWN_DFS: usize = 8;
const OWN_BFS: usize = 9;

/// Those of the paper in its order, then its own technique alone.
const CONFIGURATIONS: [Configuration; COLUMNS + 4] = [
    Configuration {
        name: "DFS+P",
        options: &[
            "--mode",
            "concolic",
            "--search",
            "dfs",
            "--partial-solutions",
        ],
        baseline: Some(DFS),
    },
    Configuration {
        name: "BFS+P",
        options: &[
            "--mode",
            "concolic",
            "--search",
            "bfs",
            "--partial-solutions",
        ],
        baseline: Some(BFS),
    },
    Configuration {
        name: "RCN",
        options: &["--search", "random-path*1,nurs:covnew*1"],
        baseline: None,
    },
    Configuration {
        name: "RSS",
        options: &["--search", "random-state"],
        baseline: None,
    },
    Configuration {
        name: "DFS",
        options: &["--mode", "concolic", "--search", "dfs"],
        baseline: None,
    },
    Configuration {
        name: "BFS",
        options: &["--mode", "concolic", "--search", "bfs"],
        baseline: None,
    },
    Configuration {
        name: "DFS+P, cegar",
        options: &[
            "--mode",
            "concolic",
            "--search",
            "dfs",
            "--arrays",
            "cegar",
            "--partial-solutions",
            "--partial-from",
            "cegar",
        ],
        baseline: Some(OWN_DFS),
    },
    Configuration {
        name: "BFS+P, cegar",
        options: &[
            "--mode",
            "concolic",
            "--search",
            "bfs",
            "--arrays",
            "cegar",
            "--partial-solutions",
            "--partial-from",
            "cegar",
        ],
        baseline: Some(OWN_BFS),
    },
    Configuration {
        name: "DFS, cegar",
        options: &["--mode", "concolic", "--search", "dfs", "--arrays", "cegar"],
        baseline: None,
    },
    Configuration {
        name: "BFS, cegar",
        options: &["--mode", "concolic", "--search", "bfs", "--arrays", "cegar"],
        baseline: None,
    },
];

/// Ratios of times mean nothing where the baseline is done in less, in seconds.
const LEAST_BASELINE: f64 = 5.0;

/// One run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct MultiplexRun {
    stats: RunStats,
    curve: Vec<Point>,
}

impl MultiplexRun {
    fn coverage(&self) -> f64 {
        percent(
            self.stats.covered_instructions,
            self.stats.total_instructions,
        )
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// A value of the table: the paper's in brackets, where it has one.
fn beside(value: f64, paper: Option<&f64>) -> String {
    match paper {
        Some(paper) => format!("{value:.1} ({paper:.1})"),
        None => format!("{value:.1}"),
    }
}

/// The runs of one function: configuration, seed.
struct Measured {
    case: Case,
    outcomes: Vec<Vec<MultiplexRun>>,
}

impl Measured {
    /// The mean of the seeds, as in the paper.
    fn average(&self, configuration: usize, value: impl Fn(&MultiplexRun) -> f64) -> f64 {
        let runs = &self.outcomes[configuration];
        runs.iter().map(value).sum::<f64>() / runs.len().max(1) as f64
    }

    fn coverage(&self, configuration: usize) -> f64 {
        self.average(configuration, MultiplexRun::coverage)
    }

    fn instructions(&self) -> u64 {
        let all = self.outcomes.iter().flatten();
        all.map(|o| o.stats.total_instructions).max().unwrap_or(0)
    }

    /// Where each seed's run first has the mean final coverage of the baseline, or `None` if some does not.
    fn reaching(&self, configuration: usize, baseline: usize) -> Option<Vec<Point>> {
        let goal = self.coverage(baseline);
        let runs = self.outcomes[configuration].iter();
        runs.map(|o| curve::reaches(&o.curve, goal)).collect()
    }
}

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let library = work_dir()?.join("gsl/.libs/libgsl.a");
    ensure!(
        library.exists(),
        "{} is missing: run bench/fetch gsl first",
        library.display()
    );
    let seconds = context.time.unwrap_or(60.0);
    let seeds = context.seeds.unwrap_or(3);
    let mut common: Vec<String> = Vec::new();
    if help::knows(context, "run", "--fp-solver")? {
        common.extend(["--fp-solver".into(), "isc".into()]);
    }
    common.extend(context.run_options.iter().cloned());
    let sources = context.out.join("multiplex");
    std::fs::create_dir_all(&sources)?;
    for (name, text) in SOURCES {
        std::fs::write(sources.join(name), text).with_context(|| format!("cannot write {name}"))?;
    }
    let kept: SharedStore<MultiplexRun> = SharedStore::open(&sources.join("runs.jsonl"))?;
    let build = context.build()?;
    let mut measured = Vec::new();
    for case in cases()?.into_iter().filter(|c| context.wants(&c.name)) {
        let runs: Vec<_> = CONFIGURATIONS
            .iter()
            .flat_map(|configuration| (0..seeds).map(move |seed| (configuration, seed)))
            .collect();
        let runs = context.each(&runs, |&(configuration, seed)| {
            say::err!(
                "multiplex: {}, {}, seed {seed}",
                case.name,
                configuration.name
            );
            let options = [configuration.options.join(" "), common.join(" ")].join(" ");
            let key = format!("{build} {} {seconds} s, seed {seed}, {options}", case.name);
            kept.get(&key, || {
                run_one(
                    context,
                    &library,
                    &case,
                    configuration,
                    &common,
                    seed,
                    seconds,
                )
            })
        })?;
        let mut runs = runs.into_iter();
        let of_each = CONFIGURATIONS.iter();
        let of_each = of_each.map(|_| runs.by_ref().take(seeds as usize).collect());
        let outcomes: Vec<Vec<MultiplexRun>> = of_each.collect();
        measured.push(Measured { case, outcomes });
        // What there is so far: a long experiment is looked at while it runs.
        write(context, &measured, seconds, seeds)?;
    }
    write(context, &measured, seconds, seeds)
}

fn run_one(
    context: &Context,
    library: &Path,
    case: &Case,
    configuration: &Configuration,
    common: &[String],
    seed: u64,
    seconds: f64,
) -> Result<MultiplexRun> {
    let out: PathBuf = context
        .out
        .join("runs")
        .join(format!("{}-{}-{seed}", case.name, configuration.name));
    let cblas = library.with_file_name("../cblas/.libs/libgslcblas.a");
    let mut command = run::explore(context, &out)?;
    command
        .arg("--no-tests")
        .arg(library)
        .args(["--entry", &case.function])
        // Drivers of one size, as in the paper.
        .args(["--array-max", "4", "--string-max", "8"]);
    command.arg("--with").arg(cblas);
    for option in &case.options {
        if SOURCES.iter().any(|(name, _)| name == option) {
            command.arg(context.out.join("multiplex").join(option))
        } else {
            command.arg(option)
        };
    }
    command.args(configuration.options).args(common);
    command.args([
        "--seed",
        &seed.to_string(),
        "--cpu-time",
        &seconds.to_string(),
    ]);
    let label = format!("{}, {}", case.name, configuration.name);
    run::finish(&mut command, &label, seconds * 20.0 + 120.0)?;
    let (run, stats) = Run::without_tests(&out)?.whole()?;
    let total = stats.total_instructions;
    let curve = curve::of(&run.timeline, |p| percent(p.covered_instructions, total));
    Ok(MultiplexRun { stats, curve })
}

/// Tables and plots of what was measured; the table for the terminal is Table 6.
fn write(context: &Context, measured: &[Measured], seconds: f64, seeds: u64) -> Result<Report> {
    let title = format!(
        "Coverage of GSL functions in %, {seconds} CPU s, mean of {seeds} (paper in brackets)"
    );
    let mut columns = vec!["program", "instructions"];
    columns.extend(CONFIGURATIONS.iter().map(|c| c.name));
    let mut report = Report::new(&title, &columns);
    for m in measured {
        let mut row: Vec<Cell> = vec![m.case.name.as_str().into(), m.instructions().into()];
        row.extend(
            (0..CONFIGURATIONS.len())
                .map(|i| Cell::from(beside(m.coverage(i), m.case.coverage.get(i)))),
        );
        report.rows.push(row);
    }
    let mut last: Vec<Cell> = vec!["average".into(), Cell::Empty];
    last.extend((0..CONFIGURATIONS.len()).map(|i| {
        let paper = (i < COLUMNS).then(|| mean(measured, |m| m.case.coverage[i]));
        Cell::from(beside(mean(measured, |m| m.coverage(i)), paper.as_ref()))
    }));
    report.rows.push(last);
    report.remarks = remarks(measured, seconds);
    let place = |name: &str| context.out.join(name);
    std::fs::write(
        place("multiplex.md"),
        markdown(measured, seconds, &report.remarks, &title),
    )?;
    std::fs::write(place("multiplex-fig6.svg"), figure6(measured, seconds))?;
    std::fs::write(place("multiplex-fig8.svg"), figure8(measured))?;
    Ok(report)
}

fn mean(measured: &[Measured], value: impl Fn(&Measured) -> f64) -> f64 {
    measured.iter().map(value).sum::<f64>() / measured.len().max(1) as f64
}

/// Areas, solver calls and times, over all programs.
fn remarks(measured: &[Measured], seconds: f64) -> Vec<String> {
    let mut out = Vec::new();
    let areas: Vec<String> = CONFIGURATIONS
        .iter()
        .enumerate()
        .map(|(i, c)| {
            let area = mean(measured, |m| {
                m.average(i, |o| curve::area(&o.curve, seconds))
            });
            format!("{} {area:.1}", c.name)
        })
        .collect();
    out.push(format!(
        "area under the curve of coverage (mean % over the time): {}",
        areas.join(", ")
    ));
    for (i, configuration) in CONFIGURATIONS.iter().enumerate() {
        let Some(baseline) = configuration.baseline else {
            continue;
        };
        let runs = measured.iter().flat_map(|m| &m.outcomes[i]);
        let lines = ablation(runs.map(|o| &o.stats));
        out.extend(lines.iter().map(|l| format!("{}: {l}", configuration.name)));
        let (mut calls, mut base_calls, mut reached) = (0.0, 0.0, 0);
        let mut ratios = Vec::new();
        for m in measured {
            let (Some(own), Some(base)) = (m.reaching(i, baseline), m.reaching(baseline, baseline))
            else {
                continue;
            };
            let middle = |points: &[Point], value: fn(&Point) -> f64| {
                median(&points.iter().map(value).collect::<Vec<_>>()).unwrap_or(0.0)
            };
            reached += 1;
            calls += middle(&own, |p| p.queries as f64);
            base_calls += middle(&base, |p| p.queries as f64);
            let (time, base_time) = (middle(&own, |p| p.time), middle(&base, |p| p.time));
            if base_time >= LEAST_BASELINE {
                ratios.push(format!("{} {:.1}", m.case.name, base_time / time.max(1e-3)));
            }
        }
        let name = CONFIGURATIONS[baseline].name;
        out.push(format!(
            "{} has the final coverage of {name} in {reached} of {} programs, there after {} solver calls in sum where {name} needs {}",
            configuration.name,
            measured.len(),
            number(calls),
            number(base_calls)
        ));
        if !ratios.is_empty() {
            out.push(format!(
                "time of {name} over that of {} to the final coverage of {name}, where {name} needs {LEAST_BASELINE} s or more: {}",
                configuration.name,
                ratios.join(", ")
            ));
        }
    }
    out
}

fn markdown(measured: &[Measured], seconds: f64, remarks: &[String], title: &str) -> String {
    let mut out = format!("# {title}\n\n");
    out += "| program | instructions (LOC*) | DFS+P #PS | DFS+P | BFS+P #PS | BFS+P | RCN | RSS | DFS | BFS | DFS+P, cegar | BFS+P, cegar | DFS, cegar | BFS, cegar |\n";
    out += &format!("|{}\n", "---|".repeat(14));
    let cell = |value: f64, paper: f64| format!("{value:.1} ({paper:.1})");
    for m in measured {
        let partial = |i: usize| {
            let value = m.average(i, |o| o.stats.partial_solutions as f64);
            format!("{} ({})", number(value), m.case.partial[i])
        };
        let _ = writeln!(
            out,
            "| {} | {} ({}) | {} | {} | {} | {} | {} |",
            m.case.name,
            m.instructions(),
            m.case.loc,
            partial(0),
            cell(m.coverage(0), m.case.coverage[0]),
            partial(1),
            cell(m.coverage(1), m.case.coverage[1]),
            (2..CONFIGURATIONS.len())
                .map(|i| beside(m.coverage(i), m.case.coverage.get(i)))
                .collect::<Vec<_>>()
                .join(" | ")
        );
    }
    let average = |i: usize| {
        let paper = (i < COLUMNS).then(|| mean(measured, |m| m.case.coverage[i]));
        beside(mean(measured, |m| m.coverage(i)), paper.as_ref())
    };
    let _ = writeln!(
        out,
        "| average | | | {} | | {} | {} |\n",
        average(0),
        average(1),
        (2..CONFIGURATIONS.len())
            .map(average)
            .collect::<Vec<_>>()
            .join(" | ")
    );
    for remark in remarks {
        let _ = writeln!(out, "- {remark}");
    }
    let _ = writeln!(
        out,
        "\nSolver calls, partial solutions per call, seconds to the last new instruction ({seconds} CPU s in all):\n\n\
         | program | DFS+P | BFS+P | DFS | BFS |\n|---|---|---|---|---|"
    );
    for m in measured {
        let cells: Vec<String> = [0, 1, DFS, BFS]
            .iter()
            .map(|&i| {
                let calls = m.average(i, |o| o.stats.queries as f64);
                let last = m.average(i, |o| {
                    curve::reaches(&o.curve, o.coverage()).map_or(0.0, |p| p.time)
                });
                match CONFIGURATIONS[i].baseline {
                    Some(_) => format!(
                        "{}, {:.2}, {last:.1} s",
                        number(calls),
                        m.average(i, per_call)
                    ),
                    None => format!("{}, {last:.1} s", number(calls)),
                }
            })
            .collect();
        let _ = writeln!(out, "| {} | {} |", m.case.name, cells.join(" | "));
    }
    out
}

fn per_call(o: &MultiplexRun) -> f64 {
    o.stats.partial_solutions as f64 / o.stats.queries.max(1) as f64
}

/// Average coverage over time.
fn figure6(measured: &[Measured], seconds: f64) -> String {
    const STEPS: u32 = 200;
    let lines: Vec<Curve> = CONFIGURATIONS
        .iter()
        .enumerate()
        .map(|(i, c)| Curve {
            name: c.name,
            dashed: c.baseline.is_none(),
            points: (0..=STEPS)
                .map(|k| {
                    let time = seconds * f64::from(k) / f64::from(STEPS);
                    (
                        time,
                        mean(measured, |m| m.average(i, |o| curve::at(&o.curve, time))),
                    )
                })
                .collect(),
        })
        .collect();
    curve::svg(
        "Average coverage in % over CPU seconds",
        "CPU seconds",
        seconds,
        100.0,
        &lines,
    )
}

/// Partial solutions per solver call.
fn figure8(measured: &[Measured]) -> String {
    let mut report = Report::new(
        "Partial solutions per solver call",
        &["program", "DFS+P", "BFS+P"],
    );
    report.plotted = vec![1, 2];
    for m in measured {
        report.rows.push(vec![
            m.case.name.as_str().into(),
            m.average(0, per_call).into(),
            m.average(1, per_call).into(),
        ]);
    }
    report.svg()
}
