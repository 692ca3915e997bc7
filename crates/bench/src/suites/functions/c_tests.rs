//! Suite `c-tests`: `polypath test LIB.a --write-tests c` on the C libraries of suite `functions`, and the tests that it writes, run by
//! CTest with the same library built by its own build system, the system's compiler and sanitizers.
//!
//! What each test has to come to was predicted while exploring: a covering one passes, one of an error fails, and one that needs a
//! precondition is skipped, and fails where it is asked for.

use super::table::LIBRARIES;
use super::{Compiler, Library, built};
use crate::tools::Context;
use crate::tools::report::{Cell, Report};
use anyhow::{Context as _, Result, bail};
use oracle::measure::{Usage, measure};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const COLUMNS: [&str; 7] = [
    "library",
    "covering",
    "errors",
    "marked",
    "as predicted",
    "otherwise",
    "CPU s",
];

/// Processor seconds for the functions of a library.
const SECONDS: f64 = 20.0;
/// What the library is built with: sanitizers for what the exploration looks for if nothing is said.
const SANITIZERS: &str = "-fsanitize=address,undefined -fno-sanitize=shift-base,signed-integer-overflow,pointer-overflow";
/// The run looks at how far memcmp reads, and not at all of what it may read, unless `--check memcmp` is given.
const SANITIZER_OPTIONS: &str = "strict_memcmp=0";
/// A build of the tests, or all of them.
const PATIENCE: Duration = Duration::from_secs(900);

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let seconds = context.time.unwrap_or(SECONDS);
    let title = format!(
        "Tests as C, {seconds} CPU s for each library, run with a library that has sanitizers"
    );
    let mut report = Report::new(&title, &COLUMNS);
    report.plotted = vec![4];
    for library in LIBRARIES.iter().filter(|l| context.wants(l.name)) {
        say::err!("c-tests: {}", library.name);
        match written_and_run(context, library, seconds) {
            Ok((counts, cpu_s)) => {
                let lines = counts.otherwise.iter();
                report
                    .remarks
                    .extend(lines.map(|line| format!("{}: {line}", library.name)));
                report.rows.push(row(library.name, &counts, cpu_s));
            }
            Err(error) => {
                let mut row: Vec<Cell> = vec![library.name.into(), "fails".into()];
                row.resize(COLUMNS.len(), Cell::Empty);
                report.rows.push(row);
                report.failures.push(format!("{}: {error:#}", library.name));
            }
        }
        report.write(&context.out, "c-tests")?;
    }
    Ok(report)
}

/// What became of the tests of a library.
#[derive(Debug, Default)]
struct CTestCounts {
    covering: u64,
    errors: u64,
    marked: u64,
    as_predicted: u64,
    /// Those that came to something else, with what that was.
    otherwise: Vec<String>,
}

fn row(name: &'static str, counts: &CTestCounts, cpu_s: f64) -> Vec<Cell> {
    vec![
        name.into(),
        counts.covering.into(),
        counts.errors.into(),
        counts.marked.into(),
        counts.as_predicted.into(),
        Cell::Goal {
            value: counts.otherwise.len() as f64,
            goal: 0.0,
            at_most: true,
        },
        cpu_s.round().into(),
    ]
}

/// Writes the tests of a library and runs them; also the processor seconds that the exploration took.
fn written_and_run(
    context: &Context,
    library: &Library,
    seconds: f64,
) -> Result<(CTestCounts, f64)> {
    let out = context.out.join("c-tests").join(library.name);
    let cpu_s = super::test(context, library, seconds, &["--write-tests", "c"], &out)?;
    let archive = built(context, library, Compiler::Sanitizers(SANITIZERS))?;
    let (tests, dir) = (out.join("c-tests"), out.join("build"));
    done(
        Command::new("cmake")
            .arg("-S")
            .arg(&tests)
            .arg("-B")
            .arg(&dir)
            .arg(format!("-DLIBRARY={};m", archive.display())),
    )?;
    done(
        Command::new("cmake")
            .arg("--build")
            .arg(&dir)
            .args(["--parallel", "2"]),
    )?;
    let labels = labels(&dir)?;
    let mut counts = CTestCounts::default();
    for (name, outcome) in outcomes(&dir, &[])? {
        let label = labels.get(&name).map_or("", String::as_str);
        let (count, wanted) = match label {
            "covering" => (&mut counts.covering, "Passed"),
            "finding" => (&mut counts.errors, "Failed"),
            "finding;precondition" => (&mut counts.marked, "Skipped"),
            _ => bail!("a test with the labels '{label}': {name}"),
        };
        *count += 1;
        counts.held_against(&name, &outcome, wanted);
    }
    // The same where somebody asks for them.
    done(Command::new("cmake").arg("-DMARKED=ON").arg(&dir))?;
    for (name, outcome) in outcomes(&dir, &["-L", "precondition"])? {
        counts.held_against(&name, &outcome, "Failed");
    }
    Ok((counts, cpu_s))
}

