//! Confirms errors natively: each kind by its checks in the table of [`crate::kind`], and by the modelled replay if
//! they see nothing.
//!
//! A check that sees nothing proves nothing: an index may lead from one object into another, a program may handle the
//! signal that it gets, a compiler may have removed the access, the host may differ from the modelled world. So an error
//! is *contradicted* only when the replay of the machine's own path leads elsewhere.

use super::compare::{signal_name, words};
use super::modelled::{Modelled, ModelledOutcome};
use super::places::{self, CodeLocation};
use super::sandbox::{FloatTrap, NativeEnd, Observed, Sandbox, SandboxLimits};
use crate::ErrorKind;
use crate::kind::{Optimized, ReplayCheck, checks};
use crate::model::{ErrorRecord, TestCase};
use crate::sanitize::for_valgrind;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The result of native runs about an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verdict", content = "detail")]
pub enum Confirmation {
    /// It happened: what showed it.
    Confirmed(String),
    /// No check saw it, but a native binary takes the machine's path up to its place.
    Consistent(String),
    /// A native binary takes another path.
    Contradicted(String),
    /// Nothing could tell, with the reasons.
    Undecided(String),
}

impl Confirmation {
    /// Short name for tables.
    pub fn name(&self) -> &'static str {
        match self {
            Confirmation::Confirmed(_) => "confirmed",
            Confirmation::Consistent(_) => "consistent (modelled)",
            Confirmation::Contradicted(_) => "contradicted",
            Confirmation::Undecided(_) => "undecided",
        }
    }

    /// The check that confirmed it, or the reason why none did.
    pub fn detail(&self) -> &str {
        match self {
            Confirmation::Confirmed(d)
            | Confirmation::Consistent(d)
            | Confirmation::Contradicted(d)
            | Confirmation::Undecided(d) => d,
        }
    }
}

/// A build of the program for one purpose, or why there is none.
pub type Build = Result<PathBuf, String>;

/// The builds that confirmations need.
pub struct Builds<'a> {
    /// The user's binary.
    pub plain: &'a Path,
    /// With address checks.
    pub address: &'a Build,
    /// Unoptimized, with traps on undefined behavior.
    pub traps: &'a Build,
    /// The path of valgrind.
    pub valgrind: Option<&'a Path>,
}

/// The tools of confirmations.
pub struct Confirmer<'a> {
    /// The binaries to run.
    pub builds: Builds<'a>,
    /// The sandbox to run them in.
    pub sandbox: &'a Sandbox,
    /// Limits of each run.
    pub limits: &'a SandboxLimits,
    /// Modelled replay, if its parts are there.
    pub modelled: Option<&'a Modelled<'a>>,
}

/// How the report of the sanitised run time starts.
pub const SANITIZER_TEXT: &str = "polypath-check: ";
/// Valgrind's exit status for an error.
const VALGRIND_EXIT: i32 = 97;
/// Valgrind makes programs this much slower.
const VALGRIND_TIME: u32 = 10;
/// Tests of one error that are tried.
const TESTS: usize = 3;

/// The result of a check: how it shows the error, or what it saw instead.
type Seen = Result<String, String>;

