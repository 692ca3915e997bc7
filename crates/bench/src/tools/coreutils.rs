//! One run of a program of GNU coreutils, and its coverage by native replay.

use super::anchors::COREUTILS_ARGUMENTS;
use super::gcov::{Covered, Judge};
use super::{Context, fresh_dir, trees};
use anyhow::Result;
use oracle::measure::measure;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;
use testcase::{Run, TestCase};

/// Replayed tests per run beside those that covered something new: a native run takes longer than
/// a path.
const OTHERS_REPLAYED: usize = 300;
/// The cap of each run.
const MEMORY_MIB: u32 = 2000;

/// The trees that `bench/fetch coreutils` and `bench/gcov coreutils` leave.
pub struct Trees {
    /// Built by `polypath build`.
    pub bitcode: PathBuf,
    /// Built by gcc --coverage.
    pub gcov: PathBuf,
}

impl Trees {
    /// Looks in the cache.
    pub fn find() -> Result<Trees> {
        let bitcode = trees::fetched("coreutils")?;
        let gcov = trees::judge("coreutils")?;
        Ok(Trees { bitcode, gcov })
    }
}

/// One run of one program.
pub struct ProgramRun {
    pub covered: Covered,
    pub cpu_s: f64,
    pub peak_mb: f64,
    pub stats: testcase::RunStats,
    /// Memory errors and the like that were reported.
    pub errors: Vec<String>,
    pub failures: Vec<String>,
}

/// Runs `polypath` on a coreutils program and replays its tests.
pub fn explore(
    context: &Context,
    trees: &Trees,
    program: &str,
    seed: u64,
    time: f64,
    more: &[&str],
) -> Result<ProgramRun> {
    let label = more.join("").replace([',', ':', '-'], "_");
    let out = context
        .out
        .join("runs")
        .join(format!("{program}{label}-{seed}"));
    fresh_dir(&out)?;
    let mut command = Command::new(&context.polypath);
    command.arg("run").arg("--quiet").arg("--out").arg(&out);
    // Processor seconds: the machine may be busy. The wall only bounds a run that sleeps.
    command.arg("--cpu-time").arg(time.to_string());
    command.arg("--time").arg((10.0 * time).to_string());
    command.arg("--memory").arg(MEMORY_MIB.to_string());
    command.arg("--seed").arg(seed.to_string());
    command.args(more).args(&context.run_options);
    // The symbolic arguments stand at their place among the program's, as KLEE's users write them.
    command
        .arg(trees.bitcode.join("src").join(program))
        .args(COREUTILS_ARGUMENTS);
    // A run may take a moment to write its tests after its time is up.
    let usage = measure(&mut command, Duration::from_secs_f64(10.0 * time + 120.0))?;
    let mut failures = Vec::new();
    if usage.timed_out {
        failures.push(format!("{program}: did not stop when its time was up"));
    } else if usage.code() > 1 {
        failures.push(format!(
            "{program}: exit {}: {}",
            usage.code(),
            usage.last_words()
        ));
    }
    let cap = f64::from(MEMORY_MIB);
    if usage.peak_mb > 1.1 * cap {
        let peak = usage.peak_mb;
        failures.push(format!(
            "{program}: {peak:.0} MiB, above the cap of {cap} MiB"
        ));
    }
    let (run, stats) = match Run::read(&out).and_then(Run::whole) {
        Ok(whole) => whole,
        Err(e) => {
            failures.push(format!("{program}: {e:#}"));
            Default::default()
        }
    };
    let judge = Judge::coreutils(&trees.gcov, program)?;
    let mut tests: Vec<&TestCase> = run.tests.iter().collect();
    tests.sort_by_key(|t| !t.covered_new);
    let first = tests.iter().filter(|t| t.covered_new).count();
    let (covered, failed) = judge.replay(tests.into_iter().take(first + OTHERS_REPLAYED))?;
    if failed > 0 {
        failures.push(format!("{program}: {failed} tests could not be replayed"));
    }
    let errors = run.errors.iter().filter(|e| e.kind.is_program_error());
    let errors = errors.map(|e| format!("{program}: {} at {}:{}", e.kind.id(), e.file, e.line));
    Ok(ProgramRun {
        covered,
        cpu_s: usage.cpu_s,
        peak_mb: usage.peak_mb,
        stats,
        errors: errors.collect(),
        failures,
    })
}
