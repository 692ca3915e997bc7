//! `polypath export` in the forms of other tools: what comes out is what the run found, natively, and fuzzers take it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use testcase::model::ExitKind;
use testkit::{Place, engine};

/// A reader with magic words, whose exit status tells which of its ends it came to, and a bug.
const PROGRAM: &str = "#include <stdio.h>\n#include <string.h>\n#include <stdlib.h>\n\
    int main(int c, char **v) { char b[16] = { 0 }, small[4]; FILE *f = c > 1 ? fopen(v[1], \"rb\") : stdin;\n\
    if (!f) return 99;\nint n = fread(b, 1, 12, f);\n\
    if (n < 6) return 1;\n\
    if (!memcmp(b, \"HEAD\", 4)) { if (b[4] == 'x') return 2; if (b[5] == 1) abort(); return 3; }\n\
    if (!memcmp(b, \"\\x7f\\\"Lf\", 4)) { if (b[4] > 100) return 4; return 5; }\n\
    for (int i = 0; i < 6; i++) if (b[i] == '0' + i) return 10 + i;\n\
    return 6; }\n";

/// Explores the reader and builds it natively.
fn explored(dir: &Place, input: &[&str]) -> PathBuf {
    dir.write("reader.c", PROGRAM);
    let first = ["run", "reader.c", "--jobs", "1", "--out", "out"];
    let ran = dir.polypath([&first, input].concat());
    assert_eq!(ran.code, 1, "{}", ran.text());
    let made = Command::new("cc")
        .args(["-O1", "-o"])
        .arg(dir.join("native"))
        .arg(dir.join("reader.c"))
        .status();
    assert!(made.expect("a compiler").success());
    dir.join("native")
}

fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    let entries = entries.map(|e| e.expect("an entry").path());
    let name = |p: &Path| {
        p.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    entries
        .map(|p| (name(&p), fs::read(&p).expect("a file")))
        .collect()
}

/// The exit status of the native program on a file, or none if a signal ended it.
fn status(native: &Path, file: &Path) -> Option<i32> {
    let mut command = Command::new(native);
    command
        .arg(file)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().expect("it runs").code()
}

fn contents(files: &BTreeMap<String, Vec<u8>>) -> BTreeSet<Vec<u8>> {
    files.values().cloned().collect()
}

#[test]
fn each_test_is_the_file_that_the_program_reads() {
    let Some(dir) = engine!("export-raw") else {
        return;
    };
    for input in [
        &["--sym-files", "1", "12", "--sym-size", "--", "A"][..],
        &["--sym-stdin", "12"],
    ] {
        for old in ["out", "raw", "afl", "ktest"] {
            if dir.join(old).exists() {
                fs::remove_dir_all(dir.join(old)).unwrap();
            }
        }
        let native = explored(&dir, input);
        let said = dir.polypath([
            "export", "out", "--raw", "raw", "--afl", "afl", "--ktest", "ktest",
        ]);
        assert_eq!(said.code, 0, "{}", said.text());
        let (corpus, crashes) = (
            files(&dir.join("raw/corpus")),
            files(&dir.join("raw/crashes")),
        );
        let mut problems = Vec::new();
        let tests = testcase::read::tests(&dir.join("out/tests"), &mut problems).unwrap();
        assert_eq!(problems, Vec::<String>::new());
        for test in &tests {
            let name = testcase::test_name(test.id);
            match &test.expected.exit {
                ExitKind::Status(expected) => {
                    // Of equal contents the first test has the file.
                    let file = dir.join("raw/corpus").join(&name);
                    if file.exists() {
                        assert_eq!(status(&native, &file), Some(*expected), "{name}");
                    }
                }
                _ => {
                    let file = crashes
                        .keys()
                        .find(|f| f.ends_with(&name))
                        .expect("a crash file");
                    assert!(file.starts_with("abort-reader.c-"), "{file}");
                    assert_eq!(status(&native, &dir.join("raw/crashes").join(file)), None);
                }
            }
        }
        let all = corpus.len() + crashes.len();
        assert!(all > 10 && all <= tests.len(), "{all} of {}", tests.len());
        // The same in AFL++'s names and in KLEE's form.
        assert_eq!(
            contents(&files(&dir.join("afl/default/queue"))),
            contents(&corpus)
        );
        assert_eq!(
            contents(&files(&dir.join("afl/default/crashes"))),
            contents(&crashes)
        );
        let names = files(&dir.join("afl/default/crashes"));
        assert!(
            names
                .keys()
                .all(|n| n.starts_with("id:") && n.contains(",sig:06,time:")),
            "{names:?}"
        );
        assert_eq!(files(&dir.join("ktest")).len(), tests.len());
        // A file that is there is not written over.
        let again = dir.polypath(["export", "out", "--raw", "raw"]);
        assert!(
            again.code == 2 && again.text().contains("is not empty"),
            "{}",
            again.text()
        );
    }
}

