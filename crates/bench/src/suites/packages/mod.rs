//! Suite `packages`: Debian source packages as they are, each built by its own build system under `polypath build`, its program
//! explored for some seconds and the tests replayed.
//!
//! A row of [`table`] names everything. Trees are kept in the cache and built once for a row and a C library.

pub mod table;

use crate::tools::debian::{self, Compiler, DebianSource};
use crate::tools::report::{Cell, Report};
use crate::tools::{Context, fresh_dir};
use anyhow::{Context as _, Result};
use oracle::measure::measure;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use table::{PACKAGES, Package};
use testcase::Run;

const COLUMNS: [&str; 11] = [
    "package",
    "build s",
    "paths",
    "branches %",
    "lines %",
    "tests",
    "differ natively",
    "diverge",
    "errors",
    "confirmed",
    "left out",
];

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let seconds = context.time.unwrap_or(20.0);
    let title = format!("Debian source packages, explored for {seconds} CPU s each");
    let mut report = Report::new(&title, &COLUMNS);
    report.plotted = vec![3, 4];
    for package in PACKAGES.iter().filter(|p| context.wants(p.name)) {
        say::err!("packages: {}", package.name);
        match tree(context, package) {
            Ok((tree, build_s)) => {
                let row = explore(context, package, &tree, build_s, seconds, &mut report)?;
                report.rows.push(row);
            }
            Err(error) => {
                report.failures.push(format!("{}: {error:#}", package.name));
                report.rows.push(failed_row(package.name, "fails".into()));
            }
        }
        // What is there so far, should a long experiment be interrupted.
        report.write(&context.out, "packages")?;
    }
    let built = report
        .rows
        .iter()
        .filter(|r| matches!(r[1], Cell::Number(_)));
    let remark = format!("{} of {} packages build", built.count(), report.rows.len());
    report.remarks.insert(0, remark);
    Ok(report)
}

/// The row of a package of which nothing beyond its build is known.
fn failed_row(name: &str, build: Cell) -> Vec<Cell> {
    let mut row = vec![name.into(), build];
    row.resize(COLUMNS.len(), Cell::Empty);
    row
}

/// The built tree, and how many seconds its build took.
fn tree(context: &Context, package: &Package) -> Result<(PathBuf, f64)> {
    let sysroot = toolchain::sysroot::ensure(&mut |text| say::err!("packages: {text}"))?;
    let source = DebianSource {
        name: package.name,
        folder: "packages",
        libraries: package.libraries,
        steps: &[("configure", package.configure), ("make", package.make)],
        compiler: Compiler::Polypath,
        product: package.program,
        key: &package.build_key(&sysroot.root),
    };
    debian::built(context, &source)
}

/// Runs the program and replays the tests; the table's row.
fn explore(
    context: &Context,
    package: &Package,
    tree: &Path,
    build_s: f64,
    seconds: f64,
    report: &mut Report,
) -> Result<Vec<Cell>> {
    let binary = tree.join(package.program);
    let out = context.out.join("runs").join(package.name);
    fresh_dir(&out)?;
    let named = |option: &&str| option.replace("{tree}", &tree.display().to_string());
    let given: Vec<String> = package.options.iter().map(named).collect();
    let at = given.iter().position(|o| o == "--");
    let (options, arguments) = given.split_at(at.unwrap_or(given.len()));
    let wall_s = 900.0 + 10.0 * seconds;
    let mut command = Command::new(&context.polypath);
    command
        .args(["run", "--quiet", "--tests", "new", "--memory", "2000"])
        // Processor seconds: the machine may be busy. The wall only bounds a run that sleeps; translating a large program,
        // which is done once, counts there, too.
        .args(["--cpu-time", &seconds.to_string()])
        .args(["--time", &wall_s.to_string()])
        .args(&context.run_options)
        .arg("--out")
        .arg(&out)
        .arg(&binary)
        .args(options)
        .args(arguments);
    let usage = measure(&mut command, Duration::from_secs_f64(wall_s + 300.0))?;
    let name = package.name;
    if usage.timed_out || !matches!(usage.code(), 0 | 1 | 4) {
        let words = usage.last_words();
        report
            .failures
            .push(format!("{name}: run: exit {}: {words}", usage.code()));
    }
    let (run, stats) = match Run::read(&out).and_then(Run::whole) {
        Ok(whole) => whole,
        // Zeros would look like a run that found nothing.
        Err(error) => {
            report.failures.push(format!("{name}: {error:#}"));
            return Ok(failed_row(name, build_s.into()));
        }
    };
    let replay = replay(context, &out, &binary)
        .map_err(|error| report.failures.push(format!("{name}: replay: {error:#}")))
        .unwrap_or_default();
    let errors: Vec<_> = run
        .errors
        .iter()
        .filter(|e| e.kind.is_program_error())
        .collect();
    for error in &errors {
        report.remarks.push(format!(
            "{name}: {} at {}:{} in {}: {}",
            error.kind.id(),
            error.file,
            error.line,
            error.function,
            error.message
        ));
    }
    let percent = |part: u64, all: u64| 100.0 * part as f64 / all.max(1) as f64;
    let left_out = stats.halted.clone().unwrap_or_else(|| "nothing".into());
    Ok(vec![
        name.into(),
        build_s.into(),
        (stats.completed_paths + stats.partial_paths).into(),
        percent(stats.covered_branches, stats.total_branches).into(),
        percent(stats.covered_lines, stats.total_lines).into(),
        (run.tests.len() as u64).into(),
        replay.different.into(),
        replay.diverged.into(),
        (errors.len() as u64).into(),
        replay.confirmed.into(),
        left_out.into(),
    ])
}

/// What a replay found, in numbers.
#[derive(Default)]
struct Replayed {
    different: u64,
    diverged: u64,
    confirmed: u64,
}

fn replay(context: &Context, out: &Path, binary: &Path) -> Result<Replayed> {
    let mut command = Command::new(&context.polypath);
    command.arg("replay").arg(out).arg("--").arg(binary);
    let usage = measure(&mut command, Duration::from_secs(900))?;
    let text = fs::read_to_string(out.join("replay.json"))
        .with_context(|| format!("exit {}: {}", usage.code(), usage.last_words()))?;
    let value: serde_json::Value = serde_json::from_str(&text)?;
    let totals = |name: &str| -> Result<BTreeMap<String, u64>> {
        Ok(serde_json::from_value(value[name].clone())?)
    };
    let different = totals("totals")?
        .iter()
        .filter(|(name, _)| matches!(name.as_str(), "different output" | "different exit"))
        .map(|(_, n)| n)
        .sum();
    let confirmed = totals("error_totals")?.get("confirmed").copied();
    Ok(Replayed {
        different,
        diverged: value["divergences"]
            .as_array()
            .map_or(0, |d| d.len() as u64),
        confirmed: confirmed.unwrap_or(0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_named_once_and_their_libraries_can_be_added() {
        for package in PACKAGES {
            let same = PACKAGES.iter().filter(|p| p.name == package.name);
            assert_eq!(same.count(), 1, "{}", package.name);
            for library in package.libraries {
                let known = toolchain::libraries::recipes::by_name(library);
                assert!(known.is_some(), "{}: {library}", package.name);
            }
        }
        assert!(PACKAGES.len() >= 20);
    }
}
