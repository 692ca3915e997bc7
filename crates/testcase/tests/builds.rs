//! Checked builds confirm each kind of error and nothing else; modelled replay follows the hash.
//!
//! Needs clang-19, llvm-19 and the sysroot (built at the first use); without clang the tests say so
//! and pass, as the tool chain's own tests do.

use polypath_testcase as testcase;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use testcase::replay::confirm::{self, Confirmation};
use testcase::replay::modelled::{Answer, Process, World};
use testcase::replay::{Builds, Limits, Modelled, ModelledOutcome};
use testcase::sanitize::Tools;
use testcase::*;

fn tools() -> Option<Tools> {
    if toolchain::tools::find_program("clang-19").is_none() {
        eprintln!("skipped: clang-19 is not installed");
        return None;
    }
    let sysroot = toolchain::sysroot::ensure(&mut |text| eprintln!("{text}")).unwrap();
    Some(Tools::find(&sysroot.lib).unwrap())
}

/// The compiler driver replaces its process, so it gets one of its own: this test binary again.
fn compile(source: &Path, out: &Path) {
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "compiler_process", "--nocapture"])
        .env("COMPILE", source)
        .env("COMPILE_TO", out)
        .status()
        .unwrap();
    assert!(status.success() && out.exists());
}

#[test]
fn compiler_process() {
    let (Ok(source), Ok(out)) = (std::env::var("COMPILE"), std::env::var("COMPILE_TO")) else {
        return;
    };
    let words = ["-O1", "-w", &source, "-o", &out].map(String::from);
    let status = toolchain::driver::run(toolchain::driver::Language::C, &words, true).unwrap();
    assert!(status.success());
}

const FAULTS: &str = r#"
#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int table[4];
static int *dangling(void) { int x[4]; x[0] = 1; int *volatile p = x; return p; }
int main(int argc, char **argv)
{
    int n = atoi(argv[1]), one = argc - 1;
    char *p = malloc(8), *q = strdup("hello");
    int a[4] = {0};
    if (!strcmp(argv[1], "heap")) p[7 + one] = 1;
    if (!strcmp(argv[1], "heap-low")) p[-one] = 1;
    if (!strcmp(argv[1], "stack")) a[3 + one] = 1;
    if (!strcmp(argv[1], "global")) table[3 + one] = 1;
    if (!strcmp(argv[1], "freed")) { free(p); p[one] = 1; return 0; }
    if (!strcmp(argv[1], "returned")) return *dangling();
    if (!strcmp(argv[1], "scope")) { int *r; { int y[3]; y[0] = one; r = y; } return r[0]; }
    if (!strcmp(argv[1], "twice")) { free(p); free(p); }
    if (!strcmp(argv[1], "not-heap")) free(a);
    if (!strcmp(argv[1], "middle")) free(p + 4);
    if (!strcmp(argv[1], "strlen")) { memset(p, 'x', 8); return strlen(p); }
    if (!strcmp(argv[1], "memcpy")) memcpy(p, "0123456789", 9 + one);
    if (!strcmp(argv[1], "sprintf")) sprintf(p, "%d-%s", 1234567, q);
    if (!strcmp(argv[1], "realloc")) { p = realloc(p, 3); p[2 + one] = 1; }
    if (!strcmp(argv[1], "write")) write(1, p, 8 + one);
    if (!strcmp(argv[1], "wild")) *(volatile int *)0x7000000000000000 = 1;
    if (!strcmp(argv[1], "leak")) { p = 0; }
    if (!strcmp(argv[1], "add")) { int x = INT_MAX; x += one; printf("%d\n", x); }
    if (!strcmp(argv[1], "shift")) { int x = 1; x <<= 31 + one; printf("%d\n", x); }
    if (!strcmp(argv[1], "unreachable")) { if (one) __builtin_unreachable(); }
    if (!strcmp(argv[1], "null")) *(volatile int *)(long)(one - 1) = 1;
    if (!strcmp(argv[1], "readonly")) *(volatile char *)"text" = 1;
    if (!strcmp(argv[1], "div")) return one / (one - 1);
    if (!strcmp(argv[1], "assert")) assert(one == 2);
    if (!strcmp(argv[1], "abort")) abort();
    printf("%d %s\n", n, q);
    free(p);
    free(q);
    return 0;
}
"#;

