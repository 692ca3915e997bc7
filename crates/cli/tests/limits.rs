//! Limits and signals hold whatever a run is doing, and what was found by then can be read.
//!
//! Each program is heavy in one place: queries, tables, builtins, set-up, the front end. The bounds are far above what a
//! run takes (it ends within some 0.5 s of its limit) and far below what these programs take when nobody looks.

use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};
use testkit::{Place, engine};

/// What a busy machine may add to a limit.
const SLACK: Duration = Duration::from_millis(3000);

const HEAD: &str = "#include \"klee/klee.h\"\n#include <stdlib.h>\n#include <string.h>\n";

/// Programs that run for minutes or for ever: name, body, options.
const HEAVY: &[(&str, &str, &[&str])] = &[
    // The same byte in ever longer terms.
    (
        "collatz",
        "int main(void) { unsigned char b; klee_make_symbolic(&b, 1, \"b\"); unsigned long x = b + 1;
           for (;;) x = x % 2 ? 3 * x + 1 : x / 2; }",
        &[],
    ),
    // Many objects of one name.
    (
        "objects",
        "int main(void) { int n = 0; for (;;) { unsigned char c; klee_make_symbolic(&c, 1, \"c\"); n += c == 7; if (n > 3) return 1; } }",
        &[],
    ),
    // Runs of symbolic bytes, moved and set.
    (
        "runs",
        "int main(void) { char *p = malloc(1 << 20), *q = malloc(1 << 20); unsigned char c; klee_make_symbolic(&c, 1, \"c\");
           for (int i = 0;; i++) { memset(p, c + i, 1 << 20); memcpy(q, p + 1, (1 << 20) - 1); memmove(q, q + 1, (1 << 20) - 2); } }",
        &[],
    ),
    // One call of a builtin after the other over a string of 256 MiB.
    (
        "strlen",
        "int main(void) { char *p = malloc(1 << 28); memset(p, 'a', 1 << 28); p[(1 << 28) - 1] = 0;
           volatile unsigned long n = 0; for (;;) n += strlen(p); }",
        &[],
    ),
    // Reads of a large array at addresses that depend on earlier reads.
    (
        "array",
        "int main(void) { static unsigned t[65536]; unsigned short i[16]; klee_make_symbolic(t, sizeof t, \"t\");
           klee_make_symbolic(i, sizeof i, \"i\"); unsigned x = 0;
           for (;;) { for (int k = 0; k < 16; k++) x = t[(i[k] + x) & 65535] * 7 + x; if (x == 12345) return 1; } }",
        &[],
    ),
    // A long path of conditions over two bytes each.
    (
        "conditions",
        "int main(void) { static unsigned char a[100001]; klee_make_symbolic(a, sizeof a, \"a\"); int n = 0;
           for (;;) for (int i = 0; i < 100000; i++) if ((unsigned char)(a[i] + a[i + 1]) == 77 + n % 3) n++; }",
        &[],
    ),
    // Queries that take minutes each.
    (
        "factors",
        "int main(void) { unsigned long a, b; klee_make_symbolic(&a, 8, \"a\"); klee_make_symbolic(&b, 8, \"b\");
           unsigned __int128 p = (unsigned __int128)a * b;
           if (a > 1 && b > 1 && a < b && p % 1000000007ul == 12345 && p / 77777 == b * 3 + 1) return 1; for (;;) a = a * b + 3; }",
        &[],
    ),
    // The same with one run after the other.
    (
        "concolic",
        "int main(void) { unsigned char b[64]; klee_make_symbolic(b, 64, \"b\"); unsigned long x = b[0] + 1, n = 0;
           for (int i = 0; i < 64; i++) if (b[i] == 'x') n++;
           for (;;) x = x % 2 ? 3 * x + 1 : x / 2; }",
        &["--mode", "concolic"],
    ),
    // Millions of input bytes are prepared before the first instruction.
    (
        "input",
        "#include <unistd.h>\nint main(void) { char c; return read(0, &c, 1) == 1 && c == 'x'; }",
        &["--sym-stdin", "5000000"],
    ),
];

fn send(child: &Child, signal: i32) {
    // SAFETY: kill only reads its arguments; the child has not been waited for.
    unsafe { libc::kill(child.id() as i32, signal) };
}

