//! Suite `java`: Tables 5 and 7 of "Multiplex symbolic execution" on the Java libraries that Debian has.
//!
//! Table 5: readers of binary formats, all bytes of a small valid file symbolic, that file first. Table 7 (`--only table7`): linear
//! algebra over matrices of doubles. Depth first and breadth first, with and without partial solutions, and our default
//! strategy; then both orders with the technique of the paper's table alone. #T is the number of paths, #NI that of instructions of the library's own classes that are covered after those of
//! the first path, as in the paper. A plot shows #NI over CPU seconds, summed over the programs.
//!
//! What a run says it has covered is confirmed: JaCoCo, a tool for coverage, counts the instructions that its tests cover on a plain
//! JVM ([`confirm`]). It stands in brackets. A block that an exception leaves is covered for us, as it began, and not for JaCoCo, which sees ends of
//! blocks.
//!
//! Subjects of the paper that Debian has in no package (Commons Imaging, Toba, Jaad, Schroeder) are replaced or missing; the table
//! says which of the paper's rows stands beside. Readers that open their file themselves are programs with a file of input.

mod confirm;
mod subjects;

use crate::tools::kept::SharedStore;
use crate::tools::report::{Cell, Report, number};
use crate::tools::techniques::ablation;
use crate::tools::{Context, curve, fresh_dir};
use anyhow::{Context as _, Result, bail, ensure};
use confirm::Confirmer;
use curve::Point;
use oracle::measure::measure;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use subjects::{FLOATS, JARS, PARSERS, SOURCES, Subject};
use testcase::{Run, RunStats};

/// A column of the table.
struct Configuration {
    name: &'static str,
    options: &'static [&'static str],
    /// Does it have the options of the table's own technique, too?
    is_own: bool,
}

/// The paper's technique alone. Table 5: the simplex over integers, whose assignments before each pivot are the partial solutions
/// (its section 3.2). Table 7: the search of XSat, whose steps are (3.3).
const OWN_PARSERS: &[&str] = &["--theory", "lia", "--partial-from", "simplex"];
const OWN_FLOATS: &[&str] = &[
    "--fp-solver",
    "search:xsat",
    "--partial-from",
    "float-search",
];

const CONFIGURATIONS: [Configuration; 7] = [
    Configuration {
        name: "DFS+P",
        options: &["--search", "dfs", "--partial-solutions"],
        is_own: false,
    },
    Configuration {
        name: "DFS",
        options: &["--search", "dfs"],
        is_own: false,
    },
    Configuration {
        name: "BFS+P",
        options: &["--search", "bfs", "--partial-solutions"],
        is_own: false,
    },
    Configuration {
        name: "BFS",
        options: &["--search", "bfs"],
        is_own: false,
    },
    Configuration {
        name: "default",
        options: &[],
        is_own: false,
    },
    Configuration {
        name: "DFS+P, own",
        options: &["--search", "dfs", "--partial-solutions"],
        is_own: true,
    },
    Configuration {
        name: "BFS+P, own",
        options: &["--search", "bfs", "--partial-solutions"],
        is_own: true,
    },
];

