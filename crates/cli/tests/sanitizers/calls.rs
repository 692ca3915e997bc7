//! Calls through another type than the function has: UBSan knows.
//!
//! UBSan compares types of C, `--check function-type` those of the machine: only types that differ as both are drawn.

use super::case::{After, Case, Kind, Lines};
use testkit::Random;

pub const KIND: Kind = Kind {
    name: "calls",
    sanitizer: &["-fsanitize=function"],
    checks: "memory,function-type,pedantic",
    errors: &["function_type"],
    lines: Lines::Same,
    after: After::Ends,
    make: call,
};

const TYPES: [&str; 8] = [
    "int",
    "long",
    "short",
    "signed char",
    "double",
    "float",
    "char *",
    "long double",
];

/// A function's type.
#[derive(Clone)]
struct Signature {
    result: &'static str,
    parameters: Vec<&'static str>,
    is_variadic: bool,
}

impl Signature {
    fn random(random: &mut Random) -> Signature {
        let result = if random.chance(20) {
            "void"
        } else {
            random.pick(&TYPES)
        };
        let parameters = (0..random.range(0, 4))
            .map(|_| random.pick(&TYPES))
            .collect();
        Signature {
            result,
            parameters,
            is_variadic: false,
        }
    }

    /// The same, or a neighbour.
    fn near(&self, random: &mut Random) -> Signature {
        let mut near = self.clone();
        match random.below(7) {
            0 => near.result = random.pick(&TYPES),
            1 => near.result = "void",
            2 if !near.parameters.is_empty() => {
                let i = random.index(near.parameters.len());
                near.parameters[i] = random.pick(&TYPES);
            }
            3 => near.parameters.push(random.pick(&TYPES)),
            4 => {
                near.parameters.pop();
            }
            5 if !near.parameters.is_empty() => near.is_variadic = true,
            _ => {}
        }
        near
    }

    fn list(&self, name: impl Fn(usize) -> String) -> String {
        let named = self.parameters.iter().enumerate();
        let mut all: Vec<String> = named.map(|(i, ty)| format!("{ty} {}", name(i))).collect();
        if self.is_variadic {
            all.push("...".to_string());
        }
        if all.is_empty() {
            "void".to_string()
        } else {
            all.join(", ")
        }
    }

    /// A definition that uses each parameter.
    fn function(&self, name: &str) -> String {
        let term = |(i, ty): (usize, &&str)| match *ty {
            "char *" => format!("(a{i} != 0)"),
            _ => format!("a{i}"),
        };
        let sum: Vec<String> = self.parameters.iter().enumerate().map(term).collect();
        let sum = if sum.is_empty() {
            "1".to_string()
        } else {
            sum.join(" + ")
        };
        let body = match self.result {
            "void" => format!("volatile double sink = {sum};"),
            "char *" => format!("static char c[9]; return c + ((int)({sum}) & 7);"),
            _ => format!("return {sum};"),
        };
        let (result, list) = (self.result, self.list(|i| format!("a{i}")));
        format!("__attribute__((noinline)) {result} {name}({list}) {{ {body} }}\n")
    }

    fn arguments(&self, random: &mut Random) -> String {
        let argument = |ty: &&str| match *ty {
            "char *" => "text".to_string(),
            ty => format!("({ty}){}", random.pick(&["x", "3", "(x - 4)", "(2 * x)"])),
        };
        let all: Vec<String> = self.parameters.iter().map(argument).collect();
        all.join(", ")
    }
}

fn call(n: usize, random: &mut Random) -> Case {
    let called = Signature::random(random);
    let defined = called.near(random);
    let when = random.pick(&["x & 1", "x > 3", "x == 2", "x != 5", "x % 3 == 1", "1"]);
    let (result, list) = (called.result, called.list(|_| String::new()));
    let of_type = format!("(t_{n})f_{n}");
    let chosen = match random.below(5) {
        0 => format!("t_{n} t = {when} ? {of_type} : g_{n};"),
        1 => format!("t_{n} t = g_{n}; if ({when}) t = {of_type};"),
        2 => format!("t_{n} table[2] = {{g_{n}, {of_type}}}; t_{n} t = table[({when}) ? 1 : 0];"),
        3 => format!("static t_{n} t; t = g_{n}; if ({when}) t = {of_type};"),
        _ => {
            format!("struct {{ void *v; }} s; s.v = g_{n}; if ({when}) s.v = f_{n}; t_{n} t = s.v;")
        }
    };
    let call = format!("t({})", called.arguments(random));
    let used = match result {
        "void" => format!("{call};"),
        "char *" => format!("r = {call} != 0;"),
        _ if random.chance(30) => format!("{call};"),
        _ => format!("r = (int){call} & 0xff;"),
    };
    let used = match random.below(4) {
        0 => format!("for (int k = 0; k < 2; k++) {used}"),
        1 => format!("if (x != 6) {used}"),
        _ => used,
    };
    Case::new(&format!(
        "{}{}typedef {result} (*t_{n})({list});
__attribute__((noinline)) int case_{n}(unsigned char x) {{ int r = 0; char text[3] = \"ab\"; {chosen} {used} return r; }}\n",
        called.function(&format!("g_{n}")),
        defined.function(&format!("f_{n}"))
    ))
}