fn start(dir: &Place, args: &[&str]) -> Child {
    let mut command = dir.command();
    // SAFETY: between fork and exec a system call only.
    unsafe {
        command.pre_exec(|| {
            // Under nohup these tests inherit an ignored SIGHUP, which polypath would respect.
            libc::signal(libc::SIGHUP, libc::SIG_DFL);
            Ok(())
        });
    }
    command
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("polypath starts")
}

fn finish(child: Child) -> Output {
    child.wait_with_output().expect("polypath ends")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The results are whole, and name `why` as the reason of the end.
fn check_results(out: &Path, why: &str) {
    let json = |name: &str| testkit::json(&out.join(name));
    let stats = json("stats.json");
    let halted = stats["halted"].as_str().unwrap_or_default();
    assert!(halted.contains(why), "{}: halted: {halted}", out.display());
    json("info.json");
    let errors = json("errors.json");
    assert!(errors.is_array());
    let mut problems = Vec::new();
    let tests = testcase::read::tests(&out.join("tests"), &mut problems)
        .unwrap_or_else(|e| panic!("{}: {e:#}", out.display()));
    assert!(problems.is_empty(), "{}: {problems:?}", out.display());
    assert_eq!(
        stats["tests"].as_u64(),
        Some(tests.len() as u64),
        "{}",
        out.display()
    );
}

fn each(name: &str, what: impl Fn(&str, &Place, &[&str])) {
    let Some(dir) = engine!(name) else { return };
    for (name, body, options) in HEAVY {
        let source = dir.join(format!("{name}.c"));
        fs::write(&source, format!("{HEAD}{body}\n")).unwrap();
        what(name, &dir, options);
    }
}

/// Arguments of a run whose program takes `options` of its own, if they are input.
fn arguments<'a>(name: &'a str, first: &[&'a str], options: &[&'a str]) -> Vec<String> {
    let mut args: Vec<String> = ["run", "-q", "--out"].map(String::from).to_vec();
    args.push(format!("{name}-out"));
    args.extend(first.iter().map(|s| s.to_string()));
    args.extend(options.iter().map(|s| s.to_string()));
    args.push(format!("{name}.c"));
    args
}

#[test]
fn time_limits_hold_and_results_are_whole() {
    each("time", |name, dir, options| {
        let begun = Instant::now();
        let args = arguments(name, &["--time", "2"], options);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let output = finish(start(dir, &args));
        let took = begun.elapsed();
        assert!(took < Duration::from_secs(2) + SLACK, "{name}: {took:?}");
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{name}: {:?} {}",
            output.status,
            text(&output)
        );
        check_results(&dir.join(format!("{name}-out")), "time limit");
    });
}

#[test]
fn signals_end_a_run_with_its_results() {
    let signals = [libc::SIGTERM, libc::SIGINT, libc::SIGHUP];
    let mut next = signals.iter().cycle();
    let next = std::cell::RefCell::new(&mut next);
    each("signals", |name, dir, options| {
        let args = arguments(name, &[], options);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let child = start(dir, &args);
        std::thread::sleep(Duration::from_millis(1200));
        let begun = Instant::now();
        send(&child, *next.borrow_mut().next().unwrap());
        let output = finish(child);
        let took = begun.elapsed();
        assert!(took < SLACK, "{name}: {took:?}");
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{name}: {:?} {}",
            output.status,
            text(&output)
        );
        check_results(&dir.join(format!("{name}-out")), "interrupted");
    });
}

/// As `timeout` sends them: to the program, and to the group that it is in.
#[test]
fn two_signals_at_once_are_one() {
    let Some(dir) = engine!("at-once") else {
        return;
    };
    let (_, body, _) = HEAVY[1];
    fs::write(dir.join("objects.c"), format!("{HEAD}{body}\n")).unwrap();
    let child = start(&dir, &["run", "-q", "--out", "out", "objects.c"]);
    std::thread::sleep(Duration::from_millis(1500));
    send(&child, libc::SIGTERM);
    send(&child, libc::SIGTERM);
    finish(child);
    check_results(&dir.join("out"), "interrupted");
}

