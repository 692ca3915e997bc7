//! The HTML page. Templates are checked when they are compiled, and every text in parentheses is escaped.

use super::chart::Chart;
use super::errors::errors;
use super::files::files;
use super::later::Later;
use super::pruning;
use super::source::Sources;
use super::tests::tests;
use super::text::{duration, forbidden, grouped, number, percent};
use super::view::View;
use crate::coverage::Counts;
use crate::model::{RunStats, TimePoint};
use crate::read::Run;
use crate::replay::ExitSummary;
use crate::shell;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::collections::BTreeMap;
use std::path::Path;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = concat!(
    include_str!("plots.js"),
    include_str!("later.js"),
    include_str!("sources.js"),
    include_str!("lists.js"),
);
/// Of a page whose run goes on.
const RENEW: &str = include_str!("renew.js");
/// Problems with the run's files.
const PROBLEMS_SHOWN: usize = 20;

/// The whole page. `goes_on`: the run does, and the page is served and renews itself.
pub fn page(
    run: &Run,
    replay: Option<&ExitSummary>,
    sources: &mut Sources,
    goes_on: bool,
) -> String {
    let stats = run.stats.clone().unwrap_or_default();
    let program = run
        .info
        .as_ref()
        .map_or("unknown program", |i| i.program.as_str());
    let name = Path::new(program)
        .file_name()
        .map_or(program.into(), |n| n.to_string_lossy());
    let view = View::new(run, replay);
    let mut later = Later::default();
    let found = view.bugs.len();
    let is_suppressed = |bug: &&crate::bug::Bug<'_>| bug.suppressed().is_some();
    let suppressed = view.bugs.iter().filter(is_suppressed).count();
    let errors = errors(&view, sources, &mut later);
    let files = files(&view, sources, &mut later);
    let tests = tests(&view, &mut later);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (name) " · Polypath" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (header(run, &stats, &name, (found - suppressed, suppressed), goes_on))
                (nav(run, found))
                main.wrap #top {
                    (cards(run, &stats, found))
                    (notices(run, &stats))
                    (errors)
                    (files)
                    (tests)
                    (timeline(&run.timeline, &stats))
                    (pruning::section(&stats))
                    (details(run, &stats, replay))
                    footer {
                        "Written by Polypath " (env!("CARGO_PKG_VERSION")) ". Also here: "
                        a href="lcov.info" { "lcov.info" } ", "
                        a href="report.sarif" { "report.sarif" } ", "
                        a href="junit.xml" { "junit.xml" } "."
                    }
                }
                script { (PreEscaped(SCRIPT)) }
                (later.markup())
                @if goes_on {
                    script { (PreEscaped(RENEW)) }
                }
            }
        }
    };
    page.into_string().replace(forbidden, "\u{FFFD}")
}

fn header(
    run: &Run,
    stats: &RunStats,
    name: &str,
    (open, suppressed): (usize, usize),
    goes_on: bool,
) -> Markup {
    let (class, words) = match (open, &stats.halted, &run.stats) {
        (0, ..) if goes_on => ("warn", "No errors so far".to_owned()),
        (0, ..) if suppressed > 0 => ("good", format!("No errors but {suppressed} suppressed")),
        (0, _, None) => ("warn", "Interrupted".to_owned()),
        (0, None, _) => ("good", "No errors, every path explored".to_owned()),
        (0, Some(_), _) => ("good", "No errors found".to_owned()),
        (1, ..) => ("bad", "1 error found".to_owned()),
        (n, ..) => ("bad", format!("{n} errors found")),
    };
    let command = run.info.as_ref().map(|i| {
        let words: Vec<String> = i.command.iter().map(|w| shell::word(w)).collect();
        words.join(" ")
    });
    html! {
        header {
            div.wrap {
                div.brand {
                    svg width="20" height="20" viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" {
                        circle cx="3.5" cy="10" r="2" {}
                        path d="M5.5 10h3c3 0 2-6.5 6-6.5M8.5 10h6M8.5 10c3 0 2 6.5 6 6.5" {}
                        @for y in ["3.5", "10", "16.5"] {
                            circle cx="16.5" cy=(y) r="1.6" {}
                        }
                    }
                    "Polypath report"
                }
                h1 { (name) " " span.verdict.(class) { (words) } }
                div.sub {
                    @if let Some(command) = command {
                        code { (command) }
                    }
                }
            }
        }
    }
}

