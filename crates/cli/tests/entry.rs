//! `polypath run --entry`: single functions of a library, their errors replayed natively.

use crate::entry_kit::Bench;
use crate::entry_made::BUFFER;
use std::process::Command;

#[test]
fn errors_behind_parameters_are_found_and_replay() {
    let Some(b) = Bench::new("errors") else {
        return;
    };
    assert_eq!(b.errors("lib.c", "cycle", &[]), ["abort"]);
    let (status, text) = b.polypath(&[
        "run",
        "lib.c",
        "--entry",
        "cycle",
        "--no-alias",
        "-q",
        "--out",
        "other",
    ]);
    assert_eq!(status, Some(0), "{text}");
    assert_eq!(
        b.errors("lib.c", "last", &["--null"]),
        ["null", "out_of_bounds"]
    );
    assert_eq!(b.errors("lib.c", "word", &[]), ["out_of_bounds"]);
    assert_eq!(b.errors("lib.c", "call", &[]), ["abort"]);
    assert_eq!(b.errors("lib.c", "mixed", &[]), ["abort"]);
    assert_eq!(b.errors("lib.c", "stream", &[]), ["abort"]);
}

#[test]
fn a_precondition_excludes_what_it_says() {
    let Some(b) = Bench::new("precondition") else {
        return;
    };
    assert_eq!(b.errors("lib.c", "divide", &[]), ["div_zero", "overflow"]);
    let (status, text) = b.polypath(&[
        "run",
        "lib.c",
        "--entry",
        "divide",
        "--precondition",
        "positive",
        "-q",
        "--out",
        "p",
    ]);
    assert_eq!(status, Some(0), "{text}");
}

#[test]
fn binaries_archives_and_bitcode_without_debug_information() {
    let Some(b) = Bench::new("kinds") else { return };
    for command in [
        &["cc", "-g", "lib.c", "-o", "program"][..],
        &["cc", "-g", "-c", "lib.c", "-o", "lib.o"],
    ] {
        let (status, text) = b.polypath(command);
        assert_eq!(status, Some(0), "{text}");
    }
    assert_eq!(b.errors("program", "cycle", &[]), ["abort"]);
    // main itself is a function like any other.
    assert!(b.errors("program", "main", &["--no-null"]).is_empty());
    // With a symbol index, and without.
    for (how, archive, entry) in [
        ("rcs", "lib.a", "lib.c:call"),
        ("rcS", "unlisted.a", "lib.c:cycle"),
    ] {
        let ar = Command::new("llvm-ar-19")
            .args([how, archive, "lib.o"])
            .current_dir(&b.dir)
            .status();
        assert!(ar.is_ok_and(|s| s.success()));
        assert_eq!(b.errors(archive, entry, &[]), ["abort"], "{archive}");
    }
    let plain = Command::new("clang-19")
        .args([
            "--target=x86_64-linux-musl",
            "-w",
            "-O1",
            "-Xclang",
            "-disable-llvm-passes",
            "-emit-llvm",
            "-c",
            "lib.c",
            "-o",
            "plain.bc",
        ])
        .current_dir(&b.dir)
        .status();
    assert!(plain.is_ok_and(|s| s.success()));
    let (_, text) = b.polypath(&["harness", "plain.bc", "--entry", "divide"]);
    assert!(text.contains("no debug information"), "{text}");
    assert_eq!(
        b.errors("plain.bc", "divide", &[]),
        ["div_zero", "overflow"]
    );
}

const CXX: &str = r#"
namespace ns {
struct Counter {
    int n;
    int method(int x);
    int method(double x);
    int get() const;
};
int Counter::method(int x) { return 100 / (x - n); }
int Counter::method(double x) { return (int)x; }
int Counter::get() const { if (n == 77) __builtin_trap(); return n; }
}
int get() { return 3; }
int main() { ns::Counter c{1}; return c.method(4) + c.method(1.0) + c.get(); }
"#;

