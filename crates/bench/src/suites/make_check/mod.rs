//! Suite `make-check`: the commands of coreutils' own tests, run concretely by Polypath, beside
//! their native run.
//!
//! `harvest` runs the project's tests once with a recorder in the place of each program: what was
//! called with which arguments, environment, standard input and files. Here each recorded command is
//! laid out again, at the same path, and run twice: natively (the binary that `polypath cc` built) and
//! by `polypath run --fs`. Standard output, standard error, exit status and the files that are left must
//! be equal (the lines of programs that walk directories in any order). Commands that
//! cannot be repeated, or whose meaning is other processes, the host or the clock, are left out by a
//! named reason and counted; what differs is taken for undetermined only if a second native run
//! differs from the first.
//!
//! The commands of one test share its directory, so tests are the unit of parallel work. Run as
//! root, tests and native runs drop to the user that the modelled world has (1000).

mod compare;
mod exclude;
mod harvest;
mod record;
mod tree;
mod user;

use crate::tools::Context;
use crate::tools::report::{Cell, Report};
use anyhow::Result;
use compare::Comparison;
use record::Recorded;
use std::collections::{BTreeMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The user that tests and native runs have when we are root.
const USER: u32 = 1000;

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let tree = crate::tools::trees::fetched("coreutils")?;
    let top = harvest::ensure(&tree)?;
    let all = record::read_all(&top)?;
    let recorded = all.len() as u64;
    let mut excluded: BTreeMap<String, u64> = BTreeMap::new();
    let mut seen = HashSet::new();
    let mut repeated = 0u64;
    let mut chosen = Vec::new();
    for command in all.into_iter().filter(|c| context.wants(&c.program)) {
        if let Some(reason) = exclude::reason(&command) {
            *excluded.entry(reason.to_string()).or_default() += 1;
        } else if !seen.insert(command.key) {
            repeated += 1;
        } else {
            chosen.push(command);
        }
    }
    let eligible = chosen.len();
    let chosen = sample(chosen, context.count() as usize);
    let mut tests: BTreeMap<String, Vec<Recorded>> = BTreeMap::new();
    for command in chosen {
        tests.entry(command.test.clone()).or_default().push(command);
    }
    let tests: Vec<Vec<Recorded>> = tests.into_values().collect();
    let verdicts = compare_all(context, &top, &tests)?;

    let (mut equal, mut different) = (0u64, 0u64);
    let mut failures = Vec::new();
    let mut per_program: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for (command, verdict) in &verdicts {
        let row = per_program.entry(&command.program).or_default();
        match verdict {
            Comparison::Equal => (equal, row.0) = (equal + 1, row.0 + 1),
            Comparison::Excluded(why) => *excluded.entry(why.clone()).or_default() += 1,
            Comparison::Different(why) => {
                (different, row.1) = (different + 1, row.1 + 1);
                failures.push(format!("{}: {why}", command.line()));
            }
        }
    }
    let mut report = Report::new(
        "The commands of coreutils' own tests against their native run",
        &["", "commands"],
    );
    let mut row = |name: &str, n: u64| report.rows.push(vec![Cell::from(name), Cell::from(n)]);
    row("recorded", recorded);
    row("the same as another one", repeated);
    row("equal", equal);
    row("different", different);
    for (reason, n) in &excluded {
        row(&format!("left out: {reason}"), *n);
    }
    if (verdicts.len()) < eligible {
        let n = verdicts.len();
        report
            .remarks
            .push(format!("a sample: {n} of {eligible} commands (--count)"));
    }
    let programs = per_program.len();
    report.remarks.push(format!("{programs} programs"));
    failures.sort();
    report.failures = failures;
    Ok(report)
}

/// At most about `count` of the commands: no program more than a share that makes the sum right, each
/// program's evenly spread.
fn sample(commands: Vec<Recorded>, count: usize) -> Vec<Recorded> {
    let mut programs: BTreeMap<String, Vec<Recorded>> = BTreeMap::new();
    for command in commands {
        programs
            .entry(command.program.clone())
            .or_default()
            .push(command);
    }
    let mut sizes: Vec<usize> = programs.values().map(Vec::len).collect();
    sizes.sort_unstable();
    let (mut left, mut share) = (count, 0);
    for (index, size) in sizes.iter().enumerate() {
        share = (*size).min(left / (sizes.len() - index));
        left -= share;
    }
    let spread = |all: Vec<Recorded>| {
        let total = all.len();
        let kept = move |i: usize| total <= share || i * share / total != (i + 1) * share / total;
        all.into_iter()
            .enumerate()
            .filter(move |(i, _)| kept(*i))
            .map(|(_, c)| c)
    };
    programs.into_values().flat_map(spread).collect()
}

/// All verdicts, tests in parallel.
fn compare_all<'a>(
    context: &Context,
    top: &std::path::Path,
    tests: &'a [Vec<Recorded>],
) -> Result<Vec<(&'a Recorded, Comparison)>> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let total: usize = tests.iter().map(Vec::len).sum();
    let job = || -> Result<()> {
        while let Some(commands) = tests.get(next.fetch_add(1, Ordering::Relaxed)) {
            for command in commands {
                let verdict = compare::judge(&context.polypath, top, command)?;
                if let Comparison::Different(why) = &verdict {
                    say::err!("make-check: {}: {why}", command.line());
                }
                let mut done = done.lock().unwrap_or_else(|e| e.into_inner());
                done.push((command, verdict));
                if done.len().is_multiple_of(250) {
                    say::err!("make-check: {} of {total}", done.len());
                }
            }
        }
        Ok(())
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(job)).collect();
        workers.into_iter().try_for_each(|w| match w.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    Ok(done.into_inner().unwrap_or_else(|e| e.into_inner()))
}
