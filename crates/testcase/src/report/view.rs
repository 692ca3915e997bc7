//! What several parts of the page ask of a run, found once.

use super::source::Finding;
use crate::bug::{self, Bug};
use crate::coverage::FileCoverage;
use crate::model::{TestCase, test_name};
use crate::read::Run;
use crate::replay::ExitSummary;
use maud::{Markup, html};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

/// A run, and what is looked up in it.
pub struct View<'a> {
    pub run: &'a Run,
    pub replay: Option<&'a ExitSummary>,
    /// The bugs of the program, in the order of the page.
    pub bugs: Vec<Bug<'a>>,
    /// The source files, in the order of the page.
    pub files: Vec<&'a FileCoverage>,
    places: BTreeMap<&'a str, usize>,
    findings: BTreeMap<&'a str, Vec<Finding>>,
    tests: BTreeMap<String, &'a TestCase>,
}

impl<'a> View<'a> {
    /// Looks everything up.
    pub fn new(run: &'a Run, replay: Option<&'a ExitSummary>) -> View<'a> {
        let bugs = bug::of_program(&run.errors);
        let files = ordered(run);
        let places = files.iter().enumerate();
        let places = places.map(|(i, file)| (file.path.as_str(), i)).collect();
        let mut findings: BTreeMap<&str, Vec<Finding>> = BTreeMap::new();
        for e in bugs.iter().map(Bug::shown) {
            findings.entry(&e.file).or_default().push(Finding {
                line: e.line,
                what: format!("{}: {}", e.kind, e.message),
            });
        }
        let tests = run.tests.iter().map(|t| (test_name(t.id), t)).collect();
        View {
            run,
            replay,
            bugs,
            files,
            places,
            findings,
            tests,
        }
    }

    /// The number of a file on the page.
    pub fn file(&self, path: &str) -> Option<usize> {
        self.places.get(path).copied()
    }

    /// The errors of a file.
    pub fn findings(&self, path: &str) -> &[Finding] {
        self.findings.get(path).map_or(&[], Vec::as_slice)
    }

    /// A test by its name, if it was read.
    pub fn test(&self, name: &str) -> Option<&'a TestCase> {
        self.tests.get(name).copied()
    }
}

/// Files in the order of the page: that of the first finding, the one that has the program's name, then by size.
fn ordered(run: &Run) -> Vec<&FileCoverage> {
    let stem = |path: &str| Path::new(path).file_stem().map(std::ffi::OsStr::to_owned);
    let program = run.info.as_ref().and_then(|i| stem(&i.program));
    let first = run.errors.iter().find(|e| e.kind.is_program_error());
    let first = first.map(|e| e.file.as_str());
    let files = run.coverage.iter().flat_map(|c| &c.files);
    let mut ordered: Vec<&FileCoverage> = files.collect();
    ordered.sort_by_cached_key(|f| {
        (
            Some(f.path.as_str()) != first,
            stem(&f.path) != program,
            Reverse(f.lines.len()),
        )
    });
    ordered
}

/// A label of an error or a test, with a tooltip.
pub fn chip(class: &str, title: &str, word: &str) -> Markup {
    html! { span.chip.(class) title=(title) { (word) } }
}
