//! Programs with tables at symbolic indices: concolic runs go where they were predicted, and both modes explore the same.
//!
//! Generated programs read two bytes, of which few values are told apart, and walk through tables that they read and write at
//! places that the bytes decide: in one and two dimensions, in structures, through pointers in tables, through entries that
//! are indices, with copies whose length the bytes decide. All of them end. The truth is the native program, run on each input:
//! the set of what it prints. Both modes have to print exactly that, say that everything was explored, have the same number of
//! paths, and no divergence.
//!
//! `POLYPATH_TABLES=N` runs N programs.

use oracle::random::Random;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use testkit::{Place, engine};

/// Programs of a plain test.
const PROGRAMS: u64 = 12;

/// Values of each byte that are told apart: the program reduces them to as many.
const VALUES: u32 = 8;

/// A decoder as those of LZW: a table of prefixes that grows as the input is read, larger than what is read as one array.
const DECODER: &str = r#"
#include <stdio.h>
static unsigned short before[40000];
static unsigned char in[64];
int main(void) {
    int size = fread(in, 1, 6, stdin);
    long last = -1, next = 257, steps = 0;
    for (int bit = 0; bit + 9 < 8 * size; bit += 9) {
        const unsigned char *p = in + bit / 8;
        long word = (p[0] | p[1] << 8 | (long)p[2] << 16) >> bit % 8 & 511, code = word;
        if (last < 0) {
            if (word > 255) return 1;
            last = word;
            continue;
        }
        if (code > next) return 2;
        if (code == next) code = last;
        for (; code > 255; steps++) code = before[code];
        before[next++] = last;
        last = word;
    }
    return steps > 1 ? 3 : 0;
}
"#;

struct Ran {
    said: String,
    stats: serde_json::Value,
    outputs: Vec<String>,
}

fn run(dir: &Place, program: &str, options: &[&str]) -> Ran {
    let _ = fs::remove_dir_all(dir.join("out"));
    let first = ["run", "--out", "out", "--jobs", "1"];
    let ran = dir.polypath([&first, options, &[program]].concat());
    assert!(ran.code <= 1, "{program} {options:?}: {}", ran.stderr);
    let mut problems = Vec::new();
    let tests = testcase::read::tests(&dir.join("out/tests"), &mut problems).unwrap();
    assert_eq!(problems, Vec::<String>::new());
    let output = |t: &testcase::TestCase| match &t.expected.exit {
        testcase::model::ExitKind::Status(status) => format!("{status}"),
        other => format!("{other:?}"),
    };
    let mut outputs: Vec<String> = tests.iter().map(output).collect();
    outputs.sort();
    Ran {
        said: ran.stderr,
        stats: dir.json("out/stats.json"),
        outputs,
    }
}

/// Ways of the concolic mode; the first one is that of forks.
const MODES: &[&[&str]] = &[
    &["--mode", "fork"],
    &["--mode", "concolic"],
    &["--mode", "concolic", "--search", "dfs"],
    &[
        "--mode",
        "concolic",
        "--search",
        "random",
        "--partial-solutions",
    ],
];

/// Runs a program in all modes; what the first one gave.
fn same_in_all_modes(dir: &Place, program: &str, more: &[&str]) -> Ran {
    let mut first: Option<Ran> = None;
    for mode in MODES {
        let ran = run(dir, program, &[mode, more].concat());
        let stats = &ran.stats;
        assert!(
            ran.said.contains("everything was explored"),
            "{program} {mode:?}: {}",
            ran.said
        );
        assert_eq!(
            stats["divergences"].as_u64().unwrap_or(0),
            0,
            "{program} {mode:?}"
        );
        if let Some(first) = &first {
            let paths = [&first.stats, stats].map(|s| &s["completed_paths"]);
            assert_eq!(paths[0], paths[1], "{program} {mode:?}: paths");
            assert_eq!(first.outputs, ran.outputs, "{program} {mode:?}");
        }
        first.get_or_insert(ran);
    }
    first.expect("there are modes")
}

