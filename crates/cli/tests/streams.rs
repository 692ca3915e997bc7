//! Streams that are closed or full, and disks that are: no run ends by them, nothing that was written is torn, and what
//! was lost is said in the exit status.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use testkit::{Place, engine};

const POLYPATH: &str = env!("CARGO_BIN_EXE_polypath");

fn place(name: &str) -> Option<Place> {
    let dir = engine!(name)?;
    let program = "#include <klee/klee.h>\n#include <stdlib.h>\n\
        int main(void) { unsigned char x; klee_make_symbolic(&x, 1, \"x\");\n\
        volatile int n = 0; for (int i = 0; i < 4; i++) if (x >> i & 1) n++;\n\
        if (x == 77) abort(); return n; }\n";
    fs::write(dir.join("x.c"), program).expect("a program");
    Some(dir)
}

/// A pipe that nobody reads any more.
fn broken() -> Stdio {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

fn full() -> Stdio {
    File::options()
        .write(true)
        .open("/dev/full")
        .expect("/dev/full")
        .into()
}

/// What a run left is whole.
fn check_results(out: &Path) {
    let (run, stats) = testcase::Run::read(out)
        .and_then(testcase::Run::whole)
        .expect("everything can be read");
    assert_eq!(run.errors.len(), 1);
    assert_eq!(stats.tests, run.tests.len() as u64);
    assert!(stats.tests > 5, "{}", stats.tests);
    assert_eq!(stats.halted, None);
}

#[test]
fn a_run_does_not_need_its_streams() {
    let Some(dir) = place("run") else { return };
    type Make = fn() -> Stdio;
    let streams: [(&str, Make); 3] = [("closed", broken), ("full", full), ("none", Stdio::null)];
    for (name, stream) in streams {
        for (which, out, err) in [
            ("stdout", stream(), Stdio::null()),
            ("stderr", Stdio::null(), stream()),
            ("both", stream(), stream()),
        ] {
            let results = dir.join(format!("{name}-{which}"));
            let status = Command::new(POLYPATH)
                .arg("run")
                .arg("--out")
                .arg(&results)
                .arg(dir.join("x.c"))
                .stdout(out)
                .stderr(err)
                .status()
                .expect("polypath starts");
            assert_eq!(status.code(), Some(1), "{name} {which}");
            check_results(&results);
        }
    }
    // Not even open.
    let results = dir.join("not-open");
    let script = format!(
        "exec '{POLYPATH}' run --out '{}' '{}' >&- 2>&-",
        results.display(),
        dir.join("x.c").display()
    );
    let status = Command::new("sh")
        .args(["-c", &script])
        .status()
        .expect("sh");
    assert_eq!(status.code(), Some(1));
    check_results(&results);
}

fn solve(stdout: Stdio) -> Output {
    let mut child = Command::new(POLYPATH)
        .args(["solve", "-"])
        .stdin(Stdio::piped())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .expect("polypath starts");
    let script = "(set-logic QF_BV)\n(declare-const x (_ BitVec 8))\n(assert (= x #x07))\n(check-sat)\n(exit)\n";
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(script.as_bytes()).expect("it reads");
    drop(input);
    child.wait_with_output().expect("an end")
}

#[test]
fn answers_that_cannot_be_written_are_a_failure() {
    let done = solve(full());
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(3), "{said}");
    assert!(said.contains("standard output"), "{said}");
    // A reader that has enough is none.
    assert_eq!(solve(broken()).status.code(), Some(0));
}

#[test]
fn words_that_cannot_be_written_are_a_failure() {
    let doctor = |stdout: Stdio| {
        Command::new(POLYPATH)
            .arg("doctor")
            .stdout(stdout)
            .output()
            .expect("polypath starts")
    };
    let fine = doctor(Stdio::piped()).status.code();
    let lost = doctor(full());
    assert_eq!(lost.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&lost.stderr).contains("standard output"));
    assert_eq!(doctor(broken()).status.code(), fine);
}

/// Writes beyond 300 KiB fail, as on a disk that is nearly full when the run begins.
#[test]
fn a_full_disk_is_said_and_fails_the_run() {
    let Some(dir) = place("disk") else { return };
    // Nothing to find in it, and much to write on some paths.
    let program = "#include <klee/klee.h>\n#include <unistd.h>\nstatic char text[400000];\n\
        int main(void) { unsigned char x; klee_make_symbolic(&x, 1, \"x\");\n\
        if (x > 7) write(1, text, sizeof text); return x > 20; }\n";
    fs::write(dir.join("x.c"), program).expect("a program");
    let warm = Command::new(POLYPATH)
        .args(["run", "--quiet", "--no-tests", "--out"])
        .arg(dir.join("first"))
        .arg(dir.join("x.c"))
        .status();
    assert_eq!(warm.expect("polypath starts").code(), Some(0));
    let out = dir.join("out");
    let script = format!(
        "trap '' XFSZ; ulimit -f 300; exec '{POLYPATH}' run --out '{}' '{}'",
        out.display(),
        dir.join("x.c").display()
    );
    let run = Command::new("bash")
        .args(["-c", &script])
        .output()
        .expect("bash");
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(3), "{said}");
    // By its path.
    assert!(
        said.contains(&format!("cannot write {}", out.display())),
        "{said}"
    );
    // What is there is whole: no temporary file, no half of one.
    for entry in fs::read_dir(&out).expect("the directory") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "json") {
            let text = fs::read(&path).expect("text");
            let whole: Result<serde_json::Value, _> = serde_json::from_slice(&text);
            assert!(whole.is_ok(), "{}", path.display());
        }
    }
    let mut problems = Vec::new();
    testcase::read::tests(&out.join("tests"), &mut problems).expect("tests");
    // The pack may end in the middle of a test: its reader says so.
    problems.retain(|p| !p.contains("tests.pack"));
    assert_eq!(problems, Vec::<String>::new());
}
