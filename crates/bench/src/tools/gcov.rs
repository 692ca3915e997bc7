//! Coverage by native replay under a gcov build: tests run one after the other against one
//! instrumented binary, then `gcov` tells lines and branches of the program's own source.

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use testcase::TestCase;
use testcase::replay::sandbox::{Config, Sandbox, SandboxLimits};

/// What of one source file was executed.
#[derive(Clone, Debug, Default)]
pub struct Covered {
    /// Line → executed.
    pub lines: BTreeMap<SourceLine, bool>,
    /// Branch outcome → taken.
    pub branches: BTreeMap<Branch, bool>,
}

/// Number of the source among those of the program, in the order of their names, and the line.
pub type SourceLine = (u32, u32);
/// The same, and the index of the branch outcome in the line.
pub type Branch = (u32, u32, u32);

impl Covered {
    fn percent<K>(map: &BTreeMap<K, bool>) -> f64 {
        100.0 * map.values().filter(|hit| **hit).count() as f64 / map.len().max(1) as f64
    }

    /// Percent of lines.
    pub fn line_percent(&self) -> f64 {
        Covered::percent(&self.lines)
    }

    /// Percent of branches taken.
    pub fn branch_percent(&self) -> f64 {
        Covered::percent(&self.branches)
    }

    /// Adds what another set of tests covered.
    pub fn merge(&mut self, other: &Covered) {
        other
            .lines
            .iter()
            .for_each(|(k, hit)| *self.lines.entry(*k).or_default() |= hit);
        other
            .branches
            .iter()
            .for_each(|(k, hit)| *self.branches.entry(*k).or_default() |= hit);
    }
}

#[derive(Deserialize)]
struct GcovOutput {
    files: Vec<SourceFile>,
}

#[derive(Deserialize)]
struct SourceFile {
    file: String,
    lines: Vec<LineCounts>,
}

#[derive(Deserialize)]
struct LineCounts {
    line_number: u32,
    count: u64,
    #[serde(default)]
    branches: Vec<BranchCount>,
}

#[derive(Deserialize)]
struct BranchCount {
    count: u64,
}

/// Whoever counts holds this: what is covered is counted in files of the tree.
pub fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One program of a tree that was built with `--coverage`.
pub struct Judge {
    binary: PathBuf,
    tree: PathBuf,
    /// The objects' notes (`.gcno`); their counts (`.gcda`) lie beside them.
    notes: Vec<PathBuf>,
    /// End of the only source that counts; if none is given, all those below the tree.
    source: Option<String>,
}

impl Judge {
    /// For coreutils' `src/PROGRAM` below `tree`, by its own source.
    pub fn coreutils(tree: &Path, program: &str) -> Result<Judge> {
        // The encoders share one source, compiled once for each.
        let (object, source) = match program {
            "base32" | "base64" | "basenc" => (format!("{program}-basenc"), "basenc"),
            "vdir" => ("ls".to_string(), "ls"),
            "ginstall" => ("install".to_string(), "install"),
            _ => (program.to_string(), program),
        };
        Judge {
            binary: tree.join("src").join(program),
            tree: tree.into(),
            notes: vec![tree.join("src").join(format!("{object}.gcno"))],
            source: Some(format!("src/{source}.c")),
        }
        .checked()
    }

    /// For a program below `tree`, by the sources of all objects in these directories.
    pub fn package(tree: &Path, program: &str, directories: &[&str]) -> Result<Judge> {
        let mut notes = Vec::new();
        for directory in directories {
            let directory = tree.join(directory);
            let read = || format!("cannot read {}", directory.display());
            for entry in std::fs::read_dir(&directory).with_context(read)? {
                let path = entry.with_context(read)?.path();
                let is_note = path.extension().is_some_and(|e| e == "gcno");
                // What `configure` compiled to try the compiler is no part of the program.
                let is_trial = path.to_string_lossy().contains("conftest");
                if is_note && !is_trial {
                    notes.push(path);
                }
            }
        }
        notes.sort();
        Judge {
            binary: tree.join(program),
            tree: tree.into(),
            notes,
            source: None,
        }
        .checked()
    }

    fn checked(self) -> Result<Judge> {
        ensure!(
            !self.notes.is_empty(),
            "{}: no notes of gcov",
            self.tree.display()
        );
        for file in self.notes.iter().chain([&self.binary]) {
            ensure!(file.is_file(), "{} is missing", file.display());
        }
        Ok(self)
    }

    /// Replays the tests and reads the coverage; also how many could not be run.
    pub fn replay<'a>(&self, tests: impl Iterator<Item = &'a TestCase>) -> Result<(Covered, u64)> {
        let _turn = turn();
        self.reset()?;
        let failed = self.replay_more(tests)?;
        Ok((self.read()?, failed))
    }

    /// Forgets what was covered.
    pub fn reset(&self) -> Result<()> {
        for notes in &self.notes {
            match std::fs::remove_file(notes.with_extension("gcda")) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    return Err(e).context("cannot reset the counts");
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Replays tests, whose coverage is added; how many could not be run.
    pub fn replay_more<'a>(&self, tests: impl Iterator<Item = &'a TestCase>) -> Result<u64> {
        let limits = SandboxLimits {
            time: Duration::from_secs(2),
            warn_signal: Some(libc::SIGTERM),
            ..SandboxLimits::default()
        };
        let sandbox = Sandbox::new(Config {
            needed: vec![self.binary.clone()],
            writable: vec![self.tree.clone()],
            ..Config::default()
        })?;
        let mut failed = 0;
        for test in tests {
            failed += u64::from(sandbox.run(&self.binary, test, &limits).is_err());
        }
        Ok(failed)
    }

    /// What the counts on disk say; nothing covered if there are none.
    pub fn read(&self) -> Result<Covered> {
        let mut gcov = Command::new("gcov");
        gcov.args(["--json-format", "--stdout", "--branch-probabilities"])
            .args(&self.notes)
            .current_dir(&self.tree);
        let output = gcov.output().context("cannot start gcov")?;
        ensure!(
            output.status.success(),
            "gcov failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let mut sources: BTreeMap<String, Vec<LineCounts>> = BTreeMap::new();
        for document in String::from_utf8_lossy(&output.stdout)
            .lines()
            .filter(|l| !l.is_empty())
        {
            let parsed: GcovOutput = serde_json::from_str(document).context("gcov's output")?;
            for file in parsed.files.into_iter().filter(|f| self.counts(&f.file)) {
                sources.entry(file.file).or_default().extend(file.lines);
            }
        }
        let mut covered = Covered::default();
        for (lines, number) in sources.values().zip(0..) {
            add(&mut covered, number, lines);
        }
        ensure!(
            !covered.lines.is_empty(),
            "gcov says nothing about {}",
            self.binary.display()
        );
        Ok(covered)
    }

    /// Is that a source of the program?
    fn counts(&self, file: &str) -> bool {
        match &self.source {
            Some(source) => file.ends_with(source),
            // The names are relative to where the compiler ran; those of the system are absolute.
            None => !file.starts_with('/'),
        }
    }
}

fn add(covered: &mut Covered, source: u32, lines: &[LineCounts]) {
    // A line may stand several times (one per function that is instantiated from it).
    let mut seen: BTreeMap<u32, u32> = BTreeMap::new();
    for line in lines {
        *covered.lines.entry((source, line.line_number)).or_default() |= line.count > 0;
        let next = seen.entry(line.line_number).or_default();
        for branch in &line.branches {
            *covered
                .branches
                .entry((source, line.line_number, *next))
                .or_default() |= branch.count > 0;
            *next += 1;
        }
    }
}