/// The second signal ends the process on the spot, and all files are whole then, too.
#[test]
fn a_second_signal_ends_at_once() {
    let Some(dir) = engine!("second") else { return };
    let (name, body, _) = HEAVY[4];
    fs::write(dir.join("array.c"), format!("{HEAD}{body}\n")).unwrap();
    assert_eq!(name, "array");
    let child = start(&dir, &["run", "-q", "--out", "out", "array.c"]);
    std::thread::sleep(Duration::from_millis(1200));
    send(&child, libc::SIGTERM);
    std::thread::sleep(Duration::from_millis(350));
    send(&child, libc::SIGINT);
    let begun = Instant::now();
    let output = finish(child);
    assert!(begun.elapsed() < SLACK);
    let code = output.status.code();
    // Two signals may arrive as one if the process has ended between them.
    assert!(matches!(code, Some(0 | 1 | 130 | 143)), "{code:?}");
    for entry in fs::read_dir(dir.join("out")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "json") {
            let bytes = fs::read(&path).unwrap();
            let read: Result<serde_json::Value, _> = serde_json::from_slice(&bytes);
            assert!(read.is_ok(), "{}", path.display());
        }
    }
}

/// A function of a hundred thousand blocks keeps LLVM busy for long.
fn many_blocks(dir: &Path) {
    let mut source =
        String::from("volatile int v; int main(int argc, char **argv) { int x = argc;\n");
    for i in 0..100_000 {
        source.push_str(&format!("if (x == {i}) x += v;\n"));
    }
    source.push_str("return x; }\n");
    fs::write(dir.join("blocks.c"), source).unwrap();
}

/// Processes whose parent is this one, by id and name.
fn children(parent: u32) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(id) = entry
            .file_name()
            .to_str()
            .and_then(|n| n.parse::<u32>().ok())
        else {
            continue;
        };
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else {
            continue;
        };
        let Some((head, rest)) = stat.rsplit_once(')') else {
            continue;
        };
        let mut fields = rest.split_whitespace();
        let state = fields.next().unwrap_or("Z");
        if state != "Z" && fields.next() == Some(&parent.to_string()) {
            found.push((id, head.to_string()));
        }
    }
    found
}

#[test]
fn children_end_with_the_run() {
    let Some(dir) = engine!("children") else {
        return;
    };
    many_blocks(&dir);
    for (signal, wait) in [
        (Some(libc::SIGKILL), 1500),
        (Some(libc::SIGTERM), 1500),
        (None, 0),
    ] {
        let out = format!("out-{wait}-{}", signal.unwrap_or(0));
        let mut args = vec!["run", "-q", "--out", &out];
        if signal.is_none() {
            args.extend(["--time", "2"]);
        }
        args.push("blocks.c");
        let begun = Instant::now();
        let child = start(&dir, &args);
        let mut seen = Vec::new();
        while begun.elapsed() < Duration::from_millis(wait) {
            seen.extend(children(child.id()));
            std::thread::sleep(Duration::from_millis(20));
        }
        if let Some(signal) = signal {
            assert!(!seen.is_empty(), "a child was at work");
            send(&child, signal);
        }
        let sent = Instant::now();
        let output = finish(child);
        let limit = Duration::from_secs(if signal.is_none() { 2 } else { 0 });
        assert!(
            sent.elapsed() < limit + SLACK,
            "{signal:?}: {:?}",
            sent.elapsed()
        );
        std::thread::sleep(Duration::from_millis(100));
        for (id, name) in seen {
            let gone = fs::read_to_string(format!("/proc/{id}/stat")).map_or(true, |stat| {
                stat.contains(") Z ") || !stat.starts_with(&name)
            });
            assert!(gone, "{name} lives on");
        }
        if signal != Some(libc::SIGKILL) {
            assert_eq!(output.status.code(), Some(0), "{}", text(&output));
            let why = if signal.is_none() {
                "time limit"
            } else {
                "interrupted"
            };
            check_results(&dir.join(&out), why);
        }
    }
}

/// A build is not left behind by who started it.
#[test]
fn a_build_ends_with_the_command() {
    let Some(dir) = engine!("build") else { return };
    for signal in [libc::SIGTERM, libc::SIGKILL] {
        let _ = fs::remove_file(dir.join("pid"));
        let child = start(
            &dir,
            &[
                "build",
                "--",
                "sh",
                "-c",
                "echo $$ > new && mv new pid; sleep 10 & wait",
            ],
        );
        let begun = Instant::now();
        while !dir.join("pid").exists() && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let id = fs::read_to_string(dir.join("pid")).unwrap();
        send(&child, signal);
        let mut child = child;
        child.wait().unwrap();
        std::thread::sleep(Duration::from_millis(300));
        let stat = fs::read_to_string(format!("/proc/{}/stat", id.trim()));
        assert!(
            stat.map_or(true, |s| s.contains(") Z ")),
            "the build lives on"
        );
    }
}

