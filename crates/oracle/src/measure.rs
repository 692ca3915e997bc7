//! Runs a command and measures its cost: CPU time of the process and of the children that it waited for, from `wait4`;
//! peak memory of the process itself, from `/proc`. (`wait4`'s own figure for memory is no use: a child begins with
//! the peak of the process that started it, which here has read tests by the hundred thousand.)

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// What a command did and cost.
#[derive(Clone, Debug)]
pub struct Usage {
    /// How it ended.
    pub status: ExitStatus,
    /// It was killed because its time was up.
    pub timed_out: bool,
    /// User and system time, in seconds.
    pub cpu_s: f64,
    /// Time by the clock, in seconds.
    pub wall_s: f64,
    /// The largest resident set of the process, in MiB, as seen a few milliseconds before its end.
    pub peak_mb: f64,
    /// What it wrote to its standard output.
    pub stdout: Vec<u8>,
    /// And to its standard error.
    pub stderr: Vec<u8>,
}

impl Usage {
    /// The exit status as shells show it.
    pub fn code(&self) -> i32 {
        self.status
            .code()
            .or_else(|| self.status.signal().map(|s| 128 + s))
            .unwrap_or(-1)
    }

    /// The end of standard error, for messages.
    pub fn last_words(&self) -> String {
        let text = String::from_utf8_lossy(&self.stderr);
        let lines: Vec<&str> = text.trim().lines().collect();
        lines[lines.len().saturating_sub(3)..].join(" | ")
    }
}

fn seconds(t: libc::timeval) -> f64 {
    t.tv_sec as f64 + t.tv_usec as f64 * 1e-6
}

/// Peak resident memory of a living process.
fn high_water_kb(pid: i32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Runs the command with captured output in a process group of its own, killed after `limit`.
pub fn measure(command: &mut Command, limit: Duration) -> Result<Usage> {
    let scratch = testcase::replay::sandbox::Scratch::new("bench")?;
    let (out, err) = (scratch.path().join("out"), scratch.path().join("err"));
    command
        .stdout(File::create(&out)?)
        .stderr(File::create(&err)?)
        .process_group(0);
    command.stdin(Stdio::null());
    let begin = Instant::now();
    let child = command
        .spawn()
        .with_context(|| format!("cannot start {command:?}"))?;
    wait(Pid::from_child(&child), begin, limit, &out, &err)
}

/// The same with standard input from a file.
pub fn measure_with_input(command: &mut Command, input: &[u8], limit: Duration) -> Result<Usage> {
    let scratch = testcase::replay::sandbox::Scratch::new("bench")?;
    let path = |name: &str| scratch.path().join(name);
    std::fs::write(path("in"), input)?;
    command.stdin(File::open(path("in"))?).process_group(0);
    command
        .stdout(File::create(path("out"))?)
        .stderr(File::create(path("err"))?);
    let begin = Instant::now();
    let child = command
        .spawn()
        .with_context(|| format!("cannot start {command:?}"))?;
    wait(
        Pid::from_child(&child),
        begin,
        limit,
        &path("out"),
        &path("err"),
    )
}

/// The same with pipes for standard output and error, and one for standard input if it is given
/// (else the command's own setting holds).
pub fn through_pipes(
    mut command: Command,
    input: Option<Vec<u8>>,
    owner: Option<u32>,
    limit: Duration,
) -> Result<Usage> {
    let drain = |mut reader: std::io::PipeReader| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let done = reader.by_ref().take(64 << 20).read_to_end(&mut bytes);
            // Keep the pipe flowing, so that the program ends as it would.
            done.and_then(|_| std::io::copy(&mut reader, &mut std::io::sink()))
                .map(|_| bytes)
        })
    };
    let pipe = || -> Result<_> {
        let (reader, writer) = std::io::pipe()?;
        std::os::unix::fs::fchown(&writer, owner, owner)?;
        Ok((reader, writer))
    };
    let ((out, out_end), (err, err_end)) = (pipe()?, pipe()?);
    command.stdout(out_end).stderr(err_end).process_group(0);
    let mut feed = None;
    if let Some(bytes) = input {
        let (reader, mut writer) = pipe()?;
        command.stdin(reader);
        // A program that does not read its input closes the pipe: no error.
        feed = Some(move || drop(std::thread::spawn(move || writer.write_all(&bytes).is_ok())));
    }
    let begin = Instant::now();
    let child = command
        .spawn()
        .with_context(|| format!("cannot start {command:?}"))?;
    // Our copies of the pipes' ends must go, or a reader never sees the end.
    drop(command);
    if let Some(feed) = feed {
        feed();
    }
    let (out, err) = (drain(out), drain(err));
    let mut usage = wait(
        Pid::from_child(&child),
        begin,
        limit,
        Path::new("/dev/null"),
        Path::new("/dev/null"),
    )?;
    // What it left running would hold the pipes open. (The group was the child's own; nobody else can have taken its number so
    // soon. Often it is gone.)
    let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    let join = |thread: std::thread::JoinHandle<std::io::Result<Vec<u8>>>| {
        thread
            .join()
            .map_err(|_| anyhow::anyhow!("reading the output failed"))
    };
    (usage.stdout, usage.stderr) = (join(out)??, join(err)??);
    Ok(usage)
}

fn wait(child: Pid, begin: Instant, limit: Duration, out: &Path, err: &Path) -> Result<Usage> {
    let pid = child.as_raw_pid();
    let mut timed_out = false;
    let mut pause = Duration::from_micros(200);
    let mut peak_kb = 0;
    let (raw, usage) = loop {
        peak_kb = peak_kb.max(high_water_kb(pid).unwrap_or(0));
        let mut status = 0;
        // SAFETY: rusage is plain data for which zeroes are valid; waits for our own child, which nobody else reaps.
        let (got, usage) = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            let got = libc::wait4(pid, &mut status, libc::WNOHANG, &mut usage);
            (got, usage)
        };
        if got == pid {
            break (status, usage);
        }
        if got < 0 {
            return Err(std::io::Error::last_os_error()).context("wait4");
        }
        if !timed_out && begin.elapsed() > limit {
            timed_out = true;
            kill_process_group(child, Signal::KILL).context("kill")?;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    };
    let read = |path| -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(path)?.take(64 << 20).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    Ok(Usage {
        status: ExitStatus::from_raw(raw),
        timed_out,
        cpu_s: seconds(usage.ru_utime) + seconds(usage.ru_stime),
        wall_s: begin.elapsed().as_secs_f64(),
        peak_mb: peak_kb as f64 / 1024.0,
        stdout: read(out)?,
        stderr: read(err)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_measured_and_a_long_one_killed() {
        let ten = Duration::from_secs(10);
        let done = measure(Command::new("sh").args(["-c", "echo hi; exit 3"]), ten).unwrap();
        assert_eq!(
            (done.code(), done.timed_out, &done.stdout[..]),
            (3, false, &b"hi\n"[..])
        );
        let input = measure_with_input(&mut Command::new("cat"), b"abc", ten).unwrap();
        assert_eq!(input.stdout, b"abc");
        let long = measure(Command::new("sleep").arg("60"), Duration::from_millis(50)).unwrap();
        assert!(long.timed_out && long.wall_s < 10.0);
    }

    #[test]
    fn children_count() {
        let busy = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
        let script = format!("sh -c '{busy}'; exit 0");
        let usage = measure(
            Command::new("sh").args(["-c", &script]),
            Duration::from_secs(60),
        );
        assert!(usage.unwrap().cpu_s > 0.01);
    }
}
