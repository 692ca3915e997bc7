//! `polypath show` and `export`: tests, errors and statistics, from directories and from the pack; and which tests a run says are where.
//!
//! What is shown is compared with what the program does on the input (its exit status is a function of it), and numbers with what lies
//! on the disk and with the number of the program's paths.

use testcase::{ExitKind, Run, read};
use testkit::{Attended, Place, engine};

/// 3^7 paths, each with an exit status that its input decides; two of them divide by zero at one place.
const PROGRAM: &str = r#"
#include <klee/klee.h>
volatile int branches; /* that no pass makes a computation */
int main(void) {
    unsigned char a[7];
    int n = 0;
    klee_make_symbolic(a, sizeof a, "a");
    for (int i = 0; i < 7; i++) {
        n *= 3;
        if (a[i] >= 100) branches = 2, n += 2;
        else if (a[i] >= 50) branches = 1, n += 1;
    }
    if (n == 2000 || n == 77) return 1 / (n == 5);
    return n % 251;
}
"#;
const PATHS: u64 = 2187;

/// The exit status of the program, if it has one.
fn status(a: &[u8]) -> Option<i32> {
    let digit = |&b: &u8| i32::from(b >= 50) + i32::from(b >= 100);
    let n = a.iter().fold(0, |n, b| 3 * n + digit(b));
    (n != 2000 && n != 77).then_some(n % 251)
}

fn prepared(name: &str) -> Option<Place> {
    let place = engine!(name)?;
    place.write("many.c", PROGRAM);
    Some(place)
}

#[test]
fn a_test_in_the_pack_is_a_test_like_any_other() {
    let Some(place) = prepared("packed") else {
        return;
    };
    let ran = place.polypath(["run", "many.c", "--out", "out"]);
    assert_eq!(ran.code, 1, "{}", ran.text());
    let told = "2187 tests in ";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    let where_they_are = " as files, ";
    assert!(ran.stderr.contains(where_they_are), "{}", ran.stderr);
    let tests = place.join("out/tests");
    let packed = |id: &u32| !tests.join(testcase::test_name(*id)).exists();
    let id = (1..2188).rev().find(packed).expect("one in the pack");
    let loose = (1..2188).find(|id| !packed(id)).expect("one with files");
    let name = testcase::test_name(id);
    for id in [id, loose] {
        let by_number = place.polypath(["show", "out", &id.to_string()]);
        let path = format!("out/tests/{}", testcase::test_name(id));
        let by_path = place.polypath(["show", &path]);
        assert_eq!((by_number.code, by_path.code), (0, 0), "{}", by_path.text());
        assert_eq!(by_number.stdout, by_path.stdout);
        let text = by_path.stdout;
        let field = |title: &str| {
            let line = text.lines().find_map(|l| l.strip_prefix(title));
            line.unwrap_or_else(|| panic!("{title}: {text}"))
                .to_string()
        };
        assert_eq!(field("num objects: "), "1");
        assert_eq!(field("object 0: name: "), "'a'");
        assert_eq!(field("object 0: size: "), "7");
        let hex = field("object 0: hex : 0x");
        let bytes = testcase::bytes::from_hex(&hex).expect("digits");
        let expected = match status(&bytes) {
            Some(status) => format!("exit status {status}"),
            None => "error: div_zero".into(),
        };
        assert_eq!(field("ended      : "), expected);
    }
    // It replays by its name, natively too once it has files.
    let replay = place.polypath(["replay", &format!("out/tests/{name}")]);
    assert_eq!(replay.code, 0, "{}", replay.text());
    assert!(replay.stdout.contains("1 same"), "{}", replay.text());
    let export = place.polypath(["export", "out", &name, "--to", "kept"]);
    assert_eq!(export.code, 0, "{}", export.text());
    let test = testcase::testdir::read(&place.join("kept").join(&name)).expect("a test");
    assert_eq!(
        test,
        read::named(&place.join("out"), &name).expect("the same")
    );
    let script = format!("$P cc many.c -o many && KTEST_FILE=kept/{name}.ktest ./many");
    let native = place.shell(&script).status().expect("sh");
    assert_eq!(native.code(), status(&test.objects[0].1));
    // Nothing is written over, and what is not there is told.
    for (args, code, words) in [
        (
            vec!["export", "out", &name, "--to", "kept"],
            2,
            "there is a test of this name",
        ),
        (vec!["show", "out", "9999"], 2, "there is no test009999"),
        (
            vec!["replay", "out/tests/test009999"],
            2,
            "there is no test009999",
        ),
        (vec!["show", "missing"], 2, "cannot open"),
        (vec!["show", "."], 2, "no tests/"),
    ] {
        let ran = place.polypath(&args);
        assert_eq!(ran.code, code, "{args:?}: {}", ran.text());
        assert!(ran.stderr.contains(words), "{args:?}: {}", ran.text());
    }
    let all = place.polypath(["show", "out", "--tests"]);
    assert_eq!(all.stdout.lines().count() as u64, PATHS);
    let errors = place.polypath(["show", "out", "--errors"]);
    assert!(
        errors
            .stdout
            .starts_with("1. div_zero: division by zero at "),
        "{}",
        errors.text()
    );
    assert!(
        errors.stdout.contains("2 paths\n    # a = \""),
        "{}",
        errors.text()
    );
    assert!(
        errors.stdout.contains("\n        main "),
        "{}",
        errors.text()
    );
    let stats = place.polypath(["show", "out", "--stats"]);
    let line = format!("{:<28} {PATHS}\n", "completed_paths");
    assert!(stats.stdout.contains(&line), "{}", stats.text());
    let table = place.polypath(["show", "--stats", "out", "out"]);
    let row = table.stdout.lines().nth(4).expect("a second row");
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    assert_eq!(
        (cells[1], cells[5], cells[7]),
        ("out", "2187", "2187"),
        "{row}"
    );
    let overview = place.polypath(["show", "out"]);
    assert_eq!(overview.code, 0, "{}", overview.text());
    let more = "2167 more tests: polypath show ";
    assert!(overview.stdout.contains(more), "{}", overview.text());
}

