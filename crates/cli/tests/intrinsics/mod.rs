//! Each row of the table of `llvm.*` intrinsics against native code.
//!
//! A case is a function of IR from 48 bytes to 32 bytes. Its results for many inputs are computed natively by clang; then
//! `polypath` runs it on each of the inputs, and once on a symbolic one that is any of sixteen. A row without a case fails.

mod cases;
mod ends;
mod inputs;
mod rows;

use cases::{Case, Cases, Run};
use inputs::inputs;
use rows::{cases_of, instructions};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::Command;
use testkit::{Place, engine};

/// Inputs of a case.
const INPUTS: usize = 96;
/// Those among which the symbolic one is, at the beginning.
const SYMBOLIC: usize = 16;
const IN: usize = 48;
const OUT: usize = 32;

/// The functions and a table of them as IR, behind the driver's.
fn module(cases: &[Case], native: bool) -> String {
    let mut text = String::new();
    let mut outside = BTreeSet::new();
    for (n, case) in cases.iter().enumerate() {
        let body = case
            .native
            .as_ref()
            .filter(|_| native)
            .unwrap_or(&case.body);
        let _ = write!(
            text,
            "define void @f_{n}(ptr %in, ptr %out) {{\n{body}  ret void\n}}\n"
        );
        outside.extend(case.outside.lines());
    }
    let pointers: Vec<String> = (0..cases.len()).map(|n| format!("ptr @f_{n}")).collect();
    let _ = writeln!(
        text,
        "@cases = constant [{} x ptr] [{}]",
        cases.len(),
        pointers.join(", ")
    );
    outside.iter().for_each(|line| {
        let _ = writeln!(text, "{line}");
    });
    text
}

/// Compiles a driver to IR and puts the functions behind it.
fn assemble(dir: &Place, name: &str, driver: &str, functions: &str) -> String {
    dir.write(&format!("{name}.c"), driver);
    let source = format!("{name}.c");
    run(
        dir,
        "clang-19",
        &[
            "-O0",
            "-g",
            "-w",
            "-S",
            "-emit-llvm",
            "-I",
            ".",
            &source,
            "-o",
            "driver.ll",
        ],
    );
    let driver = dir.text("driver.ll");
    let own: BTreeSet<&str> = functions
        .lines()
        .filter(|l| l.starts_with("declare "))
        .filter_map(declared)
        .collect();
    let kept = driver.lines().filter(|l| {
        let again = l.starts_with("declare ") && declared(l).is_some_and(|n| own.contains(n));
        !(again || l.starts_with("@cases = external"))
    });
    let text: Vec<&str> = kept.collect();
    let file = format!("{name}.ll");
    dir.write(&file, format!("{}\n{functions}", text.join("\n")));
    file
}

fn declared(line: &str) -> Option<&str> {
    line.split_once('@')?.1.split('(').next()
}

fn run(dir: &Place, program: &str, args: &[&str]) -> Vec<u8> {
    let output = Command::new(program)
        .args(args)
        .current_dir(dir.join("."))
        .output();
    let output = output.expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {args:?}: {said}");
    output.stdout
}

const COMMON: &str = "#include <stdarg.h>
#include <stdio.h>
#include <string.h>
extern void (*const cases[])(const void *, void *);
long second(int n, ...) { va_list a, b; va_start(a, n); va_arg(a, long); va_copy(b, a); long r = va_arg(b, long); va_end(b); va_end(a); return r; }
";

fn rows(dir: &Place) -> Vec<String> {
    let lower = dir.binary().with_file_name("polypath-lower");
    let table = run(dir, lower.to_str().expect("a path"), &["--intrinsics"]);
    let rows: Vec<String> = String::from_utf8_lossy(&table)
        .lines()
        .map(|line| line.split('\t').next().expect("a name").to_string())
        .collect();
    assert!(rows.len() > 100, "{rows:?}");
    rows
}

