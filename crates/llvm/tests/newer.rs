//! Lowering with the library of LLVM 22: what newer bitcode needs, and the same code as with that of LLVM 19.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const LIBRARY: &str = polypath_llvm::libllvm::FILE_VARIABLE;

/// The library, if it is installed.
fn library() -> Option<PathBuf> {
    let is_there = testkit::need("llvm-22");
    is_there.then(|| testkit::llvm_22().expect("it is installed"))
}

fn lower(input: &Path, library: Option<&Path>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polypath-lower"));
    command.env_remove(LIBRARY);
    if let Some(library) = library {
        command.env(LIBRARY, library);
    }
    command.args(["--check", "div,shift,overflow,bounds", "--print"]);
    command.arg(input).output().unwrap()
}

fn printed(text: &str, name: &str, library: Option<&Path>) -> Result<String, String> {
    let path =
        std::env::temp_dir().join(format!("polypath-newer-{name}-{}.ll", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let output = lower(&path, library);
    std::fs::remove_file(path).unwrap();
    let words = |bytes| String::from_utf8(bytes).unwrap();
    if output.status.success() {
        Ok(words(output.stdout))
    } else {
        Err(words(output.stderr))
    }
}

/// What holds of lowering holds with both libraries: this crate's tests run once more.
#[test]
fn what_holds_of_lowering_holds_with_the_newest_library() {
    let Some(library) = library() else { return };
    let again = Command::new(std::env::current_exe().unwrap())
        .args(["dead::", "facts::", "shapes::", "--test-threads=2"])
        .env(LIBRARY, library)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&again.stdout);
    assert!(again.status.success(), "{said}");
    assert!(!said.contains(" 0 passed"), "{said}");
}

/// The same program in the text of LLVM 22 and of LLVM 19: each pair stands for the same code.
const PAIRS: [(&str, &str); 16] = [
    ("ptr captures(none) %p", "ptr nocapture %p"),
    ("ptr initializes((0, 4)) dead_on_return %q", "ptr %q"),
    (
        "nounwind nocreateundeforpoison memory(errnomem: write)",
        "nounwind",
    ),
    (
        "call void @llvm.lifetime.start.p0(ptr %v)",
        "call void @llvm.lifetime.start.p0(i64 32, ptr %v)",
    ),
    (
        "call void @llvm.lifetime.end.p0(ptr %v)",
        "call void @llvm.lifetime.end.p0(i64 32, ptr %v)",
    ),
    (
        "declare void @llvm.lifetime.start.p0(ptr)",
        "declare void @llvm.lifetime.start.p0(i64, ptr)",
    ),
    (
        "declare void @llvm.lifetime.end.p0(ptr)",
        "declare void @llvm.lifetime.end.p0(i64, ptr)",
    ),
    ("icmp samesign ult", "icmp ult"),
    ("trunc nuw nsw", "trunc"),
    ("getelementptr nuw nusw", "getelementptr"),
    ("ptrtoaddr ptr", "ptrtoint ptr"),
    ("fptrunc fast double", "fptrunc double"),
    (
        "call <2 x i32> @llvm.masked.load.v2i32.p0(ptr align 4 %p, ",
        "call <2 x i32> @llvm.masked.load.v2i32.p0(ptr %p, i32 4, ",
    ),
    (
        "@llvm.masked.load.v2i32.p0(ptr, <2",
        "@llvm.masked.load.v2i32.p0(ptr, i32, <2",
    ),
    ("  call void (...) @llvm.fake.use(i32 %n)\n", ""),
    ("declare void @llvm.fake.use(...)\n", ""),
];

const PROGRAM: &str = r#"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
@table = constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@inner = global ptr getelementptr inrange(0, 8) ([4 x i32], ptr @table, i64 0, i64 1)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
declare <2 x i32> @llvm.masked.load.v2i32.p0(ptr, <2 x i1>, <2 x i32>)
declare void @llvm.fake.use(...)
define i32 @f(ptr captures(none) %p, ptr initializes((0, 4)) dead_on_return %q) nounwind nocreateundeforpoison memory(errnomem: write) {
  %v = alloca [8 x i32]
  call void @llvm.lifetime.start.p0(ptr %v)
  %n = load i32, ptr %p
  call void (...) @llvm.fake.use(i32 %n)
  %less = icmp samesign ult i32 %n, 8
  %short = trunc nuw nsw i32 %n to i8
  %wide = zext i32 %n to i64
  %slot = getelementptr nuw nusw i32, ptr %v, i64 %wide
  store i8 %short, ptr %slot
  store ptr %slot, ptr %q
  %address = ptrtoaddr ptr %q to i64
  %low = trunc i64 %address to i32
  %two = call <2 x i32> @llvm.masked.load.v2i32.p0(ptr align 4 %p, <2 x i1> <i1 true, i1 false>, <2 x i32> zeroinitializer)
  %one = extractelement <2 x i32> %two, i32 0
  %d = load double, ptr %q
  %float = fptrunc fast double %d to float
  store float %float, ptr %q
  %flag = zext i1 %less to i32
  %sum = add i32 %one, %flag
  %all = add i32 %sum, %low
  call void @llvm.lifetime.end.p0(ptr %v)
  switch i32 %n, label %other [ i32 3, label %three
    i32 -7, label %seven ]
three:
  ret i32 %all
seven:
  ret i32 %one
other:
  ret i32 0
}
define i32 @main(i32 %n, ptr %v) {
  %x = call i32 @f(ptr %v, ptr %v)
  ret i32 %x
}
"#;

#[test]
fn what_is_new_in_the_text_of_llvm_22_means_what_it_did_in_that_of_19() {
    let Some(library) = library() else { return };
    let mut older = PROGRAM.to_owned();
    for (new, old) in PAIRS {
        assert!(older.contains(new), "{new}");
        older = older.replace(new, old);
    }
    let new = printed(PROGRAM, "new", Some(&library)).unwrap();
    let old = printed(&older, "old", None).unwrap();
    assert_eq!(new, old);
    assert!(!new.contains("unsupported"), "{new}");
    // Read without it, the text is refused, and the message says what to do.
    let why = printed(PROGRAM, "text", None).unwrap_err();
    assert!(
        why.contains("read as text of LLVM 19; for a newer one give the bitcode"),
        "{why}"
    );
}

/// Operations that came after LLVM 19: one has a meaning, others are named.
#[test]
fn operations_that_are_new_are_lowered_or_named() {
    let Some(library) = library() else { return };
    let main = |body: &str| {
        let text = format!(
            "@s = global i32 0\ndefine i32 @main(i32 %n, ptr %v) {{\n  {body}\n  ret i32 0\n}}\n"
        );
        printed(&text, "operation", Some(&library)).unwrap()
    };
    let subtracts = main("%x = atomicrmw usub_cond ptr %v, i32 %n seq_cst");
    assert!(!subtracts.contains("unsupported"), "{subtracts}");
    let named = [
        (
            "%x = atomicrmw fmaximum ptr %v, float 1.0 seq_cst",
            "atomicrmw fmaximum",
        ),
        (
            "%x = call i32 @main(i32 1, ptr ptrauth (ptr @s, i32 1))",
            "ptrauth (ptr @s, i32 1)",
        ),
    ];
    for (body, name) in named {
        let ir = main(body);
        assert!(ir.contains(name), "{name}: {ir}");
    }
}

/// A producer that is newer than what is installed: which library is missing, and where it comes from.
#[test]
fn a_library_that_is_missing_is_named() {
    let source = std::env::temp_dir().join(format!("polypath-missing-{}", std::process::id()));
    std::fs::create_dir_all(&source).unwrap();
    let (c, bitcode) = (source.join("x.c"), source.join("x.bc"));
    std::fs::write(&c, "int main(void) { return 0; }").unwrap();
    let mut clang = Command::new("clang-19");
    clang
        .args(["-c", "-emit-llvm"])
        .arg(&c)
        .arg("-o")
        .arg(&bitcode);
    assert!(clang.status().unwrap().success());
    let bytes = std::fs::read(&bitcode).unwrap();
    // One bit of the version in the first block.
    let of_version = |major: u32| {
        let changed = (0..256).find_map(|bit| {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            let name = polypath_llvm::producer::producer(&changed)?;
            (polypath_llvm::producer::major_version(&name)? == major).then_some(changed)
        });
        let path = source.join(format!("{major}.bc"));
        std::fs::write(&path, changed.expect("one bit makes it")).unwrap();
        path
    };
    // No build knows this one.
    let why = lower(&of_version(99), None);
    let why = String::from_utf8(why.stderr).unwrap();
    assert!(
        why.contains("LLVM99.1.7 cannot be read (the newest LLVM that this build knows is 22)"),
        "{why}"
    );
    let given = source.join("none.so");
    let why = lower(&bitcode, Some(&given));
    let why = String::from_utf8(why.stderr).unwrap();
    assert!(
        why.contains(&format!("{LIBRARY}: {}", given.display())),
        "{why}"
    );
    std::fs::remove_dir_all(source).unwrap();
}
