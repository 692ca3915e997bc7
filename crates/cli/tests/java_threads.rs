//! Programs with threads (`tests/java/threads`): how a thread ends a run, what it leaves behind, and what is said of that. (What
//! threads compute is among the programs of the test `java`.)

use std::collections::BTreeSet;
use std::process::Command;
use testkit::{Place, java, place};

/// Explores a method of `Started`, and replays; what was said of both.
fn run(place: &Place, method: &str, more: &[&str]) -> (testcase::Run, String) {
    let entry = format!("Started.{method}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_polypath"));
    command
        .current_dir(&**place)
        .env("POLYPATH_JAVA_CHECK", "1")
        .args(["java", "run", "classes", "--entry", &entry, "--jobs", "1"])
        .args(["--time", "300", "--out", method])
        .args(more);
    let ran = command.output().expect("polypath");
    let mut said = String::from_utf8_lossy(&ran.stderr).into_owned();
    let replay = Command::new(env!("CARGO_BIN_EXE_polypath"))
        .current_dir(&**place)
        .args(["replay", method])
        .output()
        .expect("replay");
    said += &String::from_utf8_lossy(&replay.stdout);
    said += &String::from_utf8_lossy(&replay.stderr);
    let run = testcase::Run::read(&place.join(method)).unwrap_or_else(|e| panic!("{e}: {said}"));
    let wrong = &run.stats.as_ref().expect("statistics").more["java_wrong"];
    assert_eq!(wrong.as_array().map(Vec::len), Some(0), "{said}");
    (run, said)
}

fn halted(run: &testcase::Run) -> String {
    let stats = run.stats.as_ref().expect("statistics");
    stats.halted.clone().unwrap_or_default()
}

/// How the paths of a run ended: what was returned or thrown, or the exit status.
fn ends(run: &testcase::Run) -> BTreeSet<String> {
    let end = |test: &testcase::TestCase| {
        let text = String::from_utf8_lossy(&test.expected.stderr);
        let line = text.lines().next().unwrap_or_default();
        match line.split_once(": ") {
            _ if line.is_empty() => format!("{:?}", test.expected.exit),
            Some((class, _message)) => class.to_string(),
            None => line.to_string(),
        }
    };
    run.tests.iter().map(end).collect()
}

fn set(all: &[&str]) -> BTreeSet<String> {
    all.iter().map(|s| s.to_string()).collect()
}

const ORDER: &str = "runs of threads in one order only";

#[test]
fn a_thread_ends_a_run_as_on_a_plain_jvm() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("threads");
    java::compile(&place, &[], &[java::source("threads/Started.java")]);
    let (asserts, said) = run(&place, "asserts", &[]);
    let outcomes = ends(&asserts);
    let expected = [
        "returned I 1",
        "returned I 2",
        "threw java.lang.AssertionError",
    ];
    assert_eq!(outcomes, set(&expected), "{said}");
    assert_eq!(asserts.errors.len(), 1, "{said}");
    assert!(said.contains(": confirmed: "), "{said}");
    assert!(halted(&asserts).contains(ORDER), "{said}");
    let junit = place.join("asserts/junit/StartedAssertsTest.java");
    let junit = std::fs::read_to_string(junit).expect("JUnit");
    assert!(!junit.contains("assertThrows"), "{junit}");
    assert!(
        junit.contains("Not here: 1 that throw in another thread"),
        "{junit}"
    );

    let (exits, said) = run(&place, "exits", &[]);
    let outcomes = ends(&exits);
    assert_eq!(outcomes, set(&["Status(3)", "returned I 4"]), "{said}");
    let (reflects, said) = run(&place, "reflects", &[]);
    let outcomes = ends(&reflects);
    assert_eq!(outcomes, set(&["Status(3)", "returned I 4"]), "{said}");
    assert_eq!(halted(&reflects), "", "{said}");

    let (interrupts, said) = run(&place, "interrupts", &[]);
    let outcomes = ends(&interrupts);
    let expected = ["returned I 1", "returned I 2"];
    assert_eq!(outcomes, set(&expected), "{said}");
    assert!(!said.contains("diverge"), "{said}");
}

#[test]
fn threads_that_go_on_end_with_their_run() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("going-on");
    java::compile(&place, &[], &[java::source("threads/Started.java")]);
    let (spins, said) = run(&place, "spins", &[]);
    let mut outcomes = ends(&spins);
    // How far the daemon comes depends on the machine; a run that was cut is taken up again.
    outcomes.remove("Killed(\"instructions\")");
    let expected = ["returned I 1", "returned I 2"];
    assert_eq!(outcomes, set(&expected), "{said}");
    // Nothing else was left out.
    let left_out = halted(&spins);
    assert!(
        left_out.contains(ORDER) && !left_out.contains(','),
        "{said}"
    );

    let (leaves, said) = run(&place, "leaves", &[]);
    assert!(halted(&leaves).contains(ORDER), "{said}");

    let limit = ["--run-steps", "100000"];
    let (loops, said) = run(&place, "loops", &limit);
    assert!(halted(&loops).starts_with("1 runs too long"), "{said}");
    let (waits, said) = run(&place, "waits", &[]);
    assert!(halted(&waits).starts_with("1 paths blocked"), "{said}");
    assert!(ends(&waits).contains("returned I 7"), "{said}");
}