impl CTestCounts {
    fn held_against(&mut self, name: &str, outcome: &str, wanted: &str) {
        if outcome == wanted {
            self.as_predicted += 1;
        } else {
            let line = format!("{name}: {outcome} in place of {wanted}");
            self.otherwise.push(line);
        }
    }
}

/// The labels of the tests, by name.
fn labels(dir: &Path) -> Result<HashMap<String, String>> {
    let shown = done(
        Command::new("ctest")
            .arg("--test-dir")
            .arg(dir)
            .arg("--show-only=json-v1"),
    )?;
    let all: Value = serde_json::from_slice(&shown.stdout)?;
    let tests = all["tests"].as_array().context("ctest lists no tests")?;
    let of = |test: &Value| {
        let properties = test["properties"].as_array()?;
        let labels = properties.iter().find(|p| p["name"] == "LABELS")?;
        let labels = labels["value"].as_array()?.iter();
        let labels: Vec<&str> = labels.filter_map(Value::as_str).collect();
        Some((test["name"].as_str()?.to_owned(), labels.join(";")))
    };
    Ok(tests.iter().filter_map(of).collect())
}

/// How each test ended, in CTest's words.
fn outcomes(dir: &Path, options: &[&str]) -> Result<Vec<(String, String)>> {
    let mut command = Command::new("ctest");
    command.env("ASAN_OPTIONS", SANITIZER_OPTIONS);
    command.arg("--test-dir").arg(dir).args(["-j", "2"]);
    let ran = measure(command.args(options), PATIENCE)?;
    // 8: some tests failed.
    if ran.timed_out || !matches!(ran.code(), 0 | 8) {
        bail!("ctest: exit {}: {}", ran.code(), ran.last_words());
    }
    let text = String::from_utf8_lossy(&ran.stdout);
    let outcome = |line: &str| {
        let (_, rest) = line.split_once(" Test ")?;
        let (_, rest) = rest.split_once(": ")?;
        let (name, rest) = rest.split_once(' ')?;
        let outcome = rest.trim_start_matches(['.', ' ', '*']);
        let outcome = outcome.split_whitespace().next()?;
        Some((name.to_owned(), outcome.to_owned()))
    };
    Ok(text.lines().filter_map(outcome).collect())
}

/// Runs a command that has to succeed.
fn done(command: &mut Command) -> Result<Usage> {
    let usage = measure(command, PATIENCE)?;
    if usage.timed_out || usage.code() != 0 {
        let words = String::from_utf8_lossy(&usage.stdout).into_owned() + &usage.last_words();
        let lines: Vec<&str> = words.lines().collect();
        let last = lines[lines.len().saturating_sub(25)..].join("\n");
        bail!("{command:?}: exit {}:\n{last}", usage.code());
    }
    Ok(usage)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tests of a library of the suite come to what was predicted.
    fn come_as_predicted(name: &str) {
        if !testkit::need("cmake") || !testkit::need("gcc") {
            return;
        }
        let _limit = testkit::limit();
        let library = LIBRARIES.iter().find(|l| l.name == name);
        let library = library.expect("a library of the suite");
        let scratch = std::env::var_os("POLYPATH_SCRATCH").unwrap_or_else(|| "/tmp".into());
        let binary = std::env::current_exe().expect("this binary");
        let built = binary.ancestors().nth(2).expect("a directory of builds");
        let context = Context {
            polypath: built.join("polypath"),
            out: Path::new(&scratch).join(format!("c-tests-{}-{name}", std::process::id())),
            run_options: vec!["--jobs".into(), "1".into()],
            ..Context::default()
        };
        assert!(
            context.polypath.is_file(),
            "test the whole workspace, or build polypath-cli and polypath-llvm"
        );
        let done = written_and_run(&context, library, 6.0);
        let (counts, _) = match done {
            Ok(done) => done,
            // A mirror is nothing that an installation gives.
            Err(e) if format!("{e:#}").contains(toolchain::libraries::FETCHING) => {
                return testkit::skip(&format!("{name} cannot be fetched: {e:#}"));
            }
            Err(e) => panic!("{e:#}"),
        };
        assert_eq!(counts.otherwise, Vec::<String>::new(), "{counts:?}");
        assert!(counts.covering > 5, "{counts:?}");
        std::fs::remove_dir_all(&context.out).expect("its own directory");
    }

    #[test]
    fn of_libcsv() {
        come_as_predicted("libcsv");
    }

    #[test]
    fn of_http_parser() {
        come_as_predicted("http-parser");
    }

    #[test]
    fn of_libconfig() {
        come_as_predicted("libconfig");
    }

    #[test]
    fn of_mxml() {
        come_as_predicted("mxml");
    }

    #[test]
    fn of_libtasn1() {
        come_as_predicted("libtasn1-6");
    }

    #[test]
    fn of_cjson() {
        come_as_predicted("cjson");
    }
}
