//! Several workers explore what one does, whatever happens to them.

use crate::turn;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use testcase::ExitKind;
use testkit::{Attended, Place, Random, engine, processor_time};

/// 3^N paths: a branch on each of N bytes, and an address that may mean one of two objects. Each path then takes `work` rounds
/// of a loop. (Paths are cheap to explore; it is their tests that take time, most of all the first thousand, which are files.)
pub fn tables(n: u32, work: u64) -> String {
    const TABLES: &str = r#"
#include <klee/klee.h>
int main(void) {
    unsigned char in[N], a[4] = { 1, 2, 3, 4 }, b[4] = { 5, 6, 7, 8 }; int sum = 0;
    klee_make_symbolic(in, sizeof in, "in");
    for (int i = 0; i < N; i++) {
        if (in[i] < 100) sum++;
        else sum += (in[i] < 200 ? a : b)[2];
    }
    for (volatile long w = 0; w < WORK; w++);
    return sum & 63;
}
"#;
    format!("#define N {n}\n#define WORK {work}\n{TABLES}")
}

/// Rounds of the loop with which 3^5 paths take some seconds.
pub const SECONDS: u64 = 100_000;

/// A recursive descent parser.
const PARSER: &str = r#"
#include <klee/klee.h>
static unsigned char text[6]; static int at;
static int expression(void);
static int atom(void) {
    int c = at < 6 ? text[at++] : 0;
    if (c == '(') { int v = expression(); if (at < 6 && text[at] == ')') at++; else klee_silent_exit(2); return v; }
    if (c >= '0' && c <= '9') return c - '0';
    if (c == '-') return -atom();
    klee_silent_exit(1); return 0;
}
static int expression(void) {
    int v = atom();
    while (at < 6 && (text[at] == '+' || text[at] == '*')) if (text[at++] == '+') v += atom(); else v *= atom();
    return v;
}
int main(void) {
    klee_make_symbolic(text, sizeof text, "text");
    int v = expression();
    return v == 42 ? 1 : v > 9 ? 2 : 0;
}
"#;

/// Errors of several kinds, each on many paths.
const ERRORS: &str = r#"
#include <klee/klee.h>
#include <assert.h>
int main(int argc, char **argv) {
    unsigned char in[8]; int table[4] = { 1, 2, 3, 4 }, sum = 0;
    klee_make_symbolic(in, sizeof in, "in");
    for (int i = 0; i < 8; i++) if (in[i] & 1) sum += i;
    if (sum == 13) sum += table[in[0] & 7];
    if (sum == 11) sum /= in[1] & 3;
    assert(sum != 28 || in[2] != 7);
    return 0;
}
"#;

/// No end: each round of the loop may be the last.
const ENDLESS: &str = r#"
#include <klee/klee.h>
int main(void) {
    unsigned n = 0, x;
    for (;; n++) {
        unsigned char c;
        klee_make_symbolic(&c, 1, "c");
        if (c == n % 256) return 1;
        if (c > 200) x = n; else x = 2 * n;
    }
    return x;
}
"#;

/// Ways through four bytes of standard input.
const STDIN: &str = r#"
#include <unistd.h>
int main(void) {
    char in[4] = { 0 }; int sum = 0;
    read(0, in, 4);
    for (int i = 0; i < 4; i++) if (in[i] > 'f') sum += 1; else if (in[i] < 3) sum += 7;
    return sum;
}
"#;

pub const CONCOLIC: &[&str] = &["--mode", "concolic"];

/// States are pruned and taken up again all the time.
pub const PRUNED: &[&str] = &["--homi", "--homi-round", "12t", "--homi-cycle", "1t"];

/// What a run found.
#[derive(PartialEq)]
struct Found {
    /// The paths: their choices and their hash.
    paths: BTreeSet<String>,
    /// How many paths were told: each once, if that is as many.
    told: u64,
    errors: BTreeSet<String>,
}

fn found(out: &Path) -> (Found, serde_json::Value) {
    let run = testcase::Run::read(out).unwrap();
    let path = |t: &testcase::TestCase| format!("{:?} {:?}", t.prefix, t.expected.path_hash);
    // Paths that ended with a run come again in the one that goes on.
    let ended = |t: &&testcase::TestCase| !matches!(t.expected.exit, ExitKind::Killed(_));
    let errors = run.errors.iter();
    let found = Found {
        paths: run.tests.iter().filter(ended).map(path).collect(),
        told: run.tests.iter().filter(ended).count() as u64,
        errors: errors
            .map(|e| format!("{:?} {}:{}", e.kind, e.file, e.line))
            .collect(),
    };
    (found, testkit::json(&out.join("stats.json")))
}