#[test]
fn functions_of_cxx_have_readable_names() {
    let Some(b) = Bench::new("cxx") else { return };
    std::fs::write(b.dir.join("c.cpp"), CXX).unwrap();
    let run = |entry: &str, out: &str| {
        b.polypath(&[
            "run",
            "c.cpp",
            "--entry",
            entry,
            "--no-null",
            "--time",
            "60",
            "--out",
            out,
        ])
    };
    let (status, text) = run("Counter::method", "o1");
    assert_eq!(status, Some(2), "{text}");
    assert!(
        text.contains("'ns::Counter::method(double)', 'ns::Counter::method(int)'"),
        "{text}"
    );
    let (status, text) = run("Counter::method(int)", "o2");
    assert_eq!(status, Some(1), "{text}");
    assert!(
        text.contains("div_zero") && text.contains("in ns::Counter::method(int)"),
        "{text}"
    );
    let (status, text) = b.polypath(&["replay", "o2"]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains(": happens if this->n = "), "{text}");
    let (status, text) = b.polypath(&["report", "o2"]);
    assert_eq!(status, Some(0), "{text}");
    let page = std::fs::read_to_string(b.dir.join("o2/report.html")).unwrap();
    assert!(page.contains("ns::Counter::method(int)"));
    // Constness is not asked for; a name without a namespace is found if it is the only one.
    let (status, text) = run("ns::Counter::get", "o3");
    assert_eq!(status, Some(1), "{text}");
    let (status, text) = run("Counter::gte", "o4");
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("ns::Counter::get() const"), "{text}");
}

/// A library without `main` is explored by its functions, and Polypath says how.
#[test]
fn a_library_is_explored_by_its_functions() {
    let Some(b) = Bench::new("library") else {
        return;
    };
    b.dir.write("buf.c", BUFFER);
    let (status, text) = b.polypath(&["cc", "-g", "-c", "buf.c", "-o", "buf.o"]);
    assert_eq!(status, Some(0), "{text}");
    let ar = Command::new("llvm-ar-19")
        .args(["rcs", "libbuf.a", "buf.o"])
        .current_dir(&b.dir)
        .status();
    assert!(ar.is_ok_and(|s| s.success()));
    for library in ["libbuf.a", "buf.o"] {
        let (status, text) = b.polypath(&["run", library]);
        assert_eq!(status, Some(2), "{text}");
        assert!(
            text.contains(
                "--entry explores one of its functions (buf_init, buf_add, reader_settings_init"
            ),
            "{text}"
        );
        let try_this = format!("try: polypath run {library} --entry buf_init");
        assert!(text.contains(&try_this), "{text}");
        let all = format!("`polypath test {library}` all public ones");
        assert!(text.contains(&all), "{text}");
    }
}

