//! Ctrl-Z: the processes below a command stop with it, and go on with it to the same results.

use std::time::Duration;
use testkit::{Attended, engine, processor_time, signal};

/// Forks at each byte, and never ends.
const SPIN: &str = "#include <unistd.h>\nint main(void) { char b[64]; unsigned n = read(0, b, sizeof b), k = 0;\n\
    for (;;) for (unsigned i = 0; i < n; i++) if (b[i] * 7 % 11 == (int)(k % 11)) k += 3; else k++; }\n";

/// Stops a command as Ctrl-Z does, sees that nothing of it works on for so long, and continues it. Returns the number of processes below it.
#[track_caller]
fn stop_and_go_on(run: &mut Attended, time: Duration) -> usize {
    let id = run.id();
    assert!(run.until("it listens", |id| testkit::listens(id, 20)));
    run.signal("-TSTP");
    let all_stopped = || {
        let below = testkit::below(id);
        testkit::is_stopped(id) && below.iter().all(|&pid| testkit::is_stopped(pid))
    };
    testkit::until("everything is stopped", all_stopped);
    let below = testkit::below(id);
    let work = || -> Duration {
        below
            .iter()
            .chain([&id])
            .map(|&pid| processor_time(pid))
            .sum()
    };
    let before = work();
    // Whoever works on would have more by the time that another process has had so much.
    let mut other = std::process::Command::new("sh");
    let mut other = other
        .args(["-c", "while :; do :; done"])
        .spawn()
        .expect("sh");
    let begun = std::time::Instant::now();
    testkit::until("another works", || {
        processor_time(other.id()) > Duration::from_millis(300) && begun.elapsed() > time
    });
    other.kill().and_then(|()| other.wait()).expect("ours");
    assert_eq!(work(), before, "something works on");
    assert!(all_stopped());
    signal(id, "-CONT");
    let goes_on = |id| {
        !testkit::is_stopped(id)
            && testkit::below(id)
                .iter()
                .all(|&pid| !testkit::is_stopped(pid))
    };
    assert!(run.until("everything goes on", goes_on), "it has ended");
    below.len()
}

#[track_caller]
fn ends(run: Attended, status: i32) {
    run.signal("-INT");
    let (code, said) = run.end();
    assert_eq!(code, status, "{said}");
    assert!(
        !said.contains("lost") && !said.contains("ended by itself"),
        "{said}"
    );
}

/// A run with workers, which have groups of their own.
#[test]
fn workers_stop_with_their_run() {
    let Some(place) = engine!("workers") else {
        return;
    };
    place.write("spin.c", SPIN);
    let mut command = place.command();
    let words = [
        "run",
        "spin.c",
        "--sym-stdin",
        "40",
        "--jobs",
        "3",
        "--out",
        "out",
    ];
    let mut run = Attended::begin(command.args(words));
    assert!(run.until("workers work", |id| {
        let below = testkit::below(id);
        let busy = below
            .iter()
            .filter(|&&pid| processor_time(pid) > Duration::from_millis(100));
        busy.count() >= 2
    }));
    assert!(stop_and_go_on(&mut run, Duration::ZERO) >= 2);
    let workers = testkit::below(run.id());
    let before: Vec<Duration> = workers.iter().map(|&pid| processor_time(pid)).collect();
    let works = |_| {
        let now = workers.iter().zip(&before);
        now.filter(|&(&pid, &then)| processor_time(pid) > then)
            .count()
            >= 2
    };
    assert!(run.until("workers work again", works));
    ends(run, 130);
    let stats = place.json("out/stats.json");
    let halted = stats["halted"].as_str().unwrap_or_default();
    assert!(halted.starts_with("interrupted"), "{stats}");
    let workers = stats["workers"].as_array().expect("workers");
    assert!(workers.iter().all(|w| w["deaths"] == 0), "{stats}");
}

