//! Each row of the table of `llvm.*` intrinsics against native code.
//!
//! A case is a function of IR from 48 bytes to 32 bytes. Its results for many inputs are computed natively by clang; then
//! `polypath` runs it on each of the inputs, and once on a symbolic one that is any of sixteen. A row without a case fails.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::Command;
use testkit::{Place, Random, engine};

/// Inputs of a case.
const INPUTS: usize = 96;
/// Those among which the symbolic one is, at the beginning.
const SYMBOLIC: usize = 16;
const IN: usize = 48;
const OUT: usize = 32;

/// How a case is run.
#[derive(Clone, Copy, PartialEq)]
enum Run {
    /// On all inputs, and on a symbolic one.
    Both,
    /// On all inputs: a symbolic one would be about something else (libm's code).
    Concrete,
}

struct Case {
    row: String,
    run: Run,
    /// The instructions, which read `%in` and write `%out`.
    body: String,
    /// The same without what clang does not compile: it stands for nothing.
    native: Option<String>,
    /// What stands outside of the function.
    outside: String,
}

/// Widths of integers: all that C has, and some others.
const WIDTHS: [u32; 11] = [1, 7, 8, 13, 16, 31, 32, 33, 64, 65, 128];
const VECTORS: [&str; 3] = ["<4 x i32>", "<16 x i8>", "<2 x i64>"];
const FLOATS: [&str; 3] = ["float", "double", "x86_fp80"];

