//! Suite `solver-bound`: the gain of partial solutions on programs where solving dominates.
//!
//! The programs (`benches/solver-bound`) are parsers with lengths and checksums, interpreters, hash chains, programs with
//! tables, decimal conversion and matrix code over integers; without partial solutions the solver takes most of the time.
//! Each search runs with and without them. The figures are paths for the same CPU time, and the CPU time and solver calls
//! after which the branches are covered that the search without them covers in the end.

use crate::tools::curve::{self, Point};
use crate::tools::report::{Cell, Report, median, number};
use crate::tools::techniques::ablation;
use crate::tools::{Context, run};
use anyhow::{Context as _, Result};
use std::path::{Path, PathBuf};
use testcase::{Run, RunStats};

/// The searches that are compared with themselves, and what is asked of them.
const SEARCHES: [Search; 3] = [
    Search {
        name: "DFS",
        options: &["--mode", "concolic", "--search", "dfs"],
        has_goals: true,
    },
    Search {
        name: "BFS",
        options: &["--mode", "concolic", "--search", "bfs"],
        has_goals: true,
    },
    Search {
        name: "default",
        options: &["--mode", "concolic"],
        has_goals: false,
    },
];

/// Forking has no partial solutions but those that rescue parked sides; it shows what the same programs do there.
const FORKING: [(&str, &[&str]); 3] = [
    ("forking DFS", &["--search", "dfs"]),
    ("forking BFS", &["--search", "bfs"]),
    ("forking default", &[]),
];

/// What is switched on of partial solutions; the first one is compared with the search without them.
const SWITCHES: [(&str, &[&str]); 3] = [
    ("+P", &["--partial-solutions"]),
    (
        "+P, only neighbours",
        &["--partial-solutions", "--partial-from", "neighbour"],
    ),
    (
        "+P, only what the solver tries",
        &["--partial-solutions", "--partial-from", SOLVER],
    ),
];

/// The techniques inside of the solver that concern programs without floats.
const SOLVER: &str = "domain,reuse,enumeration,local-search,congruence,sat,trail,cegar,abstraction,preprocess,simplex";

/// Paths, CPU time to the baseline's final coverage and solver calls to it, each as a ratio to the baseline.
const GOALS: [(f64, bool); 3] = [(3.0, false), (1.0 / 3.0, true), (0.1, true)];
/// So much slower than the baseline no program may be.
const LEAST: f64 = 0.95;
/// Ratios of times mean nothing where the baseline is done sooner, in seconds.
const LEAST_BASELINE: f64 = 0.5;

struct Search {
    name: &'static str,
    options: &'static [&'static str],
    has_goals: bool,
}

/// A run.
struct BoundRun {
    stats: RunStats,
    curve: Vec<Point>,
}

impl BoundRun {
    fn paths_per_s(&self) -> f64 {
        self.stats.completed_paths as f64 / self.stats.cpu_s.max(1e-3)
    }

    /// The solver's part of the time. Both are by the wall clock, which other work on the machine stretches alike.
    fn solver(&self) -> f64 {
        100.0 * self.stats.solver_time_s / self.stats.wall_s.max(1e-3)
    }

    /// Where so many branches are covered; the end of the run if they never are.
    fn reaching(&self, branches: f64) -> (Point, bool) {
        let end = Point {
            time: self.stats.cpu_s,
            queries: self.stats.queries,
            coverage: self.stats.covered_branches as f64,
        };
        let there = curve::reaches(&self.curve, branches);
        (there.unwrap_or(end), there.is_some())
    }
}

/// The runs of one configuration, one for each seed.
struct Runs(Vec<BoundRun>);

impl Runs {
    fn median(&self, value: impl Fn(&BoundRun) -> f64) -> f64 {
        median(&self.0.iter().map(value).collect::<Vec<_>>()).unwrap_or(0.0)
    }

    fn branches(&self) -> f64 {
        self.median(|o| o.stats.covered_branches as f64)
    }
}

/// What a configuration does in relation to its baseline, as in [`GOALS`].
struct Ratios {
    paths: f64,
    time: Option<f64>,
    calls: Option<f64>,
    reached: bool,
}

impl Ratios {
    fn of(own: &Runs, base: &Runs) -> Ratios {
        let goal = base.branches();
        let time = |runs: &Runs| runs.median(|o| o.reaching(goal).0.time);
        let calls = |runs: &Runs| runs.median(|o| o.reaching(goal).0.queries as f64);
        let needed = time(base);
        let counts = needed >= LEAST_BASELINE;
        Ratios {
            paths: own.median(BoundRun::paths_per_s) / base.median(BoundRun::paths_per_s).max(1e-9),
            time: counts.then(|| time(own) / needed),
            calls: counts.then(|| calls(own).max(1.0) / calls(base).max(1.0)),
            reached: own.median(|o| f64::from(o.reaching(goal).1)) >= 0.5,
        }
    }
}

