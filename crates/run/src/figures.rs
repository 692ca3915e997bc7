//! The figures of a run as its end tells them, whoever tells it: the run itself, or the watchdog of a run that cannot end by itself.

use testcase::RunStats;

/// Makes the lines of the statistics, and of the words about the tests that were written.
pub type Figures = fn(&RunStats, &str) -> Vec<String>;

/// Those of a program in C.
pub fn of_c(stats: &RunStats, tests: &str) -> Vec<String> {
    let covered = |part: u64, all: u64, what: &str| match all {
        0 => format!("no {what}"),
        _ => format!(
            "{part} of {all} {what} ({:.1} %)",
            100.0 * part as f64 / all as f64
        ),
    };
    let branches = covered(stats.covered_branches, stats.total_branches, "branches");
    let lines = covered(stats.covered_lines, stats.total_lines, "lines");
    all(stats, tests, format!("{branches}, {lines}"), "")
}

/// Those of a program in Java.
pub fn of_java(stats: &RunStats, tests: &str) -> Vec<String> {
    let (part, all_of) = (stats.covered_instructions, stats.total_instructions);
    let covered = format!("{part} of {all_of} instructions of the classes loaded");
    let records = stats.more.get("java_records");
    let records = short(records.and_then(serde_json::Value::as_u64).unwrap_or(0));
    all(stats, tests, covered, &format!(" {records} records,"))
}

fn all(stats: &RunStats, tests: &str, covered: String, more: &str) -> Vec<String> {
    vec![
        format!(
            "{} paths complete, {} partial; {tests}",
            stats.completed_paths, stats.partial_paths
        ),
        covered,
        format!(
            "{} instructions,{more} {} queries, solver {:.2} s, CPU {:.2} s, wall {:.2} s, {:.0} MB",
            short(stats.instructions),
            stats.queries,
            stats.solver_time_s,
            stats.cpu_s,
            stats.wall_s,
            stats.memory_max_mb
        ),
    ]
}

/// "1.2 M", "34 k", "56".
pub fn short(n: u64) -> String {
    match n {
        0..=9_999 => n.to_string(),
        10_000..=9_999_999 => format!("{:.0} k", n as f64 / 1e3),
        10_000_000..=9_999_999_999 => format!("{:.0} M", n as f64 / 1e6),
        _ => format!("{:.0} G", n as f64 / 1e9),
    }
}
