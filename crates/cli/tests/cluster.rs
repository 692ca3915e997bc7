//! Machines join a run, which explores with them what it explores alone, whatever happens to them. Each "machine" is a
//! process without anything of the run but the secret: another directory, no home, no environment.

use crate::turn;
use fleet::net::handshake::Secret;
use fleet::net::message::{FromNode, ToNode};
use fleet::net::{Connection, connect};
use fleet::{ToCoordinator, frame};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::time::{Duration, Instant};
use testkit::{Place, engine, java, place};

/// A branch on each of some bytes, and an address that may mean one of two objects.
const TABLES: &str = r#"
#include <klee/klee.h>
int main(void) {
    unsigned char in[N], a[4] = { 1, 2, 3, 4 }, b[4] = { 5, 6, 7, 8 }; int sum = 0;
    klee_make_symbolic(in, sizeof in, "in");
    for (int i = 0; i < N; i++) {
        if (in[i] < 100) sum++;
        else sum += (in[i] < 200 ? a : b)[2];
    }
    return sum & 63;
}
"#;

const SECRET: &str = "a secret of the tests";

/// A run that listens.
struct Run {
    process: Child,
    stderr: BufReader<ChildStderr>,
    address: String,
    said: String,
}

impl Run {
    fn start(dir: &Place, options: &[&str]) -> Run {
        Run::of(dir, &["run", "t.c"], options)
    }

    fn of(dir: &Place, program: &[&str], options: &[&str]) -> Run {
        let mut process = dir
            .command()
            .args(program)
            .args(["--out", "out", "--listen", "127.0.0.1:0"])
            .args(options)
            .env("POLYPATH_SECRET", SECRET)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut run = Run {
            stderr: BufReader::new(process.stderr.take().unwrap()),
            process,
            address: String::new(),
            said: String::new(),
        };
        let line = run.wait_for("can join");
        run.address = line.rsplit(' ').next().unwrap().trim().to_string();
        run
    }

    /// Waits until it says something.
    fn wait_for(&mut self, words: &str) -> String {
        loop {
            let mut line = String::new();
            let n = self.stderr.read_line(&mut line).unwrap();
            self.said.push_str(&line);
            assert!(n > 0, "it never said \"{words}\": {}", self.said);
            if line.contains(words) {
                return line;
            }
        }
    }

    /// Waits for the end: its exit status, and all that it said.
    fn end(mut self) -> (Option<i32>, String) {
        self.stderr.read_to_string(&mut self.said).unwrap();
        (self.process.wait().unwrap().code(), self.said)
    }

    fn connection(&self) -> Connection {
        let secret = Secret::new(SECRET.as_bytes()).unwrap();
        connect(&self.address, &secret, env!("CARGO_PKG_VERSION")).unwrap()
    }
}

