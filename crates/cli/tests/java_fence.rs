//! A Java program that is explored does nothing to the host, and its runs find nothing of each other's files.

use serde_json::Value;
use std::fs;
use std::net::TcpListener;
use std::os::fd::AsRawFd;
use std::process::{Command, Output};
use std::time::SystemTime;
use testkit::{Place, java, place};

/// The command, in a namespace without further ones if `ruled`.
fn polypath(place: &Place, ruled: bool, args: &[&str]) -> Output {
    const SHELL: &str = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"";
    let mut command = Command::new(if ruled {
        "unshare"
    } else {
        env!("CARGO_BIN_EXE_polypath")
    });
    if ruled {
        command.args(["--user", "--map-root-user", "sh", "-c", SHELL, "sh"]);
        command.arg(env!("CARGO_BIN_EXE_polypath"));
    }
    command.current_dir(&**place).args(args);
    command.env("POLYPATH_SECRET", "topsecret");
    command.output().expect("polypath")
}

fn explore(place: &Place, ruled: bool, program: &[&str], options: &[&str]) -> (Value, String) {
    let out = format!("out-{}-{ruled}", program[0]);
    let mut args = vec!["java", "run", "classes", "--sym-stdin", "1"];
    args.extend(["--time", "120", "--out", &out]);
    args.extend(options);
    args.push("--");
    args.extend(program);
    let output = polypath(place, ruled, &args);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "{program:?}: {said}"
    );
    assert_eq!(said.contains("Landlock"), ruled, "{said}");
    let stats = fs::read(place.join(&out).join("stats.json")).expect("stats.json");
    for entry in fs::read_dir(place.join(&out))
        .expect("the results")
        .flatten()
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(!name.starts_with("work-"), "{name} is left");
    }
    (serde_json::from_slice(&stats).expect("stats.json"), said)
}

/// Is there a way to be without namespaces here?
fn can_be_ruled() -> bool {
    let mut command = Command::new("unshare");
    let status = command.args(["--user", "--map-root-user", "true"]).status();
    let can = status.is_ok_and(|status| status.success());
    if !can {
        testkit::skip("no namespace in which there are no further ones");
    }
    can
}

/// What the program printed on each path.
fn printed(place: &Place, ruled: bool, what: &str) -> Vec<String> {
    let out = place.join(format!("out-{what}-{ruled}"));
    let run = testcase::Run::read(&out).expect("the run");
    let texts = run.tests.iter();
    texts
        .map(|t| String::from_utf8_lossy(&t.expected.stdout).into_owned())
        .collect()
}

/// The program tries; nothing works.
fn is_kept_out(place: &Place, ruled: bool, program: &[&str], lines: usize) {
    let (stats, said) = explore(place, ruled, program, &[]);
    assert!(stats["completed_paths"].as_u64() >= Some(2), "{said}");
    let texts = printed(place, ruled, program[0]);
    assert!(texts.len() >= 2, "{said}");
    for text in texts {
        assert!(!text.contains("worked"), "{program:?}: {text}");
        assert_eq!(text.matches("failed").count(), lines, "{program:?}: {text}");
    }
}

#[test]
fn a_hostile_program_changes_nothing() {
    let place = place!("hostile");
    java::compile(&place, &[], &[java::source("fence/Hostile.java")]);
    // Not in a directory that programs have to themselves.
    let there = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let precious = there.path().join("precious");
    let name = precious.to_str().expect("a path in UTF-8");
    let server = TcpListener::bind("127.0.0.1:0").expect("a port");
    server.set_nonblocking(true).expect("a socket");
    let port = server.local_addr().expect("an address").port().to_string();
    let mut victim = Command::new("sleep").arg("600").spawn().expect("sleep");
    let pid = victim.id().to_string();
    for ruled in [false, true] {
        if ruled && !can_be_ruled() {
            continue;
        }
        fs::write(&precious, "precious").expect("a file");
        let before = fs::metadata(&precious).expect("the file").modified();
        let before: SystemTime = before.expect("a time");
        is_kept_out(&place, ruled, &["files", name], 6);
        let after = fs::metadata(&precious).expect("the file").modified();
        assert_eq!(before, after.expect("a time"));
        assert_eq!(fs::read(&precious).expect("the file"), b"precious");
        is_kept_out(&place, ruled, &["network", &port], 1);
        assert!(server.accept().is_err(), "somebody connected");
    }
    is_kept_out(&place, false, &["processes", &pid], 2);
    let lives = victim.try_wait().expect("a process").is_none();
    victim.kill().expect("a process");
    victim.wait().expect("a process");
    assert!(lives, "the program killed a process of the host");
}

#[test]
fn a_program_inherits_neither_environment_nor_open_files() {
    let place = place!("inherits");
    java::compile(&place, &[], &[java::source("fence/Hostile.java")]);
    let precious = place.join("precious");
    fs::write(&precious, "precious").expect("a file");
    let open = fs::File::options().append(true).open(&precious);
    let open = open.expect("the file");
    // SAFETY: numbers only. What this test starts from here on inherits it.
    let number = unsafe { libc::fcntl(open.as_raw_fd(), libc::F_DUPFD, 200) };
    assert!(number >= 200);
    let text = number.to_string();
    for ruled in [false, true] {
        if ruled && !can_be_ruled() {
            continue;
        }
        is_kept_out(&place, ruled, &["inherits", &text], 2);
        for said in printed(&place, ruled, "inherits") {
            let fixed = "{LC_ALL=C.UTF-8, PATH=/usr/bin:/bin, TZ=UTC0}";
            assert!(said.contains(fixed), "{said}");
        }
        let out = format!("out-inherits-{ruled}");
        let replay = polypath(&place, ruled, &["replay", &out]);
        let text = String::from_utf8_lossy(&replay.stdout).into_owned();
        assert_eq!(replay.status.code(), Some(0), "{text}");
        assert!(!text.contains("different"), "{text}");
        assert_eq!(fs::read(&precious).expect("the file"), b"precious");
    }
    // SAFETY: it is ours, and nobody uses it any more.
    unsafe { libc::close(number) };
}

#[test]
fn runs_find_nothing_of_each_other() {
    let place = place!("leaves");
    java::compile(&place, &[], &[java::source("fence/Hostile.java")]);
    for options in [&["--jobs", "1"][..], &["--jobs", "2"]] {
        let (stats, said) = explore(&place, false, &["leaves"], options);
        assert_eq!(stats["completed_paths"], 2, "{said}");
        assert_eq!(stats["errors"], 0, "{said}");
        fs::rename(place.join("out-leaves-false"), place.join(options[1])).expect("a directory");
    }
    let replay = polypath(&place, false, &["replay", "1"]);
    let text = String::from_utf8_lossy(&replay.stdout).into_owned();
    assert_eq!(replay.status.code(), Some(0), "{text}");
    assert!(!text.contains("different"), "{text}");
}

#[test]
fn files_of_input_are_read_behind_rules_too() {
    if !can_be_ruled() {
        return;
    }
    let place = place!("ruled");
    java::compile(&place, &[], &[java::source("files/Reads.java")]);
    let args = [
        "java",
        "run",
        "classes",
        "--sym-files",
        "1",
        "4",
        "--time",
        "120",
        "--out",
        "out",
        "--",
        "stream",
    ];
    let output = polypath(&place, true, &args);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("everything was explored"), "{said}");
}
