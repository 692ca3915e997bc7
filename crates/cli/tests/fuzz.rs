//! `polypath fuzz`: native fuzzers beside the exploration, on small programs.

use std::fs;
use testkit::{Place, engine};

/// Builds a program of this source with `polypath cc` and these flags.
fn build(dir: &Place, source: &str, flags: &[&str]) {
    dir.write("p.c", source);
    let built = dir.polypath([&["cc", "-g", "p.c", "-o", "p"], flags].concat());
    assert_eq!(built.code, 0, "{}", built.text());
}

/// Fuzzes for so many seconds, and gives what was said and the statistics.
fn fuzz(dir: &Place, seconds: &str, arguments: &[&str]) -> (String, serde_json::Value) {
    let first = ["fuzz", "--out", "out", "--seed", "1", "--time", seconds];
    let ran = dir.polypath([&first, arguments].concat());
    assert!([0, 1].contains(&ran.code), "{}", ran.text());
    (ran.text(), dir.json("out/stats.json"))
}

fn files(dir: &Place, folder: &str) -> Vec<Vec<u8>> {
    let listed = fs::read_dir(dir.join("out/fuzz/polypath-fuzzer0").join(folder)).unwrap();
    listed
        .map(|entry| fs::read(entry.unwrap().path()).unwrap())
        .collect()
}

