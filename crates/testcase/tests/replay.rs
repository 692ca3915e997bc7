//! Native replay, on shell scripts as programs.

use polypath_testcase as testcase;
use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use testcase::replay::sandbox::{Config, Fence, Launcher, Sandbox};
use testcase::replay::{self, ExitSummary, ReplayOptions, ReplayVerdict, SandboxLimits, Selection};

use crate::common;
use testcase::*;

fn script(dir: &Path, text: &str) -> PathBuf {
    let path = dir.join("program");
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn sandbox(binary: &Path, writable: &[&Path]) -> Sandbox {
    sandbox_by(common::launcher(), binary, writable)
}

fn sandbox_by(launcher: Launcher, binary: &Path, writable: &[&Path]) -> Sandbox {
    Sandbox::new(Config {
        launcher,
        needed: vec![binary.to_owned()],
        writable: writable.iter().map(|p| p.to_path_buf()).collect(),
        ..Config::default()
    })
    .unwrap()
}

static NEVER: AtomicBool = AtomicBool::new(false);

fn options<'a>(dir: &Path, binary: PathBuf, sandbox: &'a Sandbox) -> ReplayOptions<'a> {
    ReplayOptions {
        dir: dir.to_owned(),
        binary,
        address: Err("no such build in this test".into()),
        traps: Err("no such build in this test".into()),
        valgrind: None,
        modelled: None,
        explain: None,
        limits: SandboxLimits {
            time: Duration::from_secs(4),
            ..SandboxLimits::default()
        },
        sandbox,
        selection: Selection::default(),
        jobs: 2,
        progress: None,
        left_out: Vec::new(),
        stop: &NEVER,
    }
}

/// Replays all tests of a directory in a sandbox of its own.
fn replay_all(dir: &Path, binary: PathBuf) -> ExitSummary {
    let sandbox = sandbox(&binary, &[]);
    replay::run(&options(dir, binary, &sandbox)).unwrap()
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
    let _limit = testkit::limit();
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
            ..ErrorRecord::default()
        });
        out.write_test(&test);
    }
    out.finish();

    let summary = replay_all(out.path(), program);
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
            "undecided",
            "undecided",
            "undecided"
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
    let again: ExitSummary = serde_json::from_slice(&json).unwrap();
    assert_eq!(again, summary);
}

#[test]
fn a_single_test_directory_replays() {
    let _limit = testkit::limit();
    let base = tempfile::tempdir().unwrap();
    let program = script(base.path(), "echo $1");
    let out = OutputDir::create(None, base.path()).unwrap();
    out.write_test(&expecting(1, "x", ExitKind::Status(0), "x\n"));
    let summary = replay_all(&out.path().join("tests/test000001"), program);
    assert_eq!(summary.tests[0].verdict, ReplayVerdict::Same);
}

#[test]
fn children_left_behind_are_killed_and_limits_hold() {
    let _limit = testkit::limit();
    let base = tempfile::tempdir().unwrap();
    let marks = base.path().join("marks");
    fs::create_dir(&marks).unwrap();
    let marker = marks.join("marker");
    // One in the program's group, one that left it.
    let program = script(
        base.path(),
        &format!(
            "(sleep 0.4; touch {0}1) & setsid sh -c 'sleep 0.4; touch {0}2' & head -c 100000000 /dev/zero > big; echo $?",
            marker.display()
        ),
    );
    let out = OutputDir::create(Some(&base.path().join("out")), base.path()).unwrap();
    // 153 = 128 + SIGXFSZ: the file-size limit stopped head.
    out.write_test(&expecting(1, "x", ExitKind::Status(0), "153\n"));
    let sandbox = sandbox(&program, &[&marks]);
    let mut options = options(out.path(), program, &sandbox);
    options.limits.file_size = 1 << 20;
    let summary = replay::run(&options).unwrap();
    // (The shell says so on stderr, in its own words.)
    assert_eq!(
        summary.tests[0].verdict.name(),
        "different messages",
        "{}",
        summary.text()
    );
    until_gone(base.path());
    assert_eq!(fs::read_dir(&marks).unwrap().count(), 0);
}

