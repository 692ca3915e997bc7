//! Limits and signals hold whatever a run is doing, and what was found by then can be read.
//!
//! Each program is heavy in one place: queries, tables, builtins, set-up, the front end. Nobody looks at the clock here: these
//! programs take far longer than a test waits ([`testkit::MOST`]) when nobody ends them (a run ends within some 0.5 s of its limit).

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use testkit::{Attended, Place, engine, in_parallel, processor_time};

/// Processor time after which a compiler is in the midst of its work.
const MIDST: Duration = Duration::from_millis(400);

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
        "#include <unistd.h>\nint main(void) { char c; int n = 0; while (read(0, &c, 1) == 1) n += c == 'x'; return n > 3; }",
        &["--sym-stdin", "5000000"],
    ),
];

fn start(dir: &Place, args: &[&str]) -> Attended {
    let mut command = dir.command();
    begin(command.args(args))
}

fn begin(command: &mut Command) -> Attended {
    // SAFETY: between fork and exec a system call only.
    unsafe {
        command.pre_exec(|| {
            // Under nohup these tests inherit an ignored SIGHUP, which polypath would respect.
            libc::signal(libc::SIGHUP, libc::SIG_DFL);
            Ok(())
        });
    }
    Attended::begin(command.stdin(Stdio::null()))
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

fn each(name: &str, what: impl Fn(&str, &Place, &[&str]) + Sync) {
    let Some(dir) = engine!(name) else { return };
    in_parallel(HEAVY, |(name, body, options)| {
        let source = dir.join(format!("{name}.c"));
        fs::write(&source, format!("{HEAD}{body}\n")).unwrap();
        what(name, &dir, options);
        Vec::new()
    });
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
        let args = arguments(name, &["--time", "2"], options);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let (code, said) = start(dir, &args).end();
        // 4 where no path was complete.
        assert!(matches!(code, 0 | 1 | 4), "{name}: {code} {said}");
        check_results(&dir.join(format!("{name}-out")), "time limit");
    });
}

