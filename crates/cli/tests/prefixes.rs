//! A path is given by its prefix: following it leads to the same state, and a state that memory drove out comes back.

use std::collections::BTreeSet;
use std::path::Path;
use testcase::ExitKind;
use testkit::{Place, engine};

/// 2^12 paths, each with some 250 KB of its own.
const WIDE: &str = r#"
#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
    unsigned char in[12]; unsigned sum = 0, n = 1 << 16;
    klee_make_symbolic(in, sizeof in, "in");
    unsigned *own = malloc(n * sizeof *own);
    if (!own) return 90;
    for (int i = 0; i < 12; i++)
        if (in[i] & 1) for (unsigned k = 0; k < n; k += 1024) own[k] = i + k;
        else for (unsigned k = 512; k < n; k += 1024) own[k] = i ^ k;
    for (unsigned k = 0; k < n; k += 512) sum += own[k];
    return sum & 3;
}
"#;

/// Runs to the end, with each path that ends followed once more: how many there were.
fn followed(dir: &Place, options: &[&str], program: &str) -> u64 {
    let ran = dir
        .command()
        .env("POLYPATH_CHECK_PREFIXES", "1")
        .args(["run", "--out", "out", "--time", "300"])
        .args(options)
        .arg(program)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    let stats = testkit::json(&dir.join("out/stats.json"));
    assert_eq!(stats["internal_errors"], 0, "{program}: {said}");
    std::fs::remove_dir_all(dir.join("out")).unwrap();
    let paths = stats["completed_paths"].as_u64().unwrap();
    // A path on which nothing was left to follow is not counted, only one that went elsewhere is wrong.
    assert_eq!(
        stats["prefixes_followed"].as_u64().unwrap_or(0),
        paths,
        "{program}: {said}"
    );
    paths
}

#[test]
fn following_its_prefix_leads_to_the_end_of_each_path() {
    let Some(dir) = engine!("prefixes") else {
        return;
    };
    dir.write("choices.c", testkit::choices(8, 9, 7));
    let many: &[&str] = &["--max-forks", "2000"];
    assert!(followed(&dir, many, "choices.c") > 500);
    let failing: &[&str] = &["--fail-syscalls", "2", "--max-forks", "600"];
    assert!(followed(&dir, failing, "choices.c") > 100);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/symbolic");
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|e| e == "c") {
            followed(&dir, &["--max-forks", "100"], path.to_str().unwrap());
        }
    }
}

/// 2^6 paths with some 500 KB of their own, on each of which a side is parked for floats.
const WIDE_FLOATS: &str = r#"
#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
    unsigned char in[6]; unsigned sum = 0, n = 1 << 18; double x;
    klee_make_symbolic(in, sizeof in, "in");
    klee_make_symbolic(&x, sizeof x, "x");
    unsigned *own = malloc(n * sizeof *own);
    if (!own) return 90;
    for (int i = 0; i < 6; i++)
        if (in[i] & 1) for (unsigned k = 0; k < n; k += 512) own[k] = i + k;
        else for (unsigned k = 256; k < n; k += 512) own[k] = i ^ k;
    for (unsigned k = 0; k < n; k += 256) sum += own[k];
    if (x + 1.5 == 7) return 70 + (sum & 3);
    return sum & 3;
}
"#;

/// The paths of a run that came to their ends, by what they do. (A state that memory drove out leaves a test, too, if it
/// has covered something new.)
fn paths(dir: &Place, program: &str, options: &[&str]) -> (BTreeSet<u64>, serde_json::Value) {
    let ran = dir
        .command()
        .args(["run", "--out", "out", "--tests", "all", "--search", "bfs"])
        .args(options)
        .arg(program)
        .output()
        .unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let run = testcase::Run::read(&dir.join("out")).unwrap();
    let stats = testkit::json(&dir.join("out/stats.json"));
    let ends = run.tests.iter().map(|t| &t.expected);
    let ends = ends.filter(|end| !matches!(end.exit, ExitKind::Killed(_)));
    let hashes = ends.filter_map(|end| end.path_hash);
    let hashes = hashes.collect();
    std::fs::remove_dir_all(dir.join("out")).unwrap();
    (hashes, stats)
}

#[test]
fn states_that_memory_drove_out_come_back() {
    let Some(dir) = engine!("spilled") else {
        return;
    };
    dir.write("wide.c", WIDE);
    let (all, _) = paths(&dir, "wide.c", &["--memory", "4000"]);
    assert_eq!(all.len(), 1 << 12);
    let (with_little, stats) = paths(&dir, "wide.c", &["--memory", "120"]);
    let spilled = stats["states_spilled"].as_u64().unwrap();
    assert!(
        spilled > 50,
        "{spilled} states were spilled: the cap was not reached"
    );
    assert_eq!(stats["states_taken_up"].as_u64(), Some(spilled));
    assert_eq!(stats["halted"], serde_json::Value::Null);
    assert_eq!(all, with_little);
}