/// The hashes of the paths.
fn hashes(found: &Found) -> BTreeSet<&str> {
    let hash = |path: &'_ String| path.rfind("Some").map_or(0, |at| at);
    found.paths.iter().map(|path| &path[hash(path)..]).collect()
}

fn command(dir: &Place, program: &str, jobs: u32, options: &[&str]) -> Command {
    let mut command = dir.command();
    let jobs = jobs.to_string();
    command
        .args([
            "run", "--out", "out", "--tests", "all", "--quiet", "--jobs", &jobs,
        ])
        .args(options)
        .arg(program)
        .stderr(Stdio::piped());
    command
}

fn explore(dir: &Place, program: &str, jobs: u32, options: &[&str]) -> (Found, serde_json::Value) {
    explore_with(dir, program, jobs, options, &[])
}

/// The same, with arguments behind the program.
fn explore_with(
    dir: &Place,
    program: &str,
    jobs: u32,
    options: &[&str],
    input: &[&str],
) -> (Found, serde_json::Value) {
    let mut command = command(dir, program, jobs, options);
    let ran = command.args(input).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(
        ran.status.code() < Some(2),
        "{program}, {jobs} workers: {said}"
    );
    let result = found(&dir.join("out"));
    std::fs::remove_dir_all(dir.join("out")).unwrap();
    result
}

#[test]
fn any_number_of_workers_finds_the_same_paths() {
    let _turn = turn();
    let Some(dir) = engine!("same") else { return };
    let choices = testkit::choices(4, 4, 3);
    let tables = tables(4, 0);
    let programs: [(&str, &str, &[&str]); 9] = [
        ("tables.c", &tables, &[]),
        ("tables.c", &tables, PRUNED),
        ("parser.c", PARSER, PRUNED),
        ("tables.c", &tables, CONCOLIC),
        ("parser.c", PARSER, CONCOLIC),
        (
            "choices.c",
            &choices,
            &["--mode", "concolic", "--partial-solutions"],
        ),
        ("parser.c", PARSER, &[]),
        ("choices.c", &choices, &[]),
        (
            "choices.c",
            &choices,
            &["--fail-syscalls", "1", "--search", "bfs"],
        ),
    ];
    for (name, text, options) in programs {
        dir.write(name, text);
        let (alone, stats) = explore(&dir, name, 1, options);
        assert_eq!(stats["halted"], serde_json::Value::Null, "{name}");
        assert!(alone.told > 50, "{name}: {} paths", alone.told);
        let numbers: &[u32] = if options.is_empty() { &[2, 8] } else { &[3] };
        for &jobs in numbers {
            let (together, all) = explore(&dir, name, jobs, options);
            let what = format!("{name}, {jobs} workers: {all}");
            assert_eq!(together.told, alone.told, "{what}");
            assert!(together.paths == alone.paths, "{what}");
            for same in [
                "halted",
                "completed_paths",
                "covered_branches",
                "endings",
                "tests",
            ] {
                // Which pruned states leave a test depends on what runs when.
                if (options, same) != (PRUNED, "tests") {
                    assert_eq!(all[same], stats[same], "{same} of {what}");
                }
            }
            let workers = all["workers"].as_array().unwrap();
            assert_eq!(workers.len(), jobs as usize);
            let sum: u64 = workers
                .iter()
                .map(|w| w["completed_paths"].as_u64().unwrap())
                .sum();
            assert_eq!(Some(sum), all["completed_paths"].as_u64());
        }
        if options == CONCOLIC {
            // Decisions that are forced are choices there, too.
            let (forked, _) = explore(&dir, name, 1, &[]);
            assert_eq!(alone.told, forked.told, "{name}");
            assert!(hashes(&alone) == hashes(&forked), "{name}");
        }
    }
}

