//! Suite `functions`: C libraries from Debian source packages, built by their own build systems, whose public functions are explored
//! by `polypath test LIB.a`, and Java libraries, whose public methods are by `polypath java test`. Each finding is marked (*precondition likely*), or it is real, or it is our fault: a list of verdicts says
//! which.

pub mod c_tests;
mod java;
mod table;
mod verdicts;

use crate::tools::debian::{self, Compiler, DebianSource};
use crate::tools::report::{Cell, Report};
use crate::tools::{Context, fresh_dir};
use anyhow::{Context as _, Result, bail};
use java::JavaLibrary;
use oracle::measure::measure;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use table::{LIBRARIES, Library};
use verdicts::{Judged, Verdict};

const COLUMNS: [&str; 13] = [
    "library",
    "functions",
    "explored",
    "covered",
    "branches",
    "errors",
    "marked",
    "conditions",
    "unmarked",
    "real",
    "false",
    "not judged",
    "CPU s",
];

/// Processor seconds for the functions of a library.
const SECONDS: f64 = 40.0;

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let seconds = context.time.unwrap_or(SECONDS);
    let title = format!(
        "All public functions of C and Java libraries, {seconds} CPU s for each (Java: seconds by the clock, and lines for branches)"
    );
    let mut report = Report::new(&title, &COLUMNS);
    report.plotted = vec![7, 8];
    let known = verdicts::list()?;
    let c = LIBRARIES.iter().map(TestedLibrary::C);
    let java = java::LIBRARIES.iter().map(TestedLibrary::Java);
    for library in c.chain(java).filter(|l| context.wants(l.name())) {
        let name = library.name();
        say::err!("functions: {name}");
        let of_library: Vec<&Judged<'_>> = known.iter().filter(|j| j.library == name).collect();
        match library.explore(context, seconds) {
            Ok((tested, cpu_s)) => {
                let findings = Findings::of(&tested, &of_library);
                let remarks = findings.remarks.iter();
                report
                    .remarks
                    .extend(remarks.map(|text| format!("{name}: {text}")));
                report.rows.push(row(name, &tested, &findings, cpu_s));
            }
            Err(error) => {
                let mut row: Vec<Cell> = vec![name.into(), "fails".into()];
                row.resize(COLUMNS.len(), Cell::Empty);
                report.rows.push(row);
                report.failures.push(format!("{name}: {error:#}"));
            }
        }
        // What is there so far, should a long experiment be interrupted.
        report.write(&context.out, "functions")?;
    }
    Ok(report)
}

/// A library of the suite.
#[derive(Clone, Copy, Debug)]
enum TestedLibrary {
    C(&'static Library),
    Java(&'static JavaLibrary),
}

impl TestedLibrary {
    fn name(self) -> &'static str {
        match self {
            TestedLibrary::C(library) => library.name,
            TestedLibrary::Java(library) => library.name,
        }
    }

    /// What is found in so many seconds, and how many processor seconds that took.
    fn explore(self, context: &Context, seconds: f64) -> Result<(Value, f64)> {
        match self {
            TestedLibrary::C(library) => explore(context, library, seconds),
            TestedLibrary::Java(library) => java::explore(context, library, seconds),
        }
    }
}

/// What `polypath test` says of a library (`test.json`), and its processor seconds.
fn explore(context: &Context, library: &Library, seconds: f64) -> Result<(Value, f64)> {
    let out = context.out.join("functions").join(library.name);
    let cpu_s = test(context, library, seconds, &[], &out)?;
    Ok((read(&out.join("test.json"))?, cpu_s))
}

/// Runs `polypath test` with these options, `seconds` of processor time for all functions; the processor seconds that it took.
fn test(
    context: &Context,
    library: &Library,
    seconds: f64,
    options: &[&str],
    out: &Path,
) -> Result<f64> {
    let archive = built(context, library, Compiler::Polypath)?;
    fresh_dir(out)?;
    let mut command = Command::new(&context.polypath);
    command
        .args(["test", "--no-replay"])
        .arg(archive)
        .arg("--cpu-time")
        .arg(seconds.to_string())
        .arg("--out")
        .arg(out);
    if let Some(header) = library.header {
        command.args(["--header", header]);
    }
    command.args(options);
    command.args(["--", "--memory", "2000"]);
    command.args(&context.run_options);
    // The machine may be busy.
    let usage = measure(
        &mut command,
        Duration::from_secs_f64(900.0 + 20.0 * seconds),
    )?;
    if usage.timed_out || usage.code() > 1 {
        bail!("exit {}: {}", usage.code(), usage.last_words());
    }
    Ok(usage.cpu_s)
}

/// The archive of a library that its own build system made so.
fn built(context: &Context, library: &Library, compiler: Compiler) -> Result<PathBuf> {
    let (folder, key) = match compiler {
        Compiler::Polypath => {
            let sysroot = toolchain::sysroot::ensure(&mut |text| say::err!("functions: {text}"))?;
            ("functions", sysroot.root.display().to_string())
        }
        Compiler::Sanitizers(flags) => ("functions-sanitized", flags.to_owned()),
    };
    let source = DebianSource {
        name: library.name,
        folder,
        libraries: &[],
        steps: &[("build", library.build)],
        compiler,
        product: library.archive,
        key: &format!("{} {key}", library.build),
    };
    let (tree, _) = debian::built(context, &source)?;
    Ok(tree.join(library.archive))
}

fn read(path: &Path) -> Result<Value> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(serde_json::from_str(&text)?)
}

