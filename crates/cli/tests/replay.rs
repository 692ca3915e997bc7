//! `polypath run`, then `polypath replay` and `polypath report`, on a program with five errors.

use testkit::{Place, Ran, engine};

const PROGRAM: &str = r#"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    if (argc < 2) return 3;
    char *s = argv[1], *h = malloc(4);
    if (s[0] == 'o') h[s[1] & 7] = 1;
    if (s[0] == 'd') printf("%d\n", 100 / (s[1] - 'x'));
    if (s[0] == 'n') *(volatile int *)0 = 1;
    if (s[0] == 'a') assert(s[1] != 'b');
    if (s[0] == 'f') { free(h); if (s[1] == 'f') free(h); return 1; }
    puts(s[0] > 'k' ? "big" : "small");
    free(h);
    return s[0] > 'k';
}
"#;

/// Explores a program, which ends with this status: a directory with the results in `out`, and what was said.
#[track_caller]
fn explored(name: &str, program: &str, options: &[&str], status: i32) -> Option<(Place, String)> {
    let dir = engine!(name)?;
    dir.write("t.c", program);
    let run = dir.polypath([&["run", "--out", "out", "t.c"], options].concat());
    assert_eq!(run.code, status, "{}", run.text());
    Some((dir, run.text()))
}

/// Runs `polypath` in the root directory.
fn from_root(place: &Place, args: &[&str]) -> Ran {
    let output = place.command().current_dir("/").args(args).output();
    Ran::from(output.expect("polypath starts"))
}

#[test]
fn every_test_replays_and_every_error_is_confirmed() {
    let Some((dir, _)) = explored("errors", PROGRAM, &["--time", "300", "--sym-arg", "2"], 1)
    else {
        return;
    };

    // From elsewhere: names mean what they meant in the run.
    let out = dir.join("out");
    let replay = from_root(&dir, &["replay", "--time", "300", out.to_str().unwrap()]);
    let words = replay.text();
    assert_eq!(replay.code, 1, "{words}");
    assert_eq!(words.matches(": confirmed: ").count(), 5, "{words}");
    for wrong in [
        "different",
        "time-out",
        "not run",
        "diverge",
        "contradicted",
        "undecided",
        "consistent",
    ] {
        assert!(!words.contains(wrong), "{words}");
    }
    assert!(words.contains("same path"), "{words}");

    let report = dir.polypath(["report", "out"]);
    assert_eq!(report.code, 0, "{}", report.text());
    for name in ["report.html", "lcov.info", "report.sarif", "junit.xml"] {
        assert!(out.join(name).is_file(), "{name}");
    }
}

/// Errors that the usual checks do not see, each chosen by one byte of input.
const HIDDEN: &str = r#"
#include <klee/klee.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int table[4], other[2000];
static void quiet(int n) { (void)n; _exit(0); }
static int *dangling(void) { int x[4]; x[0] = 1; int *volatile p = x; return p; }
static int deep(int n) { volatile char here[1000]; here[n % 1000] = 1; return n ? deep(n + 1) + here[0] : 0; }
int main(void)
{
    unsigned char c, i;
    klee_make_symbolic(&c, 1, "c");
    klee_make_symbolic(&i, 1, "i");
    int one = i == 1 ? 1 : 2;
    switch (c) {
    case 0: table[one * 700] = 1; return 0;
    case 1: signal(SIGSEGV, quiet); return *(volatile int *)(long)(one - one);
    case 2: signal(SIGABRT, quiet); abort();
    case 3: signal(SIGFPE, quiet); return 7 / (one - one);
    case 4: __builtin_trap();
    case 5: return *dangling();
    case 6: return deep(one);
    case 7: { int *z = (int *)(long)(one - one); int dead = *z; (void)dead; return 0; }
    case 8: { char *p = malloc(8); memset(p + 4000 * one, 1, 2); return 0; }
    }
    return 5;
}
"#;

#[test]
fn real_errors_are_never_contradicted() {
    let Some((dir, _)) = explored("hidden", HIDDEN, &["--time", "300"], 1) else {
        return;
    };
    let replay = dir.polypath(["replay", "--time", "300", "out"]);
    let words = replay.text();
    assert_eq!(replay.code, 1, "{words}");
    let errors: Vec<&str> = words
        .lines()
        .filter(|l| l.contains("/t.c:") && l.contains(" (test"))
        .collect();
    assert!(errors.len() >= 8, "{words}");
    for error in errors {
        let sure = error.contains(": confirmed: ");
        assert!(
            sure || error.contains(": consistent (modelled): "),
            "{words}"
        );
        // What some check has to see.
        let seen = [
            "null",
            "abort",
            "div_zero",
            "use_after_free",
            "stack_overflow",
        ];
        if seen.iter().any(|k| error.trim_start().starts_with(k)) {
            assert!(sure, "{error}");
        }
    }
}

