//! Native replay of a run's tests: `polypath replay`.
//!
//! *Real*: the user's binary, fresh directory, fixed environment; exit status and output are
//! compared with what the machine saw, and errors are confirmed ([`confirm`]). *Modelled*: a binary
//! emitted from the same bitcode whose system calls are answered by our model of Linux and which
//! recomputes the path hash ([`modelled`]). The results go to `replay.json` in the run's directory.

pub mod compare;
pub mod confirm;
pub mod modelled;
mod places;
pub mod sandbox;
mod select;

pub use compare::ReplayVerdict;
pub use confirm::{Build, Builds, Confirmation};
pub use modelled::{Modelled, ModelledOutcome};
pub use sandbox::{Fence, Sandbox, SandboxLimits};
pub use select::Selection;

use crate::bug::Bug;
use crate::disk;
use crate::kind::ErrorKind;
use crate::model::{ErrorRecord, TestCase, test_name};
use crate::read::{self, Run};
use anyhow::{Context, Result, ensure};
use confirm::Confirmer;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Options of a replay.
pub struct ReplayOptions<'a> {
    /// The output directory of a run, or the directory of a single test.
    pub dir: PathBuf,
    /// The native binary of the program.
    pub binary: PathBuf,
    /// The build with address checks (see [`crate::sanitize`]), or why there is none.
    pub address: Build,
    /// The build that traps on undefined behavior, or why there is none.
    pub traps: Build,
    /// Valgrind, where it is installed.
    pub valgrind: Option<PathBuf>,
    /// Modelled replay, if its parts are there.
    pub modelled: Option<Modelled<'a>>,
    /// Explains where a path was left, from the sites that the binary passed.
    pub explain: Option<&'a Explain<'a>>,
    /// Limits of each native run.
    pub limits: SandboxLimits,
    /// The sandbox of native runs.
    pub sandbox: &'a Sandbox,
    /// Which tests.
    pub selection: Selection,
    /// Tests run at the same time.
    pub jobs: usize,
    /// Called after each error and each test.
    pub progress: Option<&'a (dyn Fn(ReplayProgress) + Sync)>,
    /// Builds that ended before they were done, and with them what the replay has not: in words.
    pub left_out: Vec<String>,
    /// When this is set, the replay ends with the results so far.
    pub stop: &'a AtomicBool,
}

/// Explains where and why the sites that a binary passed on a test differ from the machine's; a message.
pub type Explain<'a> = dyn Fn(&TestCase, &[u32]) -> Option<String> + Sync + 'a;

/// So many divergences are explained.
const EXPLAINED: usize = 5;

/// How far a replay is.
#[derive(Clone, Copy, Debug)]
pub struct ReplayProgress {
    /// The things counted: `errors` or `tests`.
    pub what: &'static str,
    /// How many are done.
    pub done: usize,
    /// How many there are.
    pub all: usize,
    /// Since the first of them began.
    pub elapsed: Duration,
}

impl ReplayProgress {
    /// How long the rest takes at this pace.
    pub fn left(&self) -> Option<Duration> {
        let pace = self.elapsed.checked_div(u32::try_from(self.done).ok()?)?;
        pace.checked_mul(u32::try_from(self.all - self.done).ok()?)
    }
}

/// One test's result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestResult {
    /// The test's name.
    pub test: String,
    /// The verdict of its native run.
    #[serde(flatten)]
    pub verdict: ReplayVerdict,
}

/// One error's confirmation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorResult {
    /// The kind of error.
    pub kind: ErrorKind,
    /// Source file of the place.
    pub file: String,
    /// Line, from 1; 0 when unknown.
    pub line: u32,
    /// Column, from 1; 0 when unknown.
    #[serde(default)]
    pub column: u32,
    /// The test that the confirmation is from.
    pub test: String,
    /// The error's: what the contract of the function under test may exclude.
    #[serde(default)]
    pub precondition: Option<String>,
    /// The result of the checks.
    #[serde(flatten)]
    pub confirmation: Confirmation,
}

impl ErrorResult {
    /// Short name for tables: an error that a likely precondition excludes is not called confirmed.
    pub fn name(&self) -> &'static str {
        match self.precondition {
            Some(_) => "precondition likely",
            None => self.confirmation.name(),
        }
    }

    /// The evidence for it.
    pub fn detail(&self) -> String {
        let (name, detail) = (self.confirmation.name(), self.confirmation.detail());
        match &self.precondition {
            Some(why) => match self.confirmation {
                Confirmation::Confirmed(_) => format!("happens if {why}, natively too ({detail})"),
                _ => format!("happens if {why} ({name}: {detail})"),
            },
            None => detail.to_owned(),
        }
    }
}