#[test]
fn a_minimal_corpus_comes_to_each_end_that_the_tests_come_to() {
    let Some(dir) = engine!("export-minimal") else {
        return;
    };
    let native = explored(&dir, &["--sym-files", "1", "12", "--sym-size", "--", "A"]);
    let said = dir.polypath(["export", "out", "--raw", "all"]);
    assert_eq!(said.code, 0, "{}", said.text());
    let said = dir.polypath([
        "export",
        "out",
        "--minimal",
        "--raw",
        "few",
        "--dict",
        "words",
    ]);
    assert_eq!(said.code, 0, "{}", said.text());
    let ends = |folder: &str| -> BTreeSet<Option<i32>> {
        let names = files(&dir.join(folder)).into_keys();
        names
            .map(|n| status(&native, &dir.join(folder).join(n)))
            .collect()
    };
    let (all, few) = (
        files(&dir.join("all/corpus")),
        files(&dir.join("few/corpus")),
    );
    // The loop's ends are one place, so not each status is a place of its own; words and their ends are.
    let (of_all, of_few) = (ends("all/corpus"), ends("few/corpus"));
    for end in [1, 2, 3, 4, 5, 6] {
        assert!(
            of_all.contains(&Some(end)) && of_few.contains(&Some(end)),
            "{end}: {of_few:?}"
        );
    }
    assert!(
        few.len() <= 8 && few.len() < all.len(),
        "{} of {}",
        few.len(),
        all.len()
    );
    assert_eq!(files(&dir.join("few/crashes")).len(), 1);
    let words = fs::read_to_string(dir.join("words")).unwrap();
    for word in ["\"HEAD", "\"\\x7F\\\"Lf"] {
        assert!(
            words.lines().any(|l| l.starts_with(word)),
            "{word}: {words}"
        );
    }
}

#[test]
fn bytes_of_a_function_are_its_files() {
    let Some(dir) = engine!("export-entry") else {
        return;
    };
    let program = "#include <stddef.h>\n#include <stdint.h>\n#include <stdlib.h>\n\
        int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {\n\
        if (size > 5 && data[0] == 'C' && data[4] == 'H') { if (data[5] == 'z') abort(); return 0; }\n\
        if (size == 3) return 1; return 0; }\n";
    dir.write("fuzz.c", program);
    let words = [
        "run",
        "fuzz.c",
        "--entry",
        "LLVMFuzzerTestOneInput",
        "--no-null",
        "--jobs",
        "1",
    ];
    let ran = dir.polypath(words.iter().chain(&["--array-max", "8", "--out", "out"]));
    assert_eq!(ran.code, 1, "{}", ran.text());
    let said = dir.polypath(["export", "out", "--raw", "raw"]);
    assert_eq!(said.code, 0, "{}", said.text());
    let corpus = files(&dir.join("raw/corpus"));
    assert!(
        corpus.values().any(|f| f.len() == 3) && corpus.values().any(Vec::is_empty),
        "{corpus:?}"
    );
    let crashes = files(&dir.join("raw/crashes"));
    let crash = crashes.values().next().expect("a crash");
    assert!(
        crash.len() > 5 && (crash[0], crash[4], crash[5]) == (b'C', b'H', b'z'),
        "{crashes:?}"
    );
    // What comes out goes in.
    let again = [
        "run",
        "fuzz.c",
        "--entry",
        "LLVMFuzzerTestOneInput",
        "--no-null",
        "--jobs",
        "1",
        "--mode",
        "concolic",
    ];
    let ran = dir.polypath(
        again
            .iter()
            .chain(&["--seed-input", "raw/crashes", "--out", "again"]),
    );
    assert!(
        ran.code == 1 && ran.text().contains("abort"),
        "{}",
        ran.text()
    );
    fuzzer_runs(&dir);
}