#[test]
fn each_row_is_what_native_code_is() {
    let Some(dir) = engine!("rows") else { return };
    let mut cases = Cases::default();
    rows(&dir).iter().for_each(|row| cases_of(&mut cases, row));
    instructions(&mut cases);
    let cases = cases.0;
    let inputs = inputs();
    let list = |bytes: &[u8]| {
        let numbers: Vec<String> = bytes.iter().map(u8::to_string).collect();
        format!("{{{}}}", numbers.join(","))
    };
    let table: Vec<String> = inputs.iter().map(|i| list(i)).collect();
    let inputs = format!(
        "static const unsigned char inputs[{INPUTS}][{IN}] = {{{}}};\n",
        table.join(",\n")
    );
    let count = cases.len();
    let driver = format!(
        "{COMMON}{inputs}int main(void) {{ for (int n = 0; n < {count}; n++) for (int i = 0; i < {INPUTS}; i++) {{
    _Alignas(16) unsigned char in[{IN}], out[{OUT}]; memcpy(in, inputs[i], {IN}); memset(out, 0, {OUT}); cases[n](in, out); fwrite(out, 1, {OUT}, stdout); }}
    return 0; }}\n"
    );
    let file = assemble(&dir, "native", &driver, &module(&cases, true));
    run(
        &dir,
        "clang-19",
        &["-O0", "-w", &file, "-o", "native", "-lm"],
    );
    let results = run(&dir, dir.join("native").to_str().expect("a path"), &[]);
    assert_eq!(results.len(), count * INPUTS * OUT);

    let expected: Vec<String> = results
        .chunks(INPUTS * OUT)
        .map(|case| {
            let rows: Vec<String> = case.chunks(OUT).map(&list).collect();
            format!("{{{}}}", rows.join(","))
        })
        .collect();
    let symbolic: Vec<&str> = cases
        .iter()
        .map(|c| if c.run == Run::Both { "1" } else { "0" })
        .collect();
    let driver = format!(
        "{COMMON}#include \"klee/klee.h\"\n{inputs}static const unsigned char expected[{count}][{INPUTS}][{OUT}] = {{{}}};
static const char symbolic[{count}] = {{{}}};
static char text[2000];
static void differs(int n, int i) {{ if (strlen(text) < 1900) sprintf(text + strlen(text), \" case %d input %d;\", n, i); }}
static void tell(void) {{ if (*text) klee_report_error(\"cases\", 1, text, \"differs\"); }}
int main(void) {{ _Alignas(16) unsigned char in[{IN}], out[{OUT}];
    for (int n = 0; n < {count}; n++) for (int i = 0; i < {INPUTS}; i++) {{
        memcpy(in, inputs[i], {IN}); memset(out, 0, {OUT}); cases[n](in, out); if (memcmp(out, expected[n][i], {OUT})) differs(n, i); }}
    tell(); unsigned char x; klee_make_symbolic(&x, 1, \"x\"); if (x >= {SYMBOLIC}) return 0;
    for (int n = 0; n < {count}; n++) {{ if (!symbolic[n]) continue;
        for (int k = 0; k < {IN}; k++) in[k] = inputs[x][k];
        unsigned char want[{OUT}]; for (int k = 0; k < {OUT}; k++) want[k] = expected[n][x][k];
        memset(out, 0, {OUT}); cases[n](in, out); if (memcmp(out, want, {OUT})) {{ differs(n, -1); tell(); }} }}
    return 0; }}\n",
        expected.join(",\n"),
        symbolic.join(",")
    );
    let driver = driver.replace(
        "#include \"klee/klee.h\"",
        "void klee_make_symbolic(void *, unsigned long, const char *);\nvoid klee_report_error(const char *, int, const char *, const char *);",
    );
    let file = assemble(&dir, "driver", &driver, &module(&cases, false));
    let bitcode = file.replace(".ll", ".bc");
    run(
        &dir,
        "clang-19",
        &["-O0", "-w", "-emit-llvm", "-c", &file, "-o", &bitcode],
    );
    let ran = dir.polypath([
        "run", &bitcode, "--check", "memory", "--time", "250", "--out", "out",
    ]);
    let (run, stats) = testcase::Run::read(&dir.join("out"))
        .and_then(testcase::Run::whole)
        .unwrap_or_else(|e| panic!("{e}\n{}", ran.stderr));
    let mut wrong: Vec<String> = stats.halted.into_iter().collect();
    for e in &run.errors {
        wrong.push(e.to_string());
        let numbers = e.message.split("case ").skip(1);
        let numbers: BTreeSet<usize> = numbers
            .map(|n| {
                n.split(' ')
                    .next()
                    .and_then(|n| n.parse().ok())
                    .expect("a number")
            })
            .collect();
        wrong.extend(
            numbers
                .iter()
                .map(|&n| format!("{n}: {}\n{}", cases[n].row, cases[n].body)),
        );
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), ran.stderr);
}