fn geometric_mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0), |(sum, n), v: f64| (sum + v.max(1e-9).ln(), n + 1));
    (sum / f64::from(n.max(1))).exp()
}

fn programs(context: &Context) -> Result<Vec<PathBuf>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/solver-bound");
    let entries = std::fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    let mut programs = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "c") && context.wants(&name_of(&path)) {
            programs.push(path);
        }
    }
    programs.sort();
    Ok(programs)
}

fn name_of(program: &Path) -> String {
    let name = program.file_stem().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn run_one(
    context: &Context,
    program: &Path,
    label: &str,
    options: &[&str],
    seconds: f64,
    seed: u64,
) -> Result<BoundRun> {
    let label = format!(
        "{}-{}-{seed}",
        name_of(program),
        label.replace([' ', ','], "-")
    );
    say::err!("solver-bound: {label}");
    let out = context.out.join("runs").join(&label);
    let mut command = run::explore(context, &out)?;
    command.args(["--no-tests", "--jobs", "1"]);
    command.args(options).args(&context.run_options);
    command.args(["--memory", "2000", "--seed", &seed.to_string()]);
    command.args(["--cpu-time", &seconds.to_string()]);
    command.arg(program);
    run::finish(&mut command, &label, 20.0 * seconds + 60.0)?;
    let (run, stats) = Run::without_tests(&out)?.whole()?;
    let curve = curve::of(&run.timeline, |p| p.covered_branches as f64);
    Ok(BoundRun { stats, curve })
}

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let seconds = context.time.unwrap_or(10.0);
    let seeds = context.seeds.unwrap_or(3).max(1);
    let title = format!(
        "Partial solutions where solving costs: {seconds} CPU s, median of {seeds} seeds; ratios are with / without"
    );
    let columns = [
        "program", "search", "solver %", "paths/s", "+P", "ratio", "branches", "+P", "time",
        "calls",
    ];
    let mut report = Report::new(&title, &columns);
    report.plotted = vec![5];
    // For each search and switch, the ratios of all programs.
    let mut ratios: Vec<Vec<Vec<Ratios>>> = SEARCHES
        .iter()
        .map(|_| SWITCHES.iter().map(|_| Vec::new()).collect())
        .collect();
    let mut with_all: Vec<Vec<RunStats>> = vec![Vec::new(); SEARCHES.len()];
    let mut forking: Vec<Vec<f64>> = vec![Vec::new(); FORKING.len()];
    let mut easy = Vec::new();
    for program in programs(context)? {
        let name = name_of(&program);
        // Each search without partial solutions and with each of the switches, and then forking.
        let mut configurations: Vec<(String, Vec<&str>)> = Vec::new();
        for search in &SEARCHES {
            configurations.push((search.name.into(), search.options.into()));
            for (switch, options) in SWITCHES {
                let options = [search.options, options].concat();
                configurations.push((format!("{}{switch}", search.name), options));
            }
        }
        configurations.extend(FORKING.map(|(name, options)| (name.into(), options.into())));
        let cases: Vec<_> = configurations
            .iter()
            .flat_map(|configuration| (1..=seeds).map(move |seed| (configuration, seed)))
            .collect();
        let outcomes = context.each(&cases, |&((label, options), seed)| {
            run_one(context, &program, label, options, seconds, seed)
        })?;
        let mut outcomes = outcomes.into_iter();
        let mut next = || Runs(outcomes.by_ref().take(seeds as usize).collect());
        for (i, search) in SEARCHES.iter().enumerate() {
            let base = next();
            let own: Vec<Runs> = SWITCHES.iter().map(|_| next()).collect();
            for (all, runs) in ratios[i].iter_mut().zip(&own) {
                all.push(Ratios::of(runs, &base));
            }
            let solver = base.median(BoundRun::solver);
            if solver < 60.0 && search.has_goals {
                easy.push(format!("{name} {} {solver:.0} %", search.name));
            }
            let of_all = &ratios[i][0][ratios[i][0].len() - 1];
            let optional = |value: Option<f64>| value.map_or(Cell::Empty, Cell::from);
            report.rows.push(vec![
                name.as_str().into(),
                search.name.into(),
                solver.into(),
                base.median(BoundRun::paths_per_s).into(),
                own[0].median(BoundRun::paths_per_s).into(),
                of_all.paths.into(),
                base.branches().into(),
                own[0].branches().into(),
                optional(of_all.time),
                optional(of_all.calls),
            ]);
            with_all[i].extend(own[0].0.iter().map(|o| o.stats.clone()));
        }
        for all in &mut forking {
            all.push(next().median(BoundRun::paths_per_s));
        }
        report.write(&context.out, "solver-bound")?;
    }
    for (i, search) in SEARCHES.iter().enumerate() {
        report.rows.push(summary(search, &ratios[i][0]));
        for ((switch, _), ratios) in SWITCHES.iter().zip(&ratios[i]) {
            report.remarks.push(remark(search.name, switch, ratios));
        }
        report.remarks.extend(calls(search.name, &with_all[i]));
    }
    for ((name, _), paths) in FORKING.iter().zip(&forking) {
        let mean = geometric_mean(paths.iter().copied());
        let mean = number(mean);
        report
            .remarks
            .push(format!("{name}: {mean} paths/s, geometric mean"));
    }
    if !easy.is_empty() {
        let easy = easy.join(", ");
        report
            .remarks
            .push(format!("the solver takes less than 60 % in {easy}"));
    }
    Ok(report)
}

