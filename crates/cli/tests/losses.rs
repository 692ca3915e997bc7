//! Each way in which a run can leave something out: a program that makes it happen, and the claim that the run then
//! must not make. The tables of `exec::endings` are gone over, so that a new row without a program fails here.

use explore::{Bound, Ending, Loss};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use testkit::{Attended, Place, engine, in_parallel};

/// What is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Row {
    Ending(Ending),
    Loss(Loss),
}

impl Row {
    /// What the claim has to say.
    fn words(self) -> &'static str {
        match self {
            Row::Ending(e) => e.loss().expect("a loss"),
            Row::Loss(l) => l.words(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Row::Ending(e) => e.name(),
            Row::Loss(l) => l.name(),
        }
    }
}

/// One program.
struct Case {
    row: Row,
    options: &'static [&'static str],
    program: &'static str,
    /// Send SIGINT once it runs.
    interrupt: bool,
    /// Where its output goes.
    stdout: &'static str,
    status: i32,
}

const HEAD: &str = "#include <fcntl.h>\n#include <klee/klee.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
    #include <string.h>\n#include <sys/stat.h>\n#include <unistd.h>\n";

/// One symbolic variable.
const INT: &str = "int x; klee_make_symbolic(&x, sizeof x, \"x\");";

fn case(row: Row, options: &'static [&'static str], program: &'static str) -> Case {
    Case {
        row,
        options,
        program,
        interrupt: false,
        stdout: "/dev/null",
        status: 0,
    }
}

