//! Checked builds confirm each kind of error and nothing else; modelled replay follows the hash.
//!
//! Needs clang-19, llvm-19 and the sysroot (built at the first use).

use polypath_testcase as testcase;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use testcase::replay::confirm::{Confirmation, Confirmer};
use testcase::replay::modelled::{Image, ModelAnswer, Process, World};
use testcase::replay::sandbox::{Config, Sandbox};
use testcase::replay::{Builds, Modelled, ModelledOutcome, SandboxLimits};
use testcase::sanitize::Tools;
use testcase::*;

use crate::common;

fn tools() -> Option<Tools> {
    if !testkit::need("clang-19") {
        return None;
    }
    let sysroot = toolchain::sysroot::ensure(&mut |text| eprintln!("{text}")).unwrap();
    Some(Tools::find(&sysroot.lib, None, toolchain::tools::find_llvm).unwrap())
}

/// The compiler driver replaces its process, so it gets one of its own: this test binary again.
fn compile(source: &Path, out: &Path) {
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "builds::compiler_process", "--nocapture"])
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
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* What C++'s operators tell of an object. */
void __polypath_new(void *p, int is_array, size_t alignment), __polypath_delete(void *p, int is_array, size_t size, size_t alignment);
int table[4];
static int *dangling(void) { int x[4]; x[0] = 1; int *volatile p = x; return p; }
static int deep(int n) { volatile char here[1000]; here[n % 1000] = 1; return n ? deep(n + 1) + here[0] : 0; }
static void handled(int n) { (void)n; _exit(0); }
int other[1000];
int main(int argc, char **argv)
{
    int n = atoi(argv[1]), one = argc - 1;
    char *p = malloc(8), *q = strdup("hello");
    int a[4] = {0};
    if (argv[1][0] == '+') {
        /* The program handles every signal, and ends well. */
        for (int i = 1; i < 32; i++) signal(i, handled);
        argv[1]++;
    }
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
    if (!strcmp(argv[1], "family")) { __polypath_new(p, one, 0); free(p); return 0; }
    if (!strcmp(argv[1], "family-array")) { __polypath_new(p, one, 0); __polypath_delete(p, one - 1, 0, 0); free(p); return 0; }
    if (!strcmp(argv[1], "family-size")) { __polypath_new(p, 0, 0); __polypath_delete(p, 0, 7 * one, 0); free(p); return 0; }
    if (!strcmp(argv[1], "strlen")) { memset(p, 'x', 8); return strlen(p); }
    if (!strcmp(argv[1], "memcpy")) memcpy(p, "0123456789", 9 + one);
    if (!strcmp(argv[1], "sprintf")) sprintf(p, "%d-%s", 1234567, q);
    if (!strcmp(argv[1], "realloc")) { p = realloc(p, 3); p[2 + one] = 1; }
    if (!strcmp(argv[1], "write")) write(1, p, 8 + one);
    if (!strcmp(argv[1], "wild")) *(volatile int *)0x7000000000000000 = 1;
    if (!strcmp(argv[1], "leak")) { p = 0; }
    if (!strcmp(argv[1], "add")) { int x = INT_MAX; x += one; printf("%d\n", x); }
    if (!strcmp(argv[1], "shift")) { int x = 1; x <<= 31 + one; printf("%d\n", x); }
    if (!strcmp(argv[1], "count")) { long x = __builtin_ffs(one - 1); x += __builtin_ctzl(one - 1); printf("%ld\n", x); }
    if (!strcmp(argv[1], "unreachable")) { if (one) __builtin_unreachable(); }
    if (!strcmp(argv[1], "vector")) { static char t[32] __attribute__((aligned(16))); typedef int v __attribute__((vector_size(16))); *(volatile v *)(t + 4 * one) = (v){0}; }
    if (!strcmp(argv[1], "null")) *(volatile int *)(long)(one - 1) = 1;
    if (!strcmp(argv[1], "readonly")) *(volatile char *)"text" = 1;
    if (!strcmp(argv[1], "div")) return one / (one - 1);
    if (!strcmp(argv[1], "assert")) assert(one == 2);
    if (!strcmp(argv[1], "abort")) abort();
    if (!strcmp(argv[1], "far-global")) table[(other - table) + 10 * one] = 1;
    if (!strcmp(argv[1], "far-heap")) p[(q - p) + one] = 1;
    if (!strcmp(argv[1], "far-memset")) memset(p + (q - p), one, 2);
    if (!strcmp(argv[1], "dead-null")) { int *z = (int *)(long)(one - 1); int dead = *z; (void)dead; }
    if (!strcmp(argv[1], "trap")) __builtin_trap();
    if (!strcmp(argv[1], "recursion")) return deep(one);
    if (!strcmp(argv[1], "least")) return (INT_MIN + one - 1) / (-one);
    if (!strcmp(argv[1], "dead-div")) { int dead = one / (one - 1); (void)dead; }
    if (!strcmp(argv[1], "unset")) { int x[2]; x[one - 1] = 1; if (x[one]) puts("set"); }
    if (!strcmp(argv[1], "unset-fixed")) { char x[4]; strncpy(x, argv[1], 1); if (x[2] == 'n') puts("fixed"); }
    if (!strcmp(argv[1], "unset-heap")) { if (p[one]) puts("set"); }
    if (!strcmp(argv[1], "set")) { int x[4]; memset(x, 0, sizeof x); memset(p, 0, 8); if (x[2] || p[one]) puts("set"); }
    printf("%d %s\n", n, q);
    free(p);
    free(q);
    return 0;
}
"#;

