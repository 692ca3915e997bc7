//! Learned state pruning: runs repeat, pruned states leave their tests, and nothing is claimed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use testkit::{Place, engine};

/// A program with many paths.
const PROGRAM: &str = r#"
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
  int mode = 0, value = 0;
  for (int i = 1; i < argc; i++)
    for (char *p = argv[i]; *p; p++) switch (*p) {
      case '-': mode++; break;
      case 'a': value += 1; break;
      case 'b': value *= 2; break;
      case 'c': value -= 3; break;
      default: if (*p > 'x') value++;
    }
  if (mode == 2 && value == 7) puts("found");
  return value > 3;
}
"#;

/// Rounds of some hundred milliseconds, and an end that repeats.
const HOMI: &[&str] = &[
    "--homi-round",
    "60t",
    "--homi-cycle",
    "5t",
    "--homi-explore",
    "2",
    "--max-forks",
    "1100",
];

fn run(dir: &Place, out: &str, options: &[&str]) -> PathBuf {
    let program = dir.join("program.c");
    std::fs::write(&program, PROGRAM).expect("a program");
    let out = dir.join(out);
    let status = dir
        .command()
        .args(["run", "--quiet", "--out"])
        .arg(&out)
        .args(options)
        .arg(&program)
        .args(["--sym-args", "0", "2", "8"])
        .status();
    assert!(status.expect("polypath starts").success());
    out
}

/// The inputs of all tests, by their names.
fn inputs(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let tests = std::fs::read_dir(out.join("tests")).expect("tests");
    let tests = tests.map(|entry| entry.expect("an entry").path());
    let tests = tests.filter(|path| path.extension().is_some_and(|e| e == "ktest"));
    tests
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy();
            (name.into_owned(), std::fs::read(&path).expect("a test"))
        })
        .collect()
}

#[test]
fn a_run_in_ticks_repeats_for_each_method() {
    let Some(dir) = engine!("homi-repeats") else {
        return;
    };
    for method in ["--homi", "--homi=learned", "--homi=random", "--homi=divide"] {
        let mut runs = ["a", "b"].map(|name| {
            let mut options = vec![method, "--homi-portfolio=dfs/random-path"];
            options.extend(HOMI);
            let out = run(&dir, &format!("{name}{method}"), &options);
            let mut stats = testkit::json(&out.join("stats.json"));
            let rounds = stats["homi"]["rounds"].as_array_mut().expect("rounds");
            for round in &mut *rounds {
                round["seconds"] = 0.into();
            }
            assert!(rounds.len() >= 3, "{method}: {rounds:?}");
            let seen = (
                stats["homi"].clone(),
                stats["endings"].clone(),
                stats["instructions"].clone(),
            );
            (seen, inputs(&out))
        });
        assert_eq!(runs[0], runs[1], "{method}");
        assert!(!std::mem::take(&mut runs[0].1).is_empty());
    }
}

#[test]
fn a_pruned_state_leaves_its_test() {
    let Some(dir) = engine!("homi-pruned") else {
        return;
    };
    let mut all_early = 0;
    for seed in ["0", "1", "2", "3", "4", "5"] {
        let mut options = vec!["--homi=learned", "--seed", seed];
        options.extend(HOMI);
        let out = run(&dir, &format!("pruned{seed}"), &options);
        let stats = testkit::json(&out.join("stats.json"));
        let ended = |how: &str| stats["endings"][how].as_u64().unwrap_or(0);
        let tests = inputs(&out).len() as u64;
        assert!(ended("pruned") > 100, "{}", stats["endings"]);
        // Paths that are cut at the end of the run leave one if they covered something new, and states that differ from all
        // tests have one early.
        let least = ended("exit") + ended("pruned");
        let early = stats["homi"]["early_tests"].as_u64().expect("a number");
        assert!(
            (least..=least + ended("max-forks") + early).contains(&tests),
            "{tests} {}",
            stats["endings"]
        );
        let halted = stats["halted"].as_str().expect("a reason");
        assert!(halted.contains("paths pruned"), "{halted}");
        all_early += early;
    }
    // Few runs have any, since states that differ are seldom pruned in so small a program.
    assert!(all_early > 0);
}

/// The inputs of pruned states run on to the end of the program, within their share; each state still has its test.
#[test]
fn whole_tests_are_learned_from_within_their_share() {
    let Some(dir) = engine!("homi-whole") else {
        return;
    };
    let mut ran = Vec::new();
    for share in ["0", "0.1", "50"] {
        let mut options = vec!["--homi=learned", "--homi-test-share", share];
        options.extend(HOMI);
        let out = run(&dir, &format!("whole{share}"), &options);
        let stats = testkit::json(&out.join("stats.json"));
        let of = |name: &str| stats["homi"][name].as_u64().expect("a number");
        let tests = testcase::Run::read(&out)
            .expect("the run can be read")
            .tests;
        let ahead = tests.iter().filter(|t| t.is_ahead()).count() as u64;
        assert_eq!(ahead, of("tests_run"), "{}", stats["homi"]);
        assert_eq!(of("tests_cut"), 0);
        let pruned = stats["endings"]["pruned"].as_u64().expect("a number");
        let least = pruned + stats["endings"]["exit"].as_u64().expect("a number");
        assert!(tests.len() as u64 >= least, "{}", stats["endings"]);
        ran.push((of("tests_run"), of("tests_left")));
    }
    let [none, few, many] = ran[..] else {
        panic!("three runs");
    };
    assert_eq!(none, (0, 0));
    assert!(few.1 > 0, "{few:?}");
    assert!(many.0 > few.0, "{few:?} {many:?}");
}

