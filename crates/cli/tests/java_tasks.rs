//! Tasks in the form of SV-COMP: does an assertion fail for some input? Each class in `tests/java/tasks` says above its head
//! what is true: `// holds`, `// fails`, or `// holds, not shown` where the run must admit that it left something out. No verdict may be wrong.
//!
//! Each twelfth task runs; all of them with `POLYPATH_JAVA_TASKS=all`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::{Place, place};

/// A task: the class, and the truth.
struct Task {
    class: String,
    truth: String,
}

fn sources() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/java/tasks");
    let mut all: Vec<PathBuf> = fs::read_dir(dir)
        .expect("tasks")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.is_file())
        .collect();
    all.sort();
    all
}

fn tasks(source: &Path) -> Vec<Task> {
    let text = fs::read_to_string(source).expect("a program");
    let outer = source.file_stem().expect("a name").to_str().expect("text");
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let named = lines.windows(2).filter_map(|pair| {
        let truth = pair[0].strip_prefix("// ")?;
        let class = pair[1].strip_prefix("static class ")?.strip_suffix(" {")?;
        Some(Task {
            class: format!("{outer}.{class}"),
            truth: truth.to_string(),
        })
    });
    named.collect()
}

/// The method that runs a task.
fn entry(task: &Task) -> String {
    task.class.replace('.', "_")
}

fn compile(place: &Place, tasks: &[Task]) {
    let mut calls = String::from("class Tasks {\n");
    for task in tasks {
        let (name, class) = (entry(task), &task.class);
        // What is thrown and not declared stays an error when it is passed on.
        writeln!(
            calls,
            "static void {name}() {{ try {{ {class}.main(null); }} catch (RuntimeException e) {{ throw e; }} \
             catch (Exception e) {{ throw new IllegalStateException(e); }} }}"
        )
        .expect("string");
    }
    calls.push_str("}\n");
    fs::write(place.join("Tasks.java"), calls).expect("a file");
    let input = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/java/tasks/org/sosy_lab/sv_benchmarks/Verifier.java");
    let mut command = testkit::java::javac();
    command.arg("-g").arg("-d").arg(place.join("classes"));
    command
        .args(sources())
        .arg(input)
        .arg(place.join("Tasks.java"));
    assert!(command.status().expect("javac").success());
}

/// What a run says: that the assertion fails, that it holds, or neither.
fn verdict(place: &Place, task: &Task) -> &'static str {
    let out = entry(task);
    let mut command = Command::new(env!("CARGO_BIN_EXE_polypath"));
    command.current_dir(&**place);
    command.args(["java", "run", "classes", "--entry", &format!("Tasks.{out}")]);
    // One that goes on for ever ends by its steps, one that waits by the clock. The time of the whole is that of the processor, which
    // depends less on what else the machine does.
    command.args(["--out", &out, "--cpu-time", "20", "--time", "300"]);
    command.args(["--run-time", "2"]);
    let ran = command.output().expect("polypath");
    let said = String::from_utf8_lossy(&ran.stderr);
    let read = |name: &str| -> serde_json::Value {
        let text = fs::read(place.join(&out).join(name));
        let text = text.unwrap_or_else(|e| panic!("{}: {e}\n{said}", task.class));
        serde_json::from_slice(&text).expect("JSON")
    };
    let stats = read("stats.json");
    let errors = read("errors.json");
    let errors = errors.as_array().expect("a list");
    if errors.iter().any(|e| e["kind"] == "assert") {
        "fails"
    } else if stats["halted"].is_null() && errors.is_empty() {
        "holds"
    } else {
        "unknown"
    }
}

#[test]
fn no_verdict_is_wrong() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("tasks");
    let all: Vec<Task> = sources().iter().flat_map(|s| tasks(s)).collect();
    assert!(all.len() >= 200, "{} tasks", all.len());
    compile(&place, &all);
    let wants_all = std::env::var_os("POLYPATH_JAVA_TASKS").is_some_and(|v| v == "all");
    let step = if wants_all { 1 } else { 12 };
    let (mut wrong, mut undecided, mut tried) = (Vec::new(), Vec::new(), 0);
    for task in all.iter().step_by(step) {
        let expected = match task.truth.as_str() {
            "holds" | "fails" => &task.truth,
            "holds, not shown" => "unknown",
            other => panic!("{}: '{other}' is no truth", task.class),
        };
        let said = verdict(&place, task);
        tried += 1;
        let words = format!("{} {}, said {said}", task.class, task.truth);
        match said {
            _ if said == expected => {}
            // The time was over: a slow machine, and a build with checks.
            "unknown" => undecided.push(words),
            _ => wrong.push(words),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let most = tried / 10;
    assert!(undecided.len() <= most, "of {tried}: {undecided:#?}");
}

/// All of these run: among others they could all be left open, and nobody would see it.
#[test]
fn assertions_about_functions_and_digits_are_decided() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("functions");
    let source = sources();
    let source = source.iter().find(|s| s.ends_with("Functions.java"));
    let all = tasks(source.expect("Functions.java"));
    compile(&place, &all);
    for task in &all {
        let expected = task.truth.replace("holds, not shown", "unknown");
        assert_eq!(verdict(&place, task), expected, "{}", task.class);
    }
}
