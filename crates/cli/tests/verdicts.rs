//! Small programs with known verdicts: what a run reports, and what it claims to have explored.
//!
//! Programs are discovered by directory: `tests/verdicts/FAMILY/NAME.c` (or `.cpp`). A program says what is to
//! be found in it:
//!
//! - `//~ KIND` at the end of a line: an error of this kind is reported at this line. The reported errors
//!   (kind, line) equal the markers, no more and no fewer; without a marker nothing is reported.
//! - `// run: OPTIONS -- ARGS`: options and arguments of `polypath run`.
//! - `// halted: TEXT`: something is left out, and its reason has TEXT in it (may stand several times).
//!   Without it the run has to claim that everything was explored.
//! - `// message: TEXT`: the message of some error has TEXT in it (may stand several times).
//! - `// status: N`: the exit status, if it is neither 1 (with markers) nor 0 (without; 4 if no path was
//!   explored to its end).
//!
//! Directives stand in lines of their own before the first line of code. `POLYPATH_ONLY=FAMILY/` or
//! `FAMILY/NAME` picks some.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use testkit::{Place, engine, in_parallel};

/// No program of the suite may take longer.
const SECONDS: &str = "60";

/// Errors by kind and line.
type Found = BTreeSet<(String, u64)>;

/// What a program says of itself.
#[derive(Debug, Default, PartialEq)]
struct Verdict {
    options: Vec<String>,
    args: Vec<String>,
    errors: Found,
    halted: Vec<String>,
    messages: Vec<String>,
    status: Option<i32>,
}

/// What a run said.
#[derive(Debug, Default)]
struct Outcome {
    errors: Found,
    messages: Vec<String>,
    halted: Option<String>,
    /// No path was explored to its end.
    is_empty: bool,
    status: Option<i32>,
}

fn parse(source: &str) -> Result<Verdict, String> {
    let mut verdict = Verdict::default();
    for (number, line) in (1..).zip(source.lines()) {
        if let Some((_, kinds)) = line.split_once("//~") {
            for kind in kinds.split_whitespace() {
                verdict.errors.insert((kind.to_string(), number));
            }
            continue;
        }
        let Some((key, value)) = line
            .strip_prefix("// ")
            .and_then(|rest| rest.split_once(": "))
        else {
            continue;
        };
        let value = value.trim();
        match key {
            "run" => {
                let mut words = value.split_whitespace().map(str::to_string);
                verdict.options = words.by_ref().take_while(|w| w != "--").collect();
                verdict.args = words.collect();
            }
            "halted" => verdict.halted.push(value.to_string()),
            "message" => verdict.messages.push(value.to_string()),
            "status" => {
                let status = value.parse();
                verdict.status = Some(status.map_err(|e| format!("status {value}: {e}"))?);
            }
            _ => {}
        }
    }
    Ok(verdict)
}

/// What is wrong with an outcome, in words.
fn judge(verdict: &Verdict, outcome: &Outcome) -> Vec<String> {
    let mut wrong = Vec::new();
    for (kind, line) in verdict.errors.difference(&outcome.errors) {
        wrong.push(format!("missed: {kind} at line {line}"));
    }
    for (kind, line) in outcome.errors.difference(&verdict.errors) {
        wrong.push(format!("false alarm: {kind} at line {line}"));
    }
    match &outcome.halted {
        None if !verdict.halted.is_empty() => {
            wrong.push("claims that everything was explored".to_string());
        }
        Some(why) if verdict.halted.is_empty() => wrong.push(format!("left out: {why}")),
        Some(why) => {
            let unnamed = verdict.halted.iter().filter(|text| !why.contains(*text));
            wrong.extend(unnamed.map(|text| format!("left out without `{text}`: {why}")));
        }
        None => {}
    }
    for text in &verdict.messages {
        if !outcome.messages.iter().any(|m| m.contains(text)) {
            wrong.push(format!("no message with `{text}`: {:?}", outcome.messages));
        }
    }
    let by_rule = match (verdict.errors.is_empty(), outcome.halted.is_some()) {
        (false, _) => 1,
        (true, true) if outcome.is_empty => 4,
        (true, _) => 0,
    };
    let expected = verdict.status.unwrap_or(by_rule);
    if outcome.status != Some(expected) {
        wrong.push(format!("exit status {:?}, not {expected}", outcome.status));
    }
    wrong
}

fn json(path: &Path) -> Result<serde_json::Value, String> {
    let text = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    serde_json::from_slice(&text).map_err(|e| format!("{}: {e}", path.display()))
}

