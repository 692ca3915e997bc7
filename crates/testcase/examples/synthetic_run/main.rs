//! Writes an invented run, to look at reports without running anything:
//! `cargo run -p polypath-testcase --example synthetic_run -- DIR && xdg-open DIR/report.html`

use polypath_testcase as testcase;
use std::path::{Path, PathBuf};
use testcase::coverage::{BranchCoverage, FileCoverage, FunctionCoverage};
use testcase::*;

fn main() -> anyhow::Result<()> {
    let dir = std::env::args_os().nth(1).map(PathBuf::from);
    let dir = dir.ok_or_else(|| anyhow::anyhow!("usage: synthetic_run DIR"))?;
    write_run(&dir)?;
    println!("{}", testcase::report::run(&dir)?.html.display());
    Ok(())
}

/// A run with errors of several kinds, a time line, coverage and a replay.
pub fn write_run(dir: &Path) -> anyhow::Result<()> {
    let out = OutputDir::create(Some(dir), Path::new("."))?;
    let source = dir.join("sample.c");
    std::fs::write(&source, include_str!("sample.c"))?;
    let file = source.canonicalize()?.display().to_string();
    out.write_info(&RunInfo {
        command: [
            "polypath",
            "run",
            "sample.c",
            "--sym-arg",
            "6",
            "--time",
            "60",
        ]
        .map(|w| w.as_bytes().to_vec())
        .to_vec(),
        version: "0.1.0".into(),
        program: file.clone(),
        native: Some("sample".into()),
        bitcode: None,
        ir_hash: "9f2c4e1d".into(),
        plan: None,
        mode: "fork".into(),
        search: "nurs:covnew,random-path".into(),
        seed: 1,
        started: 1_790_000_000,
        one_worker: None,
        parameter: None,
        versions: [
            ("clang", "19.1.7"),
            ("libLLVM", "19.1.7"),
            ("musl", "1.2.3"),
        ]
        .map(|(a, b)| (a.into(), b.into()))
        .into(),
    });
    let grow = |i: u32, end: f64, speed: f64| end * (1.0 - (-f64::from(i) * speed).exp());
    for i in 0..=60 {
        out.timeline(&TimePoint {
            t: f64::from(i),
            cpu_s: f64::from(i) * 0.98,
            paths: (f64::from(i).powf(1.3) * 310.0) as u64,
            states: (grow(i, 2400.0, 0.08) + 300.0 * (f64::from(i) / 4.0).sin()).max(1.0) as u64,
            covered_branches: grow(i, 21.0, 0.25) as u64,
            covered_lines: grow(i, 36.0, 0.3) as u64,
            memory_mb: 38.0 + grow(i, 420.0, 0.03),
            queries: u64::from(i) * 812,
            ..TimePoint::default()
        });
    }
    tests(&out, &file);
    out.write_coverage(&coverage(&file));
    out.write_stats(&RunStats {
        completed_paths: 63_412,
        partial_paths: 2_318,
        instructions: 812_004_512,
        forks: 65_730,
        queries: 48_720,
        solver_time_s: 21.4,
        covered_branches: 21,
        total_branches: 24,
        covered_lines: 36,
        total_lines: 39,
        halted: Some("the time limit of 60 s was reached".into()),
        wall_s: 60.3,
        cpu_s: 59.1,
        memory_max_mb: 441.0,
        states_max: 2684,
        parked: [("solver time-out".to_owned(), 3), ("float".to_owned(), 12)].into(),
        endings: [("exit", 63_100), ("error", 312), ("time limit", 2_318)]
            .map(|(k, v)| (k.into(), v))
            .into(),
        unsupported: [("inline assembly cpuid".to_owned(), 1)].into(),
        more: [("cache_hits".to_owned(), serde_json::json!(31_204))].into(),
        ..RunStats::default()
    });
    out.finish();
    std::fs::write(
        dir.join("replay.json"),
        include_str!("replay.json").replace("SOURCE", &file),
    )?;
    Ok(())
}

