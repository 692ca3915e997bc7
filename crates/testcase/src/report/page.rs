//! The HTML page. Every text that comes from the run goes through [`escape`].

use super::chart::Chart;
use super::dump::dump;
use super::pruning;
use super::source::{Finding, Sources, excerpt, listing};
use super::text::{duration, escape, grouped, number, percent, printable, shell_word};
use crate::coverage::{Counts, FileCoverage};
use crate::model::{ByteRanges, ErrorRecord, ExitKind, RunStats, TestCase, TimePoint, test_name};
use crate::names::readable;
use crate::read::{Run, telling};
use crate::replay::{Confirmation, ExitSummary, ReplayVerdict, TestResult};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// Tests in the table; the directory has them all.
pub(super) const TESTS_SHOWN: usize = 1000;
const ERRORS_SHOWN: usize = 500;
/// Objects of one test.
const OBJECTS_SHOWN: usize = 32;

/// The whole page.
pub fn page(run: &Run, replay: Option<&ExitSummary>, sources: &mut Sources) -> String {
    let stats = run.stats.clone().unwrap_or_default();
    let program = run
        .info
        .as_ref()
        .map_or("unknown program", |i| i.program.as_str());
    let name = Path::new(program)
        .file_name()
        .map_or(program.into(), |n| n.to_string_lossy());
    let found = run
        .errors
        .iter()
        .filter(|e| e.kind.is_program_error())
        .count();
    let mut out = format!(
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width,initial-scale=1\">\
         <meta name=color-scheme content=\"light dark\"><title>{} · Polypath</title><style>{STYLE}</style><body>",
        escape(&name)
    );
    header(&mut out, run, &stats, &name, found);
    nav(&mut out, run, found);
    out.push_str("<main class=wrap id=top>");
    cards(&mut out, run, &stats, found);
    notices(&mut out, run, &stats);
    errors(&mut out, run, replay, sources, found);
    files(&mut out, run, sources);
    tests(&mut out, run, replay);
    timeline(&mut out, &run.timeline, &stats);
    pruning::section(&mut out, &stats);
    details(&mut out, run, &stats, replay);
    let _ = writeln!(
        out,
        "<footer>Written by Polypath {}. Also here: <a href=lcov.info>lcov.info</a>, <a href=report.sarif>report.sarif</a>, \
         <a href=junit.xml>junit.xml</a>.</footer></main><script>{SCRIPT}</script></body></html>",
        env!("CARGO_PKG_VERSION")
    );
    out
}

fn header(out: &mut String, run: &Run, stats: &RunStats, name: &str, found: usize) {
    let (class, words) = match (found, &stats.halted, &run.stats) {
        (0, _, None) => ("warn", "Interrupted".to_owned()),
        (0, None, _) => ("good", "No errors, every path explored".to_owned()),
        (0, Some(_), _) => ("good", "No errors found".to_owned()),
        (1, ..) => ("bad", "1 error found".to_owned()),
        (n, ..) => ("bad", format!("{n} errors found")),
    };
    let command = run.info.as_ref().map(|i| {
        let words: Vec<String> = i.command.iter().map(|w| shell_word(w)).collect();
        format!("<code>{}</code>", escape(&words.join(" ")))
    });
    let _ = write!(
        out,
        "<header><div class=wrap><div class=brand><svg width=20 height=20 viewBox=\"0 0 20 20\" fill=none stroke=currentColor stroke-width=2 \
         stroke-linecap=round><circle cx=3.5 cy=10 r=2 /><path d=\"M5.5 10h3c3 0 2-6.5 6-6.5M8.5 10h6M8.5 10c3 0 2 6.5 6 6.5\"/>\
         <circle cx=16.5 cy=3.5 r=1.6 /><circle cx=16.5 cy=10 r=1.6 /><circle cx=16.5 cy=16.5 r=1.6 /></svg>Polypath report</div>\
         <h1>{} <span class=\"verdict {class}\">{words}</span></h1><div class=sub>{}</div></div></header>",
        escape(name),
        command.unwrap_or_default()
    );
}