/// The last rows: geometric means over the programs, with the goals.
fn summary(search: &Search, ratios: &[Ratios]) -> Vec<Cell> {
    let means = [
        geometric_mean(ratios.iter().map(|r| r.paths)),
        geometric_mean(ratios.iter().filter_map(|r| r.time)),
        geometric_mean(ratios.iter().filter_map(|r| r.calls)),
    ];
    let mut cells = means.iter().zip(GOALS).map(|(&value, (goal, at_most))| {
        if search.has_goals {
            Cell::Goal {
                value,
                goal,
                at_most,
            }
        } else {
            value.into()
        }
    });
    let mut row: Vec<Cell> = vec!["mean".into(), search.name.into()];
    row.extend([Cell::Empty, Cell::Empty, Cell::Empty]);
    row.extend(cells.next());
    row.extend([Cell::Empty, Cell::Empty]);
    row.extend(cells);
    row
}

/// One switch of one search, over all programs.
fn remark(search: &str, switch: &str, ratios: &[Ratios]) -> String {
    let reached = ratios.iter().filter(|r| r.reached).count();
    let behind = ratios.iter().filter(|r| r.paths < LEAST).count();
    format!(
        "{search}{switch}: {} times the paths, coverage of {search} after {} of its time and {} of its solver calls (means); reached in {reached} of {}, more than 5 % fewer paths in {behind}",
        number(geometric_mean(ratios.iter().map(|r| r.paths))),
        number(geometric_mean(ratios.iter().filter_map(|r| r.time))),
        number(geometric_mean(ratios.iter().filter_map(|r| r.calls))),
        ratios.len()
    )
}

/// Paths for each solver call, and which technique opened them.
fn calls(search: &str, runs: &[RunStats]) -> Vec<String> {
    let queries: u64 = runs.iter().map(|s| s.queries).sum();
    let opened: f64 = runs
        .iter()
        .filter_map(|s| s.more.get("multiplex_paths")?.as_f64())
        .sum();
    let per_call = opened / queries.max(1) as f64;
    let first = format!("partial solutions opened {per_call:.2} paths for each solver call");
    let lines = std::iter::once(first).chain(ablation(runs.iter()));
    lines.map(|line| format!("{search}+P: {line}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(paths: u64, covered: &[(f64, u64, u64)]) -> Runs {
        let curve = covered.iter().map(|&(time, branches, queries)| Point {
            time,
            coverage: branches as f64,
            queries,
        });
        let stats = RunStats {
            completed_paths: paths,
            covered_branches: covered.last().map_or(0, |c| c.1),
            queries: covered.last().map_or(0, |c| c.2),
            cpu_s: 10.0,
            ..RunStats::default()
        };
        let curve = curve.collect();
        Runs(vec![BoundRun { stats, curve }])
    }

    #[test]
    fn ratios_are_to_the_final_coverage_of_the_baseline() {
        let base = runs(100, &[(1.0, 10, 50), (4.0, 20, 400)]);
        let own = runs(400, &[(1.0, 20, 40), (2.0, 30, 90)]);
        let ratios = Ratios::of(&own, &base);
        assert_eq!((ratios.paths, ratios.reached), (4.0, true));
        assert_eq!((ratios.time, ratios.calls), (Some(0.25), Some(0.1)));
        // Who does not get there is charged with all that it did.
        let behind = Ratios::of(&base, &own);
        assert_eq!((behind.time, behind.reached), (Some(5.0), false));
    }

    #[test]
    fn times_of_baselines_that_are_done_at_once_do_not_count() {
        let base = runs(100, &[(0.1, 10, 5)]);
        assert_eq!(Ratios::of(&base, &base).time, None);
    }
}