fn cases() -> Vec<Case> {
    use Row::{Ending as E, Loss as L};
    const FACTORS: &str = "unsigned long a, b;\n\
        klee_make_symbolic(&a, 8, \"a\"); klee_make_symbolic(&b, 8, \"b\");\n\
        klee_assume(a > 1 & b > 1 & a < 0xffffffff & b < 0xffffffff);\n\
        klee_assume(a * b == 0x7f07f33dd5113f65);\n";
    vec![
        case(
            E(Ending::Unsupported),
            &[],
            "INT if (x == 3) __asm__ volatile(\"cpuid\" ::: \"rax\", \"rbx\", \"rcx\", \"rdx\");",
        ),
        case(
            E(Ending::Retries),
            &["--max-retries", "0"],
            "char s[16]; klee_make_symbolic(s, sizeof s, \"s\"); s[15] = 0; return access(s, 0) == 0;",
        ),
        case(E(Ending::Blocked), &[], "INT if (x == 3) pause();"),
        case(
            E(Ending::Memory),
            &["--memory", "300"],
            "static char from[1 << 20]; from[7] = 1;\n\
             INT if (x == 3) for (;;) { char *p = malloc(1 << 20); if (p) memcpy(p + 1, from, (1 << 20) - 1); }",
        ),
        case(
            E(Ending::Disk),
            &[
                "--memory",
                "96",
                "--spill-disk",
                "1",
                "--jobs",
                "1",
                "--search",
                "bfs",
                "--time",
                "20",
            ],
            "char s[40]; klee_make_symbolic(s, sizeof s, \"s\"); static char big[1 << 14]; unsigned n = 0;\n\
             for (int i = 0; i < 40; i++) { if (s[i] == 'x') n += i; memset(big, i + n, sizeof big); } return n == 5;",
        ),
        case(
            E(Ending::RandomDrop),
            &[
                "--memory-policy",
                "drop",
                "--memory",
                "96",
                "--jobs",
                "1",
                "--search",
                "bfs",
            ],
            "char s[11]; klee_make_symbolic(s, sizeof s, \"s\"); static char big[1 << 16]; unsigned n = 0;\n\
             for (int i = 0; i < 11; i++) { if (s[i] == 'x') n += i;\n\
             for (unsigned k = 0; k < sizeof big; k += 512) big[k] = i + n; } return n == 5;",
        ),
        case(
            E(Ending::Pruned),
            &[
                "--homi=learned",
                "--homi-round",
                "40t",
                "--homi-cycle",
                "5t",
                "--max-forks",
                "3000",
            ],
            "INT unsigned n = 0; for (int i = 0; i < 32; i++) if (x >> i & 1) n += i; return n == 5;",
        ),
        case(
            E(Ending::Output),
            &["--max-output", "1"],
            "static char text[1 << 16]; INT if (x == 3) for (;;) write(1, text, sizeof text);",
        ),
        case(
            E(Ending::Time),
            &["--time", "2"],
            "INT if (x == 3) for (;;) x++;",
        ),
        Case {
            interrupt: true,
            status: 130,
            ..case(
                E(Ending::Interrupted),
                &["--time", "300"],
                "INT if (x == 3) for (;;) x++;",
            )
        },
        case(
            E(Ending::Instructions),
            &["--mode", "concolic"],
            "INT volatile unsigned n = 0; if (x == 3) for (;;) n++;",
        ),
        Case {
            status: 3,
            ..case(
                E(Ending::Internal),
                &[],
                "INT if (x == 77) __polypath_internal_error();",
            )
        },
        // No path is complete: that is no success.
        Case {
            status: 4,
            ..case(
                L(Loss::Parked),
                &["--time", "6", "--solver-time", "1"],
                FACTORS,
            )
        },
        case(
            L(Loss::Concretized),
            &[],
            "INT return lseek(0, x, SEEK_SET) > 5;",
        ),
        case(
            L(Loss::Values),
            &[],
            "INT int v = klee_get_value_i32(x); return v == 5;",
        ),
        case(
            L(Loss::Unchecked),
            &[],
            // What the front end puts into functions of an optimizer: see `bitcode_of_an_optimizer_is_not_checked`.
            "void __polypath_unchecked(void); INT if (x == 3) __polypath_unchecked();",
        ),
        case(
            L(Loss::Resolutions),
            &[],
            "static int *p[200]; for (int i = 0; i < 200; i++) p[i] = calloc(1, 4 + 4 * i);\n\
             unsigned char i; klee_make_symbolic(&i, 1, \"i\"); klee_assume(i < 200); return *p[i];",
        ),
        case(
            L(Loss::Sizes),
            &[],
            "INT char *p = malloc((unsigned)x); if (p && x > 3) p[3] = 1; return 0;",
        ),
        case(
            L(Loss::FloatChecks),
            &["--check", "fp-overflow", "--fp-solver", "none"],
            "double x; klee_make_symbolic(&x, sizeof x, \"x\"); volatile double y = x * x; return 0;",
        ),
        case(
            L(Loss::Leaks),
            &["--check", "leak"],
            "INT static char *kept[20];\n\
             for (int i = 0; i < 20; i++) kept[i] = (char *)((unsigned long)malloc(8) ^ (x & 1)); return 0;",
        ),
        case(
            L(Loss::Forks),
            &["--max-forks", "1"],
            "INT volatile int n = 0; if (x > 3) n++; if (x > 7) n++; if (x > 9) n++; return n;",
        ),
        case(
            L(Loss::Dropped),
            &["--mode", "concolic", "--fail-syscalls", "1"],
            "INT char c; return x == 3 ? (int)read(0, &c, 1) : 0;",
        ),
        case(
            L(Loss::Refused),
            &[],
            "INT if (x == 3 && fork() < 0) return 1;",
        ),
        Case {
            stdout: "/dev/full",
            ..case(L(Loss::Output), &[], "puts(\"hello\"); fflush(stdout);")
        },
        case(
            L(Loss::Open),
            &["--mode", "concolic", "--time", "5"],
            "INT unsigned n = 0; for (int i = 0; i < 32; i++) if (x >> i & 1) n += i;\n\
             for (volatile unsigned k = 0; k < 30000000; k++); return n == 5;",
        ),
    ]
}