fn nav(out: &mut String, run: &Run, found: usize) {
    let files = run.coverage.as_ref().map_or(0, |c| c.files.len());
    let _ = write!(
        out,
        "<nav><div class=wrap><a href=#top>Summary</a><a href=#errors>Errors<b>{found}</b></a><a href=#files>Source files<b>{files}</b></a>\
         <a href=#tests>Tests<b>{}</b></a><a href=#timeline>Time line</a><a href=#details>Details</a></div></nav>",
        run.totals.tests
    );
}

fn cards(out: &mut String, run: &Run, stats: &RunStats, found: usize) {
    let counts = run.coverage.as_ref().map_or_else(
        || Counts {
            lines: (stats.covered_lines, stats.total_lines),
            branches: (stats.covered_branches, stats.total_branches),
            functions: (0, 0),
        },
        |c| c.counts(),
    );
    out.push_str("<div class=cards>");
    let class = if found > 0 { "bad" } else { "good" };
    let limits = run.errors.len() - found;
    let sub = match limits {
        0 => "distinct places".to_owned(),
        1 => "and 1 limit of Polypath".into(),
        n => format!("and {n} limits of Polypath"),
    };
    card(out, class, "Errors", &found.to_string(), &sub);
    ring(out, "Line coverage", counts.lines);
    ring(out, "Branch coverage", counts.branches);
    let tested = format!("{} cut short", grouped(stats.partial_paths as i64));
    card(
        out,
        "",
        "Paths",
        &number(stats.completed_paths as f64),
        &tested,
    );
    let lost = if stats.tests_lost > 0 {
        format!("{} lost", stats.tests_lost)
    } else {
        let new = run.totals.new;
        format!("{new} reached new code")
    };
    card(out, "", "Tests", &grouped(run.totals.tests as i64), &lost);
    let solver = format!("{} in the solver", duration(stats.solver_time_s));
    card(out, "", "Queries", &number(stats.queries as f64), &solver);
    let time = format!(
        "{} of CPU, {} MB",
        duration(stats.cpu_s),
        number(stats.memory_max_mb.round())
    );
    card(out, "", "Time", &duration(stats.wall_s), &time);
    out.push_str("</div>");
}

fn card(out: &mut String, class: &str, title: &str, big: &str, small: &str) {
    let _ = write!(
        out,
        "<div class=\"card {class}\"><h3>{title}</h3><div class=big>{big}</div><small>{small}</small></div>"
    );
}

fn ring(out: &mut String, title: &str, counts: (u64, u64)) {
    let share = percent(counts);
    let around = 2.0 * std::f64::consts::PI * 26.0;
    let (value, small) = if counts.1 == 0 {
        ("–".to_owned(), "nothing to cover".to_owned())
    } else {
        (
            format!("{share:.0}%"),
            format!(
                "{} of {}",
                grouped(counts.0 as i64),
                grouped(counts.1 as i64)
            ),
        )
    };
    let part = if counts.1 == 0 || counts.0 == 0 {
        String::new()
    } else {
        format!(
            "<circle class=part cx=31 cy=31 r=26 stroke-dasharray=\"{:.1} {around:.1}\" />",
            around * share / 100.0
        )
    };
    let _ = write!(
        out,
        "<div class=card><h3>{title}</h3><div class=row><svg class=ring viewBox=\"0 0 62 62\"><circle class=all cx=31 cy=31 r=26 />{part}</svg>\
         <div><div class=big>{value}</div><small>{small}</small></div></div></div>"
    );
}

fn notices(out: &mut String, run: &Run, stats: &RunStats) {
    if let Some(why) = &stats.halted {
        let _ = write!(
            out,
            "<div class=notice><b>Not everything was explored:</b> {}. No error here is no proof that there is none.</div>",
            escape(why)
        );
    }
    if stats.tests_lost > 0 {
        let _ = write!(
            out,
            "<div class=notice><b>{} tests were lost:</b> they could not be written.</div>",
            stats.tests_lost
        );
    }
    if !run.problems.is_empty() {
        out.push_str("<div class=notice><b>Parts of this run could not be read:</b><ul>");
        for p in run.problems.iter().take(20) {
            let _ = write!(out, "<li>{}</li>", escape(p));
        }
        if run.problems.len() > 20 {
            let _ = write!(out, "<li>… {} more</li>", run.problems.len() - 20);
        }
        out.push_str("</ul></div>");
    }
}

