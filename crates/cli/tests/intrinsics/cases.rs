//! A case: a function of IR, and how it is written.

use std::fmt::Write as _;

/// How a case is run.
#[derive(Clone, Copy, PartialEq)]
pub enum Run {
    /// On all inputs, and on a symbolic one.
    Both,
    /// On all inputs: a symbolic one would be about something else (libm's code).
    Concrete,
}

pub struct Case {
    pub row: String,
    pub run: Run,
    /// The instructions, which read `%in` and write `%out`.
    pub body: String,
    /// The same without what clang does not compile: it stands for nothing.
    pub native: Option<String>,
    /// What stands outside of the function.
    pub outside: String,
}

/// Widths of integers: all that C has, and some others.
pub const WIDTHS: [u32; 11] = [1, 7, 8, 13, 16, 31, 32, 33, 64, 65, 128];
pub const VECTORS: [&str; 3] = ["<4 x i32>", "<16 x i8>", "<2 x i64>"];
pub const FLOATS: [&str; 3] = ["float", "double", "x86_fp80"];

/// The name of a type in the name of an intrinsic.
pub fn mangled(ty: &str) -> String {
    match ty {
        "float" => "f32".into(),
        "double" => "f64".into(),
        "x86_fp80" => "f80".into(),
        _ => match ty.strip_prefix('<') {
            Some(vector) => {
                let (n, element) = vector
                    .trim_end_matches('>')
                    .split_once(" x ")
                    .expect("a vector");
                format!("v{n}{}", mangled(element))
            }
            None => ty.into(),
        },
    }
}

/// Bits of an integer type of which memory has whole ones, and the type's own.
pub fn bits(ty: &str) -> Option<(u32, u32)> {
    let w: u32 = ty.strip_prefix('i')?.parse().ok()?;
    Some((w.max(8).next_power_of_two(), w))
}

/// Loads operand `slot` into `%NAME`.
pub fn load(ty: &str, name: &str, slot: usize) -> String {
    let p = format!(
        "  %{name}.p = getelementptr i8, ptr %in, i64 {}\n",
        16 * slot
    );
    if ty == "x86_fp80" {
        return format!(
            "{p}  %{name}.d = load double, ptr %{name}.p, align 1\n  %{name} = fpext double %{name}.d to x86_fp80\n"
        );
    }
    match bits(ty) {
        Some((whole, w)) if whole != w => format!(
            "{p}  %{name}.w = load i{whole}, ptr %{name}.p, align 1\n  %{name} = trunc i{whole} %{name}.w to {ty}\n"
        ),
        _ => format!("{p}  %{name} = load {ty}, ptr %{name}.p, align 1\n"),
    }
}

/// Stores `%NAME` at `out + at`; one NaN is as good as another.
pub fn store(ty: &str, name: &str, at: usize) -> String {
    let p = format!("  %{name}.o = getelementptr i8, ptr %out, i64 {at}\n");
    if let Some((whole, w)) = bits(ty) {
        if whole != w {
            return format!(
                "{p}  %{name}.z = zext {ty} %{name} to i{whole}\n  store i{whole} %{name}.z, ptr %{name}.o, align 1\n"
            );
        }
    } else if ty.contains("float") || ty.contains("double") || ty == "x86_fp80" {
        let nan = match ty {
            "x86_fp80" => "0xK7FFFC000000000000000".to_string(),
            "float" | "double" => "0x7FF8000000000000".to_string(),
            _ => "zeroinitializer".to_string(),
        };
        let condition = match ty.strip_prefix('<') {
            Some(vector) => format!("<{} x i1>", vector.split(' ').next().expect("a number")),
            None => "i1".to_string(),
        };
        return format!(
            "{p}  %{name}.u = fcmp uno {ty} %{name}, %{name}\n  %{name}.n = select {condition} %{name}.u, {ty} {nan}, {ty} %{name}\n  store {ty} %{name}.n, ptr %{name}.o, align 1\n"
        );
    }
    format!("{p}  store {ty} %{name}, ptr %{name}.o, align 1\n")
}

#[derive(Default)]
pub struct Cases(pub Vec<Case>);

impl Cases {
    pub fn add(&mut self, row: &str, run: Run, body: String, outside: String) {
        let (row, native) = (row.to_string(), None);
        self.0.push(Case {
            row,
            run,
            body,
            native,
            outside,
        });
    }

    /// An intrinsic from operands to a result. Behind `more` stand constant operands.
    pub fn call(
        &mut self,
        row: &str,
        run: Run,
        result: &str,
        operands: &[&str],
        suffix: &str,
        more: &str,
    ) {
        self.prepared(row, run, result, operands, suffix, more, |_, _| {
            String::new()
        });
    }

    /// The same with instructions that make operand `%x1` of what was loaded as `%a1`, say.
    #[allow(clippy::too_many_arguments)] // they are the parts of one line
    pub fn prepared(
        &mut self,
        row: &str,
        run: Run,
        result: &str,
        operands: &[&str],
        suffix: &str,
        more: &str,
        prepare: impl Fn(usize, &str) -> String,
    ) {
        let mut body = String::new();
        let mut args = Vec::new();
        for (i, ty) in operands.iter().enumerate() {
            body += &load(ty, &format!("a{i}"), i);
            let prepared = prepare(i, ty);
            args.push(format!(
                "{ty} %{}{i}",
                if prepared.is_empty() { "a" } else { "x" }
            ));
            body += &prepared;
        }
        if !more.is_empty() {
            args.push(more.to_string());
        }
        let types: Vec<&str> = args
            .iter()
            .map(|a| a.rsplit_once(' ').expect("a type").0)
            .collect();
        let types: Vec<String> = types
            .join(", ")
            .split(", ")
            .map(|t| t.split(' ').take(3).collect::<Vec<_>>().join(" "))
            .collect();
        // Constant operands have their values behind their types.
        let types: Vec<String> = types
            .iter()
            .map(|t| {
                if t.starts_with('<') {
                    t.clone()
                } else {
                    t.split(' ').next().expect("a type").to_string()
                }
            })
            .collect();
        let name = format!("@llvm.{row}{suffix}");
        let _ = writeln!(body, "  %r = call {result} {name}({})", args.join(", "));
        if let Some(pair) = result.strip_prefix("{ ") {
            let (first, second) = pair
                .trim_end_matches(" }")
                .split_once(", ")
                .expect("two types");
            let _ = write!(
                body,
                "  %r0 = extractvalue {result} %r, 0\n  %r1 = extractvalue {result} %r, 1\n{}{}",
                store(first, "r0", 0),
                store(second, "r1", 16)
            );
        } else {
            body += &store(result, "r", 0);
        }
        let outside = format!("declare {result} {name}({})\n", types.join(", "));
        self.add(row, run, body, outside);
    }

    /// Instructions in which `ROW` is called, for its effect or for nothing. Without them natively, if clang cannot compile
    /// them.
    pub fn lines(&mut self, row: &str, body: &str, outside: &str, natively: bool) {
        let tail = "  %end = load i64, ptr %in, align 1\n  store i64 %end, ptr %out.end, align 1\n";
        let head = "  %out.end = getelementptr i8, ptr %out, i64 24\n";
        self.add(
            row,
            Run::Both,
            format!("{head}{body}{tail}"),
            outside.to_string(),
        );
        if !natively {
            self.0.last_mut().expect("it was added").native = Some(format!("{head}{tail}"));
        }
    }
}
