//! `polypath test LIB`: all public functions of a library, as targets that nobody has written down.

use serde_json::Value;
use std::path::Path;
use testkit::{Place, Ran, engine};

/// Two public functions with errors in code that they share, an accessor, and what no header of the library declares.
const HEADER: &str = "#include <stddef.h>\n/* int commented(const char *text); */\n\
    int shelf_read(const char *text, size_t length);\nint shelf_weigh(int kilos);\nint shelf_size(void);\n\
    int shelf_log(const char *format, ...);\n\
    #include <stdarg.h>\nint shelf_vlog(const char *format, va_list list);\n";
const SOURCE: &str = "#include \"shelf.h\"\n#include \"inner.h\"\n\
    static int part(int of) {\n    return 100 / (of - 'q');\n}\n\
    int shelf_size(void) { return 4; }\n\
    int shelf_weigh(int kilos) { return kilos > 7 ? part(kilos) : inner(kilos); }\n\
    int shelf_read(const char *text, size_t length) {\n    if (!text || length < 2 || text[0] != '#') return 0;\n\
    \x20   return text[1] > 'a' ? part(text[1]) : 1;\n}\n\
    int inner(int x) { return x + 1; }\n\
    int commented(const char *text) { return *text; }\n\
    int shelf_log(const char *format, ...) { return format[0]; }\n\
    int shelf_vlog(const char *format, va_list list) { return format[va_arg(list, int)]; }\n";
const BUILD: &str = "\"$P\" cc -g -O1 -c shelf.c && llvm-ar-19 rcs libshelf.a shelf.o";

fn library(place: &Place) {
    place
        .write("shelf.h", HEADER)
        .write("inner.h", "int inner(int x);\n")
        .write("shelf.c", SOURCE);
    let mut build = place.shell(BUILD);
    let built = build.output().expect("a shell");
    assert!(built.status.success(), "{built:?}");
}

fn test(place: &Place, words: &[&str]) -> Ran {
    place.polypath([&["test"], words].concat())
}

fn names(record: &Value) -> Vec<&str> {
    let targets = record["targets"].as_array().expect("a list");
    targets.iter().filter_map(|t| t["name"].as_str()).collect()
}

/// What its header declares is explored, what reads input first; a bug of two functions is told once, and all reports are there.
#[test]
fn all_functions_of_the_header_are_explored_and_told_together() {
    let Some(place) = engine!("library") else {
        return;
    };
    library(&place);
    let ran = test(&place, &["libshelf.a", "--time", "60"]);
    assert_eq!(ran.code, 1, "{}", ran.text());
    let public = "libshelf.a: 3 public functions, by shelf.h; 2 others are left out";
    assert!(ran.stderr.contains(public), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("2 with variable arguments"),
        "{}",
        ran.stderr
    );
    for (at, name) in [(1, "shelf_read"), (2, "shelf_weigh"), (3, "shelf_size")] {
        let progress = format!("[{at}/3] {name}: ");
        assert!(ran.stderr.contains(&progress), "{}", ran.stderr);
    }
    let out = place.join("polypath-results");
    let record = place.json("polypath-results/test.json");
    assert_eq!(names(&record), ["shelf_read", "shelf_weigh", "shelf_size"]);
    let [error] = &record["errors"].as_array().expect("a list")[..] else {
        panic!("{record}")
    };
    assert_eq!(error["kind"], "div_zero");
    let both = serde_json::json!(["shelf_read", "shelf_weigh"]);
    assert_eq!(error["targets"], both);
    assert_eq!(error["precondition"], Value::Null);
    assert!(
        ran.stdout.contains("\n3 functions: 1 error; "),
        "{}",
        ran.stdout
    );
    // Branches of all functions, each once: `part` has none, `shelf_read` three.
    let count = |key: &str| record[key].as_u64().expect("a number");
    assert_eq!(
        count("covered_branches"),
        count("total_branches"),
        "{record}"
    );
    let lcov = place.text("polypath-results/lcov.info");
    assert_eq!(lcov.matches("SF:").count(), 1, "{lcov}");
    for function in ["shelf_read", "shelf_weigh", "shelf_size", "part"] {
        let covered = format!("FNDA:1,{function}\n");
        assert_eq!(lcov.matches(&covered).count(), 1, "{function}: {lcov}");
    }
    let junit = place.text("polypath-results/junit.xml");
    testkit::xml::assert_well_formed(&junit);
    assert_eq!(junit.matches("<failure").count(), 1, "{junit}");
    assert!(junit.contains("name=\"replay shelf_weigh\""), "{junit}");
    let sarif = place.json("polypath-results/report.sarif");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 1, "{sarif}");
    assert_eq!(results[0]["properties"]["targets"], both);
    assert!(out.join("shelf_size/report.html").is_file());
    // It goes on: what was explored to its end is kept.
    let again = test(&place, &["libshelf.a", "--resume"]);
    assert_eq!(again.code, 1, "{}", again.text());
    assert_eq!(
        place.json("polypath-results/test.json")["errors"],
        record["errors"]
    );
    // Other headers declare other functions, and functions can be named.
    let ran = test(&place, &["libshelf.a", "--header", "inner.h", "--list"]);
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert_eq!(
        ran.stdout,
        "inner: polypath run --entry=inner --tests=new libshelf.a\n"
    );
    let ran = test(
        &place,
        &["libshelf.a", "shelf_size", "--out", "one", "--no-replay"],
    );
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert_eq!(names(&place.json("one/test.json")), ["shelf_size"]);
    assert!(!place.join("one/shelf_size/replay.json").exists());
    let ran = test(&place, &["libshelf.a", "shelf_sise"]);
    assert_eq!(ran.code, 2, "{}", ran.text());
    assert!(
        ran.stderr.contains("is shelf_size meant?"),
        "{}",
        ran.stderr
    );
    let ran = place.polypath(["run", "libshelf.a"]);
    assert_eq!(ran.code, 2, "{}", ran.text());
    assert!(
        ran.stderr.contains("polypath test libshelf.a"),
        "{}",
        ran.stderr
    );
}

