//! Structures of which not all is written: MemorySanitizer knows.

use super::case::{After, Case, Kind, Lines};
use std::fmt::Write as _;
use testkit::Random;

pub const KIND: Kind = Kind {
    name: "structures",
    sanitizer: &["-fsanitize=memory"],
    checks: "memory,uninit",
    errors: &["uninitialized"],
    lines: Lines::Inside,
    after: After::Ends,
    make: structure,
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
            let width = random.range(1, most);
            members.push(format!("{ty} {name} : {width};"));
            if is_signed(ty) {
                // What a signed field is too narrow for decides nothing, though MemorySanitizer takes its sign for all bits above.
                tests.truncate(1);
                tests[0] = match width {
                    1 => "== 0",
                    2 => "== 1",
                    _ => "!= 3",
                };
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
    let s = format!("struct {packed}s_{n}");
    let name = format!("struct s_{n}");
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
    Case::new(&text)
}