fn timeline(out: &mut String, points: &[TimePoint], stats: &RunStats) {
    out.push_str("<section id=timeline><h2>Time line</h2>");
    if points.len() < 2 {
        out.push_str("<div class=panel><p class=none>The run was too short for a time line.</p></div></section>");
        return;
    }
    let curve =
        |f: &dyn Fn(&TimePoint) -> f64| points.iter().map(|p| (p.t, f(p))).collect::<Vec<_>>();
    let share = |part: u64, all: u64| percent((part, all.max(1)));
    let mut coverage = vec![(
        "branches",
        curve(&|p| share(p.covered_branches, stats.total_branches)),
    )];
    if stats.total_lines > 0 {
        coverage.push((
            "lines",
            curve(&|p| share(p.covered_lines, stats.total_lines)),
        ));
    }
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
    out.push_str("<div class=charts>");
    charts.iter().for_each(|c| out.push_str(&c.svg()));
    out.push_str("</div></section>");
}

fn errors(
    out: &mut String,
    run: &Run,
    replay: Option<&ExitSummary>,
    sources: &mut Sources,
    found: usize,
) {
    out.push_str("<section id=errors><h2>Errors</h2><div class=panel>");
    if found == 0 {
        out.push_str(
            "<div class=ok><b>✓</b><div>No path of the program ended in an error.</div></div>",
        );
    }
    let (mut mine, limits): (Vec<_>, Vec<_>) =
        run.errors.iter().partition(|e| e.kind.is_program_error());
    // What only a caller could do who breaks the contract comes last.
    mine.sort_by_key(|e| e.precondition.is_some());
    for (i, e) in mine.iter().take(ERRORS_SHOWN).enumerate() {
        error(out, i, e, run, replay, sources);
    }
    out.push_str("</div>");
    if found > ERRORS_SHOWN {
        let _ = write!(
            out,
            "<p class=none>… {} more in errors.json</p>",
            found - ERRORS_SHOWN
        );
    }
    out.push_str("</section>");
    if !limits.is_empty() {
        out.push_str("<section id=limits><h2>Limits of Polypath <small>paths that could not be followed; not errors of the program</small></h2><div class=panel><table><thead><tr><th>Construct<th>Where<th class=num>Paths</thead><tbody>");
        for e in limits {
            let _ = write!(
                out,
                "<tr><td>{}<td><span class=where>{}:{}</span> {}<td class=num>{}",
                escape(&e.message),
                escape(&e.file),
                e.line,
                escape(&readable(&e.function)),
                e.paths
            );
        }
        out.push_str("</tbody></table></div></section>");
    }
}

