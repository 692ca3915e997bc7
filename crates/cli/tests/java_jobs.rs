//! Several workers for a run of a Java program: what they find together is what one finds.

use serde_json::Value;
use std::collections::BTreeSet;
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use testkit::{Attended, Place, java, place, processor_time};

/// Up to four elements, unless the options say how many: what grows comes to no end.
fn command(place: &Place, jobs: &str, entry: &str, options: &[&str]) -> Command {
    let is_told = options.contains(&"--array-len");
    let four: &[&str] = if is_told { &[] } else { &["--array-len", "4"] };
    let mut command = Command::new(env!("CARGO_BIN_EXE_polypath"));
    command
        .current_dir(&**place)
        .env("POLYPATH_JAVA_CHECK", "1")
        .args([
            "java", "run", "classes", "--entry", entry, "--junit", "none",
        ])
        .args(["--out", &format!("out-{jobs}"), "--jobs", jobs])
        .args(four)
        .args(options)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn stats(place: &Place, jobs: &str) -> Value {
    let file = place.join(format!("out-{jobs}/stats.json"));
    let bytes = std::fs::read(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    serde_json::from_slice(&bytes).expect("stats.json")
}

/// Kinds and lines of the errors.
fn errors(place: &Place, jobs: &str) -> BTreeSet<(String, u64)> {
    let bytes = std::fs::read(place.join(format!("out-{jobs}/errors.json"))).expect("errors.json");
    let all: Value = serde_json::from_slice(&bytes).expect("errors.json");
    let all = all.as_array().expect("a list").iter();
    all.map(|e| {
        let kind = e["kind"].as_str().expect("a kind").to_string();
        (kind, e["line"].as_u64().expect("a line"))
    })
    .collect()
}

#[test]
fn several_workers_find_what_one_finds() {
    let place = place!("equal");
    java::compile(&place, &[], &[java::source("jobs/Mixed.java")]);
    for (entry, halted, several) in [
        ("Mixed.bytes", false, &["2", "3"][..]),
        ("Mixed.lost", true, &["2"]),
    ] {
        let one = command(&place, "1", entry, &[]).output().expect("polypath");
        let expected = stats(&place, "1");
        assert_eq!(expected["halted"].is_string(), halted, "{}", said(&one));
        assert!(
            expected["completed_paths"].as_u64() > Some(400),
            "{expected}"
        );
        for &jobs in several {
            let several = command(&place, jobs, entry, &[])
                .output()
                .expect("polypath");
            let text = said(&several);
            assert_eq!(several.status.code(), one.status.code(), "{text}");
            let stats = stats(&place, jobs);
            assert_eq!(
                java::outcome(&stats),
                java::outcome(&expected),
                "{jobs} workers: {text}"
            );
            assert_eq!(errors(&place, jobs), errors(&place, "1"), "{text}");
            // What the first run of all covered is known of whoever made it.
            let first = &stats["dse_first_instructions"];
            assert!(first.is_u64(), "{text}");
            assert_eq!(*first, expected["dse_first_instructions"]);
            let workers = stats["workers"].as_array().expect("workers");
            assert_eq!(workers.len().to_string(), jobs);
            let by_worker = workers.iter().map(|w| w["completed_paths"].as_u64());
            let sum: u64 = by_worker.map(Option::unwrap_or_default).sum();
            assert_eq!(Some(sum), stats["completed_paths"].as_u64());
            std::fs::remove_dir_all(place.join(format!("out-{jobs}"))).expect("removed");
        }
        std::fs::remove_dir_all(place.join("out-1")).expect("removed");
    }
}

#[test]
fn any_number_of_workers_writes_the_same_files() {
    let place = place!("repeats");
    java::compile(&place, &[], &[java::source("jobs/Mixed.java")]);
    let alone = command(&place, "1", "Mixed.bytes", &["--deterministic"]).output();
    let alone = alone.expect("polypath");
    let expected = stats(&place, "1");
    assert_eq!(expected["repeatable"], true, "{}", said(&alone));
    assert!(expected["halted"].is_null(), "{expected}");
    let files = |jobs| crate::deterministic::files(&place.join(format!("out-{jobs}")));
    assert!(files("1").len() > 400, "{}", said(&alone));
    // One of them is killed now and then.
    let options = ["--deterministic", "--quiet"];
    let mut run = Attended::begin(&mut command(&place, "3", "Mixed.bytes", &options));
    let mut killed = Vec::new();
    run.until("two of its workers are killed", |pid| {
        let mut workers = workers(pid).into_iter();
        let has_lived = |&pid: &u32| processor_time(pid) > Duration::from_millis(150);
        if let Some(worker) = workers.find(|pid| !killed.contains(pid) && has_lived(pid)) {
            testkit::signal(worker, "-KILL");
            killed.push(worker);
        }
        killed.len() == 2
    });
    let (code, text) = run.end();
    assert_eq!(Some(code), alone.status.code(), "{text}");
    assert!(files("3") == files("1"), "{text}");
    let stats = stats(&place, "3");
    assert_eq!(java::outcome(&stats), java::outcome(&expected), "{text}");
    assert_eq!(stats["queries"], expected["queries"]);
    assert_eq!(stats["repeatable"], true, "{text}");
}

/// The processes that a process has started.
fn children(of: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{of}/task"));
    let tasks = tasks.into_iter().flatten().filter_map(Result::ok);
    let lists = tasks.filter_map(|t| std::fs::read_to_string(t.path().join("children")).ok());
    let all: String = lists.collect::<Vec<_>>().join(" ");
    all.split_whitespace()
        .filter_map(|n| n.parse().ok())
        .collect()
}

/// The workers of a run.
fn workers(of: u32) -> Vec<u32> {
    let is_worker = |pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline"));
        line.is_ok_and(|line| line.ends_with(b"\0part\0"))
    };
    children(of).into_iter().filter(is_worker).collect()
}

#[test]
fn what_killed_workers_had_goes_to_others() {
    let place = place!("kills");
    java::compile(&place, &[], &[java::source("jobs/Mixed.java")]);
    let one = command(&place, "1", "Mixed.bytes", &[]).output();
    one.expect("polypath");
    let expected = stats(&place, "1");
    let mut run = Attended::begin(&mut command(&place, "2", "Mixed.bytes", &[]));
    let mut killed = Vec::new();
    // JVMs of theirs die with them.
    run.until("three of its workers are killed", |pid| {
        let workers = workers(pid).into_iter();
        let mut workers = workers.filter(|pid| !killed.contains(pid));
        // One that has begun its JVM has been given work.
        if let Some(worker) = workers.find(|&pid| !children(pid).is_empty()) {
            testkit::signal(worker, "-KILL");
            killed.push(worker);
        }
        killed.len() == 3
    });
    let kills = killed.len();
    let (_, text) = run.end();
    assert!(kills > 0, "nobody was killed: {text}");
    assert_eq!(
        java::outcome(&stats(&place, "2")),
        java::outcome(&expected),
        "{text}"
    );
    let deaths = stats(&place, "2")["workers"].clone();
    let deaths = deaths.as_array().expect("workers").iter();
    let deaths: u64 = deaths.filter_map(|w| w["deaths"].as_u64()).sum();
    // The last may have been killed when it had said its last word.
    assert!((1..=kills as u64).contains(&deaths), "{deaths}: {text}");
}

#[test]
fn a_limit_of_time_holds_for_all_workers() {
    let place = place!("time");
    java::compile(&place, &[], &[java::source("jobs/Mixed.java")]);
    let options = ["--time", "20", "--array-len", "12"];
    let output = command(&place, "2", "Mixed.bytes", &options).output();
    let output = output.expect("polypath");
    let stats = stats(&place, "2");
    let halted = stats["halted"].as_str().unwrap_or_default();
    assert!(
        halted.starts_with("time limit"),
        "{halted}: {}",
        said(&output)
    );
    // On a machine that is busy otherwise the time for the last words may not suffice; that is said, too.
    let has_ended = halted.contains("open") || halted.contains("inside an operation");
    assert!(has_ended, "{halted}");
    assert!(stats["completed_paths"].as_u64() > Some(0), "{stats}");
}

/// The JVMs do most of the work, and their time counts.
#[test]
fn a_limit_of_processor_time_counts_that_of_jvms() {
    let place = place!("cpu_time");
    java::compile(&place, &[], &[java::source("jobs/Mixed.java")]);
    // The limit of time ends a run that does not look at the other one.
    let options = ["--cpu-time", "8", "--time", "200", "--array-len", "12"];
    for jobs in ["1", "2"] {
        let run = command(&place, jobs, "Mixed.bytes", &options).output();
        let run = run.expect("polypath");
        let stats = stats(&place, jobs);
        let halted = stats["halted"].as_str().unwrap_or_default();
        assert!(
            halted.starts_with("CPU time limit"),
            "{halted}: {}",
            said(&run)
        );
        let spent = stats["cpu_s"].as_f64().expect("a number");
        assert!((6.0..16.0).contains(&spent), "{spent} s: {}", said(&run));
    }
}

#[test]
fn numbers_of_workers_that_cannot_be_are_refused() {
    let place = place!("numbers");
    java::compile(&place, &[], &[java::source("jobs/Mixed.java")]);
    for (jobs, why) in [
        ("0", "there would be no worker"),
        ("10000", "at most"),
        ("400", "each would have"),
    ] {
        let output = command(&place, jobs, "Mixed.bytes", &[]).output();
        let output = output.expect("polypath");
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains(why), "{}", said(&output));
        assert!(!place.join(format!("out-{jobs}")).exists());
    }
}

