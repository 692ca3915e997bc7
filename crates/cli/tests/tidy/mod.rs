//! Patterns that lose an error without a word do not come back into product code. Each use that stays is in a list,
//! with the reason why nothing is lost by it.

mod blocks;
mod floors;
mod links;

use std::fs;
use std::path::{Path, PathBuf};

/// What a line of product code must not contain, and what it may hide.
const PATTERNS: &[(&str, &str)] = &[
    ("let _ = ", "a result that nobody looks at"),
    (
        "stats.unwrap_or_default()",
        "missing statistics become zeros",
    ),
    (
        "json\").unwrap_or_default()",
        "a damaged file becomes an empty one",
    ),
    (
        "checksum(&bytes).unwrap_or_default()",
        "a missing hash becomes zero",
    ),
    (
        "println!(",
        "a panic when the stream is closed: see crate `say`",
    ),
    (
        "eprint!(",
        "a panic when the stream is closed: see crate `say`",
    ),
    ("Err(_) => {}", "an error that is passed over"),
    (
        "io::stdout()",
        "a write that waits for its reader: see crate `say`",
    ),
    (
        "io::stderr()",
        "a write that waits for its reader: see crate `say`",
    ),
];

/// Uses that stay: part of the file's name, part of the line, why nothing is lost.
const ALLOWED: &[(&str, &str, &str)] = &[
    (
        "",
        "let _ = write",
        "to a String, which cannot fail, or to a stream that nobody reads any more",
    ),
    (
        "",
        "let _ = std::fs::remove_",
        "a temporary or replaced file: one that stays harms nobody",
    ),
    (
        "",
        "let _ = fs::remove_",
        "a temporary or replaced file: one that stays harms nobody",
    ),
    (
        "host/src/shelf.rs",
        "let _ = file.set_len",
        "what stays of a file is written over",
    ),
    (
        "host/src/signals.rs",
        "let _ = WHICH.compare_exchange",
        "another signal came first, and that one counts",
    ),
    (
        "host/src/sweep.rs",
        "let _ = fs::write(&stamp",
        "without a new stamp the directory is only tidied again sooner",
    ),
    (
        "host/src/child.rs",
        "let _ = kill_process",
        "a child, or a group, that is gone already",
    ),
    (
        "fence/src/child.rs",
        "let _ = process::setrlimit",
        "a core file of a process that ends by a signal",
    ),
    ("say/src/", "", "this is the crate that writes"),
    (
        "fence/src/child.rs",
        "let _ = process::kill_process",
        "a process that is gone already",
    ),
    ("/build.rs", "println!(", "cargo reads it"),
    (
        "cli/src/main.rs",
        "let _ = error.print()",
        "usage on a terminal that is gone",
    ),
    (
        "smt/src/limits.rs",
        "Err(_) => {}",
        "the state of a flag, not an error",
    ),
    (
        "smtlib/src/lexer.rs",
        "Err(_) => {}",
        "recovery: the error that led here is reported",
    ),
    (
        "llvm-client/src/cache.rs",
        "let _ = file.set_modified",
        "a date that only orders the cache",
    ),
    (
        "llvm/src/library/mod.rs",
        "let _ = add(",
        "names for a hint: a member without names offers none",
    ),
    (
        "term/src/table.rs",
        "let _ = slots",
        "no result: an argument that one system does not need",
    ),
    (
        "testcase/src/pack.rs",
        "let _ = ",
        "the write itself failed and is reported; readers cope with a torn end",
    ),
    (
        "testcase/src/replay/",
        "let _ = ",
        "the end of a process or a directory that is given up anyway",
    ),
    (
        "room/src/counting.rs",
        "let _ = OPEN.try_with",
        "a thread that ends: what it counted is counted elsewhere",
    ),
    (
        "host/src/stop.rs",
        "let _ = self",
        "the first cause stays: a later one changes nothing",
    ),
    (
        "run/src/jobs/cluster/mod.rs",
        "let _ = self.0.send",
        "a machine that is gone; who reads from it tells so",
    ),
    (
        "run/src/jobs/cluster/hall.rs",
        "let _ = to.into_inner().shutdown",
        "a connection that is closed already",
    ),
    (
        "run/src/jobs/cluster/program.rs",
        "let _ = llvm_client::keep",
        "a program that is not kept is sent again the next time",
    ),
    (
        "fleet/src/net/handshake.rs",
        "let _ = write(stream",
        "who does not hear why it is refused sees the connection closed",
    ),
    (
        "run/src/jobs/local.rs",
        "let _ = self.child.kill",
        "a worker that is dead already; its end is heard in any case",
    ),
    (
        "run/src/progress.rs",
        "io::stderr().is_terminal()",
        "it asks, and writes nothing",
    ),
    (
        "cli/src/cmd/test/target.rs",
        "io::stderr().is_terminal()",
        "it asks, and writes nothing",
    ),
    (
        "cli/src/cmd/replay/status.rs",
        "io::stderr().is_terminal()",
        "it asks, and writes nothing",
    ),
    (
        "cli/src/main.rs",
        "io::stderr().is_terminal()",
        "it asks, and writes nothing",
    ),
    (
        "host/src/suspend.rs",
        "let _ = kill_process(pid, Signal::CONT)",
        "a process that has ended meanwhile",
    ),
    (
        "fence/src/launch.rs",
        "io::stdout()",
        "the reader is the process that started this one",
    ),
];

