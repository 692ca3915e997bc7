//! Suite `parsers`: the counterpart in C of Table 5 of "Multiplex symbolic execution" (4.3.1).
//!
//! Readers of binary formats from Debian's source packages, all bytes of a small valid file symbolic, and
//! eight programs of coreutils; depth first and breadth first, with and without partial solutions, path conditions as
//! bits and as linear integers first. The figure is the paper's: instructions of the program's own code that are covered
//! after those of the first path.

use crate::tools::anchors::COREUTILS_ARGUMENTS;
use crate::tools::formats::{bmp, gif, pcx, pgm, wav};
use crate::tools::report::{Cell, Report, median, number};
use crate::tools::techniques::ablation;
use crate::tools::trees::work_dir;
use crate::tools::{Context, run};
use anyhow::{Result, ensure};
use std::path::PathBuf;
use testcase::{Run, RunStats};

/// A program with its seed.
struct Case {
    name: &'static str,
    /// In the directory that `bench/fetch` leaves.
    binary: &'static str,
    arguments: &'static [&'static str],
    /// A valid file: the content of file A, or of standard input where the arguments name no A.
    seed: fn() -> Vec<u8>,
}

const PARSERS: &[Case] = &[
    Case {
        name: "bmp",
        binary: "netpbm-free/bmptopnm",
        arguments: &["A"],
        seed: bmp,
    },
    Case {
        name: "gif",
        binary: "giflib/giftext",
        arguments: &["A"],
        seed: gif,
    },
    Case {
        name: "pcx",
        binary: "netpbm-free/pcxtoppm",
        arguments: &["A"],
        seed: pcx,
    },
    Case {
        name: "pgm",
        binary: "netpbm-free/pgmhist",
        arguments: &["A"],
        seed: pgm,
    },
    Case {
        name: "wav",
        binary: "wavpack/cli/wavpack",
        arguments: &["-y", "-", "-o", "out.wv"],
        seed: wav,
    },
];

/// Programs of coreutils, with the arguments of the comparison with KLEE.
const COREUTILS: &[&str] = &["base64", "cat", "cut", "expr", "od", "pr", "tr", "wc"];

/// Search, partial solutions, theory; a column each.
const CONFIGURATIONS: [(&str, &[&str]); 8] = [
    ("DFS+P", &["--search", "dfs", "--partial-solutions"]),
    ("DFS", &["--search", "dfs"]),
    ("BFS+P", &["--search", "bfs", "--partial-solutions"]),
    ("BFS", &["--search", "bfs"]),
    (
        "DFS+P lia",
        &["--search", "dfs", "--partial-solutions", "--theory", "lia"],
    ),
    ("DFS lia", &["--search", "dfs", "--theory", "lia"]),
    (
        "BFS+P lia",
        &["--search", "bfs", "--partial-solutions", "--theory", "lia"],
    ),
    ("BFS lia", &["--search", "bfs", "--theory", "lia"]),
];

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let work = work_dir()?;
    let seconds = context.time.unwrap_or(60.0);
    let seeds = context.seeds.unwrap_or(1).max(1);
    let title = format!(
        "New instructions after the first path / paths, {seconds} CPU s, median of {seeds}"
    );
    let mut columns = vec!["program"];
    columns.extend(CONFIGURATIONS.iter().map(|c| c.0));
    let mut report = Report::new(&title, &columns);
    let mut sums = vec![Vec::new(); CONFIGURATIONS.len()];
    let mut all: Vec<Vec<RunStats>> = vec![Vec::new(); CONFIGURATIONS.len()];
    let parsers = PARSERS.iter().map(|c| (c.name, Some(c)));
    let programs = COREUTILS.iter().map(|name| (*name, None));
    for (name, case) in parsers.chain(programs).filter(|(n, _)| context.wants(n)) {
        let mut row: Vec<Cell> = vec![name.into()];
        let cases: Vec<_> = CONFIGURATIONS
            .iter()
            .flat_map(|configuration| (1..=seeds).map(move |seed| (*configuration, seed)))
            .collect();
        let mut runs = context
            .each(&cases, |&((configuration, options), seed)| {
                say::err!("parsers: {name}, {configuration}, seed {seed}");
                let label = format!("{name}-{}-{seed}", configuration.replace(' ', "-"));
                run_one(context, &work, case, name, options, seed, seconds, &label)
            })?
            .into_iter();
        for (sums, all) in sums.iter_mut().zip(&mut all) {
            let mut runs: Vec<RunStats> = runs.by_ref().take(seeds as usize).collect();
            let middle = |value: &dyn Fn(&RunStats) -> f64| {
                median(&runs.iter().map(value).collect::<Vec<_>>()).unwrap_or(0.0)
            };
            let new = middle(&new_instructions);
            sums.push(new);
            let paths = middle(&|s| extra(s, "dse_paths"));
            row.push(format!("{} / {}", number(new), number(paths)).into());
            all.append(&mut runs);
        }
        report.rows.push(row);
        report.write(&context.out, "parsers")?;
    }
    let mut last: Vec<Cell> = vec!["average new".into()];
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    last.extend(sums.iter().map(|s| Cell::from(mean(s))));
    report.rows.push(last);
    report.remarks.push(
        "the paper, 11 Java programs in 15 minutes: DFS+P 127 / 889, DFS 36 / 108, BFS+P 202 / 2536, BFS 117 / 1139"
            .into(),
    );
    for (i, (configuration, _)) in CONFIGURATIONS.iter().enumerate() {
        let lines = ablation(all[i].iter());
        let lines = lines.into_iter().map(|l| format!("{configuration}: {l}"));
        report.remarks.extend(lines);
    }
    Ok(report)
}

fn extra(stats: &RunStats, name: &str) -> f64 {
    stats.more.get(name).and_then(|v| v.as_f64()).unwrap_or(0.0)
}

fn new_instructions(stats: &RunStats) -> f64 {
    stats.covered_instructions as f64 - extra(stats, "dse_first_instructions")
}

#[allow(clippy::too_many_arguments)]
fn run_one(
    context: &Context,
    work: &std::path::Path,
    case: Option<&Case>,
    name: &str,
    options: &[&str],
    seed: u64,
    seconds: f64,
    label: &str,
) -> Result<RunStats> {
    let out: PathBuf = context.out.join("runs").join(label);
    let binary = match case {
        Some(case) => work.join(case.binary),
        None => work.join("coreutils/src").join(name),
    };
    ensure!(
        binary.exists(),
        "{} is missing: run bench/fetch coreutils giflib netpbm-free wavpack first",
        binary.display()
    );
    let mut command = run::explore(context, &out)?;
    command.args(["--no-tests", "--mode", "concolic"]);
    command.args(options).args(&context.run_options);
    command.args(["--seed", &seed.to_string(), "--memory", "2000"]);
    command.args(["--cpu-time", &seconds.to_string()]);
    match case {
        Some(case) => {
            let seeds = context.out.join("seeds").join(name);
            std::fs::create_dir_all(&seeds)?;
            let bytes = (case.seed)();
            std::fs::write(seeds.join("valid"), &bytes)?;
            let length = bytes.len().to_string();
            command.arg("--seed-input").arg(&seeds);
            command.arg(binary).arg("--").args(case.arguments);
            if case.arguments.contains(&"A") {
                command.args(["--sym-files", "1", &length])
            } else {
                command.args(["--sym-stdin", &length])
            };
        }
        None => {
            command.arg(binary).args(COREUTILS_ARGUMENTS);
        }
    }
    run::finish(&mut command, label, 20.0 * seconds + 120.0)?;
    Ok(Run::without_tests(&out)?.whole()?.1)
}
