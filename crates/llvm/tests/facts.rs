//! No fact from which a pass could conclude reaches the passes: a module that has each of them, and what is left.

use polypath_llvm::{LowerOptions, lower_program};

const MODULE: &str = r#"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-musl"
@one = internal global [1 x i32] [i32 7]
@zeros = internal constant [4 x i32] zeroinitializer
declare noalias nonnull align 16 dereferenceable(4) ptr @make(i64 noundef) allockind("alloc,uninitialized") allocsize(0) memory(inaccessiblemem: readwrite) "alloc-family"="malloc"
declare i32 @pure(ptr nocapture readonly) memory(argmem: read) willreturn nosync nofree mustprogress speculatable
declare void @llvm.assume(i1)
declare void @llvm.experimental.noalias.scope.decl(metadata)
declare ptr @llvm.launder.invariant.group.p0(ptr)
define noundef range(i32 0, 5) i32 @main(i32 noundef range(i32 0, 9) %n, ptr nonnull noalias dereferenceable(8) align 8 %p) mustprogress willreturn memory(readwrite) "no-nans-fp-math"="true" {
  %sum = add nsw nuw i32 %n, 1
  %product = mul nsw i32 %sum, 3
  %difference = sub nuw i32 %product, 3
  %shifted = shl nsw nuw i32 %difference, %n
  %half = lshr exact i32 %shifted, 1
  %quarter = ashr exact i32 %half, %n
  %part = udiv exact i32 %quarter, 3
  %both = or disjoint i32 %part, 8
  %wide = zext nneg i32 %both to i64
  %narrow = trunc nsw nuw i64 %wide to i32
  %at = getelementptr inbounds nuw i8, ptr %p, i64 %wide
  %float = uitofp nneg i32 %narrow to double
  %more = fadd fast double %float, 1.0
  %int = fptosi double %more to i32
  %c = icmp eq i32 %int, 3
  call void @llvm.assume(i1 %c)
  call void @llvm.experimental.noalias.scope.decl(metadata !7)
  %same = call ptr @llvm.launder.invariant.group.p0(ptr %at)
  %v = load i32, ptr %same, align 4, !tbaa !1, !range !4, !noundef !5, !invariant.load !5, !alias.scope !7
  %q = load ptr, ptr %p, align 8, !nonnull !5, !dereferenceable !6, !align !6, !noalias !7
  store i32 %v, ptr %q, align 4, !tbaa !1
  %made = call noalias nonnull ptr @make(i64 noundef %wide)
  %r = call range(i32 0, 2) i32 @pure(ptr nonnull noundef %made) memory(none) willreturn
  %slot = getelementptr inbounds [1 x i32], ptr @one, i64 0, i64 %wide
  %first = load i32, ptr %slot
  %z = getelementptr inbounds [4 x i32], ptr @zeros, i64 0, i64 %wide
  %zero = load i32, ptr %z
  %s1 = add i32 %r, %first
  %s2 = add i32 %s1, %zero
  ret i32 %s2
}
!1 = !{!2, !2, i64 0}
!2 = !{!"int", !3, i64 0}
!3 = !{!"root"}
!4 = !{i32 0, i32 10}
!5 = !{}
!6 = !{i64 8}
!7 = !{!8}
!8 = !{!8, !9}
!9 = !{!9}
"#;

/// Words of textual IR that say something a pass could use.
const FACTS: [&str; 46] = [
    " nsw",
    " nuw",
    " exact",
    " disjoint",
    " nneg",
    " inbounds",
    " nusw",
    " fast ",
    " nnan ",
    "!tbaa",
    "!range",
    "!noundef",
    "!invariant.load",
    "!alias.scope",
    "!noalias",
    "!nonnull",
    "!dereferenceable",
    "!align",
    "!llvm.loop",
    "nonnull",
    "noundef",
    "dereferenceable",
    " range(",
    "noalias",
    "nocapture",
    "readonly",
    "readnone",
    "writeonly",
    "returned",
    "willreturn",
    "mustprogress",
    "nosync",
    "nofree",
    "speculatable",
    "allockind",
    "allocsize",
    "alloc-family",
    "memory(argmem",
    "memory(none) willreturn",
    "memory(inaccessiblemem: readwrite) \"",
    "@llvm.assume",
    "noalias.scope",
    "invariant.group",
    "no-nans",
    " fptosi",
    " poison",
];

fn emitted(passes: &str) -> String {
    let place = std::env::temp_dir().join(format!(
        "polypath-facts-{}-{}",
        std::process::id(),
        passes.len()
    ));
    std::fs::create_dir_all(&place).expect("a folder");
    let (input, output) = (place.join("in.ll"), place.join("out.ll"));
    std::fs::write(&input, MODULE).expect("a module");
    let lowered = lower_program(&LowerOptions {
        inputs: vec![input],
        passes: Some(passes.into()),
        emit_llvm: Some(output.clone()),
        ..LowerOptions::default()
    });
    lowered.unwrap_or_else(|e| panic!("{e}"));
    let text = std::fs::read_to_string(&output).expect("the module after the passes");
    let _ = std::fs::remove_dir_all(place);
    text
}

/// What is not about our own marks, whose effects we know.
fn of_the_program(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|l| {
        !["attributes #", "declare", ";"]
            .iter()
            .any(|p| l.starts_with(p))
    })
}

#[test]
fn no_fact_reaches_the_passes() {
    let text = emitted("verify");
    for line in of_the_program(&text) {
        for fact in FACTS {
            assert!(!line.contains(fact), "{fact} in {line}\n{text}");
        }
    }
    // Of declarations, too, but those of marks and of LLVM itself.
    let declared = |name: &str| {
        let line = text
            .lines()
            .find(|l| l.starts_with("declare") && l.contains(name));
        line.unwrap_or_else(|| panic!("{name} in\n{text}"))
            .to_string()
    };
    assert_eq!(declared("@make"), "declare ptr @make(i64)");
    assert_eq!(declared("@pure"), "declare i32 @pure(ptr)");
}

/// Whatever passes run: an index into one element stays one, and a table of zeros is read.
#[test]
fn no_pass_sees_what_an_access_that_can_fail_leads_to() {
    for passes in [
        polypath_llvm::passes::CLEAN_UP,
        "default<O1>",
        "default<O2>",
        "default<O3>",
        "default<Os>",
    ] {
        let text = emitted(passes);
        for access in ["@one, i64 0, i64 %", "@zeros, i64 0, i64 %"] {
            let other = access.replace("i64 0, ", "");
            assert!(
                text.contains(access) || text.contains(&other),
                "{passes}: {access}\n{text}"
            );
        }
        assert_eq!(
            text.matches("load volatile i32").count(),
            3,
            "{passes}\n{text}"
        );
    }
}