/// The name of a type in the name of an intrinsic.
fn mangled(ty: &str) -> String {
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
fn bits(ty: &str) -> Option<(u32, u32)> {
    let w: u32 = ty.strip_prefix('i')?.parse().ok()?;
    Some((w.max(8).next_power_of_two(), w))
}

/// Loads operand `slot` into `%NAME`.
fn load(ty: &str, name: &str, slot: usize) -> String {
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
fn store(ty: &str, name: &str, at: usize) -> String {
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
struct Cases(Vec<Case>);

impl Cases {
    fn add(&mut self, row: &str, run: Run, body: String, outside: String) {
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
    fn call(
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
    fn prepared(
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
    fn lines(&mut self, row: &str, body: &str, outside: &str, natively: bool) {
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

fn integers(cases: &mut Cases, row: &str, operands: usize, run: Run) {
    let widths = WIDTHS.map(|w| format!("i{w}"));
    let types = widths.iter().map(String::as_str).chain(VECTORS);
    for ty in types {
        let operands = vec![ty; operands];
        cases.call(row, run, ty, &operands, &format!(".{}", mangled(ty)), "");
    }
}

/// The cases of a row.
#[allow(clippy::too_many_lines)] // a table
fn cases_of(cases: &mut Cases, row: &str) {
    use Run::{Both, Concrete};
    let p = "  %p = getelementptr i8, ptr %in, i64 8\n";
    let same = |cases: &mut Cases, more: &str| {
        for ty in ["i32", "i64"] {
            let more = more.replace("TY", ty);
            cases.call(row, Both, ty, &[ty], &format!(".{ty}"), &more);
            // clang's code generation leaves these to a pass.
            let case = cases.0.last_mut().expect("it was added");
            let lines = case.body.lines().map(|line| {
                if line.contains("call") {
                    format!("  %r = add {ty} %a0, 0\n")
                } else {
                    format!("{line}\n")
                }
            });
            case.native = Some(lines.collect());
        }
    };
    match row {
        "dbg.declare" | "dbg.value" | "dbg.assign" | "dbg.label" => {
            // Their operands are metadata: what stands around them has to be as it is without.
            cases.lines(row, "", "", true);
        }
        "assume" => cases.lines(row, "  call void @llvm.assume(i1 true)\n", "declare void @llvm.assume(i1)\n", true),
        "donothing" | "sideeffect" => cases.lines(row, &format!("  call void @llvm.{row}()\n"), &format!("declare void @llvm.{row}()\n"), true),
        "prefetch" => cases.lines(row, "  call void @llvm.prefetch.p0(ptr null, i32 0, i32 3, i32 1)\n", "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)\n", true),
        "pseudoprobe" => cases.lines(row, "  call void @llvm.pseudoprobe(i64 1, i64 1, i32 0, i64 -1)\n", "declare void @llvm.pseudoprobe(i64, i64, i32, i64)\n", false),
        "instrprof.increment" => cases.lines(row, "  call void @llvm.instrprof.increment(ptr null, i64 0, i32 1, i32 0)\n", "declare void @llvm.instrprof.increment(ptr, i64, i32, i32)\n", false),
        "instrprof.cover" => cases.lines(row, "  call void @llvm.instrprof.cover(ptr null, i64 0, i32 1, i32 0)\n", "declare void @llvm.instrprof.cover(ptr, i64, i32, i32)\n", false),
        "experimental.noalias.scope.decl" => cases.lines(row, "  call void @llvm.experimental.noalias.scope.decl(metadata !900090)\n", "declare void @llvm.experimental.noalias.scope.decl(metadata)\n!900090 = !{!900091}\n!900091 = distinct !{!900091, !900092}\n!900092 = distinct !{!900092}\n", true),
        "clear_cache" => cases.lines(row, "  call void @llvm.clear_cache(ptr %in, ptr %in)\n", "declare void @llvm.clear_cache(ptr, ptr)\n", true),
        "var.annotation" => cases.lines(row, "  call void @llvm.var.annotation.p0.p0(ptr %in, ptr null, ptr null, i32 1, ptr null)\n", "declare void @llvm.var.annotation.p0.p0(ptr, ptr, ptr, i32, ptr)\n", true),
        "invariant.start" => cases.lines(row, "  %i = call ptr @llvm.invariant.start.p0(i64 8, ptr %in)\n", "declare ptr @llvm.invariant.start.p0(i64, ptr)\n", true),
        "invariant.end" => cases.lines(row, "  call void @llvm.invariant.end.p0(ptr null, i64 8, ptr %in)\n", "declare void @llvm.invariant.end.p0(ptr, i64, ptr)\n", true),
        "expect" => same(cases, "TY 1"),
        "expect.with.probability" => same(cases, "TY 1, double 0.5"),
        "ssa.copy" => {
            cases.lines(row, "  %c = call i64 @llvm.ssa.copy.i64(i64 5)\n", "declare i64 @llvm.ssa.copy.i64(i64 returned)\n", false);
        }
        "arithmetic.fence" => {
            for ty in ["float", "double"] {
                cases.call(row, Both, ty, &[ty], &format!(".{}", mangled(ty)), "");
            }
        }
        "annotation" => cases.lines(row, "  %v = load i32, ptr %in\n  %c = call i32 @llvm.annotation.i32.p0(i32 %v, ptr null, ptr null, i32 1)\n  store i32 %c, ptr %out\n", "declare i32 @llvm.annotation.i32.p0(i32, ptr, ptr, i32)\n", true),
        "ptr.annotation" => cases.lines(row, "  %c = call ptr @llvm.ptr.annotation.p0.p0(ptr %in, ptr null, ptr null, i32 1, ptr null)\n  %v = load i32, ptr %c\n  store i32 %v, ptr %out\n", "declare ptr @llvm.ptr.annotation.p0.p0(ptr, ptr, ptr, i32, ptr)\n", true),
        "launder.invariant.group" | "strip.invariant.group" => cases.lines(row, &format!("  %c = call ptr @llvm.{row}.p0(ptr %in)\n  %v = load i32, ptr %c\n  store i32 %v, ptr %out\n"), &format!("declare ptr @llvm.{row}.p0(ptr)\n"), true),
        "threadlocal.address" => cases.lines(row, "  %v = load i32, ptr %in\n  %c = call ptr @llvm.threadlocal.address.p0(ptr @per_thread)\n  %old = load i32, ptr %c\n  store i32 %old, ptr %out\n  store i32 7, ptr %c\n", "@per_thread = internal thread_local global i32 7\ndeclare ptr @llvm.threadlocal.address.p0(ptr)\n", true),
        "is.constant" => cases.call(row, Both, "i1", &["i32"], ".i32", ""),
        "objectsize" => {
            for (i, minimum) in ["true", "false"].iter().enumerate() {
                cases.lines(row, &format!("  %q = load i64, ptr %in\n  %g = inttoptr i64 %q to ptr\n  %s = call i64 @llvm.objectsize.i64.p0(ptr %g, i1 {minimum}, i1 false, i1 false)\n  store i64 %s, ptr %out\n"), if i == 0 { "declare i64 @llvm.objectsize.i64.p0(ptr, i1, i1, i1)\n" } else { "" }, true);
            }
        }
        "allow.runtime.check" | "allow.ubsan.check" => {
            let (operand, ty) = if row == "allow.ubsan.check" { ("i8 1", "i8") } else { ("metadata !\"x\"", "metadata") };
            cases.lines(row, &format!("  %c = call i1 @llvm.{row}({operand})\n  %z = zext i1 %c to i8\n  store i8 %z, ptr %out\n"), &format!("declare i1 @llvm.{row}({ty})\n"), true);
        }
        "experimental.widenable.condition" => cases.lines(row, "  %c = call i1 @llvm.experimental.widenable.condition()\n", "declare i1 @llvm.experimental.widenable.condition()\n", false),
        "lifetime.start" | "lifetime.end" => cases.lines(row, "  %v = alloca i64\n  call void @llvm.lifetime.start.p0(i64 8, ptr %v)\n  store i64 3, ptr %v\n  %l = load i64, ptr %v\n  store i64 %l, ptr %out\n  call void @llvm.lifetime.end.p0(i64 8, ptr %v)\n", if row == "lifetime.start" { "declare void @llvm.lifetime.start.p0(i64, ptr)\ndeclare void @llvm.lifetime.end.p0(i64, ptr)\n" } else { "" }, true),
        "memcpy" | "memmove" | "memcpy.inline" => {
            let declared = format!("declare void @llvm.{row}.p0.p0.i64(ptr, ptr, i64, i1)\n");
            for (i, n) in [1, 2, 3, 4, 8, 11, 16].iter().enumerate() {
                cases.lines(row, &format!("{p}  call void @llvm.{row}.p0.p0.i64(ptr %out, ptr %p, i64 {n}, i1 false)\n"), if i == 0 { &declared } else { "" }, true);
            }
            if row == "memmove" {
                cases.lines(row, "  call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr %in, i64 16, i1 false)\n  %q = getelementptr i8, ptr %out, i64 3\n  call void @llvm.memmove.p0.p0.i64(ptr %q, ptr %out, i64 12, i1 false)\n", "", true);
            }
            if row != "memcpy.inline" {
                cases.lines(row, &format!("  %l = load i8, ptr %in\n  %m = and i8 %l, 15\n  %n = zext i8 %m to i64\n  call void @llvm.{row}.p0.p0.i64(ptr %out, ptr %in, i64 %n, i1 false)\n"), "", true);
            }
        }
        "memset" | "memset.inline" => {
            let declared = format!("declare void @llvm.{row}.p0.i64(ptr, i8, i64, i1)\n");
            cases.lines(row, &format!("  %b = load i8, ptr %in\n  call void @llvm.{row}.p0.i64(ptr %out, i8 %b, i64 13, i1 false)\n"), &declared, true);
        }
        "masked.load" => cases.lines(row, "  %old = load <4 x i32>, ptr %in, align 1\n  %q = getelementptr i8, ptr %in, i64 16\n  %v = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %q, i32 1, <4 x i1> <i1 1, i1 0, i1 0, i1 1>, <4 x i32> %old)\n  store <4 x i32> %v, ptr %out, align 1\n", "declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, i32, <4 x i1>, <4 x i32>)\n", true),
        "masked.store" => cases.lines(row, "  %v = load <4 x i32>, ptr %in, align 1\n  call void @llvm.masked.store.v4i32.p0(<4 x i32> %v, ptr %out, i32 1, <4 x i1> <i1 0, i1 1, i1 0, i1 1>)\n", "declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, i32, <4 x i1>)\n", true),
        "load.relative" => cases.lines(row, "  %t = call ptr @llvm.load.relative.i64(ptr @relative, i64 4)\n  %v = load i32, ptr %t\n  store i32 %v, ptr %out\n", "@relative_target = internal constant i32 42\n@relative = internal constant [2 x i32] [i32 0, i32 trunc (i64 sub (i64 ptrtoint (ptr @relative_target to i64), i64 ptrtoint (ptr @relative to i64)) to i32)]\ndeclare ptr @llvm.load.relative.i64(ptr, i64)\n", true),
        "ptrmask" => cases.lines(row, "  %a = load i64, ptr %in\n  %mp = getelementptr i8, ptr %in, i64 16\n  %m = load i64, ptr %mp\n  %q = inttoptr i64 %a to ptr\n  %k = call ptr @llvm.ptrmask.p0.i64(ptr %q, i64 %m)\n  %r = ptrtoint ptr %k to i64\n  store i64 %r, ptr %out\n", "declare ptr @llvm.ptrmask.p0.i64(ptr, i64)\n", true),
        "stacksave" | "stackrestore" => cases.lines(row, "  %s = call ptr @llvm.stacksave.p0()\n  %v = alloca i8, i64 24\n  store i64 9, ptr %v\n  %l = load i64, ptr %v\n  store i64 %l, ptr %out\n  call void @llvm.stackrestore.p0(ptr %s)\n", if row == "stacksave" { "declare ptr @llvm.stacksave.p0()\ndeclare void @llvm.stackrestore.p0(ptr)\n" } else { "" }, true),
        "frameaddress" => cases.lines(row, "  %f = call ptr @llvm.frameaddress.p0(i32 0)\n  %c = icmp ne ptr %f, null\n  %z = zext i1 %c to i8\n  store i8 %z, ptr %out\n", "declare ptr @llvm.frameaddress.p0(i32)\n", true),
        "returnaddress" => cases.lines(row, "  %f = call ptr @llvm.returnaddress(i32 0)\n  %c = icmp ne ptr %f, null\n  %z = zext i1 %c to i8\n  store i8 %z, ptr %out\n", "declare ptr @llvm.returnaddress(i32)\n", true),
        "thread.pointer" => cases.lines(row, "  %f = call ptr @llvm.thread.pointer()\n  %c = icmp ne ptr %f, null\n  %z = zext i1 %c to i8\n  store i8 %z, ptr %out\n", "declare ptr @llvm.thread.pointer()\n", true),
        "va_start" | "va_copy" | "va_end" => cases.lines(row, "  %v = load i64, ptr %in\n  %s = call i64 (i32, ...) @second(i32 1, i64 5, i64 %v)\n  store i64 %s, ptr %out\n", "", true),
        "sadd.with.overflow" | "uadd.with.overflow" | "ssub.with.overflow" | "usub.with.overflow" | "smul.with.overflow" | "umul.with.overflow" => {
            for w in WIDTHS {
                let ty = format!("i{w}");
                // A product of 128 bits with its check would be a puzzle about 256 bits.
                let run = if row.contains("mul") && w > 33 { Concrete } else { Both };
                cases.call(row, run, &format!("{{ {ty}, i1 }}"), &[&ty, &ty], &format!(".{ty}"), "");
            }
        }
        "sadd.sat" | "uadd.sat" | "ssub.sat" | "usub.sat" | "umin" | "umax" | "smin" | "smax" => integers(cases, row, 2, Both),
        "sshl.sat" | "ushl.sat" => {
            for w in WIDTHS.into_iter().filter(|w| *w > 1) {
                let ty = format!("i{w}");
                cases.prepared(row, Both, &ty, &[&ty, &ty], &format!(".{ty}"), "", |i, ty| {
                    if i == 1 { format!("  %x1 = urem {ty} %a1, {w}\n") } else { String::new() }
                });
            }
        }
        "ucmp" | "scmp" => {
            for w in WIDTHS {
                let ty = format!("i{w}");
                for to in ["i8", "i2", "i64"] {
                    cases.call(row, Both, to, &[&ty, &ty], &format!(".{to}.{ty}"), "");
                }
            }
        }
        "abs" | "ctlz" | "cttz" => {
            for ty in WIDTHS.map(|w| format!("i{w}")).iter().map(String::as_str).chain(VECTORS) {
                cases.call(row, Both, ty, &[ty], &format!(".{}", mangled(ty)), "i1 false");
            }
        }
        "ctpop" | "bitreverse" => integers(cases, row, 1, Both),
        "bswap" => {
            for ty in ["i16", "i32", "i48", "i64", "i128", "<4 x i32>"] {
                cases.call(row, Both, ty, &[ty], &format!(".{}", mangled(ty)), "");
            }
        }
        "fshl" | "fshr" => integers(cases, row, 3, Both),
        "vector.reverse" => cases.call(row, Both, "<4 x i32>", &["<4 x i32>"], ".v4i32", ""),
        "vector.insert" => cases.call(row, Both, "<8 x i32>", &["<8 x i32>", "<4 x i32>"], ".v8i32.v4i32", "i64 4"),
        "vector.extract" => cases.call(row, Both, "<4 x i32>", &["<8 x i32>"], ".v4i32.v8i32", "i64 4"),
        "vector.reduce.fadd" | "vector.reduce.fmul" => cases.call(row, Concrete, "float", &["float", "<4 x float>"], ".v4f32", ""),
        "vector.reduce.fmin" | "vector.reduce.fmax" => cases.call(row, Concrete, "double", &["<2 x double>"], ".v2f64", ""),
        _ if row.starts_with("vector.reduce.") => {
            for ty in VECTORS {
                let element = ty.trim_end_matches('>').rsplit(' ').next().expect("an element");
                let run = if row.ends_with("mul") { Concrete } else { Both };
                cases.call(row, run, element, &[ty], &format!(".{}", mangled(ty)), "");
            }
        }
        "fabs" | "copysign" => {
            let operands = if row == "fabs" { 1 } else { 2 };
            for ty in FLOATS.into_iter().chain(["<4 x float>"]) {
                cases.call(row, Both, ty, &vec![ty; operands], &format!(".{}", mangled(ty)), "");
            }
        }
        "sqrt" | "floor" | "ceil" | "trunc" | "roundeven" | "round" | "rint" | "nearbyint" => {
            for ty in FLOATS.into_iter().chain(["<4 x float>"]) {
                let run = if row == "sqrt" || ty == "x86_fp80" { Concrete } else { Both };
                cases.call(row, run, ty, &[ty], &format!(".{}", mangled(ty)), "");
            }
        }
        "minnum" | "maxnum" => {
            // Of unlike zeros either: these are made one.
            for ty in ["float", "double"] {
                cases.prepared(row, Both, ty, &[ty, ty], &format!(".{}", mangled(ty)), "", |i, ty| {
                    format!("  %z{i} = fcmp oeq {ty} %a{i}, 0.0\n  %x{i} = select i1 %z{i}, {ty} 0.0, {ty} %a{i}\n")
                });
            }
        }
        "minimum" | "maximum" => {
            for ty in ["float", "double"] {
                cases.call(row, Both, ty, &[ty, ty], &format!(".{}", mangled(ty)), "");
            }
        }
        "fma" | "fmuladd" => {
            for ty in ["float", "double"] {
                cases.call(row, Concrete, ty, &[ty, ty, ty], &format!(".{}", mangled(ty)), "");
            }
        }
        "lrint" | "llrint" | "lround" | "llround" => {
            for ty in FLOATS {
                let run = if ty == "x86_fp80" { Concrete } else { Both };
                cases.call(row, run, "i64", &[ty], &format!(".i64.{}", mangled(ty)), "");
            }
        }
        "fptosi.sat" | "fptoui.sat" => {
            for ty in ["float", "double"] {
                for to in ["i1", "i7", "i8", "i13", "i16", "i32", "i33", "i64", "i100", "i128"] {
                    let run = if bits(to).is_some_and(|(_, w)| w > 64) { Concrete } else { Both };
                    cases.call(row, run, to, &[ty], &format!(".{to}.{}", mangled(ty)), "");
                }
            }
        }
        "is.fpclass" => {
            for ty in ["float", "double"] {
                for test in [3, 516, 264, 144, 96, 1, 2, 1023, 60] {
                    cases.call(row, Both, "i1", &[ty], &format!(".{}", mangled(ty)), &format!("i32 {test}"));
                }
            }
        }
        "powi" => {
            for ty in ["float", "double"] {
                for n in [0, 1, 2, 3, 7, -1, -3, 30] {
                    cases.call(row, Concrete, ty, &[ty], &format!(".{}.i32", mangled(ty)), &format!("i32 {n}"));
                }
            }
        }
        "get.rounding" => cases.lines(row, "  %m = call i32 @llvm.get.rounding()\n  store i32 %m, ptr %out\n", "declare i32 @llvm.get.rounding()\n", true),
        "ldexp" => cases.prepared(row, Concrete, "double", &["double", "i32"], ".f64.i32", "", |i, ty| {
            if i == 1 { format!("  %x1 = srem {ty} %a1, 2000\n") } else { String::new() }
        }),
        // The code of libm is what other tests are about: that it is called, with this operand.
        "sin" | "cos" | "tan" | "asin" | "acos" | "atan" | "sinh" | "cosh" | "tanh" | "exp" | "exp2" | "exp10" | "log" | "log2" | "log10" => {
            for ty in ["float", "double"] {
                libm(cases, row, ty, 1);
            }
        }
        "pow" => libm(cases, row, "double", 2),
        "eh" | "trap" | "debugtrap" | "ubsantrap" => {} // they end the path: see below
        _ => panic!("the row `{row}` of the table of intrinsics has no case here"),
    }
}

/// Whether the result is that of the function, bit for bit.
fn libm(cases: &mut Cases, row: &str, ty: &str, operands: usize) {
    let (suffix, w) = if ty == "float" { ("f", 32) } else { ("", 64) };
    let mut body = String::new();
    let mut args = Vec::new();
    for i in 0..operands {
        body += &load(ty, &format!("a{i}"), i);
        args.push(format!("{ty} %a{i}"));
    }
    let args = args.join(", ");
    let types = vec![ty; operands].join(", ");
    let m = mangled(ty);
    let _ = write!(
        body,
        "  %r = call {ty} @llvm.{row}.{m}({args})\n  %q = call {ty} @{row}{suffix}({args})\n  %rb = bitcast {ty} %r to i{w}
  %qb = bitcast {ty} %q to i{w}\n  %c = icmp eq i{w} %rb, %qb\n  %z = zext i1 %c to i8\n  store i8 %z, ptr %out\n"
    );
    let outside = format!(
        "declare {ty} @llvm.{row}.{m}({types})\ndeclare {ty} @{row}{suffix}({types}) nobuiltin\n"
    );
    cases.add(row, Run::Concrete, body, outside);
}

/// Instructions beside intrinsics whose result C leaves open and x86-64 does not, and atomic ones.
fn instructions(cases: &mut Cases) {
    assembly(cases);
    for from in FLOATS {
        for w in [8, 16, 32, 64, 128] {
            for op in ["fptosi", "fptoui"] {
                let to = format!("i{w}");
                let body = format!(
                    "{}  %r = {op} {from} %a0 to {to}\n{}",
                    load(from, "a0", 0),
                    store(&to, "r", 0)
                );
                let run = if w > 64 || from == "x86_fp80" {
                    Run::Concrete
                } else {
                    Run::Both
                };
                cases.add(&format!("instruction {op}"), run, body, String::new());
            }
        }
        for w in [1, 8, 16, 32, 33, 64, 128] {
            for op in ["sitofp", "uitofp"] {
                let ty = format!("i{w}");
                let body = format!(
                    "{}  %r = {op} {ty} %a0 to {from}\n{}",
                    load(&ty, "a0", 0),
                    store(from, "r", 0)
                );
                let run = if w > 64 || from == "x86_fp80" {
                    Run::Concrete
                } else {
                    Run::Both
                };
                cases.add(&format!("instruction {op}"), run, body, String::new());
            }
        }
    }
    for op in [
        "xchg",
        "add",
        "sub",
        "and",
        "nand",
        "or",
        "xor",
        "max",
        "min",
        "umax",
        "umin",
        "uinc_wrap",
        "udec_wrap",
    ] {
        for ty in ["i8", "i16", "i32", "i64"] {
            let body = format!(
                "{}{}  store {ty} %a0, ptr %out, align 16\n  %r = atomicrmw {op} ptr %out, {ty} %a1 seq_cst\n{}",
                load(ty, "a0", 0),
                load(ty, "a1", 1),
                store(ty, "r", 16)
            );
            cases.add(
                &format!("instruction atomicrmw {op}"),
                Run::Both,
                body,
                String::new(),
            );
        }
    }
    let body = "  %a = load i32, ptr %in\n  store i32 %a, ptr %out, align 16\n  %b = and i32 %a, 255\n  %r = cmpxchg ptr %out, i32 %b, i32 77 seq_cst seq_cst
  %o = extractvalue { i32, i1 } %r, 0\n  %s = extractvalue { i32, i1 } %r, 1\n";
    let body = format!("{body}{}{}", store("i32", "o", 8), store("i1", "s", 16));
    cases.add("instruction cmpxchg", Run::Both, body, String::new());
}

/// The strings of assembly that are known: results, operands, and the inputs of the function that these are.
fn assembly(cases: &mut Cases) {
    let two: &[&str] = &["i64", "i64"];
    let four: &[&str] = &["i64", "i64", "i64", "i64"];
    let (pair, short) = ("{ i64, i64 }", "{ i32, i32 }");
    let table = [
        ("", "=r,0", &["i64"][..], "i64"),
        ("nop", "=r,0", &["i32"], "i32"),
        ("pause", "=r,0", &["i32"], "i32"),
        ("mulq $3", "={ax},={dx},{ax},r", two, pair),
        ("mulq $3", "={dx},={ax},{ax},r", two, pair),
        ("mull $3", "={ax},={dx},{ax},r", &["i32", "i32"], short),
        ("addq $5,$1\\0Aadcq $3,$0", "=r,=&r,0,r,1,r", four, pair),
        ("subq $5,$1\\0Asbbq $3,$0", "=r,=&r,0,r,1,r", four, pair),
        (
            "addl $5,$1\\0Aadcl $3,$0",
            "=r,=&r,0,r,1,r",
            &["i32"; 4],
            short,
        ),
        ("bsrq $1,$0", "=r,r", &["i64"], "i64"),
        ("bsfl $1,$0", "=r,r", &["i32"], "i32"),
        ("bswap $0", "=r,0", &["i64"], "i64"),
        ("bswapl $0", "=r,0", &["i32"], "i32"),
        ("rorw $$8, ${0:w}", "=r,0", &["i16"], "i16"),
        ("roll %cl,$0", "=r,0,{cx}", &["i32", "i32"], "i32"),
        ("xchgb ${0:b},${0:h}", "=Q,0", &["i32"], "i32"),
    ];
    for (text, constraints, operands, result) in table {
        let mut body = String::new();
        let mut args = Vec::new();
        for (i, ty) in operands.iter().enumerate() {
            body += &load(ty, &format!("a{i}"), 3 * i / operands.len());
            // What a count of zeros of zero gives is left open.
            let bit = u8::from(text.starts_with("bs") && !text.starts_with("bswap"));
            let _ = writeln!(body, "  %x{i} = or {ty} %a{i}, {bit}");
            args.push(format!("{ty} %x{i}"));
        }
        let _ = writeln!(
            body,
            "  %r = call {result} asm \"{text}\", \"{constraints},~{{cc}}\"({})",
            args.join(", ")
        );
        if result.starts_with('{') {
            let ty = operands[0];
            let _ = write!(
                body,
                "  %r0 = extractvalue {result} %r, 0\n  %r1 = extractvalue {result} %r, 1\n{}{}",
                store(ty, "r0", 0),
                store(ty, "r1", 16)
            );
        } else {
            body += &store(result, "r", 0);
        }
        let run = if text.starts_with("mul") {
            Run::Concrete
        } else {
            Run::Both
        };
        cases.add(&format!("assembly `{text}`"), run, body, String::new());
    }
}

/// What operands are made of: 16 bytes each.
fn operand(random: &mut Random) -> [u8; 16] {
    let low = |bytes: &[u8]| {
        let mut all = [0; 16];
        all[..bytes.len()].copy_from_slice(bytes);
        all
    };
    let float = |random: &mut Random| {
        random.pick(&[
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            -0.5,
            1.5,
            2.5,
            -2.5,
            127.0,
            128.0,
            -129.0,
            255.9,
            65536.0,
            2147483648.0,
            -2147483649.0,
            4294967296.0,
            9.3e18,
            -9.3e18,
            1.9e19,
            1e20,
            1e38,
            2e38,
            -1e300,
            1e-310,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            0.1,
            1e7,
            4503599627370497.5,
        ])
    };
    match random.below(8) {
        0 => [0; 16],
        1 => [0xff; 16],
        2 => {
            // The ends of some width.
            let w = random.pick(&[7, 8, 13, 16, 31, 32, 33, 64, 65, 128]);
            let top = 1u128 << (w - 1);
            random.pick(&[top, top - 1, top + 1, top - 2]).to_le_bytes()
        }
        3 => low(&[random.pick(&[1, 2, 3, 5, 7, 8, 31, 33, 64, 127])]),
        4 | 5 => {
            let lanes = [float(random), float(random)].map(f64::to_le_bytes);
            lanes.concat().try_into().expect("16 bytes")
        }
        6 => {
            let lanes = [0; 4].map(|_| (float(random) as f32).to_le_bytes());
            lanes.concat().try_into().expect("16 bytes")
        }
        _ => [random.next(), random.next()]
            .map(u64::to_le_bytes)
            .concat()
            .try_into()
            .expect("16 bytes"),
    }
}

fn inputs() -> Vec<Vec<u8>> {
    let mut random = Random::new(35);
    (0..INPUTS)
        .map(|_| (0..IN / 16).flat_map(|_| operand(&mut random)).collect())
        .collect()
}

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

#[test]
fn what_has_no_meaning_here_ends_the_path_by_its_name() {
    let Some(dir) = engine!("named") else { return };
    // The instructions, and what is said of them.
    let ends = [
        (
            "call void @llvm.trap()",
            "declare void @llvm.trap()",
            "abort: a trap was reached",
        ),
        (
            "call void @llvm.debugtrap()",
            "declare void @llvm.debugtrap()",
            "abort: a trap was reached",
        ),
        (
            "call void @llvm.ubsantrap(i8 3)",
            "declare void @llvm.ubsantrap(i8)",
            "abort: a trap was reached",
        ),
        (
            "call i32 @llvm.eh.typeid.for.p0(ptr null)",
            "declare i32 @llvm.eh.typeid.for.p0(ptr)",
            "not supported: exception handling",
        ),
        (
            "call i64 @llvm.readcyclecounter()",
            "declare i64 @llvm.readcyclecounter()",
            "not supported: intrinsic llvm.readcyclecounter",
        ),
        (
            "call void @llvm.set.rounding(i32 1)",
            "declare void @llvm.set.rounding(i32)",
            "not supported: intrinsic llvm.set.rounding",
        ),
        (
            "call ptr @llvm.frameaddress.p0(i32 1)",
            "declare ptr @llvm.frameaddress.p0(i32)",
            "not supported: intrinsic llvm.frameaddress.p0 of a caller",
        ),
        (
            "call ptr @llvm.returnaddress(i32 1)",
            "declare ptr @llvm.returnaddress(i32)",
            "not supported: intrinsic llvm.returnaddress of a caller",
        ),
        (
            "call <2 x double> @llvm.sin.v2f64(<2 x double> %v)",
            "declare <2 x double> @llvm.sin.v2f64(<2 x double>)",
            "not supported: intrinsic llvm.sin.v2f64",
        ),
        (
            "call { double, i32 } @llvm.frexp.f64.i32(double %d)",
            "declare { double, i32 } @llvm.frexp.f64.i32(double)",
            "not supported: intrinsic llvm.frexp.f64.i32",
        ),
        (
            "call i1 @llvm.is.fpclass.f80(x86_fp80 %l, i32 16)",
            "declare i1 @llvm.is.fpclass.f80(x86_fp80, i32)",
            "not supported: intrinsic llvm.is.fpclass on a wide float",
        ),
        (
            "call float @llvm.vector.reduce.fmaximum.v4f32(<4 x float> zeroinitializer)",
            "declare float @llvm.vector.reduce.fmaximum.v4f32(<4 x float>)",
            "not supported: intrinsic llvm.vector.reduce.fmaximum.v4f32",
        ),
        (
            "call <4 x i32> @llvm.x86.sse2.pmadd.wd(<8 x i16> zeroinitializer, <8 x i16> zeroinitializer)",
            "declare <4 x i32> @llvm.x86.sse2.pmadd.wd(<8 x i16>, <8 x i16>)",
            "not supported: intrinsic llvm.x86.sse2.pmadd.wd",
        ),
        (
            "call i64 @llvm.coro.size.i64()",
            "declare i64 @llvm.coro.size.i64()",
            "not supported: intrinsic llvm.coro.size.i64",
        ),
        (
            "call i8 asm \"rdrand $0\", \"=r\"()",
            "",
            "not supported: inline assembly `rdrand $0`",
        ),
        (
            "fptosi double 1.0e10 to i200",
            "",
            "not supported: conversion of a float to i200",
        ),
    ];
    let mut text = String::from(
        "target triple = \"x86_64-pc-linux-gnu\"\ndeclare void @klee_make_symbolic(ptr, i64, ptr)\n@kept = global [64 x i8] zeroinitializer\n@x = private constant [2 x i8] c\"x\\00\"\n",
    );
    let mut switch = String::new();
    for (n, (instruction, declaration, _)) in ends.iter().enumerate() {
        let ty = match instruction.strip_prefix("call ") {
            Some(call) => call
                .split(" @")
                .next()
                .and_then(|t| t.split(" asm").next())
                .expect("a type"),
            None => "i200",
        };
        // No pass takes a result away that is used, and none knows the operand.
        let (stored, kept) = match ty {
            "void" => ("", String::new()),
            _ => ("%r = ", format!("  store {ty} %r, ptr @kept\n")),
        };
        let instruction = instruction.replace("fptosi double 1.0e10", "fptosi double %d");
        let _ = write!(
            text,
            "{declaration}\ndefine void @end_{n}(double %d) {{\n  %v = insertelement <2 x double> zeroinitializer, double %d, i32 0\n  %l = load x86_fp80, ptr @kept\n  {stored}{instruction}\n{kept}  ret void\n}}\n"
        );
        let _ = writeln!(switch, "    i8 {n}, label %l{n}");
    }
    let _ = write!(
        text,
        "define i32 @main() {{\n  %n = alloca i8\n  call void @klee_make_symbolic(ptr %n, i64 1, ptr @x)\n  %v = load i8, ptr %n\n  %d = uitofp i8 %v to double\n  switch i8 %v, label %done [\n{switch}  ]\n"
    );
    for n in 0..ends.len() {
        let _ = write!(
            text,
            "l{n}:\n  call void @end_{n}(double %d)\n  br label %done\n"
        );
    }
    text += "done:\n  ret i32 0\n}\n";
    dir.write("ends.ll", text);
    run(
        &dir,
        "clang-19",
        &["-O0", "-w", "-emit-llvm", "-c", "ends.ll", "-o", "ends.bc"],
    );
    let ran = dir.polypath(["run", "ends.bc", "--time", "60", "--out", "out"]);
    for (instruction, _, words) in ends {
        assert!(
            ran.stderr.contains(words),
            "{instruction}: {words} is not in\n{}",
            ran.stderr
        );
    }
    assert!(
        ran.stderr.contains("not everything was explored"),
        "{}",
        ran.stderr
    );
}