fn error(
    out: &mut String,
    index: usize,
    e: &ErrorRecord,
    run: &Run,
    replay: Option<&ExitSummary>,
    sources: &mut Sources,
) {
    let confirmation = replay.and_then(|r| r.of(e)).map(|r| &r.confirmation);
    let confirmed = |c: &Confirmation| {
        let class = match c {
            Confirmation::Confirmed(_) => "good",
            Confirmation::Contradicted(_) => "warn",
            Confirmation::Consistent(_) | Confirmation::Undecided(_) => "",
        };
        format!(
            "<span class=\"chip {class}\" title=\"{}\">{}</span>",
            escape(c.detail()),
            c.name()
        )
    };
    let chip = match (&e.precondition, confirmation) {
        (Some(why), _) => format!(
            "<span class=\"chip warn\" title=\"{}\">precondition likely</span>",
            escape(why)
        ),
        (None, Some(c)) => confirmed(c),
        (None, None) => String::new(),
    };
    let paths = if e.paths > 1 {
        format!("<span class=chip>{} paths</span>", grouped(e.paths as i64))
    } else {
        String::new()
    };
    let open = if index == 0 { " open" } else { "" };
    let _ = write!(
        out,
        "<details class=item id=error{index}{open}><summary><span class=\"chip bad\">{}</span><span class=grow>{} \
         <span class=where title=\"{}\">{}:{} in {}</span></span>{paths}{chip}</summary><div class=body>",
        e.kind,
        escape(if e.message.is_empty() {
            e.kind.title()
        } else {
            &e.message
        }),
        escape(&e.file),
        escape(&base_name(&e.file)),
        e.line,
        escape(&readable(&e.function))
    );
    if let Some(lines) = sources.lines(&e.file) {
        let source = excerpt(lines, e.line, 4);
        let link = match file_index(run, &e.file) {
            Some(i) => format!(
                "<a class=more href=#file{i}-{}>in the whole file</a>",
                e.line
            ),
            None => String::new(),
        };
        let _ = write!(out, "<div class=full>{source}{link}</div>");
    }
    if let Some(why) = &e.precondition {
        let _ = write!(
            out,
            "<p class=\"full contract\"><b>Precondition likely:</b> {}. The function may not be meant to be called so; \
             --precondition, --array-len, --no-null or an edited driver say what it is meant for.</p>",
            escape(why)
        );
    }
    out.push_str("<div><h4>Call stack</h4><ol class=stack>");
    if e.stack.is_empty() {
        let _ = write!(
            out,
            "<li><i>0</i>{}<span>{}:{}</span>",
            escape(&readable(&e.function)),
            escape(&e.file),
            e.line
        );
    }
    if !e.inside.is_empty() {
        let names: Vec<&str> = e.inside.iter().map(|f| f.function.as_str()).collect();
        let names = escape(&names.join(" ← "));
        let _ = write!(out, "<li><i></i><span>in libc: {names}</span>");
    }
    for (i, f) in e.stack.iter().take(64).enumerate() {
        // What libc does between the program's functions, and before main, is not what anybody looks for.
        if f.library {
            let follows = i > 0 && e.stack[i - 1].library;
            if !follows {
                let run = e.stack[i..].iter().take_while(|f| f.library);
                let names: Vec<&str> = run.map(|f| f.function.as_str()).collect();
                let names = escape(&names.join(" ← "));
                let _ = write!(out, "<li><i></i><span>in libc: {names}</span>");
            }
            continue;
        }
        let short = base_name(&f.file);
        let times = match f.times {
            1 => String::new(),
            n => format!(" ({n} times)"),
        };
        let _ = write!(
            out,
            "<li><i>{i}</i>{}<span title=\"{}\">{}:{}{times}</span>",
            escape(&readable(&f.function)),
            escape(&f.file),
            escape(&short),
            f.line
        );
    }
    if e.stack.len() > 64 {
        let _ = write!(out, "<li><i></i>… {} more frames", e.stack.len() - 64);
    }
    out.push_str("</ol>");
    if let Some(c) = confirmation {
        let _ = write!(
            out,
            "<h4>Native replay</h4>{}: {}",
            c.name(),
            escape(c.detail())
        );
    }
    out.push_str("</div><div>");
    match run.tests.iter().find(|t| test_name(t.id) == e.test) {
        Some(test) => input(out, test, run),
        None if e.test.is_empty() => out.push_str("<p class=none>No test was written.</p>"),
        None => {
            let _ = write!(
                out,
                "<p class=none>{} could not be read.</p>",
                escape(&e.test)
            );
        }
    }
    out.push_str("</div></div></details>");
}

/// A file's name without its directories.
fn base_name(path: &str) -> std::borrow::Cow<'_, str> {
    Path::new(path)
        .file_name()
        .map_or(path.into(), |n| n.to_string_lossy())
}

