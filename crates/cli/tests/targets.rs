//! Fuzz targets: linked with `-fsanitize=fuzzer`, explored without `--entry`, with libFuzzer's words and OSS-Fuzz's build script.

use std::fs;
use testkit::{Place, engine};

/// Reads as many bytes as the fourth one says; it was initialized and is given no null pointer.
const READER: &str = "#include <stddef.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n\
    static int ready;\n\
    int LLVMFuzzerInitialize(int *argc, char ***argv) { ready = *argc; return 0; }\n\
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {\n\
    if (!data || !ready) abort();\n\
    if (size < 5 || memcmp(data, \"CHK\", 3)) return 0;\n\
    size_t n = data[3] & 7; unsigned sum = 0;\n\
    for (size_t i = 0; i < n; i++) sum += data[4 + i];\n\
    return sum == 77; }\n";

/// Ten bytes are needed for the last of its branches.
const DEEP: &str = "#include <stddef.h>\n#include <stdint.h>\n\
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {\n\
    if (size < 10) return 0;\n\
    if (data[0] == 'a') if (data[4] == 'b') if (data[9] == 'c') return -1;\n\
    return 0; }\n";

fn link(dir: &Place, source: &str, flags: &[&str]) {
    dir.write("t.c", source);
    let built = dir.polypath([&["cc", "-g", "t.c", "-o", "t"], flags].concat());
    assert_eq!(built.code, 0, "{}", built.text());
}

#[test]
fn an_over_read_of_a_target_is_found_and_goes_out_as_its_bytes() {
    let Some(dir) = engine!("targets-read") else {
        return;
    };
    link(&dir, READER, &["-fsanitize=fuzzer,address"]);
    let args = "run ./t --max-len 8 --jobs 1 --out out";
    let ran = dir.polypath(args.split(' '));
    assert_eq!(ran.code, 1, "{}", ran.text());
    let errors = dir.json("out/errors.json");
    let errors = errors.as_array().expect("a list");
    assert_eq!(errors.len(), 1, "{}", ran.text());
    assert!(
        ran.text().contains("at the end of the heap object of"),
        "{}",
        ran.text()
    );
    assert!(
        ran.text()
            .contains("everything was explored within this: inputs have up to 8 bytes (--max-len)"),
        "{}",
        ran.text()
    );
    let replayed = dir.polypath(["replay", "out"]).text();
    assert!(replayed.contains("confirmed: asan"), "{replayed}");
    assert!(!replayed.contains("diverge"), "{replayed}");
    let exported = dir.polypath("export out --raw raw".split(' '));
    assert_eq!(exported.code, 0, "{}", exported.text());
    for crash in fs::read_dir(dir.join("raw/crashes")).unwrap() {
        let bytes = fs::read(crash.unwrap().path()).unwrap();
        assert!(bytes.starts_with(b"CHK"), "{bytes:?}");
        assert!(4 + usize::from(bytes[3] & 7) > bytes.len(), "{bytes:?}");
    }
    // The binary takes files and directories as libFuzzer's does.
    let native = |words: &[&str]| {
        let mut command = std::process::Command::new(dir.join("t"));
        let output = command.args(words).current_dir(&*dir).output();
        output.expect("the target runs")
    };
    let whole = native(&["-runs=0", "raw/corpus"]);
    let inputs = fs::read_dir(dir.join("raw/corpus")).unwrap().count();
    let told = String::from_utf8(whole.stderr).unwrap();
    assert!(whole.status.success(), "{told}");
    assert_eq!(told.matches("Running: raw/corpus/").count(), inputs);
    assert!(!native(&["raw/none"]).status.success());
}

#[test]
fn what_a_bound_of_the_length_cuts_off_is_named() {
    let Some(dir) = engine!("targets-bound") else {
        return;
    };
    link(&dir, DEEP, &["-fsanitize=fuzzer"]);
    for (most, covered, strict) in [("4", 1, 4), ("12", 8, 4)] {
        let out = format!("out{most}");
        let args = ["run", "./t", "--jobs", "1", "--strict", "--max-len"];
        let ran = dir.polypath([&args[..], &[most, "--out", &out]].concat());
        assert_eq!(ran.code, strict, "{}", ran.text());
        let stats = dir.json(&format!("{out}/stats.json"));
        assert_eq!(stats["covered_branches"], covered, "{}", ran.text());
        let bound = &stats["bounds"]["input_ends"];
        let expected = format!("inputs have up to {most} bytes (--max-len)");
        assert_eq!(bound.as_str(), Some(&expected[..]));
    }
    // Without a bound short inputs come first, and grow until the branches are covered.
    let ran = dir.polypath("run ./t --jobs 1 --time 20 --out out".split(' '));
    assert_eq!(ran.code, 0, "{}", ran.text());
    let stats = dir.json("out/stats.json");
    assert_eq!(stats["covered_branches"], 8, "{}", ran.text());
    // A program that is none has other words for it.
    dir.write("p.c", "int main(void) { return 0; }\n");
    let refused = dir.polypath("run p.c --max-len 3".split(' '));
    assert_eq!(refused.code, 2);
    assert!(
        refused.text().contains("p.c is no fuzz target"),
        "{}",
        refused.text()
    );
}

