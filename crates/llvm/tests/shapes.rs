//! What lowering makes of small programs: checks and sites are where they belong, accesses are
//! kept, code is short.

use ir::{CheckKind, Inst, Module, Verified};
use polypath_llvm::{LowerOptions, lower_program};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

fn lower_with(source: &str, flags: &[&str], change: impl FnOnce(&mut LowerOptions)) -> Verified {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let stem = format!(
        "polypath-shape-{}-{}",
        std::process::id(),
        NUMBER.fetch_add(1, Ordering::Relaxed)
    );
    let input = std::env::temp_dir().join(format!("{stem}.c"));
    let output = input.with_extension("bc");
    std::fs::write(&input, source).unwrap();
    let status = Command::new("clang-19")
        .args(["-w", "-c", "-emit-llvm", "-g"])
        .args(flags)
        .arg(&input)
        .arg("-o")
        .arg(&output)
        .status();
    assert!(status.unwrap().success());
    let mut options = LowerOptions {
        inputs: vec![output.clone()],
        ..LowerOptions::default()
    };
    change(&mut options);
    let module = lower_program(&options);
    let _ = std::fs::remove_file(input);
    let _ = std::fs::remove_file(output);
    module.unwrap()
}

fn lower(source: &str) -> Verified {
    lower_with(source, &["-O1", "-Xclang", "-disable-llvm-passes"], |_| {})
}

fn count(m: &Module, f: impl Fn(&Inst) -> bool) -> usize {
    m.code.iter().filter(|i| f(i)).count()
}

fn is_access(i: &Inst) -> bool {
    matches!(
        i,
        Inst::Load { .. }
            | Inst::Store { .. }
            | Inst::LoadIndex { .. }
            | Inst::StoreIndex { .. }
            | Inst::LoadOffset { .. }
            | Inst::StoreOffset { .. }
    )
}

#[test]
fn faulty_accesses_survive_the_passes() {
    let dead = lower("int main(int c, char **v) { int *p = 0; *p; return 0; }");
    assert_eq!(count(&dead, is_access), 1, "an unused load of null");
    let store = lower("int main(void) { int *p = 0; *p = 1; return 0; }");
    assert_eq!(count(&store, is_access), 1, "a store to null");
    let outside = lower("int main(void) { int a[4]; a[5] = 1; return a[6]; }");
    assert_eq!(
        count(&outside, is_access),
        2,
        "accesses outside a local array at constant indices"
    );
    let cone =
        lower("int main(int c, char **v) { int x = v[100][0]; int y = x * 2 + 1; return 0; }");
    assert_eq!(count(&cone, is_access), 2, "loads whose value goes nowhere");
}

#[test]
fn checks_stand_before_what_they_check() {
    let source = "int main(int a, char **v) { int b = a; return (a / b) + (a << b) + (a + b) * b - (a >> 3) + (unsigned)a / 7; }";
    let raw = &["-O1", "-Xclang", "-disable-llvm-passes"];
    let kinds = |list: &str| {
        let m = lower_with(source, raw, |o| {
            o.checks = vocab::Checks::parse(list).unwrap();
        });
        let kind = |i: &Inst| {
            if let Inst::Check { kind, .. } = i {
                Some(*kind)
            } else {
                None
            }
        };
        m.code.iter().filter_map(kind).collect::<Vec<CheckKind>>()
    };
    // A division traps, whatever is looked for.
    assert_eq!(kinds("memory"), [CheckKind::SignedDiv]);
    assert_eq!(kinds("div"), [CheckKind::SignedDiv]);
    assert_eq!(kinds("shift"), [CheckKind::SignedDiv, CheckKind::Shift]);
    let overflow = kinds("overflow");
    assert_eq!(
        overflow
            .iter()
            .filter(|k| **k == CheckKind::SignedAdd)
            .count(),
        3
    );
    assert!(overflow.contains(&CheckKind::SignedMul) && overflow.contains(&CheckKind::SignedSub));
}

#[test]
fn optimized_code_is_not_checked_for_speculated_shifts() {
    let source = "int g(int a, int b) { return b < 32 && b >= 0 ? a << b : a; } int main(int c, char **v) { return g(c, c); }";
    let m = lower_with(source, &["-O2"], |_| {});
    assert_eq!(count(&m, |i| matches!(i, Inst::Check { .. })), 0);
}