/// Rows without a program here, and why.
const WITHOUT: &[(Row, &str)] = &[
    (
        Row::Loss(Loss::Forgotten),
        "takes gigabytes of open branches; dse/tests/toy.rs drops them at will",
    ),
    (
        Row::Loss(Loss::Unsaved),
        "a run that cannot write fast enough: a matter of the machine, and counted where it happens",
    ),
    (
        Row::Ending(Ending::NoForks),
        "as Loss::Forks, where a path goes on for a million instructions after the last fork",
    ),
    (
        Row::Loss(Loss::Divergences),
        "no program is known that leaves its predicted path (tests/tables.rs looks for some): all that a path depends on is its input",
    ),
    (
        Row::Loss(Loss::Models),
        "no query with a wrong model is known; solver.rs has a layer that lies",
    ),
];

struct Ran {
    status: i32,
    said: String,
    stats: serde_json::Value,
    out: PathBuf,
}

fn run(dir: &Place, case: &Case, more: &[&str]) -> Ran {
    let name = case.row.name().replace([' ', '\''], "-");
    let source = dir.join(format!("{name}.c"));
    let body = case.program.replace("INT", INT);
    let text = format!(
        "{HEAD}void __polypath_internal_error(void);\nint main(void) {{\n{body}\nreturn 0; }}\n"
    );
    fs::write(&source, text).expect("a program");
    let out = dir.join(format!("{name}{}", more.len()));
    let mut command = dir.command();
    command
        .arg("run")
        .arg("--out")
        .arg(&out)
        .args(case.options)
        .args(more)
        .arg(&source)
        .stdin(Stdio::null())
        .stdout(fs::File::create(case.stdout).expect("a place for output"));
    let mut child = Attended::begin_with_output(&mut command);
    if case.interrupt {
        let explores = child.explores(&out);
        assert!(explores, "{name} ended by itself");
        child.signal("-INT");
    }
    let (status, said) = child.end();
    Ran {
        status,
        said,
        stats: testkit::json(&out.join("stats.json")),
        out,
    }
}

#[test]
fn every_row_has_a_program() {
    let lossy = Ending::ALL.iter().filter(|e| e.loss().is_some());
    let rows = lossy
        .map(|&e| Row::Ending(e))
        .chain(Loss::ALL.iter().map(|&l| Row::Loss(l)));
    let shown: BTreeSet<Row> = cases()
        .iter()
        .map(|c| c.row)
        .chain(WITHOUT.iter().map(|w| w.0))
        .collect();
    let missing: Vec<Row> = rows.filter(|r| !shown.contains(r)).collect();
    assert_eq!(missing, Vec::<Row>::new());
}

#[test]
fn whatever_is_left_out_is_named_and_nothing_is_claimed() {
    let Some(dir) = engine!("rows") else { return };
    let only = std::env::var("POLYPATH_ONLY").unwrap_or_default();
    let cases: Vec<Case> = cases();
    let cases: Vec<(usize, &Case)> = cases
        .iter()
        .enumerate()
        .filter(|(_, case)| case.row.name().contains(&only))
        .collect();
    in_parallel(&cases, |&(number, case)| {
        let (name, mut wrong) = (case.row.name(), Vec::new());
        // What differs without the two options is the same for each row.
        let plainly = (number % 4 == 0).then_some(&[][..]);
        for more in [&["-q", "--strict"][..]].into_iter().chain(plainly) {
            let ran = run(&dir, case, more);
            let halted = ran.stats["halted"].as_str().unwrap_or("everything");
            if !halted.contains(case.row.words()) {
                wrong.push(format!("{name}: halted is {halted}\n{}", ran.said));
            }
            // Also with --quiet the loss stands on stderr.
            if !ran.said.contains("not everything was explored") {
                wrong.push(format!("{name}: not said: {}", ran.said));
            }
            let expected = match (case.status, more.is_empty()) {
                (0, false) => 4,
                (status, _) => status,
            };
            if ran.status != expected {
                wrong.push(format!(
                    "{name}: {:?}, not {expected}: {}",
                    ran.status, ran.said
                ));
            }
        }
        wrong
    });
}

