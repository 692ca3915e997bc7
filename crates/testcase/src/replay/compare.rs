//! Compares a native run with the machine's.

use super::sandbox::{NativeEnd, Observed};
use crate::model::{ExitKind, Expected};
use serde::{Deserialize, Serialize};

/// The verdict on one test. The order is that of the totals.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verdict", content = "detail")]
pub enum ReplayVerdict {
    /// Exit status and output are equal (of a path that we ended early: its output begins so).
    Same,
    /// Equal but for the text on stderr (another libc words its messages differently).
    DifferentMessages(String),
    /// Other output on stdout; what differs first.
    DifferentOutput(String),
    /// Another exit status or signal; both of them.
    DifferentExit(String),
    /// The same outcome by another way through the blocks of the program (Java; for C see [`super::modelled`]).
    DifferentWay(String),
    /// Another outcome, output or way, which may follow from what each run answers in its own way ([`Expected::unsteady`]); what differs,
    /// and where that was asked.
    Unsteady(String),
    /// The native run took too long.
    TimedOut,
    /// The path ended in an error: see the error's confirmation.
    Error,
    /// The test could not be set up here, with the reason.
    NotRun(String),
}

impl ReplayVerdict {
    /// Short name for tables.
    pub fn name(&self) -> &'static str {
        match self {
            ReplayVerdict::Same => "same",
            ReplayVerdict::DifferentMessages(_) => "different messages",
            ReplayVerdict::DifferentOutput(_) => "different output",
            ReplayVerdict::DifferentExit(_) => "different exit",
            ReplayVerdict::DifferentWay(_) => "different way",
            ReplayVerdict::Unsteady(_) => "unsteady",
            ReplayVerdict::TimedOut => "time-out",
            ReplayVerdict::Error => "error path",
            ReplayVerdict::NotRun(_) => "not run",
        }
    }

    /// Did the native run do what the machine predicted, as far as anyone can? (Of an error its confirmation tells.)
    pub fn is_as_predicted(&self) -> bool {
        matches!(
            self,
            ReplayVerdict::Same
                | ReplayVerdict::DifferentMessages(_)
                | ReplayVerdict::Unsteady(_)
                | ReplayVerdict::Error
        )
    }

    /// The difference, or the reason why it was not run.
    pub fn detail(&self) -> &str {
        match self {
            ReplayVerdict::DifferentMessages(d)
            | ReplayVerdict::DifferentOutput(d)
            | ReplayVerdict::DifferentExit(d)
            | ReplayVerdict::DifferentWay(d)
            | ReplayVerdict::Unsteady(d)
            | ReplayVerdict::NotRun(d) => d,
            ReplayVerdict::Same | ReplayVerdict::TimedOut | ReplayVerdict::Error => "",
        }
    }
}

/// Compares.
pub fn compare(expected: &Expected, seen: &Observed) -> ReplayVerdict {
    let wanted = match &expected.exit {
        ExitKind::Status(n) => NativeEnd::Exited(*n & 0xFF),
        ExitKind::Signal(n) => NativeEnd::Signaled(*n),
        ExitKind::Error(_) => return ReplayVerdict::Error,
        // We know only a beginning of what the program does.
        ExitKind::Killed(_) => {
            return match (difference_start(&expected.stdout, &seen.stdout), seen.end) {
                (None, _) => ReplayVerdict::Same,
                (Some(_), NativeEnd::TimedOut) if seen.stdout.len() < expected.stdout.len() => {
                    ReplayVerdict::TimedOut
                }
                (Some(at), _) => ReplayVerdict::DifferentOutput(describe(
                    "stdout",
                    &expected.stdout,
                    &seen.stdout,
                    at,
                )),
            };
        }
    };
    if seen.end == NativeEnd::TimedOut {
        return ReplayVerdict::TimedOut;
    }
    if seen.end != wanted {
        return ReplayVerdict::DifferentExit(format!(
            "{}, expected {}",
            words(seen.end),
            words(wanted)
        ));
    }
    if let Some(at) = difference(&expected.stdout, &seen.stdout) {
        return ReplayVerdict::DifferentOutput(describe(
            "stdout",
            &expected.stdout,
            &seen.stdout,
            at,
        ));
    }
    match difference(&expected.stderr, &seen.stderr) {
        Some(at) => {
            ReplayVerdict::DifferentMessages(describe("stderr", &expected.stderr, &seen.stderr, at))
        }
        None => ReplayVerdict::Same,
    }
}

/// An end in words.
pub fn words(end: NativeEnd) -> String {
    match end {
        NativeEnd::Exited(n) => format!("exit {n}"),
        NativeEnd::Signaled(n) => format!("signal {n} ({})", signal_name(n)),
        NativeEnd::TimedOut => "time-out".into(),
        NativeEnd::TooManyProcesses => "ended for too many processes".into(),
        NativeEnd::TooMuchMemory => "ended for too much memory".into(),
        NativeEnd::TooMuchDisk => "ended for too much space on disk".into(),
    }
}

/// The usual name of a signal.
pub fn signal_name(n: i32) -> &'static str {
    match n {
        libc::SIGILL => "SIGILL",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGKILL => "SIGKILL",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGALRM => "SIGALRM",
        libc::SIGTERM => "SIGTERM",
        libc::SIGXFSZ => "SIGXFSZ",
        _ => "signal",
    }
}

/// The first position at which they differ.
fn difference(a: &[u8], b: &[u8]) -> Option<usize> {
    (a != b).then(|| a.iter().zip(b).take_while(|(x, y)| x == y).count())
}

/// The first position at which `b` does not begin like `a`.
fn difference_start(a: &[u8], b: &[u8]) -> Option<usize> {
    if b.starts_with(a) {
        None
    } else {
        difference(a, b)
    }
}

fn describe(stream: &str, expected: &[u8], seen: &[u8], at: usize) -> String {
    let show = |bytes: &[u8]| {
        let start = at.saturating_sub(8).min(bytes.len());
        let end = (at + 24).min(bytes.len());
        format!("\"{}\"", bytes[start..end].escape_ascii())
    };
    format!(
        "{stream} differs at byte {at}: {} of {} bytes, expected {} of {}",
        show(seen),
        seen.len(),
        show(expected),
        expected.len()
    )
}