#[test]
fn a_program_that_makes_many_processes_ends() {
    let _limit = testkit::limit();
    let base = tempfile::tempdir().unwrap();
    // More than it may have, but not without end: if nothing stops it, the machine bears it.
    let program = script(
        base.path(),
        "i=0; while [ $i -lt 200 ]; do sleep 9 & i=$((i + 1)); done; wait; echo over",
    );
    let out = OutputDir::create(Some(&base.path().join("out")), base.path()).unwrap();
    out.write_test(&expecting(1, "x", ExitKind::Status(0), "over\n"));
    let sandbox = sandbox(&program, &[]);
    let mut options = options(out.path(), program, &sandbox);
    options.limits.time = Duration::from_secs(60);
    let summary = replay::run(&options).unwrap();
    assert_ne!(summary.tests[0].verdict, ReplayVerdict::Same);
    assert_ne!(summary.tests[0].verdict, ReplayVerdict::TimedOut);
    drop(sandbox);
    // The sandbox is gone, and soon all that ran in it.
    until_gone(&base.path().join("program"));
}

/// Waits until there is no process whose command line has the path in it.
#[track_caller]
fn until_gone(path: &Path) {
    testkit::until("all processes are gone", || {
        let mut pgrep = std::process::Command::new("pgrep");
        let found = pgrep.arg("-f").arg(path).output();
        found.expect("pgrep").stdout.is_empty()
    });
}

#[test]
fn a_sample_is_replayed_and_an_interrupted_replay_tells_what_it_has() {
    let _limit = testkit::limit();
    let base = tempfile::tempdir().unwrap();
    let program = script(base.path(), "echo $1");
    let out = OutputDir::create(Some(&base.path().join("out")), base.path()).unwrap();
    for id in 1..=20 {
        out.write_test(&expecting(id, "x", ExitKind::Status(0), "x\n"));
    }
    out.finish();
    let sandbox = sandbox(&program, &[]);
    let mut options = options(out.path(), program, &sandbox);
    options.selection.sample = Some(5);
    let summary = replay::run(&options).unwrap();
    assert_eq!(summary.totals["same"], 5);
    assert!(
        summary.text().contains("5 of 20 tests: a sample"),
        "{}",
        summary.text()
    );
    let stop = AtomicBool::new(false);
    let halt = |p: replay::ReplayProgress| {
        stop.store(p.done >= 3, std::sync::atomic::Ordering::Relaxed);
    };
    options.selection.sample = None;
    options.jobs = 1;
    options.progress = Some(&halt);
    options.stop = &stop;
    let summary = replay::run(&options).unwrap();
    assert_eq!(summary.totals["same"], 3);
    let json = fs::read_to_string(out.path().join("replay.json")).unwrap();
    assert!(json.contains("interrupted after 3 of 20 tests"), "{json}");
}

#[test]
fn what_cannot_be_set_up_is_said() {
    let _limit = testkit::limit();
    let base = tempfile::tempdir().unwrap();
    let program = script(base.path(), "echo ran");
    let out = OutputDir::create(Some(&base.path().join("out")), base.path()).unwrap();
    let mut test = expecting(1, "x", ExitKind::Status(0), "ran\n");
    test.files[0].path = "/etc/hostname".into();
    out.write_test(&test);
    let summary = replay_all(out.path(), program);
    assert!(
        summary.tests[0]
            .verdict
            .detail()
            .contains("outside the working directory")
    );
    let sandbox = sandbox(Path::new("/bin/true"), &[]);
    let missing = base.path().join("missing");
    assert!(replay::run(&options(out.path(), missing.clone(), &sandbox)).is_err());
    assert!(replay::run(&options(&missing, "/bin/true".into(), &sandbox)).is_err());
}

#[test]
fn symbolic_objects_reach_the_program_by_ktest_file() {
    let _limit = testkit::limit();
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
    let summary = replay_all(out.path(), program);
    assert_eq!(
        summary.tests[0].verdict,
        ReplayVerdict::Same,
        "{}",
        summary.text()
    );
}

#[test]
fn file_permissions_hold_for_root_too() {
    let _limit = testkit::limit();
    let base = tempfile::tempdir().unwrap();
    let program = script(base.path(), "cat d/A 2>/dev/null || echo denied");
    let out = OutputDir::create(Some(&base.path().join("out")), base.path()).unwrap();
    let mut test = expecting(1, "x", ExitKind::Status(0), "denied\n");
    test.files[0].mode = 0o100000;
    out.write_test(&test);
    let summary = replay_all(out.path(), program);
    assert_eq!(
        summary.tests[0].verdict,
        ReplayVerdict::Same,
        "{}",
        summary.text()
    );
}

