//! The context of all suites: tools, options, and the directories of their runs.

use anyhow::{Context as _, Result};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// What all suites are given.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The `polypath` binary.
    pub polypath: PathBuf,
    /// Runs at the same time, where a suite lets them ([`Context::each`]).
    pub jobs: usize,
    /// Where outputs of the runs, tables, JSON and plots go.
    pub out: PathBuf,
    /// Seconds per run; `None`: the suite's own.
    pub time: Option<f64>,
    /// Seeds per configuration; `None`: the suite's own.
    pub seeds: Option<u64>,
    /// First seed of generated programs.
    pub first_seed: u64,
    /// How many generated programs or queries; `None`: the suite's own.
    pub count: Option<u64>,
    /// Everything, where a suite has a smaller selection of its own.
    pub all: bool,
    /// Only these programs or cases; empty: all.
    pub only: Vec<String>,
    /// Searchers to compare; empty: the suite's own.
    pub searchers: Vec<String>,
    /// More options for each `polypath run`.
    pub run_options: Vec<String>,
    /// The names of a suite's cases that were held against `only`.
    pub cases: CaseNames,
}

/// Names of cases, which a context and its copies share.
#[derive(Clone, Debug, Default)]
pub struct CaseNames(Arc<Mutex<BTreeSet<String>>>);

/// Generated programs of a suite that does not say how many.
const COUNT: u64 = 1000;

impl Context {
    /// How many generated programs.
    pub fn count(&self) -> u64 {
        self.count.unwrap_or(COUNT)
    }

    /// Those that `--only` names, or all if it names none of them.
    pub fn choose<'a, T>(&self, all: &'a [T], name: impl Fn(&T) -> &str) -> Vec<&'a T> {
        let is_named = |item: &&T| self.only.iter().any(|o| o == name(item));
        if all.iter().any(|item| is_named(&item)) {
            all.iter().filter(is_named).collect()
        } else {
            all.iter().collect()
        }
    }

    /// A name for the build of `polypath` that is measured: what another build did is not its result.
    pub fn build(&self) -> Result<String> {
        let read = |path: &Path| {
            std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
        };
        let mut hasher = DefaultHasher::new();
        hasher.write(&read(&self.polypath)?);
        hasher.write(&read(&self.polypath.with_file_name("polypath-lower"))?);
        Ok(format!("{:016x}", hasher.finish()))
    }

    /// Whether a case was chosen.
    pub fn wants(&self, name: &str) -> bool {
        let names = self.cases.0.lock();
        let mut names = names.unwrap_or_else(PoisonError::into_inner);
        names.insert(name.to_string());
        self.only.is_empty() || self.only.iter().any(|o| o == name)
    }

    /// A name that `--only` gives and no case has, and which there are; `None` if there is none, or the suite has no such names.
    pub fn unknown_case(&self) -> Option<String> {
        let names = self.cases.0.lock();
        let names = names.unwrap_or_else(PoisonError::into_inner);
        let name = self.only.iter().find(|name| !names.contains(*name))?;
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        (!all.is_empty()).then(|| {
            format!(
                "--only: there is no '{name}' (there are: {})",
                all.join(", ")
            )
        })
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
