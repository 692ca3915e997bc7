//! Suite `core`: concrete speed, forking speed, table look-ups, beside KLEE's figures.

use crate::tools::report::{Cell, Report};
use crate::tools::{Context, fresh_dir};
use anyhow::{Context as _, Result};
use oracle::measure::{Usage, measure};
use std::process::Command;
use std::time::Duration;
use testcase::{Run, RunStats};

/// The sources, so that the installed binary can run the suite.
const SOURCES: &[(&str, &str)] = &[
    ("sha.c", include_str!("../../../../benches/core/sha.c")),
    ("sieve.c", include_str!("../../../../benches/core/sieve.c")),
    (
        "fork14.c",
        include_str!("../../../../benches/core/fork14.c"),
    ),
    (
        "fork16.c",
        include_str!("../../../../benches/core/fork16.c"),
    ),
    (
        "table6.c",
        include_str!("../../../../benches/core/table6.c"),
    ),
    (
        "table6c.c",
        include_str!("../../../../benches/core/table6c.c"),
    ),
    (
        "tables.h",
        include_str!("../../../../benches/core/tables.h"),
    ),
];

/// What a case must show beside its speed.
enum Expect {
    /// One path that ends with this exit status.
    Exit(i32),
    /// So many completed paths, and no error.
    Paths(u64),
    /// An error of this kind.
    Error(&'static str),
}

enum Goal {
    /// At most so many CPU seconds.
    CpuS(f64),
    /// At least so many paths per CPU second.
    PathsPerS(f64),
    None,
}

struct Case {
    name: &'static str,
    source: &'static str,
    flags: &'static [&'static str],
    options: &'static [&'static str],
    expect: Expect,
    goal: Goal,
    klee: &'static str,
}

const SHA: &str = "28-31 s unoptimized, 6.6-7.7 s -O2";
const SIEVE: &str = "over 38 s unoptimized, 9.2-10.8 s -O2";
const FORK: &str = "64 k/s dfs, 15.3 k/s default";
const FORK_TESTS: &str = "23.7 k/s dfs, 10.5 k/s default (2^14)";
const TABLE: &str = "not in 60 s";

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case { name: "sha", source: "sha.c", flags: &[], options: &[], expect: Expect::Exit(212), goal: Goal::CpuS(1.2), klee: SHA },
    Case { name: "sha-symbolic", source: "sha.c", flags: &["-DSYMBOLIC"], options: &[], expect: Expect::Exit(212), goal: Goal::CpuS(1.2), klee: SHA },
    Case { name: "sha-planted", source: "sha.c", flags: &["-DPLANTED"], options: &[], expect: Expect::Error("out_of_bounds"), goal: Goal::CpuS(1.2), klee: SHA },
    Case { name: "sieve", source: "sieve.c", flags: &[], options: &[], expect: Expect::Exit(85), goal: Goal::CpuS(1.2), klee: SIEVE },
    Case { name: "sieve-symbolic", source: "sieve.c", flags: &["-DSYMBOLIC"], options: &[], expect: Expect::Exit(85), goal: Goal::CpuS(1.2), klee: SIEVE },
    Case { name: "sieve-planted", source: "sieve.c", flags: &["-DPLANTED"], options: &[], expect: Expect::Error("out_of_bounds"), goal: Goal::CpuS(1.2), klee: SIEVE },
    Case { name: "fork14-dfs", source: "fork14.c", flags: &[], options: &["--search", "dfs", "--no-tests"], expect: Expect::Paths(1 << 14), goal: Goal::None, klee: "61-63 k/s dfs" },
    Case { name: "fork16-dfs", source: "fork16.c", flags: &[], options: &["--search", "dfs", "--no-tests"], expect: Expect::Paths(1 << 16), goal: Goal::PathsPerS(120e3), klee: FORK },
    Case { name: "fork16", source: "fork16.c", flags: &[], options: &["--no-tests"], expect: Expect::Paths(1 << 16), goal: Goal::PathsPerS(120e3), klee: FORK },
    Case { name: "fork16-tests", source: "fork16.c", flags: &[], options: &[], expect: Expect::Paths(1 << 16), goal: Goal::PathsPerS(40e3), klee: FORK_TESTS },
    Case { name: "fork14-bfs", source: "fork14.c", flags: &[], options: &["--search", "bfs", "--batch-instructions", "0", "--no-tests"], expect: Expect::Paths(1 << 14), goal: Goal::None, klee: "" },
    Case { name: "fork16-bfs", source: "fork16.c", flags: &[], options: &["--search", "bfs", "--batch-instructions", "0", "--no-tests"], expect: Expect::Paths(1 << 16), goal: Goal::None, klee: "" },
    Case { name: "table6", source: "table6.c", flags: &[], options: &[], expect: Expect::Paths(64), goal: Goal::CpuS(5.0), klee: TABLE },
    Case { name: "table6c", source: "table6c.c", flags: &[], options: &[], expect: Expect::Paths(64), goal: Goal::CpuS(5.0), klee: TABLE },
];

