//! The errors on the page: one entry for each bug, with its stacks, its input and what the replay said.

use super::dump::dump;
use super::later::Later;
use super::source::{Sources, excerpt};
use super::text::grouped;
use super::view::{View, chip};
use crate::bug::Bug;
use crate::model::{ByteRanges, ErrorRecord, StackFrame, TestCase, test_name};
use crate::names::readable;
use crate::origin;
use crate::read::Run;
use crate::replay::Confirmation;
use crate::shell;
use maud::{Markup, PreEscaped, html};

/// Bugs on the page; `errors.json` has them all.
const SHOWN: usize = 5000;
/// Those that the page has as markup with all that is within; of the others it is packed until somebody opens them.
const WHOLE: usize = 20;
/// Entries that the page has as markup; the others are packed, and put behind these when it has been painted.
const AT_ONCE: usize = 100;
/// With more errors there is a filter.
const FILTERED: usize = 5;
/// Objects of one test.
const OBJECTS_SHOWN: usize = 32;
/// Frames of one call stack.
const FRAMES_SHOWN: usize = 64;

/// The section of the errors, and that of what Polypath could not follow.
pub fn errors(view: &View<'_>, sources: &mut Sources, later: &mut Later) -> Markup {
    let found = view.bugs.len();
    let limits: Vec<&ErrorRecord> = view
        .run
        .errors
        .iter()
        .filter(|e| !e.kind.is_program_error())
        .collect();
    let mut entries = view.bugs.iter().take(SHOWN).enumerate();
    let mut entry = |(i, bug)| error(i, bug, view, sources, later).into_string();
    let first: String = entries.by_ref().take(AT_ONCE).map(&mut entry).collect();
    let rest: String = entries.map(&mut entry).collect();
    let rest = (!rest.is_empty()).then(|| later.add(&rest));
    html! {
        section #errors {
            h2 { "Errors" }
            div.panel data-later=[rest] {
                @if found > FILTERED {
                    div.tools {
                        input type="search" data-filter="#errors details" placeholder="Filter: a kind, a function, a file …" aria-label="Filter errors";
                    }
                }
                @if found == 0 {
                    div.ok { b { "✓" } div { "No path of the program ended in an error." } }
                }
                (PreEscaped(first))
            }
            @if found > SHOWN {
                p.none { "… " (found - SHOWN) " more in errors.json" }
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

/// The entry of a bug, the first one open.
fn error(
    index: usize,
    bug: &Bug<'_>,
    view: &View<'_>,
    sources: &mut Sources,
    later: &mut Later,
) -> Markup {
    let e = bug.shown();
    let confirmation = view.replay.and_then(|r| r.of(bug)).map(|r| &r.confirmation);
    let body = body(bug, confirmation, view, sources);
    let (now, packed) = if index < WHOLE {
        (Some(body), None)
    } else {
        (None, Some(later.add(&body.into_string())))
    };
    // What a filter finds of an entry that is packed.
    let words = packed.is_some().then(|| {
        let names = e.stack.iter().map(|frame| readable(&frame.function));
        let names: Vec<_> = names.take(FRAMES_SHOWN).collect();
        format!("{} {}", e.test, names.join(" "))
    });
    let message = if e.message.is_empty() {
        e.kind.title()
    } else {
        &e.message
    };
    html! {
        details.item id={ "error" (index) } open[index == 0] data-later=[packed] data-words=[words] {
            summary {
                span.chip.bad { (e.kind.id()) }
                span.grow {
                    (message) " "
                    span.where title=(origin::name(&e.file)) {
                        (origin::short_place(&e.file, e.line)) " in " (readable(&e.function))
                    }
                }
                @if bug.stacks.len() > 1 {
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
            @if let Some(now) = now {
                (now)
            }
        }
    }
}

/// What is within an entry: source, calls, replay, input.
fn body(
    bug: &Bug<'_>,
    confirmation: Option<&Confirmation>,
    view: &View<'_>,
    sources: &mut Sources,
) -> Markup {
    let e = bug.shown();
    let others = bug.stacks.iter().filter(|other| !std::ptr::eq(**other, e));
    let others: Vec<&&ErrorRecord> = others.collect();
    html! {
        div.body {
            @if let Some(text) = sources.text(&e.file) {
                div.full {
                    (excerpt(text, e.line, 4))
                    @if let Some(i) = view.file(&e.file) {
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
                @if let Some(test) = view.test(&e.test) {
                    (input(test, view.run))
                } @else if e.test.is_empty() {
                    p.none { "No test was written." }
                } @else {
                    p.none { (e.test) " could not be read." }
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