/// `polypath test`: its run has a group of its own; and a test in the fence, whose time does not pass meanwhile.
#[test]
fn a_run_and_a_replay_stop_with_polypath_test() {
    let Some(place) = engine!("test") else {
        return;
    };
    place.write("spin.c", SPIN);
    place.write(
        "polypath.toml",
        "[[target]]\nprogram = \"spin.c\"\noptions.sym-stdin = 40\n",
    );
    let mut run = Attended::begin(place.command().arg("test"));
    let course = place.join("polypath-results/spin/run.jsonl");
    assert!(run.until("it explores", |_| course.exists()));
    assert!(stop_and_go_on(&mut run, Duration::ZERO) >= 1);
    ends(run, 130);
    // Natively it takes two seconds, in many steps; in the machine none.
    place.write(
        "slow.c",
        "#include <unistd.h>\nint main(int c, char **v) {\n\
        for (int i = 0; i < 40; i++) usleep(50000); return v[1][0] == 'x'; }\n",
    );
    place.write(
        "polypath.toml",
        "[[target]]\nprogram = \"slow.c\"\noptions.sym-arg = 1\n",
    );
    let mut run = Attended::begin(place.command().arg("test"));
    let id = run.id();
    // The program's own process, in its namespaces.
    let is_at_work = || {
        testkit::below(id).into_iter().any(|pid| {
            let name = std::fs::read_to_string(format!("/proc/{pid}/comm"));
            name.is_ok_and(|name| name.trim() == "program")
        })
    };
    assert!(run.until("a test runs", |_| is_at_work()));
    // For longer than a test may take.
    assert!(stop_and_go_on(&mut run, Duration::from_secs(6)) >= 2);
    let (code, said) = run.end();
    assert_eq!(code, 0, "{said}");
    let replay = place.json("polypath-results/slow/replay.json");
    let same = replay["tests"].as_array().expect("tests");
    assert!(same.iter().all(|t| t["verdict"] == "same"), "{replay}");
}

/// A JVM, behind the fence.
#[test]
fn a_jvm_stops_with_its_run() {
    let Some(place) = engine!("jvm") else {
        return;
    };
    if !testkit::need("java") {
        return;
    }
    place.write(
        "Spin.java",
        "public class Spin { public static void main(String[] a) { int n = 0; while (true) {\n\
        for (int i = 0; i < a[0].length(); i++) if (a[0].charAt(i) * 7 % 11 == n % 11) n += 3; else n++; } } }\n",
    );
    let made = place.shell("javac -g -d classes Spin.java").status();
    assert!(made.expect("javac").success());
    let mut command = place.command();
    let words = [
        "java",
        "run",
        "classes",
        "--main",
        "Spin",
        "--sym-args",
        "1",
        "1",
        "6",
        "--out",
        "out",
    ];
    let mut run = Attended::begin(command.args(words));
    assert!(run.until("a JVM works", |id| {
        let below = testkit::below(id);
        below
            .iter()
            .any(|&pid| processor_time(pid) > Duration::from_millis(600))
    }));
    assert!(stop_and_go_on(&mut run, Duration::ZERO) >= 1);
    run.signal("-INT");
    let (code, said) = run.end();
    assert!([130, 4].contains(&code), "{said}");
    assert!(place.join("out/stats.json").exists(), "{said}");
}

/// `--time` goes on while the run is stopped, `--cpu-time` does not.
#[test]
fn wall_time_passes_while_a_run_is_stopped() {
    let Some(place) = engine!("time") else {
        return;
    };
    place.write("spin.c", SPIN);
    for (limit, stopped, cause) in [
        ("--time=8", 9, "time limit"),
        ("--cpu-time=2", 4, "CPU time limit"),
    ] {
        let out = limit.trim_start_matches("--");
        let mut command = place.command();
        let words = ["run", "spin.c", "--sym-stdin", "40", limit, "--out", out];
        let mut run = Attended::begin(command.args(words));
        let course = place.join(out).join("run.jsonl");
        assert!(run.until("it explores", |_| course.exists()));
        let before = processor_time(run.id());
        run.signal("-TSTP");
        let id = run.id();
        testkit::until("it is stopped", || testkit::is_stopped(id));
        let begun = std::time::Instant::now();
        testkit::until("its time is over", || {
            begun.elapsed() > Duration::from_secs(stopped)
        });
        assert!(!run.is_over());
        run.signal("-CONT");
        if limit == "--cpu-time=2" {
            let left = Duration::from_millis(1500).saturating_sub(before);
            let has_worked = |id| processor_time(id) > before + left;
            assert!(run.until("its processor time is left", has_worked));
        }
        let (code, said) = run.end();
        assert!([0, 4].contains(&code), "{said}");
        let stats = place.json(&format!("{out}/stats.json"));
        let halted = stats["halted"].as_str().expect("it was");
        assert!(halted.starts_with(cause), "{halted}");
    }
}
