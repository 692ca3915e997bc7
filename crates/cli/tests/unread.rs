//! Streams that nobody reads: no command waits for a reader longer than it may, a run keeps its limits and its results, and what
//! was not read is counted.

use std::collections::BTreeSet;
use std::fs;
use std::io::{PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use testkit::{Place, engine, java};

/// Beyond the limit that a command has, on a machine with much other work.
const BOUND: Duration = Duration::from_secs(60);

/// A pipe that is full; nobody reads it as long as the reader is not used.
fn full() -> (PipeReader, PipeWriter) {
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    // SAFETY: asks for a number of a descriptor that is open.
    let size = unsafe { libc::fcntl(writer.as_raw_fd(), libc::F_GETPIPE_SZ) };
    let size = usize::try_from(size).expect("the size of a pipe");
    writer
        .write_all(&vec![b'.'; size])
        .expect("room for so much");
    (reader, writer)
}

/// What ends a command whose stream nobody reads.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// It does not wait.
    Itself,
    /// Its limit of two seconds, `--time`. Then its results are there.
    Limit,
    /// Its results are on this stream: SIGTERM.
    Signal,
}
use End::{Itself, Limit, Signal};

/// A command, and what ends it when nobody reads stdout, and stderr.
struct Row {
    line: &'static str,
    stdout: End,
    stderr: End,
}

const fn row(line: &'static str, stdout: End, stderr: End) -> Row {
    Row {
        line,
        stdout,
        stderr,
    }
}

/// All commands that have something to say. `OUT` is a directory for results.
const ROWS: &[Row] = &[
    row(
        "run many.c --sym-stdin 40 --time 2 --jobs 1 --out OUT",
        Limit,
        Limit,
    ),
    row(
        "run many.c --sym-stdin 40 --time 2 --jobs 2 --out OUT",
        Limit,
        Limit,
    ),
    row(
        "run many.c --sym-stdin 40 --time 2 --mode concolic --out OUT",
        Limit,
        Limit,
    ),
    row("run talks.c --time 2 --jobs 1 --out OUT", Limit, Limit),
    row("run --resume many --time 2", Limit, Limit),
    row("replay many --sample 2", Signal, Itself),
    row("report many", Signal, Itself),
    row("show many", Signal, Itself),
    row("show many --stats", Signal, Itself),
    row("solve one.smt2 --time 2", Itself, Itself),
    row("solve one.smt2 two.smt2 --time 2 --jobs 2", Itself, Itself),
    row("solve one.smt2 two.smt2 --time 2 --jobs 1", Itself, Itself),
    row("solve one.smt2 --stats", Signal, Itself),
    row("solve one.smt2 two.smt2 --jobs 2", Signal, Itself),
    row("doctor", Signal, Itself),
    row("explain null", Signal, Itself),
    row("harness many.c --entry main", Signal, Itself),
    row("run --help", Signal, Itself),
    row("run --hulp", Itself, Itself),
    row("run missing.c", Itself, Itself),
    row("cc -c nothing.c -o nothing.o", Itself, Itself),
    row("build -- true", Itself, Itself),
];

const JAVA: &[Row] = &[
    row(
        "java run classes --entry Many.path --time 2 --jobs 1 --out OUT",
        Limit,
        Limit,
    ),
    row(
        "java run classes --entry Many.path --time 2 --jobs 2 --out OUT",
        Limit,
        Limit,
    ),
    row("java replay many-java --sample 1", Signal, Itself),
];

/// 3^40 paths, and an error on many of them.
const MANY: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { char b[64]; int n = fread(b, 1, 40, stdin), k = 0;\n\
    for (int i = 0; i < n; i++) if (b[i] == 'a' + i % 3) k++;\n\
    if (k == 2) abort(); return k; }\n";

/// No input, and more output than any pipe takes, on both streams.
const TALKS: &str = "#include <stdio.h>\nint main(void) { for (;;) { puts(\"a line of output\"); fputs(\"words\\n\", stderr); } }\n";

