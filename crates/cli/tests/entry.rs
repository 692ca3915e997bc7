//! `polypath run --entry`: single functions of a library, their errors replayed natively.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const LIBRARY: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum color { RED, GREEN = 5, BLUE = 9 };
struct node { int value; struct node *next; enum color color; _Bool flag; };
typedef struct { double *b; size_t n; int (*cmp)(double, const struct node *); } state_t;
union either { int *p; long l; };
struct mixed { unsigned a : 3, b : 6; short s; union either e; long double x; } __attribute__((packed));

/* A cycle needs an alias. */
static int cycle(struct node *p)
{
    if (!p) return 0;
    if (p->color != RED && p->color != GREEN && p->color != BLUE) abort();
    if (*(unsigned char *)&p->flag > 1) abort();
    if (p->next == p && p->value == 7) abort();
    return p->next ? 1 : 2;
}

int last(const int *a, size_t n) { return a[n - 1] == 42 ? a[n] : 0; }

int word(const char *s)
{
    if (s && !strcmp(s, "abc")) return s[20];
    return 0;
}

static int call(void *opaque, int x)
{
    const state_t *st = opaque;
    if (st && st->cmp && st->cmp(x, 0) == 77) abort();
    return 0;
}

int mixed(struct mixed m)
{
    if (m.a == 5 && m.b == 33 && m.s == -2) abort();
    return 0;
}

int stream(FILE *f)
{
    if (f && getc(f) == 'P' && getc(f) == '5') abort();
    return 0;
}

int divide(int a, int b) { return a / b; }
int positive(int a, int b) { return b > 0; }
int variadic(int n, ...) { return n; }
int main(int argc, char **argv) { return argc > 2 && argv[1] && argv[1][0] == 'x' ? cycle(0) : call(0, argc); }
"#;

struct Bench {
    dir: PathBuf,
}

impl Bench {
    /// `None` where the tools are missing.
    fn new(name: &str) -> Option<Bench> {
        let lower = Path::new(env!("CARGO_BIN_EXE_polypath")).with_file_name("polypath-lower");
        if !lower.exists() || toolchain::tools::find_program("clang-19").is_none() {
            eprintln!("skipped: polypath-lower is not built or clang-19 is not installed");
            return None;
        }
        let dir =
            std::env::temp_dir().join(format!("polypath-entry-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("lib.c"), LIBRARY).unwrap();
        Some(Bench { dir })
    }

    fn polypath(&self, args: &[&str]) -> (Option<i32>, String) {
        let output: Output = Command::new(env!("CARGO_BIN_EXE_polypath"))
            .args(args)
            .current_dir(&self.dir)
            .output()
            .expect("polypath starts");
        let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
        (
            output.status.code(),
            text(&output.stdout) + &text(&output.stderr),
        )
    }

    /// Runs a function and replays its tests: the kinds of the errors, all of which must be confirmed.
    #[track_caller]
    fn errors(&self, library: &str, function: &str, options: &[&str]) -> Vec<String> {
        let out = format!("out-{}", function.replace(':', "-"));
        let mut args = vec![
            "run", library, "--entry", function, "--out", &out, "--time", "60", "-q",
        ];
        args.extend(options);
        let (status, text) = self.polypath(&args);
        let errors = std::fs::read(self.dir.join(&out).join("errors.json")).unwrap_or_default();
        let errors: serde_json::Value = serde_json::from_slice(&errors).unwrap_or_default();
        let errors = errors.as_array().cloned().unwrap_or_default();
        assert_eq!(status, Some(i32::from(!errors.is_empty())), "{text}");
        let (status, text) = self.polypath(&["replay", &out]);
        assert_eq!(status, Some(i32::from(!errors.is_empty())), "{text}");
        for word in ["diverge", "not reproduced", "different"] {
            assert!(!text.contains(word), "{function}: {text}");
        }
        assert_eq!(
            text.matches(": confirmed: ").count(),
            errors.len(),
            "{text}"
        );
        let kind = |e: &serde_json::Value| e["kind"].as_str().unwrap_or_default().to_string();
        let mut kinds: Vec<String> = errors.iter().map(kind).collect();
        kinds.sort();
        kinds.dedup();
        kinds
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

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
    assert_eq!(b.errors("lib.c", "last", &[]), ["null", "out_of_bounds"]);
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
    assert_eq!(b.errors("lib.c", "divide", &[]), ["div_zero"]);
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
    assert_eq!(b.errors("plain.bc", "divide", &[]), ["div_zero"]);
}

#[test]
fn mistakes_are_explained() {
    let Some(b) = Bench::new("mistakes") else {
        return;
    };
    let cases: [(&[&str], &str); 5] = [
        (
            &["run", "lib.c", "--entry", "cycel"],
            "similar names: cycle",
        ),
        (
            &["run", "lib.c", "--entry", "variadic"],
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