/// Lengths, nullness and the members of unions fork no path before the function looks at them.
#[test]
fn parameters_that_are_never_read_do_not_fork() {
    let Some(b) = Bench::new("unread") else {
        return;
    };
    b.dir.write("u.c", r#"
#include <stddef.h>
union value { int *p; char *s; long l; };
struct node { int kind; union value value; struct node *next; };
int unread(int mode, const int *a, size_t n, char *s, struct node *p, struct node *q) { return mode > 3; }
int late(int mode, const int *a, size_t n, struct node *p)
{
    if (mode > 3) return 1;
    return mode == 2 && n == 3 ? a[n] : 0;
}
"#);
    let paths = |function: &str| {
        let out = format!("o-{function}");
        let mut args = vec!["run", "u.c", "--entry", function, "--out", &out, "-q"];
        // Bounds that grow are paths, too.
        args.extend(["--array-max", "4", "--string-max", "8", "--null"]);
        let (status, text) = b.polypath(&args);
        assert!(status < Some(2), "{text}");
        b.dir.json(&format!("{out}/stats.json"))["completed_paths"].as_u64()
    };
    assert_eq!(paths("unread"), Some(1));
    // mode > 3; another mode; n other than 3; a is null; a[3] does not exist.
    assert_eq!(paths("late"), Some(5));
    let errors = b.dir.json("o-late/errors.json");
    assert_eq!(errors.as_array().map(Vec::len), Some(2), "{errors}");
}

#[test]
fn mistakes_are_explained() {
    let Some(b) = Bench::new("mistakes") else {
        return;
    };
    let cases: [(&[&str], &str); 7] = [
        (
            &["run", "lib.c", "--entry", "cycel"],
            "similar names: cycle",
        ),
        (
            &["run", "lib.c", "--entry", "variadic"],
            "variable number of arguments",
        ),
        (
            &["run", "lib.c", "--entry", "listed"],
            "variable number of arguments",
        ),
        (
            &["run", "lib.c", "--entry", "list_behind"],
            "variable number of arguments",
        ),
        (
            &["run", "lib.c", "--entry", "last", "--array-len", "b=n"],
            "no such array in the driver of last (there are: a)",
        ),
        (
            &["run", "lib.c", "--entry", "last", "--array-len", "a"],
            "ARRAY=LENGTH",
        ),
        (&["run", "lib.c", "--precondition", "positive"], "--entry"),
    ];
    for (args, words) in cases {
        let (status, text) = b.polypath(args);
        assert_eq!(status, Some(2), "{text}");
        assert!(text.contains(words), "{text}");
        assert!(!b.dir.join("polypath-out-1").exists(), "nothing was run");
    }
}

#[test]
fn an_edited_driver_is_used() {
    let Some(b) = Bench::new("edited") else {
        return;
    };
    let (status, text) = b.polypath(&["harness", "lib.c", "--entry", "divide", "-o", "d.c"]);
    assert_eq!(status, Some(0), "{text}");
    let source = std::fs::read_to_string(b.dir.join("d.c")).unwrap();
    let edited = source.replace(
        "    pp_entry(",
        "    klee_assume(b != 0);\n    klee_assume(b != -1);\n    pp_entry(",
    );
    assert_ne!(source, edited);
    std::fs::write(b.dir.join("d.c"), edited).unwrap();
    assert!(
        b.errors("lib.c", "divide", &["--harness", "d.c"])
            .is_empty()
    );
    // What `run` itself uses is what `harness` shows.
    b.errors("lib.c", "last", &[]);
    let (_, shown) = b.polypath(&["harness", "lib.c", "--entry", "last"]);
    assert_eq!(
        std::fs::read_to_string(b.dir.join("out-last/harness/last.c")).unwrap(),
        shown
    );
}

/// Bounds of lengths double until the greatest is reached, and nothing is explored twice: each length is one path here, so there are as
/// many paths as lengths. What only long inputs reach is found.
#[test]
fn bounds_grow_by_themselves() {
    let Some(b) = Bench::new("bounds") else {
        return;
    };
    b.dir.write("g.c", r#"
#include <stdlib.h>
#include <string.h>
struct list { int size; int *items; };
int count(const int *a, unsigned n) { int s = 0; for (unsigned i = 0; i < n; i++) s ^= a[i]; return s; }
int text(const char *s) { return strlen(s) > 1000; }
int both(const char *s, const int *a, unsigned n) { return strlen(s) + count(a, n); }
int members(struct list *l) { return count(l->items, l->size); }
int far(const char *s)
{
    size_t n = strlen(s);
    if (n > 12 && s[9] == ',' && s[12] == ',') abort();
    return n;
}
"#);
    let paths = |function: &str, options: &[&str]| {
        let out = format!("g-{function}{}", options.concat());
        let mut args = vec![
            "run",
            "g.c",
            "--entry",
            function,
            "--out",
            &out,
            "--no-null",
        ];
        args.extend(options);
        let (status, text) = b.polypath(&args);
        assert_eq!(status, Some(0), "{text}");
        assert!(
            text.contains("everything was explored within this"),
            "{text}"
        );
        b.dir.json(&format!("{out}/stats.json"))["completed_paths"].as_u64()
    };
    assert_eq!(paths("count", &["--array-max", "11"]), Some(12));
    assert_eq!(paths("count", &["--array-max", "3"]), Some(4));
    assert_eq!(paths("text", &["--string-max", "20"]), Some(21));
    let some: &[&str] = &["--array-max", "9", "--string-max", "10"];
    assert_eq!(paths("both", some), Some(10 * 11));
    assert_eq!(
        paths("members", &["--array-max", "9", "--jobs", "2"]),
        Some(10)
    );
    assert_eq!(b.errors("g.c", "far", &["--no-null"]), ["abort"]);
    assert_eq!(b.preconditions("far"), [None]);
}

/// A first look at a function ends where longer texts begin; a run that goes on finds what only these show.
#[test]
fn a_first_look_ends_where_bounds_grow_and_goes_on() {
    let Some(b) = Bench::new("look") else {
        return;
    };
    let program = "#include <stdlib.h>\n#include <string.h>\n\
        int look(const char *s) { size_t n = strlen(s); if (n == 3) return 1; if (n == 20) abort(); return 0; }\n";
    b.dir.write("look.c", program);
    let first = [
        "run",
        "look.c",
        "--entry",
        "look",
        "--no-null",
        "--first-look",
        "--out",
        "look",
    ];
    let (status, text) = b.polypath(&first);
    assert!(text.contains("the first look is over"), "{text}");
    assert_eq!(b.dir.json("look/errors.json"), serde_json::json!([]));
    let stats = b.dir.json("look/stats.json");
    let halted = stats["halted"].as_str().unwrap_or_default();
    assert!(halted.contains("the first look is over"), "{stats}");
    let paths = stats["completed_paths"].as_u64();
    assert!(paths >= Some(2), "{status:?} {text}");
    let (status, text) = b.polypath(&["run", "--resume", "look", "--time", "300"]);
    assert_eq!(status, Some(1), "{text}");
    assert_eq!(b.dir.json("look/errors.json")[0]["kind"], "abort", "{text}");
    // What was explored is not explored again: one test for each length that a branch asks for.
    let stats = b.dir.json("look/stats.json");
    assert!(stats["completed_paths"].as_u64() > paths, "{stats}");
}
