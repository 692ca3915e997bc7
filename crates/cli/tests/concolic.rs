//! Concolic mode on programs that misbehave, and on inputs that grow and shrink.

use std::fs;
use std::path::Path;
use testkit::{Place, engine};

/// Runs in concolic mode, see [`run_mode`].
fn run(dir: &Place, args: &[&str]) -> (i32, String, serde_json::Value) {
    run_mode(dir, "concolic", args)
}

/// Runs into `out`: exit status, what was said, `stats.json`.
fn run_mode(dir: &Place, mode: &str, args: &[&str]) -> (i32, String, serde_json::Value) {
    let (code, said) = start(dir, mode, args);
    assert!(code <= 1, "{args:?}: {code}: {said}");
    (code, said, dir.json("out/stats.json"))
}

/// A command line that is refused: what was said.
fn start(dir: &Place, mode: &str, args: &[&str]) -> (i32, String) {
    let _ = fs::remove_dir_all(dir.join("out"));
    let first = ["run", "--mode", mode, "--out", "out"];
    let ran = dir.polypath([&first, args].concat());
    (ran.code, ran.stderr)
}

/// The exit statuses of the tests, sorted.
fn exits(dir: &Path) -> Vec<i64> {
    let mut problems = Vec::new();
    let tests = testcase::read::tests(&dir.join("out/tests"), &mut problems).unwrap();
    assert_eq!(problems, Vec::<String>::new());
    let status = |t: &testcase::TestCase| match &t.expected.exit {
        testcase::model::ExitKind::Status(status) => i64::from(*status),
        other => panic!("{other:?}"),
    };
    let mut all: Vec<i64> = tests.iter().map(status).collect();
    all.sort_unstable();
    all
}

#[test]
fn a_run_that_eats_memory_ends_alone() {
    let Some(dir) = engine!("memory") else { return };
    // Each step of the loop is one instruction to the machine and a megabyte to the host.
    let program = "#include <klee/klee.h>\n#include <stdlib.h>\n#include <string.h>\n\
        int main(void) { char c; klee_make_symbolic(&c, 1, \"c\");\n\
        static char from[1 << 20]; from[7] = c;\n\
        if (c == 'm') for (;;) { char *p = malloc(1 << 20); if (p) memcpy(p + 1, from, (1 << 20) - 1); }\n\
        return c == 'x' ? 7 : 3; }\n";
    fs::write(dir.join("eat.c"), program).unwrap();
    for mode in ["fork", "concolic"] {
        let (code, said, stats) = run_mode(&dir, mode, &["--memory", "400", "eat.c"]);
        assert_eq!(code, 0, "{said}");
        assert_eq!(stats["endings"]["memory"], 1, "{mode}: {stats}");
        assert_eq!(stats["endings"]["exit"], 1, "{mode}: {stats}");
        assert!(
            stats["memory_max_mb"].as_f64().unwrap() < 440.0,
            "{mode}: {stats}"
        );
        let halted = stats["halted"].as_str().unwrap();
        assert_eq!(halted, "1 paths ended for memory");
    }
}

#[test]
fn a_crash_on_the_seed_is_a_finding_and_no_end() {
    let Some(dir) = engine!("crash") else { return };
    let program = "#include <klee/klee.h>\n#include <stdlib.h>\n\
        int main(void) { char c; klee_make_symbolic(&c, 1, \"c\");\n\
        if (c == 0) abort();\nif (c == 'z') { int *p = 0; *p = 1; }\nif (c == 'q') return 4;\nreturn 5; }\n";
    fs::write(dir.join("crash.c"), program).unwrap();
    for partial in [&["crash.c"][..], &["crash.c", "--partial-solutions"]] {
        let (code, said, stats) = run(&dir, partial);
        assert_eq!(code, 1, "{said}");
        assert!(said.contains("everything was explored"), "{said}");
        assert_eq!(
            (&stats["endings"]["abort"], &stats["endings"]["null"]),
            (&1.into(), &1.into())
        );
        assert_eq!(stats["completed_paths"], 4);
    }
}

#[test]
fn an_error_that_is_known_hides_no_path_behind_its_check() {
    let Some(dir) = engine!("known") else { return };
    let program = "#include <klee/klee.h>\n\
        int main(void) { unsigned char a, b, c; int n; klee_make_symbolic(&a, 1, \"a\");\n\
        klee_make_symbolic(&b, 1, \"b\"); klee_make_symbolic(&c, 1, \"c\");\n\
        n = 100 / a;\nif (b > 7) n++;\nif (c > 9) n++;\nreturn n; }\n";
    fs::write(dir.join("known.c"), program).unwrap();
    for search in ["dfs", "bfs", "random"] {
        let (code, said, stats) = run(&dir, &["known.c", "--search", search]);
        assert_eq!(code, 1, "{said}");
        assert!(said.contains("everything was explored"), "{said}");
        assert_eq!(stats["completed_paths"], 5, "{search}: {stats}");
        assert_eq!(stats["endings"]["div_zero"], 1, "{search}: {stats}");
    }
}

