//! JUnit XML: one case per bug, and one per replayed test, for build servers.

use super::parts::{OneRun, replayed, test_of};
use super::text::escape;
use crate::bug;
use crate::names::readable;
use crate::origin;
use crate::replay::{ExitSummary, ReplayVerdict};
use std::fmt::Write;

/// The document. Errors of the program fail; of the replayed tests fail those whose exit status or
/// output differ. What several runs show is one case.
pub fn junit(parts: &[OneRun<'_>]) -> String {
    let mut errors = String::new();
    let found = bug::of_program(parts.iter().flat_map(|part| &part.run.errors));
    let mut suppressed = 0;
    for bug in &found {
        let e = bug.shown();
        let name = escape(&if origin::is_known(&e.file) {
            format!("{} at {}:{}", e.kind, e.file, e.line)
        } else {
            format!("{} in {}", e.kind, readable(&e.function))
        });
        let mut stack = format!("{}\n", e.message);
        for entry in &bug.stacks {
            let _ = writeln!(stack, "test: {}", test_of(entry, parts));
            for f in &entry.stack {
                let place = origin::place(&f.file, f.line);
                let _ = writeln!(stack, "  {} {place}", readable(&f.function));
            }
        }
        if let Some(r) = replayed(bug, parts) {
            let _ = writeln!(stack, "replay: {}: {}", r.name(), r.detail());
        }
        if let Some(why) = bug.suppressed() {
            suppressed += 1;
            let _ = writeln!(
                errors,
                "    <testcase classname=\"{}\" name=\"{name}\"><skipped message=\"suppressed: {}\"/></testcase>",
                escape(&readable(&e.function)),
                escape(why)
            );
            continue;
        }
        let _ = writeln!(
            errors,
            "    <testcase classname=\"{}\" name=\"{name}\"><failure message=\"{}\" type=\"{}\">{}</failure></testcase>",
            escape(&readable(&e.function)),
            escape(e.kind.title()),
            e.kind,
            escape(&stack)
        );
    }
    if found.is_empty() {
        errors.push_str("    <testcase classname=\"polypath\" name=\"no errors found\"/>\n");
    }
    let mut suites = vec![(
        "errors".to_owned(),
        found.len().max(1),
        found.len() - suppressed,
        suppressed,
        errors,
    )];
    for part in parts {
        let name = part.name.map_or(String::new(), |name| format!(" {name}"));
        let suite = part.replay.map(|replay| replays(&name, replay));
        suites.extend(suite);
    }
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"polypath\">\n",
    );
    for (name, tests, failures, skipped, cases) in suites {
        let _ = write!(
            out,
            "  <testsuite name=\"{}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\">\n{cases}  </testsuite>\n",
            escape(&name)
        );
    }
    out.push_str("</testsuites>\n");
    out
}

/// A suite: its name, how many cases it has, how many of them failed and were skipped, and the cases.
type Suite = (String, usize, usize, usize, String);

/// The tests of a run that were replayed.
fn replays(run: &str, replay: &ExitSummary) -> Suite {
    let (mut cases, mut failed, mut skipped) = (String::new(), 0, 0);
    for t in &replay.tests {
        let inner = match &t.verdict {
            ReplayVerdict::DifferentOutput(d)
            | ReplayVerdict::DifferentExit(d)
            | ReplayVerdict::DifferentWay(d) => {
                failed += 1;
                let name = t.verdict.name();
                format!("<failure message=\"{name}\">{}</failure>", escape(d))
            }
            ReplayVerdict::NotRun(d) => {
                skipped += 1;
                format!("<skipped message=\"{}\"/>", escape(d))
            }
            ReplayVerdict::TimedOut => {
                skipped += 1;
                "<skipped message=\"time-out\"/>".to_owned()
            }
            ReplayVerdict::Same
            | ReplayVerdict::DifferentMessages(_)
            | ReplayVerdict::Unsteady(_)
            | ReplayVerdict::Error => String::new(),
        };
        let _ = writeln!(
            cases,
            "    <testcase classname=\"replay{}\" name=\"{}\">{inner}</testcase>",
            escape(run),
            escape(&t.test)
        );
    }
    let name = format!("replay{run}");
    (name, replay.tests.len(), failed, skipped, cases)
}