#[test]
fn seeds_are_a_part_of_what_is_shared() {
    let _turn = turn();
    let Some(dir) = engine!("seeds") else { return };
    std::fs::create_dir(dir.join("seeds")).unwrap();
    dir.write("seeds/a", "\u{1}\u{2}\u{3}\u{4}");
    dir.write("seeds/b", "zzzz");
    dir.write("stdin.c", STDIN);
    let options = ["--mode", "concolic", "--seed-input", "seeds"];
    let input = ["--", "--sym-stdin", "4"];
    let (alone, stats) = explore_with(&dir, "stdin.c", 1, &options, &input);
    assert_eq!(stats["halted"], serde_json::Value::Null, "{stats}");
    for jobs in [2, 3] {
        let (together, all) = explore_with(&dir, "stdin.c", jobs, &options, &input);
        assert_eq!(all["halted"], serde_json::Value::Null, "{all}");
        assert!(together.paths == alone.paths, "{all}");
        assert_eq!(together.told, alone.told, "{all}");
    }
}

#[test]
fn errors_are_told_once() {
    let _turn = turn();
    let Some(dir) = engine!("errors") else { return };
    dir.write("errors.c", ERRORS);
    let (alone, stats) = explore(&dir, "errors.c", 1, &[]);
    assert_eq!(alone.errors.len(), 3, "{:?}", alone.errors);
    for (jobs, options) in [(5, &[][..]), (1, CONCOLIC), (3, CONCOLIC)] {
        let (together, all) = explore(&dir, "errors.c", jobs, options);
        assert_eq!(together.errors, alone.errors);
        if options.is_empty() {
            assert_eq!(all["errors"], stats["errors"]);
        }
        assert_eq!(all["halted"], serde_json::Value::Null);
    }
    // An assumption that no path of any worker gets past is one.
    let never = "#include <klee/klee.h>\nint main(void) { int x; klee_make_symbolic(&x, 4, \"x\"); \
                 klee_assume(x == 3); klee_assume(x == 4); return 0; }\n";
    dir.write("never.c", never);
    let (alone, _) = explore(&dir, "never.c", 1, &[]);
    for (jobs, options) in [(2, &[][..]), (1, CONCOLIC), (2, CONCOLIC)] {
        let (together, _) = explore(&dir, "never.c", jobs, options);
        assert_eq!((alone.errors.len(), &together.errors), (1, &alone.errors));
    }
}

