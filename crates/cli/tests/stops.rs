//! Runs that are stopped at random moments by random means, and continued.
//!
//! After each stop, every test, error and covered place that was there before is there still, and a run that could say its last
//! words has said how long it worked. When nothing is left, the paths are exactly those of a run that was never stopped, each told once.
//! `POLYPATH_STOPS=N` stops each of the explorations N times (`./x nightly`: 50, so 200 in all).

use crate::jobs::{CONCOLIC, PRUNED, SECONDS, signal, tables, worked, workers};
use crate::turn;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use testcase::ExitKind;
use testkit::{Attended, Place, Random, engine, java, processor_time};

/// What ends a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Means {
    Interrupt,
    Terminate,
    HangUp,
    /// The coordinator is killed; what its workers do then is their business.
    KillCoordinator,
    /// All its processes are killed, as by a power cut.
    KillAll,
    /// The largest of its processes is killed, as by a kernel that is out of memory; if the run goes on, it is interrupted later.
    KillLargest,
    /// No file may grow beyond a few bytes, as on a full disk; then it is asked to end.
    FullDisk,
    /// It runs under `--time`.
    Time,
    /// It runs under `--cpu-time`.
    ProcessorTime,
}

impl Means {
    const ALL: [Means; 9] = [
        Means::Interrupt,
        Means::KillAll,
        Means::Time,
        Means::KillCoordinator,
        Means::FullDisk,
        Means::Terminate,
        Means::KillLargest,
        Means::ProcessorTime,
        Means::HangUp,
    ];

    /// Can the run say its last words, and write them?
    fn is_gentle(self) -> bool {
        use Means::*;
        matches!(self, Interrupt | Terminate | HangUp | Time | ProcessorTime)
    }

    /// The limit that the run gets when it begins, if that is what ends it after so much work.
    fn option(self, share: Duration) -> Option<[String; 2]> {
        let seconds = format!("{:.2}", share.as_secs_f64().max(0.05));
        match self {
            Means::Time => Some(["--time".into(), seconds]),
            Means::ProcessorTime => Some(["--cpu-time".into(), seconds]),
            _ => None,
        }
    }
}

/// An exploration that is stopped.
struct Subject<'a> {
    place: &'a Place,
    /// The words of the command.
    command: &'a [&'a str],
    /// Program, input and options.
    what: &'a [&'a str],
}

impl Subject<'_> {
    fn begin(&self, out: &str, jobs: u64) -> Command {
        let mut command = self.place.command();
        command
            .args(self.command)
            .args(["--quiet", "--tests", "all"]);
        command.args(["--out", out, "--jobs", &jobs.to_string()]);
        command.args(self.what);
        fails_to_write(&mut command);
        command
    }

    fn resume(&self, out: &str, jobs: u64, limit: Option<[String; 2]>) -> Command {
        let mut command = self.place.command();
        command
            .args(self.command)
            .args(["--quiet", "--resume", out]);
        command.args(["--jobs", &jobs.to_string()]);
        // A limit of an earlier part holds until another one is given.
        let [name, value] = limit.unwrap_or(["--time".into(), "0".into()]);
        let other = if name == "--time" {
            "--cpu-time"
        } else {
            "--time"
        };
        command.args([&name, &value, other, "0"]);
        fails_to_write(&mut command);
        command
    }
}

/// Writes beyond the limit of files fail, as on a full disk; the signal would end the process.
fn fails_to_write(command: &mut Command) {
    // SAFETY: only the disposition of a signal changes, which is kept by `exec`.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
            Ok(())
        });
    }
}

/// What a run has found.
#[derive(Default)]
struct Kept {
    /// By their numbers.
    tests: BTreeMap<u32, String>,
    /// Paths that ended, with the number of their tests.
    paths: BTreeMap<u64, u64>,
    errors: BTreeSet<String>,
    covered: BTreeSet<String>,
}

impl Kept {
    fn read(out: &Path) -> Kept {
        let run = testcase::Run::read(out).expect("the run can be read");
        let test = |t: &testcase::TestCase| (t.id, format!("{:?} {:?}", t.objects, t.expected));
        let error = |e: &testcase::ErrorRecord| {
            assert!(e.paths > 0, "{e:?}");
            let calls = e.stack.iter().map(|f| format!("{}:{}", f.function, f.line));
            let calls: Vec<String> = calls.collect();
            format!("{:?} {}:{} {calls:?}", e.kind, e.file, e.line)
        };
        let mut covered = BTreeSet::new();
        for file in run.coverage.iter().flat_map(|c| &c.files) {
            for b in &file.branches {
                let taken = b.taken.iter().enumerate().filter(|(_, taken)| **taken);
                let name = |n| format!("{} {}:{} {n}", file.path, b.line, b.column);
                covered.extend(taken.map(|(n, _)| name(n)));
            }
            let lines = file.lines.iter().filter(|(_, reached)| *reached);
            covered.extend(lines.map(|(line, _)| format!("{} {line}", file.path)));
        }
        let mut paths = BTreeMap::new();
        // Paths that ended with a run come again in the one that continues, and so do those that were run ahead.
        let ended = |t: &&testcase::TestCase| {
            !matches!(t.expected.exit, ExitKind::Killed(_)) && !t.is_ahead()
        };
        for test in run.tests.iter().filter(ended) {
            *paths.entry(test.path().expect("a whole path")).or_default() += 1;
        }
        Kept {
            tests: run.tests.iter().map(test).collect(),
            paths,
            errors: run.errors.iter().map(error).collect(),
            covered,
        }
    }

