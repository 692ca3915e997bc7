//! Errors confirmed natively: each kind by the way that the table in [`crate::kind`] names.

use super::compare::{signal_name, words};
use super::sandbox::{self, End, Limits, Observed};
use crate::kind::{Confirm, ErrorKind};
use crate::model::{ErrorRecord, TestCase};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What a native run says about an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verdict", content = "detail")]
pub enum Confirmation {
    /// It happened, as described.
    Confirmed(String),
    /// It did not; what happened instead.
    NotReproduced(String),
    /// No native run can show this kind.
    NotConfirmable(String),
    /// The run that would show it could not be made.
    NotTried(String),
}

impl Confirmation {
    /// Short name for tables.
    pub fn name(&self) -> &'static str {
        match self {
            Confirmation::Confirmed(_) => "confirmed",
            Confirmation::NotReproduced(_) => "not reproduced",
            Confirmation::NotConfirmable(_) => "not confirmable",
            Confirmation::NotTried(_) => "not tried",
        }
    }

    /// How, or why not.
    pub fn detail(&self) -> &str {
        match self {
            Confirmation::Confirmed(d)
            | Confirmation::NotReproduced(d)
            | Confirmation::NotConfirmable(d)
            | Confirmation::NotTried(d) => d,
        }
    }
}

/// A build of the program for one purpose, or why there is none.
pub type Build = Result<PathBuf, String>;

/// The builds that confirmations need.
pub struct Builds<'a> {
    pub plain: &'a Path,
    /// With address checks.
    pub address: &'a Build,
    /// With traps on undefined behaviour.
    pub traps: &'a Build,
}

/// Exit status of the sanitised run time, and how its report starts.
pub const SANITIZER_EXIT: i32 = 99;
pub const SANITIZER_TEXT: &str = "polypath-check: ";

/// Confirms one error by running its test.
pub fn confirm(
    error: &ErrorRecord,
    test: &TestCase,
    builds: &Builds,
    limits: &Limits,
) -> Confirmation {
    match error.kind.row().confirm {
        Confirm::Never(why) => Confirmation::NotConfirmable(why.into()),
        Confirm::Signal(signals) => run(builds.plain, test, limits, |seen| signal(seen, signals)),
        Confirm::AbortOrText(texts) => run(builds.plain, test, limits, |seen| abort(seen, texts)),
        Confirm::UndefinedTrap => match builds.traps {
            Ok(binary) => run(binary, test, limits, |seen| {
                signal(seen, &[libc::SIGILL, libc::SIGTRAP])
            }),
            Err(why) => Confirmation::NotTried(why.clone()),
        },
        Confirm::AddressSanitizer(classes) => match builds.address {
            Ok(binary) => {
                let mut limits = limits.clone();
                limits.memory = None;
                if error.kind == ErrorKind::Leak {
                    limits.env.push(("POLYPATH_CHECK_LEAKS".into(), "1".into()));
                }
                run(binary, test, &limits, |seen| sanitizer(seen, classes))
            }
            Err(why) => Confirmation::NotTried(why.clone()),
        },
    }
}

fn run(
    binary: &Path,
    test: &TestCase,
    limits: &Limits,
    judge: impl Fn(&Observed) -> Result<String, String>,
) -> Confirmation {
    match sandbox::run(binary, test, limits) {
        Ok(seen) => match judge(&seen) {
            Ok(how) => Confirmation::Confirmed(how),
            Err(saw) => Confirmation::NotReproduced(saw),
        },
        Err(e) => Confirmation::NotTried(e.to_string()),
    }
}

fn signal(seen: &Observed, signals: &[i32]) -> Result<String, String> {
    match seen.end {
        End::Signaled(n) if signals.contains(&n) => Ok(signal_name(n).into()),
        end => Err(words(end)),
    }
}

fn abort(seen: &Observed, texts: &[&str]) -> Result<String, String> {
    let stderr = String::from_utf8_lossy(&seen.stderr);
    let line = stderr.lines().find(|l| texts.iter().any(|t| l.contains(t)));
    match (seen.end, line) {
        (End::Signaled(libc::SIGABRT), Some(line)) => Ok(format!("SIGABRT: {}", line.trim())),
        (End::Signaled(libc::SIGABRT), None) => Ok("SIGABRT".into()),
        (End::Exited(n), Some(line)) if n != 0 => Ok(format!("exit {n}: {}", line.trim())),
        (end, _) => Err(words(end)),
    }
}

/// The run time prints `polypath-check: CLASS …` and exits; an access so wild that it misses every
/// object may also end in SIGSEGV.
fn sanitizer(seen: &Observed, classes: &[&str]) -> Result<String, String> {
    let stderr = String::from_utf8_lossy(&seen.stderr);
    let report = stderr
        .lines()
        .find_map(|l| l.split_once(SANITIZER_TEXT).map(|(_, text)| text.trim()));
    match (report, seen.end) {
        (Some(report), _) if classes.iter().any(|c| report.starts_with(c)) => Ok(report.into()),
        (Some(report), _) => Err(format!("another error: {report}")),
        (None, End::Signaled(libc::SIGSEGV)) if classes.contains(&"wild-access") => {
            Ok("SIGSEGV".into())
        }
        (None, end) => Err(format!("no report, {}", words(end))),
    }
}