/// What a run came to.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct SubjectRun {
    tests: f64,
    new: f64,
    /// The same by JaCoCo.
    confirmed: f64,
    curve: Vec<Point>,
    stats: RunStats,
}

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let is_table7 = context.only.iter().any(|name| name == "table7");
    let (title, all, technique) = if is_table7 {
        ("Table 7", FLOATS, OWN_FLOATS)
    } else {
        ("Table 5", PARSERS, OWN_PARSERS)
    };
    let wants = |s: &&Subject| {
        let named = context.only.iter().any(|o| o == s.name);
        let any = all.iter().any(|s| context.only.iter().any(|o| o == s.name));
        named || !any
    };
    let seconds = context.time.unwrap_or(60.0);
    let seeds = context.seeds.unwrap_or(3).max(1);
    let classes = compile(&std::path::absolute(&context.out)?)?;
    let confirmer = Confirmer::new(&context.out)?;
    let kept: SharedStore<SubjectRun> = SharedStore::open(&context.out.join("java-runs.jsonl"))?;
    let build = context.build()?;
    let title = format!("{title}: #NI / #T in {seconds} s, mean of {seeds}");
    let mut columns = vec!["program"];
    columns.extend(CONFIGURATIONS.iter().map(|c| c.name));
    columns.push("the paper in 900 s: DFS+P, DFS, BFS+P, BFS");
    let mut report = Report::new(&title, &columns);
    let mut measured: Vec<Vec<Vec<SubjectRun>>> = Vec::new();
    for subject in all.iter().filter(wants) {
        let cases: Vec<_> = CONFIGURATIONS
            .iter()
            .flat_map(|c| (1..=seeds).map(move |seed| (c, seed)))
            .collect();
        let runs = context.each(&cases, |&(configuration, seed)| {
            say::err!(
                "java: {}, {}, seed {seed}",
                subject.name,
                configuration.name
            );
            let of = Bench {
                context,
                classes: &classes,
                confirmer: &confirmer,
                seconds,
                technique,
            };
            let options = [configuration.options, of.own(configuration)].concat();
            let options = [options.join(" "), context.run_options.join(" ")].join(" ");
            let name = subject.name;
            let key = format!("{build} {name} {seconds} s, seed {seed}, {options}");
            kept.get(&key, || of.run(subject, configuration, seed))
        })?;
        let mut runs = runs.into_iter();
        let by_configuration: Vec<Vec<SubjectRun>> = CONFIGURATIONS
            .iter()
            .map(|_| runs.by_ref().take(seeds as usize).collect())
            .collect();
        let mut row: Vec<Cell> = vec![subject.name.into()];
        for runs in &by_configuration {
            let (new, tests) = (mean(runs, |o| o.new), mean(runs, |o| o.tests));
            let confirmed = mean(runs, |o| o.confirmed);
            row.push(cell(new, confirmed, tests));
        }
        row.push(subject.paper.into());
        report.rows.push(row);
        measured.push(by_configuration);
        report.write(&context.out, "java")?;
    }
    let mut row: Vec<Cell> = vec!["average".into()];
    for at in 0..CONFIGURATIONS.len() {
        let over_all = |value: fn(&SubjectRun) -> f64| {
            let sum: f64 = measured.iter().map(|m| mean(&m[at], value)).sum();
            sum / measured.len().max(1) as f64
        };
        let (new, tests) = (over_all(|o| o.new), over_all(|o| o.tests));
        row.push(cell(new, over_all(|o| o.confirmed), tests));
    }
    row.push(subjects::average(is_table7).into());
    report.rows.push(row);
    remarks(&mut report, &measured);
    plot(context, &measured, seconds)?;
    Ok(report)
}

fn cell(new: f64, confirmed: f64, tests: f64) -> Cell {
    let (new, confirmed, tests) = (number(new), number(confirmed), number(tests));
    format!("{new} ({confirmed}) / {tests}").into()
}

/// The mean of the seeds, as in the paper.
fn mean(runs: &[SubjectRun], value: impl Fn(&SubjectRun) -> f64) -> f64 {
    runs.iter().map(value).sum::<f64>() / runs.len().max(1) as f64
}

/// The time lines of a configuration: of each program the run of the first seed.
fn total(measured: &[Vec<Vec<SubjectRun>>], at: usize) -> Vec<Point> {
    let curves = measured.iter().filter_map(|m| m[at].first());
    curve::sum(curves.map(|o| o.curve.as_slice()))
}