#[test]
fn a_run_that_leaves_nothing_out_says_so() {
    let Some(dir) = engine!("none") else {
        return;
    };
    // Its row is of no meaning.
    let whole = case(Row::Loss(Loss::Forks), &[], "INT return x == 3;");
    let ran = run(&dir, &whole, &["--strict"]);
    assert_eq!(ran.status, 0, "{}", ran.said);
    assert!(ran.stats["halted"].is_null(), "{}", ran.stats);
    assert!(ran.said.contains("everything was explored"), "{}", ran.said);
    let quiet = run(&dir, &whole, &["--strict", "-q"]);
    assert_eq!((quiet.status, quiet.said.as_str()), (0, ""));
}

#[test]
fn an_error_of_ours_keeps_the_input_that_led_there() {
    let Some(dir) = engine!("internal") else {
        return;
    };
    let program = "INT if (x == 77) __polypath_internal_error();";
    let failing = case(Row::Ending(Ending::Internal), &[], program);
    // Also where no tests are wanted.
    for more in [&[][..], &["--no-tests"]] {
        let ran = run(&dir, &failing, more);
        assert_eq!(ran.status, 3, "{}", ran.said);
        assert!(ran.said.contains("internal errors"), "{}", ran.said);
        let mut problems = Vec::new();
        let tests = testcase::read::tests(&ran.out.join("tests"), &mut problems).expect("tests");
        assert_eq!(problems, Vec::<String>::new());
        let kept = tests
            .iter()
            .find(|t| matches!(&t.expected.exit, testcase::model::ExitKind::Killed(why) if why.contains("asked for")))
            .expect("the input of the internal error");
        let x = kept.objects.iter().find(|(name, _)| name == "x");
        assert_eq!(x.expect("its bytes").1, 77u32.to_le_bytes());
    }
    // An error that was found counts more than ours.
    let Some(dir) = engine!("internal-both") else {
        return;
    };
    let both = "INT if (x == 78) abort(); if (x == 77) __polypath_internal_error();";
    let ran = run(
        &dir,
        &case(Row::Ending(Ending::Internal), &[], both),
        &["-q"],
    );
    assert_eq!(ran.status, 1, "{}", ran.said);
    assert!(ran.said.contains("1 internal errors"), "{}", ran.said);
}

#[test]
fn bitcode_of_an_optimizer_is_not_checked() {
    let Some(dir) = engine!("optimized") else {
        return;
    };
    let source = "#include <klee/klee.h>\n__attribute__((noinline)) static int sh(int a, unsigned char n) { return a << n; }\n\
        __attribute__((noinline)) static int ad(int a, int b) { return a + b; }\nint main(void) { unsigned char x; \
        klee_make_symbolic(&x, 1, \"x\"); if (x < 100) return sh(1, x); return ad(0x7fffff9f, x); }\n";
    fs::write(dir.join("s.c"), source).expect("a program");
    let include = concat!(env!("CARGO_MANIFEST_DIR"), "/../../runtime/include");
    for (level, expected) in [("-O0", None), ("-O1", Some("cannot be checked"))] {
        let compiled = std::process::Command::new("clang-19")
            .args([
                level,
                "-g",
                "-w",
                "-I",
                include,
                "-emit-llvm",
                "-c",
                "s.c",
                "-o",
                "s.bc",
            ])
            .current_dir(&*dir)
            .status()
            .expect("clang-19 runs");
        assert!(compiled.success());
        let out = dir.join(level);
        dir.command()
            .args([
                "run",
                "s.bc",
                "--check",
                "memory,div,shift,overflow",
                "--out",
            ])
            .arg(&out)
            .output()
            .expect("polypath runs");
        let stats = testkit::json(&out.join("stats.json"));
        let halted = stats["halted"].as_str();
        match expected {
            None => assert_eq!(halted, None),
            Some(words) => assert!(halted.is_some_and(|h| h.contains(words)), "{halted:?}"),
        }
    }
}

