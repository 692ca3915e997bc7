//! Suite `array-logs`: the configurations of array solving on fixed raw query logs, after the ablation of
//! "Type and interval aware array constraint solving for symbolic execution" (5.3).
//!
//! Each program of suite `arrays` is run once, depth first, with a log of its queries; the first [`QUERIES`]
//! are kept in `OUT/array-logs` and serve every later run of the suite, too. Every configuration then
//! gets the same queries in the same order in one process (`polypath solve --replay`), without the layers
//! that keep queries from the SAT solver, and what it decides is divided by the CPU seconds of the
//! questions.

use crate::tools::array_programs::{METHODS, SOURCES, mean, write_sources};
use crate::tools::report::{Cell, Report, number};
use crate::tools::{Context, fresh_dir, run};
use anyhow::{Context as _, Result, ensure};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Queries of one log.
const QUERIES: usize = 600;
/// CPU seconds of the run that is logged.
const SECONDS: f64 = 3.0;
/// The layers of a replay.
const LAYERS: &str = "rewrite,independence,blast";
/// What the configuration with everything is compared with, and by how many per cent more queries the paper's
/// solves in the same time (means over its 23 programs, 592.89 % and 320.19 % over flushing KLEE).
const BASE: &str = "assertion";
const FULL: &str = "cegar+precheck+typed";
const PAPER: f64 = 92.0;

/// What a replay said.
struct LogReplay {
    asked: u64,
    decided: u64,
    stats: BTreeMap<String, f64>,
}

impl LogReplay {
    fn stat(&self, name: &str) -> f64 {
        self.stats.get(name).copied().unwrap_or(0.0)
    }

    fn per_second(&self) -> f64 {
        self.decided as f64 / self.stat("time").max(1e-6)
    }
}

/// The log of a program, made if it is not there.
fn log(context: &Context, source: &str) -> Result<PathBuf> {
    let dir = context.out.join("array-logs");
    let kept = dir.join(source.replace(".c", ".smt2"));
    if kept.is_file() {
        return Ok(kept);
    }
    std::fs::create_dir_all(&dir)?;
    let (raw, out) = (dir.join("raw"), context.out.join("runs/array-logs"));
    fresh_dir(&raw)?;
    let mut command = run::explore(context, &out)?;
    command.args(["--no-tests", "--search", "dfs"]);
    command.args(["--cpu-time", &SECONDS.to_string()]);
    command.arg("--log-queries").arg(&raw);
    command.args(&context.run_options);
    command.arg(context.out.join("arrays").join(source));
    run::finish(&mut command, source, SECONDS * 60.0 + 60.0)?;
    let part = dir.join("part");
    shorten(&raw.join("queries.smt2"), &part)?;
    fresh_dir(&raw)?;
    std::fs::rename(part, &kept)?;
    Ok(kept)
}

/// Copies a log up to so many queries.
fn shorten(log: &Path, to: &Path) -> Result<()> {
    let failed = || format!("cannot copy {}", log.display());
    let reader = BufReader::new(std::fs::File::open(log).with_context(failed)?);
    let mut writer = BufWriter::new(std::fs::File::create(to).with_context(failed)?);
    let mut queries = 0;
    for line in reader.lines() {
        let line = line.with_context(failed)?;
        writeln!(writer, "{line}").with_context(failed)?;
        queries += usize::from(line == "(check-sat)");
        if queries == QUERIES {
            break;
        }
    }
    writer.flush().with_context(failed)
}

fn replay(context: &Context, log: &Path, method: &str, seconds: f64) -> Result<LogReplay> {
    let mut command = Command::new(&context.polypath);
    command.args(["solve", "--replay", "--stats", "--arrays", method]);
    command.args(["--solver-layers", LAYERS]);
    command.args(["--time", &seconds.to_string()]).arg(log);
    let label = format!("{}, {method}", log.display());
    let usage = run::finish(&mut command, &label, seconds * 40.0 + 300.0)?;
    ensure!(usage.code() == 0, "{label}: {}", usage.last_words());
    let (out, err) = (
        String::from_utf8_lossy(&usage.stdout),
        String::from_utf8_lossy(&usage.stderr),
    );
    let words = out.lines().filter_map(|line| line.split(' ').next());
    let decided = words.clone().filter(|w| matches!(*w, "sat" | "unsat"));
    let stats = err.lines().filter_map(|line| {
        let mut fields = line.split_whitespace();
        let name = fields.next()?.to_string();
        Some((name, fields.next()?.parse().ok()?))
    });
    Ok(LogReplay {
        asked: words.clone().count() as u64,
        decided: decided.count() as u64,
        stats: stats.collect(),
    })
}