/// Comparisons that the paper makes.
fn remarks(report: &mut Report, measured: &[Vec<Vec<SubjectRun>>]) {
    for (with, without) in [(0, 1), (2, 3), (5, 1), (6, 3)] {
        let (name, base) = (CONFIGURATIONS[with].name, CONFIGURATIONS[without].name);
        let above = measured.iter().filter(|m| {
            let new = |at: usize| mean(&m[at], |o: &SubjectRun| o.new);
            new(with) > new(without)
        });
        let above = above.count();
        report.remarks.push(format!(
            "{name} covers more than {base} on {above} of {} programs",
            measured.len()
        ));
        let (ours, theirs) = (total(measured, with), total(measured, without));
        let most = theirs.iter().map(|p| p.coverage).fold(0.0, f64::max);
        let reaches = |curve: &[Point]| curve::reaches(curve, most).map(|p| p.time);
        report
            .remarks
            .push(match (reaches(&ours), reaches(&theirs)) {
                (Some(a), Some(b)) => format!(
                    "the last coverage of {base} ({}): after {b:.1} CPU s, {name} after {a:.1}",
                    number(most)
                ),
                _ => format!("{name} does not come to the last coverage of {base}"),
            });
    }
    // Fig. 8 for Java.
    for (at, configuration) in CONFIGURATIONS.iter().enumerate() {
        if configuration.options.contains(&"--partial-solutions") {
            let of = || measured.iter().flat_map(|m| &m[at]).map(|o| &o.stats);
            let found: u64 = of().map(|s| s.partial_solutions).sum();
            let queries: u64 = of().map(|s| s.queries).sum();
            report.remarks.push(format!(
                "{}: {found} partial solutions kept in {queries} solver calls, {:.2} a call",
                configuration.name,
                found as f64 / queries.max(1) as f64
            ));
        }
    }
    let runs = || measured.iter().flatten().flatten();
    let lossy = runs().filter(|o| o.stats.more.get("java_losses").is_some_and(has_any));
    report.remarks.push(format!(
        "runs with values that are lost in code that is not woven: {} of {}",
        lossy.count(),
        runs().count()
    ));
    for (at, configuration) in CONFIGURATIONS.iter().enumerate() {
        let of = measured.iter().flat_map(|m| &m[at]);
        let lines = ablation(of.map(|o| &o.stats)).into_iter();
        let lines = lines.map(|line| format!("{}: {line}", configuration.name));
        report.remarks.extend(lines);
    }
}

fn has_any(list: &serde_json::Value) -> bool {
    list.as_array().is_some_and(|l| !l.is_empty())
}

fn plot(context: &Context, measured: &[Vec<Vec<SubjectRun>>], seconds: f64) -> Result<()> {
    const STEPS: u32 = 120;
    let mut most: f64 = 0.0;
    let mut lines = Vec::new();
    for (at, configuration) in CONFIGURATIONS.iter().enumerate() {
        let curve = total(measured, at);
        let point = |k: u32| {
            let time = seconds * f64::from(k) / f64::from(STEPS);
            (time, curve::at(&curve, time))
        };
        let points: Vec<(f64, f64)> = (0..=STEPS).map(point).collect();
        most = points.iter().map(|p| p.1).fold(most, f64::max);
        lines.push(curve::Curve {
            name: configuration.name,
            dashed: !configuration.options.contains(&"--partial-solutions"),
            points,
        });
    }
    let title = "New instructions over CPU seconds, all programs";
    let svg = curve::svg(title, "CPU seconds", seconds, most.max(1.0), &lines);
    let path = context.out.join("java-time.svg");
    std::fs::write(&path, svg).with_context(|| format!("cannot write {}", path.display()))
}

/// Compiles the methods that call the libraries.
fn compile(out: &Path) -> Result<PathBuf> {
    let (sources, classes) = (out.join("subjects"), out.join("classes"));
    let mut command = Command::new("javac");
    command.args(["-g", "-nowarn", "-cp", &class_path(&classes)]);
    command.arg("-d").arg(&classes);
    for (name, text) in SOURCES {
        let path = sources.join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(&sources))?;
        std::fs::write(&path, text)?;
        command.arg(path);
    }
    let output = command.output().context("cannot run javac")?;
    let words = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "the subjects do not compile: {words}"
    );
    Ok(classes)
}

