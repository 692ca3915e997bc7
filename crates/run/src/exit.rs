//! The exit statuses, on which scripts rely: `docs/exit.md` has the table, and `exits` of `crates/cli/tests` a test for each row.

use std::process::{ExitCode, ExitStatus};

/// What the user gave cannot be used: a mistake in the command line, found after it was parsed, or a file that is none of
/// those asked for. Exit status 2.
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
    /// What the user gave cannot be used: the command line, the program, the directory.
    Usage,
    /// Polypath failed, or could not write its results.
    Failed,
    /// Nothing was found, but that says little: something was left out (`run --strict`), nothing was explored, or tests came
    /// out in another way than predicted.
    LeftOut,
    /// The status of a command that was run, or of an end by a signal.
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

    /// Is the user's input the reason of this error?
    pub fn of_error(error: &anyhow::Error) -> Exit {
        if is_the_users(error) {
            Exit::Usage
        } else {
            Exit::Failed
        }
    }

    /// The same, if no signal asked for the end of the work that has this answer. What was found stays found, and what failed
    /// failed.
    pub fn unless_stopped(self) -> Exit {
        match (self, host::signals::status()) {
            (Exit::Nothing | Exit::LeftOut, Some(status)) => Exit::Status(status),
            (exit, _) => exit,
        }
    }
}

fn is_the_users(error: &anyhow::Error) -> bool {
    use llvm_client::LowerError;
    use toolchain::{compile::CompileError, driver::DriverError, extract::ExtractError};
    let compiler = error.downcast_ref::<CompileError>();
    error.is::<UsageError>()
        || error.is::<testcase::read::NotResults>()
        || error.is::<ExtractError>()
        || compiler
            .is_some_and(|e| matches!(e, CompileError::Compiler(_) | CompileError::UnknownKind(_)))
        || matches!(
            error.downcast_ref::<LowerError>(),
            Some(LowerError::Refused(_))
        )
        || matches!(
            error.downcast_ref::<DriverError>(),
            Some(DriverError::ForeignTarget(_))
        )
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
