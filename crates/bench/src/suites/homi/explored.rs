//! One run, and what its tests cover natively in the order in which they were made.

use crate::tools::anchors::COREUTILS_ARGUMENTS;
use crate::tools::coreutils::Trees;
use crate::tools::gcov::Judge;
use crate::tools::{Context, fresh_dir};
use anyhow::{Result, ensure};
use oracle::measure::measure;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::process::Command;
use std::time::Duration;
use testcase::{Run, TestCase};

/// Moments at which branches are counted.
const MOMENTS: usize = 24;
/// Tests replayed beside those that covered something new, evenly over the run.
const OTHERS_REPLAYED: usize = 5_000;

/// What is kept of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Explored {
    /// Branches covered by the tests made up to each of these seconds.
    pub over_time: Vec<(f64, u64)>,
    /// The branches, as line and number.
    pub branches: BTreeSet<(u32, u32)>,
    /// Live states at these seconds.
    pub states: Vec<(f64, u64)>,
    /// Tests that were made.
    pub tests: u64,
    /// Errors that the run reported.
    pub errors: BTreeSet<String>,
}

impl Explored {
    /// Live states, averaged over time.
    pub fn mean_states(&self) -> f64 {
        let pieces = self.states.windows(2);
        let area: f64 = pieces.map(|w| (w[1].0 - w[0].0) * w[0].1 as f64).sum();
        let time = self.states.last().map_or(0.0, |p| p.0);
        area / time.max(1e-9)
    }
}

/// Runs a program of coreutils on the paper's symbolic input, and replays its tests.
pub fn explore(
    context: &Context,
    trees: &Trees,
    program: &str,
    seed: u64,
    seconds: f64,
    options: &[String],
) -> Result<Explored> {
    let out = context.out.join("runs").join(format!("homi-{program}"));
    fresh_dir(&out)?;
    let mut command = Command::new(&context.polypath);
    command.args(["run", "--quiet", "--time", &seconds.to_string()]);
    command.args(["--seed", &seed.to_string()]);
    command.args(options).args(&context.run_options);
    command.arg("--out").arg(&out);
    command.arg(trees.bitcode.join("src").join(program));
    command.args(COREUTILS_ARGUMENTS);
    let usage = measure(&mut command, Duration::from_secs_f64(seconds + 120.0))?;
    ensure!(
        !usage.timed_out && usage.code() <= 1,
        "{command:?}: exit {}: {}",
        usage.code(),
        usage.last_words()
    );
    let (run, stats) = Run::read(&out)?.whole()?;
    let mut tests: Vec<&TestCase> = run.tests.iter().collect();
    tests.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
    let others = tests.iter().filter(|t| !t.covered_new).count();
    let every = others.div_ceil(OTHERS_REPLAYED).max(1);
    let mut number = 0;
    tests.retain(|t| {
        number += usize::from(!t.covered_new);
        t.covered_new || number % every == 0
    });
    let judge = Judge::coreutils(&trees.gcov, program)?;
    judge.reset()?;
    let (mut over_time, mut branches) = (Vec::new(), BTreeSet::new());
    for moment in 1..=MOMENTS {
        // The last tests are written when the time is up.
        let until = match moment {
            MOMENTS => f64::INFINITY,
            _ => seconds * moment as f64 / MOMENTS as f64,
        };
        let rest = tests.split_off(tests.partition_point(|t| t.time_s <= until));
        let failed = judge.replay_more(std::mem::replace(&mut tests, rest).into_iter())?;
        ensure!(
            failed == 0,
            "{program}: {failed} tests could not be replayed"
        );
        let covered = judge.read()?.branches;
        branches = covered
            .into_iter()
            .filter_map(|(b, hit)| hit.then_some(b))
            .collect();
        over_time.push((until.min(seconds), branches.len() as u64));
    }
    let errors = run.errors.iter().filter(|e| e.kind.is_program_error());
    let errors = errors
        .map(|e| format!("{} at {}:{}", e.kind.id(), e.file, e.line))
        .collect();
    let explored = Explored {
        over_time,
        branches,
        states: run.timeline.iter().map(|p| (p.t, p.states)).collect(),
        tests: stats.tests,
        errors,
    };
    fresh_dir(&out)?;
    Ok(explored)
}
