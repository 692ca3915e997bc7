//! The options of `polypath java run`.

use crate::exit::UsageError;
use crate::session::options::{self as common, Tests};
use solver::{Technique, TheoryKind};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

/// Runs a method on symbolic input and writes test cases.
#[derive(clap::Args, Clone, Debug)]
pub struct RunArgs {
    /// Directories and .jar files with the program's classes, joined by colons
    pub class_path: String,

    /// The method to explore, each of its parameters symbolic: CLASS.METHOD, or CLASS.METHOD(TYPES) where several have the
    /// name
    #[arg(long, value_name = "METHOD")]
    pub entry: String,

    /// The most elements of an array or characters of a string that is a parameter; its length is input, too
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub array_len: u32,

    /// Which open branch is asked for
    #[arg(long, value_name = "NAME", default_value = search::registry::DEFAULT_STRATEGY, help_heading = "Exploration")]
    pub search: String,

    /// Also run what the solver tried on its way
    #[arg(long, help_heading = "Exploration")]
    pub partial_solutions: bool,

    /// Only run what these techniques tried
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        requires = "partial_solutions",
        help_heading = "Exploration"
    )]
    pub partial_from: Vec<String>,

    /// Seed of everything random
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        help_heading = "Exploration"
    )]
    pub seed: u64,

    /// Theory tried first: bits, or lia (linear integers)
    #[arg(long, value_name = "NAME", default_value = "bits", value_parser = TheoryKind::by_name, help_heading = "Solver")]
    pub theory: TheoryKind,

    /// Seconds of processor time for one query before its side of the branch is parked
    #[arg(
        long,
        value_name = "S",
        default_value_t = 10.0,
        help_heading = "Solver"
    )]
    pub solver_time: f64,

    /// Wall-clock time of the run (0: none)
    #[arg(long, value_name = "TIME", default_value = "0", value_parser = common::seconds, help_heading = "Limits")]
    pub time: Duration,

    /// Wall-clock time of one execution of the method
    #[arg(long, value_name = "TIME", default_value = "10", value_parser = common::seconds, help_heading = "Limits")]
    pub run_time: Duration,

    /// Memory of the run in MiB, without the JVM (0: no limit)
    #[arg(
        long,
        value_name = "MIB",
        default_value_t = 2000,
        help_heading = "Limits"
    )]
    pub memory: u64,

    /// Heap of the JVM in MiB
    #[arg(
        long,
        value_name = "MIB",
        default_value_t = 512,
        help_heading = "Limits"
    )]
    pub heap: u64,

    /// Where the results go [default: polypath-out-N, with a link polypath-last]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,

    /// Which paths get a test
    #[arg(
        long,
        value_name = "WHICH",
        default_value = "all",
        help_heading = "Output"
    )]
    pub tests: Tests,

    /// No progress and no summary; only errors and what was left out
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,

    /// Exit with status 4 if something was left out
    #[arg(long, help_heading = "Output")]
    pub strict: bool,
}

impl RunArgs {
    /// Which trials of the solver are run.
    pub fn techniques(&self) -> Result<Rc<[Technique]>, UsageError> {
        if !self.partial_solutions {
            return Ok(Rc::default());
        }
        if self.partial_from.is_empty() {
            return Ok(Technique::ALL.into());
        }
        let known = |name: &String| {
            Technique::by_name(name)
                .ok_or_else(|| UsageError(format!("--partial-from {name}: no such technique")))
        };
        self.partial_from.iter().map(known).collect()
    }

    /// The order in which open branches are asked for.
    pub fn strategy(&self) -> Result<Box<dyn search::Strategy>, UsageError> {
        search::strategy(&self.search, self.seed).ok_or_else(|| {
            let names = search::registry::strategies().map(search::Entry::branch_name);
            let names: Vec<&str> = names.collect();
            UsageError(format!(
                "--search {}: there are {}",
                self.search,
                names.join(", ")
            ))
        })
    }

    /// The parts of the class path, absolute.
    pub fn classes(&self) -> Result<Vec<PathBuf>, UsageError> {
        let parts = self.class_path.split(':').filter(|p| !p.is_empty());
        let mut paths = Vec::new();
        for part in parts {
            let path = PathBuf::from(part).canonicalize();
            paths.push(path.map_err(|e| UsageError(format!("{part}: {e}")))?);
        }
        if paths.is_empty() {
            return Err(UsageError("the class path is empty".into()));
        }
        Ok(paths)
    }
}