/// What a hostile program tries on a file that is not its own, and how often something worked.
const HOSTILE: &str = r#"#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>
static void tried(const char *what, int result) { if (result >= 0) { printf("%s worked\n", what); } }
int main(void)
{
    const char *f = PRECIOUS, *d = PRECIOUS ".new";
    tried("open", open(f, O_WRONLY));
    tried("create", open(d, O_WRONLY | O_CREAT, 0600));
    tried("chmod", chmod(f, 04777));
    tried("fchmodat", fchmodat(AT_FDCWD, f, 04777, 0));
    int fd = open(f, O_RDONLY);
    if (fd >= 0) tried("fchmod", fchmod(fd, 04777));
    tried("chown", chown(f, 7, 7));
    tried("lchown", lchown(f, getuid(), getgid()));
    tried("utimes", utimes(f, 0));
    if (fd >= 0) tried("futimens", futimens(fd, 0));
    tried("truncate", truncate(f, 0));
    tried("rename", rename(f, d));
    tried("link", link(f, "mine"));
    tried("link out", link(f, d));
    tried("symlink", symlink(f, d));
    tried("unlink", unlink(f));
    tried("mkdir", mkdir(d, 0700));
    tried("mkfifo", mkfifo(d, 0600));
    tried("setxattr", setxattr(f, "user.x", "y", 1, 0));
    tried("kill", kill(PARENT, 0));
    tried("setting", open("/proc/sys/kernel/core_pattern", O_WRONLY));
    tried("device", open("/dev/kmsg", O_WRONLY));
    puts("done");
    return 0;
}"#;

/// Runs it behind a fence that a worker builds when it is started by `prefix`.
fn hostile(name: &str, prefix: &[&str]) -> Option<String> {
    if !testkit::need("gcc") {
        return None;
    }
    // Not in /tmp, which programs have to themselves.
    let base = tempfile::tempdir_in("/var/tmp").unwrap();
    let open = fs::Permissions::from_mode(0o777);
    fs::set_permissions(base.path(), open.clone()).unwrap();
    let precious = base.path().join("precious");
    fs::write(&precious, "data").unwrap();
    fs::set_permissions(&precious, open).unwrap();
    let source = base.path().join("hostile.c");
    fs::write(&source, HOSTILE).unwrap();
    let program = base.path().join("hostile");
    let compiled = std::process::Command::new("gcc")
        .arg(format!("-DPRECIOUS=\"{}\"", precious.display()))
        .arg(format!("-DPARENT={}", std::process::id()))
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .status();
    assert!(compiled.expect("gcc starts").success());
    let mut launcher = common::launcher();
    if let [first, rest @ ..] = prefix {
        let mut args: Vec<std::ffi::OsString> = rest.iter().map(Into::into).collect();
        args.push(launcher.program.into_os_string());
        args.extend(launcher.args);
        launcher.program = first.into();
        launcher.args = args;
    }
    let sandbox = match Sandbox::new(Config {
        launcher,
        needed: vec![program.clone()],
        ..Config::default()
    }) {
        Ok(sandbox) => sandbox,
        Err(e) => {
            testkit::skip(&format!("{name}: {e}"));
            return None;
        }
    };
    let before = fs::metadata(&precious).unwrap();
    let test = TestCase {
        args: vec![b"hostile".to_vec()],
        ..TestCase::default()
    };
    let seen = sandbox
        .run(&program, &test, &SandboxLimits::default())
        .unwrap();
    let after = fs::metadata(&precious).unwrap();
    use std::os::unix::fs::MetadataExt;
    let facts = |m: &fs::Metadata| {
        (
            m.mode(),
            m.uid(),
            m.gid(),
            m.mtime(),
            m.ctime(),
            m.ctime_nsec(),
            m.nlink(),
            m.len(),
        )
    };
    assert_eq!(facts(&before), facts(&after), "{name}");
    assert_eq!(fs::read_dir(base.path()).unwrap().count(), 3, "{name}");
    let text = String::from_utf8_lossy(&seen.stdout).into_owned();
    Some(format!("{:?}: {text}", sandbox.fence()))
}