#[test]
fn signals_end_a_run_with_its_results() {
    let next = AtomicUsize::new(0);
    each("signals", |name, dir, options| {
        let args = arguments(name, &[], options);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let out = dir.join(format!("{name}-out"));
        let mut run = start(dir, &args);
        assert!(run.explores(&out), "{name} ended by itself");
        run.signal(["-TERM", "-INT", "-HUP"][next.fetch_add(1, Ordering::Relaxed) % 3]);
        let (code, said) = run.end();
        assert!(matches!(code, 1 | 129 | 130 | 143), "{name}: {code} {said}");
        check_results(&out, "interrupted");
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
    let mut run = start(&dir, &["run", "-q", "--out", "out", "objects.c"]);
    assert!(run.explores(&dir.join("out")), "it ended by itself");
    for _ in 0..2 {
        // SAFETY: kill only reads its arguments; the child has not been waited for.
        unsafe { libc::kill(run.id() as i32, libc::SIGTERM) };
    }
    run.end();
    check_results(&dir.join("out"), "interrupted");
}

/// The second signal ends the process on the spot, and all files are whole then, too.
#[test]
fn a_second_signal_ends_at_once() {
    let Some(dir) = engine!("second") else { return };
    let (name, body, _) = HEAVY[4];
    fs::write(dir.join("array.c"), format!("{HEAD}{body}\n")).unwrap();
    assert_eq!(name, "array");
    let mut run = start(&dir, &["run", "-q", "--out", "out", "array.c"]);
    assert!(run.explores(&dir.join("out")), "it ended by itself");
    run.signal("-TERM");
    // Those that come so soon are one (host::signals).
    std::thread::sleep(Duration::from_millis(350));
    run.signal("-INT");
    let (code, said) = run.end();
    // The process may have ended between them.
    assert!(matches!(code, 1 | 130 | 143), "{code}: {said}");
    for entry in fs::read_dir(dir.join("out")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().expect("a name").to_string_lossy();
        // A file is written under a hidden name first: there it may be torn.
        if name.ends_with(".json") && !name.starts_with('.') {
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
    for (signal, why) in [
        ("-KILL", None),
        ("-TERM", Some("interrupted")),
        ("", Some("time limit")),
    ] {
        let out = format!("out{signal}");
        let mut args = vec!["run", "-q", "--out", &out];
        if signal.is_empty() {
            args.extend(["--time", "2"]);
        }
        args.push("blocks.c");
        let mut run = start(&dir, &args);
        let mut seen = BTreeSet::new();
        let at_work = run.until("a child is at work", |id| {
            let children = children(id);
            seen.extend(children.iter().cloned());
            children.iter().any(|(id, _)| processor_time(*id) > MIDST)
        });
        if !signal.is_empty() {
            assert!(at_work, "no child was at work");
            run.signal(signal);
        }
        let (code, said) = run.end();
        testkit::until("all children are gone", || {
            seen.iter().all(|(id, name)| {
                let stat = fs::read_to_string(format!("/proc/{id}/stat"));
                stat.map_or(true, |stat| {
                    stat.contains(") Z ") || !stat.starts_with(name)
                })
            })
        });
        if let Some(why) = why {
            let expected = if signal.is_empty() { 4 } else { 143 };
            assert_eq!(code, expected, "{said}");
            check_results(&dir.join(&out), why);
        }
    }
}

/// A build is not left behind by who started it.
#[test]
fn a_build_ends_with_the_command() {
    let Some(dir) = engine!("build") else { return };
    for signal in ["-TERM", "-KILL"] {
        // Far longer than anybody waits for its end.
        // What the shell began may live on, and does not hold the words of the command.
        let build = "sleep 1000 2>/dev/null & echo $$ $! > new && mv new pid; wait";
        let mut run = start(&dir, &["build", "--", "sh", "-c", build]);
        let pid = dir.join("pid");
        assert!(run.until("the build begins", |_| pid.exists()));
        let ids = fs::read_to_string(&pid).unwrap();
        let ids: Vec<u32> = ids.split_whitespace().map(|n| n.parse().unwrap()).collect();
        run.signal(signal);
        testkit::until("the build is gone", || testkit::is_gone(ids[0]));
        run.end();
        testkit::signal(ids[1], "-KILL");
        fs::remove_file(&pid).unwrap();
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
        let (code, said) = start(&dir, args).end();
        assert_eq!(code, 2, "{args:?}: {said}");
        assert!(said.contains(why), "{args:?}: {said}");
    }
}

/// When no fork is left the live states end, or are ended.
#[test]
fn the_fork_limit_ends_the_run() {
    let Some(dir) = engine!("forks") else { return };
    let program = "int main(void) { unsigned char b[99]; klee_make_symbolic(b, 99, \"b\"); unsigned long n = 0;
        for (;;) for (int i = 0; i < 99; i++) if (b[i] == 'x') n++; }";
    fs::write(dir.join("t.c"), format!("{HEAD}{program}\n")).unwrap();
    let run = start(
        &dir,
        &["run", "-q", "--out", "out", "--max-forks", "5", "t.c"],
    );
    let (code, said) = run.end();
    // No path is complete.
    assert_eq!(code, 4, "{said}");
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
    dir.write("hard.smt2", hard);
    for script in ["long.smt2", "hard.smt2"] {
        let limited = format!("exec \"$P\" solve --time 1 {script} >answer");
        begin(&mut dir.shell(&limited)).end();
        assert_eq!(dir.text("answer").trim(), "unknown", "{script}");
        let mut run = start(&dir, &["solve", script]);
        let worked = run.until("it works", |id| {
            processor_time(id) > Duration::from_millis(200) && testkit::listens(id, 15)
        });
        assert!(worked, "{script}");
        run.signal("-TERM");
        let (code, said) = run.end();
        assert_eq!(code, 0, "{script}: {said}");
    }
}