/// The results of a replay (`replay.json`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExitSummary {
    /// The binary that was run.
    pub binary: String,
    /// Tests by verdict.
    pub totals: BTreeMap<String, u64>,
    /// Errors by confirmation.
    pub error_totals: BTreeMap<String, u64>,
    /// Tests of Java programs whose way through the blocks was compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub followed: Option<u64>,
    /// One entry for each error.
    pub errors: Vec<ErrorResult>,
    /// Which tests were replayed when it was not all, and why it ended early.
    #[serde(default)]
    pub incomplete: Option<String>,
    /// Modelled replays by outcome; `None` when it was not tried.
    pub modelled: Option<BTreeMap<String, u64>>,
    /// Modelled replays that did not follow the machine's path: (test, how).
    pub divergences: Vec<(String, String)>,
    /// One entry for each test.
    pub tests: Vec<TestResult>,
    /// Tests and files that could not be read.
    pub problems: Vec<String>,
    /// A signal ended it before all selected tests had run.
    #[serde(skip)]
    pub interrupted: bool,
    /// Why `replay.json` could not be written.
    #[serde(skip)]
    pub unwritten: Option<String>,
}

impl ExitSummary {
    /// The result about a bug: the best one of its entries.
    pub fn of(&self, bug: &Bug<'_>) -> Option<&ErrorResult> {
        let shown = bug.shown();
        let is_there =
            |r: &&ErrorResult| r.kind == shown.kind && r.file == shown.file && r.line == shown.line;
        let is_its = |r: &&ErrorResult| bug.stacks.iter().any(|e| e.test == r.test);
        let rank = |r: &&ErrorResult| {
            let seen = match r.confirmation {
                Confirmation::Confirmed(_) => 0,
                Confirmation::Consistent(_) => 1,
                Confirmation::Undecided(_) => 2,
                Confirmation::Contradicted(_) => 3,
            };
            (!is_its(r), r.precondition.is_some(), seen)
        };
        self.errors.iter().filter(is_there).min_by_key(rank)
    }

    /// Polypath's exit status: 3 when the engine was wrong (a divergence) or the results could not be written, 1 when an error of the
    /// program was confirmed, 4 when tests did not come out as predicted or were not run, or nothing could tell of an error whether it
    /// happens, else 0.
    pub fn exit_code(&self) -> u8 {
        if !self.divergences.is_empty() || self.unwritten.is_some() {
            3
        } else {
            let confirmed = |e: &ErrorResult| matches!(e.confirmation, Confirmation::Confirmed(_));
            if self.errors.iter().any(confirmed) {
                1
            } else {
                let is_open = |e: &ErrorResult| {
                    use Confirmation::{Contradicted, Undecided};
                    matches!(e.confirmation, Contradicted(_) | Undecided(_))
                        && e.kind.is_program_error()
                };
                let is_short = self.errors.iter().any(is_open)
                    || !self.tests.iter().all(|t| t.verdict.is_as_predicted());
                if is_short { 4 } else { 0 }
            }
        }
    }

    /// The result in words, a few lines.
    pub fn text(&self) -> String {
        let mut out = self.native_text();
        match &self.modelled {
            Some(totals) if totals.is_empty() => out += "modelled replay: of no test\n",
            Some(totals) => out += &format!("modelled replay: {}\n", list(totals)),
            None => out += "modelled replay: not tried\n",
        }
        out + &self.trouble()
    }

    /// The same where there is no modelled replay (Java).
    pub fn text_of_jvm(&self) -> String {
        self.native_text() + &self.trouble()
    }

    fn native_text(&self) -> String {
        let mut out = format!("replayed {} tests on {}", self.tests.len(), self.binary);
        if !self.tests.is_empty() {
            out += &format!(": {}", list(&self.totals));
        }
        if let Some(n) = self.followed {
            out += &format!("; the way through the blocks of {n} was compared");
        }
        out.push('\n');
        if let Some(why) = &self.incomplete {
            out += &format!("  not all: {why}\n");
        }
        let different = |v: &ReplayVerdict| {
            matches!(
                v,
                ReplayVerdict::DifferentOutput(_)
                    | ReplayVerdict::DifferentExit(_)
                    | ReplayVerdict::DifferentWay(_)
                    | ReplayVerdict::Unsteady(_)
                    | ReplayVerdict::NotRun(_)
            )
        };
        for t in self.tests.iter().filter(|t| different(&t.verdict)).take(20) {
            out += &format!(
                "  {}: {}: {}\n",
                t.test,
                t.verdict.name(),
                t.verdict.detail()
            );
        }
        for (e, stacks) in self.by_place() {
            let (name, detail) = (e.name(), e.detail());
            let more = match stacks {
                1 => String::new(),
                n => format!(", {n} call stacks"),
            };
            out += &format!(
                "  {} at {}:{} ({}{more}): {name}: {detail}\n",
                e.kind, e.file, e.line, e.test
            );
        }
        out
    }