    /// Everything that there was before is there now.
    fn is_in(&self, now: &Kept, why: &str) {
        for (id, test) in &self.tests {
            assert_eq!(now.tests.get(id), Some(test), "test {id} {why}");
        }
        let lost: Vec<&String> = self.errors.difference(&now.errors).collect();
        assert!(lost.is_empty(), "errors are lost {why}: {lost:?}");
        let lost: Vec<&String> = self.covered.difference(&now.covered).collect();
        assert!(lost.is_empty(), "coverage is lost {why}: {lost:?}");
    }
}

/// How often each exploration is stopped.
fn stops() -> usize {
    let asked = std::env::var("POLYPATH_STOPS");
    asked.map_or(3, |n| n.parse().expect("POLYPATH_STOPS is a number"))
}

fn stats(out: &Path) -> serde_json::Value {
    testkit::json(&out.join("stats.json"))
}

/// Stops the exploration again and again, then lets it end.
fn disturb(subject: &Subject, number: usize) {
    let (place, rounds) = (subject.place, stops());
    let whole = Attended::begin(&mut subject.begin("whole", 1)).end();
    assert!((0..2).contains(&whole.0), "{}", whole.1);
    let (all, whole) = (
        Kept::read(&place.join("whole")),
        stats(&place.join("whole")),
    );
    assert!(whole["halted"].is_null(), "{whole}");
    let length = Duration::from_secs_f64(whole["cpu_s"].as_f64().expect("a number"));

    let mut random = Random::new(number as u64);
    let out = place.join("out");
    let (mut kept, mut unsaved, mut done) = (Kept::default(), 0, Vec::new());
    // Of paths that a run has told of when it could say its last words, no later one takes any back.
    let mut completed = 0;
    // The first part has one worker, in the process of the run.
    let mut command = subject.begin("out", 1);
    let mut means = Means::ALL[number % 2];
    for round in 0..rounds {
        let share =
            length.mul_f64((0.5 + random.below(1000) as f64 / 1000.0) / (rounds + 1) as f64);
        let before = out
            .join("stats.json")
            .exists()
            .then(|| stats(&out)["cpu_s"].as_f64());
        let (worked, said) = stop(&mut command, &out, means, share, &mut random);
        let why = format!("after {means:?}, stop {round}: {said}");
        let now = Kept::read(&out);
        kept.is_in(&now, &why);
        kept = now;
        if means.is_gentle() {
            let (now, before) = (stats(&out), before.flatten().unwrap_or(0.0));
            let told = now["cpu_s"].as_f64().expect("a number") - before;
            // What a killed worker did is not all known.
            let least = if means == Means::KillLargest {
                0.2
            } else {
                0.8
            };
            assert!(
                told > worked.as_secs_f64() * least - 0.5,
                "{told} of {} s {why}",
                worked.as_secs_f64()
            );
        }
        let ended = stats(&out)["completed_paths"].as_u64().expect("a number");
        // No path counts twice, whoever comes to it again and whatever waits to be written.
        let there_are = whole["completed_paths"].as_u64().expect("a number");
        assert!(ended <= there_are, "{ended} of {there_are} paths {why}");
        assert!(ended >= completed, "{ended} of {completed} paths {why}");
        completed = ended;
        done.push(means);
        if !out.join("frontier.bin").exists() {
            assert!(
                stats(&out)["halted"].is_null(),
                "there is no frontier {why}"
            );
            break;
        }
        // With a few stops of each exploration, all means come.
        means = Means::ALL[(2 + 2 * number + round) % Means::ALL.len()];
        if means == Means::FullDisk {
            unsaved += 1;
        }
        let next = length.mul_f64((0.5 + random.below(1000) as f64 / 1000.0) / (rounds + 1) as f64);
        command = subject.resume("out", 1 + random.below(2), means.option(next));
    }
    println!("{done:?}");
    assert!(!done.is_empty());
    if out.join("frontier.bin").exists() {
        let ended = Attended::begin(&mut subject.resume("out", 2, None)).end();
        assert!((0..2).contains(&ended.0) || unsaved > 0, "{}", ended.1);
    }
    let (now, stats) = (Kept::read(&out), stats(&out));
    kept.is_in(&now, "at the end");
    assert!(stats["halted"].is_null(), "{stats}");
    assert!(!out.join("frontier.bin").exists());
    for same in [
        "completed_paths",
        "covered_branches",
        "covered_lines",
        "endings",
    ] {
        assert_eq!(stats[same], whole[same], "{same}, {done:?}");
    }
    assert_eq!(now.errors, all.errors);
    assert!(
        now.paths.values().all(|&n| n == 1),
        "a path was told twice: {done:?}"
    );
    let unsaved = stats["unsaved_tests"].as_u64().unwrap_or(0);
    assert_eq!(
        now.paths.len() as u64 + unsaved,
        all.paths.len() as u64,
        "{done:?}"
    );
    assert!(now.paths.keys().all(|path| all.paths.contains_key(path)));
}