/// What limits the claim is said with it, and `--strict` takes it for something that was left out.
#[test]
fn the_claim_names_its_limits() {
    let Some(dir) = engine!("bounds") else { return };
    let read = "#include <unistd.h>\nint main(void) { char b[64]; return read(0, b, 64) > 9; }\n";
    let open = "#include <klee/klee.h>\n#include <stdio.h>\nint main(void) { char x; klee_make_symbolic(&x, 1, \"x\"); return fopen(\"/etc/x.conf\", \"r\") != 0; }\n";
    let none = "int main(void) { return 0; }\n";
    let sum = "int sum(const int *a, unsigned n) { int s = 0; for (unsigned i = 0; i < n; i++) s ^= a[i]; return s; }\n";
    let sym_stdin: &[&str] = &["--sym-stdin", "8"];
    let size = "#include <sys/stat.h>\nint main(void) { struct stat s; return stat(\"A\", &s) || s.st_size > 100; }\n";
    let sym_file: &[&str] = &["--sym-files", "1", "8"];
    let unset = "#include <klee/klee.h>\n#include <stdlib.h>\nint main(void) { char x; klee_make_symbolic(&x, 1, \"x\"); return x && getenv(\"DEBUG\"); }\n";
    let col = "enum e { A, B, C }; int col(enum e x) { return x == B; }\n";
    let rest = "#include <klee/klee.h>\n#include <stdio.h>\nint main(void) { char x; klee_make_symbolic(&x, 1, \"x\"); return x && getchar() == 3; }\n";
    let rows = [
        (Bound::Unset, unset, &[][..], "lacks DEBUG"),
        (Bound::InputEnd, rest, &[], "0 bytes of stdin"),
        (Bound::Driver, col, &["--entry", "col"], "named values"),
        (
            Bound::InputEnd,
            size,
            sym_file,
            "asked for the size of A (8 bytes)",
        ),
        (Bound::NoInput, none, &[][..], "no input is symbolic"),
        (Bound::Missing, open, &[], "looked for /etc/x.conf"),
        (Bound::InputEnd, read, sym_stdin, "8 bytes of stdin"),
        (
            Bound::Lengths,
            sum,
            &["--entry", "sum", "--no-null"],
            "up to 64 elements",
        ),
    ];
    let named: BTreeSet<&str> = rows.iter().map(|row| row.0.name()).collect();
    // Java's stands in `java_input`; bitcode and another linker have tests of their own (the latter in `cc`).
    assert_eq!(named.len() + 3, Bound::ALL.len());
    for (i, (bound, program, options, words)) in rows.into_iter().enumerate() {
        let name = bound.name();
        dir.write(&format!("{name}.c"), program);
        for strict in [false, true] {
            let out = dir.join(format!("{name}-{i}-{strict}"));
            let mut command = dir.command();
            command.arg("run").args(options).arg("--out").arg(&out);
            command.args(["--check", "assert"]);
            command.args(strict.then_some("--strict"));
            let ran = command.arg(format!("{name}.c")).output().expect("it runs");
            let said = String::from_utf8_lossy(&ran.stderr);
            let stats = testkit::json(&out.join("stats.json"));
            let bounds = stats["bounds"][name].as_str().unwrap_or_default();
            assert!(bounds.contains(words), "{name}: {stats}");
            assert!(stats["halted"].is_null(), "{name}: {stats}");
            assert!(
                said.contains("everything was explored within this: "),
                "{said}"
            );
            let expected = if strict && bound.is_strict() { 4 } else { 0 };
            assert_eq!(ran.status.code(), Some(expected), "{name}: {said}");
        }
    }
}