/// The input of a test: command line, standard input, files, objects.
fn input(out: &mut String, test: &TestCase, run: &Run) {
    let words: Vec<String> = test.args.iter().map(|a| shell_word(a)).collect();
    let redirect = if test.stdin.as_ref().is_some_and(|s| !s.is_empty()) {
        " < stdin"
    } else {
        ""
    };
    let _ = write!(
        out,
        "<h4>Input of {}</h4><pre class=cmd>{}{redirect}</pre>",
        test_name(test.id),
        escape(&words.join(" "))
    );
    let decided = test.decided_by();
    if !decided.is_empty() {
        let _ = write!(
            out,
            "<p class=decided>Decided by <b>{}</b></p>",
            escape(&decided.join(", "))
        );
    }
    let ranges = |name: &str| {
        let i = test.objects.iter().position(|(n, _)| n == name)?;
        test.relevant.get(i)
    };
    let mut section = |title: String, bytes: &[u8], relevant: Option<&ByteRanges>| {
        if !bytes.is_empty() {
            let _ = write!(
                out,
                "<h4>{}</h4><pre class=dump>{}</pre>",
                escape(&title),
                dump(bytes, 256, relevant)
            );
        }
    };
    if let Some(stdin) = &test.stdin {
        section("Standard input".into(), stdin, ranges("stdin"));
    }
    for f in &test.files {
        let relevant = ranges(&format!("{}_data", f.path));
        section(format!("File {}", f.path), &f.bytes, relevant);
    }
    let own = test.objects.iter().enumerate();
    for (i, (name, bytes)) in own.skip(test.input_objects as usize).take(OBJECTS_SHOWN) {
        section(format!("Object {name}"), bytes, test.relevant.get(i));
    }
    let more = test
        .objects
        .len()
        .saturating_sub(test.input_objects as usize + OBJECTS_SHOWN);
    if more > 0 {
        let _ = write!(
            out,
            "<p class=decided>… {more} more objects in {}</p>",
            test_name(test.id)
        );
    }
    let _ = write!(
        out,
        "<h4>Reproduce</h4><pre class=cmd>polypath replay {}</pre>",
        escape(&shell_word(
            run.dir
                .join("tests")
                .join(test_name(test.id))
                .as_os_str()
                .as_encoded_bytes()
        ))
    );
}