fn nav(run: &Run, found: usize) -> Markup {
    let files = run.coverage.as_ref().map_or(0, |c| c.files.len());
    html! {
        nav {
            div.wrap {
                a href="#top" { "Summary" }
                a href="#errors" { "Errors" b { (found) } }
                a href="#files" { "Source files" b { (files) } }
                a href="#tests" { "Tests" b { (run.totals.tests) } }
                a href="#timeline" { "Time line" }
                a href="#details" { "Details" }
            }
        }
    }
}

fn cards(run: &Run, stats: &RunStats, found: usize) -> Markup {
    let counts = run.coverage.as_ref().map_or_else(
        || Counts {
            lines: (stats.covered_lines, stats.total_lines),
            branches: (stats.covered_branches, stats.total_branches),
            functions: (0, 0),
        },
        |c| c.counts(),
    );
    let class = if found > 0 { "bad" } else { "good" };
    let limits = run.errors.iter().filter(|e| !e.kind.is_program_error());
    let limits = match limits.count() {
        0 => "distinct places".to_owned(),
        1 => "and 1 limit of Polypath".into(),
        n => format!("and {n} limits of Polypath"),
    };
    let tests = if stats.tests_lost > 0 {
        format!("{} lost", stats.tests_lost)
    } else {
        let new = run.totals.new;
        format!("{new} reached new code")
    };
    let cut = format!("{} cut short", grouped(stats.partial_paths as i64));
    let solver = format!("{} in the solver", duration(stats.solver_time_s));
    let cpu = duration(stats.cpu_s);
    let memory = number(stats.memory_max_mb.round());
    html! {
        div.cards {
            (card(class, "Errors", &found.to_string(), &limits))
            (ring("Line coverage", counts.lines))
            (ring("Branch coverage", counts.branches))
            (card("", "Paths", &number(stats.completed_paths as f64), &cut))
            (card("", "Tests", &grouped(run.totals.tests as i64), &tests))
            (card("", "Queries", &number(stats.queries as f64), &solver))
            (card("", "Time", &duration(stats.wall_s), &format!("{cpu} of CPU, {memory} MB")))
        }
    }
}

fn card(class: &str, title: &str, big: &str, small: &str) -> Markup {
    html! {
        div.card.(class) {
            h3 { (title) }
            div.big { (big) }
            small { (small) }
        }
    }
}

fn ring(title: &str, counts: (u64, u64)) -> Markup {
    let share = percent(counts);
    let around = 2.0 * std::f64::consts::PI * 26.0;
    html! {
        div.card {
            h3 { (title) }
            div.row {
                svg.ring viewBox="0 0 62 62" {
                    circle.all cx="31" cy="31" r="26" {}
                    @if let Some(share) = share.filter(|share| *share > 0.0) {
                        circle.part cx="31" cy="31" r="26"
                            stroke-dasharray=(format_args!("{:.1} {around:.1}", around * share / 100.0)) {}
                    }
                }
                div {
                    @if let Some(share) = share {
                        div.big { (format_args!("{share:.0}%")) }
                        small { (grouped(counts.0 as i64)) " of " (grouped(counts.1 as i64)) }
                    } @else {
                        div.big { "–" }
                        small { "nothing to cover" }
                    }
                }
            }
        }
    }
}

fn notices(run: &Run, stats: &RunStats) -> Markup {
    html! {
        @if let Some(why) = &stats.halted {
            div.notice {
                b { "Not everything was explored:" }
                " " (why) ". No error here is no proof that there is none."
            }
        }
        @if stats.tests_lost > 0 {
            div.notice {
                b { (stats.tests_lost) " tests were lost:" }
                " they could not be written."
            }
        }
        @if !run.problems.is_empty() {
            div.notice {
                b { "Parts of this run could not be read:" }
                ul {
                    @for problem in run.problems.iter().take(PROBLEMS_SHOWN) {
                        li { (problem) }
                    }
                    @if let more @ 1.. = run.problems.len().saturating_sub(PROBLEMS_SHOWN) {
                        li { "… " (more) " more" }
                    }
                }
            }
        }
    }
}

fn timeline(points: &[TimePoint], stats: &RunStats) -> Markup {
    html! {
        section #timeline {
            h2 { "Time line" }
            @if points.len() < 2 {
                div.panel { p.none { "The run was too short for a time line." } }
            } @else {
                div.charts {
                    @for chart in charts(points, stats) {
                        (chart.svg())
                    }
                }
            }
        }
    }
}