/// Each kind of call that a driver does not make limits the claim by name.
#[test]
fn each_limit_of_a_driver_is_named() {
    let Some(dir) = engine!("driver_limits") else {
        return;
    };
    dir.write(
        "made.h",
        "typedef struct s *s_t;\ns_t s_new(void);\nint f(s_t s);\n",
    );
    let many: String = (0..9).map(|i| format!("struct t *p{i}; ")).collect();
    let objects = format!(
        "struct u {{ int *a[16]; }}; struct t {{ struct u *a[16]; }}; struct s {{ {many} }};\nint f(struct s *s) {{ return s != 0; }}\n"
    );
    let rows: [(&str, &[&str], &str); 14] = [
        (&objects, &["--pointer-depth", "5"], "there are 256 objects"),
        (
            "struct s { int *p; }; int f(struct s *(*get)(void)) { return get() != 0; }\n",
            &["--pointer-depth", "1"],
            "nothing lies behind what passed functions return",
        ),
        (
            "struct s { struct s *next; }; int f(struct s *s) { return s && s->next; }\n",
            &[],
            "pointers lead to 3 objects in a row (--pointer-depth)",
        ),
        (
            "#include <stdlib.h>\n#include \"made.h\"\nstruct s { int secret; };\n\
             s_t s_new(void) { return calloc(1, 4); }\nint f(s_t s) { return s->secret; }\n",
            &[],
            "opaque objects are as their constructors make them",
        ),
        (
            "struct s; int f(struct s *s) { return s != 0; }\n",
            &[],
            "struct s has 64 bytes",
        ),
        (
            "typedef int v4 __attribute__((vector_size(16))); int f(v4 *p) { return p != 0; }\n",
            &[],
            "points to 64 bytes",
        ),
        (
            "int f(int (*g)(int)) { return g(1); }\n",
            &[],
            "passed functions write nothing",
        ),
        (
            "struct s { int v; }; int f(struct s *a, struct s *b) { return a == b; }\n",
            &[],
            "objects are the same or apart",
        ),
        (
            "int f(int *a, int *b) { return a == b; }\n",
            &[],
            "arrays, strings and types that are no structures are apart",
        ),
        (
            "struct s { int v; }; int f(struct s *a, struct s *b, struct s *c, struct s *d, struct s *e) { return a == e; }\n",
            &["--no-null"],
            "one of the last 3 objects of its type",
        ),
        (
            "int f(int *a) { return a[0]; }\n",
            &["--no-null"],
            "pointers are not null (--no-null)",
        ),
        (
            "struct s { int v; }; int f(struct s *a, struct s *b) { return a == b; }\n",
            &["--no-alias"],
            "pointers differ (--no-alias)",
        ),
        (
            "static int n; int f(int a) { return n++ + a; }\n",
            &[],
            "static variables begin as initialized (n)",
        ),
        (
            "struct s { int *a[20]; }; int f(struct s *s) { return s && s->a[19]; }\n",
            &[],
            "pointers behind the first 16 elements of an array are null",
        ),
    ];
    for (i, (program, options, words)) in rows.into_iter().enumerate() {
        let (file, out) = (format!("limit{i}.c"), dir.join(format!("limit{i}")));
        dir.write(&file, program);
        let mut command = dir.command();
        command.args(["run", "--entry", "f", "--time", "10", "--max-forks", "50"]);
        command.args(options).args(["--check", "assert", "--out"]);
        let ran = command.arg(&out).arg(&file).output().expect("it runs");
        let said = String::from_utf8_lossy(&ran.stderr);
        let stats = testkit::json(&out.join("stats.json"));
        let limits = stats["bounds"]["driver_limits"].as_str();
        assert!(
            limits.is_some_and(|l| l.contains(words)),
            "{words}: {limits:?}\n{said}"
        );
    }
}

