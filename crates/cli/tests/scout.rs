//! The scout finds what the workers would come to late, and changes nothing else.

use serde_json::Value;
use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use testkit::{Attended, Place, engine};

/// A message and its checksum (CRC-16): one path for each value of the bytes before it.
const MESSAGE: &str = r#"
#include <assert.h>
#include <klee/klee.h>
int main(void) {
    unsigned char in[6]; unsigned short crc = 0xffff;
    klee_make_symbolic(in, sizeof in, "in");
    for (int i = 0; i < 4; i++) {
        crc ^= (unsigned short)(in[i] << 8);
        for (int bit = 0; bit < 8; bit++) if (crc & 0x8000) crc = crc << 1 ^ 0x1021; else crc = crc << 1;
    }
    if (crc != (in[4] << 8 | in[5])) return 2;
    assert(in[1] != 0x7e || in[3] != 0);
    return 0;
}
"#;

/// The same with one byte and a half: all paths can be explored. Each takes so many rounds of a loop.
fn small(work: u64) -> String {
    format!(
        r#"
#include <assert.h>
#include <klee/klee.h>
int main(void) {{
    unsigned char in[4]; unsigned short crc = 0xffff;
    klee_make_symbolic(in, sizeof in, "in");
    for (int i = 0; i < 2; i++) {{
        crc ^= (unsigned short)(in[i] << 8);
        for (int bit = 0; bit < (i ? 4 : 8); bit++) if (crc & 0x8000) crc = crc << 1 ^ 0x1021; else crc = crc << 1;
    }}
    for (volatile int i = 0; i < {work}; i++);
    if (crc != (in[2] << 8 | in[3])) return 2;
    assert(in[0] != 0x7e || in[1] >> 4 != 5);
    return 0;
}}
"#
    )
}

/// Without options: as many workers as there are cores once it pays, and the scout before them.
fn run(dir: &Place, program: &str, options: &[&str]) -> Command {
    let mut command: Command = dir.command();
    command.env_remove("POLYPATH_JOBS");
    command
        .args(["run", "--out", "out", "--quiet"])
        .args(options)
        .arg(program)
        .stderr(Stdio::piped());
    command
}

/// Lets it run until it knows an error and the scout has had runs, and stops it; what it said.
fn until_found(dir: &Place, program: &str, options: &[&str]) -> (i32, String) {
    let read = |file: &str| std::fs::read(dir.join("out").join(file)).unwrap_or_default();
    let json = |file: &str| serde_json::from_slice(&read(file)).unwrap_or(Value::Null);
    let mut run = Attended::begin(&mut run(dir, program, options));
    run.until("an error is found and the scout has begun", |_| {
        json("errors.json")[0]["kind"] == "assert"
            && json("stats.json")["scout"]["runs"].as_u64() > Some(0)
    });
    run.signal("-INT");
    run.end()
}

/// Several workers by default: else there is no scout.
fn has_cores(dir: &str) -> Option<Place> {
    if std::thread::available_parallelism().map_or(1, |n| n.get()) < 2 {
        testkit::skip("one core: one worker, and no scout");
        return None;
    }
    engine!(dir)
}

#[test]
fn it_begins_where_no_other_worker_does() {
    let Some(dir) = has_cores("alone") else {
        return;
    };
    // One path that goes on: there is nothing to give to others.
    dir.write(
        "alone.c",
        r#"
#include <assert.h>
#include <klee/klee.h>
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    if (x > 5) for (volatile unsigned long n = 1; n; n++);
    assert(x != 3);
    return 0;
}
"#,
    );
    let (_, said) = until_found(&dir, "alone.c", &[]);
    let stats = testkit::json(&dir.join("out/stats.json"));
    assert!(stats["scout"]["runs"].as_u64() > Some(0), "{said} {stats}");
    assert!(stats["workers"].is_null(), "{stats}");
    let replayed = dir.command().args(["replay", "out"]).output().unwrap();
    let said = String::from_utf8_lossy(&replayed.stdout);
    assert!(said.contains(": confirmed: "), "{said}");
}

#[test]
fn a_bug_behind_a_checksum_is_found_and_confirmed() {
    let Some(dir) = has_cores("checksum") else {
        return;
    };
    dir.write("message.c", MESSAGE);
    let (code, said) = until_found(&dir, "message.c", &["--tests", "new"]);
    assert_eq!(code, 1, "{said}");
    let stats = testkit::json(&dir.join("out/stats.json"));
    assert!(stats["scout"]["runs"].as_u64() > Some(0), "{stats}");
    let replayed = dir.command().args(["replay", "out"]).output().unwrap();
    assert_eq!(replayed.status.code(), Some(1), "{replayed:?}");
    let said = String::from_utf8_lossy(&replayed.stdout);
    assert!(said.contains(": confirmed: "), "{said}");
}

#[test]
fn a_finished_run_has_the_tests_of_its_workers() {
    let Some(dir) = has_cores("finished") else {
        return;
    };
    let paths = |options: &[&str]| {
        let ran = run(&dir, "small.c", options).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(1), "{said}");
        let run = testcase::Run::read(&dir.join("out")).unwrap();
        let path = |t: &testcase::TestCase| format!("{:?} {:?}", t.prefix, t.expected.path_hash);
        let paths: BTreeSet<String> = run.tests.iter().map(path).collect();
        assert_eq!(run.tests.len(), paths.len());
        let errors = run.errors.iter();
        let errors: Vec<(u32, u64)> = errors.map(|e| (e.line, e.paths)).collect();
        let stats = testkit::json(&dir.join("out/stats.json"));
        assert_eq!(stats["halted"], Value::Null, "{stats}");
        assert_eq!(stats["tests"].as_u64(), Some(paths.len() as u64));
        // Who shows the error is a test that is there.
        assert!(dir.join("out/tests").join(&run.errors[0].test).is_dir());
        std::fs::remove_dir_all(dir.join("out")).unwrap();
        (paths, errors, stats["scout"]["runs"].as_u64())
    };
    let mut work = 1000;
    loop {
        dir.write("small.c", small(work));
        let (alone, error, _) = paths(&["--jobs", "1"]);
        let (together, error_together, runs) = paths(&[]);
        assert!(alone == together && error == error_together);
        let (without, _, none) = paths(&["--no-scout"]);
        assert!((alone, None) == (without, none));
        // It begins after a while: on a quick machine the run has to be longer.
        if runs > Some(0) {
            break;
        }
        work *= 2;
    }
}
