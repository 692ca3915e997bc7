//! The HTML page. Templates are checked when they are compiled, and every text in parentheses is escaped.

use super::chart::Chart;
use super::dump::dump;
use super::pruning;
use super::source::{Finding, Sources, excerpt, listing};
use super::text::{duration, forbidden, grouped, number, percent, printable};
use crate::bug::{self, Bug};
use crate::coverage::{Counts, FileCoverage};
use crate::model::{
    ByteRanges, ErrorRecord, ExitKind, RunStats, StackFrame, TestCase, TimePoint, test_name,
};
use crate::names::readable;
use crate::origin;
use crate::read::{Run, telling};
use crate::replay::{Confirmation, ExitSummary, ReplayVerdict, TestResult};
use crate::shell;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::collections::BTreeMap;
use std::path::Path;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// Of a page whose run goes on.
const RENEW: &str = include_str!("renew.js");
/// Tests in the table; the directory has them all.
pub(super) const TESTS_SHOWN: usize = 1000;
const ERRORS_SHOWN: usize = 500;
/// With more errors there is a filter.
const FILTERED: usize = 5;
/// Objects of one test.
const OBJECTS_SHOWN: usize = 32;
/// Frames of one call stack.
const FRAMES_SHOWN: usize = 64;
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
    let bugs = bug::of_program(&run.errors);
    let found = bugs.len();
    let suppressed = bugs.iter().filter(|b| b.suppressed().is_some()).count();
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
                    (errors(run, replay, sources, found))
                    (files(run, sources))
                    (tests(run, replay))
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