/// What the system says of a process; nothing if there is none.
fn proc(pid: u32, what: &str) -> String {
    let bytes = std::fs::read(format!("/proc/{pid}/{what}")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The workers of a run.
pub fn workers(pid: u32) -> Vec<u32> {
    let list = proc(pid, &format!("task/{pid}/children"));
    let pids = list.split_whitespace().filter_map(|pid| pid.parse().ok());
    pids.filter(|&pid| proc(pid, "cmdline").contains("\0part\0"))
        .collect()
}

pub fn signal(pid: u32, signal: libc::c_int) {
    // SAFETY: kill only reads its arguments.
    unsafe { libc::kill(pid as libc::pid_t, signal) };
}

/// Processor time of a run with its children, those that have ended and those that have not.
pub fn worked(pid: u32) -> Duration {
    let live: Duration = workers(pid).into_iter().map(processor_time).sum();
    live + testkit::family_time(pid)
}

/// Waits for the end of a run, and does something in between, every so many milliseconds.
fn attended(command: &mut Command, every: u64, mut act: impl FnMut(u32)) -> (i32, String) {
    let mut run = Attended::begin(command);
    let mut last = Instant::now();
    run.until("the run ends", |pid| {
        if last.elapsed() > Duration::from_millis(every) {
            act(pid);
            last = Instant::now();
        }
        false
    });
    run.end()
}

/// What one worker finds in `tables.c`, which is written so that this takes it so much processor time at least.
fn at_least(least: Duration, dir: &Place, options: &[&str]) -> (Found, serde_json::Value) {
    let mut work = SECONDS / 2;
    loop {
        dir.write("tables.c", tables(5, work));
        let (alone, stats) = explore(dir, "tables.c", 1, options);
        if stats["cpu_s"].as_f64() >= Some(least.as_secs_f64()) {
            return (alone, stats);
        }
        work *= 2;
    }
}

#[test]
fn workers_that_are_killed_lose_no_path() {
    let _turn = turn();
    let Some(dir) = engine!("killed") else { return };
    let mut random = Random::new(5);
    for (jobs, options) in [(3, &[][..]), (2, CONCOLIC), (2, PRUNED)] {
        let (alone, _) = at_least(Duration::from_millis(1500), &dir, options);
        let mut run = command(&dir, "tables.c", jobs, options);
        // Not for ever, and each has lived for a while: on a machine with much other work nothing would be done otherwise.
        let mut kills = 0;
        let (code, said) = attended(&mut run, 100, |pid| {
            let mut workers = workers(pid);
            workers.retain(|&worker| processor_time(worker) > Duration::from_millis(100));
            if !workers.is_empty() && kills < 6 {
                signal(workers[random.index(workers.len())], libc::SIGKILL);
                kills += 1;
            }
        });
        assert_eq!(code, 0, "{said}");
        let (together, stats) = found(&dir.join("out"));
        let deaths = stats["workers"].as_array().unwrap().iter();
        let deaths: u64 = deaths.map(|w| w["deaths"].as_u64().unwrap()).sum();
        assert!(deaths > 1, "{deaths} deaths");
        assert_eq!(stats["halted"], serde_json::Value::Null, "{stats}");
        assert_eq!(together.told, alone.told, "{deaths} deaths: {stats}");
        assert!(together.paths == alone.paths, "{deaths} deaths");
        std::fs::remove_dir_all(dir.join("out")).unwrap();
    }
}

#[test]
fn a_path_that_crashes_its_workers_is_named() {
    let _turn = turn();
    let Some(dir) = engine!("crash") else { return };
    dir.write(
        "long.c",
        "#include <klee/klee.h>\nint main(void) { unsigned char c; klee_make_symbolic(&c, 1, \"c\"); \
         if (c != 77) return 0; volatile unsigned n = 0; while (n < 2000000000u) n++; return n; }\n",
    );
    let mut run = command(&dir, "long.c", 2, &["--time", "200"]);
    // Whoever has worked for a while works on the long path.
    let while_ = Duration::from_millis(1500);
    let (code, said) = attended(&mut run, 100, |pid| {
        for worker in workers(pid) {
            if processor_time(worker) > while_ {
                signal(worker, libc::SIGSEGV);
            }
        }
    });
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("a worker crashed"), "{said}");
    let (_, stats) = found(&dir.join("out"));
    assert_eq!(stats["internal_errors"], 1, "{stats}");
    let run = testcase::Run::read(&dir.join("out")).unwrap();
    let crashed = run
        .tests
        .iter()
        .find(|t| matches!(&t.expected.exit, ExitKind::Killed(why) if why.contains("crashed")));
    let crashed = crashed.expect("the input is kept");
    assert_eq!(crashed.objects, [("c".to_string(), vec![77])]);
}

#[test]
fn limits_hold_for_all_workers() {
    let _turn = turn();
    let Some(dir) = engine!("limits") else { return };
    dir.write("endless.c", ENDLESS);
    // Without a limit it goes on for longer than the test waits.
    let run = |options: &[&str]| {
        let (code, said) = Attended::begin(&mut command(&dir, "endless.c", 3, options)).end();
        // 4 where no path was complete.
        assert!(matches!(code, 0 | 4), "{code}: {said}");
        let (_, stats) = found(&dir.join("out"));
        std::fs::remove_dir_all(dir.join("out")).unwrap();
        stats
    };
    let halted = |stats: &serde_json::Value| stats["halted"].as_str().unwrap_or("").to_string();
    // On a busy machine the workers may need longer to begin.
    for seconds in ["3", "10", "60"] {
        let stats = run(&["--time", seconds]);
        assert!(halted(&stats).starts_with("time limit"), "{stats}");
        if stats["completed_paths"].as_u64() > Some(3) {
            break;
        }
        assert_ne!(seconds, "60", "{stats}");
    }
    let stats = run(&["--cpu-time", "3"]);
    assert!(halted(&stats).starts_with("CPU time limit"), "{stats}");
    assert!(stats["cpu_s"].as_f64() < Some(6.0), "{stats}");
    let stats = run(&["--max-forks", "200"]);
    assert!(halted(&stats).starts_with("fork limit"), "{stats}");
    let forks = stats["forks"].as_u64().unwrap();
    assert!((150..=210).contains(&forks), "{forks} forks");
    let mut asked = Attended::begin(&mut command(&dir, "endless.c", 2, &[]));
    asked.until("it has workers", |pid| workers(pid).len() > 1);
    signal(asked.id(), libc::SIGINT);
    asked.end();
    let (_, stats) = found(&dir.join("out"));
    assert!(halted(&stats).starts_with("interrupted"), "{stats}");
}

#[test]
fn workers_end_with_their_run() {
    let _turn = turn();
    let Some(dir) = engine!("orphans") else {
        return;
    };
    dir.write("endless.c", ENDLESS);
    let mut run = Attended::begin(&mut command(&dir, "endless.c", 3, &[]));
    run.until("it has workers", |pid| workers(pid).len() == 3);
    let workers = workers(run.id());
    signal(run.id(), libc::SIGKILL);
    run.end();
    let gone = || workers.iter().all(|&worker| testkit::is_gone(worker));
    testkit::until("no worker lives on", gone);
}

#[test]
fn numbers_of_workers_that_cannot_be_are_refused() {
    let _turn = turn();
    let Some(dir) = engine!("refused") else {
        return;
    };
    dir.write("p.c", "int main(void) { return 0; }\n");
    for (options, words) in [
        (&["--jobs", "10000"][..], "at most 1024"),
        (&["--jobs", "64", "--memory", "100"], "--memory 100"),
        (&["--jobs", "0"], "--jobs 0"),
    ] {
        let ran = dir.polypath([&["run", "p.c"], options].concat());
        assert_eq!(ran.code, 2, "{options:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(words), "{options:?}: {}", ran.stderr);
    }
    // Who calls a worker by hand is told what it is.
    let ran = dir.polypath(["part"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("polypath run"), "{}", ran.stderr);
    // A program without choices has one path, however many look at it.
    let ran = dir.polypath(["run", "p.c", "--jobs", "3", "--out", "one"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let stats = testkit::json(&dir.join("one/stats.json"));
    assert_eq!(
        (&stats["completed_paths"], &stats["exit_status"]),
        (&1.into(), &0.into())
    );
}

#[test]
fn one_option_has_one_worker_and_says_so() {
    let _turn = turn();
    let Some(dir) = engine!("alone") else { return };
    dir.write("p.c", "int main(void) { return 0; }\n");
    let options = ["--jobs", "2", "--out", "out", "--homi=learned"];
    let ran = dir.polypath(["run", "p.c"].into_iter().chain(options));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let words =
        "one worker explores: with rounds of --homi that begin from the start there are no more";
    assert!(ran.stderr.contains(words), "{}", ran.stderr);
    let info = testkit::json(&dir.join("out/info.json"));
    assert_eq!(
        info["one_worker"],
        "rounds of --homi that begin from the start"
    );
}

/// The logs of queries in `q`, by name.
fn logged(dir: &Place) -> BTreeMap<String, String> {
    let logs = std::fs::read_dir(dir.join("q")).unwrap();
    let logs = logs.map(|log| log.unwrap().path());
    logs.map(|log| {
        let name = log.file_name().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read_to_string(log).unwrap())
    })
    .collect()
}

#[test]
fn each_worker_logs_its_queries() {
    let _turn = turn();
    let Some(dir) = engine!("logged") else { return };
    dir.write("parser.c", PARSER);
    for (jobs, options) in [(1, &[][..]), (3, &[]), (2, CONCOLIC)] {
        // One worker may be done before another has begun: then there is one log. This does not happen each time.
        let mut most = 0;
        for _ in 0..20 {
            let options = [options, &["--log-queries", "q"]].concat();
            let (_, stats) = explore(&dir, "parser.c", jobs, &options);
            let logs = logged(&dir);
            let queries = logs.values().map(|log| log.matches("(check-sat)").count());
            assert_eq!(stats["queries"], queries.sum::<usize>(), "{jobs} workers");
            assert!((1..=jobs as usize).contains(&logs.len()), "{jobs} workers");
            if jobs > 1 {
                // What earlier workers wrote stays.
                explore(&dir, "parser.c", jobs, &options);
                let since = logged(&dir);
                assert!(since.len() > logs.len());
                assert!(logs.iter().all(|(name, log)| since.get(name) == Some(log)));
            }
            std::fs::remove_dir_all(dir.join("q")).unwrap();
            most = most.max(logs.len());
            if most > 1 || jobs == 1 {
                break;
            }
        }
        assert!(
            most > 1 || jobs == 1,
            "one of {jobs} workers did everything"
        );
    }
}

#[test]
fn files_are_saved_once() {
    let _turn = turn();
    let Some(dir) = engine!("saved") else { return };
    dir.write(
        "files.c",
        "#include <stdio.h>\nint main(void) { FILE *f = fopen(\"new\", \"w\"); \
         if (!f) return 1; fputs(\"hello\", f); fclose(f); return 0; }\n",
    );
    std::fs::create_dir(dir.join("shown")).unwrap();
    for jobs in [1, 3] {
        let options = ["--fs", "shown", "--save-fs", "saved"];
        let (_, stats) = explore(&dir, "files.c", jobs, &options);
        assert_eq!(stats["completed_paths"], 1, "{stats}");
        let saved = std::fs::read(dir.join("saved/new")).unwrap();
        assert_eq!(saved, b"hello");
        let here = std::fs::read_dir(dir.join(".")).unwrap();
        let names = here.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let saved: Vec<String> = names.filter(|name| name.starts_with("saved")).collect();
        assert_eq!(saved, ["saved"]);
        std::fs::remove_dir_all(dir.join("saved")).unwrap();
    }
}

#[test]
fn a_long_run_gets_workers_by_itself() {
    let _turn = turn();
    let Some(dir) = engine!("longer") else { return };
    let explore = |n: u32, work: u64, jobs: &str| {
        let name = format!("tables{n}.c");
        dir.write(&name, tables(n, work));
        let mut command = dir.command();
        match jobs {
            "" => command.env_remove("POLYPATH_JOBS"),
            jobs => command.env("POLYPATH_JOBS", jobs),
        };
        let options = ["run", "--out", "out", &name];
        let ran = command.args(options).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(0), "{said}");
        let result = found(&dir.join("out"));
        std::fs::remove_dir_all(dir.join("out")).unwrap();
        (result.0, result.1, said)
    };
    let (alone, _, said) = explore(5, 10 * SECONDS, "1");
    assert!(!said.contains("workers"), "{said}");
    let (together, stats, said) = explore(5, 10 * SECONDS, "");
    // On one core there is one.
    if std::thread::available_parallelism().unwrap().get() > 1 {
        assert!(said.contains("continuing with"), "{said}");
    }
    assert_eq!(together.told, alone.told, "{stats}");
    assert!(together.paths == alone.paths, "{stats}");
    assert_eq!(stats["completed_paths"], together.told);
    // A short one does not.
    let (short, _, said) = explore(2, 0, "");
    assert_eq!((short.told, said.contains("workers")), (9, false), "{said}");
}

#[test]
fn what_can_change_is_said_when_a_run_goes_on() {
    let _turn = turn();
    let Some(dir) = engine!("changed") else {
        return;
    };
    // Depth first, a few states live at a time.
    let long = tables(60, 0);
    dir.write("long.c", &long);
    let options = [
        "--search", "dfs", "--tests", "none", "--jobs", "2", "--time", "3",
    ];
    let limited = dir.polypath([&["run", "long.c", "--out", "out"], &options[..]].concat());
    assert!(matches!(limited.code, 0 | 4), "{}", limited.stderr);
    assert!(
        limited.stderr.contains("polypath run --resume "),
        "{}",
        limited.stderr
    );
    let paths = || {
        let stats = testkit::json(&dir.join("out/stats.json"));
        stats["completed_paths"].as_u64().unwrap()
    };
    let before = paths();
    let refused = |args: &[&str], words: &str| {
        let ran = dir.polypath(args);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(words), "{args:?}: {}", ran.stderr);
    };
    refused(
        &["run", "--resume", "out", "--max-depth", "3"],
        "--max-depth cannot be changed",
    );
    refused(
        &["run", "--resume", "out", "other.c"],
        "the program cannot be changed",
    );
    refused(&["run", "--resume", "nowhere"], "nowhere");
    // One at a time.
    let mut first = dir.command();
    let first = first.args(["run", "--resume", "out", "--time", "0", "--max-forks", "0"]);
    let mut first = Attended::begin(first);
    first.until("its workers have completed paths", |pid| {
        let has_worked = |worker| processor_time(worker) > Duration::from_millis(700);
        workers(pid).into_iter().any(has_worked)
    });
    refused(&["run", "--resume", "out"], "a run is at work there");
    first.signal("-INT");
    let (code, said) = first.end();
    assert_eq!(code, 130, "{said}");
    assert!(paths() > before, "{} paths after {before}", paths());
    // Another program, and a frontier that is damaged.
    dir.write("long.c", long.replace("sum & 63", "sum & 31"));
    refused(
        &["run", "--resume", "out"],
        "the program is another one now",
    );
    for name in ["out/frontier.bin", "out/frontier.old.bin"] {
        // The older one goes when the new one is on the disk.
        let Ok(mut bytes) = std::fs::read(dir.join(name)) else {
            continue;
        };
        // Half of it has earlier records, and these are whole.
        bytes.truncate(20);
        std::fs::write(dir.join(name), bytes).unwrap();
    }
    refused(&["run", "--resume", "out"], "is damaged");
}