fn tests(out: &OutputDir, file: &str) {
    let frame = |function: &str, line| StackFrame {
        function: function.into(),
        file: file.into(),
        line,
        column: 9,
        ..StackFrame::default()
    };
    let error = |kind, message: &str, function: &str, line, caller| ErrorRecord {
        kind,
        message: message.into(),
        file: file.into(),
        line,
        function: function.into(),
        test: String::new(),
        stack: vec![
            frame(function, line),
            frame("main", caller),
            StackFrame {
                function: "__libc_start_main".into(),
                file: "src/env/__libc_start_main.c".into(),
                line: 95,
                column: 0,
                ..StackFrame::default()
            },
        ],
        ..ErrorRecord::default()
    };
    let mut errors = std::collections::BTreeMap::from([
        (
            7,
            error(
                ErrorKind::OutOfBounds,
                "write of 4 bytes, 0 bytes past the end of 's.values' (16 bytes, stack)",
                "push",
                15,
                58,
            ),
        ),
        (
            12,
            error(ErrorKind::DivZero, "division by zero", "apply", 37, 63),
        ),
        (
            19,
            error(
                ErrorKind::Overflow,
                "signed multiplication overflows: 2147395600 * 9",
                "apply",
                35,
                63,
            ),
        ),
        (
            23,
            error(
                ErrorKind::Unsupported,
                "inline assembly cpuid",
                "cpu_features",
                12,
                52,
            ),
        ),
    ]);
    for id in 1..=40u32 {
        let text = match id {
            7 => "123456".to_owned(),
            12 => "70/".to_owned(),
            19 => "99*9*<".to_owned(),
            _ => format!(
                "{}{} {}",
                id % 10,
                id * 7 % 10,
                ['+', '-', '*', '%'][id as usize % 4]
            ),
        };
        let error = errors.remove(&id);
        let mut object = text.clone().into_bytes();
        object.resize(7, 0);
        out.write_test(&TestCase {
            id,
            objects: vec![("arg00".into(), object)],
            input_objects: 1,
            args: vec![b"sample".to_vec(), text.into_bytes()],
            stdin: (id % 5 == 0).then(|| b"line one\nline \xfftwo\n".to_vec()),
            expected: Expected {
                exit: match &error {
                    Some(e) => ExitKind::Error(e.kind),
                    None if id > 36 => ExitKind::Killed("time limit".into()),
                    None => ExitKind::Status(if id % 4 == 3 { 2 } else { 0 }),
                },
                stdout: format!("{}\n", id * 3).into_bytes(),
                ..Expected::default()
            },
            covered_new: id < 9 || error.is_some(),
            error,
            time_s: f64::from(id).powf(1.1) * 0.3,
            instructions: 9_000 + u64::from(id) * 77,
            ..TestCase::default()
        });
    }
}

fn coverage(file: &str) -> Coverage {
    let reached = [
        14, 15, 16, 19, 20, 21, 22, 24, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 51, 52,
        53, 57, 58, 59, 60, 61, 62, 63, 64, 67, 68,
    ];
    let missed = [45, 46, 54, 55];
    let mut lines: Vec<(u32, bool)> = reached
        .iter()
        .map(|l| (*l, true))
        .chain(missed.iter().map(|l| (*l, false)))
        .collect();
    lines.sort();
    let branch = |line, function: &str, taken: &[bool]| BranchCoverage {
        line,
        column: 9,
        function: function.into(),
        taken: taken.to_vec(),
    };
    let function = |line, name: &str, reached| FunctionCoverage {
        line,
        name: name.into(),
        reached,
    };
    let main = FileCoverage {
        path: file.into(),
        lines,
        branches: vec![
            branch(20, "pop", &[true, true]),
            branch(29, "apply", &[true, true, true, true, true]),
            branch(53, "main", &[false, true]),
            branch(53, "main", &[false, true]),
            branch(57, "main", &[true, true]),
            branch(58, "main", &[true, true]),
            branch(58, "main", &[true, true]),
            branch(60, "main", &[true, true]),
        ],
        functions: vec![
            function(13, "push", true),
            function(18, "pop", true),
            function(27, "apply", true),
            function(44, "usage", false),
            function(50, "main", true),
        ],
    };
    let gone = FileCoverage {
        path: "/nowhere/helper.c".into(),
        lines: vec![(1, true), (2, false), (3, false)],
        branches: vec![branch(1, "help", &[false, false])],
        functions: vec![function(1, "help", true)],
    };
    Coverage {
        files: vec![main, gone],
    }
}
