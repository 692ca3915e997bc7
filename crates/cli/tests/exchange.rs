//! `--sync`: a run and fuzzers give each other inputs while they run.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use testkit::{Attended, Place, engine, place};

/// What comes out of eight bytes, and no solver turns round.
fn mixed(mut w: u64) -> u64 {
    for _ in 0..24 {
        w = (w ^ (w >> 7)).wrapping_mul(w | 1);
    }
    w
}

/// The word that nobody finds, and one with a byte behind it that a solver does.
const SECRET: &[u8; 8] = b"openseda";

/// A program that has paths for longer than any test, and a place behind the word.
fn program() -> String {
    let wanted = mixed(u64::from_le_bytes(*SECRET));
    format!(
        "#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n\
         int main(int c, char **v) {{ FILE *f = fopen(v[1], \"rb\"); unsigned char b[64] = {{0}};\n\
         size_t n = fread(b, 1, 64, f); if (n < 10) return 1;\n\
         uint64_t w; memcpy(&w, b, 8);\n\
         for (int i = 0; i < 24; i++) w = (w ^ w >> 7) * (w | 1);\n\
         if (w == {wanted}ull) {{ if (b[8] == 'k') return 77; return 70; }}\n\
         int k = 0; for (size_t i = 10; i < n; i++) if (b[i] & 1) k += i;\n\
         return k == 1234; }}\n"
    )
}

/// The inputs in a folder that the run has written.
fn given(folder: &Path) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with("id:") {
            all.push(fs::read(path).unwrap());
        }
    }
    all
}

/// Has the run written a test that ends so?
fn has_test(dir: &Place, status: i32) -> bool {
    let tests = fs::read_dir(dir.join("out/tests")).into_iter().flatten();
    tests.flatten().any(|entry| {
        let meta = fs::read_to_string(entry.path().join("meta.json")).unwrap_or_default();
        let meta = serde_json::from_str::<serde_json::Value>(&meta).unwrap_or_default();
        meta["exit"]["status"] == status || meta["exit"]["Status"] == status
    })
}

#[test]
fn an_input_of_another_is_taken_and_ours_are_given_at_once() {
    let Some(dir) = engine!("exchange") else {
        return;
    };
    dir.write("p.c", program());
    for (mode, wanted) in [("fork", 70), ("concolic", 77)] {
        for old in ["out", "sync"] {
            if dir.join(old).exists() {
                fs::remove_dir_all(dir.join(old)).unwrap();
            }
        }
        fs::create_dir_all(dir.join("sync/main/queue")).unwrap();
        let line = format!(
            "run p.c --mode {mode} --sync sync --sym-files 1 64 --solver-time 0.2 --time 240 --out out -- @@"
        );
        let mut run = Attended::begin(dir.command().args(line.split(' ')));
        assert!(run.explores(&dir.join("out")));
        let ours = dir.join("sync/polypath/queue");
        run.until("it gives an input", |_| !given(&ours).is_empty());
        assert!(!has_test(&dir, wanted));
        let mut input = SECRET.to_vec();
        input.extend(b"zz");
        fs::write(dir.join("sync/main/queue/id:000000,orig:x"), &input).unwrap();
        let was_taken = run.until("its own has shown the place", |_| has_test(&dir, wanted));
        run.signal("-INT");
        let (_, said) = run.end();
        assert!(was_taken, "{mode}: {said}");
        assert!(said.contains("1 input taken, "), "{said}");
        // What came is not given back; in concolic mode what it led to is.
        let given = given(&ours);
        assert!(!given.contains(&input));
        if mode == "concolic" {
            let is_new = |bytes: &&Vec<u8>| bytes.starts_with(SECRET) && bytes[8] == b'k';
            assert_eq!(given.iter().filter(is_new).count(), 1, "{given:?}");
        }
    }
}

#[test]
fn what_cannot_be_exchanged_is_refused_by_name() {
    let dir = place!("exchange-refused");
    dir.write("p.c", "int main(void) { return 0; }\n");
    dir.write("file", "");
    fs::create_dir_all(dir.join("afl/main/queue")).unwrap();
    for (more, why) in [
        ("--sync s --jobs 2", "--sync: one worker explores"),
        ("--sync s --deterministic", "--sync: one worker explores"),
        (
            "--sync s --homi=random",
            "--sync: not with rounds of --homi",
        ),
        ("--sync file", "--sync file: "),
        ("--sync afl/main", "the folder of one instance"),
    ] {
        let line = format!("run p.c --sym-stdin 4 {more}");
        let refused = dir.polypath(line.split(' '));
        assert_eq!(refused.code, 2, "{more}: {}", refused.text());
        assert!(refused.text().contains(why), "{more}: {}", refused.text());
    }
    assert!(!dir.join("polypath-out-1").exists());
}

