//! JUnit XML: one case per bug, and one per replayed test, for build servers.

use super::text::escape;
use crate::bug;
use crate::names::readable;
use crate::origin;
use crate::read::Run;
use crate::replay::{ExitSummary, ReplayVerdict};
use std::fmt::Write;

/// The document. Errors of the program fail; of the replayed tests fail those whose exit status or
/// output differ.
pub fn junit(run: &Run, replay: Option<&ExitSummary>) -> String {
    let mut errors = String::new();
    let found = bug::of_program(&run.errors);
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
            let _ = writeln!(stack, "test: {}", entry.test);
            for f in &entry.stack {
                let place = origin::place(&f.file, f.line);
                let _ = writeln!(stack, "  {} {place}", readable(&f.function));
            }
        }
        if let Some(r) = replay.and_then(|r| r.of(bug)) {
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
        "errors",
        found.len().max(1),
        found.len() - suppressed,
        suppressed,
        errors,
    )];
    if let Some(replay) = replay {
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
                | ReplayVerdict::Error => String::new(),
            };
            let _ = writeln!(
                cases,
                "    <testcase classname=\"replay\" name=\"{}\">{inner}</testcase>",
                escape(&t.test)
            );
        }
        suites.push(("replay", replay.tests.len(), failed, skipped, cases));
    }
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"polypath\">\n",
    );
    for (name, tests, failures, skipped, cases) in suites {
        let _ = write!(
            out,
            "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\">\n{cases}  </testsuite>\n"
        );
    }
    out.push_str("</testsuites>\n");
    out
}