impl Confirmer<'_> {
    /// Confirms one error by running its tests.
    pub fn confirm(&self, error: &ErrorRecord, tests: &[&TestCase]) -> Confirmation {
        let mut instead: Vec<String> = Vec::new();
        let mut add = |text: String| {
            if !instead.contains(&text) {
                instead.push(text);
            }
        };
        for test in tests.iter().take(TESTS) {
            for check in checks(error.kind) {
                match self.check(*check, error, test) {
                    Ok(Ok(how)) => return Confirmation::Confirmed(how),
                    Ok(Err(saw)) => add(saw),
                    Err(why) => add(why),
                }
            }
        }
        let Some(test) = tests.first() else {
            return Confirmation::Undecided("it has no test".into());
        };
        let outcome = match self.modelled {
            Some(modelled) => modelled.run(test),
            None => ModelledOutcome::NotRun("no modelled replay".into()),
        };
        let also = |text: String| {
            let rest = instead.join("; ");
            if rest.is_empty() {
                text
            } else {
                format!("{text}; {rest}")
            }
        };
        match outcome {
            ModelledOutcome::Same => Confirmation::Consistent(also(
                "a native binary of the same code takes the same path up to the error".into(),
            )),
            ModelledOutcome::Diverged(how) => Confirmation::Contradicted(also(format!(
                "a native binary of the same code takes another path: {how}"
            ))),
            ModelledOutcome::NotRun(why) => Confirmation::Undecided(also(why)),
        }
    }

    /// Runs one check; an error in words when it cannot be made.
    fn check(
        &self,
        check: ReplayCheck,
        error: &ErrorRecord,
        test: &TestCase,
    ) -> Result<Seen, String> {
        let mut limits = self.limits.clone();
        limits.trace = true;
        match check {
            ReplayCheck::Fault(signals) => {
                let seen = self.run(self.builds.plain, test, &limits)?;
                Ok(self.fault(self.builds.plain, &seen, signals))
            }
            ReplayCheck::Abort(texts) => {
                let seen = self.run(self.builds.plain, test, &limits)?;
                Ok(abort(&seen, texts))
            }
            ReplayCheck::Traps => {
                let binary = self.builds.traps.as_ref().map_err(Clone::clone)?;
                let seen = self.run(binary, test, &limits)?;
                let wanted = &[libc::SIGILL, libc::SIGTRAP, libc::SIGFPE];
                Ok(match self.fault(binary, &seen, wanted) {
                    Ok(how) => Ok(how.replacen("signal: ", "traps: ", 1)),
                    Err(saw) => Err(saw.replacen("signal: ", "traps: ", 1)),
                })
            }
            ReplayCheck::Exception(flags, optimized) => {
                let (binary, prefix) = match optimized {
                    Optimized::AsBuilt => (self.builds.plain, "exception"),
                    Optimized::No => {
                        let binary = self.builds.traps.as_deref().map_err(Clone::clone)?;
                        (binary, "exception, unoptimized")
                    }
                };
                limits.float_traps = Some(flags);
                let seen = self.run(binary, test, &limits)?;
                Ok(match self.exception(binary, &seen.float_traps, error) {
                    Ok(place) => Ok(format!("{prefix}: SIGFPE{place}")),
                    Err(saw) => Err(format!("{prefix}: {saw}")),
                })
            }
            ReplayCheck::Address(classes) => {
                let binary = self.builds.address.as_ref().map_err(Clone::clone)?;
                limits.memory = None;
                if error.kind == ErrorKind::Leak {
                    limits.env.push(("POLYPATH_CHECK_LEAKS".into(), "1".into()));
                }
                let seen = self.run(binary, test, &limits)?;
                Ok(self.sanitizer(binary, &seen, classes))
            }
            ReplayCheck::Unset => {
                let binary = self.builds.address.as_ref().map_err(Clone::clone)?;
                limits.memory = None;
                limits.env.push(("POLYPATH_CHECK_UNSET".into(), "1".into()));
                let seen = self.run(binary, test, &limits)?;
                Ok(self.unset(binary, &seen, error))
            }
            ReplayCheck::Valgrind => {
                let valgrind = self.builds.valgrind.ok_or("valgrind is not installed")?;
                let binary = match self.builds.traps {
                    Ok(traps) => for_valgrind(traps),
                    Err(_) => self.builds.plain.to_owned(),
                };
                limits.memory = None;
                limits.trace = false;
                limits.time *= VALGRIND_TIME;
                let seen = self.run(valgrind, &under_valgrind(&binary, test), &limits)?;
                Ok(uninitialized(&seen))
            }
        }
    }

    fn run(
        &self,
        binary: &Path,
        test: &TestCase,
        limits: &SandboxLimits,
    ) -> Result<Observed, String> {
        self.sandbox
            .run(binary, test, limits)
            .map_err(|e| format!("not run: {e}"))
    }

    fn fault(&self, binary: &Path, seen: &Observed, signals: &[i32]) -> Seen {
        if let Some(fault) = seen.faults.iter().find(|f| signals.contains(&f.signal)) {
            let place = self.place(binary, fault.pc);
            let handled = match seen.end {
                NativeEnd::Signaled(n) if n == fault.signal => String::new(),
                end => format!(", which the program handled ({})", words(end)),
            };
            return Ok(format!(
                "signal: {}{place}{handled}",
                signal_name(fault.signal)
            ));
        }
        match seen.end {
            NativeEnd::Signaled(n) if signals.contains(&n) => {
                Ok(format!("signal: {}", signal_name(n)))
            }
            end => Err(format!("signal: none, {}", words(end))),
        }
    }

    /// ` in FUNCTION (FILE:LINE)`, as far as the binary knows.
    fn place(&self, binary: &Path, pc: u64) -> String {
        match places::of(binary, &[pc]).pop().flatten() {
            Some(p) => format!(" in {p}"),
            None => String::new(),
        }
    }

    /// Reads of bytes that were never written: one has to be at the error's position, or where libc was when the
    /// machine saw it.
    fn unset(&self, binary: &Path, seen: &Observed, error: &ErrorRecord) -> Seen {
        let stderr = String::from_utf8_lossy(&seen.stderr);
        let reads: Vec<(&str, u64)> = stderr
            .lines()
            .filter_map(|l| l.split_once(SANITIZER_TEXT))
            .filter(|(_, text)| text.starts_with("uninitialized-read"))
            .filter_map(|(_, text)| split_pc(text))
            .collect();
        let pcs: Vec<u64> = reads.iter().map(|(_, pc)| pc.saturating_sub(1)).collect();
        let innermost = error.inside.first().map(|f| (&f.file, f.line));
        let wanted: Vec<(&OsStr, u32)> = [(&error.file, error.line)]
            .into_iter()
            .chain(innermost)
            .filter_map(|(file, line)| Some((Path::new(file).file_name()?, line)))
            .collect();
        let places = if pcs.is_empty() {
            Vec::new()
        } else {
            places::of(binary, &pcs)
        };
        let here = places.iter().zip(&reads).find_map(|(place, (text, _))| {
            let place = place.as_ref()?;
            let is_here = wanted.contains(&(OsStr::new(&place.file), place.line));
            is_here.then_some((place, text))
        });
        match here {
            Some((p, text)) => Ok(format!("asan: {text} in {p}")),
            None => Err(format!(
                "asan: {} reads of unwritten bytes elsewhere, none here",
                reads.len()
            )),
        }
    }

    /// Looks for the error's line among the instructions that raised its exception. One inside of a library's function
    /// belongs to the line that called it, if it is that an operation is invalid: roots and remainders are calls.
    fn exception(&self, binary: &Path, traps: &[FloatTrap], error: &ErrorRecord) -> Seen {
        let is_invalid = matches!(error.kind, ErrorKind::FpInvalid | ErrorKind::FpNan);
        let mut pcs = Vec::new();
        for trap in traps {
            pcs.push(trap.pc);
            pcs.extend(trap.callers.iter().map(|pc| pc.saturating_sub(1)));
        }
        if pcs.is_empty() {
            return Err("nothing raises it".into());
        }
        let mut places = places::of(binary, &pcs).into_iter();
        let wanted = Path::new(&error.file).file_name();
        let in_file = |p: &CodeLocation| Some(OsStr::new(&p.file)) == wanted;
        let is_here = |p: &CodeLocation| in_file(p) && p.line == error.line;
        for trap in traps {
            let place = places.next().flatten();
            let callers: Vec<Option<CodeLocation>> =
                places.by_ref().take(trap.callers.len()).collect();
            if let Some(p) = place.as_ref().filter(|p| is_here(p)) {
                return Ok(format!(" in {p}"));
            }
            let mut callers = callers.iter().flatten();
            let is_library = !place.as_ref().is_some_and(in_file);
            // The first caller in the error's file.
            let caller = callers.find(|p| in_file(p)).filter(|p| is_here(p));
            if let Some(p) = caller.filter(|_| is_library && is_invalid) {
                return Ok(format!(" in a function called by {p}"));
            }
        }
        Err(format!(
            "{} instructions raise it elsewhere, none here",
            traps.len()
        ))
    }

    /// The run time prints `polypath-check: CLASS …` and exits; an access so wild that it misses every
    /// object may also end in SIGSEGV.
    fn sanitizer(&self, binary: &Path, seen: &Observed, classes: &[&str]) -> Seen {
        let stderr = String::from_utf8_lossy(&seen.stderr);
        let report = stderr
            .lines()
            .find_map(|l| l.split_once(SANITIZER_TEXT).map(|(_, text)| text.trim()));
        match report {
            Some(report) if classes.iter().any(|c| report.starts_with(c)) => {
                Ok(match split_pc(report) {
                    Some((text, pc)) => {
                        format!("asan: {text}{}", self.place(binary, pc.saturating_sub(1)))
                    }
                    None => format!("asan: {report}"),
                })
            }
            Some(report) => Err(format!("asan: another error: {report}")),
            None if classes.contains(&"wild-access") => {
                match self.fault(binary, seen, &[libc::SIGSEGV, libc::SIGBUS]) {
                    Ok(how) => Ok(how.replacen("signal: ", "asan: ", 1)),
                    Err(_) => Err(format!("asan: no report, {}", words(seen.end))),
                }
            }
            None => Err(format!("asan: no report, {}", words(seen.end))),
        }
    }
}