/// The errors of a library by what they are.
#[derive(Debug, Default)]
struct Findings {
    marked: u64,
    /// What the marked ones need, each once.
    conditions: BTreeSet<String>,
    real: u64,
    wrong: u64,
    not_judged: u64,
    /// A line for each unmarked one, and for each known real one that was not found.
    remarks: Vec<String>,
}

impl Findings {
    fn of(tested: &Value, known: &[&Judged<'_>]) -> Findings {
        let mut findings = Findings::default();
        let mut found: Vec<&Judged<'_>> = Vec::new();
        for error in tested["errors"].as_array().into_iter().flatten() {
            let word = |key: &str| error[key].as_str().unwrap_or("?");
            if !error["precondition"].is_null() {
                findings.marked += 1;
                let needed = error["made_up"].as_str();
                let needed = needed.unwrap_or_else(|| word("precondition"));
                let condition = format!("{} {needed}", word("kind"));
                findings.conditions.insert(condition);
                continue;
            }
            let (kind, function) = (word("kind"), word("function"));
            let place = verdicts::place(word("file"), error["line"].as_u64().unwrap_or(0));
            let is_it =
                |j: &&&Judged<'_>| (j.kind, j.function, j.place) == (kind, function, &place[..]);
            let judged = known.iter().find(is_it).copied();
            let verdict = match judged.map(|j| j.verdict) {
                Some(Verdict::Real) => {
                    findings.real += 1;
                    "real"
                }
                Some(Verdict::False) => {
                    findings.wrong += 1;
                    "false"
                }
                None => {
                    findings.not_judged += 1;
                    "not judged"
                }
            };
            found.extend(judged);
            let targets = error["targets"].as_array().into_iter().flatten();
            let targets: Vec<&str> = targets.filter_map(Value::as_str).collect();
            let reason = judged.map_or(word("message"), |j| j.reason);
            findings.remarks.push(format!(
                "{verdict}: {kind} at {place} in {function} (by {}): {reason}",
                targets.join(", ")
            ));
        }
        let is_missed = |j: &&&Judged<'_>| {
            j.verdict == Verdict::Real && !found.iter().any(|f| std::ptr::eq(*f, **j))
        };
        for judged in known.iter().filter(is_missed) {
            findings.remarks.push(format!(
                "real, but not found or marked this time: {} at {} in {}",
                judged.kind, judged.place, judged.function
            ));
        }
        findings
    }

    fn unmarked(&self) -> u64 {
        self.real + self.wrong + self.not_judged
    }
}

fn row(name: &'static str, tested: &Value, findings: &Findings, cpu_s: f64) -> Vec<Cell> {
    let targets = tested["targets"].as_array();
    let count = |is: &dyn Fn(&&Value) -> bool| targets.into_iter().flatten().filter(is).count();
    let number = |key: &str| tested[key].as_u64().unwrap_or(0);
    vec![
        name.into(),
        (count(&|_| true) as u64).into(),
        (count(&|t| !t["tests"].is_null()) as u64).into(),
        number("covered_branches").into(),
        number("total_branches").into(),
        (findings.marked + findings.unmarked()).into(),
        findings.marked.into(),
        (findings.conditions.len() as u64).into(),
        findings.unmarked().into(),
        findings.real.into(),
        Cell::Goal {
            value: findings.wrong as f64,
            goal: 0.0,
            at_most: true,
        },
        findings.not_judged.into(),
        cpu_s.round().into(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn unmarked_errors_are_counted_by_their_verdicts() {
        let judged = |place, verdict| Judged {
            library: "l",
            kind: "null",
            function: "f",
            place,
            verdict,
            reason: "why",
        };
        let known = [
            judged("f.c:1", Verdict::Real),
            judged("f.c:2", Verdict::False),
            judged("f.c:9", Verdict::Real),
        ];
        let error = |line: u64, precondition: Value| {
            json!({
                "kind": "null", "function": "f", "file": "/x/f.c", "line": line, "message": "read",
                "precondition": precondition, "targets": ["g"],
            })
        };
        let none = Value::Null;
        let tested = json!({"errors": [
            error(1, none.clone()), error(2, none.clone()), error(3, none), error(9, json!("p is null")),
        ]});
        let findings = Findings::of(&tested, &known.iter().collect::<Vec<_>>());
        let numbers = (
            findings.marked,
            findings.real,
            findings.wrong,
            findings.not_judged,
        );
        assert_eq!(numbers, (1, 1, 1, 1));
        let remarks = [
            "real: null at f.c:1 in f (by g): why",
            "false: null at f.c:2 in f (by g): why",
            "not judged: null at f.c:3 in f (by g): read",
            "real, but not found or marked this time: null at f.c:9 in f",
        ];
        assert_eq!(findings.remarks, remarks);
    }
}