const SCRIPT: &str = "(set-logic QF_BV)\n(declare-const x (_ BitVec 8))\n(assert (= x #x07))\n(check-sat)\n(get-model)\n";

const MANY_JAVA: &str = "public class Many { static int count(String s) { int k = 0;\n\
    for (int i = 0; i < s.length(); i++) if (s.charAt(i) == 'a' + i % 3) k++; return k; }\n\
    public static int path(String s, String t, String u) { return count(s) + count(t) + count(u); } }\n";

/// Runs a command one of whose streams nobody reads; what is wrong with its end.
fn check(place: &Place, number: usize, row: &Row, is_stdout: bool) -> Vec<String> {
    let name = format!("out-{number}-{is_stdout}");
    let line = row.line.replace("OUT", &name);
    let (_reader, writer) = full();
    let mut command = place.command();
    command.args(line.split(' ')).stdin(Stdio::null());
    if is_stdout {
        command.stdout(writer).stderr(Stdio::null());
    } else {
        command.stderr(writer).stdout(Stdio::null());
    }
    let begun = Instant::now();
    let mut child = command.spawn().expect("polypath starts");
    drop(command);
    let end = if is_stdout { row.stdout } else { row.stderr };
    if end == Signal {
        // Whenever it comes, the command ends.
        std::thread::sleep(Duration::from_secs(1));
        testkit::signal(child.id(), "-TERM");
    }
    let what = format!(
        "{line}, nobody reads {}",
        if is_stdout { "stdout" } else { "stderr" }
    );
    if !ends_within(&mut child, BOUND) {
        return vec![format!("{what}: no end in {:?}", begun.elapsed())];
    }
    let status = child.wait().expect("a status");
    if end != Limit || line.contains("--resume") {
        return Vec::new();
    }
    let mut wrong = Vec::new();
    if !status.code().is_some_and(|code| [0, 1, 4].contains(&code)) {
        wrong.push(format!("{what}: {status}"));
    }
    let results = place.join(&name);
    match testcase::Run::read(&results).and_then(testcase::Run::whole) {
        Ok((run, stats)) => {
            if run.tests.len() as u64 != stats.tests {
                wrong.push(format!(
                    "{what}: {} tests, not {}",
                    run.tests.len(),
                    stats.tests
                ));
            }
            if stats.halted.is_none() {
                wrong.push(format!("{what}: it was halted"));
            }
            let unread = stats.more.get("messages_unread").and_then(|n| n.as_u64());
            if unread.is_some() == is_stdout {
                wrong.push(format!("{what}: {unread:?} messages unread"));
            }
        }
        Err(e) => wrong.push(format!("{what}: {e:#}")),
    }
    wrong
}

fn ends_within(child: &mut Child, bound: Duration) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < bound {
        if child.try_wait().expect("a child").is_some() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("it can be killed");
    child.wait().expect("a status");
    false
}