    /// The results about errors that are alike at one place, and how many there are of each.
    fn by_place(&self) -> Vec<(&ErrorResult, usize)> {
        let mut all: Vec<(&ErrorResult, usize)> = Vec::new();
        for e in &self.errors {
            let place = |e: &ErrorResult| (e.kind, e.file.clone(), e.line, e.column);
            let key = |e: &ErrorResult| (place(e), e.name(), e.precondition.is_some());
            match all.iter_mut().find(|(first, _)| key(first) == key(e)) {
                Some((_, n)) => *n += 1,
                None => all.push((e, 1)),
            }
        }
        all
    }

    fn trouble(&self) -> String {
        let mut out = String::new();
        for (test, how) in self.divergences.iter().take(20) {
            out += &format!("  {test} diverges: {how}\n");
        }
        for problem in self.unwritten.iter().chain(self.problems.iter().take(20)) {
            out += &format!("  problem: {problem}\n");
        }
        out
    }
}

/// "2 same, 1 time-out".
fn list(map: &BTreeMap<String, u64>) -> String {
    let parts = map.iter().map(|(name, n)| format!("{n} {name}"));
    parts.collect::<Vec<_>>().join(", ")
}

/// Replays all tests; writes `replay.json` if `dir` is a run's directory.
pub fn run(options: &ReplayOptions) -> Result<ExitSummary> {
    let binary = options
        .binary
        .canonicalize()
        .with_context(|| format!("cannot open the binary {}", options.binary.display()))?;
    ensure!(binary.is_file(), "{} is not a file", binary.display());
    let single = options.dir.join("meta.json").is_file();
    let run = if single {
        let mut problems = Vec::new();
        let tests = read::tests(&options.dir, &mut problems)?;
        let errors = tests.iter().filter_map(|t| t.error.clone()).collect();
        Run {
            dir: options.dir.clone(),
            tests,
            errors,
            problems,
            ..Run::default()
        }
    } else {
        Run::read(&options.dir)?
    };

    let selected = options.selection.of(&run.tests);
    let mut summary = ExitSummary {
        binary: binary.display().to_string(),
        problems: run.problems.clone(),
        ..ExitSummary::default()
    };
    // Errors first: they matter most if the replay is interrupted.
    summary.errors = confirm_errors(&run, &binary, options);
    let replayed = in_parallel(
        &selected,
        Crew {
            sandbox: options.sandbox,
            jobs: options.jobs,
            what: "tests",
            progress: options.progress,
            stop: options.stop,
        },
        |test| replay(test, &binary, options),
    );
    let total = |map: &mut BTreeMap<String, u64>, name: &str| {
        *map.entry(name.to_owned()).or_default() += 1;
    };
    if options.modelled.is_some() {
        summary.modelled = Some(BTreeMap::new());
    }
    for (result, outcome) in replayed {
        total(&mut summary.totals, result.verdict.name());
        if let (Some(totals), Some(outcome)) = (&mut summary.modelled, outcome) {
            total(totals, outcome.name());
            if let ModelledOutcome::Diverged(how) = outcome {
                summary.divergences.push((result.test.clone(), how));
            }
        }
        summary.tests.push(result);
    }
    explain(&mut summary, &run, options);
    for e in &summary.errors {
        total(&mut summary.error_totals, e.name());
    }
    let interrupted = summary.tests.len() < selected.len();
    let mut why = Vec::new();
    why.extend(options.selection.words(selected.len(), run.tests.len()));
    if interrupted {
        why.push(format!(
            "interrupted after {} of {} tests",
            summary.tests.len(),
            selected.len()
        ));
    }
    why.extend(options.left_out.iter().cloned());
    summary.interrupted = interrupted;
    summary.incomplete = (!why.is_empty()).then(|| why.join("; "));
    if !single {
        let path = run.dir.join("replay.json");
        if let Err(e) = disk::write_atomic(&path, &serde_json::to_vec_pretty(&summary)?) {
            // The results are still told.
            summary.unwritten = Some(format!("cannot write {}: {e}", path.display()));
        }
    }
    Ok(summary)
}