/// One case's run.
struct CaseRun {
    usage: Usage,
    stats: RunStats,
    wrong: Option<String>,
}

fn run_case(context: &Context, case: &Case) -> Result<CaseRun> {
    let out = context.out.join("runs").join(case.name);
    fresh_dir(&out)?;
    let mut command = Command::new(&context.polypath);
    command.arg("run").arg("--quiet").arg("--out").arg(&out);
    command.args(case.flags.iter().flat_map(|f| ["--cc-flag", f]));
    command.args(case.options).args(&context.run_options);
    command.arg(context.out.join("core").join(case.source));
    let limit = Duration::from_secs_f64(context.time.unwrap_or(120.0));
    let usage = measure(&mut command, limit)?;
    let run = Run::without_tests(&out).and_then(Run::whole);
    let (stats, errors, unreadable) = match run {
        Ok((run, stats)) => (stats, run.errors, None),
        Err(e) => (RunStats::default(), Vec::new(), Some(format!("{e:#}"))),
    };
    let found = |kind: &str| errors.iter().any(|e| e.kind.id() == kind);
    let wrong = match case.expect {
        _ if usage.timed_out => Some(format!("not done after {limit:?}")),
        _ if usage.code() > 1 => Some(format!("exit {}: {}", usage.code(), usage.last_words())),
        _ if unreadable.is_some() => unreadable,
        Expect::Exit(code) if stats.exit_status != Some(code) => Some(format!(
            "the program's exit status is {:?}, not {code}",
            stats.exit_status
        )),
        Expect::Paths(n) if stats.completed_paths != n => {
            Some(format!("{} paths, not {n}", stats.completed_paths))
        }
        Expect::Error(kind) if !found(kind) => Some(format!("no {kind} found")),
        Expect::Exit(_) | Expect::Paths(_) if !errors.is_empty() => {
            Some(format!("a false error: {}", errors[0].kind.id()))
        }
        _ => None,
    };
    Ok(CaseRun {
        usage,
        stats,
        wrong,
    })
}

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let sources = context.out.join("core");
    std::fs::create_dir_all(&sources)?;
    for (name, text) in SOURCES {
        std::fs::write(sources.join(name), text).with_context(|| format!("cannot write {name}"))?;
    }
    let columns = [
        "case", "CPU s", "instr/s", "paths/s", "peak MiB", "KLEE", "result",
    ];
    let mut report = Report::new("Core speed, CPU time of the whole process", &columns);
    report.plotted = vec![1];
    let mut done = Vec::new();
    for case in CASES.iter().filter(|c| context.wants(c.name)) {
        say::err!("core: {}", case.name);
        let o = run_case(context, case)?;
        let cpu = o.usage.cpu_s;
        let paths_per_s = o.stats.completed_paths as f64 / cpu;
        let cpu_cell = match case.goal {
            Goal::CpuS(goal) => Cell::Goal {
                value: cpu,
                goal,
                at_most: true,
            },
            _ => Cell::Number(cpu),
        };
        let paths_cell = match case.goal {
            Goal::PathsPerS(goal) => Cell::Goal {
                value: paths_per_s,
                goal,
                at_most: false,
            },
            _ if o.stats.completed_paths > 1 => Cell::Number(paths_per_s),
            _ => Cell::Empty,
        };
        let result = match &o.wrong {
            Some(wrong) => {
                report.failures.push(format!("{}: {wrong}", case.name));
                "wrong"
            }
            None => "right",
        };
        report.rows.push(vec![
            case.name.into(),
            cpu_cell,
            Cell::Number(o.stats.instructions as f64 / cpu),
            paths_cell,
            o.stats.memory_max_mb.into(),
            case.klee.into(),
            result.into(),
        ]);
        done.push((case.name, o));
    }
    let find = |name: &str| {
        done.iter()
            .find(|(n, o)| *n == name && o.wrong.is_none())
            .map(|(_, o)| o)
    };
    if let (Some(few), Some(many)) = (find("fork14-bfs"), find("fork16-bfs")) {
        // The difference of two runs is free of what the process takes by itself.
        let states = many
            .stats
            .states_max
            .saturating_sub(few.stats.states_max)
            .max(1) as f64;
        let megabytes = many.stats.memory_max_mb - few.stats.memory_max_mb;
        let bytes = megabytes * f64::from(1 << 20) / states;
        report
            .remarks
            .push(format!("memory per live state: {bytes:.0} bytes"));
        let per_path = |o: &CaseRun| o.usage.cpu_s / o.stats.completed_paths as f64;
        let growth = per_path(many) / per_path(few);
        report.remarks.push(format!(
            "cost per path, 2^16 paths breadth first beside 2^14: {growth:.2} times"
        ));
    }
    Ok(report)
}