#[test]
fn time_and_random_numbers_repeat() {
    let Some(dir) = engine!("random") else { return };
    let program = "#include <fcntl.h>\n#include <klee/klee.h>\n#include <time.h>\n#include <unistd.h>\n\
        int main(void) { char c; unsigned r = 0; struct timespec t; klee_make_symbolic(&c, 1, \"c\");\n\
        int f = open(\"/dev/urandom\", O_RDONLY); read(f, &r, 4); clock_gettime(CLOCK_REALTIME, &t);\n\
        if (((r ^ t.tv_nsec ^ getpid()) & 15) == (c & 15)) return 1; return 2; }\n";
    fs::write(dir.join("random.c"), program).unwrap();
    let (code, said, stats) = run(&dir, &["random.c", "--partial-solutions"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(
        (&stats["divergences"], exits(&dir)),
        (&0.into(), vec![1, 2])
    );
}

#[test]
fn inputs_grow_and_shrink() {
    let Some(dir) = engine!("sizes") else { return };
    let program = "#include <stdio.h>\n#include <string.h>\n\
        int main(void) { FILE *f = fopen(\"A\", \"rb\"); unsigned char h[8];\n\
        if (!f) return 1;\nif (fread(h, 1, 8, f) != 8) return 2;\nif (memcmp(h, \"MAGIC\", 5)) return 3;\n\
        if (fseek(f, 0, SEEK_END)) return 4;\nif (ftell(f) != 8 + h[6]) return 5;\nreturn 0; }\n";
    fs::write(dir.join("header.c"), program).unwrap();
    fs::create_dir(dir.join("seeds")).unwrap();
    fs::write(dir.join("seeds/short"), "MAG").unwrap();
    let args = [
        "header.c",
        "--seed-input",
        "seeds",
        "--",
        "--sym-files",
        "1",
        "12",
        "--sym-size",
        "--sym-stat",
    ];
    let (code, said, stats) = run(&dir, &args);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("everything was explored"), "{said}");
    let mut seen = exits(&dir);
    seen.dedup();
    assert_eq!(seen, [0, 1, 2, 3, 5], "1: no permission to read it");
    assert_eq!(stats["divergences"], 0);
    let said = dir.polypath(["replay", "out"]).text();
    assert!(
        !said.contains("diverge") && said.contains("same path"),
        "{said}"
    );
}

#[test]
fn an_input_is_as_long_as_its_longest_seed() {
    let Some(dir) = engine!("usage") else { return };
    fs::write(
        dir.join("p.c"),
        "#include <stdio.h>\nint main(void) { int n = 0; while (getchar() != EOF) n++; return n; }\n",
    )
    .unwrap();
    fs::create_dir(dir.join("seeds")).unwrap();
    fs::write(dir.join("seeds/long"), "abcdef").unwrap();
    let (code, said, _) = run(
        &dir,
        &["p.c", "--seed-input", "seeds", "--", "--sym-stdin", "4"],
    );
    assert_eq!(code, 0, "{said}");
    assert_eq!(exits(&dir), (0..=6).collect::<Vec<i64>>());
}

/// The motivating example of "Multiplex symbolic execution" (Fig. 2) as a C program, from the paper's first input.
#[test]
fn one_solve_opens_the_paths_of_the_papers_example() {
    let Some(dir) = engine!("lines") else { return };
    let program = "#include <klee/klee.h>\nint main(void) { int x, y;\n\
        klee_make_symbolic(&x, sizeof x, \"x\"); klee_make_symbolic(&y, sizeof y, \"y\");\n\
        klee_assume((x >= -1000) & (x <= 1000) & (y >= -1000) & (y <= 1000));\n\
        if (x + y >= 2) { if (2 * y - x >= 1) { if (2 * x - y >= 0) return 2; return 1; } return 3; }\n\
        return 4; }\n";
    fs::write(dir.join("lines.c"), program).unwrap();
    fs::create_dir(dir.join("seeds")).unwrap();
    let object = |name: &str, value: i32| (name.as_bytes().to_vec(), value.to_le_bytes().to_vec());
    let seed = testcase::ktest::KTest {
        objects: vec![object("x", 1), object("y", 3)],
        ..Default::default()
    };
    fs::write(dir.join("seeds/first.ktest"), seed.to_bytes()).unwrap();
    let common = [
        "lines.c",
        "--theory",
        "lia",
        "--search",
        "dfs",
        "--seed-input",
        "seeds",
    ];
    for (more, queries) in [(&[][..], 3), (&["--partial-solutions"], 1)] {
        let (code, said, stats) = run(&dir, &[&common[..], more].concat());
        assert_eq!(code, 0, "{said}");
        assert_eq!(exits(&dir), [1, 2, 3, 4]);
        assert_eq!(stats["dse_queries"], queries, "{stats}");
    }
}

/// A run whose address is in no object decided otherwise than the runs that found one: predicted paths were
/// not taken.
#[test]
fn an_address_of_many_objects_is_one_decision() {
    let Some(dir) = engine!("address") else {
        return;
    };
    let program = "#include <klee/klee.h>\nint a[4] = {1, 2, 3, 4}, b = 20, c[2] = {30, 31}, d = 40, e[3];\n\
        int *const table[8] = {a + 1, 0, &b, c + 1, &d, e, a + 3, (int *)64};\n\
        int main(void) { unsigned char x, y; klee_make_symbolic(&x, 1, \"x\"); klee_make_symbolic(&y, 1, \"y\");\n\
        int *p = table[x & 7]; int v = *p; if (y == 7 && v > 25) return 1; if (v == 20) return 2;\n\
        int *q = table[y & 7]; *q = 5; if (b == 5) return 3; if (v == 40) return 4; return 0; }\n";
    fs::write(dir.join("address.c"), program).unwrap();
    for search in [
        &["--search", "dfs"][..],
        &["--search", "bfs", "--partial-solutions"],
    ] {
        let (code, said, stats) = run(&dir, &[&["address.c"][..], search].concat());
        assert_eq!(code, 1, "{said}");
        assert!(said.contains("everything was explored"), "{said}");
        assert_eq!(stats["divergences"], 0, "{stats}");
        assert_eq!(stats["covered_lines"], stats["total_lines"], "{stats}");
        let errors = stats["endings"].as_object().unwrap();
        assert!(
            errors.contains_key("null") && errors.contains_key("exit"),
            "{stats}"
        );
    }
}
