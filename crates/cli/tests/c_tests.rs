//! `--write-tests c`: the tests of a function as C are compiled by the system's compiler, with sanitizers and without, and run; each
//! has to end as was predicted, with the library as it is and with the one that was mended.

use std::collections::BTreeMap;
use std::process::Command;
use testkit::{Place, engine, need};

const HEADER: &str = "\
#define put(x) never_expand(x)
struct book { unsigned short pages; const char *title; };
typedef struct shelf *shelf_t;
shelf_t shelf_new(unsigned char rows);
int shelf_weigh(shelf_t s, int kilos);
int shelf_put(shelf_t s, unsigned row, struct book *b);
int shelf_sort(int n);
";

/// `shelf_put` aborts, divides by zero, writes behind an array and dereferences null; -DMENDED does none of that.
const SOURCE: &str = r#"
#include <stdlib.h>
#include "shelf.h"
#ifndef RESULT
#define RESULT -1
#endif
struct shelf { unsigned rows; int *used; int kilos; };
shelf_t shelf_new(unsigned char rows)
{
    if (rows != 2) return 0;
    shelf_t s = malloc(sizeof *s);
    if (!s) return 0;
    s->rows = rows;
    s->kilos = 0;
    s->used = calloc(rows, sizeof *s->used);
    return s;
}
int shelf_weigh(shelf_t s, int kilos) { s->kilos = kilos & 7; return s->kilos; }
int shelf_put(shelf_t s, unsigned row, struct book *b)
{
#ifdef MENDED
    if (!s || !b || row >= s->rows || s->kilos == 5) return -1;
#else
    if (s->kilos == 5) abort();
    if (row > s->rows) return RESULT;
#endif
    s->used[row]++;
    if (b->pages == 1000) exit(3);
    return b->title && b->title[0] == 'x' ? 1 : 0;
}
static int hidden(int n) { return n > 3; }
int shelf_sort(int n)
{
#ifdef MENDED
    if (n == 4) return 0;
#endif
    return hidden(n) ? 10 / (n - 4) : 0;
}
"#;

fn library(place: &Place) {
    place.write("shelf.h", HEADER).write("shelf.c", SOURCE);
}

/// Compiles the tests with the library and runs them: the verdict of each, and what was said.
#[track_caller]
fn run(
    place: &Place,
    compiler: &str,
    flags: &[&str],
    words: &[&str],
) -> (BTreeMap<String, String>, String) {
    let built = Command::new(compiler)
        .args(["-Wall", "-Werror", "-g", "-I.", "-o", "tests"])
        .args(flags)
        .args(["out/ctest/shelf_put.c", "shelf.c"])
        .current_dir(place)
        .output()
        .expect("a compiler");
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{compiler} {flags:?}: {said}");
    let ran = Command::new(place.join("tests"))
        .args(words)
        .current_dir(place)
        .output()
        .expect("they run");
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    let verdict = |line: &str| {
        let mut parts = line.splitn(3, ": ").map(str::to_string);
        let (name, verdict) = (parts.next()?, parts.next()?);
        name.starts_with("shelf_put.").then_some((name, verdict))
    };
    (said.lines().filter_map(verdict).collect(), said)
}