/// A report of the run time without its address of an instruction, and that.
fn split_pc(report: &str) -> Option<(&str, u64)> {
    let (text, pc) = report.trim().strip_suffix(')')?.rsplit_once(" (pc 0x")?;
    Some((text, u64::from_str_radix(pc, 16).ok()?))
}

fn abort(seen: &Observed, texts: &[&str]) -> Seen {
    let stderr = String::from_utf8_lossy(&seen.stderr);
    let line = stderr.lines().find(|l| texts.iter().any(|t| l.contains(t)));
    let aborted = seen.end == NativeEnd::Signaled(libc::SIGABRT)
        || seen.faults.iter().any(|f| f.signal == libc::SIGABRT);
    match (aborted, line, seen.end) {
        (true, Some(line), _) => Ok(format!("message: {}", line.trim())),
        (true, None, _) => Ok("signal: SIGABRT".into()),
        (false, Some(line), NativeEnd::Exited(n)) if n != 0 => {
            Ok(format!("message: {} (exit {n})", line.trim()))
        }
        (false, _, end) => Err(format!("signal: no abort, {}", words(end))),
    }
}

/// The same test with the command line of valgrind.
fn under_valgrind(binary: &Path, test: &TestCase) -> TestCase {
    let mut args: Vec<Vec<u8>> = [
        "valgrind",
        "-q",
        "--undef-value-errors=yes",
        // The program is static: its own malloc is replaced by name.
        "--soname-synonyms=somalloc=NONE",
    ]
    .into_iter()
    .map(Into::into)
    .collect();
    args.push(format!("--error-exitcode={VALGRIND_EXIT}").into());
    args.push(binary.as_os_str().as_encoded_bytes().to_vec());
    args.extend(test.args.iter().skip(1).cloned());
    TestCase {
        args,
        ..test.clone()
    }
}

fn uninitialized(seen: &Observed) -> Seen {
    let stderr = String::from_utf8_lossy(&seen.stderr);
    let report = stderr
        .lines()
        .filter_map(|l| {
            l.strip_prefix("==")?
                .split_once("== ")
                .map(|(_, text)| text)
        })
        .find(|l| l.contains("ninitialised"));
    match report {
        Some(report) => Ok(format!("valgrind: {}", report.trim())),
        None if stderr.contains("Giving up") => {
            Err("valgrind: it cannot read the program's debug information".into())
        }
        None => Err(format!("valgrind: no report, {}", words(seen.end))),
    }
}
