//! Native replay, on shell scripts as programs.

use polypath_testcase as testcase;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use testcase::replay::{self, Limits, Options, Verdict};
use testcase::*;

fn script(dir: &Path, text: &str) -> PathBuf {
    let path = dir.join("program");
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn options(dir: &Path, binary: PathBuf) -> Options<'static> {
    Options {
        dir: dir.to_owned(),
        binary,
        address: Err("no such build in this test".into()),
        traps: Err("no such build in this test".into()),
        modelled: None,
        limits: Limits {
            time: Duration::from_millis(1500),
            ..Limits::default()
        },
        jobs: 2,
        progress: None,
    }
}

fn expecting(id: u32, arg: &str, exit: ExitKind, stdout: &str) -> TestCase {
    TestCase {
        id,
        args: vec![b"program".to_vec(), arg.as_bytes().to_vec()],
        stdin: Some(b"input\n".to_vec()),
        files: vec![FileSpec {
            path: "d/A".into(),
            bytes: b"file\n".to_vec(),
            mode: 0o640,
            ..FileSpec::default()
        }],
        env: vec![
            b"LC_ALL=C".to_vec(),
            b"TZ=UTC0".to_vec(),
            b"PATH=/usr/bin:/bin".to_vec(),
        ],
        expected: Expected {
            exit,
            stdout: stdout.into(),
            ..Expected::default()
        },
        ..TestCase::default()
    }
}

#[test]
fn verdicts_and_confirmations() {
    let base = tempfile::tempdir().unwrap();
    let program = script(
        base.path(),
        "case $1 in
           all) cat; cat d/A; stat -c %a d/A; umask; env | grep -cE '^(LC_ALL=C|TZ=UTC0|HOME=.*|USER=.*)$'; exit 3;;
           out) echo other;;
           err) echo same; echo words >&2;;
           loop) while :; do :; done;;
           abort) echo 'program: x.c:1: f: Assertion `x` failed.' >&2; kill -ABRT $$;;
           segv) kill -SEGV $$;;
         esac",
    );
    let out = OutputDir::create(Some(&base.path().join("out")), base.path()).unwrap();
    out.write_test(&expecting(
        1,
        "all",
        ExitKind::Status(3),
        "input\nfile\n640\n0022\n2\n",
    ));
    out.write_test(&expecting(2, "out", ExitKind::Status(0), "wanted\n"));
    out.write_test(&expecting(3, "err", ExitKind::Status(0), "same\n"));
    out.write_test(&expecting(4, "err", ExitKind::Status(9), "same\n"));
    out.write_test(&expecting(5, "loop", ExitKind::Status(0), ""));
    out.write_test(&expecting(6, "err", ExitKind::Killed("time".into()), "sa"));
    for (id, arg, kind) in [
        (7, "abort", ErrorKind::Assert),
        (8, "segv", ErrorKind::Null),
        (9, "out", ErrorKind::DivZero),
        (10, "out", ErrorKind::OutOfBounds),
        (11, "out", ErrorKind::Uninitialized),
    ] {
        let mut test = expecting(id, arg, ExitKind::Error(kind), "");
        test.error = Some(ErrorRecord {
            kind,
            message: String::new(),
            file: "x.c".into(),
            line: id,
            function: "f".into(),
            test: String::new(),
            stack: Vec::new(),
            paths: 1,
        });
        out.write_test(&test);
    }
    out.finish();

    let summary = replay::run(&options(out.path(), program)).unwrap();
    let names: Vec<_> = summary.tests.iter().map(|t| t.verdict.name()).collect();
    assert_eq!(
        names[..6],
        [
            "same",
            "different output",
            "different messages",
            "different exit",
            "time-out",
            "same"
        ],
        "{}",
        summary.text()
    );
    assert!(names[6..].iter().all(|n| *n == "error path"));
    let confirmations: Vec<_> = summary
        .errors
        .iter()
        .map(|e| e.confirmation.name())
        .collect();
    assert_eq!(
        confirmations,
        [
            "confirmed",
            "confirmed",
            "not reproduced",
            "not tried",
            "not confirmable"
        ],
        "{}",
        summary.text()
    );
    assert_eq!(summary.exit_code(), 1);
    let text = summary.text();
    assert!(text.contains("expected \"wanted"), "{text}");
    assert!(text.contains("Assertion `x` failed"), "{text}");
    // The results are there for the report.
    let json = fs::read(out.path().join("replay.json")).unwrap();
    let again: replay::ExitSummary = serde_json::from_slice(&json).unwrap();
    assert_eq!(again, summary);
}

