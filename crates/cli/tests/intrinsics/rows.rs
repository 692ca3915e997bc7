//! The cases of each row of the table, of instructions beside them, and of assembly.

use super::cases::{Cases, FLOATS, Run, VECTORS, WIDTHS, bits, load, mangled, store};
use std::fmt::Write as _;

pub fn integers(cases: &mut Cases, row: &str, operands: usize, run: Run) {
    let widths = WIDTHS.map(|w| format!("i{w}"));
    let types = widths.iter().map(String::as_str).chain(VECTORS);
    for ty in types {
        let operands = vec![ty; operands];
        cases.call(row, run, ty, &operands, &format!(".{}", mangled(ty)), "");
    }
}

/// The cases of a row.
#[allow(clippy::too_many_lines)] // a table
pub fn cases_of(cases: &mut Cases, row: &str) {
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
        "eh" | "eh.typeid.for" | "trap" | "debugtrap" | "ubsantrap" => {} // they end the path: see below
        _ => panic!("the row `{row}` of the table of intrinsics has no case here"),
    }
}

/// Whether the result is that of the function, bit for bit.
pub fn libm(cases: &mut Cases, row: &str, ty: &str, operands: usize) {
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
pub fn instructions(cases: &mut Cases) {
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
pub fn assembly(cases: &mut Cases) {
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