fn errors(run: &Run, replay: Option<&ExitSummary>, sources: &mut Sources, found: usize) -> Markup {
    let limits: Vec<&ErrorRecord> = run
        .errors
        .iter()
        .filter(|e| !e.kind.is_program_error())
        .collect();
    html! {
        section #errors {
            h2 { "Errors" }
            div.panel {
                @if found > FILTERED {
                    div.tools {
                        input type="search" data-filter="#errors details" placeholder="Filter: a kind, a function, a file …" aria-label="Filter errors";
                    }
                }
                @if found == 0 {
                    div.ok { b { "✓" } div { "No path of the program ended in an error." } }
                }
                @for (i, bug) in bug::of_program(&run.errors).iter().take(ERRORS_SHOWN).enumerate() {
                    (error(i, bug, run, replay, sources))
                }
            }
            @if found > ERRORS_SHOWN {
                p.none { "… " (found - ERRORS_SHOWN) " more in errors.json" }
            }
        }
        @if !limits.is_empty() {
            section #limits {
                h2 {
                    "Limits of Polypath "
                    small { "paths that could not be followed; not errors of the program" }
                }
                div.panel {
                    table {
                        thead { tr { th { "Construct" } th { "Where" } th.num { "Paths" } } }
                        tbody {
                            @for e in limits {
                                tr {
                                    td { (e.message) }
                                    td { span.where { (origin::place(&e.file, e.line)) } " " (readable(&e.function)) }
                                    td.num { (e.paths) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A label of an error or a test, with a tooltip.
fn chip(class: &str, title: &str, word: &str) -> Markup {
    html! { span.chip.(class) title=(title) { (word) } }
}

fn error(
    index: usize,
    bug: &Bug<'_>,
    run: &Run,
    replay: Option<&ExitSummary>,
    sources: &mut Sources,
) -> Markup {
    let e = bug.shown();
    let confirmation = replay.and_then(|r| r.of(bug)).map(|r| &r.confirmation);
    let others = bug.stacks.iter().filter(|other| !std::ptr::eq(**other, e));
    let others: Vec<&&ErrorRecord> = others.collect();
    let message = if e.message.is_empty() {
        e.kind.title()
    } else {
        &e.message
    };
    html! {
        details.item id={ "error" (index) } open[index == 0] {
            summary {
                span.chip.bad { (e.kind.id()) }
                span.grow {
                    (message) " "
                    span.where title=(origin::name(&e.file)) {
                        (origin::short_place(&e.file, e.line)) " in " (readable(&e.function))
                    }
                }
                @if !others.is_empty() {
                    span.chip { (bug.stacks.len()) " call stacks" }
                }
                @if bug.paths() > 1 {
                    span.chip { (grouped(bug.paths() as i64)) " paths" }
                }
                @if let Some(why) = bug.suppressed() {
                    (chip("", why, "suppressed"))
                }
                @if let Some(why) = &e.precondition {
                    (chip("warn", &format!("happens if {why}"), "precondition likely"))
                } @else if let Some(c) = confirmation {
                    (chip(match c {
                        Confirmation::Confirmed(_) => "good",
                        Confirmation::Contradicted(_) => "warn",
                        Confirmation::Consistent(_) | Confirmation::Undecided(_) => "",
                    }, c.detail(), c.name()))
                }
            }
            div.body {
                @if let Some(lines) = sources.lines(&e.file) {
                    div.full {
                        (excerpt(lines, e.line, 4))
                        @if let Some(i) = file_index(run, &e.file) {
                            a.more href={ "#file" (i) "-" (e.line) } { "in the whole file" }
                        }
                    }
                }
                @if let Some(why) = bug.suppressed() {
                    p.full.contract { b { "Suppressed:" } " " (why) }
                }
                @if let Some(why) = &e.precondition {
                    p.full.contract {
                        b { "Precondition likely:" }
                        " it happens if " (why) ". The driver made that up, and the library may never bring it about; \
                         --precondition, --array-len, --no-null or an edited driver describe the intended calls."
                    }
                }
                div {
                    h4 { "Call stack" }
                    (stack(e))
                    @if !others.is_empty() {
                        details {
                            summary { "Other call stacks: " (others.len()) }
                            @for other in others {
                                h4 {
                                    @if other.test.is_empty() { "No test" } @else { (other.test) }
                                    ", " (grouped(other.all_paths() as i64)) " paths"
                                }
                                (stack(other))
                            }
                        }
                    }
                    @if let Some(c) = confirmation {
                        h4 { "Native replay" }
                        // What depends on the driver's inventions is not simply confirmed.
                        @if let (Some(why), Confirmation::Confirmed(_)) = (&e.precondition, c) {
                            "happens if " (why) ": " (c.detail())
                        } @else {
                            (c.name()) ": " (c.detail())
                        }
                    }
                }
                div {
                    @if let Some(test) = run.tests.iter().find(|t| test_name(t.id) == e.test) {
                        (input(test, run))
                    } @else if e.test.is_empty() {
                        p.none { "No test was written." }
                    } @else {
                        p.none { (e.test) " could not be read." }
                    }
                }
            }
        }
    }
}

fn stack(e: &ErrorRecord) -> Markup {
    // What others do between the program's functions, and before main, is not what anybody looks for: a line for each of them.
    let others = |frames: &[StackFrame]| {
        html! {
            @for part in frames.chunk_by(|a, b| origin::of_library(a) == origin::of_library(b)) {
                @let names: Vec<&str> = part.iter().map(|f| f.function.as_str()).collect();
                li { i {} span { (origin::of_library(&part[0])) ": " (names.join(" ← ")) } }
            }
        }
    };
    let run_of_others = |first: usize| {
        let all = &e.stack[first..];
        let length = all.iter().position(|f| !f.library);
        &all[..length.unwrap_or(all.len())]
    };
    html! {
        ol.stack {
            @if e.stack.is_empty() {
                li { i { "0" } (readable(&e.function)) span { (origin::place(&e.file, e.line)) } }
            }
            @if !e.inside.is_empty() {
                (others(&e.inside))
            }
            @for (i, f) in e.stack.iter().take(FRAMES_SHOWN).enumerate() {
                @if !f.library {
                    li {
                        i { (i) }
                        (readable(&f.function))
                        span title=(origin::name(&f.file)) {
                            (origin::short_place(&f.file, f.line))
                            @if f.times != 1 {
                                " (" (f.times) " times)"
                            }
                        }
                    }
                } @else if i == 0 || !e.stack[i - 1].library {
                    (others(run_of_others(i)))
                }
            }
            @if let more @ 1.. = e.stack.len().saturating_sub(FRAMES_SHOWN) {
                li { i {} "… " (more) " more frames" }
            }
        }
    }
}

/// The input of a test: command line, standard input, files, objects.
fn input(test: &TestCase, run: &Run) -> Markup {
    let name = test_name(test.id);
    let words: Vec<String> = test.args.iter().map(|a| shell::word(a)).collect();
    let decided = test.decided_by();
    let ranges = |name: &str| {
        let i = test.objects.iter().position(|(n, _)| n == name)?;
        test.relevant.get(i)
    };
    let mut parts: Vec<(String, &[u8], Option<&ByteRanges>)> = Vec::new();
    if let Some(stdin) = &test.stdin {
        parts.push(("Standard input".into(), stdin, ranges("stdin")));
    }
    for f in &test.files {
        let relevant = ranges(&format!("{}_data", f.path));
        parts.push((format!("File {}", f.path), &f.bytes, relevant));
    }
    let own = test.objects.iter().enumerate();
    for (i, (name, bytes)) in own.skip(test.input_objects as usize).take(OBJECTS_SHOWN) {
        parts.push((format!("Object {name}"), bytes, test.relevant.get(i)));
    }
    parts.retain(|(_, bytes, _)| !bytes.is_empty());
    let shown = test.input_objects as usize + OBJECTS_SHOWN;
    let path = run.dir.join("tests").join(&name);
    html! {
        h4 { "Input of " a href={ "#row-" (name) } { (name) } }
        pre.cmd {
            (words.join(" "))
            @if test.stdin.as_ref().is_some_and(|s| !s.is_empty()) {
                " < stdin"
            }
        }
        @if !decided.is_empty() {
            p.decided { "Decided by " b { (decided.join(", ")) } }
        }
        @for (title, bytes, relevant) in parts {
            h4 { (title) }
            pre.dump { (dump(bytes, 256, relevant)) }
        }
        @if let more @ 1.. = test.objects.len().saturating_sub(shown) {
            p.decided { "… " (more) " more objects in " (name) }
        }
        h4 { "Reproduce" }
        pre.cmd { "polypath replay " (shell::word(path.as_os_str().as_encoded_bytes())) }
    }
}

fn files(run: &Run, sources: &mut Sources) -> Markup {
    let files = run
        .coverage
        .as_ref()
        .map_or(&[][..], |c| c.files.as_slice());
    html! {
        section #files {
            h2 { "Source files " small { "reached by the exploration" } }
            div.panel {
                @if files.is_empty() {
                    p.none { "The run wrote no coverage." }
                } @else {
                    div.tools {
                        input #sourcesearch type="search" placeholder="Search in all files" aria-label="Search in all source files";
                        output for="sourcesearch" aria-live="polite" {}
                    }
                    div.key {
                        span.y { "reached" }
                        span.p { "reached, but not every branch outcome" }
                        span.n { "not reached" }
                        "the small squares are branch outcomes"
                    }
                }
                @for (i, file) in ordered(run, files).into_iter().enumerate() {
                    @let counts = file.counts();
                    details.item id={ "file" (i) } open[i == 0 && file.lines.len() < 2000] {
                        summary {
                            span.grow { (origin::name(&file.path)) }
                            (meter("lines", counts.lines))
                            (meter("branches", counts.branches))
                        }
                        (listing(sources.lines(&file.path), file, &format!("file{i}"), &findings(run, file)))
                    }
                }
            }
        }
    }
}

/// The errors of a file.
fn findings(run: &Run, file: &FileCoverage) -> Vec<Finding> {
    bug::of_program(&run.errors)
        .iter()
        .map(Bug::shown)
        .filter(|e| e.file == file.path)
        .map(|e| Finding {
            line: e.line,
            what: format!("{}: {}", e.kind, e.message),
        })
        .collect()
}

/// Files in the order of the page: that of the first finding, the one that has the program's name, then by size.
fn ordered<'a>(run: &Run, files: &'a [FileCoverage]) -> Vec<&'a FileCoverage> {
    let stem = |path: &str| Path::new(path).file_stem().map(std::ffi::OsStr::to_owned);
    let program = run.info.as_ref().and_then(|i| stem(&i.program));
    let first = run.errors.iter().find(|e| e.kind.is_program_error());
    let first = first.map(|e| e.file.as_str());
    let mut ordered: Vec<&FileCoverage> = files.iter().collect();
    ordered.sort_by_key(|f| {
        (
            Some(f.path.as_str()) != first,
            stem(&f.path) != program,
            std::cmp::Reverse(f.lines.len()),
        )
    });
    ordered
}

/// The number of a file on the page.
fn file_index(run: &Run, path: &str) -> Option<usize> {
    let files = &run.coverage.as_ref()?.files;
    ordered(run, files).iter().position(|f| f.path == path)
}

fn meter(what: &str, counts: (u64, u64)) -> Markup {
    let Some(share) = percent(counts) else {
        return html! {
            span.meter title={ "no " (what) " to cover" } { span.bar.none {} b { "–" } (what) }
        };
    };
    let class = match share {
        s if s >= 80.0 => "",
        s if s >= 50.0 => "mid",
        _ => "low",
    };
    html! {
        span.meter title={ (counts.0) " of " (counts.1) " " (what) } {
            span.bar.(class) { i style=(format_args!("width:{share:.1}%")) {} }
            b { (format_args!("{share:.0}%")) }
            (what)
        }
    }
}

fn tests(run: &Run, replay: Option<&ExitSummary>) -> Markup {
    let results: BTreeMap<&str, &TestResult> = replay
        .iter()
        .flat_map(|r| &r.tests)
        .map(|t| (t.test.as_str(), t))
        .collect();
    // Errors and new coverage first, then in the order in which they were found.
    let mut order: Vec<&TestCase> = run.tests.iter().collect();
    order.sort_by_key(|t| telling(t));
    order.truncate(TESTS_SHOWN);
    html! {
        section #tests {
            h2 { "Tests" }
            div.panel {
                @if order.is_empty() {
                    p.none { "No tests were written." }
                } @else {
                    div.tools {
                        input type="search" data-filter="#testtable tbody tr" placeholder="Filter: error, exit 1, an argument …" aria-label="Filter tests";
                        @if run.totals.tests > TESTS_SHOWN {
                            span {
                                "the first " (grouped(TESTS_SHOWN as i64)) " of " (grouped(run.totals.tests as i64))
                                " (errors and new coverage first)"
                            }
                        }
                    }
                    div.scroll {
                        table #testtable data-sort {
                            thead {
                                tr {
                                    th { "Test" }
                                    th { "Ended" }
                                    th { "Input" }
                                    th { "Output" }
                                    th.num { "Found at" }
                                    th.num { "Instructions" }
                                    @if replay.is_some() {
                                        th { "Replay" }
                                    }
                                }
                            }
                            tbody {
                                @for t in order {
                                    (test_row(t, replay.map(|_| results.get(test_name(t.id).as_str()).copied())))
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A test, and what its replay gave, where there was a replay.
fn test_row(t: &TestCase, result: Option<Option<&TestResult>>) -> Markup {
    let class = |verdict: &ReplayVerdict| match verdict {
        ReplayVerdict::Same => "good",
        ReplayVerdict::DifferentOutput(_)
        | ReplayVerdict::DifferentExit(_)
        | ReplayVerdict::DifferentWay(_) => "bad",
        ReplayVerdict::TimedOut | ReplayVerdict::NotRun(_) => "warn",
        ReplayVerdict::DifferentMessages(_) | ReplayVerdict::Error => "",
    };
    html! {
        tr id={ "row-" (test_name(t.id)) } {
            td {
                (test_name(t.id))
                @if t.covered_new {
                    " " span.chip.good { "new" }
                }
            }
            td { (ended(t)) }
            td { code { (input_line(t)) } }
            td { code { (printable(&t.expected.stdout, 40)) } }
            td.num data-value=(t.time_s) { (duration(t.time_s)) }
            td.num data-value=(t.instructions) { (number(t.instructions as f64)) }
            @if let Some(result) = result {
                td {
                    @if let Some(r) = result {
                        (chip(class(&r.verdict), r.verdict.detail(), r.verdict.name()))
                    }
                }
            }
        }
    }
}

fn ended(t: &TestCase) -> Markup {
    html! {
        @match &t.expected.exit {
            ExitKind::Status(n) => { "exit " (n) }
            ExitKind::Signal(n) => { "signal " (n) }
            ExitKind::Error(kind) => {
                span.chip.(if kind.is_program_error() { "bad" } else { "warn" }) { (kind.id()) }
            }
            ExitKind::Killed(why) => { span.chip.warn { "cut short" } " " (why) }
        }
    }
}

fn input_line(t: &TestCase) -> Markup {
    let mut parts: Vec<Markup> = Vec::new();
    for word in t.args.iter().skip(1) {
        parts.push(html! { (shell::word(word)) });
    }
    let mut value = |name: &str, bytes: &[u8], limit: usize| {
        parts.push(html! { (name) "=\"" (printable(bytes, limit)) "\"" });
    };
    if let Some(stdin) = t.stdin.as_ref().filter(|s| !s.is_empty()) {
        value("stdin", stdin, 24);
    }
    for f in t.files.iter().take(3) {
        value(&f.path, &f.bytes, 24);
    }
    for (name, bytes) in t.objects.iter().skip(t.input_objects as usize).take(6) {
        value(name, bytes, 12);
    }
    html! {
        @for (i, part) in parts.iter().enumerate() {
            @if i > 0 { " " }
            (part)
        }
    }
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
