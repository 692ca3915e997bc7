//! The ways in which a program is built and explored.

use super::case::{Case, INPUTS, Kind};
use super::truth::{CASES, Truth};
use std::fmt::{self, Write as _};
use std::process::Command;
use testcase::ErrorRecord;
use testkit::{Place, Random};

/// What `polypath` is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Built {
    /// The source. The front end writes other code for -O2 (what is alive, which types do not alias), before any
    /// optimization.
    Source(&'static str),
    /// A program of `polypath cc -O2`.
    Program,
    /// Bitcode that clang has optimized. What fails in C may be gone from it.
    Optimized,
}

/// How a run explores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    pub mode: &'static str,
    pub built: Built,
}

const BUILT: [Built; 5] = [
    Built::Source("-O0"),
    Built::Program,
    Built::Source("-O2"),
    Built::Optimized,
    Built::Source("-O1"),
];

impl Setting {
    /// The two settings of a batch, one of each mode: five batches have all, and the next five have other pairs.
    pub fn of_batch(batch: usize) -> [Setting; 2] {
        let fork = Setting {
            mode: "fork",
            built: BUILT[batch % BUILT.len()],
        };
        let concolic = Setting {
            mode: "concolic",
            built: BUILT[(batch + 2 + batch / BUILT.len()) % BUILT.len()],
        };
        [fork, concolic]
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mode = self.mode;
        match self.built {
            Built::Source(level) => write!(f, "--mode {mode} --cc-flag={level}"),
            Built::Program => write!(f, "--mode {mode}, polypath cc -O2"),
            Built::Optimized => write!(f, "--mode {mode}, bitcode of clang -O2"),
        }
    }
}

/// Which inputs a run explores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Half {
    Both,
    Good,
    Bad,
}

/// An end that the program was given, to be reached or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mark {
    /// The result is not that of the native run.
    Wrong,
    /// An input that does not fail has come to its end.
    Seen,
    /// An input that fails has not.
    Past,
}

/// The program around the cases.
struct Explored {
    text: String,
    marks: Vec<(u32, Mark)>,
}

impl Explored {
    fn line(&mut self, text: &str) {
        self.text += text;
        self.text.push('\n');
    }

    fn trap(&mut self, condition: &str, mark: Mark) {
        self.line(&format!("    if ({condition}) __builtin_trap();"));
        let line = self.text.lines().count() as u32;
        self.marks.push((line, mark));
    }
}

/// The inputs of which a run has to reach the end, one of each case that has any: another one for each batch.
pub fn sought(truths: &[Truth], random: &mut Random) -> Vec<Option<u32>> {
    let of = |truth: &Truth| {
        let good: Vec<u32> = (0..INPUTS).filter(|&x| !truth.fails(x)).collect();
        (!good.is_empty()).then(|| random.pick(&good))
    };
    truths.iter().map(of).collect()
}

/// For each case `ok_N`, with the inputs that do not fail, and `bad_N`, with the others.
fn explored(kind: &Kind, truths: &[Truth], sought: &[Option<u32>], half: Half) -> Explored {
    let mut e = Explored {
        text: String::new(),
        marks: Vec::new(),
    };
    e.line("#include \"cases.c\"\n#include <klee/klee.h>");
    // What is around a case stays as it is written.
    e.line("#ifdef OPTIMIZED\n#define AROUND __attribute__((noinline, optnone)) int\n#else\n#define AROUND __attribute__((noinline)) int\n#endif");
    let mut calls = String::new();
    for (n, (truth, sought)) in truths.iter().zip(sought).enumerate() {
        let (mask, results) = (truth.failing, truth.results);
        if half != Half::Bad {
            e.line(&format!(
                "AROUND ok_{n}(unsigned char x) {{\n    static const int results[] = {{{}}};",
                results.map(|r| r.to_string()).join(", ")
            ));
            e.line(&format!(
                "    if ({mask}u >> x & 1) return 0;\n    int r = case_{n}(x);"
            ));
            e.trap("r != results[x]", Mark::Wrong);
            if let Some(sought) = sought {
                e.trap(&format!("x == {sought}"), Mark::Seen);
            }
            e.line("    return r;\n}");
            let _ = writeln!(calls, "    case {}: ok_{n}(x); break;", 2 * n);
        }
        if half != Half::Good {
            e.line(&format!("AROUND bad_{n}(unsigned char x) {{"));
            e.line(&format!(
                "    if (!({mask}u >> x & 1)) return 0;\n    case_{n}(x);"
            ));
            if kind.after == super::case::After::Ends {
                e.trap("1", Mark::Past);
            }
            e.line("    return 1;\n}");
            let _ = writeln!(calls, "    case {}: bad_{n}(x); break;", 2 * n + 1);
        }
    }
    e.line(&format!(
        "int main(void) {{ unsigned char x, n; klee_make_symbolic(&x, 1, \"x\"); klee_make_symbolic(&n, 1, \"n\");
    if (x >= {INPUTS}) return 0;
    switch (n) {{\n{calls}    }}\n    return 0; }}"
    ));
    e
}

