//! Generated programs whose errors clang's sanitizers know: for each input the same verdict.
//!
//! A case is a function of one byte. Run natively with each of its inputs, the sanitizer tells which of them fail. Then
//! `polypath` explores two functions that call it: `ok_N` with the inputs that do not fail, in which it has to find
//! nothing, and `bad_N` with the others, in which it has to find an error, and no way past it.
//!
//! `POLYPATH_SANITIZERS=2000 cargo test -p polypath-cli --test sanitizers` takes more cases, with other seeds.

mod lifetimes;
mod objects;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::Command;

use testkit::{Place, Random, engine};

/// Inputs of a case.
const INPUTS: u32 = 8;
/// Cases of one program.
const BATCH: usize = 60;

/// What a case's text is about, and its functions, the last of them `int case_N(unsigned char x)`.
struct Case {
    about: String,
    text: String,
}

/// How cases are held against a sanitizer.
struct Kind {
    name: &'static str,
    sanitizer: &'static [&'static str],
    checks: &'static str,
    /// The kinds of errors that are the sanitizer's.
    errors: &'static [&'static str],
}

const HEAD: &str = "#include <stdarg.h>\n#include <stdlib.h>\n#include <string.h>\n";

/// For each case the inputs that fail, as a bit mask.
fn failing(dir: &Place, kind: &Kind, cases: &[Case]) -> Vec<u32> {
    let mut text =
        format!("{HEAD}#include <stdio.h>\n#include <sys/wait.h>\n#include <unistd.h>\n");
    for case in cases {
        text += &case.text;
    }
    text += "int (*const cases[])(unsigned char) = {";
    (0..cases.len()).for_each(|n| write!(text, "case_{n}, ").expect("a string takes it"));
    let _ = write!(
        text,
        "}};\nint main(void) {{ for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {{ unsigned mask = 0;
    for (unsigned x = 0; x < {INPUTS}; x++) {{ pid_t child = fork(); int status;
        if (!child) {{ close(2); cases[n](x); _exit(0); }}
        waitpid(child, &status, 0); mask |= (unsigned)(status != 0) << x; }}
    printf(\"%u\\n\", mask); }} return 0; }}\n"
    );
    dir.write("native.c", text);
    let built = Command::new("clang-19")
        .args(["-w", "-O0", "-g", "native.c", "-o", "native"])
        .args(kind.sanitizer)
        .current_dir(dir.join("."))
        .output()
        .expect("clang starts");
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}");
    let ran = Command::new(dir.join("native"))
        .output()
        .expect("it starts");
    let masks: Vec<u32> = String::from_utf8_lossy(&ran.stdout)
        .lines()
        .map(|line| line.parse().expect("a number"))
        .collect();
    assert_eq!(masks.len(), cases.len());
    masks
}

/// What is wrong with the verdicts of `polypath` on a program of these cases.
fn disagreements(dir: &Place, kind: &Kind, cases: &[Case], mode: &str, level: &str) -> Vec<String> {
    let masks = failing(dir, kind, cases);
    let mut text = format!("{HEAD}#include <klee/klee.h>\n");
    let mut calls = String::new();
    for (n, (case, mask)) in cases.iter().zip(&masks).enumerate() {
        let _ = write!(
            text,
            "{}__attribute__((noinline)) int ok_{n}(unsigned char x) {{ return {mask}u >> x & 1 ? 0 : case_{n}(x); }}
__attribute__((noinline)) int bad_{n}(unsigned char x) {{ if (!({mask}u >> x & 1)) return 0; case_{n}(x); __builtin_trap(); }}\n",
            case.text
        );
        let _ = writeln!(calls, "    case {}: ok_{n}(x); break;", 2 * n);
        let _ = writeln!(calls, "    case {}: bad_{n}(x); break;", 2 * n + 1);
    }
    let _ = write!(
        text,
        "int main(void) {{ unsigned char x, n; klee_make_symbolic(&x, 1, \"x\"); klee_make_symbolic(&n, 1, \"n\");
    if (x >= {INPUTS}) return 0;
    switch (n) {{\n{calls}    }}\n    return 0; }}\n"
    );
    dir.write("cases.c", text);
    let out = format!("out-{mode}");
    let ran = dir.polypath([
        "run",
        "cases.c",
        "--quiet",
        "--mode",
        mode,
        level,
        "--check",
        kind.checks,
        "--time",
        "100",
        "--out",
        &out,
    ]);
    let (run, stats) = testcase::Run::read(&dir.join(&out))
        .and_then(testcase::Run::whole)
        .unwrap_or_else(|e| panic!("{e}\n{}", ran.stderr));
    let mut wrong = Vec::new();
    if let Some(why) = stats.halted {
        wrong.push(format!("the run left something out: {why}"));
    }
    let mut found = BTreeSet::new();
    for e in &run.errors {
        let outer = e.stack.iter().map(|s| s.function.as_str());
        let of = outer
            .into_iter()
            .find(|f| f.starts_with("ok_") || f.starts_with("bad_"))
            .unwrap_or("main")
            .to_string();
        let about = |n: &str| n.parse().map_or("", |n: usize| cases[n].about.as_str());
        match of.split_once('_') {
            Some(("bad", n)) if kind.errors.contains(&e.kind.id()) => {
                found.insert(n.to_string());
            }
            Some(("bad", n)) => wrong.push(format!(
                "missed for some input: case_{n}, {}: {e}",
                about(n)
            )),
            Some((_, n)) => wrong.push(format!("false alarm: case_{n}, {}: {e}", about(n))),
            None => wrong.push(format!("{e}")),
        }
    }
    for (n, _) in masks.iter().enumerate().filter(|(_, mask)| **mask != 0) {
        if !found.contains(&n.to_string()) {
            wrong.push(format!("missed: case_{n}, {}", cases[n].about));
        }
    }
    let bad = masks.iter().filter(|mask| **mask != 0).count();
    let good = masks
        .iter()
        .filter(|mask| **mask != (1 << INPUTS) - 1)
        .count();
    assert!(
        bad > 0 && good > 0,
        "{}: {bad} of {} fail",
        kind.name,
        cases.len()
    );
    wrong
}

