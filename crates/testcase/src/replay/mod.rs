//! Native replay of a run's tests: `polypath replay`.
//!
//! *Real*: the user's binary, fresh directory, fixed environment; exit status and output are
//! compared with what the machine saw, and errors are confirmed ([`confirm`]). *Modelled*: a binary
//! emitted from the same bitcode whose system calls are answered by our model of Linux and which
//! recomputes the path hash ([`modelled`]). The results go to `replay.json` in the run's directory.

pub mod compare;
pub mod confirm;
mod fence;
pub mod modelled;
pub mod sandbox;

pub use compare::Verdict;
pub use confirm::{Build, Builds, Confirmation};
pub use fence::holds as can_confine;
pub use modelled::{Modelled, ModelledOutcome};
pub use sandbox::Limits;

use crate::disk;
use crate::kind::ErrorKind;
use crate::model::{TestCase, test_name};
use crate::read::{self, Run};
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What to replay and how.
pub struct Options<'a> {
    /// The output directory of a run, or the directory of a single test.
    pub dir: PathBuf,
    /// The native binary of the program.
    pub binary: PathBuf,
    /// The build with address checks (see [`crate::sanitize`]), or why there is none.
    pub address: Build,
    /// The build that traps on undefined behaviour, or why there is none.
    pub traps: Build,
    /// Modelled replay, if its parts are there.
    pub modelled: Option<Modelled<'a>>,
    pub limits: Limits,
    /// Tests run at the same time.
    pub jobs: usize,
    /// Called after each test with (done, all).
    pub progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
}

/// One test's result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestResult {
    pub test: String,
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// One error's confirmation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorResult {
    pub kind: ErrorKind,
    pub file: String,
    pub line: u32,
    pub test: String,
    #[serde(flatten)]
    pub confirmation: Confirmation,
}

/// The results of a replay (`replay.json`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExitSummary {
    pub binary: String,
    /// Tests by verdict.
    pub totals: BTreeMap<String, u64>,
    /// Errors by confirmation.
    pub error_totals: BTreeMap<String, u64>,
    pub errors: Vec<ErrorResult>,
    /// Modelled replays by outcome; `None` when it was not tried.
    pub modelled: Option<BTreeMap<String, u64>>,
    /// Modelled replays that did not follow the machine's path: (test, how).
    pub divergences: Vec<(String, String)>,
    pub tests: Vec<TestResult>,
    /// Tests and files that could not be read.
    pub problems: Vec<String>,
}

impl ExitSummary {
    /// Polypath's exit status: 3 when the engine was wrong (a divergence), 1 when an error of the
    /// program was confirmed, else 0.
    pub fn exit_code(&self) -> u8 {
        if !self.divergences.is_empty() {
            3
        } else {
            u8::from(self.error_totals.get("confirmed").is_some_and(|n| *n > 0))
        }
    }

    /// The result in words, a few lines.
    pub fn text(&self) -> String {
        let list = |map: &BTreeMap<String, u64>| {
            map.iter()
                .map(|(name, n)| format!("{n} {name}"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let mut out = format!("replayed {} tests on {}", self.tests.len(), self.binary);
        if !self.tests.is_empty() {
            out += &format!(": {}", list(&self.totals));
        }
        out.push('\n');
        let different = |v: &Verdict| {
            matches!(
                v,
                Verdict::DifferentOutput(_) | Verdict::DifferentExit(_) | Verdict::NotRun(_)
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
        for e in &self.errors {
            let (name, detail) = (e.confirmation.name(), e.confirmation.detail());
            out += &format!(
                "  {} at {}:{} ({}): {name}: {detail}\n",
                e.kind, e.file, e.line, e.test
            );
        }
        match &self.modelled {
            Some(totals) => out += &format!("modelled replay: {}\n", list(totals)),
            None => out += "modelled replay: not tried\n",
        }
        for (test, how) in self.divergences.iter().take(20) {
            out += &format!("  {test} diverges: {how}\n");
        }
        for problem in self.problems.iter().take(20) {
            out += &format!("  problem: {problem}\n");
        }
        out
    }
}

/// Replays all tests; writes `replay.json` if `dir` is a run's directory.
pub fn run(options: &Options) -> Result<ExitSummary> {
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

    let mut summary = ExitSummary {
        binary: binary.display().to_string(),
        problems: run.problems.clone(),
        ..ExitSummary::default()
    };
    summary.tests = in_parallel(&run.tests, options.jobs, options.progress, |test| {
        let verdict = match sandbox::run(&binary, test, &options.limits) {
            Ok(seen) => compare::compare(&test.expected, &seen),
            Err(e) => Verdict::NotRun(e.to_string()),
        };
        TestResult {
            test: test_name(test.id),
            verdict,
        }
    });
    for t in &summary.tests {
        *summary.totals.entry(t.verdict.name().into()).or_default() += 1;
    }
    let builds = Builds {
        plain: &binary,
        address: &options.address,
        traps: &options.traps,
    };
    summary.errors = confirm_errors(&run, &builds, options);
    for e in &summary.errors {
        *summary
            .error_totals
            .entry(e.confirmation.name().into())
            .or_default() += 1;
    }
    if let Some(modelled) = &options.modelled {
        let outcomes = in_parallel(&run.tests, options.jobs, None, |test| {
            (test_name(test.id), modelled.run(test))
        });
        let totals = summary.modelled.insert(BTreeMap::new());
        for (test, outcome) in outcomes {
            *totals.entry(outcome.name().into()).or_default() += 1;
            if let ModelledOutcome::Diverged(how) = outcome {
                summary.divergences.push((test, how));
            }
        }
    }
    if !single {
        let path = run.dir.join("replay.json");
        disk::write_atomic(&path, &serde_json::to_vec_pretty(&summary)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(summary)
}

fn confirm_errors(run: &Run, builds: &Builds, options: &Options) -> Vec<ErrorResult> {
    let program_errors: Vec<_> = run
        .errors
        .iter()
        .filter(|e| e.kind.is_program_error())
        .collect();
    in_parallel(&program_errors, options.jobs, None, |error| {
        let test = run.tests.iter().find(|t| match error.test.as_str() {
            // A single test's own record does not name it.
            "" => t.error.as_ref() == Some(error),
            name => test_name(t.id) == name,
        });
        let confirmation = match test {
            Some(test) => confirm::confirm(error, test, builds, &options.limits),
            None => Confirmation::NotTried("it has no test".into()),
        };
        ErrorResult {
            kind: error.kind,
            file: error.file.clone(),
            line: error.line,
            test: test.map_or_else(|| error.test.clone(), |t: &TestCase| test_name(t.id)),
            confirmation,
        }
    })
}

/// Maps `work` over `items` on `jobs` threads; the results keep the order.
pub(crate) fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    progress: Option<&(dyn Fn(usize, usize) + Sync)>,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let worker = || {
        let mut results = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(i) else {
                return results;
            };
            results.push((i, work(item)));
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if let Some(report) = progress {
                report(done, items.len());
            }
        }
    };
    let mut all: Vec<(usize, R)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(worker)).collect();
        threads
            .into_iter()
            .flat_map(|t| {
                t.join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    });
    all.sort_by_key(|(i, _)| *i);
    all.into_iter().map(|(_, r)| r).collect()
}