/// The charts over time.
fn charts<'a>(points: &[TimePoint], stats: &RunStats) -> Vec<Chart<'a>> {
    let curve =
        |f: &dyn Fn(&TimePoint) -> f64| points.iter().map(|p| (p.t, f(p))).collect::<Vec<_>>();
    type Covered = fn(&TimePoint) -> u64;
    let covered: [(&str, u64, Covered); 2] = [
        ("branches", stats.total_branches, |p| p.covered_branches),
        ("lines", stats.total_lines, |p| p.covered_lines),
    ];
    // A program without branches, or without lines that are known, has no such coverage.
    let coverage: Vec<_> = covered
        .into_iter()
        .filter(|&(_, all, _)| all > 0)
        .map(|(name, all, covered)| {
            let share = |p: &TimePoint| percent((covered(p), all)).unwrap_or_default();
            (name, curve(&share))
        })
        .collect();
    let charts = [
        Chart {
            title: "Coverage",
            unit: "%",
            series: coverage,
            at_least: 100.0,
        },
        Chart {
            title: "Paths",
            unit: "",
            series: vec![("paths", curve(&|p| p.paths as f64))],
            at_least: 1.0,
        },
        Chart {
            title: "Live states",
            unit: "",
            series: vec![("states", curve(&|p| p.states as f64))],
            at_least: 1.0,
        },
        Chart {
            title: "Memory",
            unit: "MB",
            series: vec![("memory", curve(&|p| p.memory_mb))],
            at_least: 1.0,
        },
    ];
    charts
        .into_iter()
        .filter(|c| !c.series.is_empty())
        .collect()
}

fn details(run: &Run, stats: &RunStats, replay: Option<&ExitSummary>) -> Markup {
    let mut tables: Vec<(&str, Vec<(String, String)>)> = Vec::new();
    let mut table = |title, rows| tables.push((title, rows));
    let counts = |map: &BTreeMap<String, u64>| {
        map.iter()
            .map(|(k, v)| (k.clone(), grouped(*v as i64)))
            .collect::<Vec<_>>()
    };
    let mut rows = vec![
        (
            "Paths completed".to_owned(),
            grouped(stats.completed_paths as i64),
        ),
        (
            "Paths cut short".into(),
            grouped(stats.partial_paths as i64),
        ),
        ("Instructions".into(), grouped(stats.instructions as i64)),
        ("Forks".into(), grouped(stats.forks as i64)),
        (
            "Live states at most".into(),
            grouped(stats.states_max as i64),
        ),
        ("Solver queries".into(), grouped(stats.queries as i64)),
        ("Solver time".into(), duration(stats.solver_time_s)),
        (
            "Partial solutions run".into(),
            grouped(stats.partial_solutions as i64),
        ),
    ];
    let elsewhere = |name: &str| name == pruning::KEY;
    for (name, value) in stats.more.iter().filter(|(n, _)| !elsewhere(n)) {
        rows.push((
            name.clone(),
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned),
        ));
    }
    table("Exploration", rows);
    table("How paths ended", counts(&stats.endings));
    table("Branch sides put aside, by reason", counts(&stats.parked));
    table(
        "Constructs not supported, by paths",
        counts(&stats.unsupported),
    );
    table("Calls refused, by name", counts(&stats.refused));
    if let Some(r) = replay {
        let mut rows = vec![("Binary".to_owned(), r.binary.clone())];
        rows.extend(counts(&r.totals));
        rows.extend(
            counts(&r.error_totals)
                .into_iter()
                .map(|(k, v)| (format!("errors {k}"), v)),
        );
        if let Some(m) = &r.modelled {
            rows.extend(
                counts(m)
                    .into_iter()
                    .map(|(k, v)| (format!("modelled: {k}"), v)),
            );
        }
        table("Native replay", rows);
        table(
            "Divergences",
            r.divergences.iter().take(50).cloned().collect(),
        );
    }
    if let Some(info) = &run.info {
        let mut rows = vec![
            ("Program".to_owned(), info.program.clone()),
            ("Mode".into(), info.mode.clone()),
            ("Search".into(), info.search.clone()),
            ("Seed".into(), info.seed.to_string()),
            ("Polypath".into(), info.version.clone()),
            ("IR".into(), info.ir_hash.clone()),
        ];
        rows.extend(info.versions.iter().map(|(k, v)| (k.clone(), v.clone())));
        rows.retain(|(_, v)| !v.is_empty());
        table("The run", rows);
    }
    tables.retain(|(_, rows)| !rows.is_empty());
    html! {
        section #details {
            h2 { "Details" }
            div.two {
                @for (title, rows) in tables {
                    div.panel {
                        h3 { (title) }
                        table {
                            tbody {
                                @for (name, value) in rows {
                                    tr { td { (name) } td.num { (value) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
