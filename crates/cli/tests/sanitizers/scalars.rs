//! Values that were not written, wherever they lie, and are used: MemorySanitizer knows.
//!
//! Whatever is read decides something, since MemorySanitizer tells uses and `--check uninit` reads.

use super::case::{After, Case, Kind, Lines};
use testkit::Random;

pub const KIND: Kind = Kind {
    name: "scalars",
    sanitizer: &["-fsanitize=memory"],
    checks: "memory,uninit",
    errors: &["uninitialized"],
    lines: Lines::Inside,
    after: After::Ends,
    make: scalar,
};

fn scalar(n: usize, random: &mut Random) -> Case {
    let ty = random.pick(&[
        "char", "short", "int", "unsigned", "long", "float", "double", "_Bool",
    ]);
    let count = random.range(1, 4);
    let declared = match random.below(9) {
        0 | 1 => format!("T p[{count}];"),
        2 => format!("T *p = malloc({count} * sizeof *p);"),
        3 => format!("T *p = calloc(1, sizeof *p); p = realloc(p, {count} * sizeof *p);"),
        4 => format!("T *p = __builtin_alloca({count} * sizeof *p);"),
        5 => format!("volatile int size = {count}; T p[size];"),
        6 => format!("struct {{ char c; T list[{count}]; }} s; s.c = 1; T *p = s.list;"),
        // A part of a wider value is not written here: MemorySanitizer tells of its use only where the rest decides nothing.
        7 => {
            let first = if ty.ends_with("char") { "u.c = 1;" } else { "" };
            format!("union {{ T list[{count}]; char c; }} u; {first} T *p = u.list;")
        }
        _ => format!(
            "T *p = malloc({count} * sizeof *p); memset(p, 0, {count} * sizeof *p); free(p); p = malloc({count} * sizeof *p);"
        ),
    };
    let many = random.pick(&["x % 5", "x / 2", "x & 1 ? 4 : 1", "4 - x % 4", "x == 3"]);
    let written = match random.below(7) {
        0 | 1 => "for (int k = 0; k < w; k++) p[k] = k;".to_string(),
        2 => "memset(p, 1, w * sizeof(T));".to_string(),
        3 => "static const T from[4] = {1, 0, 3, 1}; memcpy(p, from, w * sizeof(T));".to_string(),
        4 => "if (x & 1) p[0] = 1; if (w > 1) p[w - 1] = 0;".to_string(),
        5 => format!("fill_{n}(p, w);"),
        _ => "for (int k = w; k > 0; k--) *(volatile T *)&p[k - 1] = x;".to_string(),
    };
    let index = random.pick(&[
        "0",
        "x % {count}",
        "x * 3 % {count}",
        "x == 5 ? {count} - 1 : 0",
        "{count} - 1",
    ]);
    let index = index.replace("{count}", &count.to_string());
    let used = random.pick(&[
        "if (p[i] == 1) r = 2;",
        "if (p[i] > 0) r++;",
        "switch ((int)p[i]) { case 0: r = 1; break; case 1: r = 2; break; }",
        "static const int table[4] = {3, 5, 1, 0}; r = table[(int)p[i] & 3];",
        "r = p[i] ? 3 : 4;",
        "for (int k = 0; k < 3 && p[i] != k; k++) r++;",
        "r = take_N(p[i]);",
        "T v = p[i]; T same = v; if (same == 3) r = 1;",
        "struct { char c; T f; } member; member.f = p[i]; if (member.f == 1) r++;",
        "long k = p[i] + 1; if (k > 2) r = 3;",
        "T zero = 0; r = memcmp(p + i, &zero, sizeof(T)) != 0;",
        "T t; memcpy(&t, p + i, sizeof t); if (t == 1) r++;",
        "if (x & 1 && p[i] == 1) r++;",
        "r = !p[i];",
        "r = get_N(p, i) == 1;",
        "for (int k = 0; k <= i; k++) r += p[k] == 1;",
        "if (x < 200) r = p[i] == 1;",
        "T *q = p; q += i; if (*q) r = 5;",
    ]);
    let used = used.replace("_N", &format!("_{n}"));
    Case::new(&format!(
        "__attribute__((noinline)) void fill_{n}({ty} *p, int w) {{ for (int k = 0; k < w; k++) p[k] = 1; }}
__attribute__((noinline)) int take_{n}({ty} v) {{ return v == 1; }}
__attribute__((noinline)) {ty} get_{n}({ty} *p, int i) {{ return p[i]; }}
__attribute__((noinline)) int case_{n}(unsigned char x) {{ typedef {ty} T; int r = 0, w = {many}, i = {index}; if (w > {count}) w = {count};
    {declared} {written} {used} return r; }}\n"
    ))
}
