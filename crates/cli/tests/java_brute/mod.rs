//! The outcomes of a method on a plain JVM with all values of its input, and those of a run.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use testkit::Place;

/// Outcomes on a plain JVM.
pub fn brute(place: &Place, class: &str) -> BTreeSet<String> {
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
pub fn outcomes(dir: &Path) -> BTreeSet<String> {
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
