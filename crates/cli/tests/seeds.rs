//! Raw files as the inputs to begin with (`--seed-input`): each runs exactly as it is given, and covers what it covers natively.

use std::collections::BTreeSet;
use std::fs;
use testcase::TestCase;
use testcase::model::ExitKind;
use testkit::{Place, engine};

/// Seeds of different sizes, of which each has an exit status of its own: a magic word, two digits, and more bytes.
const COUNT: u8 = 40;

fn seed(n: u8) -> Vec<u8> {
    let mut bytes = b"seed".to_vec();
    bytes.extend([n / 10 + b'0', n % 10 + b'0']);
    bytes.extend((0..n).map(|i| i ^ 0xa5));
    bytes
}

/// A reader of the stream `f`: the sum of the bytes behind the digits decides, so that no other input is likely to pass.
const READER: &str = "char b[64]; int n = fread(b, 1, 64, f), sum = 0;\n\
    if (n < 6 || memcmp(b, \"seed\", 4)) return 1;\n\
    int k = (b[4] - '0') * 10 + b[5] - '0';\n\
    if (n != 6 + k) return 2;\n\
    for (int i = 0; i < k; i++) sum += (unsigned char)b[6 + i] == (i ^ 0xa5);\n\
    return sum == k ? 100 + k : 3;\n";

fn write_seeds(dir: &Place, to: &str, name: impl Fn(u8) -> String) {
    fs::create_dir_all(dir.join(to)).unwrap();
    for n in 0..COUNT {
        fs::write(dir.join(to).join(name(n)), seed(n)).unwrap();
    }
}

fn tests(dir: &Place) -> Vec<TestCase> {
    let mut problems = Vec::new();
    let tests = testcase::read::tests(&dir.join("out/tests"), &mut problems).unwrap();
    assert_eq!(problems, Vec::<String>::new());
    tests
}

/// Runs until the seeds have run and some more, and gives the tests.
fn run(dir: &Place, args: &[&str]) -> (String, Vec<TestCase>) {
    if dir.join("out").exists() {
        fs::remove_dir_all(dir.join("out")).unwrap();
    }
    let first = [
        "run",
        "--jobs",
        "1",
        "--seed",
        "1",
        "--out",
        "out",
        "--cpu-time",
        "20",
    ];
    let ran = dir.polypath([&first, args].concat());
    assert_eq!(ran.code, 0, "{}", ran.text());
    (ran.text(), tests(dir))
}

/// Each seed is the input of a test that ends as the seed does natively.
fn each_ran(tests: &[TestCase], input: impl Fn(&TestCase) -> Vec<u8>, mode: &str) {
    let ended: BTreeSet<(Vec<u8>, i32)> = tests
        .iter()
        .filter_map(|t| match t.expected.exit {
            ExitKind::Status(status) => Some((input(t), status)),
            _ => None,
        })
        .collect();
    for n in 0..COUNT {
        let expected = (seed(n), 100 + i32::from(n));
        assert!(
            ended.contains(&expected),
            "{mode}: seed {n} did not run as given"
        );
    }
}

fn file(test: &TestCase) -> Vec<u8> {
    test.files
        .iter()
        .find(|f| f.path == "A")
        .map_or_else(Vec::new, |f| f.bytes.clone())
}

fn stdin(test: &TestCase) -> Vec<u8> {
    test.stdin.as_deref().map_or_else(Vec::new, <[u8]>::to_vec)
}

const CONCOLIC: &[&str] = &["--mode", "concolic"];
/// Both modes.
const MODES: [&[&str]; 2] = [CONCOLIC, &["--mode", "fork"]];

#[test]
fn forty_seeds_of_a_file_are_forty_tests() {
    let Some(dir) = engine!("seeds-file") else {
        return;
    };
    let program = format!(
        "#include <stdio.h>\n#include <string.h>\nint main(int c, char **v) {{ FILE *f = fopen(v[1], \"rb\"); if (!f) return 9;\n{READER}}}\n"
    );
    dir.write("p.c", &program);
    write_seeds(&dir, "seeds", |n| format!("s{n:02}"));
    // The length is the corpus's, whatever is said; permissions that are input are a readable file's to begin with.
    for more in [
        &["--", "@@"][..],
        &["--sym-files", "1", "10", "--", "A"],
        &["--sym-stat", "--", "@@"],
    ] {
        for mode in MODES {
            let args = [&["p.c", "--seed-input", "seeds"], mode, more].concat();
            let (said, tests) = run(&dir, &args);
            each_ran(&tests, file, &format!("{mode:?} {more:?}: {said}"));
        }
    }
    let replayed = dir.polypath(["replay", "out"]).text();
    assert!(!replayed.contains("diverge"), "{replayed}");
}

