//! Input that cannot work, as users give it: a clear word, the right exit status, never a crash; and
//! programs that misbehave, which end as findings.

use std::fs;
use std::process::Command;
use testkit::{Place, engine};

fn run(place: &Place, args: &[&str]) -> (i32, String) {
    let ran = place.polypath([&["run"], args].concat());
    (ran.code, ran.stderr)
}

/// Runs and checks the exit status and a word of what is said.
fn says(dir: &Place, args: &[&str], code: i32, words: &str) {
    let (got, said) = run(dir, args);
    assert_eq!(got, code, "{args:?}: {said}");
    assert!(said.contains(words), "{args:?}: {said}");
}

#[test]
fn files_that_are_no_programs_are_told_apart() {
    let Some(dir) = engine!("files") else { return };
    let sh = |script: &str| {
        let mut shell = Command::new("sh");
        let done = shell.args(["-c", script]).current_dir(&dir).status();
        assert!(done.unwrap().success(), "{script}");
    };
    fs::write(dir.join("h.c"), "int main(void) { return 0; }\n").unwrap();
    sh("clang-19 -c -emit-llvm h.c -o h.bc && head -c 700 h.bc >cut.bc && clang-19 -c h.c -o h.o");
    sh("ln -s missing.c dangling.c");
    for (file, code, words) in [
        ("cut.bc", 2, "cut.bc: truncated bitcode"),
        ("h.o", 2, "h.o: no bitcode inside"),
        ("dangling.c", 2, "dangling.c: No such file"),
    ] {
        says(&dir, &[file], code, words);
    }
    assert!(!dir.join("polypath-out-0").exists(), "nothing ran");
}

#[test]
fn bitcode_of_a_newer_llvm_is_named() {
    let Some(dir) = engine!("newer") else { return };
    if !testkit::need("rustc") {
        return;
    }
    fs::write(dir.join("r.rs"), "fn main() {}\n").unwrap();
    let rustc = Command::new("rustc")
        .args(["--emit=llvm-bc", "r.rs", "-o", "r.bc"])
        .current_dir(&dir)
        .status();
    assert!(rustc.expect("rustc starts").success());
    // Its library is in the toolchain, which is not found here.
    let script = "RUSTUP_HOME=$PWD $P run r.bc";
    let ran = dir.shell(script).output().expect("a shell starts");
    let said = String::from_utf8_lossy(&ran.stderr);
    // A rustc whose LLVM the distribution has, too, is refused for another reason or runs.
    if said.contains("bitcode of LLVM") {
        assert_eq!(ran.status.code(), Some(2));
        assert!(said.contains("needs the library of LLVM"), "{said}");
        assert!(
            said.contains("install it (Debian: apt-get install libllvm"),
            "{said}"
        );
    }
}

#[test]
fn programs_that_misbehave_are_findings() {
    let Some(dir) = engine!("programs") else {
        return;
    };
    for (name, source, code, words) in [
        (
            "recursion",
            "int f(int n) { volatile char b[64]; b[0] = n; return f(n + 1) + b[0]; }\nint main(void) { return f(0); }\n",
            1,
            "stack_overflow",
        ),
        (
            "huge",
            "#include <stdlib.h>\nint main(void) { char *p = malloc(10ull << 30); if (!p) return 3; p[0] = 1; p[(10ull << 30) - 1] = 2; return p[5]; }\n",
            0,
            "1 paths complete",
        ),
        (
            "forks",
            "#include <unistd.h>\nint main(void) { for (;;) fork(); }\n",
            4,
            "fork",
        ),
    ] {
        let file = format!("{name}.c");
        fs::write(dir.join(&file), source).unwrap();
        says(&dir, &[&file, "--time", "300", "--out", name], code, words);
    }
}