#[test]
fn every_kind_of_error_is_confirmed_by_its_build_and_correct_runs_by_none() {
    let _limit = testkit::limit();
    let Some(tools) = tools() else { return };
    let base = tempfile::tempdir().unwrap();
    let (source, plain) = (base.path().join("faults.c"), base.path().join("faults"));
    fs::write(&source, FAULTS).unwrap();
    compile(&source, &plain);
    let bitcode = base.path().join("faults.bc");
    toolchain::link::link(toolchain::extract::modules(&plain).unwrap(), &bitcode).unwrap();
    let (address, traps) = (base.path().join("address"), base.path().join("traps"));
    let functions = BTreeSet::from(["main".to_owned()]);
    tools.address(&bitcode, &functions, &address).unwrap();
    tools.traps(&bitcode, &functions, &traps).unwrap();
    let (address, traps) = (Ok(address), Ok(traps));
    let valgrind = toolchain::tools::find_program("valgrind");
    let sandbox = Sandbox::new(Config {
        launcher: common::launcher(),
        needed: [&plain]
            .into_iter()
            .chain(&address)
            .chain(&traps)
            .cloned()
            .chain(traps.iter().map(|t| testcase::sanitize::for_valgrind(t)))
            .collect(),
        ..Config::default()
    })
    .unwrap();
    let limits = SandboxLimits {
        time: Duration::from_secs(20),
        ..SandboxLimits::default()
    };
    let confirmer = Confirmer {
        builds: Builds {
            plain: &plain,
            address: &address,
            traps: &traps,
            valgrind: valgrind.as_deref(),
        },
        sandbox: &sandbox,
        limits: &limits,
        modelled: None,
    };
    let confirm = |by: &Confirmer, arg: &str, kind: ErrorKind, line: u32| -> Confirmation {
        let error = ErrorRecord {
            kind,
            message: String::new(),
            file: source.display().to_string(),
            line,
            function: "main".into(),
            test: String::new(),
            stack: Vec::new(),
            ..ErrorRecord::default()
        };
        let test = TestCase {
            id: 1,
            args: vec![b"faults".to_vec(), arg.as_bytes().to_vec()],
            ..TestCase::default()
        };
        by.confirm(&error, &[&test])
    };
    let confirmed_at = |arg: &str, kind, line| confirm(&confirmer, arg, kind, line);
    let confirmed = |arg: &str, kind: ErrorKind| confirmed_at(arg, kind, 1);
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
        ("family", MismatchedFree, "operator new[] and free"),
        (
            "family-array",
            MismatchedFree,
            "operator new[] and operator delete;",
        ),
        (
            "family-size",
            MismatchedFree,
            "operator delete for an object of 7 bytes",
        ),
        ("leak", Leak, "a heap object of 8 bytes"),
        ("add", Overflow, "SIG"),
        ("shift", Shift, "SIG"),
        ("count", Builtin, "SIG"),
        ("vector", Misaligned, "SIGSEGV"),
        ("unreachable", Unreachable, "SIG"),
        ("null", Null, "SIGSEGV"),
        ("readonly", ReadOnly, "SIGSEGV"),
        ("div", DivZero, "SIGFPE"),
        ("assert", Assert, "one == 2"),
        ("abort", Abort, "SIGABRT"),
        ("far-global", OutOfBounds, "out-of-object"),
        ("far-heap", OutOfBounds, "out-of-object"),
        ("far-memset", OutOfBounds, "out-of-object"),
        ("dead-null", Null, "null-access"),
        ("trap", Abort, "SIG"),
        ("recursion", StackOverflow, "SIGSEGV"),
        ("least", Overflow, "SIG"),
        ("dead-div", DivZero, "SIG"),
        ("+null", Null, "SIGSEGV in main ("),
        ("+null", Null, "which the program handled (exit 0)"),
        ("+div", DivZero, "which the program handled"),
        ("+abort", Abort, "SIGABRT"),
        ("+assert", Assert, "one == 2"),
        ("+trap", Abort, "SIG"),
        ("+readonly", ReadOnly, "SIGSEGV"),
    ] {
        match confirmed(arg, kind) {
            Confirmation::Confirmed(how) => assert!(how.contains(word), "{arg}: {how}"),
            other => panic!("{arg}: {other:?}"),
        }
    }
    for (arg, place) in [
        ("unset", "if (x[one])"),
        ("unset-fixed", "if (x[2] =="),
        ("unset-heap", "if (p[one])"),
    ] {
        let line = 1 + FAULTS.lines().position(|l| l.contains(place)).unwrap();
        match confirmed_at(arg, Uninitialized, line as u32) {
            Confirmation::Confirmed(how) => {
                assert!(how.contains("uninitialized-read"), "{arg}: {how}")
            }
            other => panic!("{arg}: {other:?}"),
        }
        let other = confirmed_at("42", Uninitialized, line as u32);
        assert!(matches!(other, Confirmation::Undecided(_)), "{other:?}");
    }
    let line = 1 + FAULTS
        .lines()
        .position(|l| l.contains("if (x[2] || p[one])"))
        .unwrap();
    let written = confirmed_at("set", Uninitialized, line as u32);
    assert!(matches!(written, Confirmation::Undecided(_)), "{written:?}");
    if valgrind.is_some() {
        let none = Err("none".to_owned());
        let by_valgrind = Confirmer {
            builds: Builds {
                plain: &plain,
                address: &none,
                traps: &traps,
                valgrind: valgrind.as_deref(),
            },
            sandbox: &sandbox,
            limits: &limits,
            modelled: None,
        };
        match confirm(&by_valgrind, "unset", Uninitialized, 1) {
            Confirmation::Confirmed(how) => assert!(how.contains("valgrind"), "{how}"),
            other => panic!("{other:?}"),
        }
        let written = confirm(&by_valgrind, "set", Uninitialized, 1);
        assert!(
            matches!(&written, Confirmation::Undecided(why) if why.contains("valgrind: no report, exit 0")),
            "{written:?}"
        );
    }
    // A correct run confirms nothing, and neither does another error.
    for kind in [
        OutOfBounds,
        UseAfterFree,
        DoubleFree,
        InvalidFree,
        MismatchedFree,
        Leak,
        Overflow,
        Shift,
        Builtin,
        Misaligned,
        Unreachable,
        Null,
        DivZero,
        Abort,
    ] {
        assert!(
            matches!(confirmed("42", kind), Confirmation::Undecided(_)),
            "{kind}"
        );
    }
    assert!(matches!(
        confirmed("leak", DoubleFree),
        Confirmation::Undecided(_)
    ));
    assert!(matches!(confirmed("add", Null), Confirmation::Undecided(_)));
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
    arg: Vec<u8>,
    handler: u64,
}

