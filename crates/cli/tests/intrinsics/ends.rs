//! Rows that end the path.

use super::run;
use std::fmt::Write as _;
use testkit::engine;

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
            "call ptr @llvm.eh.sjlj.lsda()",
            "declare ptr @llvm.eh.sjlj.lsda()",
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
    let ran = dir.polypath(["run", "ends.bc", "--time", "300", "--out", "out"]);
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