/// The machine's clock counts the loop's instructions, that of replay only calls.
const CLOCK: &str = r#"
#include <time.h>
int main(int argc, char **argv)
{
    struct timespec t, u;
    clock_gettime(CLOCK_MONOTONIC, &t);
    for (volatile int i = 0; i < 1000000; i++);
    clock_gettime(CLOCK_MONOTONIC, &u);
    long passed = (u.tv_sec - t.tv_sec) * 1000000000 + u.tv_nsec - t.tv_nsec;
    if (passed > 500000)
        return 1;
    return argv[1][0] == 'k' ? 2 : 3;
}
"#;

#[test]
fn a_divergence_says_where() {
    let Some((dir, _)) = explored("clock", CLOCK, &["--time", "300", "--sym-arg", "1"], 0) else {
        return;
    };
    let replay = dir.polypath(["replay", "out"]);
    let words = replay.text();
    if words.contains("diverges") {
        assert!(words.contains("first difference behind main ("), "{words}");
        assert!(words.contains("looked at the clock"), "{words}");
        assert_eq!(replay.code, 3, "{words}");
    }
}

/// Reads what was never written: in a variable, and by libc; and what was written.
const UNWRITTEN: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    char b[8];
    if (argv[1][0] == 'v') { b[0] = 1; return b[argv[1][0] & 3] == 'x'; }
    if (argv[1][0] == 'l') printf("%s", (char *)malloc(4));
    memset(b, 1, sizeof b);
    return b[3] == 'x';
}
"#;

#[test]
fn reads_of_what_was_never_written_are_confirmed() {
    let options = ["--check", "uninit", "--sym-arg", "1"];
    let Some((dir, _)) = explored("unwritten", UNWRITTEN, &options, 1) else {
        return;
    };
    let replay = dir.polypath(["replay", "out"]);
    let words = replay.text();
    let confirmed = |l: &&str| {
        l.contains("uninitialized at") && l.contains("confirmed: asan: uninitialized-read")
    };
    assert_eq!(words.lines().filter(confirmed).count(), 2, "{words}");
    assert_eq!(words.matches("uninitialized at").count(), 2, "{words}");
    assert_eq!(replay.code, 1, "{words}");
}

/// Branches on addresses of everything that has one, and on memory of libc's own.
const ADDRESSES: &str = r#"
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int table[7];
static jmp_buf back;
static int of_array(int n) { char a[n]; memset(a, 0, n); return (uintptr_t)a / 16 % 7; }
static void jump(int c) { char big[5000]; big[c] = 1; if (big[1]) longjmp(back, 1); }
int main(int argc, char **argv)
{
    char local[32], c = argv[1][0];
    uintptr_t h = (uintptr_t)local ^ (uintptr_t)table ^ (uintptr_t)&main ^ (uintptr_t)malloc(9) ^ (uintptr_t)argv;
    h ^= h >> 7;
    for (int i = 0; i < (int)(h % 11); i++) table[i % 7]++;
    for (int i = 0; i < 5000; i++) table[of_array(c == 'l' ? 50 : 20)]++;
    if (!setjmp(back)) jump(c == 'j'); else puts("jumped");
    int after[3];
    puts((uintptr_t)after / 16 % 3 == 1 ? "one" : "other");
    FILE *f = popen("true", "r");
    if (!f) puts("refused");
    if (c == 0) return 5;
    table[c & 3] = 300;
    return table[0] / 100;
}
"#;

#[test]
fn addresses_do_not_diverge() {
    let Some((dir, _)) = explored("addresses", ADDRESSES, &["--sym-arg", "1"], 0) else {
        return;
    };
    let replay = dir.polypath(["replay", "out"]);
    let words = replay.text();
    // The binary itself has other addresses.
    assert!(matches!(replay.code, 0 | 4), "{words}");
    assert!(words.contains("modelled replay: 4 same path\n"), "{words}");
    assert!(
        !words.contains("without the machine's addresses"),
        "{words}"
    );
}

