//! Integer operations at their undefined corners, at every width: UBSan knows.

use super::case::{After, Case, Kind, Lines};
use testkit::Random;

pub const KIND: Kind = Kind {
    name: "integers",
    sanitizer: &[
        "-fsanitize=signed-integer-overflow,integer-divide-by-zero,shift-exponent,unreachable,builtin",
    ],
    checks: "assert,div,shift,builtin,overflow",
    errors: &["div_zero", "shift", "builtin", "overflow", "unreachable"],
    lines: Lines::Same,
    after: After::Ends,
    make: integer,
};

/// A type and its width.
fn number_type(random: &mut Random) -> (String, i64, bool) {
    let signed = random.chance(70);
    let named = |ty: &str| {
        let sign = if signed { "signed" } else { "unsigned" };
        format!("{sign} {ty}")
    };
    let (ty, width) = match random.below(8) {
        0 => (named("int"), 32),
        1 => (named("long"), 64),
        2 => (named("char"), 8),
        3 => (named("short"), 16),
        4 => (named("__int128"), 128),
        _ => {
            let width = random.pick(&[7, 16, 32, 33, 64, 65, 100, 127, 128, 129, 200]);
            let sign = if signed { "" } else { "unsigned " };
            (format!("{sign}_BitInt({width})"), width)
        }
    };
    (ty, width, signed)
}

/// An operation on two numbers near the ends of a type.
fn integer(n: usize, random: &mut Random) -> Case {
    let (ty, width, signed) = number_type(random);
    let op = random.pick(&[
        "a + b",
        "a - b",
        "a * b",
        "a / b",
        "a % b",
        "a << b",
        "a >> b",
        "-a",
        "a++",
        "--a",
        "a += b",
        "a -= b",
        "a *= b",
        "a /= b",
        "a %= b",
        "a <<= b",
        "a >>= b",
        "a * a - b",
        "(a + b) / 2",
        "a / b * b",
        "a - 1 < a",
        "a + 1 > a",
        "a == 3 ? b : a + b",
        "abs",
        "zeros",
        "unreachable",
    ]);
    let shifts = op.contains("<<") || op.contains(">>");
    let unsigned = format!("unsigned _BitInt({width})");
    // Of the first type: 0, 1, 2, the ends and their neighbours, and what the input adds.
    let number = |random: &mut Random| {
        let low = format!("(({unsigned})1 << {})", width - 1);
        match random.below(6) {
            0 => "0".to_string(),
            1 => "1".to_string(),
            2 if signed => "-1".to_string(),
            3 => format!("({ty}){low}"),
            4 => format!("({ty})~{low}"),
            _ => format!("({ty})(({unsigned})1 << {})", width / 2),
        }
    };
    let (a, mut b) = (number(random), number(random));
    if shifts {
        b = random.pick(&["0", "1"]).to_string();
        b = format!("({b} + {})", width - random.range(1, 5));
    }
    let add = random.pick(&["x", "- x", "(x == 5)", "- (x == 2)", "x * x"]);
    let added = |to: &str| format!("({ty})(({unsigned})({to}) + ({unsigned})({add}))");
    let (left, right) = if shifts {
        (a, format!("({b} + x)"))
    } else if random.chance(50) {
        (a, added(&b))
    } else {
        (added(&a), b)
    };
    let right_type = if shifts {
        random.pick(&["unsigned", "int", "long", "unsigned char"])
    } else {
        &ty
    };
    let result = format!(
        "return (int)(({unsigned})c ^ ({unsigned})c >> {}) & 0x7fff;",
        width / 2
    );
    let operation = match op {
        "abs" => {
            let (of, ty) = random.pick(&[("abs", "int"), ("labs", "long"), ("llabs", "long long")]);
            format!("{ty} c = {of}(({ty})a);")
        }
        "zeros" => {
            let (of, to) = random.pick(&[
                ("__builtin_clz", "unsigned"),
                ("__builtin_ctz", "unsigned"),
                ("__builtin_clzl", "unsigned long"),
                ("__builtin_ctzll", "unsigned long long"),
                ("__builtin_clzs", "unsigned short"),
                ("__builtin_ctzg", "unsigned char"),
                ("__builtin_ffs", "int"),
                ("__builtin_clrsbl", "long"),
            ]);
            format!("{ty} c = {of}(({to})a);")
        }
        "unreachable" => format!(
            "{ty} c = b; if (a {} b) __builtin_unreachable();",
            random.pick(&["<", "==", ">="])
        ),
        _ => format!("{ty} c = {op};"),
    };
    // The result is used, or not; in the place, in a loop, behind a condition that is always true.
    let (declared, done) = match random.below(5) {
        0 => (format!("{operation} (void)c;"), "return 0;".to_string()),
        1 => (
            format!(
                "{ty} c = 0; for (int k = 0; k < 2; k++) {{ {} c = d; }}",
                operation.replacen(" c =", " d =", 1)
            ),
            result,
        ),
        2 => (
            format!(
                "{ty} c = 1; if (x < 200) {{ {} c = d; }}",
                operation.replacen(" c =", " d =", 1)
            ),
            result,
        ),
        _ => (operation, result),
    };
    Case::new(&format!(
        "__attribute__((noinline)) int case_{n}(unsigned char x) {{ {ty} a = {left}; {right_type} b = {right};
    {declared} {done} }}\n"
    ))
}