#[test]
fn tests_as_c_fail_and_pass_as_predicted() {
    let Some(place) = engine!("ctest") else {
        return;
    };
    if !need("gcc") {
        return;
    }
    library(&place);
    let ran = place.polypath([
        "run",
        "shelf.c",
        "--entry",
        "shelf_put",
        "--null",
        "--write-tests",
        "c",
        "--out",
        "out",
        "--jobs",
        "1",
    ]);
    assert_eq!(ran.code, 1, "{}", ran.text());
    assert!(ran.stderr.contains("tests as C: "), "{}", ran.stderr);
    let source = place.text("out/ctest/shelf_put.c");
    // The constructor and the calls before are those of the driver, through the header's declarations.
    for part in [
        "#include \"shelf.h\"",
        "return (void *)(shelf_new)(a1);",
        "return (shelf_put)((void *)a1, a2, (void *)a3);",
        "return (shelf_weigh)((void *)a1, a2);",
        "_Static_assert(offsetof(struct book, title) == offsetof(struct pp_book, title)",
    ] {
        assert!(source.contains(part), "{part}\nis not in\n{source}");
    }
    let lists = place.text("out/ctest/CMakeLists.txt");
    let labels: BTreeMap<String, String> = lists
        .lines()
        .filter_map(|line| {
            let (name, label) = line.strip_prefix("polypath_test(")?.split_once(" \"")?;
            Some((name.to_string(), label.strip_suffix("\")")?.to_string()))
        })
        .collect();
    let of = |label: &str| labels.values().filter(|l| *l == label).count();
    // The abort and the write behind the array are bugs; null is what the driver chose.
    assert_eq!(
        (of("finding"), of("finding;precondition")),
        (2, 2),
        "{lists}"
    );
    assert!(of("covering") > 3, "{lists}");
    let exits = labels.keys().find(|name| name.ends_with(".exits_3"));
    assert!(exits.is_some(), "{lists}");
    let abort = labels.keys().find(|name| name.contains(".abort_shelf_"));
    let abort = abort.expect("the abort");
    assert!(abort.contains("after_shelf_weigh"), "{abort}");

    const CHECKED: &str = "-fsanitize=address,undefined";
    for compiler in ["gcc", "clang-19"] {
        let (verdicts, said) = run(&place, compiler, &[CHECKED], &[]);
        assert_eq!(
            verdicts.keys().collect::<Vec<_>>(),
            labels.keys().collect::<Vec<_>>()
        );
        for (name, label) in &labels {
            let wanted = match &label[..] {
                "covering" => "passed",
                "finding" => "FAILED",
                _ => "skipped",
            };
            assert_eq!(verdicts[name], wanted, "{compiler}: {name}: {said}");
        }
        assert!(said.contains("out_of_bounds: "), "{said}");
        let why = "precondition likely (--marked runs it): it happens if s is null";
        assert!(said.contains(why), "{said}");
    }
    // Asked for, what needs a precondition fails, too; without sanitizers what nobody sees is no success.
    let (verdicts, said) = run(&place, "gcc", &["-O1"], &["--marked"]);
    for (name, label) in &labels {
        let verdict = &verdicts[name][..];
        match &label[..] {
            "covering" => assert_eq!(verdict, "passed", "{name}: {said}"),
            _ if name == abort => assert_eq!(verdict, "FAILED", "{said}"),
            _ => assert!(matches!(verdict, "FAILED" | "skipped"), "{name}: {said}"),
        }
    }
    // Another result than the predicted one fails, and both are shown.
    let (verdicts, said) = run(&place, "gcc", &[CHECKED, "-DRESULT=7"], &[]);
    let other = labels
        .iter()
        .filter(|(name, label)| *label == "covering" && verdicts[*name] == "FAILED");
    assert!(other.count() > 0, "{said}");
    assert!(
        said.contains(": FAILED: another result than predicted"),
        "{said}"
    );
    let source = place.text("out/ctest/shelf_put.c");
    assert!(
        source.contains("{\"returned value\", 4, 4, \"\\377\\377\\377\\377\"}"),
        "{source}"
    );
    // The mended library: what was an error is none any more, and all else is as it was.
    let (verdicts, said) = run(&place, "gcc", &[CHECKED, "-DMENDED"], &["--marked"]);
    assert!(verdicts.values().all(|v| v == "passed"), "{said}");
    assert_eq!(verdicts.len(), labels.len());
    // One test has the statuses that CTest knows.
    let status = |words: &[&str]| {
        let ran = Command::new(place.join("tests"))
            .args(words)
            .current_dir(&place)
            .output();
        ran.expect("it runs").status.code()
    };
    let marked = labels.iter().find(|(_, l)| l.contains("precondition"));
    let marked = marked.expect("one").0;
    assert_eq!(status(&[marked]), Some(77));
    assert_eq!(status(&["--marked", marked]), Some(0));
    assert_eq!(status(&["nothing"]), Some(1));
    // A structure that is another one now is found by the compiler, not by a crash.
    place.write(
        "shelf.h",
        HEADER.replace("unsigned short pages", "long kind, pages"),
    );
    let built = Command::new("gcc")
        .args(["-fsyntax-only", "-I.", "out/ctest/shelf_put.c"])
        .current_dir(&place)
        .output()
        .expect("gcc");
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(said.contains("struct book is another one now"), "{said}");
}

/// What cannot be written says so; the functions of a library have a directory together, and CTest finds their tests.
#[test]
fn tests_as_c_of_a_whole_library() {
    let Some(place) = engine!("of_all") else {
        return;
    };
    library(&place);
    let refused = |words: &[&str], why: &str| {
        let ran = place.polypath([&["run", "shelf.c", "--write-tests", "c"], words].concat());
        assert_eq!(ran.code, 2, "{}", ran.text());
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
    };
    refused(&[], "which --entry FUNCTION names");
    refused(&["--entry", "hidden"], "hidden is static");
    let failing = ["--entry", "shelf_sort", "--fail-syscalls", "1"];
    refused(&failing, "not with --fail-syscalls");
    let ran = place.polypath([
        "test",
        "shelf.c",
        "shelf_sort",
        "--write-tests",
        "c",
        "--no-replay",
        "--time",
        "60",
    ]);
    assert_eq!(ran.code, 1, "{}", ran.text());
    let told = "tests as C: polypath-results/c-tests/CMakeLists.txt";
    assert!(ran.stdout.contains(told), "{}", ran.text());
    let lists = place.text("polypath-results/c-tests/CMakeLists.txt");
    assert!(lists.contains("add_subdirectory(shelf_sort)\n"), "{lists}");
    let source = place.text("polypath-results/c-tests/shelf_sort/shelf_sort.c");
    assert!(
        source.contains("shelf_sort.n_4.div_zero_shelf_"),
        "{source}"
    );
    if !need("cmake") || !need("gcc") {
        return;
    }
    let built = place
        .shell("cmake -S polypath-results/c-tests -B b && cmake --build b && ctest --test-dir b")
        .output()
        .expect("a shell");
    let said = String::from_utf8_lossy(&built.stdout);
    assert!(said.contains("1 tests failed out of "), "{said}");
    // Input beside the parameters is nothing that such a test has.
    let ran = place.polypath([
        "run",
        "shelf.c",
        "--entry",
        "shelf_sort",
        "--write-tests",
        "c",
        "--sym-stdin",
        "1",
        "--out",
        "other",
    ]);
    let told = "no tests as C; not there: ";
    assert!(ran.stderr.contains(told), "{}", ran.text());
}
