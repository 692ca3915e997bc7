//! Runs of a Java program that were stopped or killed go on: with `--resume` to what an undisturbed one finds.

use serde_json::Value;
use std::process::{Command, Output, Stdio};
use testkit::{Attended, Place, java, place};

const ENTRY: &str = "Mixed.bytes";
/// Some 10,000 paths.
const SIZE: [&str; 4] = ["--array-len", "4", "--tests", "new"];

fn polypath(place: &Place, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polypath"));
    command
        .current_dir(&**place)
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn begin(place: &Place, out: &str, jobs: &str) -> Command {
    let fixed = [
        "java", "run", "classes", "--entry", ENTRY, "--junit", "none",
    ];
    let mut command = polypath(place, &fixed);
    command.args(["--out", out, "--jobs", jobs]);
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn stats(place: &Place, out: &str) -> Value {
    let file = place.join(out).join("stats.json");
    let bytes = std::fs::read(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    serde_json::from_slice(&bytes).expect("stats.json")
}

/// The paths that a run has completed so far, as its last line of progress says.
fn paths(place: &Place, out: &str) -> u64 {
    let lines = std::fs::read_to_string(place.join(out).join("run.jsonl")).unwrap_or_default();
    let values = lines
        .lines()
        .filter_map(|l| serde_json::from_str::<Value>(l).ok());
    let last = values.fold(None, |_, v| Some(v));
    last.and_then(|v| v["paths"].as_u64()).unwrap_or(0)
}

/// Lets a run complete so many paths more, or end, and then ends it.
fn disturb(place: &Place, out: &str, mut command: Command, signal: &str, more: u64) -> String {
    let before = paths(place, out);
    let mut run = Attended::begin(&mut command);
    run.until("it completes paths", |_| paths(place, out) >= before + more);
    run.signal(signal);
    run.end().1
}

#[test]
fn a_run_that_was_stopped_and_killed_goes_on() {
    let place = place!("stops");
    java::compile(&place, &[], &[java::source("jobs/Mixed.java")]);
    let mut whole = begin(&place, "whole", "1");
    let whole = whole.args(SIZE).output().expect("polypath");
    let expected = stats(&place, "whole");
    assert!(expected["halted"].is_null(), "{}", said(&whole));
    for jobs in ["1", "2"] {
        let out = format!("out-{jobs}");
        let mut first = begin(&place, &out, jobs);
        first.args(SIZE);
        let mut last = disturb(&place, &out, first, "-INT", 1000);
        let mut stops = 0;
        while stats(&place, &out)["halted"].is_string() {
            assert!(stops < 60, "it does not end: {last}");
            assert!(place.join(&out).join("frontier.bin").exists(), "{last}");
            let resume = ["java", "run", "--resume", &out, "--jobs", jobs];
            let again = polypath(&place, &resume);
            // What a killed run did is done again.
            let (signal, more) = [("-INT", 3000), ("-KILL", 1000)][stops % 2];
            last = disturb(&place, &out, again, signal, more);
            stops += 1;
        }
        assert!(stops > 0, "nothing was disturbed");
        assert_eq!(
            java::outcome(&stats(&place, &out)),
            java::outcome(&expected),
            "{last}"
        );
        assert!(!place.join(&out).join("frontier.bin").exists(), "{last}");
        let replay = ["java", "replay", &out];
        let replayed = polypath(&place, &replay).output().expect("polypath");
        assert_eq!(replayed.status.code(), Some(1), "{}", said(&replayed));
        std::fs::remove_dir_all(place.join(&out)).expect("removed");
    }
}

#[test]
fn what_cannot_be_gone_on_with_is_refused_by_name() {
    let place = place!("refused");
    java::compile(&place, &[], &[java::source("jobs/Mixed.java")]);
    let mut limited = begin(&place, "out", "1");
    let limited = limited.args(["--time", "2", "--array-len", "12"]).output();
    let text = said(&limited.expect("polypath"));
    assert!(
        text.contains("to continue: polypath java run --resume"),
        "{text}"
    );
    let refused = |arguments: &[&str], why: &str| {
        let output = polypath(&place, arguments).output().expect("polypath");
        let text = said(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(why), "{text}");
    };
    refused(
        &["java", "run", "--resume", "out", "--array-len", "3"],
        "--array-len cannot be changed",
    );
    refused(
        &["run", "--resume", "out"],
        "was not made by `polypath run`",
    );
    refused(&["java", "run", "--resume", "nothing"], "nothing");
    std::fs::write(place.join("classes/Other.class"), "other").expect("a file");
    refused(
        &["java", "run", "--resume", "out"],
        "the classes have changed",
    );
    std::fs::remove_file(place.join("classes/Other.class")).expect("removed");
    std::fs::write(place.join("out/frontier.bin"), "PPFR damaged").expect("a file");
    refused(&["java", "run", "--resume", "out"], "damaged");
    std::fs::remove_file(place.join("out/frontier.bin")).expect("removed");
    refused(
        &["java", "run", "--resume", "out"],
        "nothing is left to explore there",
    );
}
