//! The results of a run as text for a terminal: tests as KLEE's `ktest-tool` prints them, errors, and statistics as `klee-stats`
//! does.

use crate::bug::{Bug, of_program};
use crate::model::{ErrorRecord, ExitKind, RunStats, StackFrame, TestCase, test_name};
use crate::names::readable;
use crate::origin;
use crate::read::{Run, Stored};
use crate::rerun::Rerun;
use crate::{bytes, pack, shell};
use std::fmt::Write;

/// Bytes of an object or an output that are shown.
const SHOWN: usize = 4096;

/// A test: how it ended, its objects, and how it is run again.
pub fn test(test: &TestCase, rerun: &Rerun) -> String {
    let mut out = String::new();
    let name = test_name(test.id);
    let files = rerun.tests.join(&name);
    let place = if files.is_dir() {
        files
    } else {
        rerun.tests.join(pack::NAME)
    };
    let mut line = |title: &str, text: &str| {
        let _ = writeln!(out, "{title:<11}: {text}");
    };
    line("test", &format!("{name} in {}", place.display()));
    line("ended", &ended(test));
    if let Some(error) = &test.error {
        line("error", &error.to_string());
    }
    let args: Vec<String> = test.args.iter().map(|a| shell::word(a)).collect();
    line("args", &args.join(" "));
    for (title, bytes) in [
        ("stdin", test.stdin.as_deref().unwrap_or_default()),
        ("stdout", &test.expected.stdout),
        ("stderr", &test.expected.stderr),
    ] {
        if !bytes.is_empty() {
            line(title, &data(bytes));
        }
    }
    for file in &test.files {
        line("file", &format!("{} = {}", file.path, data(&file.bytes)));
    }
    let new = if test.covered_new { "yes" } else { "no" };
    line("new code", new);
    let decided = test.decided_by();
    if !decided.is_empty() {
        line("decided by", &decided.join(", "));
    }
    let found = format!(
        "after {:.2} s, {} instructions",
        test.time_s, test.instructions
    );
    line("found", &found);
    line("num objects", &test.objects.len().to_string());
    for (i, (name, bytes)) in test.objects.iter().enumerate() {
        object(i, name, bytes, &mut out);
    }
    for line in rerun.lines(test) {
        let _ = writeln!(out, "    {line}");
    }
    out
}

/// The lines of an object, as `ktest-tool` has them.
fn object(i: usize, name: &str, all: &[u8], out: &mut String) {
    let shown = &all[..all.len().min(SHOWN)];
    let mut line = |title: &str, text: &str| {
        let _ = writeln!(out, "object {i}: {title}: {text}");
    };
    line("name", &format!("'{name}'"));
    line("size", &all.len().to_string());
    line("data", &data(all));
    line("hex ", &format!("0x{}", bytes::to_hex(shown)));
    if let Some((signed, unsigned)) = bytes::integers(all) {
        line("int ", &signed.to_string());
        line("uint", &unsigned.to_string());
    }
    let text = shown.iter().map(|&b| match b {
        b if b.is_ascii_graphic() || b == b' ' => b as char,
        _ => '.',
    });
    line("text", &text.collect::<String>());
}

/// Bytes as `ktest-tool` prints them.
fn data(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(SHOWN)];
    let more = match bytes.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more bytes"),
    };
    format!("b'{}'{more}", shown.escape_ascii())
}

fn ended(test: &TestCase) -> String {
    match &test.expected.exit {
        ExitKind::Status(status) => format!("exit status {status}"),
        ExitKind::Signal(signal) => format!("signal {signal}"),
        ExitKind::Error(kind) => format!("error: {kind}"),
        ExitKind::Killed(why) => format!("cut short: {why}"),
    }
}

/// A line about a test.
pub fn line(test: &TestCase) -> String {
    let args: Vec<String> = test.args.iter().skip(1).map(|a| shell::word(a)).collect();
    let mut text = format!("{}  {}", test_name(test.id), ended(test));
    if test.covered_new {
        text += ", new code";
    }
    if !args.is_empty() {
        let _ = write!(text, ": {}", args.join(" "));
    }
    text
}

/// All errors, by bug, with their stacks and the lines that show each; a line for each limit of Polypath that was met.
pub fn errors(run: &Run, lines: &mut dyn FnMut(&ErrorRecord) -> Vec<String>) -> String {
    let mut out = String::new();
    let bugs = of_program(&run.errors);
    if bugs.is_empty() {
        let known = if run.errors_known {
            "no errors"
        } else {
            "no errors.json: it is not known whether there are errors"
        };
        let _ = writeln!(out, "{known}");
    }
    for (i, bug) in bugs.iter().enumerate() {
        let _ = writeln!(out, "{}. {bug}", i + 1);
        for line in lines(bug.shown()) {
            let _ = writeln!(out, "    {line}");
        }
        stacks(bug, &mut out);
    }
    for limit in run.errors.iter().filter(|e| !e.kind.is_program_error()) {
        let (message, paths) = (&limit.message, limit.paths);
        let _ = writeln!(out, "not supported: {message} ({paths} paths)");
    }
    out
}

