//! `--deterministic` writes the same files for every number of workers, whatever happens to them.

use crate::turn;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use testkit::{Attended, Place, Random, engine, processor_time};

/// 3^7 paths in all, one in ten of which ends in an error; each takes long enough for some rounds.
const TABLES: &str = r#"
#include <klee/klee.h>
int main(void) {
    unsigned char in[7], a[4] = { 1, 2, 3, 4 }, b[4] = { 5, 6, 7, 8 }; int sum = 0;
    klee_make_symbolic(in, sizeof in, "in");
    for (int i = 0; i < 7; i++) {
        if (in[i] < 100) sum++;
        else sum += (in[i] < 200 ? a : b)[2];
    }
    for (volatile long w = 0; w < 20000; w++);
    return 100 / (sum - 21);
}
"#;

fn command(dir: &Place, options: &[&str]) -> Command {
    let mut command = dir.command();
    command
        .args(["run", "t.c", "--deterministic", "--quiet"])
        .args(options)
        .stderr(Stdio::piped());
    command
}

/// What a run wrote that is to be the same: each file with its content.
pub fn files(out: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut open = vec![
        out.join("tests"),
        out.join("errors.json"),
        out.join("coverage.json"),
    ];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).unwrap();
            open.extend(entries.map(|entry| entry.unwrap().path()));
        } else {
            let name = path.strip_prefix(out).unwrap().display().to_string();
            files.push((name, std::fs::read(&path).unwrap()));
        }
    }
    files.sort();
    files
}

fn explored(dir: &Place, options: &[&str]) -> (Vec<(String, Vec<u8>)>, serde_json::Value) {
    let out = dir.join("out");
    let ran = command(dir, &[&["--out", "out"], options].concat())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.code() < Some(2), "{options:?}: {said}");
    let result = (files(&out), testkit::json(&out.join("stats.json")));
    std::fs::remove_dir_all(&out).unwrap();
    result
}

#[test]
fn any_number_of_workers_writes_the_same_files() {
    let _turn = turn();
    let Some(dir) = engine!("deterministic") else {
        return;
    };
    dir.write("t.c", TABLES);
    for options in [
        &["--tests", "all"][..],
        &["--max-forks", "600", "--tests", "all"],
        &["--seed", "5"],
    ] {
        let (alone, stats) = explored(&dir, &[&["--jobs", "1"], options].concat());
        assert_eq!(stats["repeatable"], true, "{stats}");
        if options.contains(&"--max-forks") {
            assert!(
                stats["halted"].as_str().unwrap().contains("forks limited"),
                "{stats}"
            );
            assert!(stats["forks"].as_u64().unwrap() <= 600, "{stats}");
            assert!(stats["completed_paths"].as_u64().unwrap() > 400, "{stats}");
        } else {
            assert_eq!(stats["halted"], serde_json::Value::Null, "{stats}");
            assert_eq!(stats["completed_paths"], 2187);
        }
        for jobs in ["2", "3"] {
            let (together, all) = explored(&dir, &[&["--jobs", jobs], options].concat());
            assert!(together == alone, "{jobs} workers, {options:?}: {all}");
            for same in [
                "halted",
                "completed_paths",
                "partial_paths",
                "endings",
                "forks",
                "queries",
            ] {
                assert_eq!(
                    all[same], stats[same],
                    "{same}, {jobs} workers, {options:?}"
                );
            }
        }
    }
}

/// The workers of a run.
fn workers(pid: u32) -> Vec<u32> {
    let list = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    let list = list.unwrap_or_default();
    let pids = list.split_whitespace().filter_map(|pid| pid.parse().ok());
    // (The compiler is a child of the run, too.)
    let name = |pid: u32| std::fs::read_to_string(format!("/proc/{pid}/cmdline"));
    pids.filter(|&pid| name(pid).is_ok_and(|words| words.contains("\0part\0")))
        .collect()
}

