//! The experiments behind `polypath bench SUITE`, and the fidelity harnesses that the tests share.
//!
//! Everything here drives the `polypath` binary from outside, as a user would, and measures CPU time
//! of the whole process tree: nothing is linked in that could look better from within.
//!
//! To add a suite: its file with a `run(&Context) -> Result<Report>`, and one line in [`SUITES`].

#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod anchors;
pub mod array_logs;
pub mod arrays;
pub mod core;
pub mod coreutils;
pub mod csmith;
pub mod fidelity;
pub mod formulas;
pub mod gcov;
pub mod make_check;
pub mod measure;
pub mod multiplex;
pub mod observation;
pub mod packages;
pub mod parsers;
pub mod report;
pub mod search;
pub mod solvers;
pub mod symbolic;
pub mod techniques;

use anyhow::{Context as _, Result, bail};
use report::Report;
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

/// A named experiment.
pub struct Suite {
    pub name: &'static str,
    pub help: &'static str,
    pub run: fn(&Context) -> Result<Report>,
}

/// All of them.
#[rustfmt::skip]
pub const SUITES: &[Suite] = &[
    Suite { name: "core", help: "interpreter and forking speed beside KLEE's figures", run: core::run },
    Suite { name: "coreutils", help: "coverage of GNU coreutils beside KLEE's", run: coreutils::run },
    Suite { name: "search", help: "searchers compared on coreutils", run: search::run },
    Suite { name: "arrays", help: "configurations of array solving on table-heavy programs", run: arrays::run },
    Suite { name: "multiplex", help: "GSL functions with and without partial solutions, beside the paper's Table 6", run: multiplex::run },
    Suite { name: "array-logs", help: "configurations of array solving on the same raw queries", run: array_logs::run },
    Suite { name: "make-check", help: "the commands of coreutils' own tests against their native run", run: make_check::run },
    Suite { name: "parsers", help: "readers of binary formats and coreutils with and without partial solutions, after the paper's Table 5", run: parsers::run },
    Suite { name: "packages", help: "Debian source packages built unchanged, explored and replayed", run: packages::run },
    Suite { name: "csmith", help: "generated programs against their native run", run: csmith::run },
    Suite { name: "solvers", help: "logged queries, our solver beside bitwuzla, z3 and cvc5", run: solvers::run },
    Suite { name: "observation", help: "CPU time with and without partial solutions on logged queries", run: observation::run },
    Suite { name: "formulas", help: "generated formulas against z3 and bitwuzla", run: formulas::run },
];

/// Runs a suite, prints its table and writes `NAME.json` and `NAME.svg`; whether all goals were met.
pub fn run(name: &str, context: &Context) -> Result<bool> {
    let Some(suite) = SUITES.iter().find(|s| s.name == name) else {
        let names: Vec<_> = SUITES.iter().map(|s| s.name).collect();
        bail!("no suite '{name}'; there are: {}", names.join(", "));
    };
    std::fs::create_dir_all(&context.out)
        .with_context(|| format!("cannot make {}", context.out.display()))?;
    let report = (suite.run)(context)?;
    say::out!("{}", report.table());
    report.write(&context.out, name)?;
    say::err!(
        "written: {}",
        context.out.join(format!("{name}.{{json,svg}}")).display()
    );
    Ok(report.met())
}

/// The output directory of one run, emptied: what is there is from an earlier bench.
pub(crate) fn fresh_dir(dir: &Path) -> Result<()> {
    match std::fs::remove_dir_all(dir) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(e).with_context(|| format!("cannot clear {}", dir.display()))
        }
        _ => Ok(()),
    }
}
