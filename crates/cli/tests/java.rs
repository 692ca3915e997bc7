//! Small Java programs against brute force: each `tests/java/paths/NAME.java` has a method `path` with at most 16 bits of
//! input, whose result names its path. A plain JVM calls it with all values.
//!
//! The first line says what the run is to claim: `// complete` (then its outcomes are all that there are), or `// loses` (then it
//! must not claim to be complete, and its outcomes are among them).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::{Place, place};

fn java_tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/java")
}

fn compile(place: &Place, sources: &[PathBuf]) {
    let mut command = Command::new("javac");
    command.args(["-g", "-d"]).arg(place.join("classes"));
    let status = command.args(sources).status().expect("javac");
    assert!(status.success());
}

/// Outcomes on a plain JVM.
fn brute(place: &Place, class: &str) -> BTreeSet<String> {
    let mut command = Command::new("java");
    command
        .arg("-cp")
        .arg(place.join("classes"))
        .args(["Brute", class]);
    let output = command.output().expect("java");
    assert!(output.status.success(), "{class}: {output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(str::to_string).collect()
}

/// Outcomes of the tests of a run.
fn outcomes(dir: &Path) -> BTreeSet<String> {
    let mut problems = Vec::new();
    let tests = testcase::read::tests(&dir.join("tests"), &mut problems).expect("tests");
    assert!(problems.is_empty(), "{problems:?}");
    let outcome = |t: testcase::TestCase| {
        let text = String::from_utf8(t.expected.stderr).expect("text");
        // Messages differ: some name modules.
        let line = text.lines().next().unwrap_or_default();
        match line.strip_prefix("threw ") {
            Some(what) => format!("threw {}", what.split(':').next().unwrap_or_default()),
            None => line.to_string(),
        }
    };
    tests.into_iter().map(outcome).collect()
}

#[test]
fn paths_are_those_of_brute_force() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("paths");
    let mut sources: Vec<PathBuf> = fs::read_dir(java_tests().join("paths"))
        .expect("programs")
        .map(|e| e.expect("an entry").path())
        .collect();
    sources.sort();
    sources.push(java_tests().join("Brute.java"));
    compile(&place, &sources);
    sources.pop();
    for source in sources {
        let class = source.file_stem().expect("a name").to_str().expect("text");
        let text = fs::read_to_string(&source).expect("a program");
        let claims = text.starts_with("// complete\n");
        assert!(
            claims || text.starts_with("// loses\n"),
            "{class}: no claim"
        );
        let entry = format!("{class}.path");
        let mut command = Command::new(env!("CARGO_BIN_EXE_polypath"));
        command
            .current_dir(&*place)
            .env("POLYPATH_JAVA_CHECK", "1")
            .args([
                "java", "run", "classes", "--entry", &entry, "--out", class, "--time", "60",
            ]);
        let ran = command.output().expect("polypath");
        let said = String::from_utf8_lossy(&ran.stderr);
        let stats = fs::read(place.join(class).join("stats.json"))
            .unwrap_or_else(|e| panic!("{class}: {e}\n{said}"));
        let stats: serde_json::Value = serde_json::from_slice(&stats).expect("statistics");
        assert_eq!(
            stats["java_wrong"].as_array().map(Vec::len),
            Some(0),
            "{class}: {said}"
        );
        let (found, all) = (outcomes(&place.join(class)), brute(&place, class));
        if claims {
            assert!(stats["halted"].is_null(), "{class}: {said}");
            assert_eq!(found, all, "{class}");
        } else {
            assert!(
                !stats["java_losses"].as_array().expect("a list").is_empty(),
                "{class}"
            );
            assert!(
                !stats["halted"].is_null() && found.is_subset(&all),
                "{class}: {said}"
            );
        }
    }
}