/// What a budget cannot reach is named, and what would suffice.
#[test]
fn functions_that_the_budget_does_not_reach_are_named() {
    let Some(place) = engine!("budget") else {
        return;
    };
    library(&place);
    let ran = test(&place, &["libshelf.a", "--cpu-time", "0.55"]);
    assert!(
        ran.stdout.contains("--time 12 gives each 2 s"),
        "{}",
        ran.text()
    );
    let record = place.json("polypath-results/test.json");
    let unserved = |t: &&Value| t["trouble"] == "there was no time left for it";
    let targets = record["targets"].as_array().expect("a list");
    let unserved: Vec<&Value> = targets
        .iter()
        .filter(unserved)
        .map(|t| &t["name"])
        .collect();
    assert!(unserved.contains(&&Value::from("shelf_size")), "{record}");
    // Limits of a part are those of its run.
    let info = place.text("polypath-results/shelf_read/info.json");
    assert!(info.contains("--cpu-time=0.550"), "{info}");
}

/// Where no object can be made, nothing was called, and nobody hears that all was explored.
#[test]
fn a_function_that_is_never_called_is_not_explored() {
    let Some(place) = engine!("never") else {
        return;
    };
    let header = "typedef struct box box;\nbox *box_new(void);\nint box_look(box *b);\n";
    let source = "#include \"box.h\"\nbox *box_new(void) { return 0; }\n\
        int box_look(box *b) { return b != 0; }\n";
    place.write("box.h", header).write("box.c", source);
    let ran = test(&place, &["box.c", "box_look", "--", "--no-null"]);
    let told = "box_look: 0 tests, 0 errors; nothing was explored: no path came to its end";
    assert!(ran.stdout.contains(told), "{}", ran.text());
    let record = place.json("polypath-results/test.json");
    assert_eq!(record["targets"][0]["explored"], false, "{record}");
}

/// A directory stands for its archives; a target of a polypath.toml has the first claim to a name, and a slash says the other thing.
#[test]
fn targets_and_libraries_of_one_name_are_told_apart() {
    let Some(place) = engine!("apart") else {
        return;
    };
    library(&place);
    std::fs::create_dir_all(place.join("lib/deep")).expect("directories");
    std::fs::rename(place.join("libshelf.a"), place.join("lib/deep/libshelf.a")).expect("it moves");
    let listed = |words: &[&str]| {
        let ran = test(&place, &[words, &["--list"]].concat());
        (ran.code, ran.stdout + &ran.stderr)
    };
    let (code, text) = listed(&["lib"]);
    assert_eq!(code, 0, "{text}");
    assert!(
        text.contains("--entry=shelf_read --tests=new lib/deep/libshelf.a"),
        "{text}"
    );
    place.write(
        "polypath.toml",
        "[[target]]\nname = \"lib\"\nprogram = \"shelf.c\"\n",
    );
    let (_, text) = listed(&["lib"]);
    assert!(text.contains("lib: polypath run shelf.c"), "{text}");
    let (_, text) = listed(&["./lib"]);
    assert!(text.contains("--entry=shelf_read"), "{text}");
    // A source is a library, too; what is nothing is told.
    let (code, text) = listed(&["shelf.c"]);
    assert!(
        code == 0 && text.contains("shelf_weigh: polypath run"),
        "{text}"
    );
    let (code, text) = listed(&["shelf.c", "--header", "none.h"]);
    assert!(
        code == 2 && text.contains("none of its sources includes none.h"),
        "{text}"
    );
    let (code, text) = listed(&["--header", "shelf.h"]);
    assert!(code == 2 && text.contains("no library is named"), "{text}");
    std::fs::create_dir(place.join("empty")).expect("a directory");
    let (code, text) = listed(&["./empty"]);
    assert!(
        code == 2 && text.contains("no archive, shared object or object"),
        "{text}"
    );
    assert!(Path::new(&place.join("shelf.c")).exists());
}
