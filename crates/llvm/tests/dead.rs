//! No pass may delete an access that can fail: each instruction and each intrinsic of LLVM that touches
//! memory, in a place where nothing needs its result.
//!
//! The list of intrinsics is LLVM's own. One whose name speaks of memory must stand in [`INTRINSICS`]: with a call
//! that is lowered, and must leave an access (or be refused by name); or as one that accesses nothing.

use ir::{Inst, Verified};
use polypath_llvm::{LowerOptions, lower_program};
use std::sync::atomic::{AtomicU32, Ordering};

const HEAD: &str = "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n\
                    target triple = \"x86_64-unknown-linux-musl\"\n";

/// Lowers a program whose `main` gets the pointers %p and %q and has this body.
fn lower(body: &str, declarations: &str) -> Verified {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let input =
        std::env::temp_dir().join(format!("polypath-dead-{}-{number}.ll", std::process::id()));
    let text = format!(
        "{HEAD}define i32 @main(ptr %p, ptr %q, i64 %n) {{\n  {body}\n  ret i32 0\n}}\n{declarations}\n"
    );
    std::fs::write(&input, &text).unwrap();
    let module = lower_program(&LowerOptions {
        inputs: vec![input.clone()],
        ..LowerOptions::default()
    });
    let _ = std::fs::remove_file(input);
    module.unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// What is left of the body.
#[derive(Debug, PartialEq)]
enum Left {
    /// So many instructions that access memory.
    Accesses(usize),
    Refused(String),
}

fn left(m: &Verified) -> Left {
    let mut count = 0;
    for inst in &m.code {
        match inst {
            Inst::Unsupported { what } => return Left::Refused(m.strings[*what as usize].clone()),
            Inst::Load { .. }
            | Inst::Store { .. }
            | Inst::LoadIndex { .. }
            | Inst::StoreIndex { .. }
            | Inst::LoadOffset { .. }
            | Inst::StoreOffset { .. }
            | Inst::MemCopy { .. }
            | Inst::MemMove { .. }
            | Inst::MemSet { .. } => count += 1,
            Inst::CallSite { site } => {
                let va_start = |e: ir::ExternId| m.externs[e as usize] == "__polypath_va_start";
                let target = m.call_sites[*site as usize].target;
                count += usize::from(matches!(target, ir::Target::Extern(e) if va_start(e)));
            }
            _ => {}
        }
    }
    Left::Accesses(count)
}

/// An intrinsic that touches memory.
enum Case {
    /// Arguments and type of a dead call, and how many accesses stay of it at least.
    Access(&'static str, &'static str, usize),
    /// The same; it is refused by name.
    Refused(&'static str, &'static str),
    /// It accesses no memory of the program.
    Nothing,
}

use Case::{Access, Nothing, Refused};

/// Intrinsics by the part of their name that is before the types.
const INTRINSICS: &[(&str, Case)] = &[
    (
        "llvm.memcpy",
        Access(
            "void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)",
            "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
            1,
        ),
    ),
    (
        "llvm.memcpy.inline",
        Access(
            "void @llvm.memcpy.inline.p0.p0.i64(ptr %p, ptr %q, i64 24, i1 false)",
            "declare void @llvm.memcpy.inline.p0.p0.i64(ptr, ptr, i64, i1)",
            1,
        ),
    ),
    (
        "llvm.memcpy.element.unordered.atomic",
        Access(
            "void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr align 4 %p, ptr align 4 %q, i64 24, i32 4)",
            "declare void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr, ptr, i64, i32)",
            1,
        ),
    ),
    (
        "llvm.memmove",
        Access(
            "void @llvm.memmove.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)",
            "declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)",
            1,
        ),
    ),
    (
        "llvm.memmove.element.unordered.atomic",
        Access(
            "void @llvm.memmove.element.unordered.atomic.p0.p0.i64(ptr align 4 %p, ptr align 4 %q, i64 24, i32 4)",
            "declare void @llvm.memmove.element.unordered.atomic.p0.p0.i64(ptr, ptr, i64, i32)",
            1,
        ),
    ),
    (
        "llvm.memset",
        Access(
            "void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %n, i1 false)",
            "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
            1,
        ),
    ),
    (
        "llvm.memset.inline",
        Access(
            "void @llvm.memset.inline.p0.i64(ptr %p, i8 0, i64 24, i1 false)",
            "declare void @llvm.memset.inline.p0.i64(ptr, i8, i64, i1)",
            1,
        ),
    ),
    (
        "llvm.memset.element.unordered.atomic",
        Access(
            "void @llvm.memset.element.unordered.atomic.p0.i64(ptr align 4 %p, i8 0, i64 24, i32 4)",
            "declare void @llvm.memset.element.unordered.atomic.p0.i64(ptr, i8, i64, i32)",
            1,
        ),
    ),
    (
        "llvm.masked.load",
        Access(
            "<2 x i32> @llvm.masked.load.v2i32.p0(ptr %p, i32 4, <2 x i1> <i1 true, i1 true>, <2 x i32> zeroinitializer)",
            "declare <2 x i32> @llvm.masked.load.v2i32.p0(ptr, i32, <2 x i1>, <2 x i32>)",
            1,
        ),
    ),
    (
        "llvm.masked.store",
        Access(
            "void @llvm.masked.store.v2i32.p0(<2 x i32> <i32 1, i32 2>, ptr %p, i32 4, <2 x i1> <i1 true, i1 false>)",
            "declare void @llvm.masked.store.v2i32.p0(<2 x i32>, ptr, i32, <2 x i1>)",
            1,
        ),
    ),
    (
        "llvm.masked.gather",
        Refused(
            "<2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr> zeroinitializer, i32 4, <2 x i1> <i1 true, i1 true>, <2 x i32> zeroinitializer)",
            "declare <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr>, i32, <2 x i1>, <2 x i32>)",
        ),
    ),
    (
        "llvm.masked.scatter",
        Refused(
            "void @llvm.masked.scatter.v2i32.v2p0(<2 x i32> zeroinitializer, <2 x ptr> zeroinitializer, i32 4, <2 x i1> <i1 true, i1 true>)",
            "declare void @llvm.masked.scatter.v2i32.v2p0(<2 x i32>, <2 x ptr>, i32, <2 x i1>)",
        ),
    ),
    (
        "llvm.masked.expandload",
        Refused(
            "<2 x i32> @llvm.masked.expandload.v2i32(ptr %p, <2 x i1> <i1 true, i1 true>, <2 x i32> zeroinitializer)",
            "declare <2 x i32> @llvm.masked.expandload.v2i32(ptr, <2 x i1>, <2 x i32>)",
        ),
    ),
    (
        "llvm.masked.compressstore",
        Refused(
            "void @llvm.masked.compressstore.v2i32(<2 x i32> zeroinitializer, ptr %p, <2 x i1> <i1 true, i1 true>)",
            "declare void @llvm.masked.compressstore.v2i32(<2 x i32>, ptr, <2 x i1>)",
        ),
    ),
    (
        "llvm.vp.load",
        Refused(
            "<2 x i32> @llvm.vp.load.v2i32.p0(ptr %p, <2 x i1> <i1 true, i1 true>, i32 2)",
            "declare <2 x i32> @llvm.vp.load.v2i32.p0(ptr, <2 x i1>, i32)",
        ),
    ),
    (
        "llvm.vp.store",
        Refused(
            "void @llvm.vp.store.v2i32.p0(<2 x i32> zeroinitializer, ptr %p, <2 x i1> <i1 true, i1 true>, i32 2)",
            "declare void @llvm.vp.store.v2i32.p0(<2 x i32>, ptr, <2 x i1>, i32)",
        ),
    ),
    (
        "llvm.vp.gather",
        Refused(
            "<2 x i32> @llvm.vp.gather.v2i32.v2p0(<2 x ptr> zeroinitializer, <2 x i1> <i1 true, i1 true>, i32 2)",
            "declare <2 x i32> @llvm.vp.gather.v2i32.v2p0(<2 x ptr>, <2 x i1>, i32)",
        ),
    ),
    (
        "llvm.vp.scatter",
        Refused(
            "void @llvm.vp.scatter.v2i32.v2p0(<2 x i32> zeroinitializer, <2 x ptr> zeroinitializer, <2 x i1> <i1 true, i1 true>, i32 2)",
            "declare void @llvm.vp.scatter.v2i32.v2p0(<2 x i32>, <2 x ptr>, <2 x i1>, i32)",
        ),
    ),
    (
        "llvm.experimental.vp.strided.load",
        Refused(
            "<2 x i32> @llvm.experimental.vp.strided.load.v2i32.p0.i64(ptr %p, i64 8, <2 x i1> <i1 true, i1 true>, i32 2)",
            "declare <2 x i32> @llvm.experimental.vp.strided.load.v2i32.p0.i64(ptr, i64, <2 x i1>, i32)",
        ),
    ),
    (
        "llvm.experimental.vp.strided.store",
        Refused(
            "void @llvm.experimental.vp.strided.store.v2i32.p0.i64(<2 x i32> zeroinitializer, ptr %p, i64 8, <2 x i1> <i1 true, i1 true>, i32 2)",
            "declare void @llvm.experimental.vp.strided.store.v2i32.p0.i64(<2 x i32>, ptr, i64, <2 x i1>, i32)",
        ),
    ),
    (
        "llvm.matrix.column.major.load",
        Refused(
            "<4 x double> @llvm.matrix.column.major.load.v4f64.i64(ptr %p, i64 2, i1 false, i32 2, i32 2)",
            "declare <4 x double> @llvm.matrix.column.major.load.v4f64.i64(ptr, i64, i1, i32, i32)",
        ),
    ),
    (
        "llvm.matrix.column.major.store",
        Refused(
            "void @llvm.matrix.column.major.store.v4f64.i64(<4 x double> zeroinitializer, ptr %p, i64 2, i1 false, i32 2, i32 2)",
            "declare void @llvm.matrix.column.major.store.v4f64.i64(<4 x double>, ptr, i64, i1, i32, i32)",
        ),
    ),
    (
        "llvm.experimental.vector.histogram.add",
        Refused(
            "void @llvm.experimental.vector.histogram.add.v2p0.i32(<2 x ptr> zeroinitializer, i32 1, <2 x i1> <i1 true, i1 true>)",
            "declare void @llvm.experimental.vector.histogram.add.v2p0.i32(<2 x ptr>, i32, <2 x i1>)",
        ),
    ),
    // Since LLVM 21.
    (
        "llvm.experimental.vector.histogram.uadd.sat",
        Refused(
            "void @llvm.experimental.vector.histogram.uadd.sat.v2p0.i32(<2 x ptr> zeroinitializer, i32 1, <2 x i1> <i1 true, i1 true>)",
            "declare void @llvm.experimental.vector.histogram.uadd.sat.v2p0.i32(<2 x ptr>, i32, <2 x i1>)",
        ),
    ),
    (
        "llvm.experimental.vector.histogram.umax",
        Refused(
            "void @llvm.experimental.vector.histogram.umax.v2p0.i32(<2 x ptr> zeroinitializer, i32 1, <2 x i1> <i1 true, i1 true>)",
            "declare void @llvm.experimental.vector.histogram.umax.v2p0.i32(<2 x ptr>, i32, <2 x i1>)",
        ),
    ),
    (
        "llvm.experimental.vector.histogram.umin",
        Refused(
            "void @llvm.experimental.vector.histogram.umin.v2p0.i32(<2 x ptr> zeroinitializer, i32 1, <2 x i1> <i1 true, i1 true>)",
            "declare void @llvm.experimental.vector.histogram.umin.v2p0.i32(<2 x ptr>, i32, <2 x i1>)",
        ),
    ),
    // Since LLVM 20.
    (
        "llvm.experimental.memset.pattern",
        Refused(
            "void @llvm.experimental.memset.pattern.p0.i32.i64(ptr %p, i32 1, i64 %n, i1 false)",
            "declare void @llvm.experimental.memset.pattern.p0.i32.i64(ptr, i32, i64, i1)",
        ),
    ),
    // Since LLVM 22.
    (
        "llvm.vp.load.ff",
        Refused(
            "{ <2 x i32>, i32 } @llvm.vp.load.ff.v2i32.p0(ptr %p, <2 x i1> <i1 true, i1 true>, i32 2)",
            "declare { <2 x i32>, i32 } @llvm.vp.load.ff.v2i32.p0(ptr, <2 x i1>, i32)",
        ),
    ),
    (
        "llvm.load.relative",
        Access(
            "ptr @llvm.load.relative.i64(ptr %p, i64 %n)",
            "declare ptr @llvm.load.relative.i64(ptr, i64)",
            1,
        ),
    ),
    (
        "llvm.va_copy",
        Access(
            "void @llvm.va_copy.p0(ptr %p, ptr %q)",
            "declare void @llvm.va_copy.p0(ptr, ptr)",
            1,
        ),
    ),
    ("llvm.stackrestore", Nothing),
    ("llvm.type.checked.load", Nothing), // tables of virtual functions, under link-time optimization only
    ("llvm.type.checked.load.relative", Nothing),
];

/// Words by which an intrinsic's name speaks of memory.
const WORDS: [&str; 9] = [
    "memcpy",
    "memmove",
    "memset",
    "load",
    "store",
    "gather",
    "scatter",
    "va_copy",
    "histogram",
];

/// The names of LLVM's intrinsics that belong to no processor.
fn intrinsics() -> Vec<String> {
    let mut names = Vec::new();
    for id in 1.. {
        let mut length = 0;
        // SAFETY: identifiers count from 1; those of processors stand behind the others, and we stop there.
        let name = unsafe {
            let name = llvm_sys::core::LLVMIntrinsicGetName(id, &mut length);
            std::slice::from_raw_parts(name.cast::<u8>(), length)
        };
        let name = String::from_utf8_lossy(name).into_owned();
        if name.starts_with("llvm.aarch64.") {
            break;
        }
        // Those are calls of the Objective-C run time.
        if !name.starts_with("llvm.objc.") {
            names.push(name);
        }
    }
    names
}

#[test]
fn each_memory_intrinsic_of_llvm_stays_where_it_is_dead() {
    polypath_llvm::libllvm::opened().unwrap();
    let names = intrinsics();
    assert!(names.len() > 300, "{}", names.len());
    let known = |name: &str| INTRINSICS.iter().find(|(n, _)| *n == name).map(|(_, c)| c);
    let mut tried = 0;
    for name in names.iter().filter(|n| WORDS.iter().any(|w| n.contains(w))) {
        let case = known(name).unwrap_or_else(|| panic!("{name} is not in the table"));
        let (call, declaration) = match case {
            Access(call, declaration, _) | Refused(call, declaration) => (call, declaration),
            Nothing => continue,
        };
        tried += 1;
        let found = left(&lower(&format!("call {call}"), declaration));
        match (case, &found) {
            (Access(_, _, least), Left::Accesses(n)) => assert!(n >= least, "{name}: {n}"),
            // A pass may have made plain accesses of it (a gather from one place is a load).
            (Refused(..), Left::Accesses(n)) => assert!(*n >= 1, "{name}: {n}"),
            (_, Left::Refused(what)) => {
                assert!(what.contains(name.as_str()), "{name}: {what}")
            }
            (Nothing, _) => unreachable!("passed over above"),
        }
    }
    assert!(tried >= 20, "{tried}");
}

#[test]
fn each_memory_instruction_stays_where_it_is_dead() {
    let cases = [
        ("%x = load i32, ptr %p", 1),
        ("%x = load i128, ptr %p", 2),
        ("%x = load <4 x i32>, ptr %p", 1),
        ("%x = load {i32, i64}, ptr %p", 2),
        ("%x = load atomic i32, ptr %p unordered, align 4", 1),
        ("%x = load atomic i32, ptr %p seq_cst, align 4", 1),
        ("%x = load volatile i32, ptr %p", 1),
        ("store i32 1, ptr %p", 1),
        ("store <2 x i64> zeroinitializer, ptr %p", 2),
        ("store atomic i32 1, ptr %p unordered, align 4", 1),
        ("store i32 1, ptr %p\n  store i32 2, ptr %p", 2),
        ("%x = load i32, ptr %p\n  store i32 %x, ptr %p", 2),
        ("%x = atomicrmw add ptr %p, i32 0 monotonic", 2),
        ("%x = atomicrmw xchg ptr %p, i32 0 seq_cst", 2),
        ("%x = cmpxchg ptr %p, i32 0, i32 1 monotonic monotonic", 2),
        (
            "%a = alloca [4 x i32]\n  %x = getelementptr i32, ptr %a, i64 %n\n  store i32 1, ptr %x",
            1,
        ),
        (
            "%a = alloca [4 x i32]\n  %x = getelementptr i32, ptr %a, i64 5\n  store i32 1, ptr %x",
            1,
        ),
        ("%x = va_arg ptr %p, i32", 3),
        (
            "%x = load i32, ptr %p\n  %y = load i32, ptr %p\n  %z = sub i32 %x, %y",
            1,
        ),
        (
            "%x = load i32, ptr %p\n  %y = and i32 %x, 0\n  store i32 %y, ptr %q",
            2,
        ),
        (
            "%x = load i1, ptr %p\n  br i1 %x, label %a, label %a\na:",
            1,
        ),
    ];
    for (body, least) in cases {
        match left(&lower(body, "")) {
            Left::Accesses(n) => assert!(n >= least, "{body}: {n}"),
            other => panic!("{body}: {other:?}"),
        }
    }
}

#[test]
fn calls_that_promise_not_to_fail_stay() {
    for promise in [
        "memory(none)",
        "memory(read)",
        "memory(argmem: read)",
        "speculatable memory(none)",
    ] {
        let declaration = format!("declare i32 @f(ptr) nounwind willreturn {promise}");
        let m = lower(
            "%x = call i32 @f(ptr %p)\n  %y = call i32 @f(ptr %p)",
            &declaration,
        );
        let calls = m.code.iter().filter(|i| matches!(i, Inst::CallSite { .. }));
        assert_eq!(calls.count(), 2, "{promise}");
    }
}

#[test]
fn copies_of_variables_still_become_registers() {
    // The copy into the variable goes, and what is left touches all of the source.
    let body = "%s = alloca {i64, i64}\n  call void @llvm.memcpy.p0.p0.i64(ptr %s, ptr %p, i64 16, i1 false)\n  \
                %a = load i64, ptr %s\n  store i64 %a, ptr %q";
    let m = lower(
        body,
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
    );
    let has = |f: fn(&Inst) -> bool| m.code.iter().filter(|i| f(i)).count();
    assert_eq!(
        has(|i| matches!(i, Inst::MemCopy { .. } | Inst::Alloca { .. })),
        0
    );
    assert!(has(|i| matches!(i, Inst::Load { .. } | Inst::LoadOffset { .. })) >= 2);
}