/// Where the arguments lie: below the machine's heap.
const ARGUMENTS: u64 = ir::layout::HEAP - 8192;

impl World for Tiny {
    fn image(&self) -> Image {
        let (name, arg) = (ARGUMENTS + 512, ARGUMENTS + 520);
        // argc, argv, no environment; AT_PAGESZ and AT_RANDOM.
        let words = [2, name, arg, 0, 0, 6, 4096, 25, ARGUMENTS + 640, 0, 0];
        let bytes = words.iter().flat_map(|w: &u64| w.to_le_bytes()).collect();
        let mut strings = b"marked\0\0".to_vec();
        strings.extend(&self.arg);
        strings.push(0);
        Image {
            stack_pointer: ARGUMENTS,
            parts: vec![(ARGUMENTS, bytes), (name, strings)],
        }
    }

    fn call(&mut self, number: u64, a: &[u64; 6], process: &mut dyn Process) -> ModelAnswer {
        match number {
            0 => {
                assert!(process.write(a[1], self.input));
                assert_eq!(process.read(a[1], 1).unwrap(), self.input);
                assert!(!process.write(8, b"x") && process.read(8, 1).is_none());
                ModelAnswer::Return(self.input.len() as i64)
            }
            9 => ModelAnswer::Return(process.execute(9, [0, a[1], 3, 0x22, u64::MAX, 0])),
            13 => {
                let act = process.read(a[1], 8).unwrap();
                self.handler = u64::from_le_bytes(act.try_into().unwrap());
                ModelAnswer::Return(0)
            }
            14 | 39 | 186 | 218 => ModelAnswer::Return(1),
            200 => ModelAnswer::Handle {
                signal: 10,
                handler: self.handler,
                siginfo: [0; 128],
                mask: 0,
            },
            231 => ModelAnswer::Exit(a[0] as i32),
            n => ModelAnswer::Unsupported(format!("call {n}")),
        }
    }