/// Directories of crates whose code is for experiments only.
const EXPERIMENTS: &[&str] = &[
    "crates/bench/",
    "crates/oracle/",
    "crates/testkit/",
    "/benches/",
    "/examples/",
    "/tests/",
    "/tests.rs",
];

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && path.file_name().is_some_and(|n| n != "target") {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the workspace")
}

/// Product code of a file: what stands before its unit tests, without comments.
fn product(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..)
        .zip(text.lines())
        .take_while(|(_, line)| line.trim() != "#[cfg(test)]")
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
}

#[test]
fn no_error_is_dropped_without_a_reason() {
    let root = root();
    let mut files = Vec::new();
    sources(&root.join("crates"), &mut files);
    let mut wrong = Vec::new();
    for path in files {
        let name = path
            .strip_prefix(&root)
            .expect("inside")
            .display()
            .to_string();
        if EXPERIMENTS.iter().any(|e| name.contains(e)) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("text");
        for (number, line) in product(&text) {
            let Some((pattern, risk)) = PATTERNS.iter().find(|(p, _)| line.contains(p)) else {
                continue;
            };
            let allowed =
                |(file, part, _): &&(&str, &str, &str)| name.contains(file) && line.contains(part);
            if !ALLOWED.iter().any(|a| allowed(&a)) {
                wrong.push(format!(
                    "{name}:{number}: `{pattern}` hides {risk}: {}",
                    line.trim()
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} places:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn each_use_that_stays_exists() {
    let root = root();
    let mut files = Vec::new();
    sources(&root.join("crates"), &mut files);
    let all: Vec<(String, String)> = files
        .iter()
        .map(|f| {
            (
                f.display().to_string(),
                fs::read_to_string(f).expect("text"),
            )
        })
        .collect();
    for (file, part, _) in ALLOWED {
        let found = |(name, text): &(String, String)| name.contains(file) && text.contains(part);
        assert!(
            all.iter().any(found),
            "`{part}` is in no file like `{file}`: remove its row"
        );
    }
}

#[test]
fn every_file_of_tests_is_compiled() {
    for entry in fs::read_dir(root().join("crates")).expect("crates") {
        let tests = entry.expect("an entry").path().join("tests");
        let Ok(main) = fs::read_to_string(tests.join("main.rs")) else {
            continue;
        };
        let lines: Vec<&str> = main.lines().collect();
        for entry in fs::read_dir(&tests).expect("tests") {
            let path = entry.expect("an entry").path();
            let is_module =
                path.join("mod.rs").exists() || path.extension().is_some_and(|e| e == "rs");
            let stem = path.file_stem().expect("a name").to_string_lossy();
            assert!(
                !is_module || stem == "main" || lines.contains(&&*format!("mod {stem};")),
                "{} has no line for {stem}: its tests do not run",
                tests.join("main.rs").display()
            );
        }
    }
}

#[test]
fn every_crate_denies_printing() {
    let crates = root().join("crates");
    for entry in fs::read_dir(crates).expect("crates") {
        let dir = entry.expect("an entry").path();
        let main = ["src/lib.rs", "src/main.rs"].map(|f| dir.join(f));
        if dir.ends_with("say") {
            continue;
        }
        for file in main.iter().filter(|f| f.exists()) {
            let text = fs::read_to_string(file).expect("text");
            assert!(
                text.contains("deny(clippy::print_stdout, clippy::print_stderr)"),
                "{}: add #![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]",
                file.display()
            );
        }
    }
}

/// `cargo test` runs the examples in documentation crate by crate, and takes seconds for each. So only crates that have examples ask for
/// it, and those do.
#[test]
fn examples_in_documentation_are_run() {
    let mut all = 0;
    for entry in fs::read_dir(root().join("crates")).expect("crates") {
        let place = entry.expect("an entry").path();
        if !place.join("src/lib.rs").is_file() {
            continue;
        }
        let mut files = Vec::new();
        sources(&place.join("src"), &mut files);
        let examples = files.iter().map(|file| {
            let text = fs::read_to_string(file).expect("text");
            let lines = text.lines().map(str::trim_start);
            let fences = lines.filter(|l| l.starts_with("//! ```") || l.starts_with("/// ```"));
            let opening = fences.step_by(2).map(|l| l[4..].trim_start_matches('`'));
            opening
                .filter(|kind| matches!(*kind, "" | "rust" | "should_panic" | "no_run"))
                .count()
        });
        let examples: usize = examples.sum();
        let manifest = fs::read_to_string(place.join("Cargo.toml")).expect("a manifest");
        let are_run = !manifest.contains("doctest = false");
        assert_eq!(examples > 0, are_run, "{}: {examples}", place.display());
        all += examples;
    }
    assert!(all > 0, "no example was found");
}