#[test]
fn a_hostile_program_changes_nothing_outside() {
    let _limit = testkit::limit();
    if let Some(seen) = hostile("as we are", &[]) {
        // (What may work depends on the fence; that nothing changed was checked.)
        assert!(seen.contains("done"), "{seen}");
        assert!(!seen.contains("None"), "{seen}");
        assert!(
            !seen.contains("setting worked") && !seen.contains("device worked"),
            "{seen}"
        );
    }
}

#[test]
fn a_hostile_program_of_an_ordinary_user_changes_nothing_outside() {
    let _limit = testkit::limit();
    // SAFETY: takes nothing.
    if unsafe { libc::geteuid() } != 0 {
        testkit::skip("only root can become another user");
        return;
    }
    let nobody = [
        "setpriv",
        "--reuid",
        "65534",
        "--regid",
        "65534",
        "--clear-groups",
    ];
    if let Some(seen) = hostile("as nobody", &nobody) {
        assert!(seen.contains("done"), "{seen}");
    }
}

#[test]
fn without_namespaces_rules_keep_a_hostile_program_from_changing_anything() {
    let _limit = testkit::limit();
    // A namespace in which no further ones may be made.
    let shell = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"";
    let none = [
        "unshare",
        "--user",
        "--map-root-user",
        "sh",
        "-c",
        shell,
        "sh",
    ];
    if let Some(seen) = hostile("by rules", &none) {
        assert!(seen.contains("Rules"), "{seen}");
        assert!(seen.contains("done"), "{seen}");
        assert!(!seen.contains("worked"), "{seen}");
    }
}

#[test]
fn a_program_changes_its_own_files_as_it_likes() {
    let _limit = testkit::limit();
    let base = tempfile::tempdir().unwrap();
    let program = script(
        base.path(),
        "chmod 4711 d/A && touch -d @5 d/A && ln d/A b && mv b c && stat -c '%a %Y %u %h' c; id -u",
    );
    let out = OutputDir::create(Some(&base.path().join("out")), base.path()).unwrap();
    out.write_test(&expecting(
        1,
        "x",
        ExitKind::Status(0),
        "4711 5 1000 2\n1000\n",
    ));
    let sandbox = sandbox(&program, &[]);
    if *sandbox.fence() != replay::Fence::Namespaces {
        testkit::skip(&format!("no fence of namespaces: {:?}", sandbox.fence()));
        return;
    }
    let summary = replay::run(&options(out.path(), program, &sandbox)).unwrap();
    assert_eq!(
        summary.tests[0].verdict,
        ReplayVerdict::Same,
        "{}",
        summary.text()
    );
}

#[test]
fn nothing_that_the_caller_has_open_is_open_for_a_test() {
    if !testkit::need("namespaces") {
        return;
    }
    let base = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = base.path();
    let precious = place.join("precious");
    fs::write(&precious, "original").unwrap();
    let open = fs::File::options().append(true).open(&precious).unwrap();
    // SAFETY: numbers only. Programs that are started meanwhile inherit it.
    let number = unsafe { libc::fcntl(open.as_raw_fd(), libc::F_DUPFD, 200) };
    assert!(number >= 200);
    // The program's own signals, umask and environment, too.
    let binary = script(
        place,
        &format!(
            "bash -c 'echo changed >&{number}' && echo wrote\n\
             echo changed > /proc/self/fd/{number} && echo reopened\n\
             umask; ulimit -n; grep -E '^Sig(Blk|Ign)' /proc/self/status\n\
             tr '\\0' '\\n' < /proc/$PPID/environ | grep ^HOME="
        ),
    );
    for launcher in [common::launcher(), common::ruled()] {
        let ruled = launcher.program.ends_with("unshare");
        let sandbox = sandbox_by(launcher, &binary, &[]);
        assert_eq!(*sandbox.fence() == Fence::Namespaces, !ruled);
        let test = TestCase {
            args: vec![b"program".to_vec()],
            ..TestCase::default()
        };
        let seen = sandbox
            .run(&binary, &test, &SandboxLimits::default())
            .unwrap();
        let none = "0000000000000000";
        let wants = format!("0022\n1024\nSigBlk:\t{none}\nSigIgn:\t{none}\n");
        assert_eq!(String::from_utf8_lossy(&seen.stdout), wants, "{ruled}");
        assert_eq!(fs::read(&precious).unwrap(), b"original", "{ruled}");
    }
    // SAFETY: it is ours, and nobody uses it any more.
    unsafe { libc::close(number) };
}
