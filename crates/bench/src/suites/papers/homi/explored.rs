//! One run, and what its tests cover natively in the order in which they were made.

use super::contenders::first_round;
use super::programs::PaperProgram;
use crate::tools::anchors::COREUTILS_ARGUMENTS;
use crate::tools::gcov::Branch;
use crate::tools::{Context, fresh_dir, gcov, run};
use anyhow::{Context as _, Result, ensure};
use oracle::measure::measure;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use testcase::replay::ExitSummary;
use testcase::{Run, RunStats, TestCase, TimePoint};

/// Moments at which branches are counted.
pub const MOMENTS: usize = 24;
/// Tests replayed beside those that covered something new, evenly over the run, unless `--count` says how many.
const OTHERS_REPLAYED: u64 = 5_000;
/// The cap of each run, as in the paper.
const MEMORY_MIB: &str = "2000";

/// What is kept of a run. Times are seconds of processor time.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RoundRecord {
    /// Branches covered by the tests made up to each of these times, which are the same for each run of as many seconds.
    pub over_time: Vec<(f64, u64)>,
    /// The same at the end of the first round; where there are no rounds, after as long as that of the paper.
    #[serde(default)]
    pub first_round: (f64, u64),
    /// The branches.
    pub branches: BTreeSet<Branch>,
    /// Live states at these times.
    pub states: Vec<(f64, u64)>,
    /// Tests that were made.
    pub tests: u64,
    /// Errors of the program that the run reported, and what native replay says of each.
    pub errors: BTreeMap<String, String>,
}

impl RoundRecord {
    /// Live states, averaged over time.
    pub fn mean_states(&self) -> f64 {
        let pieces = self.states.windows(2);
        let area: f64 = pieces.map(|w| (w[1].0 - w[0].0) * w[0].1 as f64).sum();
        let time = self.states.last().map_or(0.0, |p| p.0);
        area / time.max(1e-9)
    }

    /// Branches covered after the first round that were not covered in it.
    pub fn since_first_round(&self) -> f64 {
        self.branches.len() as f64 - self.first_round.1 as f64
    }
}

/// Runs a program on the paper's symbolic input, and replays its tests.
pub fn explore(
    context: &Context,
    program: &PaperProgram,
    seed: u64,
    seconds: f64,
    contender: &str,
    options: &[String],
) -> Result<RoundRecord> {
    say::err!("homi: {}, {contender}, seed {seed}", program.subject.name);
    let label: String = contender
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { '-' })
        .collect();
    let runs = context.out.join("runs");
    let out = runs.join(format!("homi-{}-{label}-{seed}", program.subject.name));
    let mut command = run::explore(context, &out)?;
    command.args(["--memory", MEMORY_MIB]);
    // Processor seconds: the machine may be busy. The wall only bounds a run that sleeps.
    command.args(["--cpu-time", &seconds.to_string()]);
    command.args(["--time", &(10.0 * seconds).to_string()]);
    command.args(["--seed", &seed.to_string()]);
    // As the paper's algorithm and KLEE: each state that is left at the end has a test.
    command.args(["--tests", "live"]);
    command.args(options).args(&context.run_options);
    command
        .arg(program.subject.binary()?)
        .args(COREUTILS_ARGUMENTS);
    run::finish(&mut command, program.subject.name, 10.0 * seconds + 120.0)?;
    let (run, stats) = Run::read(&out)?.whole()?;
    let time = |test: &TestCase| processor_time(&run.timeline, test.time_s);
    let mut tests: Vec<&TestCase> = run.tests.iter().collect();
    tests.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
    let others = tests.iter().filter(|t| !t.covered_new).count();
    let most = context.count.unwrap_or(OTHERS_REPLAYED).max(1);
    let every = (others as u64).div_ceil(most).max(1);
    let mut number: u64 = 0;
    tests.retain(|t| {
        number += u64::from(!t.covered_new);
        t.covered_new || number.is_multiple_of(every)
    });
    let tests_replayed = tests.len();
    let judge = program.subject.judge()?;
    let turn = gcov::turn();
    judge.reset()?;
    let (mut over_time, mut branches) = (Vec::new(), BTreeSet::new());
    let mut first_round = (end_of_first_round(&run.timeline, &stats, seconds), 0);
    for Moment {
        until,
        is_first_round,
    } in moments(first_round.0, seconds)
    {
        let rest = tests.split_off(tests.partition_point(|t| time(t) <= until));
        let failed = judge.replay_more(std::mem::replace(&mut tests, rest).into_iter())?;
        ensure!(
            failed == 0,
            "{}: {failed} tests could not be replayed",
            program.subject.name
        );
        let covered = judge.read()?.branches;
        branches = covered
            .into_iter()
            .filter_map(|(b, hit)| hit.then_some(b))
            .collect();
        let covered = branches.len() as u64;
        if is_first_round {
            first_round.1 = covered;
        } else {
            over_time.push((until.min(seconds), covered));
        }
    }
    drop(turn);
    must_count(program.subject.name, tests_replayed, &branches)?;
    let has_errors = run.errors.iter().any(|e| e.kind.is_program_error());
    let explored = RoundRecord {
        over_time,
        first_round,
        branches,
        states: run.timeline.iter().map(|p| (p.cpu_s, p.states)).collect(),
        tests: stats.tests,
        errors: if has_errors {
            confirmed(context, &out)?
        } else {
            BTreeMap::new()
        },
    };
    fresh_dir(&out)?;
    Ok(explored)
}

