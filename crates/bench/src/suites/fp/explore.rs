//! One run of `polypath run`.

use super::Setting;
use crate::tools::fresh_dir;
use crate::tools::trees::fetched;
use anyhow::{Context as _, Result, ensure};
use oracle::measure::measure;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use testcase::{Run, RunStats};

/// What a run left behind. Its directory goes when this is dropped: there are thousands of runs.
pub struct Explored {
    pub run: Run,
    pub stats: RunStats,
    /// Of the process and its children.
    pub cpu_s: f64,
}

impl Drop for Explored {
    fn drop(&mut self) {
        if let Err(error) = fresh_dir(&self.run.dir) {
            say::err!("fp: {error:#}");
        }
    }
}

/// Limits by the clock are this many times those in processor time: the machine may be busy.
const BUSY: f64 = 20.0;

/// `polypath run` for so many CPU seconds; `arguments` has the program, and everything about it.
pub fn explore(
    setting: &Setting,
    seconds: f64,
    seed: u64,
    arguments: impl FnOnce(&mut Command),
) -> Result<Explored> {
    let context = setting.context;
    let out = context.out.join("runs").join("fp");
    fresh_dir(&out)?;
    let mut command = Command::new(&context.polypath);
    command.args(["run", "--quiet", "--seed", &seed.to_string()]);
    command.args(["--cpu-time", &seconds.to_string()]);
    command.arg("--out").arg(&out).args(&context.run_options);
    arguments(&mut command);
    let usage = measure(
        &mut command,
        Duration::from_secs_f64(seconds * BUSY + 120.0),
    )?;
    ensure!(
        !usage.timed_out && usage.code() <= 1,
        "{command:?}: exit {}: {}",
        usage.code(),
        usage.last_words()
    );
    let (run, stats) = Run::read(&out)?.whole()?;
    Ok(Explored {
        run,
        stats,
        cpu_s: usage.cpu_s,
    })
}

/// A kind of error, and the file and line where it happens.
pub type Place = (String, String, u32);

/// What a native replay says.
pub struct Replayed {
    /// Errors that happen natively.
    pub confirmed: BTreeSet<Place>,
    /// Tests that take another path.
    pub diverged: u64,
}

/// `replay.json`, as much of it as is needed.
#[derive(Deserialize)]
struct Report {
    errors: Vec<Replay>,
    divergences: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct Replay {
    kind: String,
    file: String,
    line: u32,
    verdict: String,
}

/// Replays the tests of a run natively.
pub fn replay(setting: &Setting, explored: &Explored) -> Result<Replayed> {
    let dir = &explored.run.dir;
    let mut command = Command::new(&setting.context.polypath);
    command.arg("replay").arg(dir);
    let usage = measure(&mut command, Duration::from_secs(900))?;
    let text = std::fs::read_to_string(dir.join("replay.json"))
        .with_context(|| format!("{command:?}: exit {}: {}", usage.code(), usage.last_words()))?;
    let report: Report = serde_json::from_str(&text).context("replay.json")?;
    let errors = report.errors.into_iter();
    let confirmed = errors.filter(|e| e.verdict == "confirmed");
    Ok(Replayed {
        confirmed: confirmed.map(|e| (e.kind, e.file, e.line)).collect(),
        diverged: report.divergences.len() as u64,
    })
}

/// GSL, built with bitcode.
pub struct Gsl {
    pub tree: PathBuf,
}

impl Gsl {
    pub fn find() -> Result<Gsl> {
        let tree = fetched("gsl")?;
        let gsl = Gsl { tree };
        for archive in gsl.archives() {
            ensure!(archive.is_file(), "{} is missing", archive.display());
        }
        Ok(gsl)
    }

    /// The library and its BLAS.
    pub fn archives(&self) -> [PathBuf; 2] {
        [".libs/libgsl.a", "cblas/.libs/libgslcblas.a"].map(|path| self.tree.join(path))
    }

    /// Arguments that explore one function; result pointers are valid and distinct.
    pub fn entry(&self, command: &mut Command, function: &str) {
        let [library, blas] = self.archives();
        command.arg(library).arg("--with").arg(blas);
        command.args(["--entry", function, "--no-null", "--no-alias"]);
    }
}

/// Compiles a program with its bitcode.
pub fn compile(setting: &Setting, sources: &[&Path], more: &[&str], to: &Path) -> Result<()> {
    let mut command = Command::new(&setting.context.polypath);
    command.args(["cc", "-g", "-w"]).args(sources).args(more);
    command.arg("-o").arg(to);
    let usage = measure(&mut command, Duration::from_secs(600))?;
    ensure!(
        usage.code() == 0,
        "{command:?}: exit {}: {}",
        usage.code(),
        usage.last_words()
    );
    Ok(())
}