/// Holds cases that are made from a seed against the sanitizer, a batch after the other.
fn compare(kind: &Kind, make: impl Fn(usize, &mut Random) -> Case, few: usize) {
    let Some(dir) = engine!(kind.name) else {
        return;
    };
    let wanted = std::env::var("POLYPATH_SANITIZERS").ok();
    let count = wanted.map_or(few, |n| n.parse().expect("a number"));
    for batch in 0..count.div_ceil(BATCH) {
        let mut random = Random::new(batch as u64);
        let cases: Vec<Case> = (0..BATCH.min(count))
            .map(|n| make(n, &mut random))
            .collect();
        // The front end writes other code for -O2 (what is alive, which types do not alias), before any optimization.
        let levels = ["--cc-flag=-O0", "--cc-flag=-O2"];
        for (i, mode) in ["fork", "concolic"].into_iter().enumerate() {
            let level = levels[(batch + i) % 2];
            let wrong = disagreements(&dir, kind, &cases, mode, level);
            assert!(
                wrong.is_empty(),
                "{} batch {batch}, {mode}, {level}:\n{}",
                kind.name,
                wrong.join("\n")
            );
            std::fs::remove_dir_all(dir.join(format!("out-{mode}"))).expect("it is ours");
        }
    }
}

// --- integers of any width ---

const INTEGERS: Kind = Kind {
    name: "integers",
    sanitizer: &[
        "-fsanitize=signed-integer-overflow,integer-divide-by-zero,shift-exponent",
        "-fsanitize-trap=all",
    ],
    checks: "div,shift,overflow",
    errors: &["div_zero", "shift", "overflow"],
};

/// An operation on two numbers near the ends of a type.
fn integer(n: usize, random: &mut Random) -> Case {
    let width = random.pick(&[7, 16, 32, 33, 64, 65, 100, 127, 128, 129, 200]);
    let signed = random.chance(70);
    let ty = match (width, signed) {
        (128, true) => "__int128".to_string(),
        (128, false) => "unsigned __int128".to_string(),
        (_, true) => format!("_BitInt({width})"),
        (_, false) => format!("unsigned _BitInt({width})"),
    };
    let op = random.pick(&["+", "-", "*", "/", "%", "<<", ">>", "neg"]);
    let shifts = matches!(op, "<<" | ">>");
    // Of the first type: 0, 1, 2, the ends and their neighbours, and what the input adds.
    let number = |random: &mut Random| {
        let low = format!("(({ty})1 << {})", width - 1);
        match random.below(6) {
            0 => "0".to_string(),
            1 => "1".to_string(),
            2 if signed => "-1".to_string(),
            3 => format!("({ty}){low}"),
            4 => format!("({ty})~{low}"),
            _ => format!("({ty})(({ty})1 << {})", width / 2),
        }
    };
    let (a, mut b) = (number(random), number(random));
    if shifts {
        b = random.pick(&["0", "1"]).to_string();
        b = format!("({b} + {})", width - random.range(1, 5));
    }
    let add = random.pick(&["x", "- x", "(x == 5)", "- (x == 2)", "x * x"]);
    let (left, right) = if random.chance(50) && !shifts {
        (
            format!("({ty})({a} + 0)"),
            format!("({ty})((unsigned _BitInt({width})){b} + (unsigned _BitInt({width}))({add}))"),
        )
    } else if shifts {
        (a, format!("(unsigned)({b} + x)"))
    } else {
        (
            format!("({ty})((unsigned _BitInt({width})){a} + (unsigned _BitInt({width}))({add}))"),
            format!("({ty})({b})"),
        )
    };
    let operation = match op {
        "neg" => "-a".to_string(),
        _ => format!("a {op} b"),
    };
    let right_type = if shifts { "unsigned" } else { &ty };
    Case {
        about: format!("{ty}: {operation}, a = {left}, b = {right}"),
        text: format!(
            "__attribute__((noinline)) int case_{n}(unsigned char x) {{ {ty} a = {left}; {right_type} b = {right};
    {ty} c = {operation}; return 0; }}\n"
        ),
    }
}

