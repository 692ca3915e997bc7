//! The tests on the page, as a table.

use super::later::Later;
use super::text::{duration, grouped, number, printable};
use super::view::{View, chip};
use crate::model::{ExitKind, TestCase, test_name};
use crate::read::telling;
use crate::replay::{ReplayVerdict, TestResult};
use crate::shell;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Tests on the page; the directory has them all.
pub const SHOWN: usize = 10_000;
/// Rows that are in the table at once. The others are packed, and a script puts them there when somebody scrolls, sorts or filters.
const AT_ONCE: usize = 100;

/// The section.
pub fn tests(view: &View<'_>, later: &mut Later) -> Markup {
    let (run, replay) = (view.run, view.replay);
    let results: BTreeMap<&str, &TestResult> = replay
        .iter()
        .flat_map(|r| &r.tests)
        .map(|t| (t.test.as_str(), t))
        .collect();
    // Errors and new coverage first, then in the order in which they were found.
    let mut order: Vec<&TestCase> = run.tests.iter().collect();
    order.sort_by_key(|t| telling(t));
    order.truncate(SHOWN);
    let row = |t: &TestCase| {
        test_row(
            t,
            replay.map(|_| results.get(test_name(t.id).as_str()).copied()),
        )
    };
    let (now, rest) = order.split_at(order.len().min(AT_ONCE));
    let rest: String = rest.iter().map(|t| row(t).into_string()).collect();
    let rest = (!rest.is_empty()).then(|| later.add(&rest));
    html! {
        section #tests {
            h2 { "Tests" }
            div.panel {
                @if order.is_empty() {
                    p.none { "No tests were written." }
                } @else {
                    div.tools {
                        input type="search" data-filter="#testtable tbody tr" aria-controls="testtable" placeholder="Filter: error, exit 1, an argument …" aria-label="Filter tests";
                        @if run.totals.tests > order.len() {
                            span {
                                "the first " (grouped(order.len() as i64)) " of " (grouped(run.totals.tests as i64))
                                " (errors and new coverage first)"
                            }
                        }
                    }
                    div.scroll {
                        table #testtable data-later=[rest] {
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
                                @for t in now {
                                    (row(t))
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
        ReplayVerdict::DifferentMessages(_) | ReplayVerdict::Unsteady(_) | ReplayVerdict::Error => {
            ""
        }
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
