//! What the suites about floating-point conditions share: a frame of several tables, the methods of `--fp-solver`, one run,
//! its replay, and GSL.
//!
//! Each result is kept in `OUT/fp` as soon as it is there, under the build that it is of: a run that was killed goes on.

use super::report::{Cell, Report};
use super::trees::fetched;
use super::{Context, fresh_dir, help, run};
use anyhow::{Context as _, Result, ensure};
use oracle::measure::measure;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use testcase::{Run, RunStats};

/// A table, and the name of its files.
pub struct FloatTable {
    pub name: String,
    pub report: Report,
}

impl FloatTable {
    pub fn new(name: &str, report: Report) -> FloatTable {
        FloatTable {
            name: name.into(),
            report,
        }
    }
}

/// A part of a suite.
pub type FloatStudy = fn(&Setting) -> Result<Vec<FloatTable>>;

/// What the parts of a suite share.
pub struct Setting<'a> {
    pub context: &'a Context,
    /// Methods of `--fp-solver` that the user chose or, by default, that there are.
    pub methods: Vec<String>,
    /// The build that is measured.
    build: String,
    /// Where results are kept.
    pub dir: PathBuf,
}

impl Setting<'_> {
    /// With the methods that `offered` has.
    pub fn new<'a>(context: &'a Context, offered: &[String]) -> Result<Setting<'a>> {
        let dir = context.out.join("fp");
        std::fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
        let methods = context.choose(offered, |m| m);
        Ok(Setting {
            context,
            methods: methods.into_iter().cloned().collect(),
            build: context.build()?,
            dir,
        })
    }

    /// The key of a result of the build that is measured, with the user's options for each run.
    pub fn key(&self, words: &[&str]) -> String {
        let words = [words.join(" "), self.context.run_options.join(" ")].join(" ");
        format!("{} {}", self.build, words.trim_end())
    }

    pub fn seeds(&self) -> u64 {
        self.context.seeds.unwrap_or(1)
    }

    /// Runs these parts, prints and writes their tables, and sums up what they miss.
    pub fn report(&self, parts: &[FloatStudy]) -> Result<Report> {
        let mut summary = Report::new(
            "Floating-point conditions: tables, and what they miss",
            &["table", "rows", "goals met", "missed", "failures"],
        );
        summary.plotted = vec![2, 3];
        for part in parts {
            for FloatTable { name, report } in part(self)? {
                say::out!("{}", report.table());
                write(self.context, &name, &report)?;
                let goals = report.rows.iter().flatten().filter_map(Cell::is_met);
                let (met, missed): (Vec<bool>, Vec<bool>) = goals.partition(|met| *met);
                summary.rows.push(vec![
                    name.as_str().into(),
                    (report.rows.len() as u64).into(),
                    (met.len() as u64).into(),
                    (missed.len() as u64).into(),
                    (report.failures.len() as u64).into(),
                ]);
                if !report.met() {
                    let text = format!("{name}: a goal was missed or a result is wrong");
                    summary.failures.push(text);
                }
            }
        }
        if let Ok(load) = std::fs::read_to_string("/proc/loadavg") {
            let load = load.split(' ').next().unwrap_or_default();
            summary
                .remarks
                .push(format!("load of the machine at the end: {load}"));
        }
        Ok(summary)
    }
}

/// The methods of `polypath run --fp-solver`.
pub fn methods(context: &Context) -> Result<Vec<String>> {
    let offered = help::values(context, "run", "--fp-solver")?;
    ensure!(!offered.is_empty(), "this polypath has no --fp-solver");
    Ok(offered)
}

/// The column of a `solve` without `--fp-solver`.
pub const PLAIN: &str = "polypath";

/// The methods that `polypath solve` can be asked for.
pub fn solve_methods(setting: &Setting) -> Result<Vec<String>> {
    let offered = help::values(setting.context, "solve", "--fp-solver")?;
    let chosen = setting.methods.iter().filter(|m| offered.contains(m));
    let chosen: Vec<String> = chosen.cloned().collect();
    Ok(if chosen.is_empty() {
        vec![PLAIN.into()]
    } else {
        chosen
    })
}

/// The files of one table.
fn write(context: &Context, name: &str, report: &Report) -> Result<()> {
    report.write(&context.out, name)?;
    let path = context.out.join(format!("{name}.md"));
    std::fs::write(&path, report.markdown())
        .with_context(|| format!("cannot write {}", path.display()))
}

/// What a run left behind. Its directory goes when this is dropped: there are thousands of runs.
pub struct FloatRun {
    pub run: Run,
    pub stats: RunStats,
    /// Of the process and its children.
    pub cpu_s: f64,
}

impl Drop for FloatRun {
    fn drop(&mut self) {
        if let Err(error) = fresh_dir(&self.run.dir) {
            say::err!("fp: {error:#}");
        }
    }
}

/// Limits by the clock are this many times those in processor time: the machine may be busy.
const BUSY: f64 = 20.0;

/// Runs so far.
static RUNS: AtomicU64 = AtomicU64::new(0);

/// `polypath run` for so many CPU seconds; `arguments` has the program, and everything about it.
pub fn explore(
    setting: &Setting,
    seconds: f64,
    seed: u64,
    arguments: impl FnOnce(&mut Command),
) -> Result<FloatRun> {
    let context = setting.context;
    // Runs at the same time share no files.
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    let out = context.out.join("runs").join(format!("fp-{run}"));
    let mut command = run::explore(context, &out)?;
    command.args(["--seed", &seed.to_string()]);
    command.args(["--cpu-time", &seconds.to_string()]);
    command.args(&context.run_options);
    arguments(&mut command);
    let label = format!("{command:?}");
    let usage = run::finish(&mut command, &label, seconds * BUSY + 120.0)?;
    let (run, stats) = Run::read(&out)?.whole()?;
    Ok(FloatRun {
        run,
        stats,
        cpu_s: usage.cpu_s,
    })
}

/// A kind of error, and the file and line where it happens.
pub type ErrorSite = (String, String, u32);

/// What a native replay says.
pub struct Replayed {
    /// Errors that happen natively.
    pub confirmed: BTreeSet<ErrorSite>,
    /// Tests that take another path.
    pub diverged: u64,
}

/// `replay.json`, as much of it as is needed.
#[derive(Deserialize)]
struct ReplayFile {
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
pub fn replay(setting: &Setting, explored: &FloatRun) -> Result<Replayed> {
    let dir = &explored.run.dir;
    let mut command = Command::new(&setting.context.polypath);
    command.arg("replay").arg(dir);
    let usage = measure(&mut command, Duration::from_secs(900))?;
    let text = std::fs::read_to_string(dir.join("replay.json"))
        .with_context(|| format!("{command:?}: exit {}: {}", usage.code(), usage.last_words()))?;
    let report: ReplayFile = serde_json::from_str(&text).context("replay.json")?;
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
        // Drivers of one size, as in the paper.
        command.args(["--array-max", "4", "--string-max", "8"]);
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