/// What a run said.
pub struct Report {
    pub half: Half,
    /// Why it does not claim that everything was explored.
    pub halted: Option<String>,
    pub errors: Vec<Found>,
}

/// An error that a run reported.
pub struct Found {
    /// In which of the functions around the cases.
    pub around: Option<(bool, usize)>,
    /// Which of the ends it is; none for an error of the case.
    pub mark: Option<Mark>,
    /// The line of the case.
    pub line: u32,
    pub error: ErrorRecord,
}

/// Builds a program of these cases and explores it. The directory has the file [`CASES`].
pub fn explore(
    dir: &Place,
    kind: &Kind,
    truths: &[Truth],
    sought: &[Option<u32>],
    setting: Setting,
    half: Half,
) -> Report {
    let program = explored(kind, truths, sought, half);
    dir.write("explored.c", &program.text);
    let mut args = vec!["run"];
    match setting.built {
        Built::Source("-O0") => args.extend(["explored.c", "--cc-flag=-O0"]),
        Built::Source("-O1") => args.extend(["explored.c", "--cc-flag=-O1"]),
        Built::Source(_) => args.extend(["explored.c", "--cc-flag=-O2"]),
        Built::Program => {
            let cc = ["cc", "-w", "-g", "-O2", "explored.c", "-o", "explored"];
            let built = dir.polypath(cc);
            assert_eq!(built.code, 0, "{}", built.text());
            args.push("explored");
        }
        Built::Optimized => {
            let include = concat!(env!("CARGO_MANIFEST_DIR"), "/../../runtime/include");
            let built = Command::new("clang-19")
                .args(["-w", "-g", "-O2", "-DOPTIMIZED", "-idirafter", include])
                .args(["-emit-llvm", "-c", "explored.c", "-o", "explored.bc"])
                .current_dir(dir.join("."))
                .output()
                .expect("clang starts");
            let said = String::from_utf8_lossy(&built.stderr);
            assert!(built.status.success(), "{said}");
            args.push("explored.bc");
        }
    }
    args.extend(["--quiet", "--mode", setting.mode, "--check", kind.checks]);
    args.extend(["--time", "300", "--out", "out"]);
    let ran = dir.polypath(args);
    let (run, stats) = testcase::Run::read(&dir.join("out"))
        .and_then(testcase::Run::whole)
        .unwrap_or_else(|e| panic!("{e}\n{}", ran.stderr));
    std::fs::remove_dir_all(dir.join("out")).expect("it is ours");
    let errors = run.errors.into_iter().map(|error| {
        let of = |f: &str| {
            let (around, n) = f.split_once('_')?;
            let is_bad = match around {
                "ok" => false,
                "bad" => true,
                _ => return None,
            };
            Some((is_bad, n.parse().ok()?))
        };
        let is_case = error.file.ends_with(CASES);
        let marks = program.marks.iter().filter(|_| !is_case);
        let mark = marks.copied().find(|(line, _)| *line == error.line);
        Found {
            around: error.stack.iter().find_map(|s| of(&s.function)),
            mark: mark.map(|(_, mark)| mark),
            line: if is_case { error.line } else { 0 },
            error,
        }
    });
    Report {
        half,
        halted: stats.halted,
        errors: errors.collect(),
    }
}

/// A batch of cases, as they are made from a seed.
pub fn batch(kind: &Kind, seed: u64, count: usize) -> Vec<Case> {
    let mut random = Random::new(seed);
    (0..count).map(|n| (kind.make)(n, &mut random)).collect()
}

#[test]
fn each_setting_comes() {
    for five in 0..5 {
        let batches = 5 * five..5 * five + 5;
        let all = batches.flat_map(Setting::of_batch).map(|s| s.to_string());
        let all: std::collections::BTreeSet<String> = all.collect();
        assert_eq!(all.len(), 2 * BUILT.len());
    }
}
