//! Part `study`: the study of "Symbolic Execution of Floating-point Programs: How far are we?" on GSL's special
//! functions. Each function runs with each method, breadth first and depth first (`--search` names one); counted are the lines that are
//! covered (Fig. 2 to 7) and the floating-point exceptions that are found (Tables I and II), means over the seeds.

mod exceptions;
mod paper;
mod tables;

use super::gsl_functions::{GslFunction, functions};
use crate::tools::Context;
use crate::tools::curve::{self, Point};
use crate::tools::float::{ErrorSite, FloatRun, FloatTable, Gsl, Setting, explore, replay};
use crate::tools::help;
use crate::tools::kept::SharedStore;
use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// CPU seconds a run by default; the paper has an hour.
const SECONDS: f64 = 5.0;

/// The orders of the paper, in its order.
const SEARCHES: [&str; 2] = ["bfs", "dfs"];

/// A method that decides no condition is not one of the paper's; `--only none` runs it.
const FLOOR: &str = "none";

/// Kinds of errors that are the paper's four exceptions, in the order of its tables.
const EXCEPTIONS: [(&str, &str); 4] = [
    ("overflow", "fp_overflow"),
    ("underflow", "fp_underflow"),
    ("invalid", "fp_invalid"),
    ("division by zero", "fp_div_zero"),
];

/// What one run gave.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct StudyRun {
    /// Lines covered over time.
    curve: Vec<Point>,
    /// Lines covered, by source file.
    lines: BTreeMap<String, BTreeSet<u32>>,
    /// Lines with code in reach of the function.
    total: u64,
    /// Exceptions found; `None`: this build does not look for them.
    exceptions: Option<BTreeSet<ErrorSite>>,
    /// Those of them that native replay confirms.
    confirmed_exceptions: BTreeSet<ErrorSite>,
    /// Tests that native replay sees on another path.
    diverged: u64,
    /// Branch sides that were put aside, by reason.
    parked: BTreeMap<String, u64>,
    queries: u64,
    /// CPU seconds of the process and its children, the driver's compilation among them.
    cpu_s: f64,
}

impl StudyRun {
    fn covered(&self) -> f64 {
        self.lines.values().map(BTreeSet::len).sum::<usize>() as f64
    }
}

/// All runs.
struct Study {
    seconds: f64,
    functions: Vec<GslFunction>,
    methods: Vec<String>,
    /// Which of [`SEARCHES`]: those that `--search` names, or all.
    searches: Vec<usize>,
    /// By search (of all), method, function; one for each seed.
    outcomes: Vec<Vec<Vec<Vec<StudyRun>>>>,
    /// Runs that failed, in words.
    failures: Vec<String>,
}

/// See the module.
pub fn run(setting: &Setting) -> Result<Vec<FloatTable>> {
    let context = setting.context;
    let gsl = Gsl::find()?;
    let is_named = |m: &String| context.only.iter().any(|o| o == m);
    let methods = setting.methods.iter();
    let methods = methods.filter(|m| *m != FLOOR || is_named(m)).cloned();
    let empty = |n: usize| vec![Vec::new(); n];
    let mut study = Study {
        seconds: context.time.unwrap_or(SECONDS),
        functions: functions(context, &gsl.tree)?,
        methods: methods.collect(),
        searches: searches(context),
        outcomes: Vec::new(),
        failures: Vec::new(),
    };
    study.outcomes = vec![empty(study.methods.len()); SEARCHES.len()];
    let checks = help::values(context, "run", "--check")?;
    let looks_for_exceptions = checks.iter().any(|c| c == "fp-overflow");
    let kept: SharedStore<StudyRun> = SharedStore::open(&setting.dir.join("study.jsonl"))?;
    for function in study.functions.clone() {
        say::err!("fp: {}", function.name);
        let mut cases = Vec::new();
        for &search in &study.searches {
            for (method, name) in study.methods.iter().enumerate() {
                for seed in 0..setting.seeds() {
                    let one = One {
                        function: &function.name,
                        method: name,
                        search: SEARCHES[search],
                        seconds: study.seconds,
                        seed,
                        looks_for_exceptions,
                    };
                    cases.push((search, method, one));
                }
            }
        }
        // A run that fails is a finding about us, and the others go on.
        let runs = context.each(&cases, |(.., one)| {
            let key = setting.key(&[&one.key()]);
            Ok(kept.get(&key, || run_one(setting, &gsl, one)))
        })?;
        for outcomes in study.outcomes.iter_mut().flatten() {
            outcomes.push(Vec::new());
        }
        for ((search, method, one), run) in cases.iter().zip(runs) {
            match run {
                Ok(outcome) => {
                    let own = study.outcomes[*search][*method].last_mut();
                    own.context("a place for each function")?.push(outcome);
                }
                Err(error) => study.failures.push(format!("{}: {error:#}", one.key())),
            }
        }
    }
    study.tables(context)
}