#[test]
fn sites_tell_the_outcomes_of_branches() {
    let m = lower(
        "int main(int c, char **v) {\n  switch (c) {\n  case 1: return 10;\n  case 2:\n  case 3: return 20;\n  default: break;\n  }\n  if (c > 5) return 1;\n  return 2;\n}",
    );
    let mut outcomes: Vec<u32> = m.branches.iter().map(|b| b.outcomes).collect();
    outcomes.sort_unstable();
    assert_eq!(outcomes, [2, 4]);
    let mut seen: Vec<(u32, u32)> = m.sites.iter().filter_map(|s| s.outcome).collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(
        seen.len() as u64,
        m.total_outcomes(),
        "each outcome has its site"
    );
    let covers = count(&m, |i| matches!(i, Inst::Cover { .. }));
    assert_eq!(covers, m.sites.len());
    let lines: std::collections::BTreeSet<u32> = m
        .sites
        .iter()
        .flat_map(|s| s.lines.iter().copied())
        .collect();
    assert!(
        [2, 3, 5, 6, 8].iter().all(|l| lines.contains(l)),
        "{lines:?}"
    );
}

#[test]
fn a_block_behind_a_call_has_its_own_site() {
    let source = "void stop(void);\nint main(int c, char **v) {\n  if (c) {\n    stop();\n  }\n  return 1;\n}";
    let m = lower(source);
    let with_line_6 = m
        .sites
        .iter()
        .filter(|s| s.lines.contains(&6))
        .collect::<Vec<_>>();
    assert_eq!(with_line_6.len(), 1);
    assert!(!with_line_6[0].lines.contains(&4), "stop() may exit");
}

#[test]
fn loops_are_short() {
    let m = lower(
        "unsigned char s[100];\nint main(void) { for (unsigned long j = 0; j < 100; j += 3) s[j] = 1; return 0; }",
    );
    let f = &m.functions[0];
    // Entry site and counter, then site, store, step and condition of the loop, then the way out.
    assert!(f.end - f.entry <= 10, "{}", ir::print::print(&m));
    assert!(f.registers <= 2);
}

#[test]
fn copies_in_a_ring() {
    let m = lower(
        "int main(int n, char **v) { int a = 1, b = 2, c = 3; while (n--) { int t = a; a = b; b = c; c = t; } return a * 100 + b * 10 + c; }",
    );
    let copies = count(&m, |i| matches!(i, Inst::Copy { .. }));
    assert!(
        copies <= 3 + 4,
        "three starts, three moves and one scratch: {}",
        ir::print::print(&m)
    );
}

#[test]
fn odd_widths_and_unsupported_constructs() {
    let m = lower(
        "typedef _BitInt(200) wide; wide w; _BitInt(23) n; long double x; __int128 y;\n\
         int main(void) { w = w * w + n; x = x * 2; y = y / 3; __asm__ volatile(\"int3\"); return 0; }",
    );
    assert!(count(&m, |i| matches!(i, Inst::WideBin { w: 200, .. })) >= 2);
    assert!(
        count(&m, |i| matches!(
            i,
            Inst::WideBin {
                op: ir::BinOp::SDiv,
                w: 128,
                ..
            }
        )) == 1
    );
    let unsupported: Vec<&str> = m
        .code
        .iter()
        .filter_map(|i| {
            if let Inst::Unsupported { what } = i {
                Some(m.strings[*what as usize].as_str())
            } else {
                None
            }
        })
        .collect();
    assert_eq!(unsupported, ["inline assembly `int3`"]);
}

#[test]
fn own_word_wise_string_functions_read_bytes() {
    let source = "
        void *rawmemchr(const void *s, int c) { const long *p = s; while (*p != c) p++; return (void *)p; }
        char *strchrnul(const char *s) { return (char *)s + *(short *)s; }
        void *(*volatile f)(const void *, int) = rawmemchr;
        char *(*volatile g)(const char *) = strchrnul;
        int main(int c, char **v) { return *(char *)f(v[0], c) + *g(v[0]); }";
    let m = lower_with(source, &["-O0"], |_| {});
    let loads = |name: &str| {
        let f = m.functions.iter().find(|f| f.name == name).unwrap();
        let code = &m.code[f.entry as usize..f.end as usize];
        let wide = |i: &Inst| matches!(i, Inst::Load { bytes: 2.., .. });
        (f.own, code.iter().any(wide))
    };
    assert_eq!(loads("rawmemchr"), (false, false));
    // Of another type: it is not the function that we know.
    assert_eq!(loads("strchrnul"), (true, true));
}