#[test]
fn killed_workers_and_a_stop_change_nothing_that_counts() {
    let _turn = turn();
    let Some(dir) = engine!("deterministic_killed") else {
        return;
    };
    dir.write("t.c", TABLES);
    let (undisturbed, _) = explored(&dir, &["--jobs", "2", "--tests", "all"]);
    let options = ["--out", "out", "--jobs", "2", "--tests", "all"];
    let mut run = Attended::begin(&mut command(&dir, &options));
    let mut random = Random::new(3);
    // Not for ever, and each has done something: on a machine with much other work nothing would be done otherwise. (A worker lives
    // for one round, a tenth of a second where nothing else runs.)
    let mut kills = 0;
    run.until("the run ends", |pid| {
        let mut workers = workers(pid);
        workers.retain(|&worker| processor_time(worker) >= Duration::from_millis(10));
        if !workers.is_empty() && kills < 10 {
            testkit::signal(workers[random.index(workers.len())], "-KILL");
            kills += 1;
        }
        false
    });
    let (code, said) = run.end();
    assert!(matches!(code, 0 | 1), "{said}");
    let stats = testkit::json(&dir.join("out/stats.json"));
    let deaths = stats["workers"].as_array().unwrap().iter();
    let deaths: u64 = deaths.map(|w| w["deaths"].as_u64().unwrap()).sum();
    assert!(deaths > 0, "{stats}");
    assert!(files(&dir.join("out")) == undisturbed, "{deaths} deaths");
    std::fs::remove_dir_all(dir.join("out")).unwrap();
    // A run that is stopped says that another one may come further, and can be gone on with.
    let mut stopped = Attended::begin(&mut command(&dir, &options));
    let at_work = stopped.until("it has workers", |pid| workers(pid).len() == 2);
    assert!(at_work, "it ended by itself");
    stopped.signal("-INT");
    let (_, said) = stopped.end();
    assert!(
        said.contains("the files of another run may differ"),
        "{said}"
    );
    let stats = testkit::json(&dir.join("out/stats.json"));
    assert_eq!(stats["repeatable"], false, "{stats}");
    let resumed = dir.polypath(["run", "--resume", "out", "--quiet", "--time", "0"]);
    assert!(resumed.code < 2, "{}", resumed.stderr);
    let stats = testkit::json(&dir.join("out/stats.json"));
    assert_eq!(stats["completed_paths"], 2187, "{stats}");
    assert_eq!(stats["halted"], serde_json::Value::Null, "{stats}");
}

#[test]
fn inputs_one_after_the_other_repeat_as_well() {
    let _turn = turn();
    let Some(dir) = engine!("deterministic_concolic") else {
        return;
    };
    dir.write("t.c", TABLES.replace("20000", "200"));
    for options in [&["--tests", "all"][..], &["--partial-solutions"]] {
        let options = [&["--mode", "concolic"], options].concat();
        let (alone, stats) = explored(&dir, &[&["--jobs", "1"], &options[..]].concat());
        assert_eq!(stats["repeatable"], true, "{stats}");
        assert_eq!(stats["halted"], serde_json::Value::Null, "{stats}");
        assert_eq!(stats["completed_paths"], 2187, "{stats}");
        let (together, all) = explored(&dir, &[&["--jobs", "3"], &options[..]].concat());
        assert!(together == alone, "{options:?}: {all}");
        for same in ["completed_paths", "endings", "queries", "dse_runs"] {
            assert_eq!(all[same], stats[same], "{same}, {options:?}");
        }
    }
}

#[test]
fn what_cannot_be_repeated_is_refused() {
    let Some(dir) = engine!("deterministic_refused") else {
        return;
    };
    dir.write("t.c", "int main(void) { return 0; }\n");
    for (options, name) in [
        (&["--homi"][..], "--homi"),
        (&["--log-queries", "logs"], "--log-queries"),
    ] {
        let ran = dir.polypath([&["run", "t.c", "--deterministic"], options].concat());
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(name), "{}", ran.stderr);
    }
}