    fn has_handler(&self, _: i32) -> bool {
        false
    }

    fn handler_returned(&mut self, _: u64) -> ModelAnswer {
        ModelAnswer::Return(0)
    }
}

#[test]
fn modelled_replay_follows_the_path_hash() {
    let _limit = testkit::limit();
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
    let places = testcase::addresses::AddressLayout {
        heap: ir::layout::HEAP + 4096,
        stack: ir::layout::STACK + 4096,
        largest: 1 << 20,
        all: 1 << 20,
    };
    let refused = tools
        .hashed(&module, &ir::Module::default(), places, &binary)
        .unwrap();
    assert_eq!(refused, None);

    let open = |test: &TestCase| {
        Ok(Box::new(Tiny {
            input: b"y",
            arg: test.args[1].clone(),
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
        let stop = AtomicBool::new(false);
        let modelled = Modelled::new(binary.clone(), &open, Duration::from_secs(3), &stop);
        let (outcome, passed) = modelled.trace(&test);
        // The log has all sites, up to where the program was told to end.
        let known = passed.len().min(sites.len());
        if outcome == ModelledOutcome::Same {
            assert_eq!(passed[..known], sites[..known]);
        }
        // A second run of the same process.
        assert_eq!(modelled.run(&test), outcome);
        outcome
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
    let stop = AtomicBool::new(false);
    let modelled = Modelled::new(binary, &open, Duration::from_secs(3), &stop);
    assert!(matches!(modelled.run(&test), ModelledOutcome::NotRun(_)));
}
