//! Modelled replay: does a native binary take the machine's path?
//!
//! The binary is emitted from the bitcode that the machine ran. Its coverage sites update the path
//! hash (`ir::trace`), its system calls are answered from a transcript that the machine records
//! when it runs the test concretely (see [`crate::transcript`]). A path that ended with `exit` must
//! end with the machine's hash; a path that ended in an error or was ended by us must pass through
//! it. Anything else is a divergence, and a bug of ours (or a program that reads memory it never
//! wrote, or looks at its addresses).

use crate::model::{ExitKind, TestCase};
use crate::replay::sandbox::{self, End, Scratch};
use crate::transcript::{self, FD_RESULT, FD_TRANSCRIPT, Report};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What modelled replay needs.
pub struct Modelled<'a> {
    /// The binary (see [`crate::sanitize::hashed`]).
    pub binary: PathBuf,
    /// Runs the machine on a test and records the transcript; an error in words.
    pub record: &'a (dyn Fn(&TestCase) -> Result<Vec<u8>, String> + Sync),
    pub time: Duration,
}

/// The outcome for one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelledOutcome {
    Same,
    Diverged(String),
    NotRun(String),
}

impl ModelledOutcome {
    /// Short name for tables.
    pub fn name(&self) -> &'static str {
        match self {
            ModelledOutcome::Same => "same path",
            ModelledOutcome::Diverged(_) => "diverged",
            ModelledOutcome::NotRun(_) => "not run",
        }
    }
}

impl Modelled<'_> {
    /// Replays one test.
    pub fn run(&self, test: &TestCase) -> ModelledOutcome {
        let Some(hash) = test.expected.path_hash else {
            return ModelledOutcome::NotRun("the test has no path hash".into());
        };
        let calls = match (self.record)(test) {
            Ok(calls) => calls,
            Err(why) => return ModelledOutcome::NotRun(why),
        };
        match self.follow(test, hash, &calls) {
            Ok(outcome) => outcome,
            Err(e) => ModelledOutcome::NotRun(e.to_string()),
        }
    }

    fn follow(&self, test: &TestCase, hash: u64, calls: &[u8]) -> io::Result<ModelledOutcome> {
        let complete = matches!(test.expected.exit, ExitKind::Status(_));
        let scratch = Scratch::new("modelled")?;
        let input = scratch.path().join("transcript");
        let output = scratch.path().join("result");
        std::fs::write(&input, transcript::file(hash, complete, calls))?;
        let (input, output_file) = (File::open(input)?, File::create(&output)?);

        let mut command = Command::new(&self.binary);
        if let Some(name) = test.args.first() {
            command.arg0(OsStr::from_bytes(name));
        }
        command.args(test.args.iter().skip(1).map(|a| OsStr::from_bytes(a)));
        command.env_clear().current_dir(scratch.path());
        for entry in &test.env {
            let split = entry.iter().position(|b| *b == b'=').unwrap_or(entry.len());
            let value = entry.get(split + 1..).unwrap_or_default();
            if split > 0 {
                command.env(OsStr::from_bytes(&entry[..split]), OsStr::from_bytes(value));
            }
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let fds = [
            (input.as_raw_fd(), FD_TRANSCRIPT),
            (output_file.as_raw_fd(), FD_RESULT),
        ];
        let prepare = move || {
            for (from, to) in fds {
                // SAFETY: dup2 and setpgid are async-signal-safe.
                if unsafe { libc::dup2(from, to) } < 0 {
                    return Err(io::Error::last_os_error());
                }
            }
            // SAFETY: as above.
            unsafe { libc::setpgid(0, 0) };
            Ok(())
        };
        // SAFETY: the closure makes system calls only.
        unsafe { command.pre_exec(prepare) };
        let end = sandbox::spawn_and_wait(&mut command, self.time)?;
        let report = std::fs::read(&output)?;
        Ok(judge(Report::parse(&report), end, complete))
    }
}

fn judge(report: Option<Report>, end: End, complete: bool) -> ModelledOutcome {
    let how = super::compare::words(end);
    match report {
        Some(Report::Finished { same: true }) => ModelledOutcome::Same,
        Some(Report::Finished { same: false }) => {
            ModelledOutcome::Diverged("ended with another path hash".into())
        }
        Some(Report::Reached) if !complete => ModelledOutcome::Same,
        Some(Report::Reached) => {
            ModelledOutcome::Diverged(format!("went on after the end of the path ({how})"))
        }
        Some(Report::WrongCall {
            index,
            expected,
            seen,
        }) => ModelledOutcome::Diverged(format!(
            "system call {index} is number {seen}, the machine made number {expected}"
        )),
        Some(Report::OutOfCalls { index, seen }) => ModelledOutcome::Diverged(format!(
            "system call {index} (number {seen}) after the machine's last one"
        )),
        Some(Report::BadTranscript) => ModelledOutcome::NotRun("the transcript is damaged".into()),
        None => ModelledOutcome::Diverged(format!("no report, {how}")),
    }
}