/// What C leaves undefined, and no check looks for, means to the binary of modelled replay what it means to the machine.
#[test]
fn what_passes_may_make_use_of_does_not_diverge() {
    let program = r#"
#include <klee/klee.h>
#include <stdlib.h>
int main(void)
{
    int n;
    klee_make_symbolic(&n, sizeof n, "n");
    if (abs(n) < 0) return 1;
    if (n + 1 < n) return 2;
    if (__builtin_ctz(n) == 32) return 3;
    return __builtin_clz(n) == 32 ? 4 : 0;
}
"#;
    let Some((dir, _)) = explored("replay-undefined", program, &["--check", "memory"], 0) else {
        return;
    };
    let words = dir.polypath(["replay", "out"]).text();
    assert!(words.contains("modelled replay: 4 same path\n"), "{words}");
}

#[test]
fn the_exit_status_is_that_of_the_test_s_input() {
    let program = "static char a[300];\nint main(int n, char **v) {\n a[v[1][0] & 3] = 1;\n\
                   \x20if (v[1][0] == 0) return 5;\n return a[0];\n}\n";
    let Some((dir, _)) = explored("status", program, &["--sym-arg", "2"], 0) else {
        return;
    };
    let words = dir.polypath(["replay", "out"]).text();
    assert!(words.contains(": 2 same\n"), "{words}");
}

/// A program that calls one function of SV-COMP's set, which one being symbolic, and looks at one byte of its result.
fn every_svcomp_function() -> String {
    let mut text = String::from("#include <string.h>\n");
    let mut cases = String::new();
    for (i, f) in env_c::svcomp::NONDET.iter().enumerate() {
        let (name, c_type) = (f.name, f.c_type);
        text += &format!("{c_type} __VERIFIER_nondet_{name}(void);\n");
        cases += &format!(
            "  case {i}: {{ {c_type} x = __VERIFIER_nondet_{name}(); return byte(&x, sizeof x - 1) == 1; }}\n"
        );
    }
    let n = env_c::svcomp::NONDET.len();
    text += &format!(
        "void __VERIFIER_nondet_memory(void *, unsigned long);\n\
         static int byte(void *p, unsigned long i) {{ unsigned char b[16]; memcpy(b, p, i + 1); return b[i]; }}\n\
         int main(void) {{\n  char m[3];\n  switch (__VERIFIER_nondet_uchar()) {{\n{cases}\
         \x20 case {n}: __VERIFIER_nondet_memory(m, sizeof m); return m[2] == 1;\n  }}\n  return 7;\n}}\n"
    );
    text
}

#[test]
fn tests_of_svcomp_functions_replay() {
    let Some((dir, said)) = explored("svcomp", &every_svcomp_function(), &["--time", "300"], 0)
    else {
        return;
    };
    assert!(said.contains("everything was explored"), "{said}");
    let replay = dir.polypath(["replay", "out"]);
    let words = replay.text();
    // A path for each function, one for `memory`, and one for none.
    let all = env_c::svcomp::NONDET.len() + 2;
    assert_eq!(replay.code, 0, "{words}");
    assert!(words.contains(&format!(": {all} same\n")), "{words}");
    assert!(words.contains(&format!(": {all} same path")), "{words}");
}

#[test]
fn a_run_replays_without_its_command_line() {
    const ECHO: &str = "#include <unistd.h>\n\
        int main(int c, char **v) { char b[4]; long n = read(0, b, 4); return n == 4 && b[1] == 'x' && v[1][0] == 'y'; }";
    let options = ["--sym-arg", "1", "--sym-stdin", "4"];
    let Some((dir, _)) = explored("renamed", ECHO, &options, 0) else {
        return;
    };
    // As if a later version had renamed the options.
    let mut info = dir.json("out/info.json");
    info["command"] = serde_json::json!(["polypath", "run", "--no-such-option"]);
    dir.write("out/info.json", info.to_string());
    let replay = dir.polypath(["replay", "out"]);
    let words = replay.text();
    assert_eq!(replay.code, 0, "{words}");
    assert!(words.contains("modelled replay: "), "{words}");
    assert!(words.contains(" same path\n"), "{words}");
    // And as if it kept plans in another form: the tests still run natively.
    info["plan"] = serde_json::json!({"form": 2});
    dir.write("out/info.json", info.to_string());
    let words = dir.polypath(["replay", "out"]).text();
    assert!(
        words.contains("no modelled replay: the plan in info.json"),
        "{words}"
    );
}