fn node(dir: &Place, address: &str, options: &[&str]) -> Command {
    let elsewhere = dir.join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_polypath"));
    command
        .current_dir(elsewhere)
        .env_clear()
        .env("POLYPATH_SECRET", SECRET)
        .args(["worker", "--connect", address])
        .args(options)
        .stderr(Stdio::piped());
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The paths that a run found, and how many it told of.
fn paths(out: &Path) -> (BTreeSet<String>, usize) {
    let run = testcase::Run::read(out).unwrap();
    let path = |t: &testcase::TestCase| format!("{:?} {:?}", t.prefix, t.expected.path_hash);
    (run.tests.iter().map(path).collect(), run.tests.len())
}

/// With `n` symbolic bytes, and `work` rounds of a loop on each path: what one worker finds.
fn alone(dir: &Place, n: u32, work: u32) -> (BTreeSet<String>, usize) {
    let end = format!("for (volatile long w = 0; w < {work}; w++);\n    return");
    let text = TABLES.replace('N', &n.to_string());
    dir.write("t.c", text.replace("return", &end));
    let ran = dir.polypath(["run", "t.c", "--quiet", "--jobs", "1", "--out", "alone"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let found = paths(&dir.join("alone"));
    assert_eq!(found.1, 3_usize.pow(n));
    found
}

#[test]
fn a_machine_with_nothing_but_the_binary_explores_everything() {
    let _turn = turn();
    let Some(dir) = engine!("explores") else {
        return;
    };
    let alone = alone(&dir, 6, 1);
    let run = Run::start(&dir, &["--jobs", "0"]);
    let ran = node(&dir, &run.address, &["--jobs", "2"]).output().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
    let (code, said) = run.end();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("everything was explored"), "{said}");
    assert!(paths(&dir.join("out")) == alone, "{said}");
    let stats = testkit::json(&dir.join("out/stats.json"));
    assert_eq!(stats["covered_branches"], stats["total_branches"]);
    assert!(stats["cpu_s"].as_f64() > Some(0.0));
}

#[test]
fn a_java_program_goes_to_a_machine_that_has_a_jdk() {
    let _turn = turn();
    if !testkit::need("java") {
        return;
    }
    let dir = place!("java");
    java::compile(&dir, &[], &[java::source("jobs/Mixed.java")]);
    let program = ["java", "run", "classes", "--entry", "Mixed.bytes"];
    let options = ["--junit", "none", "--array-len", "4"];
    let alone = dir.polypath([&program, &["--jobs", "1", "--out", "alone"][..], &options].concat());
    let json = |name: &str| testkit::json(&dir.join(name));
    let expected = json("alone/stats.json");
    let run = Run::of(&dir, &program, &[&options[..], &["--jobs", "0"]].concat());
    // It has no JDK: the run says so, and goes on.
    let ran = node(&dir, &run.address, &["--jobs", "1"]).output().unwrap();
    assert_eq!(ran.status.code(), Some(3), "{}", said(&ran));
    assert!(
        said(&ran).contains("java is not installed"),
        "{}",
        said(&ran)
    );
    // The kit is in the cache of the user who runs the tests; the classes come from the run.
    let mut machine = node(&dir, &run.address, &["--jobs", "2"]);
    let kept = ["PATH", "HOME", "JAVA_HOME", "XDG_CACHE_HOME", "TMPDIR"];
    let kept = kept.map(|name| Some((name, std::env::var_os(name)?)));
    machine.envs(kept.into_iter().flatten());
    let ran = machine.output().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
    let (code, said) = run.end();
    assert_eq!(code, Some(alone.code), "{said}");
    assert!(
        said.contains("cannot work for this run: java is not"),
        "{said}"
    );
    let stats = json("out/stats.json");
    assert_eq!(java::outcome(&stats), java::outcome(&expected), "{said}");
    let places = |out: &str| {
        let errors = json(&format!("{out}/errors.json"));
        let errors = errors.as_array().unwrap().iter();
        let place = |e: &serde_json::Value| format!("{} {} {}", e["kind"], e["file"], e["line"]);
        errors.map(place).collect::<BTreeSet<_>>()
    };
    assert_eq!(places("out"), places("alone"), "{said}");
    assert_eq!(json("out/coverage.json"), json("alone/coverage.json"));
}

#[test]
fn machines_that_are_lost_lose_no_path() {
    let _turn = turn();
    let Some(dir) = engine!("lost") else { return };
    // Machines do all of the work, seconds of it; three are lost in its midst, each a little later after it came.
    let alone = alone(&dir, 5, 200_000);
    let mut run = Run::start(&dir, &["--jobs", "0"]);
    for lost in 0..3 {
        let mut machine = node(&dir, &run.address, &["--jobs", "2", "--wait", "0"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        run.wait_for("joins with 2 workers");
        std::thread::sleep(Duration::from_millis(50 * lost));
        machine.kill().unwrap();
        machine.wait().unwrap();
        run.wait_for("is lost with 2 workers");
    }
    // A machine that comes back is another one.
    let last = node(&dir, &run.address, &["--jobs", "2"]).output().unwrap();
    assert_eq!(last.status.code(), Some(0), "{}", said(&last));
    let (code, said) = run.end();
    assert_eq!(code, Some(0), "{said}");
    assert!(paths(&dir.join("out")) == alone, "{said}");
    let stats = testkit::json(&dir.join("out/stats.json"));
    assert_eq!(stats["halted"], serde_json::Value::Null, "{stats}");
}

#[test]
fn machines_end_with_their_run() {
    let _turn = turn();
    let Some(dir) = engine!("ends") else { return };
    dir.write("t.c", TABLES.replace('N', "60"));
    let options = ["--jobs", "0", "--tests", "none", "--search", "dfs"];
    let mut run = Run::start(&dir, &options);
    let machine = node(&dir, &run.address, &["--jobs", "1"]).spawn().unwrap();
    run.wait_for("joins with 1 workers");
    std::thread::sleep(Duration::from_secs(1));
    run.process.kill().unwrap();
    run.process.wait().unwrap();
    let begun = Instant::now();
    let ended = machine.wait_with_output().unwrap();
    assert!(
        begun.elapsed() < Duration::from_secs(2),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(ended.status.code(), Some(3), "{}", said(&ended));
    assert!(said(&ended).contains("the run is gone"), "{}", said(&ended));
    // A limit ends both.
    std::fs::remove_dir_all(dir.join("out")).unwrap();
    let run = Run::start(&dir, &[&options[..], &["--time", "4"]].concat());
    let ended = node(&dir, &run.address, &["--jobs", "1"]).output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{}", said(&ended));
    let (code, said) = run.end();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("time limit"), "{said}");
    let stats = testkit::json(&dir.join("out/stats.json"));
    assert!(stats["completed_paths"].as_u64() > Some(0), "{stats}");
}

#[test]
fn who_is_no_machine_of_the_run_is_refused_by_name() {
    let _turn = turn();
    let Some(dir) = engine!("strangers") else {
        return;
    };
    dir.write("t.c", TABLES.replace('N', "3"));
    let run = Run::start(&dir, &["--jobs", "0"]);
    // Rubbish.
    let mut stream = TcpStream::connect(&run.address).unwrap();
    stream.write_all(&[0x40; 1000]).unwrap();
    // Another secret.
    let ran = node(&dir, &run.address, &[])
        .env("POLYPATH_SECRET", "another secret of the tests")
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(3));
    assert!(
        said(&ran).contains("the run has another secret"),
        "{}",
        said(&ran)
    );
    // A machine that says what is no message, one that says it at the wrong time, and one that has another program.
    let mut rubbish = run.connection();
    rubbish
        .to
        .write_all(&[9, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4])
        .unwrap();
    let mut early = run.connection();
    frame::write(&mut early.to, &FromNode::Seen(Default::default())).unwrap();
    let mut other = run.connection();
    let job: ToNode = frame::read(&mut other.from).unwrap();
    assert!(matches!(job, ToNode::Job { .. }), "{job:?}");
    frame::write(&mut other.to, &FromNode::Ready { workers: 1 }).unwrap();
    let why = loop {
        match frame::read(&mut other.from).unwrap() {
            ToNode::Start { worker, .. } => {
                let message = ToCoordinator::Hello {
                    version: env!("CARGO_PKG_VERSION").into(),
                    program: "0123456789abcdef".into(),
                };
                frame::write(&mut other.to, &FromNode::Said { worker, message }).unwrap();
            }
            ToNode::Refused(why) => break why,
            ToNode::Covered(_) | ToNode::Alive => {}
            message => panic!("{message:?}"),
        }
    };
    assert!(why.contains("another program"), "{why}");
    // More workers than a run can have.
    let mut many = run.connection();
    let _: ToNode = frame::read(&mut many.from).unwrap();
    frame::write(&mut many.to, &FromNode::Ready { workers: 10_000 }).unwrap();
    let refused: ToNode = frame::read(&mut many.from).unwrap();
    assert!(
        matches!(&refused, ToNode::Refused(why) if why.contains("too many")),
        "{refused:?}"
    );
    // The run goes on.
    let ran = node(&dir, &run.address, &["--jobs", "1"]).output().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
    let (code, said) = run.end();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(paths(&dir.join("out")).1, 27);
    for words in [
        "does not know the secret",
        "has another program",
        "10000 workers are too many",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn a_directory_for_states_that_is_none_is_refused() {
    let Some(dir) = engine!("spill") else { return };
    let options = ["--spill-dir", "nowhere", "--wait", "0"];
    let refused = node(&dir, "127.0.0.1:9", &options).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(said(&refused).contains("--spill-dir nowhere"));
}

#[test]
fn what_cannot_work_is_said_at_once() {
    let _turn = turn();
    let Some(dir) = engine!("refused") else {
        return;
    };
    dir.write("t.c", "int main(void) { return 0; }\n");
    dir.write("short", "secret\n");
    dir.write("good", SECRET);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let listen = ["--listen", "127.0.0.1:0"];
    let run = |options: &[&str]| dir.polypath([&["run", "t.c"], options].concat());
    for (ran, words) in [
        (run(&listen), "POLYPATH_SECRET"),
        (
            run(&[&listen[..], &["--secret-file", "none"]].concat()),
            "--secret-file none",
        ),
        (
            run(&[&listen[..], &["--secret-file", "short"]].concat()),
            "at least 16 bytes",
        ),
        (
            run(&["--listen", "nowhere", "--secret-file", "good"]),
            "--listen nowhere",
        ),
        (
            run(&["--listen", "192.0.2.1:5", "--secret-file", "good"]),
            "--listen 192.0.2.1:5",
        ),
        (
            run(&[&listen[..], &["--secret-file", "good", "--fs", "."]].concat()),
            "--fs needs files",
        ),
        (run(&["--jobs", "0"]), "--jobs 0"),
        (
            dir.polypath(["worker", "--connect", "127.0.0.1:1"]),
            "POLYPATH_SECRET",
        ),
        (
            dir.polypath([
                "worker",
                "--connect",
                "h:1",
                "--secret-file",
                "good",
                "--jobs",
                "10000",
            ]),
            "between 1 and 1024",
        ),
    ] {
        assert_eq!(ran.code, 2, "{words}: {}", ran.stderr);
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
    }
    // Nobody listens, or somebody else.
    for address in ["127.0.0.1:1", "no-such-host.invalid:1", &taken] {
        let ran = dir.polypath([
            "worker",
            "--connect",
            address,
            "--secret-file",
            "good",
            "--wait",
            "0",
        ]);
        assert_eq!(ran.code, 3, "{}", ran.stderr);
        assert!(ran.stderr.contains(address), "{}", ran.stderr);
    }
}

/// What a machine says that knows the secret and lies: a message, or bytes that are none.
enum Lie {
    Says(fn(u32) -> FromNode),
    Writes(&'static [u8]),
    /// What it says itself it says twice.
    Repeats,
}

fn commit(change: fleet::Change, found: &[u8]) -> ToCoordinator {
    ToCoordinator::Commit(fleet::Commit {
        change,
        found: found.to_vec().into(),
        ..fleet::Commit::default()
    })
}

/// Lies, and what the run says of who tells them. (A report that is none is told before a prefix is looked at.)
const LIES: &[(&str, Lie)] = &[
    (
        "its findings cannot be read",
        Lie::Says(|worker| FromNode::Said {
            worker,
            message: commit(fleet::Change::default(), &[0xff; 40]),
        }),
    ),
    (
        "a message of 4294967295 bytes",
        Lie::Writes(&[0xff, 0xff, 0xff, 0xff]),
    ),
    (
        "the data is no message",
        Lie::Writes(&[3, 0, 0, 0, 0xff, 0xff, 0xff]),
    ),
    (
        "the connection is closed",
        Lie::Writes(&[100, 0, 0, 0, 1, 2, 3]),
    ),
    ("it greets again", Lie::Repeats),
    (
        "a worker is polypath 0.0.1",
        Lie::Says(|worker| FromNode::Said {
            worker,
            message: ToCoordinator::Hello {
                version: "0.0.1".into(),
                program: String::new(),
            },
        }),
    ),
    ("it makes no sense", Lie::Says(|_| FromNode::WantsProgram)),
    (
        "it makes no sense",
        Lie::Says(|_| FromNode::Ready { workers: 1 }),
    ),
    (
        "a worker cannot continue",
        Lie::Says(|worker| FromNode::Said {
            worker,
            message: ToCoordinator::Failed("\x1b[2Jno".into()),
        }),
    ),
];

#[test]
fn who_lies_is_dropped_by_name_and_no_path_is_lost() {
    let _turn = turn();
    let Some(dir) = engine!("liars") else { return };
    let alone = alone(&dir, 3, 1000);
    let mut run = Run::start(&dir, &["--jobs", "0"]);
    for (words, lie) in LIES {
        let mut liar = run.connection();
        let ToNode::Job { program, .. } = liar.from.message().unwrap() else {
            panic!("no job");
        };
        frame::write(&mut liar.to, &FromNode::Ready { workers: 1 }).unwrap();
        let hello = ToCoordinator::Hello {
            version: env!("CARGO_PKG_VERSION").into(),
            program,
        };
        // It works as a worker does until it has something to do.
        loop {
            match liar.from.message().unwrap() {
                ToNode::Start { worker, .. } => {
                    let message = hello.clone();
                    frame::write(&mut liar.to, &FromNode::Said { worker, message }).unwrap();
                }
                ToNode::Say {
                    worker,
                    message: fleet::ToWorker::Work(_),
                } => {
                    match lie {
                        Lie::Says(message) => frame::write(&mut liar.to, &message(worker)).unwrap(),
                        Lie::Writes(bytes) => liar.to.write_all(bytes).unwrap(),
                        Lie::Repeats => {
                            let message = hello.clone();
                            frame::write(&mut liar.to, &FromNode::Said { worker, message })
                                .unwrap();
                        }
                    }
                    break;
                }
                _ => {}
            }
        }
        if *words == "the connection is closed" {
            drop(liar);
        }
        let line = run.wait_for("is lost with 1 workers");
        assert!(line.contains(words), "{words}: {line}");
        assert!(!line.contains('\x1b'), "{line}");
    }
    // Foreign prefixes and false coverage are those of the coordinator's own tests (`run::jobs::crew`); here, that all that the liars had
    // goes to who is honest.
    let last = node(&dir, &run.address, &["--jobs", "2"]).output().unwrap();
    assert_eq!(last.status.code(), Some(0), "{}", said(&last));
    let (code, said) = run.end();
    assert_eq!(code, Some(0), "{said}");
    assert!(paths(&dir.join("out")) == alone, "{said}");
}