#[test]
fn forty_seeds_of_a_fuzz_target_are_forty_tests() {
    let Some(dir) = engine!("seeds-target") else {
        return;
    };
    let program = format!(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
         static int parse(FILE *f) {{\n{READER}}}\n\
         int LLVMFuzzerTestOneInput(const unsigned char *d, size_t n) {{\n\
         if (!n) exit(1); exit(parse(fmemopen((void *)d, n, \"rb\"))); }}\n"
    );
    dir.write("p.c", &program);
    let built = dir.polypath("cc -fsanitize=fuzzer p.c -o p".split(' '));
    assert_eq!(built.code, 0, "{}", built.text());
    write_seeds(&dir, "seeds", |n| format!("s{n:02}"));
    for mode in MODES {
        let args = [&["./p", "--seed-input", "seeds"], mode].concat();
        let (said, tests) = run(&dir, &args);
        each_ran(&tests, file, &format!("{mode:?}: {said}"));
    }
    let replayed = dir.polypath(["replay", "out"]).text();
    assert!(!replayed.contains("diverge"), "{replayed}");
    // Longer ones are cut where that is asked for.
    let (said, _) = run(&dir, &["./p", "--seed-input", "seeds", "--max-len", "20"]);
    assert!(
        said.contains("25 seeds are longer than the input; the rest is cut"),
        "{said}"
    );
}

#[test]
fn an_output_directory_of_a_fuzzer_is_a_corpus() {
    let Some(dir) = engine!("seeds-afl") else {
        return;
    };
    let program = format!(
        "#include <stdio.h>\n#include <string.h>\nint main(void) {{ FILE *f = stdin;\n{READER}}}\n"
    );
    dir.write("p.c", &program);
    let name = |n: u8| format!("id:{n:06},time:0,execs:{n},orig:s{n}");
    for instance in ["default", "second"] {
        write_seeds(&dir, &format!("afl/{instance}/queue"), name);
        fs::create_dir_all(dir.join(format!("afl/{instance}/queue/.state/deterministic_done")))
            .unwrap();
        for crash in ["crashes", "hangs"] {
            fs::create_dir_all(dir.join(format!("afl/{instance}/{crash}"))).unwrap();
            dir.write(&format!("afl/{instance}/{crash}/id:000000,sig:06"), "crash");
        }
        dir.write(
            &format!("afl/{instance}/crashes/README.txt"),
            "How to reproduce.",
        );
        dir.write(&format!("afl/{instance}/fuzzer_stats"), "start_time : 1\n");
    }
    for (corpus, mode) in ["afl", "afl/default", "afl/default/queue"]
        .into_iter()
        .flat_map(|corpus| MODES.map(|mode| (corpus, mode)))
    {
        let (said, tests) = run(&dir, &[&["p.c", "--seed-input", corpus], mode].concat());
        each_ran(&tests, stdin, &format!("{corpus} {mode:?}: {said}"));
        let told = match corpus {
            "afl" => said.contains("afl: left out: 2 inputs in crashes, 2 in hangs"),
            "afl/default" => said.contains("left out: 1 input in crashes, 1 in hangs"),
            _ => !said.contains("left out"),
        };
        assert!(told, "{said}");
        // Instances have their inputs in common.
        let same = tests.iter().filter(|t| stdin(t) == seed(7)).count();
        assert_eq!(same, 1, "{corpus}");
    }
}

#[test]
fn seeds_of_a_function_are_its_bytes() {
    let Some(dir) = engine!("seeds-entry") else {
        return;
    };
    let program = "#include <stddef.h>\n#include <string.h>\n\
        int parse(const unsigned char *data, size_t size) {\n\
        if (size < 6 || memcmp(data, \"seed\", 4)) return 1;\n\
        int k = (data[4] - '0') * 10 + data[5] - '0', sum = 0;\n\
        if (size != 6 + k) return 2;\n\
        for (int i = 0; i < k; i++) sum += data[6 + i] == (i ^ 0xa5);\n\
        return sum == k ? 100 + k : 3; }\n";
    dir.write("parse.c", program);
    write_seeds(&dir, "seeds", |n| format!("s{n:02}"));
    for mode in MODES {
        let args = ["parse.c", "--entry", "parse", "--seed-input", "seeds"];
        let (said, tests) = run(&dir, &[&args[..], mode].concat());
        each_is_input(&tests, &format!("{mode:?}: {said}"));
    }
}

/// Each seed is what the function is given in some test.
fn each_is_input(tests: &[TestCase], said: &str) {
    let object = |test: &TestCase, name: &str| {
        test.objects
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, bytes)| bytes.clone())
    };
    let inputs: BTreeSet<Vec<u8>> = tests
        .iter()
        .filter_map(|t| {
            let (data, size) = (object(t, "data")?, object(t, "size")?);
            let size = u64::from_le_bytes(size.try_into().ok()?) as usize;
            Some(data[..size].to_vec())
        })
        .collect();
    for n in 0..COUNT {
        assert!(
            inputs.contains(&seed(n)),
            "seed {n} did not run as given: {said}"
        );
    }
}

#[test]
fn what_a_seed_says_of_attributes_that_are_no_input_is_told() {
    let Some(dir) = engine!("seeds-stat") else {
        return;
    };
    dir.write("p.c", "#include <stdio.h>\nint main(void) { FILE *f = fopen(\"A\", \"rb\"); return f ? getc(f) == 'x' : 9; }\n");
    // What an earlier run with attributes as input has found: an unreadable file.
    let klee = [
        "run",
        "p.c",
        "--sym-files",
        "1",
        "2",
        "--sym-stat",
        "--jobs",
        "1",
        "--out",
        "first",
    ];
    assert_eq!(dir.polypath(klee).code, 0);
    let args = [
        &[
            "p.c",
            "--seed-input",
            "first/tests",
            "--sym-files",
            "1",
            "2",
        ],
        CONCOLIC,
    ]
    .concat();
    let (said, tests) = run(&dir, &args);
    assert!(
        said.contains("1 seed is given to ordinary files and a pipe"),
        "{said}"
    );
    assert!(
        tests.iter().all(|t| t.expected.exit != ExitKind::Status(9)),
        "{said}"
    );
    let replayed = dir.polypath(["replay", "out"]).text();
    assert!(!replayed.contains("diverge"), "{replayed}");
}

#[test]
fn seeds_of_another_program_are_told() {
    let Some(dir) = engine!("seeds-strange") else {
        return;
    };
    dir.write(
        "p.c",
        "#include <stdio.h>\nint main(void) { return getchar() == 'x'; }\n",
    );
    fs::create_dir_all(dir.join("seeds")).unwrap();
    let first = "run p.c --sym-stdin 2 --jobs 1 --out first";
    assert_eq!(dir.polypath(first.split(' ')).code, 0);
    for mode in MODES {
        // A test of standard input, and one of a file with another name.
        for (input, is_told) in [("--sym-stdin", false), ("--sym-arg", true)] {
            let args = ["p.c", "--seed-input", "first/tests", input, "2"];
            let (said, _) = run(&dir, &[&args[..], mode].concat());
            let told = said.contains("of objects that this program has not");
            assert_eq!(told, is_told, "{mode:?} {input}: {said}");
        }
    }
}

/// The exploration after the seeds finds what it finds without them, and each path once.
#[test]
fn paths_of_seeds_are_explored_once() {
    let Some(dir) = engine!("seeds-once") else {
        return;
    };
    let program = "#include <klee/klee.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
        int main(void) { unsigned char b[3]; int n = fread(b, 1, 3, stdin); if (n != 3) return 1;\n\
        klee_assume(b[2] < 250); unsigned k = 100 / (b[1] & 15);\n\
        if (b[0] > b[1]) k += 3; if (b[2] == 'c') abort(); if ((b[0] ^ b[2]) == 0x1b) k ^= 1;\n\
        for (int i = 0; i < (b[1] & 3); i++) if (b[2] & 1 << i) k++;\n\
        return k & 127; }\n";
    dir.write("p.c", program);
    fs::create_dir_all(dir.join("seeds")).unwrap();
    let mut random = testkit::Random::new(3);
    for n in 0..200 {
        let length = random.below(4);
        let bytes: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
        fs::write(dir.join(format!("seeds/s{n:03}")), bytes).unwrap();
    }
    let paths = |args: &[&str]| {
        if dir.join("out").exists() {
            fs::remove_dir_all(dir.join("out")).unwrap();
        }
        let first = [
            "run",
            "p.c",
            "--jobs",
            "1",
            "--out",
            "out",
            "--sym-stdin",
            "3",
            "--sym-size",
        ];
        let ran = dir.polypath([&first, args].concat());
        assert!(
            ran.text().contains("everything was explored"),
            "{}",
            ran.text()
        );
        let stats = dir.json("out/stats.json");
        let mut ends: Vec<u64> = tests(&dir)
            .iter()
            .filter_map(|t| t.expected.path_hash)
            .collect();
        ends.sort_unstable();
        (stats["completed_paths"].clone(), ends)
    };
    let without = paths(&["--mode", "fork"]);
    for search in ["dfs", "bfs", "random-path,nurs:covnew"] {
        let with = paths(&[
            "--mode",
            "fork",
            "--search",
            search,
            "--seed-input",
            "seeds",
        ]);
        assert_eq!(with, without, "{search}");
    }
}

#[test]
fn the_tests_of_a_run_are_a_corpus() {
    let Some(dir) = engine!("seeds-of-a-run") else {
        return;
    };
    let program = format!(
        "#include <stdio.h>\n#include <string.h>\nint main(void) {{ FILE *f = stdin;\n{READER}}}\n"
    );
    dir.write("p.c", &program);
    write_seeds(&dir, "seeds", |n| format!("s{n:02}"));
    // Pruning begins the exploration anew in each cycle; the first one has the seeds.
    let pruned = [
        "p.c",
        "--seed-input",
        "seeds",
        "--homi",
        "--homi-cycle",
        "2",
    ];
    let (said, found) = run(&dir, &pruned);
    each_ran(&found, stdin, &format!("--homi: {said}"));
    run(
        &dir,
        &["p.c", "--seed-input", "seeds", "--mode", "concolic"],
    );
    fs::rename(dir.join("out"), dir.join("first")).unwrap();
    for corpus in ["first", "first/tests"] {
        for mode in MODES {
            let args = [&["p.c", "--sym-stdin", "45", "--seed-input", corpus], mode].concat();
            let (said, found) = run(&dir, &args);
            each_ran(&found, stdin, &format!("{corpus}, {mode:?}: {said}"));
        }
    }
}

#[test]
fn what_is_no_seed_is_told() {
    let Some(dir) = engine!("seeds-not") else {
        return;
    };
    dir.write(
        "p.c",
        "#include <stdio.h>\n#include <unistd.h>\nint main(void) { unsigned char b[2]; if (fread(b, 1, 2, stdin) < 2) return 1;\n\
         usleep(b[0]); return b[0] == 55 ? 7 : 2; }\n",
    );
    let run = |seeds: &str| {
        let run = [
            "run",
            "p.c",
            "--sym-stdin",
            "2",
            "--jobs",
            "1",
            "--cpu-time",
            "10",
        ];
        dir.polypath(
            [
                &run,
                &["--out", &format!("out-{seeds}"), "--seed-input", seeds][..],
            ]
            .concat(),
        )
    };
    fs::create_dir_all(dir.join("deep/er")).unwrap();
    dir.write("deep/er/a", "ab");
    let ran = run("deep");
    assert_eq!(ran.code, 2, "{}", ran.text());
    assert!(ran.text().contains("no tests in it"), "{}", ran.text());
    // Of a value that is made concrete one is explored: the seeds with another one are told of.
    fs::create_dir_all(dir.join("values")).unwrap();
    for n in 0..100u8 {
        fs::write(dir.join(format!("values/{n:02}")), [n, 1]).unwrap();
    }
    let ran = run("values");
    assert!(
        ran.text().contains("some seeds do not run"),
        "{}",
        ran.text()
    );
}