fn explore(place: &Place, source: &Path, verdict: &Verdict, out: &Path) -> Result<Outcome, String> {
    let mut command = place.command();
    command.args(["run", "--quiet", "--out"]).arg(out);
    let given = |option: &str| verdict.options.iter().any(|o| o == option);
    if !given("--time") {
        command.args(["--time", SECONDS]);
    }
    if !given("--tests") {
        command.arg("--no-tests");
    }
    command.args(&verdict.options).arg(source);
    if !verdict.args.is_empty() {
        command.arg("--").args(&verdict.args);
    }
    let output = command.output().map_err(|e| e.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let told = |what: String| format!("{what}\n{said}");
    let stats = json(&out.join("stats.json")).map_err(told)?;
    let errors = json(&out.join("errors.json")).map_err(told)?;
    let mut outcome = Outcome {
        halted: stats["halted"].as_str().map(str::to_string),
        is_empty: stats["completed_paths"] == 0,
        status: output.status.code(),
        ..Outcome::default()
    };
    let file = source.file_name().unwrap_or_default().to_string_lossy();
    for error in errors
        .as_array()
        .ok_or("errors.json is no list".to_string())?
    {
        let text = |key: &str| error[key].as_str().unwrap_or_default().to_string();
        outcome.messages.push(text("message"));
        // What Polypath cannot execute is a loss, not an error.
        if text("kind") == "unsupported" {
            continue;
        }
        let here = Path::new(&text("file"))
            .file_name()
            .is_some_and(|f| *f == *file);
        let line = error["line"].as_u64().filter(|_| here).unwrap_or(0);
        outcome.errors.insert((text("kind"), line));
    }
    Ok(outcome)
}

fn check(place: &Place, root: &Path, source: &Path) -> Vec<String> {
    let name = source
        .strip_prefix(root)
        .unwrap_or(source)
        .to_string_lossy();
    let out = place.join(name.replace(['/', '.'], "-"));
    let judged = std::fs::read_to_string(source)
        .map_err(|e| e.to_string())
        .and_then(|text| parse(&text))
        .and_then(|verdict| Ok(judge(&verdict, &explore(place, source, &verdict, &out)?)));
    let _ = std::fs::remove_dir_all(&out);
    judged
        .unwrap_or_else(|e| vec![e])
        .into_iter()
        .map(|what| format!("{name}: {what}"))
        .collect()
}

/// All programs below `dir`, by name.
fn programs(dir: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|e| e == "c" || e == "cpp") {
            found.push(path);
        }
    }
}

#[test]
fn programs_get_the_verdicts_that_they_name() {
    let Some(place) = engine!("programs") else {
        return;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/verdicts");
    let root = root.canonicalize().expect("tests/verdicts");
    let mut all = Vec::new();
    programs(&root, &mut all);
    all.sort();
    let only = std::env::var("POLYPATH_ONLY").unwrap_or_default();
    all.retain(|p| {
        p.strip_prefix(&root)
            .is_ok_and(|p| p.to_string_lossy().starts_with(&only))
    });
    assert!(!all.is_empty(), "no program begins with {only}");

    in_parallel(&all, |source| check(&place, &root, source));
}

#[test]
fn a_wrong_verdict_is_seen() {
    let source = "// run: --check leak -- a b\n// halted: forks\nint x; //~ null leak\n";
    let verdict = parse(source).expect("a verdict");
    assert_eq!(verdict.options, ["--check", "leak"]);
    assert_eq!(verdict.args, ["a", "b"]);
    let right = || Outcome {
        errors: verdict.errors.clone(),
        halted: Some("3 forks limited".into()),
        status: Some(1),
        ..Outcome::default()
    };
    assert_eq!(judge(&verdict, &right()), Vec::<String>::new());
    let mut missed = right();
    missed.errors.pop_first();
    assert_eq!(judge(&verdict, &missed), ["missed: leak at line 3"]);
    let mut alarm = right();
    alarm.errors.insert(("null".into(), 9));
    assert_eq!(judge(&verdict, &alarm), ["false alarm: null at line 9"]);
    let claim = Outcome {
        halted: None,
        ..right()
    };
    assert_eq!(judge(&verdict, &claim).len(), 1);
    let unnamed = Outcome {
        halted: Some("time limit".into()),
        ..right()
    };
    assert_eq!(judge(&verdict, &unnamed).len(), 1);
    let failed = Outcome {
        status: Some(3),
        ..right()
    };
    assert_eq!(judge(&verdict, &failed).len(), 1);
}