#[test]
fn bugs_with_one_file_are_each_there_and_nothing_is_lost_beside_them() {
    let Some(dir) = engine!("export-bugs") else {
        return;
    };
    dir.write(
        "two.c",
        "#include <stdio.h>\n#include <stdlib.h>\nint main(int c, char **v) { int b = getchar();\n\
         if (v[1][0] == 'x') { puts(\"left\"); abort(); }\n\
         if (v[1][0] == 'y') { puts(\"right\"); return 8 / (v[1][1] - 'z'); }\n\
         return b == 'q'; }\n",
    );
    let run = [
        "run",
        "two.c",
        "--jobs",
        "1",
        "--out",
        "out",
        "--sym-arg",
        "2",
        "--sym-stdin",
        "1",
        "--sym-exact",
    ];
    let ran = dir.polypath(run);
    assert_eq!(ran.code, 1, "{}", ran.text());
    for (more, to) in [(&[][..], "all"), (&["--minimal"], "few")] {
        let said = dir.polypath([&["export", "out", "--raw", to], more].concat());
        assert_eq!(said.code, 0, "{}", said.text());
        assert!(
            said.text()
                .contains("of a test with arguments or other files, too"),
            "{}",
            said.text()
        );
        let crashes = files(&dir.join(to).join("crashes"));
        for kind in ["abort-", "div_zero-"] {
            assert!(
                crashes.keys().any(|f| f.starts_with(kind)),
                "{kind} {crashes:?}"
            );
        }
    }
    // A directory with something in it, and forms that are about all tests.
    for (args, why) in [
        (&["export", "out", "--raw", "all"][..], "is not empty"),
        (&["export", "out", "1", "--dict", "d"], "all tests of a run"),
    ] {
        let said = dir.polypath(args);
        assert_eq!(said.code, 2, "{}", said.text());
        assert!(said.text().contains(why), "{}", said.text());
    }
}

/// libFuzzer reads the corpus and crashes on the crash file, where it is installed.
fn fuzzer_runs(dir: &Place) {
    let binary = dir.join("target");
    let mut clang = Command::new("clang-19");
    clang
        .args(["-g", "-O1", "-fsanitize=fuzzer", "-o"])
        .arg(&binary)
        .arg(dir.join("fuzz.c"));
    if !clang.output().is_ok_and(|made| made.status.success()) {
        testkit::skip("libFuzzer is not installed");
        return;
    }
    let run = |what: &Path| {
        let mut command = Command::new(&binary);
        let out = command
            .arg("-runs=0")
            .arg(what)
            .current_dir(dir)
            .output()
            .expect("it runs");
        (
            out.status.success(),
            String::from_utf8_lossy(&out.stderr).into_owned(),
        )
    };
    let corpus = dir.join("raw/corpus");
    let (is_fine, said) = run(&corpus);
    // It passes empty files over.
    let count = files(&corpus).values().filter(|f| !f.is_empty()).count();
    let found = format!("{count} files found");
    assert!(is_fine && said.contains(&found), "{said}");
    let crashes = dir.join("raw/crashes");
    let crash = files(&crashes).into_keys().next().expect("a crash");
    let (is_fine, said) = run(&crashes.join(crash));
    assert!(!is_fine && said.contains("deadly signal"), "{said}");
}

/// A target of Java: seeds of any length go in, and what its array of bytes is comes out.
#[test]
fn a_target_of_java_has_its_bytes_as_files() {
    let Some(dir) = engine!("export-java") else {
        return;
    };
    if !testkit::need("java") {
        return;
    }
    dir.write(
        "F.java",
        "public class F { public static void fuzzerTestOneInput(byte[] d) {\n\
         if (d.length > 70 && d[0] == 'C' && d[1] == 'H') d[d.length + d[2] % 2] = 1; } }\n",
    );
    testkit::java::compile(&dir, &[], &[PathBuf::from("F.java")]);
    fs::create_dir_all(dir.join("seeds")).unwrap();
    let mut seed = b"C".to_vec();
    seed.resize(80, b'x');
    fs::write(dir.join("seeds/one"), &seed).unwrap();
    let line = "java run classes --entry F.fuzzerTestOneInput --seed-input seeds --jobs 1 --cpu-time 40 --out out";
    let ran = dir.polypath(line.split(' '));
    assert_eq!(ran.code, 1, "{}", ran.text());
    let said = dir.polypath("export out --raw raw".split(' '));
    assert_eq!(said.code, 0, "{}", said.text());
    let corpus = files(&dir.join("raw/corpus"));
    assert!(corpus.values().any(|bytes| *bytes == seed), "{corpus:?}");
    let crashes = files(&dir.join("raw/crashes"));
    assert!(!crashes.is_empty(), "{}", said.text());
    for bytes in crashes.values() {
        assert!(bytes.len() > 70 && bytes.starts_with(b"CH"), "{bytes:?}");
    }
}
