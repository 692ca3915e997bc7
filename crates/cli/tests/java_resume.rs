//! Runs of a Java program that cannot be resumed are refused by name. (`stops` continues those that can.)

use std::process::{Command, Output, Stdio};
use testkit::{Attended, Place, java, place};

const ENTRY: &str = "Mixed.bytes";

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

#[test]
fn what_cannot_be_gone_on_with_is_refused_by_name() {
    let place = place!("refused");
    java::compile(&place, &[], &[java::source("jobs/Mixed.java")]);
    let mut long = begin(&place, "out", "1");
    let mut run = Attended::begin(long.args(["--array-len", "12"]));
    assert!(run.explores(&place.join("out")), "it ended by itself");
    run.signal("-INT");
    let (_, text) = run.end();
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
        "its run kept no frontier: begin it anew",
    );
}