/// The remark on one configuration.
fn remark(method: &str, base: &[LogReplay], own: &[LogReplay]) -> String {
    let ratios: Vec<f64> = base
        .iter()
        .zip(own)
        .map(|(b, o)| o.per_second() / b.per_second().max(1e-9))
        .collect();
    let geometric = mean(&ratios.iter().map(|r| r.ln()).collect::<Vec<_>>()).exp();
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let total = |name: &str| number(own.iter().map(|o| o.stat(name)).sum());
    let count = |value: fn(&LogReplay) -> u64| own.iter().map(value).sum::<u64>();
    format!(
        "{method}: {:+.0} % queries/s over {BASE} (geometric mean {:+.0} %, least {:+.0} %); {} of {} queries \
         decided, {} conflicts, {} refined in {} rounds with {} axioms, {} never generated, {} nets; pre-check: {} \
         of {} unsatisfiable, {} by programs, {:.2} s",
        (mean(&ratios) - 1.0) * 100.0,
        (geometric - 1.0) * 100.0,
        (least - 1.0) * 100.0,
        count(|o| o.decided),
        count(|o| o.asked),
        total("sat_conflicts"),
        total("array_queries"),
        total("array_refinements"),
        total("array_axioms"),
        total("array_axioms_spared"),
        total("array_nets"),
        total("array_prechecks_unsat"),
        total("array_prechecks"),
        total("array_prechecks_integer"),
        own.iter()
            .map(|o| o.stat("array_precheck_nanoseconds") * 1e-9)
            .sum::<f64>(),
    )
}

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    write_sources(context)?;
    let seconds = context.time.unwrap_or(10.0);
    let mut columns = vec!["program", "queries"];
    columns.extend(METHODS);
    let title =
        format!("Queries decided per CPU s on the same logs, {seconds} CPU s a log at most");
    let mut report = Report::new(&title, &columns);
    report.plotted = (2..2 + METHODS.len()).collect();
    let mut all: Vec<Vec<LogReplay>> = METHODS.iter().map(|_| Vec::new()).collect();
    for (source, _) in SOURCES {
        let program = source.trim_end_matches(".c");
        if !context.wants(program) {
            continue;
        }
        let log = log(context, source)?;
        let mut row: Vec<Cell> = vec![program.into(), Cell::Empty];
        let mut asked = 0;
        for (method, kept) in METHODS.iter().zip(&mut all) {
            say::err!("array-logs: {program}, {method}");
            let outcome = replay(context, &log, method, seconds)?;
            asked = asked.max(outcome.asked);
            row.push(outcome.per_second().into());
            kept.push(outcome);
        }
        row[1] = asked.into();
        report.rows.push(row);
        report.write(&context.out, "array-logs")?;
    }
    let of = |name: &str| METHODS.iter().position(|m| *m == name).map(|k| &all[k]);
    let base = of(BASE).context("the base is a configuration")?;
    for (method, own) in METHODS.iter().zip(&all).filter(|(m, _)| **m != BASE) {
        report.remarks.push(remark(method, base, own));
    }
    report.remarks.push(format!(
        "the paper's {FULL} solves {PAPER:+.0} % queries over {BASE}"
    ));
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_end_after_so_many_queries() {
        let dir = std::env::temp_dir().join(format!("polypath-array-logs-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let (long, short) = (dir.join("long"), dir.join("short"));
        std::fs::write(&long, "(push 1)\n(check-sat)\n".repeat(QUERIES + 5)).unwrap();
        shorten(&long, &short).unwrap();
        let text = std::fs::read_to_string(&short).unwrap();
        std::fs::remove_dir_all(&dir).unwrap();
        assert_eq!(text.lines().count(), 2 * QUERIES);
    }
}
