//! Floats that become integers: UBSan knows which do not fit.

use super::case::{After, Case, Kind, Lines};
use testkit::Random;

pub const KIND: Kind = Kind {
    name: "conversions",
    sanitizer: &["-fsanitize=float-cast-overflow"],
    checks: "fp-cast",
    errors: &["fp_cast"],
    lines: Lines::Same,
    after: After::GoesOn,
    make: conversion,
};

const INTEGERS: &[(&str, i32, bool)] = &[
    ("signed char", 8, true),
    ("unsigned char", 8, false),
    ("short", 16, true),
    ("unsigned short", 16, false),
    ("int", 32, true),
    ("unsigned", 32, false),
    ("long", 64, true),
    ("unsigned long", 64, false),
    ("__int128", 128, true),
    ("unsigned __int128", 128, false),
];

/// A float near the ends of an integer's type becomes such an integer.
fn conversion(n: usize, random: &mut Random) -> Case {
    let (to, width, signed) = random.pick(INTEGERS);
    let from = random.pick(&["float", "double", "long double"]);
    let top = if signed { width - 1 } else { width };
    let end = match random.below(8) {
        0..=2 => format!("0x1p{top}"),
        3 | 4 if signed => format!("-0x1p{top}"),
        3 | 4 => "-1.0".to_string(),
        5 => "0.0".to_string(),
        6 => format!("0x1p{}", random.pick(&[30, 62, 100, 126])),
        _ => random
            .pick(&[
                "__builtin_nan(\"\")",
                "__builtin_inf()",
                "-__builtin_inf()",
                "1e30",
            ])
            .to_string(),
    };
    let step = random.pick(&["0.25", "0.5", "1.0", "-1.0", "0x1p-10"]);
    let scale = random.pick(&["0.0", "0x1p-23", "0x1p-52", "0x1p-63"]);
    let by = random.pick(&["x", "(x - 3)", "(x == 5)", "-x"]);
    // Far from zero a step has to be a part of the end.
    let value = match random.below(3) {
        0 => format!("{end} + {by} * {step}"),
        1 => format!("{end} * (1 + {by} * {scale})"),
        _ => format!("x & 1 ? ({from})({end}) + {by} * {step} : ({from})({by})"),
    };
    let conversion = match random.below(6) {
        0 => format!("{to} c = 0; if (x != 2) c = f;"),
        1 => format!("{to} c = 0; for (int k = 0; k < 2; k++) c += ({to})f;"),
        2 => format!(
            "struct {{ char before; {to} member; }} s = {{1, 0}}; s.member = f; {to} c = s.member;"
        ),
        3 => format!("{to} c = convert_{n}(f);"),
        4 => format!("({to})f; {to} c = 1;"),
        _ => format!("{to} c = ({to})f;"),
    };
    Case::new(&format!(
        "__attribute__((noinline)) {to} convert_{n}({from} f) {{ return ({to})f; }}
__attribute__((noinline)) int case_{n}(unsigned char x) {{ {from} f = {value};
    {conversion} return (int)(c ^ c >> {}) & 0x7fff; }}\n",
        width / 2
    ))
}
