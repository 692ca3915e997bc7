//! One recorded command, laid out again and run both ways.

use super::record::{Recorded, StdinSource};
use super::user::{as_user, is_root};
use super::{USER, tree};
use anyhow::{Context, Result, ensure};
use oracle::fidelity::finished;
use oracle::measure::{Usage, measure, through_pipes};
use rustix::fs::Mode;
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use testcase::Run;
use testcase::replay::sandbox::Scratch;

/// What the comparison says.
#[derive(Clone, Debug)]
pub enum Comparison {
    Equal,
    Different(String),
    /// With the reason, found while running.
    Excluded(String),
}

const NATIVE_LIMIT: Duration = Duration::from_secs(5);
const ENGINE_LIMIT: Duration = Duration::from_secs(40);

/// How a run ended.
struct RunEnding {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    status: i32,
}

impl RunEnding {
    /// With its lines in order.
    fn sorted(&self) -> RunEnding {
        let sort = |bytes: &[u8]| {
            let mut lines: Vec<&[u8]> = bytes.split_inclusive(|b| *b == b'\n').collect();
            lines.sort_unstable();
            lines.concat()
        };
        RunEnding {
            stdout: sort(&self.stdout),
            stderr: sort(&self.stderr),
            status: self.status,
        }
    }
}

/// Programs that walk through directories in the order of their entries, which is the file system's.
fn unordered(program: &str) -> bool {
    matches!(
        program,
        "du" | "rm" | "chmod" | "chown" | "chgrp" | "cp" | "mv"
    )
}

/// Runs the command both ways and compares.
pub fn judge(polypath: &Path, top: &Path, command: &Recorded) -> Result<Comparison> {
    let root = top.join("work").join(&command.test);
    let binary = top.join("real").join(&command.program);
    lay_out(&root, command)?;
    let scratch = Scratch::new("make-check")?;
    let left = scratch.path().join("fs");
    let ours = engine(polypath, &binary, &root, command, scratch.path())?;
    let native = run_native(&binary, command)?;
    let Some(first) = native else {
        return Ok(Comparison::Excluded("the native run does not end".into()));
    };
    let difference = match ours {
        Ok(ours) if unordered(&command.program) => difference(&first.sorted(), &ours.sorted()),
        Ok(ours) => difference(&first, &ours),
        Err(why) => Some(why),
    };
    let difference = match difference {
        None => tree::difference(&root, &left)?,
        some => some,
    };
    let Some(why) = difference else {
        remove(&root)?;
        return Ok(Comparison::Equal);
    };
    lay_out(&root, command)?;
    let again = run_native(&binary, command)?;
    remove(&root)?;
    let steady = again.is_some_and(|again| self::difference(&first, &again).is_none());
    Ok(if steady {
        Comparison::Different(why)
    } else {
        Comparison::Excluded("two native runs differ".into())
    })
}

/// The test's directory as it was when the command ran.
fn lay_out(root: &Path, command: &Recorded) -> Result<()> {
    remove(root)?;
    fs::create_dir_all(root).with_context(|| format!("cannot make {}", root.display()))?;
    let mut tar = Command::new("tar");
    tar.args(["--sparse", "--same-permissions", "-xf"])
        .arg(command.dir.join("tree.tar"))
        .arg("-C")
        .arg(root);
    tar.stdin(Stdio::null()).stderr(Stdio::null());
    if is_root() {
        std::os::unix::fs::chown(root, Some(USER), Some(USER))?;
        tar.arg(format!("--owner={USER}"));
    }
    as_user(&mut tar);
    ensure!(
        tar.status()?.success(),
        "cannot unpack {}",
        command.dir.display()
    );
    Ok(())
}

fn remove(root: &Path) -> Result<()> {
    if root.exists() {
        // Tests leave directories that even their owner cannot enter.
        let mut chmod = Command::new("chmod");
        chmod.args(["-R", "u+rwx"]).arg(root).stderr(Stdio::null());
        chmod.status()?;
        fs::remove_dir_all(root).with_context(|| format!("cannot clear {}", root.display()))?;
    }
    Ok(())
}

/// Standard input as it was recorded: a pipe's bytes are returned.
fn connect(process: &mut Command, command: &Recorded) -> Result<Option<Vec<u8>>> {
    match command.input {
        StdinSource::File => process.stdin(File::open(command.stdin())?),
        StdinSource::Pipe => return Ok(Some(fs::read(command.stdin())?)),
        _ => process.stdin(Stdio::null()),
    };
    Ok(None)
}

