//! C++ with its library and exceptions: explored, run and replayed as other compilers' programs run.
//!
//! g++ and libstdc++ are the truth: another compiler, another library and another unwinder.

mod features;
mod generate;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use testcase::ErrorKind;
use testkit::{Place, engine, need};

/// Compiles a source with g++.
fn native(dir: &Place, source: &str, program: &str) {
    let built = Command::new("g++")
        .args(["-std=c++20", "-w", "-O0", source, "-o", program])
        .current_dir(dir.join("."))
        .output()
        .expect("g++ starts");
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}");
}

fn output(dir: &Place, program: &str, argument: &str) -> String {
    let ran = Command::new(dir.join(program)).arg(argument).output();
    let ran = ran.expect("it starts");
    assert!(ran.status.success(), "{argument}: {}", ran.status);
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

/// A program with all features: of a symbolic byte, or (`native`) of all bytes, one line for each.
fn program(native: bool) -> String {
    let mut text = features::HEAD.to_owned();
    let names: Vec<String> = (0..features::FEATURES.len())
        .map(|i| format!("f{i}"))
        .collect();
    for (name, (_, body)) in names.iter().zip(features::FEATURES) {
        text += &format!("static std::string {name}(unsigned char x)\n{{\n    {body}\n}}\n");
    }
    text += &format!(
        "using Feature = std::string (*)(unsigned char);\nstatic const Feature all[] = {{{}}};\n",
        names.join(", ")
    );
    text += if native {
        "int main() { for (auto f : all) for (int x = 0; x < 256; x++) std::printf(\"%s\\n\", f(x).c_str()); }\n"
    } else {
        "extern \"C\" void klee_make_symbolic(void *, std::size_t, const char *);\n\
             int main(int, char **argv) { unsigned char x; klee_make_symbolic(&x, 1, \"x\"); std::puts(all[std::stoi(argv[1])](x).c_str()); }\n"
    };
    text
}

/// Every feature takes one path for each text that it returns, in both modes and with several workers, and a native binary takes the
/// same paths.
#[test]
fn features_take_the_paths_that_there_are() {
    let Some(dir) = engine!("features") else {
        return;
    };
    if !need("g++") {
        return;
    }
    dir.write("native.cpp", program(true));
    native(&dir, "native.cpp", "native");
    let lines = output(&dir, "native", "");
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines.len(), 256 * features::FEATURES.len());
    dir.write("cases.cpp", program(false));
    let built = dir.polypath(["c++", "-std=c++20", "-w", "cases.cpp", "-o", "cases"]);
    assert_eq!(built.code, 0, "{}", built.text());
    let mut wrong = Vec::new();
    for (number, (name, _)) in features::FEATURES.iter().enumerate() {
        let texts = &lines[256 * number..256 * (number + 1)];
        let expected: BTreeSet<&str> = texts.iter().copied().collect();
        let (mode, jobs) = [("fork", "1"), ("concolic", "1"), ("fork", "2")][number % 3];
        let argument = number.to_string();
        let run = [
            "run", "--quiet", "--mode", mode, "--jobs", jobs, "--time", "60",
        ];
        let run = run
            .into_iter()
            .chain(["--out", name, "cases", "--", &argument]);
        let ran = dir.polypath(run);
        let read = testcase::Run::read(&dir.join(name)).and_then(testcase::Run::whole);
        let Ok((run, stats)) = read else {
            wrong.push(format!("{name}: {}", ran.text()));
            continue;
        };
        let found: Vec<&str> = run
            .tests
            .iter()
            .filter_map(|test| test.objects.iter().find(|(object, _)| object == "x"))
            .map(|(_, bytes)| texts[usize::from(bytes[0])])
            .collect();
        let distinct: BTreeSet<&str> = found.iter().copied().collect();
        let is_whole = ran.code == 0 && stats.errors == 0 && distinct == expected;
        if !is_whole || stats.completed_paths != expected.len() as u64 {
            wrong.push(format!(
                "{name} ({mode}): {} paths to {found:?}, not {expected:?}\n{}",
                stats.completed_paths,
                ran.text()
            ));
            continue;
        }
        // Each replay compiles the whole program: a few are enough.
        if number % 8 == 3 {
            let replayed = dir.polypath(["replay", name]);
            if replayed.code != 0 || replayed.text().contains("diverged: ") {
                wrong.push(format!("{name}: {}", replayed.text()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Generated programs do in the machine what they do natively. `POLYPATH_CXX_PROGRAMS` is how many.
#[test]
fn generated_programs_unwind_as_natively() {
    let Some(dir) = engine!("generated") else {
        return;
    };
    if !need("g++") {
        return;
    }
    let count = std::env::var("POLYPATH_CXX_PROGRAMS");
    let count = count.map_or(5, |n| n.parse().expect("a number"));
    let mut ways: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..count {
        dir.write("a.cpp", generate::program(seed, 40));
        native(&dir, "a.cpp", "native");
        let expected = output(&dir, "native", "");
        let ran = dir.polypath([
            "run",
            "--quiet",
            "--cc-flag=-std=c++20",
            "--cc-flag=-w",
            "--out",
            "out",
            "a.cpp",
        ]);
        assert_eq!(ran.code, 0, "seed {seed}: {}", ran.stderr);
        let (said, lines) = (ran.stdout.lines(), expected.lines());
        for (n, (is, shall)) in said.zip(lines).enumerate() {
            assert_eq!(is, shall, "seed {seed}, line {n}");
        }
        assert_eq!(ran.stdout.len(), expected.len(), "seed {seed}");
        for way in [
            "int", "base", "left", "right", "logic", "standard", "kept", "out", "/1",
        ] {
            *ways.entry(way).or_default() += expected.matches(way).count();
        }
        std::fs::remove_dir_all(dir.join("out")).expect("the run's directory");
    }
    let unseen: Vec<_> = ways.iter().filter(|(_, n)| **n == 0).collect();
    assert!(unseen.is_empty(), "{unseen:?}");
}

const UNCAUGHT: &str = "\
#include <stdexcept>
#include <string>
extern \"C\" void klee_make_symbolic(void *, unsigned long, const char *);
namespace ns { struct E { int code; }; }
struct Shape { virtual int area() = 0; virtual ~Shape() {} Shape() { call(); } void call() { if (asked) area(); } static bool asked; };
bool Shape::asked;
struct Square : Shape { int area() override { return 4; } };
static void quiet(int x) noexcept {
    if (x == 3) throw ns::E{3};
}
static int deep(int x) {
    if (x == 1) throw std::runtime_error(\"one \" + std::to_string(x));
    if (x == 2) throw ns::E{2};
    return x;
}
int main() {
    unsigned char x;
    klee_make_symbolic(&x, 1, \"x\");
    try { deep(x); } catch (const std::logic_error &) { return 1; }
    quiet(x);
    if (x == 4) std::terminate();
    Shape::asked = x == 5;
    Square square;
    return 0;
}
";

/// What nobody catches is an error, with its type, its words and the place of its `throw`, and happens natively.
#[test]
fn uncaught_exceptions_are_errors() {
    let Some(dir) = engine!("uncaught") else {
        return;
    };
    dir.write("a.cpp", UNCAUGHT);
    let built = dir.polypath(["c++", "-std=c++17", "a.cpp", "-o", "a"]);
    assert_eq!(built.code, 0, "{}", built.text());
    let ran = dir.polypath(["run", "--quiet", "--time", "60", "--out", "out", "a"]);
    assert_eq!(ran.code, 1, "{}", ran.text());
    let (run, _) = testcase::Run::read(&dir.join("out"))
        .and_then(testcase::Run::whole)
        .expect("everything can be read");
    let mut found: Vec<(ErrorKind, String, u32)> = run
        .errors
        .iter()
        .map(|e| (e.kind, e.message.clone(), e.line))
        .collect();
    found.sort_by_key(|(_, _, line)| *line);
    let expected = [
        (ErrorKind::Abort, "a pure virtual function was called", 5),
        (
            ErrorKind::UncaughtException,
            "an exception of type ns::E leaves quiet(int), which lets none out",
            9,
        ),
        (
            ErrorKind::UncaughtException,
            "an exception of type std::runtime_error is not caught: one 1",
            12,
        ),
        (
            ErrorKind::UncaughtException,
            "an exception of type ns::E is not caught",
            13,
        ),
        (ErrorKind::Abort, "std::terminate was called", 21),
    ]
    .map(|(kind, words, line)| (kind, words.to_owned(), line));
    assert_eq!(found, expected);
    let replayed = dir.polypath(["replay", "out"]);
    let said = replayed.text();
    assert!(
        said.contains("5 of 5") || !said.contains("not confirmed"),
        "{said}"
    );
}

/// C, and C++ without exceptions, between a `throw` and its handler.
const FRAMES: [(&str, &str); 3] = [
    (
        "c.c",
        "int c_call(int (*f)(int), int x) { volatile int r = f(x) + 1; return r; }\n",
    ),
    (
        "plain.cpp",
        "#include <string>\n\
         int plain(int (*f)(int), int x) { std::string s(40, 'a'); return f(x) + (int)s.size(); }\n",
    ),
    (
        "main.cpp",
        "#include <cstdio>\n#include <cstdlib>\n#include <exception>\n#include <stdexcept>\n\
         extern \"C\" int c_call(int (*)(int), int);\nint plain(int (*)(int), int);\n\
         static int cb(int x) { if (x == 3) throw std::length_error(\"three\"); return x; }\n\
         static void only_int(int x) throw(int) { if (x == 4) throw 4; }\n\
         static void none() throw() { cb(3); }\n\
         static void unexpected() { std::puts(\"unexpected\"); std::exit(0); }\n\
         int main() {\n    std::set_unexpected(unexpected);\n    for (int x = 2; x < 6; x++) {\n\
         \x20   try { c_call(cb, x); } catch (std::exception &e) { std::puts(e.what()); }\n\
         \x20   try { plain(cb, x); } catch (std::exception &e) { std::puts(e.what()); }\n\
         \x20   try { only_int(x); } catch (int i) { std::puts(\"int\"); }\n\
         \x20   if (x == 5) none();\n    }\n}\n",
    ),
];

/// An exception passes functions that know of none, and keeps to dynamic exception specifications.
#[test]
fn exceptions_pass_functions_that_know_of_none() {
    let Some(dir) = engine!("frames") else {
        return;
    };
    for (name, text) in FRAMES {
        dir.write(name, text);
    }
    let objects: [&[&str]; 4] = [
        &["cc", "-w", "-c", "c.c", "-o", "c.o"],
        &[
            "c++",
            "-w",
            "-fno-exceptions",
            "-c",
            "plain.cpp",
            "-o",
            "plain.o",
        ],
        &["c++", "-w", "-std=c++14", "-c", "main.cpp", "-o", "main.o"],
        &["c++", "main.o", "plain.o", "c.o", "-o", "frames"],
    ];
    for command in objects {
        let built = dir.polypath(command);
        assert_eq!(built.code, 0, "{}", built.text());
    }
    let ran = dir.polypath(["run", "--quiet", "--time", "60", "--out", "out", "frames"]);
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert_eq!(ran.stdout, "three\nthree\nint\nunexpected\n");
    let replayed = dir.polypath(["replay", "out"]);
    assert!(
        !replayed.text().contains("diverged: "),
        "{}",
        replayed.text()
    );
}

/// A function of an object that throws is replayed with the C++ library.
#[test]
fn functions_that_need_the_library_are_replayed() {
    let Some(dir) = engine!("entry-library") else {
        return;
    };
    dir.write(
        "lib.cpp",
        "#include <stdexcept>\nint chk(int a) { if (a == 4) throw std::logic_error(\"four\"); return a; }\n",
    );
    let built = dir.polypath(["c++", "-c", "lib.cpp", "-o", "lib.o"]);
    assert_eq!(built.code, 0, "{}", built.text());
    let ran = dir.polypath([
        "run", "--quiet", "--out", "out", "--entry", "_Z3chki", "lib.o",
    ]);
    assert_eq!(ran.code, 1, "{}", ran.text());
    assert!(!ran.text().contains("does not link"), "{}", ran.text());
    let replayed = dir.polypath(["replay", "out"]);
    assert!(
        !replayed.text().contains("does not link"),
        "{}",
        replayed.text()
    );
    assert!(
        replayed.text().contains(": confirmed: "),
        "{}",
        replayed.text()
    );
}