fn check_all(place: &Place, rows: &[Row]) {
    let mut wrong = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        for is_stdout in [true, false] {
            wrong.extend(check(place, number, row, is_stdout));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_command_waits_for_a_reader_that_does_not_read() {
    let Some(place) = engine!("commands") else {
        return;
    };
    place.write("many.c", MANY).write("talks.c", TALKS);
    place.write("one.smt2", SCRIPT).write("two.smt2", SCRIPT);
    place.write("nothing.c", "");
    let first = "run many.c --sym-stdin 40 --time 2 --out many --quiet";
    place.polypath(first.split(' '));
    check_all(&place, ROWS);
}

#[test]
fn java_commands_do_not_either() {
    if !testkit::need("java") {
        return;
    }
    let Some(place) = engine!("java") else { return };
    place.write("Many.java", MANY_JAVA);
    java::compile(&place, &[], &["Many.java".into()]);
    let first = "java run classes --entry Many.path --time 3 --out many-java --quiet";
    place.polypath(first.split(' '));
    check_all(&place, JAVA);
}

/// Results on stdout are whole when their reader is slow, with and without a limit that is long over.
#[test]
fn results_wait_for_a_slow_reader() {
    let place = testkit::place!("slow");
    let model = "(check-sat)\n(get-model)\n".repeat(4000);
    let script = SCRIPT.replace("(check-sat)\n(get-model)\n", &model);
    place.write("one.smt2", &script).write("two.smt2", &script);
    for line in [
        "solve one.smt2",
        "solve one.smt2 two.smt2 --jobs 2",
        "solve one.smt2 two.smt2 --jobs 1",
    ] {
        let whole = place
            .command()
            .args(line.split(' '))
            .output()
            .expect("polypath starts");
        let mut command: Command = place.command();
        command.args(line.split(' ')).stdout(Stdio::piped());
        let mut child = command.spawn().expect("polypath starts");
        let mut slow = child.stdout.take().expect("a pipe");
        let mut read = Vec::new();
        let mut piece = vec![0; 10_000];
        loop {
            std::thread::sleep(Duration::from_millis(20));
            match slow.read(&mut piece).expect("a pipe") {
                0 => break,
                n => read.extend_from_slice(&piece[..n]),
            }
        }
        assert_eq!(child.wait().expect("a status").code(), Some(0), "{line}");
        // (The comments behind each script have times.)
        let answers = |text: &[u8]| {
            let text = String::from_utf8_lossy(text).into_owned();
            let lines = text.lines().filter(|l| !l.starts_with(';'));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        assert!(read.len() > 100_000, "{line}: {} bytes", read.len());
        assert!(
            answers(&read) == answers(&whole.stdout),
            "{line}: other answers"
        );
    }
}

/// A reader that comes back while the run goes on hears how much it has missed.
#[test]
fn a_reader_that_comes_back_is_told_of_the_gap() {
    let Some(place) = engine!("gap") else { return };
    // 200 errors at 200 places, whose messages have 3 KB each, and a path that goes on until the run is stopped.
    let cases: String = (0..200)
        .map(|i| format!("case {i}: klee_report_error(\"x.c\", {i}, words, \"user\");\n"))
        .collect();
    let program = format!(
        "#include <klee/klee.h>\nstatic const char words[] = \"{}\";\n\
        int main(void) {{ unsigned char x; klee_make_symbolic(&x, 1, \"x\"); switch (x) {{\n{cases}}}\n\
        for (volatile int i = 0;; i++) ; }}\n",
        "word ".repeat(600)
    );
    place.write("x.c", &program);
    let (mut reader, writer) = full();
    let mut command = place.command();
    command
        .args(["run", "x.c", "--jobs", "1", "--time", "300", "--out", "out"])
        .stdout(Stdio::null())
        .stderr(writer);
    let mut child = command.spawn().expect("polypath starts");
    drop(command);
    let out = place.join("out");
    testkit::until("it has found the errors", || {
        let lines = fs::read_to_string(out.join("run.jsonl")).unwrap_or_default();
        let last = lines
            .lines()
            .last()
            .and_then(|line| serde_json::from_str(line).ok());
        last.is_some_and(|line: serde_json::Value| line["errors"] == 200)
    });
    let mut said = Vec::new();
    let mut piece = vec![0; 1 << 16];
    while !said.windows(GAP.len()).any(|part| part == GAP) {
        let n = reader.read(&mut piece).expect("a pipe");
        assert!(
            n > 0,
            "no word of a gap: {}",
            String::from_utf8_lossy(&said)
        );
        said.extend_from_slice(&piece[..n]);
    }
    testkit::signal(child.id(), "-INT");
    reader.read_to_end(&mut said).expect("a pipe");
    assert!(ends_within(&mut child, BOUND));
    let said = String::from_utf8_lossy(&said).into_owned();
    let words = said.trim_start_matches('.');
    assert!(words.lines().all(is_ours), "{words}");
}

/// What the reader is told.
const GAP: &[u8] = b" messages were dropped, nobody read them\n";

/// A message, or what the user can do about an error, which stands below it.
fn is_ours(line: &str) -> bool {
    line.starts_with("polypath: ") || line.starts_with("    ")
}

/// What `--progress json` prints is `run.jsonl`, for each kind of run; and its fields are those of the page.
#[test]
fn progress_for_programs_is_the_time_line() {
    let Some(place) = engine!("progress") else {
        return;
    };
    place.write("many.c", MANY);
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/progress.md");
    let page = fs::read_to_string(page).expect("the page");
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let documented: BTreeSet<&str> = rows
        .filter_map(|row| row.split('|').nth(1))
        .flat_map(|names| names.split('`').skip(1).step_by(2))
        .collect();
    let mut lines = vec![
        "run many.c --sym-stdin 40 --time 2 --jobs 1 --out one",
        "run many.c --sym-args 0 2 1 --sym-stdin 40 --cpu-time 3 --jobs 2 --out two --quiet",
        "run many.c --sym-stdin 40 --time 2 --mode concolic --out concolic",
        "run many.c --sym-stdin 3 --jobs 1 --out whole",
        // Paths begin in several states.
        "run many.c --sym-args 0 2 1 --sym-stdin 2 --jobs 1 --out wholeargs",
    ];
    if testkit::need("java") {
        place.write("Many.java", MANY_JAVA);
        java::compile(&place, &[], &["Many.java".into()]);
        lines.push("java run classes --entry Many.path --time 3 --jobs 1 --out java");
    }
    for line in lines {
        let mut words: Vec<&str> = line.split(' ').collect();
        words.extend(["--progress", "json"]);
        let ran = place
            .command()
            .args(words)
            .output()
            .expect("polypath starts");
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        let printed: Vec<&str> = said.lines().filter(|l| l.starts_with('{')).collect();
        let mut others = said.lines().filter(|l| !l.starts_with('{'));
        assert!(others.all(is_ours), "{line}: {said}");
        let out = line
            .split("--out ")
            .nth(1)
            .and_then(|o| o.split(' ').next());
        let kept = place.text(&format!("{}/run.jsonl", out.expect("results")));
        assert_eq!(printed, kept.lines().collect::<Vec<_>>(), "{line}");
        let mut last = 0.0;
        for text in &printed {
            let record: serde_json::Value = serde_json::from_str(text).expect("JSON");
            let number = |name: &str| {
                record[name]
                    .as_f64()
                    .unwrap_or_else(|| panic!("{name}: {text}"))
            };
            let names = record.as_object().expect("an object").keys();
            let unknown: Vec<&String> =
                names.filter(|n| !documented.contains(n.as_str())).collect();
            assert!(unknown.is_empty(), "{line}: {unknown:?} are not documented");
            assert!(number("t") >= last && number("cpu_s") > 0.0, "{text}");
            last = number("t");
            let parts = number("executing_s") + number("solver_time_s") + number("writing_s");
            assert!(
                number("executing_s") == 0.0 || (parts - number("cpu_s")).abs() < 1e-6,
                "{text}"
            );
            assert!((0.0..=1.0 + 1e-9).contains(&number("explored")), "{text}");
            let waiting = record["waits"].as_object().expect("an object").values();
            let waiting: u64 = waiting.filter_map(|n| n.as_u64()).sum();
            assert!(waiting as f64 >= number("states"), "{text}");
            assert!(
                record["limit_left_s"].is_null() == line.contains("whole"),
                "{line}: {text}"
            );
        }
        let end: serde_json::Value =
            serde_json::from_str(printed.last().expect("records")).expect("JSON");
        let is_whole = line.contains("whole");
        assert_eq!(
            end["explored"].as_f64().expect("a number") > 0.999,
            is_whole,
            "{line}: {end}"
        );
    }
    let replayed = place.polypath([
        "replay",
        "whole",
        "--progress",
        "json",
        "--no-modelled",
        "--no-confirm",
    ]);
    let replayed = replayed.text();
    let records: Vec<serde_json::Value> = replayed
        .lines()
        .filter(|l| l.starts_with('{'))
        .map(|l| serde_json::from_str(l).expect("JSON"))
        .collect();
    let last = records.last().expect("records");
    assert!(
        last["done"].as_u64() > Some(0) && last["done"] == last["all"],
        "{replayed}"
    );
}