/// A program that runs covers something: without any branch its counts were not written, and zero is no result.
fn must_count(program: &str, tests: usize, branches: &BTreeSet<Branch>) -> Result<()> {
    ensure!(
        tests == 0 || !branches.is_empty(),
        "{program}: {tests} tests cover no branch: the program could not write its counts"
    );
    Ok(())
}

/// A time up to which tests are replayed before branches are counted.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Moment {
    until: f64,
    is_first_round: bool,
}

/// All of them in their order, where the first round ends at that time.
fn moments(first_round: f64, seconds: f64) -> Vec<Moment> {
    let regular = (1..=MOMENTS).map(|moment| Moment {
        // The last tests are written when the time is up.
        until: match moment {
            MOMENTS => f64::INFINITY,
            _ => seconds * moment as f64 / MOMENTS as f64,
        },
        is_first_round: false,
    });
    let first = Moment {
        until: first_round,
        is_first_round: true,
    };
    let mut all: Vec<Moment> = regular.chain([first]).collect();
    all.sort_by(|a, b| a.until.total_cmp(&b.until));
    all
}

/// The processor time at which the first round of a run was over.
fn end_of_first_round(timeline: &[TimePoint], stats: &RunStats, seconds: f64) -> f64 {
    let rounds = stats.more.get("homi").map(|homi| &homi["rounds"]);
    let took = match rounds.and_then(Value::as_array) {
        // One that never ended takes all.
        Some(rounds) => rounds
            .first()
            .and_then(|round| round["seconds"].as_f64())
            .unwrap_or(seconds),
        None => first_round(seconds),
    };
    let began = timeline.first().map_or(0.0, |p| p.cpu_s);
    (began + took).min(seconds)
}

/// The processor time at a moment of the wall's.
fn processor_time(timeline: &[TimePoint], wall_s: f64) -> f64 {
    let after = timeline.partition_point(|p| p.t <= wall_s);
    match (
        after.checked_sub(1).map(|i| &timeline[i]),
        timeline.get(after),
    ) {
        (Some(a), Some(b)) => a.cpu_s + (b.cpu_s - a.cpu_s) * (wall_s - a.t) / (b.t - a.t),
        (Some(last), None) => last.cpu_s,
        (None, _) => wall_s,
    }
}

/// What `polypath replay` says of each error of the program.
fn confirmed(context: &Context, out: &Path) -> Result<BTreeMap<String, String>> {
    let mut command = Command::new(&context.polypath);
    // Errors are confirmed whichever tests are replayed.
    command.args(["replay", "--new", "--sample", "1"]).arg(out);
    let usage = measure(&mut command, Duration::from_secs(600))?;
    let path = out.join("replay.json");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("{command:?}: exit {}: {}", usage.code(), usage.last_words()))?;
    let summary: ExitSummary = serde_json::from_str(&text).context("replay.json")?;
    let errors = summary.errors.iter().filter(|e| e.kind.is_program_error());
    let entry = |e: &testcase::replay::ErrorResult| {
        let place = format!("{} at {}:{}", e.kind.id(), e.file, e.line);
        (place, e.name().to_string())
    };
    Ok(errors.map(entry).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_lies_between_its_points() {
        let point = |t, cpu_s| TimePoint {
            t,
            cpu_s,
            ..TimePoint::default()
        };
        let timeline = [point(1.0, 0.5), point(3.0, 1.5)];
        let at = |t| processor_time(&timeline, t);
        assert_eq!((at(0.25), at(1.0), at(2.0), at(9.0)), (0.25, 0.5, 1.0, 1.5));
    }

    #[test]
    fn no_branch_at_all_is_no_result() {
        let (none, one) = (BTreeSet::new(), BTreeSet::from([(0, 1, 0)]));
        assert!(must_count("p", 3, &none).is_err());
        assert!(must_count("p", 0, &none).is_ok() && must_count("p", 3, &one).is_ok());
    }

    #[test]
    fn the_first_round_is_a_moment_of_its_own() {
        let timeline = [TimePoint {
            cpu_s: 0.5,
            ..TimePoint::default()
        }];
        let mut stats = RunStats::default();
        // Without rounds: 800 of 18,000 seconds.
        let end = |stats: &RunStats| end_of_first_round(&timeline, stats, 45.0);
        assert_eq!(end(&stats), 2.5);
        let homi = |rounds: &str| serde_json::from_str(rounds).expect("JSON");
        stats.more.insert("homi".into(), homi(r#"{"rounds": []}"#));
        assert_eq!(end(&stats), 45.0);
        let two = homi(r#"{"rounds": [{"seconds": 1.0}, {"seconds": 7.0}]}"#);
        stats.more.insert("homi".into(), two);
        assert_eq!(end(&stats), 1.5);
        let all = moments(2.5, 45.0);
        assert_eq!((all.len(), all[1].until), (MOMENTS + 1, 2.5));
        let first: Vec<usize> = (0..all.len()).filter(|&i| all[i].is_first_round).collect();
        assert_eq!(first, [1]);
        assert_eq!(all[MOMENTS].until, f64::INFINITY);
    }
}
