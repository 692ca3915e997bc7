//! Bitcode out of sources, archives and binaries.

use std::path::{Path, PathBuf};
use std::process::Command;

use toolchain::compile::{self, CompileError};
use toolchain::{extract, libc, link, sysroot};

use polypath_toolchain as toolchain;

fn file(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn disassemble(bitcode: &Path) -> String {
    let output = Command::new("llvm-dis-19")
        .arg(bitcode)
        .args(["-o", "-"])
        .output()
        .unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_source_finds_klee_and_libc_headers_and_is_not_optimized() {
    let text = "#include <klee/klee.h>\n#include <stdio.h>\nint main(void) { int x; klee_make_symbolic(&x, sizeof x, \"x\"); return x / N; }\n";
    let source = file("plain.c", text);
    let bitcode = compile::source(&source, &["-DN=2".into()], &mut |_| {}).unwrap();
    let ir = disassemble(&bitcode);
    assert!(
        ir.contains("call void @klee_make_symbolic")
            && ir.contains("alloca")
            && ir.contains("!DILocation"),
        "{ir}"
    );
    assert!(!ir.contains("optnone"), "{ir}");
    assert_ne!(
        bitcode,
        compile::source(&source, &["-DN=2".into()], &mut |_| {}).unwrap(),
        "a file for each call"
    );
}

#[test]
fn warnings_are_passed_on_and_errors_are_the_compilers_own() {
    let mut words = String::new();
    compile::source(
        &file("warn.c", "int main(void) { int *p = 5; return 0; }\n"),
        &[],
        &mut |line| words += line,
    )
    .unwrap();
    assert!(words.contains("incompatible integer to pointer"), "{words}");
    match compile::source(
        &file("bad.c", "int main(void) { return y; }\n"),
        &[],
        &mut |_| {},
    ) {
        Err(CompileError::Compiler(words)) => {
            assert!(words.contains("undeclared identifier 'y'"), "{words}")
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        compile::source(Path::new("x.py"), &[], &mut |_| {}),
        Err(CompileError::UnknownKind(_))
    ));
    assert!(matches!(
        compile::source(Path::new("nowhere.c"), &[], &mut |_| {}),
        Err(CompileError::Io(_))
    ));
}

#[test]
fn textual_ir_and_bitcode_are_sources_too() {
    let text = "define i32 @main() {\n  ret i32 3\n}\n";
    let bitcode = compile::source(&file("text.ll", text), &[], &mut |_| {}).unwrap();
    assert!(disassemble(&bitcode).contains("ret i32 3"));
    assert_eq!(
        compile::source(&bitcode, &[], &mut |_| {}).unwrap(),
        bitcode
    );
    let broken = compile::source(
        &file("broken.ll", "define i32 @main() {\n  ret i64 %x\n}\n"),
        &[],
        &mut |_| {},
    );
    assert!(matches!(broken, Err(CompileError::Compiler(_))));
}

#[test]
fn libc_members_have_bitcode_but_for_the_engines_operations() {
    let archive = libc::archive(&mut |_| {}).unwrap();
    let members = libc::members(&archive).unwrap();
    let has = |name: &str| members.iter().any(|m| m.name == name);
    for name in [
        "printf.o",
        "strcpy.o",
        "qsort.o",
        "__libc_start_main.o",
        "sqrt.o",
        "rt_complex.o",
        "reallocarray.o",
    ] {
        assert!(has(name), "{name} has no bitcode");
    }
    for name in [
        "fenv.o",
        "malloc.o",
        "calloc.o",
        "free.o",
        "memcpy.o",
        "strlen.o",
        "memchr.o",
        "setjmp.o",
        "polypath_syscall.o",
    ] {
        assert!(!has(name), "{name} has bitcode");
    }
    assert!(members.len() > 1200, "{}", members.len());
}

/// The C library's bytes are the same wherever it is built: bitcode names its sources as the compiler was given them.
#[test]
fn bitcode_of_the_c_library_does_not_say_where_it_was_built() {
    let archive = libc::archive(&mut |_| {}).unwrap();
    let members = libc::members(&archive).unwrap();
    for (name, source) in [
        ("rt_complex.o", "rt/complex.c"),
        ("glibc_names.o", "glibc/names.c"),
        ("qsort.o", "src/stdlib/qsort.c"),
    ] {
        let member = members.iter().find(|m| m.name == name).unwrap();
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.bc"));
        std::fs::write(&path, &member.bitcode).unwrap();
        let ir = disassemble(&path);
        let line = ir.lines().find(|l| l.starts_with("source_filename"));
        assert_eq!(
            line,
            Some(format!("source_filename = \"{source}\"").as_str())
        );
    }
}

#[test]
fn string_functions_do_not_read_words() {
    let sysroot = sysroot::ensure(&mut |_| {}).unwrap();
    for name in [
        "stpcpy",
        "strchrnul",
        "strlcpy",
        "stpncpy",
        "memccpy",
        "strlen",
        "memchr",
    ] {
        let text =
            std::fs::read_to_string(sysroot.root.join(format!("src/musl/src/string/{name}.c")))
                .unwrap();
        assert!(
            !text.contains("#ifdef __GNUC__") && text.contains("#if 0"),
            "{name}"
        );
    }
}

#[test]
fn many_modules_link_to_one() {
    let modules: Vec<Vec<u8>> = (0..70)
        .map(|i| {
            let text = format!("define i32 @f{i}() {{\n  ret i32 {i}\n}}\n");
            let bitcode =
                compile::source(&file(&format!("many{i}.ll"), &text), &[], &mut |_| {}).unwrap();
            std::fs::read(bitcode).unwrap()
        })
        .collect();
    assert_eq!(extract::split(&modules.concat()).unwrap().len(), 70);
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join("linked.bc");
    link::link(modules, &output).unwrap();
    let ir = disassemble(&output);
    assert!((0..70).all(|i| ir.contains(&format!("@f{i}("))));
}