/// A number that a solver finds, bytes that a fuzzer likes, and a place that needs both.
const TARGET: &str = "#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n\
    int LLVMFuzzerTestOneInput(const uint8_t *b, size_t n) {\n\
    if (n < 12) return 0;\n\
    unsigned long long w; memcpy(&w, b, 8);\n\
    if (w * 0x9E3779B97F4A7C15ull != 0x1234567890abcdefull) return 0;\n\
    unsigned short c; memcpy(&c, b + 8, 2);\n\
    return (unsigned short)(c * 40503) == 0x7777 ? -1 : 0; }\n";

/// How often the text of a log says something.
fn times(log: &Path, word: &str) -> usize {
    fs::read_to_string(log)
        .unwrap_or_default()
        .matches(word)
        .count()
}

/// A fuzzer that ends with the value.
struct Fuzzer(std::process::Child);

impl Drop for Fuzzer {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn begin(command: &mut Command, log: &Path) -> Fuzzer {
    let log = fs::File::create(log).unwrap();
    let command = command
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap());
    Fuzzer(command.stderr(log).spawn().expect("the fuzzer begins"))
}

/// Waits until the fuzzer has taken what we have found.
fn takes(what: &str, holds: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(180);
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn libfuzzer_takes_what_the_run_gives() {
    let Some(dir) = engine!("exchange-libfuzzer") else {
        return;
    };
    dir.write("t.c", TARGET);
    let built = dir
        .shell("clang-19 -fsanitize=fuzzer t.c -o native")
        .output();
    if !built.is_ok_and(|o| o.status.success()) {
        testkit::skip("clang-19 links no fuzz target here (libclang-rt-19-dev)");
        return;
    }
    let linked = dir.polypath("cc -fsanitize=fuzzer t.c -o t".split(' '));
    assert_eq!(linked.code, 0, "{}", linked.text());
    // Its corpus is a plain directory.
    fs::create_dir_all(dir.join("corpus")).unwrap();
    fs::write(dir.join("corpus/first"), "aaaaaaaaaaaaaaaa").unwrap();
    let mut native = Command::new(dir.join("native"));
    native.current_dir(&*dir);
    native.args(["-reload=1", "-max_len=64", "-seed=1", "corpus"]);
    let log = dir.join("log");
    let _fuzzer = begin(&mut native, &log);
    takes("libFuzzer begins", || times(&log, "INITED") > 0);
    // It looks at the directory again when that has changed, in seconds.
    std::thread::sleep(Duration::from_millis(1500));
    let ran = dir.polypath("run ./t --sync corpus --max-len 16 --time 60 --out out".split(' '));
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert!(!given(&dir.join("corpus")).is_empty(), "{}", ran.text());
    takes("libFuzzer reads our inputs", || times(&log, "RELOAD") > 0);
}

#[test]
fn afl_takes_what_the_run_gives() {
    let Some(dir) = engine!("exchange-afl") else {
        return;
    };
    let main = "#include <stdio.h>\nint main(int c, char **v) { static unsigned char b[64];\n\
        FILE *f = fopen(v[1], \"rb\"); LLVMFuzzerTestOneInput(b, fread(b, 1, 64, f)); return 0; }\n";
    dir.write("p.c", format!("{TARGET}{main}"));
    let script = "AFL_DONT_OPTIMIZE=1 afl-clang-fast p.c -o native && command -v afl-fuzz";
    if !dir.shell(script).output().is_ok_and(|o| o.status.success()) {
        testkit::skip("AFL++ is not installed");
        return;
    }
    fs::create_dir_all(dir.join("in")).unwrap();
    dir.write("in/first", "aaaaaaaaaaaaaaaa");
    let mut native = Command::new("afl-fuzz");
    native.current_dir(&*dir);
    native.args("-M main -i in -o sync -m none -t 2000 -- ./native @@".split(' '));
    for name in [
        "NO_AFFINITY",
        "SKIP_CPUFREQ",
        "NO_UI",
        "I_DONT_CARE_ABOUT_MISSING_CRASHES",
    ] {
        native.env(format!("AFL_{name}"), "1");
    }
    // In minutes.
    native.env("AFL_SYNC_TIME", "1");
    let log = dir.join("log");
    let _fuzzer = begin(&mut native, &log);
    takes("AFL++ begins", || dir.join("sync/main/queue").is_dir());
    let line = "run p.c --sync sync --sym-files 1 16 --time 60 --out out -- @@";
    let ran = dir.polypath(line.split(' '));
    assert_eq!(ran.code, 0, "{}", ran.text());
    let ours = dir.join("sync/polypath/queue");
    assert!(!given(&ours).is_empty(), "{}", ran.text());
    takes("AFL++ reads our inputs", || {
        let queue = fs::read_dir(dir.join("sync/main/queue")).unwrap();
        queue
            .flatten()
            .any(|e| e.file_name().to_string_lossy().contains("sync:polypath"))
    });
}