fn files(out: &mut String, run: &Run, sources: &mut Sources) {
    out.push_str("<section id=files><h2>Source files <small>reached by the exploration</small></h2><div class=panel>");
    let Some(coverage) = run.coverage.as_ref().filter(|c| !c.files.is_empty()) else {
        out.push_str("<p class=none>The run wrote no coverage.</p></div></section>");
        return;
    };
    out.push_str(
        "<div class=key><span class=y>reached</span><span class=p>reached, but not every branch outcome</span><span class=n>not reached</span>\
         the small squares are branch outcomes</div>",
    );
    for (i, file) in ordered(run, &coverage.files).into_iter().enumerate() {
        let counts = file.counts();
        let open = if i == 0 && file.lines.len() < 2000 {
            " open"
        } else {
            ""
        };
        let _ = write!(
            out,
            "<details class=item id=file{i}{open}><summary><span class=grow>{}</span>{}{}</summary>",
            escape(&file.path),
            meter("lines", counts.lines),
            meter("branches", counts.branches)
        );
        let own = run.errors.iter().enumerate();
        let findings: Vec<Finding> = own
            .filter(|(_, e)| e.file == file.path && e.kind.is_program_error())
            .map(|(_, e)| Finding {
                line: e.line,
                what: format!("{}: {}", e.kind, e.message),
            })
            .collect();
        let id = format!("file{i}");
        out.push_str(&listing(sources.lines(&file.path), file, &id, &findings));
        out.push_str("</details>");
    }
    out.push_str("</div></section>");
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

fn meter(what: &str, counts: (u64, u64)) -> String {
    let share = percent(counts);
    let class = match share {
        s if s >= 80.0 => "",
        s if s >= 50.0 => "mid",
        _ => "low",
    };
    format!(
        "<span class=meter title=\"{} of {} {what}\"><span class=\"bar {class}\"><i style=\"width:{share:.1}%\"></i></span><b>{share:.0}%</b>{what}</span>",
        counts.0, counts.1
    )
}

fn tests(out: &mut String, run: &Run, replay: Option<&ExitSummary>) {
    let results: BTreeMap<&str, &TestResult> = replay
        .iter()
        .flat_map(|r| &r.tests)
        .map(|t| (t.test.as_str(), t))
        .collect();
    let _ = write!(out, "<section id=tests><h2>Tests</h2><div class=panel>");
    if run.tests.is_empty() {
        out.push_str("<p class=none>No tests were written.</p></div></section>");
        return;
    }
    // Errors and new coverage first, then in the order in which they were found.
    let mut order: Vec<&TestCase> = run.tests.iter().collect();
    order.sort_by_key(|t| telling(t));
    out.push_str("<div class=tools><input type=search data-filter=testtable placeholder=\"Filter: error, exit 1, an argument …\" aria-label=\"Filter tests\">");
    if run.totals.tests > TESTS_SHOWN {
        let _ = write!(
            out,
            "<span>the first {} of {} (errors and new coverage first)</span>",
            grouped(TESTS_SHOWN as i64),
            grouped(run.totals.tests as i64)
        );
    }
    out.push_str("</div><div class=scroll><table id=testtable><thead><tr><th>Test<th>Ended<th>Input<th>Output<th class=num>Found at<th class=num>Instructions");
    out.push_str(if replay.is_some() {
        "<th>Replay</thead><tbody>"
    } else {
        "</thead><tbody>"
    });
    for t in order.into_iter().take(TESTS_SHOWN) {
        let name = test_name(t.id);
        let new = if t.covered_new {
            " <span class=\"chip good\">new</span>"
        } else {
            ""
        };
        let _ = write!(
            out,
            "<tr><td>{name}{new}<td>{}<td><code>{}</code><td><code>{}</code><td class=num>{}<td class=num>{}",
            ended(t),
            input_line(t),
            printable(&t.expected.stdout, 40),
            duration(t.time_s),
            number(t.instructions as f64)
        );
        if let Some(r) = results.get(name.as_str()) {
            let class = match r.verdict {
                ReplayVerdict::Same => "good",
                ReplayVerdict::DifferentOutput(_)
                | ReplayVerdict::DifferentExit(_)
                | ReplayVerdict::DifferentWay(_) => "bad",
                ReplayVerdict::TimedOut | ReplayVerdict::NotRun(_) => "warn",
                ReplayVerdict::DifferentMessages(_) | ReplayVerdict::Error => "",
            };
            let _ = write!(
                out,
                "<td><span class=\"chip {class}\" title=\"{}\">{}</span>",
                escape(r.verdict.detail()),
                r.verdict.name()
            );
        } else if replay.is_some() {
            out.push_str("<td>");
        }
    }
    out.push_str("</tbody></table></div></div></section>");
}

fn ended(t: &TestCase) -> String {
    match &t.expected.exit {
        ExitKind::Status(n) => format!("exit {n}"),
        ExitKind::Signal(n) => format!("signal {n}"),
        ExitKind::Error(kind) => {
            let class = if kind.is_program_error() {
                "bad"
            } else {
                "warn"
            };
            format!("<span class=\"chip {class}\">{kind}</span>")
        }
        ExitKind::Killed(why) => {
            format!("<span class=\"chip warn\">cut short</span> {}", escape(why))
        }
    }
}

fn input_line(t: &TestCase) -> String {
    let mut parts: Vec<String> = t
        .args
        .iter()
        .skip(1)
        .map(|a| escape(&shell_word(a)))
        .collect();
    if let Some(stdin) = t.stdin.as_ref().filter(|s| !s.is_empty()) {
        parts.push(format!("stdin=\"{}\"", printable(stdin, 24)));
    }
    for f in t.files.iter().take(3) {
        parts.push(format!(
            "{}=\"{}\"",
            escape(&f.path),
            printable(&f.bytes, 24)
        ));
    }
    for (name, bytes) in t.objects.iter().skip(t.input_objects as usize).take(6) {
        parts.push(format!("{}=\"{}\"", escape(name), printable(bytes, 12)));
    }
    parts.join(" ")
}

fn details(out: &mut String, run: &Run, stats: &RunStats, replay: Option<&ExitSummary>) {
    out.push_str("<section id=details><h2>Details</h2><div class=two>");
    let mut table = |title: &str, rows: Vec<(String, String)>| {
        if rows.is_empty() {
            return;
        }
        let _ = write!(out, "<div class=panel><h3>{title}</h3><table><tbody>");
        for (name, value) in rows {
            let _ = write!(
                out,
                "<tr><td>{}<td class=num>{}",
                escape(&name),
                escape(&value)
            );
        }
        out.push_str("</tbody></table></div>");
    };
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
    out.push_str("</div></section>");
}