#[test]
fn a_single_test_directory_replays() {
    let base = tempfile::tempdir().unwrap();
    let program = script(base.path(), "echo $1");
    let out = OutputDir::create(None, base.path()).unwrap();
    out.write_test(&expecting(1, "x", ExitKind::Status(0), "x\n"));
    let summary = replay::run(&options(&out.path().join("tests/test000001"), program)).unwrap();
    assert_eq!(summary.tests[0].verdict, Verdict::Same);
}

#[test]
fn children_left_behind_are_killed_and_limits_hold() {
    let base = tempfile::tempdir().unwrap();
    let marker = base.path().join("marker");
    let program = script(
        base.path(),
        &format!(
            "(sleep 0.4; touch {}) & head -c 100000000 /dev/zero > big; echo $?",
            marker.display()
        ),
    );
    let out = OutputDir::create(Some(&base.path().join("out")), base.path()).unwrap();
    // 153 = 128 + SIGXFSZ: the file-size limit stopped head.
    out.write_test(&expecting(1, "x", ExitKind::Status(0), "153\n"));
    let mut options = options(out.path(), program);
    options.limits.file_size = 1 << 20;
    let summary = replay::run(&options).unwrap();
    // (The shell says so on stderr, in its own words.)
    assert_eq!(
        summary.tests[0].verdict.name(),
        "different messages",
        "{}",
        summary.text()
    );
    std::thread::sleep(Duration::from_millis(600));
    assert!(!marker.exists());
}

#[test]
fn what_cannot_be_set_up_is_said() {
    let base = tempfile::tempdir().unwrap();
    let program = script(base.path(), "echo ran");
    let out = OutputDir::create(Some(&base.path().join("out")), base.path()).unwrap();
    let mut test = expecting(1, "x", ExitKind::Status(0), "ran\n");
    test.files[0].path = "/etc/hostname".into();
    out.write_test(&test);
    let summary = replay::run(&options(out.path(), program)).unwrap();
    assert!(
        summary.tests[0]
            .verdict
            .detail()
            .contains("outside the working directory")
    );
    assert!(replay::run(&options(out.path(), base.path().join("missing"))).is_err());
    assert!(replay::run(&options(&base.path().join("missing"), "/bin/true".into())).is_err());
}

#[test]
fn symbolic_objects_reach_the_program_by_ktest_file() {
    let base = tempfile::tempdir().unwrap();
    let program = script(base.path(), "head -c 5 $KTEST_FILE; tail -c 4 $KTEST_FILE");
    let out = OutputDir::create(Some(&base.path().join("out")), base.path()).unwrap();
    let mut test = expecting(1, "x", ExitKind::Status(0), "KTESTabcd");
    test.objects = vec![
        ("arg00".into(), b"x\0".to_vec()),
        ("v".into(), b"abcd".to_vec()),
    ];
    test.input_objects = 1;
    out.write_test(&test);
    let summary = replay::run(&options(out.path(), program)).unwrap();
    assert_eq!(
        summary.tests[0].verdict,
        Verdict::Same,
        "{}",
        summary.text()
    );
}

#[test]
fn file_permissions_hold_for_root_too() {
    let base = tempfile::tempdir().unwrap();
    let program = script(base.path(), "cat d/A 2>/dev/null || echo denied");
    let out = OutputDir::create(Some(&base.path().join("out")), base.path()).unwrap();
    let mut test = expecting(1, "x", ExitKind::Status(0), "denied\n");
    test.files[0].mode = 0o100000;
    out.write_test(&test);
    let summary = replay::run(&options(out.path(), program)).unwrap();
    assert_eq!(
        summary.tests[0].verdict,
        Verdict::Same,
        "{}",
        summary.text()
    );
}

#[test]
fn a_program_cannot_write_outside_of_its_directory() {
    if !replay::can_confine() {
        eprintln!("skipped: this kernel has no Landlock");
        return;
    }
    // Not in /tmp, where files may be written.
    let base = tempfile::tempdir_in("/var/tmp").unwrap();
    let precious = base.path().join("precious");
    std::fs::write(&precious, "data").unwrap();
    let name = precious.display();
    let text = format!(
        "(echo lost > {name}) 2>/dev/null || echo refused; rm -f {name} 2>/dev/null || echo refused\n\
         (echo new > {name}2) 2>/dev/null || echo refused\n\
         cat {name} > copy && cat copy && rm copy && echo quiet > /dev/null"
    );
    let program = script(base.path(), &text);
    let out = OutputDir::create(Some(&base.path().join("out")), base.path()).unwrap();
    out.write_test(&expecting(
        1,
        "x",
        ExitKind::Status(0),
        "refused\nrefused\nrefused\ndata",
    ));
    let summary = replay::run(&options(out.path(), program)).unwrap();
    assert_eq!(
        summary.tests[0].verdict,
        Verdict::Same,
        "{}",
        summary.text()
    );
    assert_eq!(std::fs::read_to_string(&precious).unwrap(), "data");
}