#[test]
fn what_cannot_be_a_program_or_a_limit_is_refused() {
    let Some(dir) = engine!("refused") else {
        return;
    };
    let fifo =
        std::ffi::CString::new(dir.join("fifo.c").into_os_string().into_encoded_bytes()).unwrap();
    // SAFETY: a valid string.
    assert_eq!(unsafe { libc::mkfifo(fifo.as_ptr(), 0o600) }, 0);
    let _socket = std::os::unix::net::UnixListener::bind(dir.join("s")).unwrap();
    fs::write(dir.join("t.c"), "int main(void) { return 0; }").unwrap();
    for (args, why) in [
        (&["run", "fifo.c"][..], "a pipe, not a program"),
        (&["run", "s"], "a socket, not a program"),
        (&["run", "/dev/null"], "a device, not a program"),
        (&["run", "--jobs", "0", "t.c"], "--jobs 0"),
    ] {
        let begun = Instant::now();
        let output = finish(start(&dir, args));
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output));
        assert!(text(&output).contains(why), "{args:?}: {}", text(&output));
        assert!(begun.elapsed() < SLACK);
    }
}

/// When no fork is left the live states end, or are ended.
#[test]
fn the_fork_limit_ends_the_run() {
    let Some(dir) = engine!("forks") else { return };
    let program = "int main(void) { unsigned char b[99]; klee_make_symbolic(b, 99, \"b\"); unsigned long n = 0;
        for (;;) for (int i = 0; i < 99; i++) if (b[i] == 'x') n++; }";
    fs::write(dir.join("t.c"), format!("{HEAD}{program}\n")).unwrap();
    let child = start(
        &dir,
        &[
            "run",
            "-q",
            "--out",
            "out",
            "--max-forks",
            "5",
            "--time",
            "60",
            "t.c",
        ],
    );
    let begun = Instant::now();
    let output = finish(child);
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    check_results(&dir.join("out"), "fork limit");
}

/// Reading a long script, simplifying it, and deciding it.
#[test]
fn a_script_ends_at_its_limit_too() {
    let dir = testkit::place!("scripts");
    let mut long = String::from("(set-logic QF_BV)(declare-const x (_ BitVec 32))\n");
    for i in 0..600_000 {
        long.push_str(&format!(
            "(assert (not (= (bvmul x #x{:08x}) (bvadd x #x{i:08x}))))\n",
            i * 7 + 3
        ));
    }
    long.push_str("(check-sat)\n");
    fs::write(dir.join("long.smt2"), long).unwrap();
    let hard = "(set-logic QF_BV)(declare-const a (_ BitVec 128))(declare-const b (_ BitVec 128))
        (assert (= (bvmul a b) #x7fffffffffffffffffffffffffffffc5))(assert (bvugt a (_ bv1 128)))(assert (bvugt b (_ bv1 128)))
        (assert (= (bvurem a b) (bvxor a #x123456789abcdef0fedcba9876543210)))(check-sat)\n";
    fs::File::create(dir.join("hard.smt2"))
        .unwrap()
        .write_all(hard.as_bytes())
        .unwrap();
    for script in ["long.smt2", "hard.smt2"] {
        let begun = Instant::now();
        let output = finish(start(&dir, &["solve", "--time", "1", script]));
        assert!(
            begun.elapsed() < Duration::from_secs(1) + SLACK,
            "{script}: {:?}",
            begun.elapsed()
        );
        assert_eq!(
            String::from_utf8_lossy(&output.stdout).trim(),
            "unknown",
            "{script}"
        );
        let child = start(&dir, &["solve", script]);
        std::thread::sleep(Duration::from_millis(300));
        let begun = Instant::now();
        send(&child, libc::SIGTERM);
        let output = finish(child);
        assert!(begun.elapsed() < SLACK, "{script}");
        assert_eq!(output.status.code(), Some(0), "{script}: {}", text(&output));
    }
}