#[test]
fn a_name_that_is_not_utf8_costs_the_modelled_replay_only() {
    use std::os::unix::ffi::OsStrExt;
    let dir = testkit::place!("latin1");
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.c");
    let source = "int main(int c, char **v) { return v[1][0] == 'x'; }";
    std::fs::write(dir.join(name), source).expect("a file of that name");
    let options = ["run", "--out", "out", "--sym-arg", "1"].map(std::ffi::OsStr::new);
    let run = dir.polypath(options.into_iter().chain([name]));
    let words = run.text();
    assert_eq!(run.code, 0, "{words}");
    assert!(
        words.contains("no modelled replay of this run: "),
        "{words}"
    );
    assert!(words.contains("everything was explored"), "{words}");
    assert!(dir.json("out/info.json")["plan"].is_null());
}

/// A program that asks for objects under these names, all of whose bytes decide its way.
fn names_program(names: &[Vec<u8>]) -> String {
    let literal =
        |name: &Vec<u8>| -> String { name.iter().map(|b| format!("\\{b:03o}")).collect() };
    let mut text = String::from(
        "#include <klee/klee.h>\n#include <stdio.h>\nint main(void) {\n  unsigned char sum = 0;\n",
    );
    for (nth, name) in names.iter().enumerate() {
        let literal = literal(name);
        // One of 144 bytes, as a `struct stat` has.
        text.push_str(&format!(
            "  {{ static unsigned char v[144]; klee_make_symbolic(v, sizeof v, \"{literal}\"); sum = sum * 2 + (v[25] == {nth}); }}\n"
        ));
    }
    text.push_str("  if (sum == 7) putchar('!');\n  printf(\"%d\\n\", sum == 0);\n");
    // An error shows the names in all reports.
    text.push_str("  return sum == 5 ? 1 / (sum - 5) : 0;\n}\n");
    text
}

#[test]
fn names_of_objects_are_bytes_and_come_back() {
    let mut names: Vec<Vec<u8>> = [
        &b"\xff\xfe"[..],
        b"",
        b"/",
        b"..",
        b"../../etc/passwd",
        b"a\nb\r\t\x1b[2J\x07",
        b"\"'`$(x)&<b>]]></script>|;\\",
        b"twice",
        b"twice",
        b"twice_1",
        b"stdin_stat",
        b"stdout_stat",
        b"\\xff",
        b"\\x5c",
        b"\xc3\xa9\xc3",
        b"[0]",
    ]
    .map(<[u8]>::to_vec)
    .into();
    names.push([b"long".repeat(1500), b"\xc3\xa9".to_vec()].concat());
    // Two that are alike for as long as they are looked at.
    names.push([b"long".repeat(1500), b"other".to_vec()].concat());
    let program = names_program(&names);
    let Some((dir, said)) = explored("names", &program, &["--search", "dfs"], 1) else {
        return;
    };
    assert!(!said.contains('\x1b') && !said.contains('\x07'), "{said}");
    let replay = dir.polypath(["replay", "out"]);
    let words = replay.text();
    assert_eq!(replay.code, 1, "{words}");
    assert!(!words.contains('\x1b'), "{words}");
    let totals = dir.json("out/replay.json")["totals"].clone();
    let count = |what: &str| totals[what].as_u64().unwrap_or(0);
    assert_eq!(
        count("same") + count("error path"),
        dir.json("out/stats.json")["tests"]
            .as_u64()
            .expect("a number"),
        "{words}"
    );
    assert_eq!(words.matches(": confirmed: ").count(), 1, "{words}");
    // Other tools see the program's bytes.
    let run = testcase::Run::read(&dir.join("out")).expect("the run");
    let test = run.tests.first().expect("a test");
    let seen: Vec<Vec<u8>> = test
        .objects
        .iter()
        .map(|(name, _)| vocab::bytes_of(name))
        .collect();
    assert_eq!(seen.len(), names.len());
    for (wanted, seen) in names.iter().zip(&seen) {
        let wanted: &[u8] = if wanted.is_empty() {
            b"unnamed"
        } else {
            wanted
        };
        assert!(
            seen.starts_with(&wanted[..wanted.len().min(4096)]),
            "{seen:?}"
        );
    }
    let mut unique = seen.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), names.len());
    let report = dir.polypath(["report", "out"]);
    assert_eq!(report.code, 0, "{}", report.text());
    testkit::xml::assert_well_formed(&dir.text("out/junit.xml"));
    dir.json("out/report.sarif");
    let page = dir.text("out/report.html");
    assert!(!page.contains("<b>]]>") && !page.contains('\x1b'));
}