#[test]
fn words_of_a_fuzzer_are_answered_by_name() {
    let Some(dir) = engine!("targets-words") else {
        return;
    };
    link(&dir, DEEP, &["-fsanitize=fuzzer"]);
    fs::create_dir_all(dir.join("corpus")).unwrap();
    for dashes in ["", "-- "] {
        let line = format!("run ./t {dashes}-max_len=8 -seed=7 -jobs=1 -merge=1 corpus");
        let refused = dir.polypath(line.split(' '));
        assert_eq!(refused.code, 2, "{}", refused.text());
        for words in [
            "-merge=1 is an option of a fuzzer; polypath export DIR --minimal",
            "corpus is a corpus; here: --seed-input corpus",
            "try: polypath run --max-len 8 --seed 7 --jobs 1 --seed-input corpus ./t",
        ] {
            assert!(
                refused.text().contains(words),
                "{words}: {}",
                refused.text()
            );
        }
    }
    let refused = dir.polypath("run ./t -- x".split(' '));
    assert!(
        refused.text().contains("x: a fuzz target has no arguments"),
        "{}",
        refused.text()
    );
}

#[test]
fn a_target_that_is_not_linked_as_one_is_recognised() {
    let Some(dir) = engine!("targets-hint") else {
        return;
    };
    dir.write("t.c", DEEP);
    let built = dir.polypath("cc t.c -o t".split(' '));
    assert_ne!(built.code, 0);
    assert!(
        built.text().contains("is linked with -fsanitize=fuzzer"),
        "{}",
        built.text()
    );
    let ran = dir.polypath("run t.c".split(' '));
    assert_ne!(ran.code, 0);
    assert!(
        ran.text().contains("`polypath cc -fsanitize=fuzzer` links"),
        "{}",
        ran.text()
    );
}

/// As OSS-Fuzz's are written: unset variables are mistakes, the library is compiled and archived, and a C++ compiler links.
const BUILD: &str = "#!/bin/bash -eu\n\
    cd $SRC/project\n\
    $CC $CFLAGS -c parse.c -o $WORK/parse.o\n\
    ar rcs $WORK/libparse.a $WORK/parse.o\n\
    for f in fuzz/*_fuzzer.c; do\n\
    name=$(basename $f .c)\n\
    $CC $CFLAGS -I. -c $f -o $WORK/$name.o\n\
    $CXX $CXXFLAGS $WORK/$name.o -o $OUT/$name $LIB_FUZZING_ENGINE $WORK/libparse.a\n\
    done\n\
    cp fuzz/*.options $OUT/\n";

#[test]
fn a_build_script_of_oss_fuzz_works_as_it_is() {
    let Some(dir) = engine!("targets-oss-fuzz") else {
        return;
    };
    fs::create_dir_all(dir.join("project/fuzz")).unwrap();
    dir.write(
        "project/parse.h",
        "#include <stddef.h>\nint parse(const char *s, size_t n);\n",
    );
    dir.write(
        "project/parse.c",
        "#include \"parse.h\"\n#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION\n#error not for fuzzing\n#endif\n\
         int parse(const char *s, size_t n) { return n > 2 && s[0] == '[' && s[n - 1] == ']' ? 10 / (s[1] - '7') : 0; }\n",
    );
    dir.write(
        "project/fuzz/parse_fuzzer.c",
        "#include \"parse.h\"\n#include <stdint.h>\n\
         int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n) { parse((const char *)d, n); return 0; }\n",
    );
    dir.write(
        "project/fuzz/parse_fuzzer.options",
        "[libfuzzer]\nmax_len = 64\n",
    );
    dir.write("build.sh", BUILD);
    let built = dir.polypath("build --oss-fuzz -- bash -eu build.sh".split(' '));
    assert_eq!(built.code, 0, "{}", built.text());
    let ran = dir.polypath("run out/parse_fuzzer --max-len 5 --jobs 1 --out found".split(' '));
    assert_eq!(ran.code, 1, "{}", ran.text());
    assert!(ran.text().contains("division by zero"), "{}", ran.text());
    // What the user sets is left alone.
    let mut command = dir.command();
    let words = "build --oss-fuzz -- bash -c".split(' ');
    let output = command
        .args(words)
        .arg("echo \"$CFLAGS $OUT $LIB_FUZZING_ENGINE\"")
        .env("CFLAGS", "-O0")
        .output()
        .expect("polypath runs");
    let said = String::from_utf8(output.stdout).unwrap();
    let here = dir.canonicalize().unwrap();
    let expected = format!("-O0 {}/out -fsanitize=fuzzer\n", here.display());
    assert_eq!(said, expected);
}
