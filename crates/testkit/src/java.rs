//! Java programs of the tests.

use crate::Place;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file or directory of `tests/java`.
pub fn source(name: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/java");
    tests.join(name)
}

/// A Java compiler that begins quickly: what the tests compile is small, and is not compiled twice by the same process.
pub fn javac() -> Command {
    let mut command = Command::new("javac");
    command.args(["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"]);
    command
}

/// Compiles into `classes` of a test's place, with lines and sources, and without names of variables (`-g` asks for them). `options`: further ones of javac.
///
/// # Panics
/// There is no javac, or it refuses the sources.
pub fn compile(place: &Place, options: &[&str], sources: &[PathBuf]) {
    let mut command = javac();
    command.current_dir(&**place);
    // Without names of variables: what is made of a parameter is named by its place then.
    command.args(["-g:source,lines", "-nowarn", "-d", "classes"]);
    let output = command.args(options).args(sources).output();
    let output = output.unwrap_or_else(|e| panic!("javac: {e}"));
    assert!(output.status.success(), "{output:?}");
}

/// The numbers in `stats.json` that do not depend on who explored what, and when.
pub fn outcome(stats: &serde_json::Value) -> Vec<&serde_json::Value> {
    let names = [
        "halted",
        "completed_paths",
        "partial_paths",
        "covered_instructions",
        "covered_lines",
        "instructions",
        "endings",
        "errors",
        "java_wrong",
        "java_losses",
    ];
    names.iter().map(|name| &stats[name]).collect()
}
