//! Suite `search`: searchers compared on coreutils by branch coverage after native replay.

use crate::tools::Context;
use crate::tools::anchors::COREUTILS;
use crate::tools::coreutils::{JudgedProgram, explore};
use crate::tools::report::{Cell, Report, median};
use anyhow::Result;

/// The contenders when none are named: KLEE's default, its parts, and ours.
const SEARCHERS: &[&str] = &[
    search::registry::DEFAULT,
    "random-path*1,nurs:covnew*1,frontier*1,dfs*9:3",
    "random-path*1,nurs:covnew*1,frontier*1",
    "random-path*1,nurs:covnew*1",
    "random-path",
    "nurs:covnew",
    "nurs:md2u",
    "cupa",
    "subpath:2",
    "frontier",
    "frontier,random-path",
    "dfs",
    "bfs",
];
/// Left out unless named: `sort` is reported apart.
const SLOW: &[&str] = &["sort"];

/// See the module.
pub fn run(context: &Context) -> Result<Report> {
    let time = context.time.unwrap_or(20.0);
    let seeds = context.seeds.unwrap_or(1).max(1);
    let searchers: Vec<&str> = if context.searchers.is_empty() {
        SEARCHERS.to_vec()
    } else {
        context.searchers.iter().map(String::as_str).collect()
    };
    let programs = COREUTILS.iter().map(|a| a.program);
    let programs =
        programs.filter(|p| context.wants(p) && (!context.only.is_empty() || !SLOW.contains(p)));
    let programs: Vec<&str> = programs.collect();
    let mut columns = vec!["searcher", "mean branches %"];
    columns.extend(&programs);
    let title = format!(
        "Searchers on coreutils, {time} CPU s, branches % by gcov, median of {seeds} seeds"
    );
    let mut report = Report::new(&title, &columns);
    report.plotted = vec![1];
    for searcher in searchers {
        let cases: Vec<_> = programs
            .iter()
            .flat_map(|program| (1..=seeds).map(move |seed| (*program, seed)))
            .collect();
        let runs = context.each(&cases, |&(program, seed)| {
            say::err!("search: {searcher}, {program}, seed {seed}");
            let more = ["--search", searcher];
            explore(
                context,
                JudgedProgram::coreutils(program),
                seed,
                time,
                &more,
            )
        })?;
        let mut values = Vec::new();
        for runs in runs.chunks(seeds as usize) {
            let failures = runs.iter().flat_map(|r| r.failures.iter().cloned());
            report.failures.extend(failures);
            let branches: Vec<f64> = runs.iter().map(|r| r.covered.branch_percent()).collect();
            values.push(median(&branches).unwrap_or(0.0));
        }
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let mut row: Vec<Cell> = vec![searcher.into(), mean.into()];
        row.extend(values.into_iter().map(Cell::from));
        report.rows.push(row);
        report.write(&context.out, "search")?;
    }
    let mean = |row: &[Cell]| match row.get(1) {
        Some(Cell::Number(v)) => *v,
        _ => 0.0,
    };
    report.rows.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
    Ok(report)
}
