//! What all suites are given, and where their runs go.

use anyhow::{Context as _, Result};
use std::path::{Path, PathBuf};

/// What all suites are given.
#[derive(Clone, Debug)]
pub struct Context {
    /// The `polypath` binary.
    pub polypath: PathBuf,
    /// Where outputs of the runs, tables, JSON and plots go.
    pub out: PathBuf,
    /// Seconds per run; `None`: the suite's own.
    pub time: Option<f64>,
    /// Seeds per configuration; `None`: the suite's own.
    pub seeds: Option<u64>,
    /// First seed of generated programs.
    pub first_seed: u64,
    /// How many generated programs.
    pub count: u64,
    /// Only these programs or cases; empty: all.
    pub only: Vec<String>,
    /// Searchers to compare; empty: the suite's own.
    pub searchers: Vec<String>,
    /// More options for each `polypath run`.
    pub run_options: Vec<String>,
}

impl Context {
    /// Whether a case was chosen.
    pub fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|o| o == name)
    }
}

/// The output directory of one run, emptied: what is there is from an earlier bench.
pub fn fresh_dir(dir: &Path) -> Result<()> {
    match std::fs::remove_dir_all(dir) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(e).with_context(|| format!("cannot clear {}", dir.display()))
        }
        _ => Ok(()),
    }
}
