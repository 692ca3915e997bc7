//! Concrete fidelity: a program without symbolic input must do under `polypath run` what its native
//! binary does: the same output, the same exit status, no error found.

use crate::measure::{Usage, measure, measure_with_input};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use testcase::replay::sandbox::Scratch;
use testcase::{Run, RunStats};

/// A program with its concrete input.
#[derive(Clone, Debug, Default)]
pub struct ConcreteProgram {
    /// The source file.
    pub source: PathBuf,
    /// Compiler flags for both sides.
    pub flags: Vec<String>,
    /// The program's arguments, without its name.
    pub args: Vec<String>,
    /// What it finds on its standard input.
    pub stdin: Vec<u8>,
}

impl ConcreteProgram {
    /// A source file with what lies beside it: `NAME.args` (one a line) and `NAME.stdin`.
    pub fn beside(source: &Path) -> ConcreteProgram {
        // A program without such a file has no such input.
        let read =
            |extension: &str| std::fs::read(source.with_extension(extension)).unwrap_or_default();
        let args = String::from_utf8_lossy(&read("args"))
            .lines()
            .map(String::from)
            .collect();
        ConcreteProgram {
            source: source.into(),
            args,
            stdin: read("stdin"),
            ..ConcreteProgram::default()
        }
    }

    /// The same with these flags.
    pub fn with_flags(&self, flags: &[&str]) -> ConcreteProgram {
        ConcreteProgram {
            flags: flags.iter().map(|f| f.to_string()).collect(),
            ..self.clone()
        }
    }
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramEnding {
    /// What it wrote.
    pub stdout: Vec<u8>,
    /// Its exit status as shells show it.
    pub status: i32,
}

/// The limits of both sides.
const NATIVE_LIMIT: Duration = Duration::from_secs(10);
const ENGINE_LIMIT: Duration = Duration::from_secs(120);

/// Compiles with `compiler` and runs; `None` when it does not end in time.
pub fn native(compiler: &[&str], program: &ConcreteProgram) -> Result<Option<ProgramEnding>> {
    let scratch = Scratch::new("native")?;
    let binary = scratch.path().join("program");
    let mut command = Command::new(compiler[0]);
    command
        .args(&compiler[1..])
        .args(&program.flags)
        .arg(&program.source);
    command.arg("-w").arg("-o").arg(&binary).arg("-lm");
    let built = measure_with_input(&mut command, b"", ENGINE_LIMIT)?;
    if built.code() != 0 {
        bail!(
            "{} does not compile: {}",
            program.source.display(),
            built.last_words()
        );
    }
    let mut command = Command::new(&binary);
    command.args(&program.args).current_dir(scratch.path());
    let usage = measure_with_input(&mut command, &program.stdin, NATIVE_LIMIT)?;
    let status = usage.code();
    Ok((!usage.timed_out).then_some(ProgramEnding {
        stdout: usage.stdout,
        status,
    }))
}

/// Runs a program under Polypath: how it ended, or what went wrong.
pub fn engine(polypath: &Path, program: &ConcreteProgram) -> Result<Result<ProgramEnding, String>> {
    let scratch = Scratch::new("engine")?;
    let out = scratch.path().join("out");
    let input = scratch.path().join("stdin");
    std::fs::write(&input, &program.stdin)?;
    let mut command = Command::new(polypath);
    command.env("POLYPATH_JOBS", "1");
    command
        .arg("run")
        .args(["--no-tests", "--quiet", "--cc-flag=-w"]);
    command.arg("--out").arg(&out).arg("--stdin").arg(&input);
    command.args(program.flags.iter().map(|f| format!("--cc-flag={f}")));
    command.arg(&program.source);
    if !program.args.is_empty() {
        command.arg("--").args(&program.args);
    }
    command.current_dir(scratch.path());
    let usage = measure(&mut command, ENGINE_LIMIT)?;
    Ok(judge(&usage, &out))
}

fn judge(usage: &Usage, out: &Path) -> Result<ProgramEnding, String> {
    let (_, stats) = finished(usage, || Run::without_tests(out))?;
    match stats.exit_status {
        Some(status) => Ok(ProgramEnding {
            stdout: usage.stdout.clone(),
            status: status & 255,
        }),
        None => Err(format!("no exit status; halted: {:?}", stats.halted)),
    }
}

/// A run that ended by itself and found no error in the program; else, what went wrong.
pub fn finished(
    usage: &Usage,
    read: impl FnOnce() -> Result<Run>,
) -> Result<(Run, RunStats), String> {
    if usage.timed_out {
        return Err("not done in time".into());
    }
    if usage.code() > 1 {
        let words = usage.last_words();
        return Err(format!("polypath: exit {}: {words}", usage.code()));
    }
    let (run, stats) = read().and_then(Run::whole).map_err(|e| format!("{e:#}"))?;
    match run.errors.first() {
        Some(e) => Err(format!(
            "{} at {}:{}: {}",
            e.kind.id(),
            e.file,
            e.line,
            e.message
        )),
        None => Ok((run, stats)),
    }
}

/// What differs between two endings, in words; `None`: nothing.
pub fn difference(native: &ProgramEnding, engine: &ProgramEnding) -> Option<String> {
    if native.stdout != engine.stdout {
        let (a, b) = (
            String::from_utf8_lossy(&native.stdout),
            String::from_utf8_lossy(&engine.stdout),
        );
        let line = a.lines().zip(b.lines()).position(|(a, b)| a != b);
        let line = line.unwrap_or(a.lines().count().min(b.lines().count()));
        let at = |text: &str| text.lines().nth(line).unwrap_or("<end>").to_string();
        return Some(format!(
            "output differs at line {}: native {:?}, ours {:?}",
            line + 1,
            at(&a),
            at(&b)
        ));
    }
    (native.status != engine.status).then(|| {
        format!(
            "exit status: native {}, ours {}",
            native.status, engine.status
        )
    })
}

/// Compares a program under Polypath with the binary that `polypath cc` makes of it: `None` when
/// they agree.
pub fn compare(polypath: &Path, program: &ConcreteProgram) -> Result<Option<String>> {
    let name = polypath.to_str().context("a path that is not UTF-8")?;
    let Some(native) = native(&[name, "cc"], program)? else {
        return Ok(Some("the native run does not end".into()));
    };
    Ok(match engine(polypath, program)? {
        Ok(engine) => difference(&native, &engine),
        Err(wrong) => Some(wrong),
    })
}