/// Where rounds go on, pruned states come back: everything is explored in the end, once.
#[test]
fn nothing_is_lost_and_nothing_repeats_where_rounds_go_on() {
    let Some(dir) = engine!("homi-all") else {
        return;
    };
    let few = &PROGRAM.replace("if (*p > 'x') value++", "return 9");
    let program = dir.join("few.c");
    std::fs::write(&program, few).expect("a program");
    let exits = |out: &str, options: &[&str]| {
        let out = dir.join(out);
        let status = dir
            .command()
            .args(["run", "--quiet", "--out"])
            .arg(&out)
            .args(options)
            .arg(&program)
            .args(["--sym-args", "0", "1", "5"])
            .status();
        assert!(status.expect("polypath starts").success());
        testkit::json(&out.join("stats.json"))
    };
    let plain = exits("plain", &[]);
    let homi = exits(
        "homi",
        &["--homi", "--homi-round", "12t", "--homi-cycle", "1t"],
    );
    assert_eq!(homi["endings"], plain["endings"], "{}", homi["homi"]);
    assert_eq!(homi["halted"], serde_json::Value::Null);
    let resumed = homi["states_resumed"].as_u64().expect("a number");
    assert!(resumed > 20, "{resumed}");
}

/// The factors of a product of two primes: no round decides whether there are any.
const FACTORS: &str = r#"
#include <klee/klee.h>
int main(int argc, char **argv) {
  unsigned long a, b;
  klee_make_symbolic(&a, 8, "a");
  klee_make_symbolic(&b, 8, "b");
  int n = 0;
  for (char *p = argv[1]; *p; p++) n += *p == 'a';
  if (((a > 1) & (b > 1) & (a < 0xffffffff) & (b < 0xffffffff)) && a * b == 0x7f07f33dd5113f65) return 1;
  return n;
}
"#;

#[test]
fn a_side_that_every_round_sets_aside_is_counted_once() {
    let Some(dir) = engine!("homi-parked") else {
        return;
    };
    let program = dir.join("factors.c");
    std::fs::write(&program, FACTORS).expect("a program");
    let out = dir.join("out");
    let options = ["--homi=divide", "--homi-round", "40t", "--solver-time", "1"];
    let status = dir
        .command()
        .args(["run", "--quiet", "--cpu-time", "5", "--out"])
        .arg(&out)
        .args(options)
        .arg(&program)
        .args(["--sym-arg", "3"])
        .status();
    assert!(status.expect("polypath starts").success());
    let stats = testkit::json(&out.join("stats.json"));
    let parked = stats["parked"]["budget"].as_u64().expect("a number");
    let rounds = stats["homi"]["rounds"].as_array().expect("rounds").len() as u64;
    // There are 15 paths up to there.
    assert!((1..=15).contains(&parked), "{parked}");
    assert!(rounds > 20, "{rounds}");
}

#[test]
fn a_run_that_is_over_in_its_first_round_is_complete() {
    let Some(dir) = engine!("homi-complete") else {
        return;
    };
    let options = ["--homi", "--homi-round", "100000t", "--max-depth", "0"];
    let program = dir.join("small.c");
    std::fs::write(
        &program,
        "int main(int argc, char **argv) { if (argv[1][0] == 'x') return 7; return 0; }",
    )
    .expect("a program");
    let out = dir.join("complete");
    let status = dir
        .command()
        .args(["run", "--quiet", "--out"])
        .arg(&out)
        .args(options)
        .arg(&program)
        .args(["--sym-arg", "1"])
        .status();
    assert!(status.expect("polypath starts").success());
    let stats = testkit::json(&out.join("stats.json"));
    assert_eq!(stats["halted"], serde_json::Value::Null);
    assert_eq!(stats["endings"]["exit"], 2);
}

#[test]
fn concolic_mode_refuses() {
    let Some(dir) = engine!("homi-concolic") else {
        return;
    };
    let program = dir.join("program.c");
    std::fs::write(&program, PROGRAM).expect("a program");
    let ran = dir
        .command()
        .args(["run", "--homi", "--mode", "concolic"])
        .arg(&program)
        .output();
    let ran = ran.expect("polypath starts");
    assert_eq!(ran.status.code(), Some(2));
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(said.contains("--homi: only with --mode fork"), "{said}");
}