#[test]
fn every_kind_of_error_is_confirmed_by_its_build_and_correct_runs_by_none() {
    let Some(tools) = tools() else { return };
    let base = tempfile::tempdir().unwrap();
    let (source, plain) = (base.path().join("faults.c"), base.path().join("faults"));
    fs::write(&source, FAULTS).unwrap();
    compile(&source, &plain);
    let bitcode = base.path().join("faults.bc");
    toolchain::link::link(toolchain::extract::modules(&plain).unwrap(), &bitcode).unwrap();
    let (address, traps) = (base.path().join("address"), base.path().join("traps"));
    tools.address(&bitcode, &address).unwrap();
    tools
        .traps(&bitcode, &BTreeSet::from(["main".to_owned()]), &traps)
        .unwrap();
    let (address, traps) = (Ok(address), Ok(traps));
    let builds = Builds {
        plain: &plain,
        address: &address,
        traps: &traps,
    };
    let limits = Limits {
        time: Duration::from_secs(20),
        ..Limits::default()
    };
    let confirmed = |arg: &str, kind: ErrorKind| -> Confirmation {
        let error = ErrorRecord {
            kind,
            message: String::new(),
            file: "faults.c".into(),
            line: 1,
            function: "main".into(),
            test: String::new(),
            stack: Vec::new(),
            paths: 1,
        };
        let test = TestCase {
            id: 1,
            args: vec![b"faults".to_vec(), arg.as_bytes().to_vec()],
            ..TestCase::default()
        };
        confirm::confirm(&error, &test, &builds, &limits)
    };
    use ErrorKind::*;
    for (arg, kind, word) in [
        ("heap", OutOfBounds, "write of 1 bytes"),
        ("heap-low", OutOfBounds, "heap-buffer-overflow"),
        ("stack", OutOfBounds, "stack-buffer-overflow"),
        ("global", OutOfBounds, "global-buffer-overflow"),
        (
            "strlen",
            OutOfBounds,
            "0 bytes after a heap object of 8 bytes",
        ),
        ("memcpy", OutOfBounds, "heap-buffer-overflow"),
        ("sprintf", OutOfBounds, "heap-buffer-overflow"),
        (
            "realloc",
            OutOfBounds,
            "0 bytes after a heap object of 3 bytes",
        ),
        ("write", OutOfBounds, "read of 9 bytes"),
        ("wild", OutOfBounds, "wild-access"),
        (
            "freed",
            UseAfterFree,
            "1 bytes into a heap object of 8 bytes",
        ),
        ("returned", UseAfterFree, "stack-use-after-return"),
        ("scope", UseAfterFree, "stack-use-after-scope"),
        ("twice", DoubleFree, "double-free"),
        ("not-heap", InvalidFree, "invalid-free"),
        ("middle", InvalidFree, "invalid-free"),
        ("leak", Leak, "a heap object of 8 bytes"),
        ("add", Overflow, "SIG"),
        ("shift", Shift, "SIG"),
        ("unreachable", Unreachable, "SIG"),
        ("null", Null, "SIGSEGV"),
        ("readonly", Readonly, "SIGSEGV"),
        ("div", DivZero, "SIGFPE"),
        ("assert", Assert, "one == 2"),
        ("abort", Abort, "SIGABRT"),
    ] {
        match confirmed(arg, kind) {
            Confirmation::Confirmed(how) => assert!(how.contains(word), "{arg}: {how}"),
            other => panic!("{arg}: {other:?}"),
        }
    }
    // A correct run confirms nothing, and neither does another error.
    for kind in [
        OutOfBounds,
        UseAfterFree,
        DoubleFree,
        InvalidFree,
        Leak,
        Overflow,
        Shift,
        Unreachable,
        Null,
        DivZero,
        Abort,
    ] {
        assert!(
            matches!(confirmed("42", kind), Confirmation::NotReproduced(_)),
            "{kind}"
        );
    }
    assert!(matches!(
        confirmed("twice", OutOfBounds),
        Confirmation::NotReproduced(_)
    ));
    assert!(matches!(
        confirmed("add", Null),
        Confirmation::NotReproduced(_)
    ));
}

const MARKED: &str = r#"
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <klee/klee.h>
void __polypath_mark_cover(int);
void __polypath_mark_keep(void *);
static void handler(int n) { __polypath_mark_cover(40 + n); }
int main(int argc, char **argv)
{
    char c, x = 0;
    __polypath_mark_cover(1);
    __polypath_mark_keep(&c);
    char *heap = malloc(100);
    if (heap[99] != 0) __polypath_mark_cover(66);
    if (read(0, &c, 1) == 1 && c == 'y') __polypath_mark_cover(2);
    char *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    page[4095] = 1;
    if (argv[1][0] == 'k') {
        klee_make_symbolic(&x, 1, "x");
        __polypath_mark_cover(x);
    }
    if (argv[1][0] == 's') {
        signal(SIGUSR1, handler);
        raise(SIGUSR1);
    }
    __polypath_mark_cover(3);
    if (argv[1][0] == 'l') for (;;);
    return 7;
}
"#;

