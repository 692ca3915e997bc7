//! What is left of a run that was killed or whose disk filled up can be read, whole.
//!
//! POLYPATH_KILLS=N says how often a run is killed at a random moment (12 if unset).

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use testcase::Run;
use testkit::{Attended, Place, engine, processor_time};

/// Some 30,000 paths, each with a test; two errors on the way.
const PROGRAM: &str = r#"
#include "klee/klee.h"
#include <stdio.h>
int main(void) {
    unsigned char a[5], table[4] = {0};
    int n = 0;
    klee_make_symbolic(a, sizeof a, "a");
    for (int i = 0; i < 5; i++)
        switch (a[i] & 7) {
        case 0: n += 1; break;
        case 1: n += 3; break;
        case 2: n ^= 5; break;
        case 3: n -= 9; break;
        case 4: n *= 2; break;
        case 5: n = ~n; break;
        case 6: n |= 4; break;
        default: puts("seven");
        }
    if (n == 99) return 10 / (n - 99);
    return table[n & 4];
}
"#;

/// A directory with the program in it, or `None` where no engine can be built.
fn prepared(name: &str) -> Option<Place> {
    let dir = engine!(name)?;
    dir.write("many.c", PROGRAM);
    Some(dir)
}

fn start(dir: &Place, out: &Path) -> Attended {
    let mut command = dir.command();
    let command = command.args(["run", "--quiet", "--time", "20", "many.c", "--out"]);
    Attended::begin(command.arg(out))
}

/// What is wrong with the results in `out`, whose run may have ended at any moment.
fn flaws(out: &Path) -> Vec<String> {
    if !out.join("tests").is_dir() {
        return Vec::new();
    }
    let run = match Run::read(out) {
        Ok(run) => run,
        Err(e) => return vec![format!("cannot be read: {e:#}")],
    };
    // The system may cut a write short for a kill: the test that was being written is the run's last, and is not in the pack.
    let is_cut = |problem: &&String| problem.contains("tests.pack: torn record");
    let mut flaws: Vec<String> = (run.problems.iter().filter(|p| !is_cut(p)).cloned()).collect();
    for error in &run.errors {
        let shown = run
            .tests
            .iter()
            .any(|t| testcase::test_name(t.id) == error.test);
        if !shown {
            flaws.push(format!("{} has no test {}", error.kind.id(), error.test));
        }
    }
    flaws
}

#[test]
fn a_kill_tears_nothing() {
    let Some(dir) = prepared("kills") else { return };
    let kills = std::env::var("POLYPATH_KILLS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(12);
    let mut random = testkit::Random::new(1);
    let (mut wrong, mut with_tests) = (Vec::new(), 0);
    for kill in 0..kills {
        let out = dir.join(format!("out{kill}"));
        let after = Duration::from_millis(random.below(1000));
        let mut run = start(&dir, &out);
        // At any time of its life, and each other one when it writes tests.
        if kill % 2 == 0 {
            run.until("it writes tests", |_| out.join("tests/test000001").exists());
        }
        let moment = processor_time(run.id()) + after;
        run.until("a moment comes", |id| processor_time(id) >= moment);
        run.signal("-KILL");
        run.end();
        let flaws = flaws(&out);
        with_tests += usize::from(out.join("tests/test000001").exists());
        wrong.extend(flaws.iter().map(|f| format!("killed after {after:?}: {f}")));
        let _ = fs::remove_dir_all(&out);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        with_tests > 0,
        "each of the {kills} runs was killed before its first test"
    );
}

#[test]
fn a_full_disk_is_said_and_tears_nothing() {
    let Some(dir) = prepared("full") else { return };
    let disk = dir.join("disk");
    fs::create_dir(&disk).expect("a directory");
    // A file system of its own, in name spaces of its own where this is no root.
    let script = format!(
        "mount -t tmpfs -o size=600k none {disk} || exit 77
         {polypath} run --time 20 many.c --out {disk}/out >said 2>&1; echo $? >status
         cp -r {disk}/out kept",
        disk = disk.display(),
        polypath = env!("CARGO_BIN_EXE_polypath"),
    );
    let status = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", &script])
        .current_dir(&dir)
        .status();
    if !status.is_ok_and(|s| s.success()) {
        testkit::skip("a file system cannot be mounted here");
        return;
    }
    let said = fs::read_to_string(dir.join("said")).expect("what it said");
    assert!(said.contains("cannot write"), "{said}");
    assert!(said.contains("could not be written"), "{said}");
    // Nothing was found in what is left, and something was lost: the engine failed.
    let status = fs::read_to_string(dir.join("status")).expect("its status");
    assert!(["1", "3"].contains(&status.trim()), "{status}: {said}");
    assert_eq!(flaws(&dir.join("kept")), Vec::<String>::new());
}
