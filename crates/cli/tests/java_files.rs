//! Files whose bytes are input: whatever way a Java program reads them, its values depend on them, or the run says that they were lost.

use serde_json::Value;
use std::process::{Command, Output};
use testkit::{Place, java, place};

fn polypath(place: &Place, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polypath"));
    command
        .current_dir(&**place)
        .env("POLYPATH_JAVA_CHECK", "1");
    command.args(args).output().expect("polypath")
}

fn explore(place: &Place, how: &str, options: &[&str]) -> (Value, String) {
    let out = format!("out-{how}");
    let mut args = vec!["java", "run", "classes", "--sym-files", "1", "4"];
    args.extend(["--time", "120", "--out", &out]);
    args.extend(options);
    args.extend(["--", how]);
    let output = polypath(place, &args);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{how}: {said}");
    let stats = std::fs::read(place.join(&out).join("stats.json")).expect("stats.json");
    let stats: Value = serde_json::from_slice(&stats).expect("stats.json");
    assert_eq!(
        stats["java_wrong"],
        Value::Array(Vec::new()),
        "{how}: {said}"
    );
    let left = place.join(&out).join("files-0");
    assert!(!left.exists(), "{} is left", left.display());
    (stats, said)
}

/// Is there a test whose path throws this?
fn throws(place: &Place, how: &str) -> bool {
    let tests = place.join(format!("out-{how}/tests"));
    let run = testcase::Run::read(&place.join(format!("out-{how}"))).expect("the run");
    assert!(tests.exists() && !run.tests.is_empty());
    let wanted = format!("threw java.lang.IllegalStateException: {how}");
    run.tests.iter().any(|test| {
        let expected = String::from_utf8_lossy(&test.expected.stderr).into_owned();
        expected.starts_with(&wanted)
    })
}

#[test]
fn what_is_read_of_a_file_is_input() {
    let place = place!("followed");
    java::compile(&place, &[], &[java::source("files/Reads.java")]);
    // Two bytes that are compared one after the other have three paths, a number of four bytes has two; decoders have more.
    for (how, paths) in [
        ("stream", Some(3)),
        ("data", Some(2)),
        ("all", Some(3)),
        ("random", Some(3)),
        // Each position and each length is a way of its own, and so is what is found there.
        ("seek", Some(8)),
        ("skip", Some(4)),
        ("part", Some(6)),
        ("channel", Some(3)),
        ("move", Some(3)),
        ("string", None),
        ("lines", None),
        ("scanner", None),
    ] {
        let (stats, said) = explore(&place, how, &[]);
        assert_eq!(stats["halted"], Value::Null, "{how}: {said}");
        if let Some(paths) = paths {
            assert_eq!(stats["completed_paths"], paths, "{how}: {said}");
        }
        assert!(throws(&place, how), "{how}: {said}");
        let out = format!("out-{how}");
        let replay = polypath(&place, &["replay", &out, "--sample", "8"]);
        let text = String::from_utf8_lossy(&replay.stdout).into_owned();
        assert_eq!(replay.status.code(), Some(0), "{how}: {text}");
        assert!(!text.contains("different"), "{how}: {text}");
    }
}

#[test]
fn a_reader_of_lines_finds_a_word() {
    let place = place!("reader");
    java::compile(&place, &[], &[java::source("files/Reads.java")]);
    let (_, said) = explore(&place, "reader", &["--tests", "new"]);
    assert!(said.contains("everything was explored"), "{said}");
}

#[test]
fn other_ways_to_a_file_are_named() {
    let place = place!("lost");
    java::compile(&place, &[], &[java::source("files/Reads.java")]);
    for how in ["map", "copy", "write", "direct"] {
        let (stats, said) = explore(&place, how, &[]);
        let halted = stats["halted"].as_str().unwrap_or_default();
        let is_named = halted.contains("reads of input files that are not followed")
            || halted.contains("values given to the library");
        assert!(is_named, "{how}: {halted}: {said}");
    }
    // What asks only how long it is reads nothing.
    let (stats, said) = explore(&place, "none", &[]);
    assert_eq!(stats["halted"], Value::Null, "{said}");
    assert_eq!(stats["completed_paths"], 1, "{said}");
}

#[test]
fn several_workers_have_files_of_their_own_and_begin_with_a_seed() {
    let place = place!("workers");
    java::compile(&place, &[], &[java::source("files/Reads.java")]);
    std::fs::create_dir(place.join("seeds")).expect("a directory");
    std::fs::write(place.join("seeds/one"), "axb*").expect("a seed");
    let options = ["--jobs", "2", "--seed-input", "seeds"];
    let (stats, said) = explore(&place, "all", &options);
    assert_eq!(stats["halted"], Value::Null, "{said}");
    assert_eq!(stats["completed_paths"], 3, "{said}");
}

#[test]
fn files_that_cannot_be_are_refused() {
    let place = place!("refused");
    java::compile(&place, &[], &[java::source("files/Reads.java")]);
    for (count, length, why) in [
        ("30", "4", "at most 26"),
        ("1", "100000000", "at most 1048576 bytes"),
    ] {
        let args = [
            "java",
            "run",
            "classes",
            "--sym-files",
            count,
            length,
            "--out",
            "o",
            "--",
            "all",
        ];
        let output = polypath(&place, &args);
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(why), "{said}");
        assert!(!place.join("o").exists());
    }
}