/// In an optimizer's bitcode errors of the source may be gone: the claim says so.
#[test]
fn bitcode_of_an_optimizer_limits_the_claim() {
    let Some(dir) = engine!("optimized_bounds") else {
        return;
    };
    dir.write(
        "one.c",
        "#include <klee/klee.h>\nint main(void) { unsigned char x; klee_make_symbolic(&x, 1, \"x\"); \
         int a[1] = { x }; int i = x - 5; return a[0] == 9 ? a[i] : 0; }\n",
    );
    let include = concat!(env!("CARGO_MANIFEST_DIR"), "/../../runtime/include");
    for (level, status) in [("-O0", 1), ("-O2", 4)] {
        let script = format!(
            "clang-19 {level} -g -c -emit-llvm -idirafter {include} one.c -o one.bc && $P run one.bc --strict --quiet --out out{level}"
        );
        let ran = dir.shell(&script).output().expect("it runs");
        let said = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(status), "{level}: {said}");
        assert_eq!(said.contains("is an optimizer's"), status == 4, "{said}");
    }
}

/// What a program cannot see is no limit of the claim: a buffer of libc that was not filled, and the file of a time zone that
/// libc looks for.
#[test]
fn what_the_program_cannot_see_limits_no_claim() {
    let Some(dir) = engine!("unseen_bounds") else {
        return;
    };
    let one = "#include <stdio.h>\nint main(void) { return getchar() == 'x'; }\n";
    let clock = "#include <klee/klee.h>\n#include <time.h>\nint main(void) { char c; klee_make_symbolic(&c, 1, \"c\"); time_t t = c; return localtime(&t)->tm_hour == 3; }\n";
    let scalars = "int sum(int a, int b) { return a ^ b; }\n";
    let rows: [(&str, &str, &[&str]); 3] = [
        ("one", one, &["--sym-stdin", "8"]),
        ("clock", clock, &["--check", "div"]),
        ("scalars", scalars, &["--entry", "sum"]),
    ];
    for (name, program, options) in rows {
        dir.write(&format!("{name}.c"), program);
        let mut command = dir.command();
        command.arg("run").args(options).args(["--strict", "--out"]);
        command.arg(dir.join(name)).arg(format!("{name}.c"));
        let ran = command.output().expect("it runs");
        let said = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(0), "{name}: {said}");
    }
}

/// A format that depends on the input, and strings of which nobody can tell whether they overlap.
#[test]
fn calls_of_libc_that_cannot_be_checked_are_named() {
    let Some(dir) = engine!("unchecked") else {
        return;
    };
    let head = format!("{HEAD}int main(void) {{ {INT} ");
    let format = "static char f[4] = \"a\"; f[0] = x == 1 ? 'b' : 'c'; return printf(f); }\n";
    let strings = "static char b[60]; unsigned i = x & 3; b[8] = x != 5 ? 'c' : 'd'; strcpy(b + 20 + i, b + 8); return 0; }\n";
    // These are told: another object, and a string that no input changes.
    let apart = "static char a[60], b[60]; unsigned i = x & 3; b[8] = x != 5 ? 'c' : 'd'; strcpy(a + 20 + i, b + 8); return 0; }\n";
    let known = "static char b[60] = \"text\"; unsigned i = x & 3; strcpy(b + 20 + i, b); printf(\"%d\", x); return 0; }\n";
    let rows = [
        ("format", format, true),
        ("strings", strings, true),
        ("apart", apart, false),
        ("known", known, false),
    ];
    for (name, program, is_lost) in rows {
        dir.write(&format!("{name}.c"), format!("{head}{program}"));
        let file = format!("{name}.c");
        let ran = dir.polypath(["run", &file, "--quiet", "--out", name]);
        let stats = testkit::json(&dir.join(name).join("stats.json"));
        let halted = stats["halted"].as_str().unwrap_or_default();
        assert_eq!(
            halted.contains(Loss::Unchecked.words()),
            is_lost,
            "{name}: {}",
            ran.stderr
        );
        assert!(is_lost || halted.is_empty(), "{name}: {halted}");
    }
}