#[test]
fn integers_of_any_width() {
    compare(&INTEGERS, integer, BATCH);
}

// --- values that were never written ---

const UNWRITTEN: Kind = Kind {
    name: "unwritten",
    sanitizer: &["-fsanitize=memory"],
    checks: "memory,uninit",
    errors: &["uninitialized"],
};

fn is_signed(ty: &str) -> bool {
    !ty.starts_with("unsigned") && ty != "_Bool"
}

/// A structure of which some members are written, perhaps; that travels; and of which some members decide something.
fn structure(n: usize, random: &mut Random) -> Case {
    let mut members = Vec::new();
    let mut fields = Vec::new();
    for i in 0..random.range(1, 6) {
        let name = format!("m{i}");
        // What decides something for some values of the type. MemorySanitizer takes an order for one of all
        // bits, though a bit-field may be too narrow for it.
        let mut tests = vec!["== 1", "!= 3", "== 0"];
        if random.chance(50) {
            let (ty, most) = random.pick(&[
                ("unsigned char", 8),
                ("unsigned", 32),
                ("int", 32),
                ("signed char", 8),
                ("unsigned short", 16),
                ("long", 64),
                ("_Bool", 1),
            ]);
            members.push(format!("{ty} {name} : {};", random.range(1, most)));
            if is_signed(ty) {
                tests.push("< 0");
            }
        } else {
            let ty = random.pick(&[
                "char",
                "short",
                "int",
                "long",
                "_Bool",
                "float",
                "double",
                "unsigned char",
            ]);
            members.push(format!("{ty} {name};"));
            if is_signed(ty) {
                tests.push("< 0");
            }
            if ty != "_Bool" {
                tests.push("> 2");
            }
        }
        fields.push((name, tests));
        if random.chance(15) {
            members.push(format!("{} : 0;", random.pick(&["int", "char", "long"])));
        }
        if random.chance(10) {
            members.push(format!("char pad{i}[{}];", random.range(1, 3)));
        }
    }
    let packed = if random.chance(10) {
        "__attribute__((packed)) "
    } else {
        ""
    };
    let s = format!("struct {packed}s{n}");
    let name = format!("struct s{n}");
    let mut body = format!("    {name} v, w;\n");
    // An object in which something is to be put at an index that the input says.
    let indexed = random.chance(25);
    if indexed {
        body = format!("    {name} all[3], w; int i = x % 3;\n");
    }
    let v = if indexed { "all[i]" } else { "v" };
    let mut order = fields.clone();
    for i in (1..order.len()).rev() {
        order.swap(i, random.index(i + 1));
    }
    for (field, _) in &order {
        let value = random.pick(&["1", "0", "x", "3", "-1"]);
        let write = format!("{v}.{field} = {value};");
        match random.below(10) {
            0 => {}
            1 | 2 => {
                let when = random.pick(&["x == 3", "x < 6", "x & 1", "x != 2"]);
                let _ = writeln!(body, "    if ({when}) {write}");
            }
            _ => {
                let _ = writeln!(body, "    {write}");
            }
        }
    }
    for step in 0..random.range(1, 3) {
        let from = if step == 0 { v } else { "w" };
        let text = match random.below(6) {
            0 => format!("w = pass_{n}({from});"),
            1 => format!("w = {from};"),
            2 => format!("memcpy(&w, &{from}, sizeof w);"),
            3 => format!(
                "{{ char b[sizeof w]; memcpy(b, &{from}, sizeof w); memcpy(&w, b, sizeof w); }}"
            ),
            4 => format!("w = variable_{n}(1, {from});"),
            _ => format!("{{ {name} *p = &{from}; w = through_{n}(p); }}"),
        };
        let _ = writeln!(body, "    {text}");
    }
    let mut uses = String::new();
    for _ in 0..random.range(1, 2) {
        let (field, tests) = random.pick(&fields);
        let test = random.pick(&tests);
        let _ = write!(uses, "if (w.{field} {test}) r++; ");
    }
    let used = if random.chance(50) {
        format!("    return use_{n}(w);\n")
    } else {
        format!("    int r = 0; {uses}\n    return r;\n")
    };
    let text = format!(
        "{s} {{ {} }};
__attribute__((noinline)) {name} pass_{n}({name} v) {{ return v; }}
__attribute__((noinline)) {name} through_{n}({name} *p) {{ return *p; }}
__attribute__((noinline)) {name} variable_{n}(int k, ...) {{ va_list l; va_start(l, k); {name} v = va_arg(l, {name}); va_end(l); return v; }}
__attribute__((noinline)) int use_{n}({name} w) {{ int r = 0; {uses}return r; }}
__attribute__((noinline)) int case_{n}(unsigned char x) {{\n{body}{used}}}\n",
        members.join(" ")
    );
    Case {
        about: text.clone(),
        text,
    }
}

#[test]
fn structures_of_which_not_all_is_written() {
    compare(&UNWRITTEN, structure, BATCH);
}