/// Natively; `None` when it does not end.
fn run_native(binary: &Path, command: &Recorded) -> Result<Option<RunEnding>> {
    let mut process = Command::new(binary);
    process
        .arg0(&command.program)
        .args(command.os_args())
        .current_dir(&command.cwd);
    process.env_clear();
    for (name, value) in &command.env {
        use std::os::unix::ffi::OsStrExt;
        process.env(name, std::ffi::OsStr::from_bytes(value));
    }
    let feed = connect(&mut process, command)?;
    as_user(&mut process);
    let umask = Mode::from_raw_mode(command.umask);
    // SAFETY: umask is async-signal-safe and touches only the child.
    unsafe {
        process.pre_exec(move || {
            rustix::process::umask(umask);
            Ok(())
        });
    }
    let owner = is_root().then_some(USER);
    let usage = through_pipes(process, feed, owner, NATIVE_LIMIT)?;
    Ok((!usage.timed_out).then(|| RunEnding {
        status: usage.code(),
        stdout: usage.stdout,
        stderr: usage.stderr,
    }))
}

/// By Polypath; an error is what went wrong, in words.
fn engine(
    polypath: &Path,
    binary: &Path,
    root: &Path,
    command: &Recorded,
    scratch: &Path,
) -> Result<Result<RunEnding, String>> {
    let out: PathBuf = scratch.join("out");
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let mut process = Command::new(polypath);
    process
        .args(["run", "--quiet", "--check", "memory"])
        .arg("--out")
        .arg(&out)
        .arg("--fs")
        .arg(root);
    process
        .arg(format!("--clock={now}"))
        .arg(format!("--umask={:o}", command.umask));
    process.arg("--save-fs").arg(scratch.join("fs"));
    // Users, groups and time zones are the host's on both sides.
    for host in ["/etc", "/usr/share/zoneinfo"] {
        if Path::new(host).is_dir() {
            process.args(["--fs", host]);
        }
    }
    process.arg("--env=LC_ALL");
    for (name, value) in &command.env {
        let Ok(value) = std::str::from_utf8(value) else {
            return Ok(Err("an environment that is not UTF-8".into()));
        };
        process.arg(format!("--env={name}={value}"));
    }
    let kind = match command.input {
        StdinSource::File => "file",
        StdinSource::Pipe => "pipe",
        _ => "null",
    };
    process.args(["--stdin-kind", kind]);
    if command.stdin().is_file() {
        process.arg("--stdin").arg(command.stdin());
    }
    process
        .arg(binary)
        .arg("--")
        .args(command.os_args())
        .current_dir(&command.cwd);
    let usage = measure(&mut process, ENGINE_LIMIT)?;
    Ok(ending(&usage, &out))
}

fn ending(usage: &Usage, out: &Path) -> Result<RunEnding, String> {
    let (run, stats) = finished(usage, || Run::read(out))?;
    let test = run.tests.into_iter().next();
    match (stats.exit_status, test) {
        (Some(status), Some(test)) => Ok(RunEnding {
            stdout: test.expected.stdout,
            stderr: test.expected.stderr,
            status: status & 255,
        }),
        _ => Err(format!("no exit status; halted: {:?}", stats.halted)),
    }
}

fn difference(native: &RunEnding, ours: &RunEnding) -> Option<String> {
    let text = |what: &str, a: &[u8], b: &[u8]| {
        (a != b).then(|| {
            let (a, b) = (String::from_utf8_lossy(a), String::from_utf8_lossy(b));
            let line = a.lines().zip(b.lines()).position(|(a, b)| a != b);
            let line = line.unwrap_or(a.lines().count().min(b.lines().count()));
            let at = |text: &str| {
                text.lines()
                    .nth(line)
                    .unwrap_or("<end>")
                    .chars()
                    .take(200)
                    .collect::<String>()
            };
            format!(
                "{what}, line {}: native {:?}, ours {:?}",
                line + 1,
                at(&a),
                at(&b)
            )
        })
    };
    let status = || {
        (native.status != ours.status).then(|| {
            format!(
                "exit status: native {}, ours {}",
                native.status, ours.status
            )
        })
    };
    let parts: Vec<String> = [
        text("stdout", &native.stdout, &ours.stdout),
        text("stderr", &native.stderr, &ours.stderr),
        status(),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}
