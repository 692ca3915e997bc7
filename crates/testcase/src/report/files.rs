//! The source files on the page, each with what the exploration reached.

use super::later::Later;
use super::source::{Sources, annotated, why_missing};
use super::text::percent;
use super::view::View;
use crate::coverage::FileCoverage;
use crate::origin;
use maud::{Markup, PreEscaped, html};

/// Rows that the page has as markup; the others are packed, and put behind these when it has been painted.
const AT_ONCE: usize = 100;

/// The section. Texts are packed; a script shows those that somebody opens.
pub fn files(view: &View<'_>, sources: &mut Sources, later: &mut Later) -> Markup {
    let mut entries = view.files.iter().copied().enumerate();
    let mut row = |(i, file)| row(i, file, view, sources, later).into_string();
    let first: String = entries.by_ref().take(AT_ONCE).map(&mut row).collect();
    let rest: String = entries.map(&mut row).collect();
    let rest = (!rest.is_empty()).then(|| later.add(&rest));
    html! {
        section #files {
            h2 { "Source files " small { "reached by the exploration" } }
            div.panel data-later=[rest] {
                @if view.files.is_empty() {
                    p.none { "The run wrote no coverage." }
                } @else {
                    div.tools {
                        input #sourcesearch type="search" placeholder="Search in all files" aria-label="Search in all source files";
                        output for="sourcesearch" aria-live="polite" {}
                    }
                    noscript { p.none { "A script of this page shows the sources." } }
                    div.key {
                        span.y { "reached" }
                        span.p { "reached, but not every branch outcome" }
                        span.n { "not reached" }
                        "the small squares are branch outcomes"
                    }
                }
                (PreEscaped(first))
            }
        }
    }
}

/// A file, the first one open.
fn row(
    index: usize,
    file: &FileCoverage,
    view: &View<'_>,
    sources: &mut Sources,
    later: &mut Later,
) -> Markup {
    let counts = file.counts();
    let text = sources.text(&file.path);
    let packed = text.map(|text| later.add(&annotated(text, file, view.findings(&file.path))));
    let is_packed = packed.is_some();
    html! {
        details.item id={ "file" (index) } open[index == 0] data-later=[packed] {
            summary {
                span.grow { (origin::name(&file.path)) }
                (meter("lines", counts.lines))
                (meter("branches", counts.branches))
            }
            @if !is_packed {
                p.none { (why_missing(file)) }
            }
        }
    }
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
