//! Suite `observation`: the cost of observing the solver's trials.
//!
//! The queries of suite `solvers` (its sample, each from nothing, and its streams, in order) are asked with and
//! without `--partial-solutions` in turn. Observed searches may go another way, so single queries differ by luck:
//! the figure is the median over the pairs of the ratio of the sums of CPU seconds.

use crate::tools::queries::{Collection, collect, program_of};
use crate::tools::report::{Cell, Report, median};
use crate::tools::{Context, run};
use anyhow::Result;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

/// Pairs of runs, where `--seeds` does not say otherwise.
const PAIRS: u64 = 7;
/// CPU seconds for a script, where `--time` does not say otherwise: enough for all of the sample.
const SECONDS: f64 = 60.0;
/// What looking may cost.
const MOST: f64 = 1.1;

/// Scripts that are asked in one process.
struct Log {
    name: String,
    scripts: Vec<PathBuf>,
}

/// CPU seconds by script; one that ended its process has none.
fn ask(context: &Context, log: &Log, observed: bool) -> Result<BTreeMap<String, f64>> {
    let seconds = context.time.unwrap_or(SECONDS);
    let mut command = Command::new(&context.polypath);
    command.arg("solve").args(["--time", &seconds.to_string()]);
    command.args(observed.then_some("--partial-solutions"));
    // Times are said where there are several scripts.
    command.args(&log.scripts).arg("/dev/null");
    let most = seconds * 20.0 * (1 + log.scripts.len()) as f64;
    let usage = run::finish(&mut command, &log.name, most)?;
    let text = String::from_utf8_lossy(&usage.stdout);
    Ok(text.lines().filter_map(time).collect())
}

/// Script and CPU seconds of a line `; read S solve S FILE`.
fn time(line: &str) -> Option<(String, f64)> {
    let rest = line.strip_prefix("; read ")?;
    let (_, rest) = rest.split_once(" solve ")?;
    let (seconds, script) = rest.split_once(' ')?;
    Some((script.into(), seconds.parse().ok()?))
}

/// Sums over the scripts that both runs got to.
fn sums(off: &BTreeMap<String, f64>, on: &BTreeMap<String, f64>) -> (f64, f64) {
    let both = off.iter().filter_map(|(k, off)| Some((off, on.get(k)?)));
    both.fold((0.0, 0.0), |(a, b), (off, on)| (a + off, b + on))
}

/// Medians of the time without observation and of the ratio.
fn medians(pairs: &[(f64, f64)]) -> (f64, f64) {
    let ratio = |&(off, on): &(f64, f64)| on / off.max(1e-9);
    let of = |values: Vec<f64>| median(&values).unwrap_or(f64::NAN);
    let off = pairs.iter().map(|p| p.0).collect();
    (of(off), of(pairs.iter().map(ratio).collect()))
}

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let Collection { queries, streams } = collect(context)?;
    let mut logs: Vec<Log> = Vec::new();
    for query in queries {
        let name = program_of(&query).unwrap_or("?");
        match logs.last_mut().filter(|log| log.name == name) {
            Some(log) => log.scripts.push(query),
            None => logs.push(Log {
                name: name.into(),
                scripts: vec![query],
            }),
        }
    }
    let limit = context.time.unwrap_or(SECONDS);
    let mut in_order = Vec::new();
    for stream in &streams {
        in_order.push(Log {
            name: format!("{} in order", stream.program),
            scripts: vec![stream.script(limit)?],
        });
    }
    let pairs = context.seeds.unwrap_or(PAIRS);
    let title = format!("Observed searches, CPU s, medians of {pairs} pairs of runs");
    let mut report = Report::new(&title, &["queries", "not observed", "ratio"]);
    report.plotted = vec![2];
    for (all, logs) in [("all", logs), ("all in order", in_order)] {
        let mut total = vec![(0.0, 0.0); pairs as usize];
        for log in &logs {
            say::err!("observation: {}", log.name);
            let mut own = Vec::new();
            for (pair, total) in total.iter_mut().enumerate() {
                let first = pair % 2 == 1;
                let one = ask(context, log, first)?;
                let other = ask(context, log, !first)?;
                let (off, on) = if first {
                    sums(&other, &one)
                } else {
                    sums(&one, &other)
                };
                own.push((off, on));
                *total = (total.0 + off, total.1 + on);
            }
            let (off, ratio) = medians(&own);
            let row: Vec<Cell> = vec![log.name.clone().into(), off.into(), ratio.into()];
            report.rows.push(row);
        }
        let (off, value) = medians(&total);
        let goal = Cell::Goal {
            value,
            goal: MOST,
            at_most: true,
        };
        report.rows.push(vec![all.into(), off.into(), goal]);
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scripts_of_both_runs_count() {
        let said = |lines: &[&str]| lines.iter().filter_map(|l| time(l)).collect();
        let off = said(&["sat", "; read 0.5 solve 2 a b", "; read 1 solve 7 c"]);
        let on = said(&["; partial-solution x", "; read 0.5 solve 3 a b"]);
        assert_eq!(sums(&off, &on), (2.0, 3.0));
        assert_eq!(medians(&[(1.0, 1.0), (2.0, 3.0), (4.0, 8.0)]), (2.0, 1.5));
    }
}