#[test]
fn states_that_memory_drove_out_of_several_workers_come_back() {
    let Some(dir) = engine!("spilled-jobs") else {
        return;
    };
    // Each process has code and tables of its own before its first state.
    dir.write("wide.c", WIDE.replace("1 << 16", "1 << 18"));
    let (all, _) = paths(&dir, "wide.c", &["--memory", "4000"]);
    for memory in ["160", "220"] {
        let (with_little, stats) = paths(&dir, "wide.c", &["--memory", memory, "--jobs", "2"]);
        assert!(stats["states_spilled"].as_u64() > Some(50), "{stats}");
        assert_eq!(stats["halted"], serde_json::Value::Null, "{stats}");
        let missing: Vec<&u64> = all.difference(&with_little).collect();
        let others: Vec<&u64> = with_little.difference(&all).collect();
        assert!(
            missing.is_empty() && others.is_empty(),
            "missing {missing:x?}, others {others:x?} {stats}"
        );
    }
}

/// 2^16 paths without memory of their own: what they leave open fills it.
const NARROW: &str = r#"
#include <klee/klee.h>
int main(void) {
    unsigned char in[16]; unsigned sum = 0;
    klee_make_symbolic(in, sizeof in, "in");
    for (int i = 0; i < 16; i++)
        if (in[i] > 10 * i) sum += 1u << i;
        else sum ^= 3u * i;
    return sum & 3;
}
"#;

#[test]
fn branches_that_memory_drove_out_come_back() {
    let Some(dir) = engine!("spilled-concolic") else {
        return;
    };
    dir.write("narrow.c", NARROW);
    // What compiles takes more memory than there will be.
    let mut cc = dir.command();
    let compiled = cc
        .args(["cc", "-c", "-o", "narrow.bc", "narrow.c"])
        .output();
    assert!(compiled.unwrap().status.success());
    let concolic = ["--mode", "concolic"];
    // Without a limit it is 95 MB. The engine alone takes up to 40, of which a third is its code, and 20 what is left free
    // between what stays.
    for (jobs, memory) in [("1", "78"), ("2", "270")] {
        let little = [&concolic[..], &["--memory", memory, "--jobs", jobs]].concat();
        let (with_little, stats) = paths(&dir, "narrow.bc", &little);
        let spilled = stats["states_spilled"].as_u64();
        assert!(jobs == "2" || spilled > Some(50), "{stats}");
        assert_eq!(stats["halted"], serde_json::Value::Null, "{stats}");
        assert_eq!(with_little.len(), 1 << 16);
    }
}

/// A path that takes all memory is named, and the user hears before the first step where there is little.
#[test]
fn a_path_without_memory_is_lost_by_name() {
    let Some(dir) = engine!("no-memory") else {
        return;
    };
    dir.write("hog.c", HOG);
    // What compiles takes more memory than there will be; what the first run lowers, the second one has.
    let mut cc = dir.command();
    let compiled = cc.args(["cc", "-c", "-o", "hog.bc", "hog.c"]).output();
    assert!(compiled.unwrap().status.success());
    let run = |memory| {
        let mut run = dir.command();
        let run = run
            .args(["run", "--out", "out", "--mode", "concolic", "--jobs", "1"])
            .args(["--memory", memory, "hog.bc"]);
        let output = run.output().unwrap();
        let stats = testkit::json(&dir.join("out/stats.json"));
        assert!(stats["memory_killed"].as_u64() > Some(0), "{stats}");
        assert_eq!(stats["divergences"], 0, "{stats}");
        std::fs::remove_dir_all(dir.join("out")).unwrap();
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let notes = |said: &str| said.contains("before the first step");
    assert!(!notes(&run("300")));
    assert!(notes(&run("35")));
}

/// One of its paths takes all memory.
const HOG: &str = r#"
#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
    unsigned char in[2];
    klee_make_symbolic(in, sizeof in, "in");
    if (in[0] == 7)
        for (unsigned i = 0;; i++) *(unsigned *)malloc(4096) = i ^ in[1];
    return in[1] > in[0];
}
"#;

#[test]
fn starts_of_simulation_that_memory_drove_out_come_back() {
    let Some(dir) = engine!("spilled-floats") else {
        return;
    };
    dir.write("floats.c", WIDE_FLOATS);
    // Without the layers that decide floats, so that there is something left to simulate.
    let layers = "rewrite,domains,independence,cores,reuse,intervals,search,blast";
    let with = |memory| {
        paths(
            &dir,
            "floats.c",
            &["--memory", memory, "--solver-layers", layers],
        )
    };
    let (all, _) = with("4000");
    assert_eq!(all.len(), 2 << 6);
    let (with_little, stats) = with("120");
    assert!(stats["states_spilled"].as_u64() > Some(0), "{stats}");
    assert_eq!(stats["states_taken_up"], stats["states_spilled"]);
    assert_eq!(stats["float_restarts"].as_u64(), Some(1 << 6), "{stats}");
    assert_eq!(stats["halted"], serde_json::Value::Null);
    assert_eq!(all, with_little);
}