/// Those of [`SEARCHES`] that `--search` names, or all if it names none of them.
fn searches(context: &Context) -> Vec<usize> {
    let is_named = |at: &usize| context.searchers.iter().any(|s| s == SEARCHES[*at]);
    let named: Vec<usize> = (0..SEARCHES.len()).filter(is_named).collect();
    if named.is_empty() {
        (0..SEARCHES.len()).collect()
    } else {
        named
    }
}

/// What one run is.
struct One<'a> {
    function: &'a str,
    method: &'a str,
    search: &'a str,
    seconds: f64,
    seed: u64,
    looks_for_exceptions: bool,
}

impl One<'_> {
    fn key(&self) -> String {
        let One {
            function,
            method,
            search,
            seconds,
            seed,
            looks_for_exceptions,
        } = self;
        let checks = if *looks_for_exceptions {
            ", exceptions"
        } else {
            ""
        };
        format!("{function} {method} {search} {seconds} s, seed {seed}{checks}")
    }
}

fn run_one(setting: &Setting, gsl: &Gsl, one: &One) -> Result<StudyRun> {
    let explored = explore(setting, one.seconds, one.seed, |command| {
        command.args(["--fp-solver", one.method, "--search", one.search]);
        if one.looks_for_exceptions {
            command.args(["--tests", "new", "--check", "fp"]);
        } else {
            command.arg("--no-tests");
        }
        gsl.entry(command, one.function);
    })?;
    let mut outcome = outcome(&explored);
    if one.looks_for_exceptions {
        let replayed = replay(setting, &explored)?;
        let found = exceptions(&explored);
        outcome.confirmed_exceptions = found.intersection(&replayed.confirmed).cloned().collect();
        outcome.exceptions = Some(found);
        outcome.diverged = replayed.diverged;
    }
    Ok(outcome)
}

fn outcome(explored: &FloatRun) -> StudyRun {
    let mut lines: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    for file in explored.run.coverage.iter().flat_map(|c| &c.files) {
        let reached = file.lines.iter().filter(|(_, reached)| *reached);
        lines.insert(file.path.clone(), reached.map(|(line, _)| *line).collect());
    }
    StudyRun {
        curve: curve::of(&explored.run.timeline, |p| p.covered_lines as f64),
        lines,
        total: explored.stats.total_lines,
        parked: explored.stats.parked.clone(),
        queries: explored.stats.queries,
        cpu_s: explored.cpu_s,
        ..StudyRun::default()
    }
}

/// The paper's exceptions among the errors.
fn exceptions(explored: &FloatRun) -> BTreeSet<ErrorSite> {
    let errors = explored.run.errors.iter();
    let of = errors.map(|e| (e.kind.id().to_string(), e.file.clone(), e.line));
    of.filter(|(kind, ..)| EXCEPTIONS.iter().any(|(_, id)| kind == id))
        .collect()
}
