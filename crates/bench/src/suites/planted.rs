//! Suite `planted`: programs with one deep planted bug each, and the processor time until it is found, by search and mode.
//!
//! The programs (`benches/planted`) are what testers meet: formats, encodings, state machines, hash chains, checksums, small
//! interpreters, data structures. What the default should do is to find whatever any single search or mode finds, in at most twice
//! its time.

use crate::tools::report::{Cell, Report, median};
use crate::tools::{Context, run};
use anyhow::{Context as _, Result};
use std::path::{Path, PathBuf};
use testcase::Run;

/// Name and options; the first is what users get, with all cores. The others have one worker.
const CONFIGURATIONS: [(&str, &[&str]); 9] = [
    ("default", &[]),
    ("one worker", &[]),
    ("dfs", &["--search", "dfs"]),
    ("bfs", &["--search", "bfs"]),
    ("random-path", &["--search", "random-path"]),
    ("covnew", &["--search", "nurs:covnew"]),
    ("frontier", &["--search", "frontier"]),
    ("concolic", &["--mode", "concolic"]),
    ("concolic+P", &["--mode", "concolic", "--partial-solutions"]),
];
/// How much longer than the best one the default may take, and seconds below which nobody minds.
const FACTOR: f64 = 2.0;
const SOON: f64 = 1.0;

/// The programs, by name.
fn programs() -> Result<Vec<PathBuf>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/planted");
    let entries = std::fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    let mut programs = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "c") {
            programs.push(path);
        }
    }
    programs.sort();
    Ok(programs)
}

/// Processor time until the bug was found, in seconds; `None`: it was not.
fn found_after(
    context: &Context,
    program: &Path,
    (configuration, options): (&str, &[&str]),
    seconds: f64,
    seed: u64,
) -> Result<Option<f64>> {
    let name = program.file_stem().unwrap_or_default().to_string_lossy();
    say::err!("planted: {name}, {configuration}, seed {seed}");
    let label = format!("planted-{name}-{configuration}-{seed}");
    let out = context.out.join("runs").join(label);
    let mut command = run::explore(context, &out)?;
    command.arg("--no-tests");
    command.env_remove("POLYPATH_JOBS");
    if configuration != CONFIGURATIONS[0].0 {
        command.args(["--jobs", "1"]);
    }
    command.args(options).args(&context.run_options);
    command.args([
        "--seed",
        &seed.to_string(),
        "--cpu-time",
        &seconds.to_string(),
    ]);
    command.arg(program);
    run::finish(&mut command, &name, 20.0 * seconds + 60.0)?;
    let run = Run::without_tests(&out)?;
    Ok(run.timeline.iter().find(|p| p.errors > 0).map(|p| p.cpu_s))
}

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let seconds = context.time.unwrap_or(60.0);
    let seeds = context.seeds.unwrap_or(1).max(1);
    let mut columns = vec!["program"];
    columns.extend(CONFIGURATIONS.iter().map(|c| c.0));
    let title =
        format!("CPU s until a planted bug is found, at most {seconds}, median of {seeds} seeds");
    let mut report = Report::new(&title, &columns);
    let mut behind = Vec::new();
    for program in programs()? {
        let name = program.file_stem().unwrap_or_default().to_string_lossy();
        if !context.wants(&name) {
            continue;
        }
        let cases: Vec<_> = CONFIGURATIONS
            .iter()
            .flat_map(|configuration| (1..=seeds).map(move |seed| (*configuration, seed)))
            .collect();
        let found = context.each(&cases, |&(configuration, seed)| {
            found_after(context, &program, configuration, seconds, seed)
        })?;
        let found: Vec<f64> = found.iter().map(|f| f.unwrap_or(f64::INFINITY)).collect();
        let of_each = found.chunks(seeds as usize);
        let times: Vec<f64> = of_each
            .map(|all| median(all).unwrap_or(f64::INFINITY))
            .collect();
        let best = times.iter().copied().fold(f64::INFINITY, f64::min);
        if times[0] > (FACTOR * best).max(SOON) {
            behind.push(name.to_string());
        }
        let cell = |&time: &f64| {
            if time.is_finite() {
                Cell::from(time)
            } else {
                "–".into()
            }
        };
        let mut row: Vec<Cell> = vec![name.as_ref().into()];
        row.extend(times.iter().map(cell));
        report.rows.push(row);
        report.write(&context.out, "planted")?;
    }
    report.remarks.push(match behind.as_slice() {
        [] => "the default finds whatever any of them finds, in at most twice its time".into(),
        names => format!(
            "the default takes more than twice as long as the best: {}",
            names.join(", ")
        ),
    });
    Ok(report)
}
