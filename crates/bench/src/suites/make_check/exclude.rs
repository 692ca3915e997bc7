//! The recorded commands that are left out, each with the reason that is counted.

use super::record::{Recorded, StdinSource};

/// Programs whose meaning is another program that they run.
const RUNNERS: &[&str] = &[
    "nice",
    "nohup",
    "stdbuf",
    "timeout",
    "chroot",
    "setpriv",
    "runcon",
    "install-helper",
];
/// Programs that tell or change what the host is.
const HOST: &[&str] = &[
    "df",
    "mount",
    "uptime",
    "users",
    "who",
    "pinky",
    "hostid",
    "hostname",
    "nproc",
    "uname",
    "arch",
    "sync",
    "stty",
    "tty",
    "logname",
    "whoami",
    "id",
    "groups",
    "chcon",
    "getlimits",
];
/// Programs whose output is random or depends on other processes.
const RANDOM: &[&str] = &["mktemp", "shuf"];

/// Why a command is left out; `None`: it is compared.
pub fn reason(command: &Recorded) -> Option<&'static str> {
    if let Some(reason) = &command.skip {
        return Some(known(reason));
    }
    let args: Vec<String> = command
        .args
        .iter()
        .map(|a| String::from_utf8_lossy(a).into_owned())
        .collect();
    let has = |option: &str| {
        args.iter()
            .any(|a| a == option || a.starts_with(&format!("{option}=")))
    };
    let flag = |letter: char| {
        args.iter()
            .any(|a| a.starts_with('-') && !a.starts_with("--") && a.contains(letter))
    };
    let operands = || {
        args.iter()
            .filter(|a| !a.starts_with('-') && !a.contains('='))
    };
    let program = &command.program[..];
    match command.input {
        StdinSource::Closed => return Some("closed standard input"),
        StdinSource::Terminal => return Some("a terminal"),
        StdinSource::Other => return Some("a device as standard input"),
        StdinSource::File | StdinSource::Pipe | StdinSource::Null => {}
    }
    if RUNNERS.contains(&program) || program == "env" && operands().next().is_some() {
        return Some("runs another program");
    }
    if program == "split" && has("--filter")
        || program == "sort" && has("--compress-program")
        || program == "ginstall" && (flag('s') || has("--strip") || has("--strip-program"))
    {
        return Some("runs another program");
    }
    if program == "yes" && !has("--help") && !has("--version") {
        return Some("endless output");
    }
    if program == "kill"
        || program == "sleep"
        || program == "tail" && (flag('f') || flag('F') || has("--follow"))
    {
        return Some("signals, waiting or other processes");
    }
    if HOST.contains(&program) {
        return Some("tells what the host is");
    }
    if matches!(program, "ls" | "dir" | "vdir") && (flag('i') || has("--inode"))
        || program == "stat"
            && args
                .iter()
                .any(|a| ["%i", "%d", "%D"].iter().any(|f| a.contains(f)))
    {
        return Some("numbers of inodes and devices");
    }
    if RANDOM.contains(&program)
        || has("--random-source")
        || program == "shred"
        || flag('R') && program == "sort"
    {
        return Some("random");
    }
    if program == "date"
        && !(has("--date")
            || has("--reference")
            || has("--help")
            || has("--version")
            || flag('d')
            || flag('r')
            || flag('f')
            || has("--file"))
    {
        return Some("time of day");
    }
    // What lies outside the directory that was recorded, but for the devices that the world has.
    let modelled = [
        "/dev/null",
        "/dev/zero",
        "/dev/full",
        "/dev/stdin",
        "/dev/stdout",
        "/dev/stderr",
    ];
    let own = format!("/work/{}", command.test);
    let outside = |a: &String| {
        let path = a.split_once('=').map_or(&a[..], |(_, p)| p);
        let somewhere = path.starts_with("/dev/")
            || path.starts_with("/proc")
            || path.starts_with("/sys")
            || path.starts_with("/etc")
            || path.starts_with("/tmp/")
            || path.starts_with("/usr")
            || path.starts_with("/bin")
            || path.starts_with("/var");
        somewhere && !modelled.contains(&path) && !path.contains(&own)
    };
    if args.iter().any(outside) {
        return Some("files or devices outside the test's directory");
    }
    if matches!(
        program,
        "dd" | "head"
            | "tail"
            | "cat"
            | "od"
            | "wc"
            | "cksum"
            | "cp"
            | "sort"
            | "tac"
            | "cmp"
            | "split"
            | "truncate"
            | "stat"
            | "ls"
            | "dir"
            | "vdir"
            | "du"
            | "chmod"
            | "chown"
            | "chgrp"
            | "rm"
            | "readlink"
            | "realpath"
            | "test"
            | "["
    ) && args.iter().any(|a| a == "/" || a.starts_with("../.."))
    {
        return Some("files or devices outside the test's directory");
    }
    if command.args.iter().any(|a| std::str::from_utf8(a).is_err()) {
        return Some("arguments that are not UTF-8 (polypath run takes text)");
    }
    None
}

/// The recorder's reason as one of a fixed set.
fn known(reason: &str) -> &'static str {
    const REASONS: &[&str] = &[
        "devices or sockets among the files",
        "a huge sparse file",
        "files that the user cannot read",
        "many or large files",
        "endless, large or slow input",
        "no working directory",
        "runs outside the test's directory",
    ];
    REASONS
        .iter()
        .find(|r| **r == reason)
        .unwrap_or(&"the record could not be written")
}