/// What the statistics of a run say of its tests is what lies on the disk. Returns the run.
#[track_caller]
fn consistent(place: &Place, out: &str) -> Run {
    let dir = place.join(out);
    let run = Run::read(&dir).expect("a run");
    assert_eq!(run.problems, Vec::<String>::new(), "{out}");
    let stored = read::stored(&dir).expect("tests");
    let stats = run.stats.as_ref().expect("statistics");
    assert_eq!(
        (stats.tests_in_files, stats.tests_in_pack, stats.tests_lost),
        (stored.files, stored.packed, 0),
        "{out}"
    );
    assert_eq!(stats.tests, stored.files + stored.packed, "{out}");
    assert_eq!(
        run.tests.len() as u64,
        stats.tests,
        "{out}: numbers are unique"
    );
    run
}

/// Starts a run and ends it by this signal when it has written some tests.
fn ended(place: &Place, out: &str, options: &[&str], signal: &str) -> String {
    let mut command = place.command();
    command.args([&["run", "many.c", "--out", out], options].concat());
    let mut run = Attended::begin(&mut command);
    let results = place.join(out);
    let has_begun = |_| results.join("frontier.bin").exists() && results.join("run.jsonl").exists();
    run.until("it explores", has_begun);
    run.signal(signal);
    run.end().1
}

#[test]
fn what_a_run_says_of_its_tests_adds_up() {
    let Some(place) = prepared("sums") else {
        return;
    };
    for tests in ["all", "new", "errors", "none"] {
        for jobs in ["1", "3"] {
            let options = ["--tests", tests, "--jobs", jobs];
            let whole = format!("{tests}{jobs}");
            let ran = place.polypath([&["run", "many.c", "--out", &whole], &options[..]].concat());
            assert_eq!(ran.code, 1, "{}", ran.text());
            // Killed at some moment, and continued to the end.
            let resumed = format!("{tests}{jobs}-resumed");
            ended(&place, &resumed, &options, "-KILL");
            if place.join(&resumed).join("frontier.bin").exists() {
                let ran = place.polypath(["run", "--resume", &resumed]);
                assert_eq!(ran.code, 1, "{}", ran.text());
            }
            for out in [&whole, &resumed] {
                let run = consistent(&place, out);
                let stats = run.stats.as_ref().expect("statistics");
                assert_eq!(
                    (stats.completed_paths, stats.unsaved()),
                    (PATHS, 0),
                    "{out}"
                );
                assert_eq!(stats.halted, None, "{out}");
                let shown = |e: &testcase::ErrorRecord| {
                    run.tests
                        .iter()
                        .any(|t| testcase::test_name(t.id) == e.test)
                };
                let n = run.tests.len() as u64;
                match tests {
                    "all" => assert_eq!(n, PATHS, "{out}"),
                    "new" => {
                        assert!(run.errors.iter().all(shown), "{out}");
                        let told = |t: &testcase::TestCase| t.covered_new || t.error.is_some();
                        assert!(run.tests.iter().all(told), "{out}");
                    }
                    "errors" => {
                        assert!(run.errors.iter().all(shown), "{out}");
                        assert_eq!(n, run.errors.len() as u64, "{out}");
                    }
                    _ => assert_eq!(n, 0, "{out}"),
                }
            }
        }
    }
}

#[test]
fn what_a_run_says_that_was_stopped_adds_up() {
    let Some(place) = prepared("stopped") else {
        return;
    };
    // Nine times as many paths: none of the runs comes to its end.
    place.write("many.c", PROGRAM.replace('7', "9"));
    for jobs in ["1", "3"] {
        let out = format!("stopped{jobs}");
        let said = ended(&place, &out, &["--jobs", jobs], "-INT");
        let run = consistent(&place, &out);
        let stats = run.stats.as_ref().expect("statistics");
        assert!(stats.halted.is_some(), "{said}");
        let is_whole = |t: &&testcase::TestCase| !matches!(t.expected.exit, ExitKind::Killed(_));
        let whole = run.tests.iter().filter(is_whole).count() as u64;
        // The scout's tests are of paths that the others have not come to.
        let sum = whole + stats.unsaved();
        assert!(sum >= stats.completed_paths, "{sum}: {said}");
        assert!(jobs != "1" || sum == stats.completed_paths, "{sum}: {said}");
        let told = format!("{} tests in ", stats.tests);
        assert!(stats.tests == 1 || said.contains(&told), "{said}");
    }
}
