//! One run of a program of GNU coreutils or the like, and its coverage by native replay.

use super::anchors::COREUTILS_ARGUMENTS;
use super::gcov::{Covered, Judge};
use super::{Context, fresh_dir, trees};
use anyhow::{Context as _, Result};
use oracle::measure::measure;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use testcase::{Run, TestCase};

/// Replayed tests per run beside those that covered something new: a native run takes longer than
/// a path.
const OTHERS_REPLAYED: usize = 300;
/// The cap of each run.
const MEMORY_MIB: u32 = 2000;

/// A program whose coverage is counted by a build of its own.
#[derive(Clone, Copy)]
pub struct JudgedProgram<'a> {
    pub name: &'a str,
    /// Its source package, if it is not coreutils: name, program in the tree, directories with the program's objects.
    package: Option<(&'static str, &'static str, &'static [&'static str])>,
}

impl<'a> JudgedProgram<'a> {
    /// A program of coreutils.
    pub const fn coreutils(name: &'a str) -> JudgedProgram<'a> {
        JudgedProgram {
            name,
            package: None,
        }
    }

    /// A program of another source package, whose objects lie in these directories.
    pub const fn of(
        name: &'a str,
        package: &'static str,
        program: &'static str,
        objects: &'static [&'static str],
    ) -> JudgedProgram<'a> {
        JudgedProgram {
            name,
            package: Some((package, program, objects)),
        }
    }

    /// The binary with bitcode, of `bench/fetch`.
    pub fn binary(&self) -> Result<PathBuf> {
        let (package, program) = match self.package {
            Some((package, program, _)) => (package, program.into()),
            None => ("coreutils", Path::new("src").join(self.name)),
        };
        Ok(trees::fetched(package)?.join(program))
    }

    /// Who counts its branches: the build of `bench/gcov`.
    pub fn judge(&self) -> Result<Judge> {
        match self.package {
            Some((package, program, objects)) => {
                Judge::package(&trees::judge(package)?, program, objects)
            }
            None => Judge::coreutils(&trees::judge("coreutils")?, self.name),
        }
    }
}

/// All programs of coreutils that `bench/fetch` has built, in order.
pub fn programs() -> Result<Vec<String>> {
    let directory = trees::fetched("coreutils")?.join("src");
    let read = || format!("cannot read {}", directory.display());
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&directory).with_context(read)? {
        let entry = entry.with_context(read)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let mode = entry.metadata().with_context(read)?;
        if mode.is_file() && mode.permissions().mode() & 0o100 != 0 && !name.contains('.') {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
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

/// Runs `polypath` on a program with the arguments of KLEE's comparison, and replays its tests.
pub fn explore(
    context: &Context,
    subject: JudgedProgram<'_>,
    seed: u64,
    time: f64,
    more: &[&str],
) -> Result<ProgramRun> {
    let program = subject.name;
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
    command.arg(subject.binary()?).args(COREUTILS_ARGUMENTS);
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
    let judge = subject.judge()?;
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
