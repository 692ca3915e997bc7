//! Programs whose bitcode the library of LLVM 22 lowers: the same findings as with that of LLVM 19, and what rustc writes.

use serde_json::Value;
use std::path::PathBuf;
use testkit::{Place, engine};

const LIBRARY: &str = "POLYPATH_LIBLLVM";

/// Errors of several checks, a switch, floats, a table, scopes.
const PROGRAM: &str = r#"
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
struct point { int x, y; char name[8]; };
int table[5] = { 1, 2, 3, 4, 5 };
static int *kept;
static int f(struct point *p, unsigned k) {
    int local[4] = { 1, 2, 3, 4 }, none;
    switch (p->x) {
    case 1: return local[k];
    case 7: return table[k];
    case 100: return 10 / p->y;
    case 200: return none > 3;
    case 300: { int inner = 5; kept = &inner; } return *kept;
    case -5: return strlen(p->name);
    }
    if (p->x > 2147483000 && p->y > 1000) return p->x + p->y;
    return (double)p->y * 0.5 > 3.25;
}
int main(void) {
    struct point p; unsigned k;
    klee_make_symbolic(&p, sizeof p, "p");
    klee_make_symbolic(&k, sizeof k, "k");
    if (k > 4) return 0;
    p.name[7] = 0;
    return f(&p, k);
}
"#;

/// Kind, line and object of each error of a run, in order; and how much was explored.
fn findings(dir: &Place, out: &str) -> (Vec<String>, Value) {
    let errors = dir.json(&format!("{out}/errors.json"));
    let list = errors.as_array().expect("a list of errors");
    let mut all: Vec<String> = list
        .iter()
        .map(|e| format!("{} {} {}", e["kind"], e["line"], e["message"]))
        .collect();
    all.sort();
    let stats = dir.json(&format!("{out}/stats.json"));
    (all, stats["completed_paths"].clone())
}

#[test]
fn the_library_of_llvm_22_gives_the_findings_of_that_of_19() {
    let Some(dir) = engine!("both") else { return };
    if !testkit::need("llvm-22") {
        return;
    }
    let newer = testkit::llvm_22().expect("it is installed");
    dir.write("f.c", PROGRAM);
    let run = |out: &str, library: Option<PathBuf>| {
        let checks = "overflow,memory,bounds,div,uninit,scope";
        let mut command = dir.command();
        command.args(["run", "f.c", "--check", checks, "--out", out]);
        command.env_remove(LIBRARY);
        if let Some(library) = library {
            command.env(LIBRARY, library);
        }
        command.output().expect("polypath starts");
        findings(&dir, out)
    };
    let older = run("older", None);
    assert!(older.0.len() >= 5, "{older:?}");
    assert_eq!(run("newer", Some(newer)), older);
}

/// An operating system's part is left out: the panic handler aborts, and `core` is in the bitcode.
const RUST: &str = r#"
#![no_std]
#![no_main]
use core::ffi::{c_char, c_int, c_void};
unsafe extern "C" {
    fn klee_make_symbolic(p: *mut c_void, n: usize, name: *const c_char);
    fn abort() -> !;
}
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! { unsafe { abort() } }
#[inline(never)]
fn element(table: &[i32; 4], i: usize) -> i32 { table[i] }
#[unsafe(no_mangle)]
pub extern "C" fn main() -> c_int {
    let mut x = [0i32; 2];
    unsafe { klee_make_symbolic((&raw mut x).cast(), 8, c"x".as_ptr()) };
    let table = [1, 2, 3, 4];
    match x[0] {
        77 => x[1] + 1,
        88 => 100 / x[1],
        0..6 => element(&table, x[0] as usize),
        99 if x[1] & 0xff < 8 => {
            let p = table.as_ptr();
            unsafe { *p.add(x[1] as usize & 7) } // out of bounds
        }
        _ => 0,
    }
}
"#;

#[test]
fn a_program_of_rustc_is_explored_and_its_errors_are_told() {
    let Some(dir) = engine!("rustc") else { return };
    if !testkit::need("rustc") || !testkit::need("llvm-22") {
        return;
    }
    dir.write("r.rs", RUST);
    // As docs/rust.md says: the input of link-time optimization holds `core`. A linker is not needed.
    let script = "rustc --edition 2024 -C panic=abort -C lto=fat -C overflow-checks=on -g -C save-temps -C linker=true r.rs -o r \
                  && mv r.*.lto.input.bc r.bc";
    let made = dir.shell(script).status().expect("a shell starts");
    assert!(made.success());
    let ran = dir.polypath(["run", "r.bc", "--out", "out"]);
    let said = ran.text();
    // The three panics lie in one place, with three ways there: sum, division, index.
    assert!(said.contains("abort: abort was called at"), "{said}");
    assert!(said.contains("3 call stacks, 3 paths"), "{said}");
    let line = RUST.lines().position(|l| l.contains("// out of bounds"));
    let line = line.expect("the marked line") + 1;
    let read =
        "out_of_bounds: read of 4 bytes at the end of the local variable `table` of 16 bytes at";
    assert!(
        said.lines()
            .any(|l| l.contains(read) && l.contains(&format!("r.rs:{line} in main"))),
        "{said}"
    );
    assert!(said.contains("everything was explored"), "{said}");
}