#[test]
fn the_methods_of_a_package_are_explored_side_by_side() {
    let place = place!("package");
    let file = place.join("many/Many.java");
    std::fs::create_dir_all(place.join("many")).expect("a directory");
    let methods: String = (0..5)
        .map(|n| {
            format!("public static int m{n}(int x) {{ return x == {n} ? 1 / (x - {n}) : {n}; }}\n")
        })
        .collect();
    let text = format!("package many;\npublic class Many {{\n{methods}}}\n");
    std::fs::write(&file, text).expect("a file");
    let mut command = testkit::java::javac();
    let compiled = command
        .args(["-g", "-d"])
        .arg(place.join("classes"))
        .arg(&file)
        .status();
    assert!(compiled.is_ok_and(|s| s.success()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_polypath"));
    command.current_dir(&*place);
    command.args([
        "java",
        "test",
        "classes",
        "--package",
        "many",
        "--jobs",
        "2",
    ]);
    let output = command
        .args(["--out", "all", "--time", "120", "--progress", "json"])
        .output()
        .expect("polypath");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let lines: Vec<&str> = said.lines().collect();
    for (n, line) in lines.iter().take(5).enumerate() {
        let start = format!("many.Many.m{n}");
        assert!(
            line.starts_with(&start) && line.contains("2 tests, 1 errors"),
            "{said}"
        );
        assert!(line.ends_with("explored"), "{said}");
    }
    assert!(
        lines[5].starts_with(
            "5 methods: 10 tests, 5 errors; 5 explored, 0 in part, 0 not run, 0 not served"
        ),
        "{said}"
    );
    let said = String::from_utf8_lossy(&output.stderr);
    let points = said.lines().filter(|line| line.starts_with('{'));
    let points: Vec<Value> = points
        .map(|line| serde_json::from_str(line).expect("an object"))
        .collect();
    let done: Vec<u64> = points.iter().filter_map(|p| p["done"].as_u64()).collect();
    assert!(done.is_sorted() && done[0] == 0, "{said}");
    let last = points.last().expect("the first and the last one");
    assert_eq!(
        (&last["what"], &last["all"]),
        (&"methods".into(), &5.into())
    );
    assert_eq!(last["done"], 5, "{said}");
    assert!(last["t"].is_f64() && last["left_s"].is_null(), "{last}");
}

#[test]
fn a_package_whose_exploration_is_interrupted_says_so() {
    let place = place!("interrupted");
    std::fs::create_dir_all(place.join("many")).expect("a directory");
    let body = "int s = 0; for (byte x : b) if (x > s) s += x; else s ^= x; return s;";
    let methods: String = (0..3)
        .map(|n| format!("public static int m{n}(byte[] b) {{ {body} }}\n"))
        .collect();
    let file = place.join("many/Many.java");
    let text = format!("package many;\npublic class Many {{\n{methods}}}\n");
    std::fs::write(&file, text).expect("a file");
    let mut javac = testkit::java::javac();
    let compiled = javac
        .arg("-d")
        .arg(place.join("classes"))
        .arg(&file)
        .status();
    assert!(compiled.is_ok_and(|s| s.success()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_polypath"));
    command
        .current_dir(&*place)
        .args([
            "java",
            "test",
            "classes",
            "--package",
            "many",
            "--jobs",
            "2",
        ])
        // Nobody waits for that long.
        .args([
            "--out",
            "all",
            "--time",
            "100000",
            "--",
            "--array-len",
            "60",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let run = command.spawn().expect("polypath");
    let begun = |n: u32| place.join(format!("all/{n:04}/tests/test000001")).exists();
    while !begun(1) || !begun(2) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let mut interrupt = Command::new("kill");
    interrupt.args(["-INT", &run.id().to_string()]);
    assert!(interrupt.status().is_ok_and(|s| s.success()));
    run.wait_with_output().expect("polypath");
    let methods = std::fs::read(place.join("all/methods.json")).expect("methods.json");
    let methods: Value = serde_json::from_slice(&methods).expect("methods.json");
    for n in 0..2 {
        let halted = methods[n]["halted"].as_str().unwrap_or_default();
        assert!(halted.starts_with("interrupted"), "{methods}");
    }
    assert_eq!(methods[2]["trouble"], "interrupted", "{methods}");
}

#[test]
fn branches_that_memory_drove_out_come_back() {
    if !testkit::need("java") {
        return;
    }
    let place = place!("memory");
    java::compile(&place, &[], &[java::source("jobs/Wide.java")]);
    // More than an engine takes, and less than with all that is open at once.
    for (jobs, memory) in [("1", "40"), ("2", "90")] {
        let more = [
            "--array-len",
            "15-15",
            "--search",
            "bfs",
            "--memory",
            memory,
        ];
        let ran = command(&place, jobs, "Wide.ways", &more).output();
        let text = said(&ran.expect("polypath"));
        let stats = stats(&place, jobs);
        assert_eq!(stats["halted"], serde_json::Value::Null, "{text}");
        assert_eq!(stats["completed_paths"], 1 << 15, "{text}");
        if jobs == "1" {
            assert!(stats["java_put_aside"].as_u64() > Some(1000), "{stats}");
            assert!(text.contains("(--memory "), "little is left: {text}");
        }
        std::fs::remove_dir_all(place.join(format!("out-{jobs}"))).expect("removed");
    }
}