fn stacks(bug: &Bug<'_>, out: &mut String) {
    for (i, entry) in bug.stacks.iter().enumerate() {
        let paths = entry.all_paths();
        let test = match &entry.test[..] {
            "" => "no test",
            test => test,
        };
        let _ = writeln!(out, "    stack {}, {test}, {paths} paths:", i + 1);
        for frame in entry.inside.iter().chain(&entry.stack) {
            let _ = writeln!(out, "        {}", self::frame(frame));
        }
        if entry.other_calls > 0 {
            let n = entry.other_calls;
            let _ = writeln!(
                out,
                "        (of these, {n} paths came through further calls)"
            );
        }
    }
}

fn frame(f: &StackFrame) -> String {
    let mut text = readable(&f.function).into_owned();
    let _ = write!(text, " {}", origin::place(&f.file, f.line));
    if f.times != 1 {
        let _ = write!(text, " ({} times)", f.times);
    }
    text
}

/// Which tests are where.
pub fn tests(stored: &Stored, stats: Option<&RunStats>) -> String {
    let all = stored.files + stored.packed;
    let mut text = format!(
        "{all} tests: {} as files, {} in tests/{}",
        stored.files,
        stored.packed,
        pack::NAME
    );
    if let Some(stats) = stats {
        for (n, why) in [
            (stats.tests_lost, "could not be written"),
            (stats.unsaved(), "not written in time"),
        ] {
            if n > 0 {
                let _ = write!(text, ", {n} more {why}");
            }
        }
    }
    text
}

/// The columns of the table of statistics, with KLEE's names where it has them.
const COLUMNS: [&str; 13] = [
    "Path",
    "Instrs",
    "Time(s)",
    "CPU(s)",
    "Paths",
    "Partial",
    "Tests",
    "Errors",
    "ICov(%)",
    "BCov(%)",
    "LCov(%)",
    "Queries",
    "TSolver(%)",
];

/// The table of `klee-stats`, a row for each run under its name.
pub fn table(runs: &[(String, Option<RunStats>)]) -> String {
    let mut rows: Vec<Vec<String>> = vec![COLUMNS.iter().map(|c| c.to_string()).collect()];
    for (name, stats) in runs {
        rows.push(match stats {
            Some(stats) => row(name.clone(), stats),
            None => {
                let mut row = vec![name.clone()];
                row.resize(COLUMNS.len(), "?".into());
                row
            }
        });
    }
    let width = |i: usize| rows.iter().map(|r| r[i].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..COLUMNS.len()).map(width).collect();
    let rule = "-".repeat(widths.iter().sum::<usize>() + 3 * widths.len() + 1);
    let mut out = format!("{rule}\n");
    for (i, row) in rows.iter().enumerate() {
        for (cell, &width) in row.iter().zip(&widths) {
            if i == 0 {
                let _ = write!(out, "| {cell:<width$} ");
            } else {
                let _ = write!(out, "| {cell:>width$} ");
            }
        }
        out += "|\n";
        if i == 0 {
            let _ = writeln!(out, "{rule}");
        }
    }
    let _ = writeln!(out, "{rule}");
    out
}

fn row(path: String, s: &RunStats) -> Vec<String> {
    let percent = |part: u64, all: u64| match all {
        0 => "-".to_string(),
        all => format!("{:.2}", 100.0 * part as f64 / all as f64),
    };
    let solver = if s.cpu_s > 0.0 {
        format!("{:.2}", 100.0 * s.solver_time_s / s.cpu_s)
    } else {
        "-".to_string()
    };
    vec![
        path,
        s.instructions.to_string(),
        format!("{:.2}", s.wall_s),
        format!("{:.2}", s.cpu_s),
        s.completed_paths.to_string(),
        s.partial_paths.to_string(),
        s.tests.to_string(),
        s.errors.to_string(),
        percent(s.covered_instructions, s.total_instructions),
        percent(s.covered_branches, s.total_branches),
        percent(s.covered_lines, s.total_lines),
        s.queries.to_string(),
        solver,
    ]
}

/// All statistics of one run that are not zero, by their names in `stats.json`.
pub fn stats(stats: &RunStats) -> String {
    let mut out = String::new();
    let all = serde_json::to_value(stats).expect("plain values can be written");
    for (name, value) in all.as_object().into_iter().flatten() {
        if is_something(value) {
            let text = match value {
                serde_json::Value::String(text) => text.clone(),
                value => value.to_string(),
            };
            let _ = writeln!(out, "{name:<28} {text}");
        }
    }
    let halted = stats.halted.is_none().then_some("everything was explored");
    if let Some(words) = halted {
        let _ = writeln!(out, "{:<28} {words}", "halted");
    }
    out
}

fn is_something(value: &serde_json::Value) -> bool {
    use serde_json::Value;
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Bool(true) => true,
        Value::Number(n) => n.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(map) => !map.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_row_for_each_run_even_without_statistics() {
        let stats = RunStats {
            completed_paths: 12,
            covered_branches: 1,
            total_branches: 8,
            ..RunStats::default()
        };
        let runs = [("one".into(), Some(stats)), ("another".into(), None)];
        let text = table(&runs);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 6, "{text}");
        assert!(lines.iter().all(|l| l.len() == lines[0].len()), "{text}");
        assert!(
            lines[3].contains(" 12 |") && lines[3].contains("12.50"),
            "{text}"
        );
        assert!(lines[4].contains(" ? |"), "{text}");
    }
}