fn class_path(classes: &Path) -> String {
    let mut path = classes.display().to_string();
    for jar in JARS {
        path.push_str(&format!(":/usr/share/java/{jar}.jar"));
    }
    path
}

/// What the runs have in common.
struct Bench<'a> {
    context: &'a Context,
    classes: &'a Path,
    confirmer: &'a Confirmer,
    seconds: f64,
    /// The options of the table's own technique.
    technique: &'static [&'static str],
}

impl Bench<'_> {
    /// What a configuration has of the table's own technique.
    fn own(&self, by: &Configuration) -> &'static [&'static str] {
        if by.is_own { self.technique } else { &[] }
    }

    fn run(&self, subject: &Subject, by: &Configuration, seed: u64) -> Result<SubjectRun> {
        let label = format!("{}-{}-{seed}", subject.name, by.name);
        let out = self.context.out.join("runs").join(&label);
        let mut outcome = self.explore(subject, by, seed, &out)?;
        let path = class_path(self.classes);
        let confirmed = self.confirmer.new_instructions(&path, subject.entry, &out);
        outcome.confirmed = confirmed.with_context(|| label)?;
        Ok(outcome)
    }

    /// A run, without its confirmation.
    fn explore(
        &self,
        subject: &Subject,
        by: &Configuration,
        seed: u64,
        out: &Path,
    ) -> Result<SubjectRun> {
        let Bench {
            context,
            classes,
            seconds,
            ..
        } = *self;
        fresh_dir(out)?;
        let mut command = Command::new(&context.polypath);
        command.args([
            "java",
            "run",
            &class_path(classes),
            "--quiet",
            "--tests",
            "new",
        ]);
        command.args(["--junit", "none"]);
        command.args(["--seed", &seed.to_string(), "--time", &seconds.to_string()]);
        command.args(by.options).args(self.own(by));
        command.args(&context.run_options);
        let length = match subject.seed {
            Some(seed) => {
                let bytes = seed();
                let seeds = context.out.join("seeds").join(subject.name);
                std::fs::create_dir_all(&seeds)?;
                std::fs::write(seeds.join("valid"), &bytes)?;
                command.arg("--seed-input").arg(&seeds);
                bytes.len()
            }
            None => subjects::NUMBERS,
        };
        if let Some(class) = subject.entry.strip_suffix(".main") {
            command.args(["--main", class, "--sym-files", "1"]);
            command.arg(length.to_string());
        } else {
            command.args(["--entry", subject.entry, "--array-len"]);
            command.arg(format!("{length}-{length}"));
        }
        command.arg("--out").arg(out);
        let usage = measure(&mut command, Duration::from_secs_f64(2.0 * seconds + 120.0))?;
        if usage.timed_out || usage.code() > 1 {
            let place = out.display();
            bail!("{place}: exit {}: {}", usage.code(), usage.last_words());
        }
        let (run, stats) = Run::without_tests(out)?.whole()?;
        let extra = |name: &str| stats.more.get(name).and_then(serde_json::Value::as_f64);
        // A run that was stopped inside of an operation has a time line only, which begins with the first path.
        let (begin, end) = (run.timeline.first(), run.timeline.last());
        let covered = |p: &testcase::TimePoint| p.covered_instructions as f64;
        let (first, tests, last) = match (extra("dse_first_instructions"), extra("dse_paths")) {
            (Some(first), Some(paths)) => (first, paths, stats.covered_instructions as f64),
            _ => (
                begin.map_or(0.0, covered),
                end.map_or(0.0, |p| (p.paths + p.partial_paths) as f64),
                end.map_or(0.0, covered),
            ),
        };
        Ok(SubjectRun {
            tests,
            new: (last - first).max(0.0),
            confirmed: 0.0,
            curve: curve::of(&run.timeline, |p| (covered(p) - first).max(0.0)),
            stats,
        })
    }
}