/// The program comes to its end, crashes, hangs, and kills what started it, each for some inputs.
const MOODS: &str = "#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
    int main(int argc, char **argv) {\n\
    FILE *f = argc > 1 ? fopen(argv[1], \"rb\") : stdin;\n\
    if (!f) return 9;\n\
    int c = fgetc(f), d = fgetc(f);\n\
    fclose(stderr);\n\
    if (c == 'c' && d == 'C') abort();\n\
    if (c == 'r' && d == 'R') raise(SIGFPE);\n\
    if (c == 'h' && d == 'H') for (;;) pause();\n\
    if (c == 'k' && d == 'K') kill(getppid(), SIGKILL);\n\
    if (c == 'f' && d == 'F') while (fork() == 0) if (getpid() % 7 == 0) _exit(1);\n\
    if (c == 'm' && d == 'M') { char *p = malloc(1ul << 40); if (!p) return 3; p[5] = 1; }\n\
    return c == d;\n}\n";

#[test]
fn whatever_a_program_does_is_named_and_the_fuzzer_goes_on() {
    let Some(dir) = engine!("whatever_a_program_does_is_named_and_the_fuzzer_goes_on") else {
        return;
    };
    build(&dir, MOODS, &[]);
    fs::create_dir(dir.join("seeds")).unwrap();
    for (name, bytes) in [
        ("c", "cC"),
        ("h", "hH"),
        ("r", "rR"),
        ("k", "kK"),
        ("f", "fF"),
        ("m", "mM"),
        ("e", "ee"),
    ] {
        dir.write(&format!("seeds/{name}"), bytes);
    }
    for arguments in [&["./p", "--", "@@"][..], &["./p"]] {
        if dir.join("out").exists() {
            fs::remove_dir_all(dir.join("out")).unwrap();
        }
        let more = [
            "--seed-input",
            "seeds",
            "--exec-timeout",
            "100",
            "--max-len",
            "8",
        ];
        let (text, stats) = fuzz(&dir, "20", &[&more, arguments].concat());
        assert!(stats["fuzz_executions"].as_u64() > Some(50), "{text}");
        assert_eq!(stats["fuzz_hangs"], 1, "{text}");
        assert_eq!(stats["fuzz_crashes"], 2, "{text}");
        assert!(
            files(&dir, "crashes")
                .iter()
                .any(|bytes| bytes.starts_with(b"cC")),
            "{text}"
        );
        assert!(
            files(&dir, "hangs")
                .iter()
                .any(|bytes| bytes.starts_with(b"hH")),
            "{text}"
        );
        assert!(text.contains("fuzzers: "), "{text}");
    }
}

#[test]
fn a_fuzz_target_is_called_and_its_over_read_is_a_fault() {
    let Some(dir) = engine!("a_fuzz_target_is_called_and_its_over_read_is_a_fault") else {
        return;
    };
    let source = "#include <stddef.h>\n#include <stdint.h>\n\
        static int ready; int LLVMFuzzerInitialize(int *c, char ***v) { ready = 1; return 0; }\n\
        int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {\n\
        if (!ready || size < 8) return -1;\n\
        uint32_t sum = 0;\n\
        for (size_t i = 0; i < 7; i++) sum += data[i];\n\
        // Paths enough for the exploration not to be done with all of them.\n\
        int odd = 0; for (size_t i = 8; i < size; i++) if (data[i] & 1) odd++;\n\
        if (sum == 900) return data[size];\n\
        return odd > 3;\n}\n";
    build(&dir, source, &["-fsanitize=fuzzer"]);
    let (text, stats) = fuzz(&dir, "20", &["--max-len", "32", "./p"]);
    assert!(stats["fuzz_executions"].as_u64() > Some(500), "{text}");
    let crashes = files(&dir, "crashes");
    let is_one = |bytes: &Vec<u8>| bytes[..7].iter().map(|&b| u32::from(b)).sum::<u32>() == 900;
    assert!(!crashes.is_empty() && crashes.iter().all(is_one), "{text}");
    // What it rejects is not kept.
    let kept = files(&dir, "queue");
    assert!(
        kept.iter()
            .all(|bytes| bytes.len() >= 8 || bytes.is_empty()),
        "{kept:?}"
    );
}

#[test]
fn comparisons_are_asked_and_a_dictionary_is_read() {
    let Some(dir) = engine!("comparisons_are_asked_and_a_dictionary_is_read") else {
        return;
    };
    let source = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
        int main(int argc, char **argv) {\n\
        char b[64] = {0}; size_t n = fread(b, 1, 63, stdin);\n\
        unsigned word; memcpy(&word, b, 4);\n\
        int odd = 0; for (size_t i = 24; i < n; i++) if (b[i] & 1) odd++;\n\
        if (word != 0x1badcafe) return 1 + (odd > 3);\n\
        if (memcmp(b + 4, \"section:\", 8)) return 2;\n\
        if (strcmp(b + 12, \"finally\")) return 3;\n\
        abort();\n}\n";
    build(&dir, source, &[]);
    dir.write(
        "words.dict",
        "kw1=\"finally\"\n# a comment\n\"\\x00\\x01\"\n",
    );
    fs::create_dir(dir.join("seeds")).unwrap();
    dir.write("seeds/a", [b'A'; 63]);
    let first = [
        "--seed-input",
        "seeds",
        "--max-len",
        "64",
        "--dict",
        "words.dict",
        "./p",
    ];
    let (text, _) = fuzz(&dir, "20", &first);
    let crashes = files(&dir, "crashes");
    assert!(!crashes.is_empty(), "{text}");
    for bytes in crashes {
        assert!(
            bytes.starts_with(b"\xfe\xca\xad\x1bsection:finally"),
            "{bytes:?}"
        );
    }
}

#[test]
fn what_a_fuzzer_cannot_give_is_refused_by_name() {
    let Some(dir) = engine!("what_a_fuzzer_cannot_give_is_refused_by_name") else {
        return;
    };
    build(&dir, MOODS, &[]);
    for (arguments, why) in [
        (
            &["./p", "--sym-args", "0", "1", "2"][..],
            "symbolic arguments",
        ),
        (&["./p", "--sym-files", "2", "4"], "several symbolic inputs"),
        (&["--dict", "none", "./p"], "none"),
        (&["--dict", "p.c", "./p"], "--dict p.c: line "),
        (&["--jobs", "0", "./p"], "--jobs 0"),
        (&["--deterministic", "./p"], "--deterministic: not with"),
    ] {
        let ran = dir.polypath([&["fuzz", "--out", "out", "--time", "20"], arguments].concat());
        assert!(ran.text().contains(why), "{arguments:?}: {}", ran.text());
        if dir.join("out").exists() {
            fs::remove_dir_all(dir.join("out")).unwrap();
        }
    }
}

#[test]
fn nothing_of_a_fuzzer_is_left_when_its_run_is_killed() {
    let Some(dir) = engine!("nothing_of_a_fuzzer_is_left_when_its_run_is_killed") else {
        return;
    };
    build(&dir, MOODS, &[]);
    let mut command = dir.command();
    command.args([
        "fuzz",
        "--out",
        "out",
        "--time",
        "60",
        "--max-len",
        "8",
        "./p",
    ]);
    let mut run = testkit::Attended::begin(&mut command);
    let begun = run.until("a fuzzer begins", |_| {
        dir.join("out/fuzz/polypath-fuzzer0/fuzzer_stats").exists()
    });
    assert!(begun);
    let stats = dir.text("out/fuzz/polypath-fuzzer0/fuzzer_stats");
    let line = stats
        .lines()
        .find(|line| line.starts_with("fuzzer_pid"))
        .unwrap();
    let pid = line.rsplit(' ').next().unwrap().to_string();
    run.signal("-KILL");
    run.end();
    let pid: u32 = pid.parse().unwrap();
    testkit::until("the fuzzer has ended", || testkit::is_gone(pid));
}