#[test]
fn a_decoder_whose_table_grows_has_the_same_paths_in_both_modes() {
    let Some(dir) = engine!("decoder") else {
        return;
    };
    fs::write(dir.join("decoder.c"), DECODER).unwrap();
    let ran = same_in_all_modes(&dir, "decoder.c", &["--sym-stdin", "6"]);
    let statuses: BTreeSet<&str> = ran.outputs.iter().map(String::as_str).collect();
    assert_eq!(statuses, BTreeSet::from(["0", "1", "2", "3"]));
}

/// An index into `size` elements (a power of two) that the input decides.
fn index(r: &mut Random, size: u32) -> String {
    let mask = size - 1;
    match r.below(8) {
        0 => format!("x & {mask}"),
        1 => format!("y & {mask}"),
        2 => format!("(x + y * {}) & {mask}", 1 + r.below(5)),
        3 => format!("t[x] & {mask}"),
        4 => format!("w[(y + {}) & 1023] & {mask}", r.below(1024)),
        5 => format!("s[y & 7].v & {mask}"),
        6 => format!("acc & {mask}"),
        _ => format!("m[x & 3][y & 7] & {mask}"),
    }
}

/// A value of the program.
fn value(r: &mut Random) -> String {
    match r.below(10) {
        0 => format!("{}", r.below(256)),
        1 => format!("x * {} + {}", 1 + r.below(9), r.below(9)),
        2 => "y ^ acc".into(),
        3 => format!("t[{}]", index(r, 16)),
        4 => format!("w[{}]", index(r, 1024)),
        5 => format!("s[{}].v", index(r, 8)),
        6 => format!("*p[{}]", index(r, 4)),
        7 | 8 => format!(
            "d[(x * {} + y * {} + acc) & 2047]",
            1 + r.below(9),
            r.below(9)
        ),
        _ => format!("m[{}][{}]", index(r, 4), index(r, 8)),
    }
}

/// A statement, in blocks of at most `depth` more.
fn statement(r: &mut Random, depth: u32) -> String {
    match r.below(if depth == 0 { 10 } else { 15 }) {
        0 => format!("t[{}] = {};", index(r, 16), value(r)),
        1 => format!("w[{}] = {};", index(r, 1024), value(r)),
        2 => format!("w[{}] += {};", index(r, 1024), value(r)),
        3 => format!("s[{}].v ^= {};", index(r, 8), value(r)),
        4 => format!("m[{}][{}] = {};", index(r, 4), index(r, 8), value(r)),
        5 => format!("*p[{}] += {};", index(r, 4), value(r)),
        6 => format!("acc = acc * 3 + ({});", value(r)),
        7 => format!("p[{}] = &t[{}];", index(r, 4), index(r, 16)),
        8 => format!(
            "memcpy(b, w + ({}), {}); acc += b[{}];",
            index(r, 512),
            ["4", "16", "1 + (x & 3)"][r.below(3) as usize],
            index(r, 16),
        ),
        9 => format!("d[n++] = {};", value(r)),
        10 | 11 => format!(
            "if ((({}) & {}) == {}) {{ {} }} else {{ {} }}",
            value(r),
            [1, 3, 7][r.below(3) as usize],
            r.below(2),
            statement(r, depth - 1),
            statement(r, depth - 1)
        ),
        12 => format!(
            "for (unsigned i = 0, at = {}; i < {} && at; i++) {{ at = t[at & 15]; {} }}",
            index(r, 16),
            2 + r.below(3),
            statement(r, depth - 1)
        ),
        13 => format!(
            "switch (({}) & 3) {{ case 0: {} break; case 2: {} break; default: acc++; }}",
            value(r),
            statement(r, depth - 1),
            statement(r, depth - 1)
        ),
        _ => format!(
            "{{ unsigned char *h = malloc(1 + ({})); h[0] = {}; acc += h[0]; free(h); }}",
            index(r, 8),
            value(r)
        ),
    }
}

