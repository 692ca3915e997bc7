//! Coverage by native replay under a gcov build: tests run one after the other against one
//! instrumented binary, then `gcov` tells lines and branches of the program's own source.

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use testcase::TestCase;
use testcase::replay::sandbox::{Config, Sandbox, SandboxLimits};

/// What of one source file was executed.
#[derive(Clone, Debug, Default)]
pub struct Covered {
    /// Line → executed.
    pub lines: BTreeMap<u32, bool>,
    /// (line, index of the branch outcome) → taken.
    pub branches: BTreeMap<(u32, u32), bool>,
}

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
struct Output {
    files: Vec<SourceFile>,
}

#[derive(Deserialize)]
struct SourceFile {
    file: String,
    lines: Vec<Line>,
}

#[derive(Deserialize)]
struct Line {
    line_number: u32,
    count: u64,
    #[serde(default)]
    branches: Vec<Branch>,
}

#[derive(Deserialize)]
struct Branch {
    count: u64,
}

/// One program of a tree that was built with `--coverage`.
pub struct Judge {
    binary: PathBuf,
    tree: PathBuf,
    /// Directory of the `.gcno` and `.gcda` files.
    objects: PathBuf,
    /// The name of the object's notes, without `.gcno`.
    object: String,
    /// End of the source's name.
    source: String,
}

impl Judge {
    /// For coreutils' `src/PROGRAM` below `tree`.
    pub fn coreutils(tree: &Path, program: &str) -> Result<Judge> {
        // The encoders share one source, compiled once for each.
        let (object, source) = match program {
            "base32" | "base64" | "basenc" => (format!("{program}-basenc"), "basenc"),
            "vdir" => ("ls".to_string(), "ls"),
            "ginstall" => ("install".to_string(), "install"),
            _ => (program.to_string(), program),
        };
        let judge = Judge {
            binary: tree.join("src").join(program),
            tree: tree.into(),
            objects: tree.join("src"),
            object,
            source: format!("src/{source}.c"),
        };
        ensure!(
            judge.binary.is_file(),
            "{} is missing",
            judge.binary.display()
        );
        ensure!(
            judge.notes().is_file(),
            "{} is missing",
            judge.notes().display()
        );
        Ok(judge)
    }

    fn notes(&self) -> PathBuf {
        self.objects.join(format!("{}.gcno", self.object))
    }

    fn counts(&self) -> PathBuf {
        self.objects.join(format!("{}.gcda", self.object))
    }

    /// Replays the tests and reads the coverage; also how many could not be run.
    pub fn replay<'a>(&self, tests: impl Iterator<Item = &'a TestCase>) -> Result<(Covered, u64)> {
        self.reset()?;
        let failed = self.replay_more(tests)?;
        Ok((self.read()?, failed))
    }

    /// Forgets what was covered.
    pub fn reset(&self) -> Result<()> {
        match std::fs::remove_file(self.counts()) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                Err(e).context("cannot reset the counts")
            }
            _ => Ok(()),
        }
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
            .arg(self.notes());
        // The names in the notes are relative to the root of the tree.
        gcov.current_dir(self.objects.parent().unwrap_or(&self.objects));
        let output = gcov.output().context("cannot start gcov")?;
        ensure!(
            output.status.success(),
            "gcov failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let mut covered = Covered::default();
        for document in String::from_utf8_lossy(&output.stdout)
            .lines()
            .filter(|l| !l.is_empty())
        {
            let parsed: Output = serde_json::from_str(document).context("gcov's output")?;
            for file in parsed
                .files
                .iter()
                .filter(|f| f.file.ends_with(&self.source))
            {
                add(&mut covered, &file.lines);
            }
        }
        ensure!(
            !covered.lines.is_empty(),
            "gcov says nothing about {}",
            self.source
        );
        Ok(covered)
    }
}

fn add(covered: &mut Covered, lines: &[Line]) {
    // A line may stand several times (one per function that is instantiated from it).
    let mut seen: BTreeMap<u32, u32> = BTreeMap::new();
    for line in lines {
        *covered.lines.entry(line.line_number).or_default() |= line.count > 0;
        let next = seen.entry(line.line_number).or_default();
        for branch in &line.branches {
            *covered
                .branches
                .entry((line.line_number, *next))
                .or_default() |= branch.count > 0;
            *next += 1;
        }
    }
}