/// Adds to the first divergences where they begin.
fn explain(summary: &mut ExitSummary, run: &Run, options: &ReplayOptions) {
    let (Some(modelled), Some(explain)) = (&options.modelled, options.explain) else {
        return;
    };
    for (name, how) in summary.divergences.iter_mut().take(EXPLAINED) {
        if options.stop.load(Ordering::Relaxed) {
            return;
        }
        let Some(test) = run.tests.iter().find(|t| test_name(t.id) == *name) else {
            continue;
        };
        let (_, sites) = modelled.trace(test);
        if let Some(where_and_why) = explain(test, &sites) {
            *how = format!("{where_and_why}; {how}");
        }
    }
}

/// One test, both ways; nothing when the replay was interrupted meanwhile.
fn replay(
    test: &TestCase,
    binary: &Path,
    options: &ReplayOptions,
) -> Option<(TestResult, Option<ModelledOutcome>)> {
    let verdict = match options.sandbox.run(binary, test, &options.limits) {
        Ok(seen) => compare::compare(&test.expected, &seen),
        Err(e) => ReplayVerdict::NotRun(e.to_string()),
    };
    let outcome = options.modelled.as_ref().map(|m| m.run(test));
    if options.stop.load(Ordering::Relaxed) {
        return None;
    }
    let test = test_name(test.id);
    Some((TestResult { test, verdict }, outcome))
}

fn confirm_errors(run: &Run, binary: &Path, options: &ReplayOptions) -> Vec<ErrorResult> {
    let program_errors: Vec<&ErrorRecord> = run
        .errors
        .iter()
        .filter(|e| e.kind.is_program_error())
        .collect();
    let confirmer = Confirmer {
        builds: Builds {
            plain: binary,
            address: &options.address,
            traps: &options.traps,
            valgrind: options.valgrind.as_deref(),
        },
        sandbox: options.sandbox,
        limits: &options.limits,
        modelled: options.modelled.as_ref(),
    };
    let crew = Crew {
        sandbox: options.sandbox,
        jobs: options.jobs,
        what: "errors",
        progress: options.progress,
        stop: options.stop,
    };
    in_parallel(&program_errors, crew, |error| {
        let named = |t: &&TestCase| test_name(t.id) == error.test;
        let own = |t: &&TestCase| t.error.as_ref().is_some_and(|e| e.is(error));
        let mut tests: Vec<&TestCase> = run.tests.iter().filter(named).collect();
        tests.extend(run.tests.iter().filter(|t| own(t) && !named(t)));
        let confirmation = confirmer.confirm(error, &tests);
        if options.stop.load(Ordering::Relaxed) {
            return None;
        }
        Some(ErrorResult {
            kind: error.kind,
            file: error.file.clone(),
            line: error.line,
            column: error.column,
            test: tests
                .first()
                .map_or_else(|| error.test.clone(), |t| test_name(t.id)),
            precondition: error.precondition.clone(),
            confirmation,
        })
    })
}

/// How soon a request to stop is seen.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The threads of a replay, and the receiver of its progress.
struct Crew<'a> {
    sandbox: &'a Sandbox,
    jobs: usize,
    what: &'static str,
    progress: Option<&'a (dyn Fn(ReplayProgress) + Sync)>,
    stop: &'a AtomicBool,
}

/// Maps `work` over `items`, in order, leaving out what gives nothing; ends early when told to stop.
fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    crew: Crew,
    work: impl Fn(&T) -> Option<R> + Sync,
) -> Vec<R> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let begun = Instant::now();
    let all = Mutex::new(Vec::new());
    let worker = || {
        while !crew.stop.load(Ordering::Relaxed) {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(i) else { return };
            let Some(result) = work(item) else { return };
            all.lock()
                .unwrap_or_else(|e| e.into_inner())
                .push((i, result));
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if let Some(report) = crew.progress {
                report(ReplayProgress {
                    what: crew.what,
                    done,
                    all: items.len(),
                    elapsed: begun.elapsed(),
                });
            }
        }
    };
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..crew.jobs.max(1)).map(|_| scope.spawn(worker)).collect();
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                if crew.stop.load(Ordering::Relaxed) {
                    crew.sandbox.cancel();
                }
                std::thread::sleep(LOOK_EVERY);
            }
        });
        let panics: Vec<_> = workers.into_iter().filter_map(|w| w.join().err()).collect();
        over.store(true, Ordering::Relaxed);
        if let Some(panic) = panics.into_iter().next() {
            std::panic::resume_unwind(panic);
        }
    });
    let mut all = all.into_inner().unwrap_or_else(|e| e.into_inner());
    all.sort_by_key(|(i, _)| *i);
    all.into_iter().map(|(_, r)| r).collect()
}