fn program(seed: u64) -> String {
    let r = &mut Random(seed);
    let mut text = String::from(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
         static unsigned char t[16], w[1024], b[16], m[4][8];\n\
         static struct { char c; unsigned short v; } s[8];\n\
         static unsigned short d[2048];\n\
         static unsigned char *p[4] = {t, t + 5, w + 7, b};\n\
         int main(void) {\n    unsigned char in[2];\n    unsigned acc = 0, n = 0;\n\
         \x20   if (fread(in, 1, 2, stdin) != 2) return 250;\n",
    );
    let mask = VALUES - 1;
    writeln!(text, "    unsigned x = in[0] & {mask}, y = in[1] & {mask};").unwrap();
    let (a, c) = (1 + 2 * r.below(20), r.below(100));
    writeln!(
        text,
        "    for (int i = 0; i < 1024; i++) w[i] = i * {a} + {c};"
    )
    .unwrap();
    // A table that grows between reads of all of it.
    text += "    for (int i = 0; i < 2048; i++) d[i] = i / 3;\n";
    text += "    for (int i = 0; i < 16; i++) t[i] = w[i * 3];\n    \
             for (int i = 0; i < 32; i++) m[i / 8][i % 8] = w[i * 5];\n";
    for _ in 0..3 + r.below(4) {
        writeln!(text, "    {}", statement(r, 2)).unwrap();
    }
    writeln!(text, "    acc += {};", value(r)).unwrap();
    for _ in 0..2 {
        writeln!(
            text,
            "    if ((({}) & 3) == {}) acc += {};",
            value(r),
            r.below(4),
            r.below(50)
        )
        .unwrap();
    }
    // The value itself decides, so that all of its values are paths.
    text += "    switch (acc & 15) {\n";
    for case in 0..16 {
        writeln!(text, "    case {case}: return {};", case + 1).unwrap();
    }
    text += "    }\n    return 0;\n}\n";
    text
}

/// The exit statuses of the native program on all inputs.
fn enumerated(dir: &Place, name: &str) -> BTreeSet<String> {
    let native = dir.join(format!("{name}.native"));
    let built = std::process::Command::new("gcc")
        .args(["-w", "-O1", "-o"])
        .arg(&native)
        .arg(dir.join(name))
        .status()
        .unwrap();
    assert!(built.success(), "{name}");
    let mut all = BTreeSet::from(["250".to_string()]);
    for x in 0..VALUES as u8 {
        for y in 0..VALUES as u8 {
            let input = dir.join("input");
            fs::write(&input, [x, y]).unwrap();
            let ended = std::process::Command::new(&native)
                .stdin(fs::File::open(&input).unwrap())
                .status()
                .unwrap();
            let status = ended.code().expect("the program is correct");
            all.insert(status.to_string());
        }
    }
    all
}

#[test]
fn generated_programs_with_tables_go_where_they_were_predicted() {
    if !testkit::need("gcc") {
        return;
    }
    let Some(dir) = engine!("tables") else { return };
    let wanted = std::env::var("POLYPATH_TABLES").ok();
    let programs = wanted.map_or(PROGRAMS, |n| n.parse().expect("a number of programs"));
    for seed in 0..programs {
        let name = format!("p{seed}.c");
        fs::write(dir.join(&name), program(seed)).unwrap();
        let truth = enumerated(&dir, &name);
        let ran = same_in_all_modes(&dir, &name, &["--sym-stdin", "2", "--sym-exact"]);
        let outputs: BTreeSet<String> = ran.outputs.into_iter().filter(|o| o != "250").collect();
        let truth: BTreeSet<String> = truth.into_iter().filter(|o| o != "250").collect();
        assert_eq!(outputs, truth, "{name}: what it returns");
    }
}