/// A world with one byte of input, memory maps, and one signal.
struct Tiny {
    input: &'static [u8],
    handler: u64,
}

impl World for Tiny {
    fn call(&mut self, number: u64, a: &[u64; 6], process: &mut dyn Process) -> Answer {
        match number {
            0 => {
                assert!(process.write(a[1], self.input));
                assert_eq!(process.read(a[1], 1).unwrap(), self.input);
                assert!(!process.write(8, b"x") && process.read(8, 1).is_none());
                Answer::Return(self.input.len() as i64)
            }
            9 => Answer::Return(process.execute(9, [0, a[1], 3, 0x22, u64::MAX, 0])),
            13 => {
                let act = process.read(a[1], 8).unwrap();
                self.handler = u64::from_le_bytes(act.try_into().unwrap());
                Answer::Return(0)
            }
            14 | 39 | 186 | 218 => Answer::Return(1),
            200 => Answer::Handle {
                signal: 10,
                handler: self.handler,
                siginfo: [0; 128],
            },
            231 => Answer::Exit(a[0] as i32),
            n => Answer::Unsupported(format!("call {n}")),
        }
    }

    fn handler_returned(&mut self) -> Answer {
        Answer::Return(0)
    }
}

#[test]
fn modelled_replay_follows_the_path_hash() {
    let Some(tools) = tools() else { return };
    let base = tempfile::tempdir().unwrap();
    let source = base.path().join("marked.c");
    fs::write(&source, MARKED).unwrap();
    let bitcode = toolchain::compile::source(&source, &[], &mut |_| {}).unwrap();
    let module = base.path().join("marked.ll");
    let dis = std::process::Command::new(&tools.dis)
        .arg(bitcode)
        .arg("-o")
        .arg(&module)
        .status()
        .unwrap();
    assert!(dis.success());
    let binary = base.path().join("marked");
    tools.hashed(&module, &binary).unwrap();

    let open = |_: &TestCase| {
        Ok(Box::new(Tiny {
            input: b"y",
            handler: 0,
        }) as Box<dyn World>)
    };
    let run = |arg: &str, sites: &[u32], exit: ExitKind| {
        let hash = sites
            .iter()
            .fold(ir::trace::START, |h, s| ir::trace::step(h, *s));
        let test = TestCase {
            id: 1,
            args: vec![b"marked".to_vec(), arg.as_bytes().to_vec()],
            objects: vec![("x".into(), vec![9])],
            expected: Expected {
                exit,
                path_hash: Some(hash),
                ..Expected::default()
            },
            ..TestCase::default()
        };
        Modelled {
            binary: PathBuf::from(&binary),
            open: &open,
            time: Duration::from_secs(3),
        }
        .run(&test)
    };
    let status = || ExitKind::Status(7);
    let killed = || ExitKind::Killed("time".into());
    assert_eq!(run("-", &[1, 2, 3], status()), ModelledOutcome::Same);
    assert_eq!(run("k", &[1, 2, 9, 3], status()), ModelledOutcome::Same);
    assert_eq!(run("s", &[1, 2, 50, 3], status()), ModelledOutcome::Same);
    // Paths cut short need only pass the hash.
    assert_eq!(run("-", &[1, 2], killed()), ModelledOutcome::Same);
    assert_eq!(run("l", &[1, 2, 3], killed()), ModelledOutcome::Same);
    for (arg, sites, exit, how) in [
        ("-", &[1, 3][..], status(), "path hash"),
        ("-", &[1, 2], status(), "path hash"),
        ("-", &[1, 2, 3, 4], killed(), "path hash"),
        ("l", &[1, 2, 3], status(), "time-out"),
    ] {
        match run(arg, sites, exit) {
            ModelledOutcome::Diverged(why) => assert!(why.contains(how), "{why}"),
            other => panic!("{arg} {sites:?}: {other:?}"),
        }
    }
    let test = TestCase::default();
    let modelled = Modelled {
        binary,
        open: &open,
        time: Duration::from_secs(3),
    };
    assert!(matches!(modelled.run(&test), ModelledOutcome::NotRun(_)));
}