/// Runs the command until it has worked for about this share, then stops it so. Returns the processor time that it took before, and
/// what it said.
fn stop(
    command: &mut Command,
    out: &Path,
    means: Means,
    share: Duration,
    random: &mut Random,
) -> (Duration, String) {
    let mut run = Attended::begin(command);
    let mut time = Duration::ZERO;
    let ends_itself = matches!(means, Means::Time | Means::ProcessorTime);
    // The first record comes some milliseconds after `info.json`.
    let is_there = out.join("frontier.bin");
    run.until("it has done its share", |pid| {
        // A process that ends takes its workers' time along.
        time = time.max(worked(pid));
        disturb_worker(pid, random);
        !ends_itself && is_there.exists() && time >= share
    });
    let all: Vec<u32> = [vec![run.id()], workers(run.id())].concat();
    let kill = |pids: &[u32]| pids.iter().for_each(|&pid| signal(pid, libc::SIGKILL));
    match means {
        Means::Interrupt => signal(run.id(), libc::SIGINT),
        Means::Terminate => signal(run.id(), libc::SIGTERM),
        Means::HangUp => signal(run.id(), libc::SIGHUP),
        Means::KillCoordinator => kill(&all[..1]),
        Means::KillAll => kill(&all),
        Means::KillLargest => {
            let largest = all.iter().max_by_key(|&&pid| resident(pid));
            signal(*largest.expect("a process"), libc::SIGKILL);
            let until = worked(run.id()) + share / 4;
            run.until("it has gone on", |pid| worked(pid) >= until);
            signal(run.id(), libc::SIGINT);
        }
        Means::FullDisk => {
            let most = [0, 4096, 1 << 16][random.index(3)];
            all.iter().for_each(|&pid| limit_files(pid, most));
            let until = worked(run.id()) + share / 4;
            run.until("it has gone on", |pid| worked(pid) >= until);
            signal(run.id(), libc::SIGTERM);
        }
        Means::Time | Means::ProcessorTime => {}
    }
    (time, run.end().1)
}

/// Kills a worker that has lived for a while, now and then.
fn disturb_worker(pid: u32, random: &mut Random) {
    let mut workers = workers(pid);
    workers.retain(|&worker| processor_time(worker) > Duration::from_millis(100));
    if !workers.is_empty() && random.below(60) == 0 {
        signal(workers[random.index(workers.len())], libc::SIGKILL);
    }
}

/// Pages in memory.
fn resident(pid: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/statm")).unwrap_or_default();
    let pages = text.split_whitespace().nth(1).and_then(|n| n.parse().ok());
    pages.unwrap_or(0)
}

/// Lets no file of a process grow beyond so many bytes.
fn limit_files(pid: u32, bytes: u64) {
    let limit = libc::rlimit {
        rlim_cur: bytes,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: prlimit reads the limit that it is given.
    unsafe {
        libc::prlimit(
            pid as libc::pid_t,
            libc::RLIMIT_FSIZE,
            &raw const limit,
            std::ptr::null_mut(),
        );
    }
}

fn c(name: &str, options: &[&str], number: usize) {
    let _turn = turn();
    let Some(place) = engine!(&format!("stops_{name}")) else {
        return;
    };
    place.write("tables.c", tables(5, SECONDS * stops() as u64 / 3));
    let what = [options, &["tables.c"]].concat();
    let subject = Subject {
        place: &place,
        command: &["run"],
        what: &what,
    };
    disturb(&subject, number);
}

#[test]
fn a_run_that_was_stopped_goes_on() {
    c("fork", &[], 0);
}

#[test]
fn so_does_one_in_concolic_mode() {
    c("concolic", CONCOLIC, 1);
}

#[test]
fn so_does_one_that_prunes() {
    c("prune", PRUNED, 2);
}

#[test]
fn so_does_one_of_a_java_program() {
    let _turn = turn();
    if !testkit::need("java") {
        return;
    }
    let place = testkit::place!("stops_java");
    java::compile(&place, &[], &[java::source("jobs/Mixed.java")]);
    let subject = Subject {
        place: &place,
        command: &["java", "run"],
        what: &[
            "classes",
            "--entry",
            "Mixed.bytes",
            "--junit",
            "none",
            "--array-len",
            "3",
        ],
    };
    disturb(&subject, 3);
    let replayed = place.polypath(["java", "replay", "out"]);
    assert_eq!(replayed.code, 1, "{}", replayed.stderr);
}
