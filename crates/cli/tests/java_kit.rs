//! What tests of Java programs share: programs of `tests/java`, runs, their tests and replays.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use testkit::Place;

pub fn jar(name: &str) -> String {
    format!("/usr/share/java/{name}.jar")
}

pub fn polypath(place: &Place, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polypath"));
    command
        .current_dir(&**place)
        .env("POLYPATH_JAVA_CHECK", "1");
    command.args(args).output().expect("polypath")
}

pub fn javac(place: &Place, class_path: &str, to: &str, sources: &[PathBuf]) {
    let mut command = testkit::java::javac();
    command.current_dir(&**place);
    command.args(["-g", "-encoding", "UTF-8", "-cp", class_path, "-d", to]);
    let output = command.args(sources).output().expect("javac");
    assert!(output.status.success(), "{output:?}");
}

pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/java/output")
}

pub fn bank(place: &Place) {
    let files = ["Account", "Shapes", "Results"].map(|f| format!("bank/{f}.java"));
    let files = files.iter().map(|f| sources().join(f));
    let files: Vec<PathBuf> = files.chain([sources().join("Tool.java")]).collect();
    javac(place, ".", "classes", &files);
}

/// Explores, and gives the text of the JUnit class and its place.
pub fn explore(
    place: &Place,
    out: &str,
    entry: &str,
    junit: &str,
    length: &str,
) -> (PathBuf, String) {
    let run = [
        "java",
        "run",
        "classes",
        "--entry",
        entry,
        "--out",
        out,
        "--junit",
        junit,
        "--time",
        "60",
        "--array-len",
        length,
    ];
    let output = polypath(place, &run);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{said}");
    let folder = place.join(out).join("junit/bank");
    let files = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{e}: {said}"));
    let file = files.map(|f| f.expect("a file").path()).next();
    let file = file.expect("a class");
    let text = std::fs::read_to_string(&file).expect("text");
    (file, text)
}

pub fn replay(place: &Place, out: &str) -> (Option<i32>, serde_json::Value, String) {
    let output = polypath(place, &["replay", out]);
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let file = std::fs::read(place.join(out).join("replay.json"));
    let file = file.unwrap_or_else(|e| panic!("{e}: {said}"));
    let summary = serde_json::from_slice(&file).expect("replay.json");
    (output.status.code(), summary, said)
}

/// What was observed on the tests of a run: results and exceptions, each once.
pub fn outcomes(dir: &Path) -> std::collections::BTreeSet<String> {
    let mut problems = Vec::new();
    let tests = testcase::read::tests(&dir.join("tests"), &mut problems).expect("tests");
    assert!(problems.is_empty(), "{problems:?}");
    let text = |t: testcase::TestCase| String::from_utf8(t.expected.stderr).expect("text");
    let last = |text: String| text.lines().last().unwrap_or_default().to_string();
    tests.into_iter().map(text).map(last).collect()
}

/// `java test` of all classes: the names of the methods, the list in methods.json, and what was said.
pub fn test_all(place: &Place, more: &[&str]) -> (Option<i32>, Vec<serde_json::Value>, String) {
    let args = ["java", "test", "classes", "--jobs", "1", "--out", "out"];
    let ran = polypath(place, &[&args[..], more].concat());
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr)
    );
    let file =
        std::fs::read(place.join("out/methods.json")).unwrap_or_else(|e| panic!("{e}: {said}"));
    let methods = serde_json::from_slice(&file).expect("a list");
    (ran.status.code(), methods, said)
}
