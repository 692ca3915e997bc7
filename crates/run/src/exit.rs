//! The exit statuses, on which scripts rely.

use std::process::{ExitCode, ExitStatus};

/// A mistake in the command line, found after it was parsed: exit status 2.
#[derive(Debug)]
pub struct UsageError(pub String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// How the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Done; nothing found.
    Nothing,
    /// Errors were found in the program under test.
    Found,
    /// The command line is wrong.
    Usage,
    /// Polypath failed, or could not write its results.
    Failed,
    /// Nothing was found, but something was left out (`run --strict`).
    LeftOut,
    /// The status of a command that was run.
    Status(u8),
}

impl Exit {
    /// Passes a child's end on, a signal as shells do it.
    pub fn of(status: ExitStatus) -> Exit {
        use std::os::unix::process::ExitStatusExt;
        let code = status.code().or_else(|| status.signal().map(|s| 128 + s));
        code.and_then(|c| u8::try_from(c).ok())
            .map_or(Exit::Failed, Exit::Status)
    }
}

impl Exit {
    /// The end of a run: an error of the program counts more than one of ours, and that more than a loss.
    pub fn of_run(errors: u64, failed: bool, left_out: bool, strict: bool) -> Exit {
        match (errors, failed) {
            (1.., _) => Exit::Found,
            (0, true) => Exit::Failed,
            (0, false) if left_out && strict => Exit::LeftOut,
            (0, false) => Exit::Nothing,
        }
    }
}

impl From<Exit> for u8 {
    fn from(exit: Exit) -> u8 {
        match exit {
            Exit::Nothing => 0,
            Exit::Found => 1,
            Exit::Usage => 2,
            Exit::Failed => 3,
            Exit::LeftOut => 4,
            Exit::Status(code) => code,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(u8::from(exit))
    }
}
