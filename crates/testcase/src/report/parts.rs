//! Several runs in one document: what each has to do with a finding.

use crate::bug::Bug;
use crate::model::ErrorRecord;
use crate::read::Run;
use crate::replay::{ErrorResult, ExitSummary};

/// A run whose findings stand in a document.
pub struct OneRun<'a> {
    /// Its directory as the document names it, and `None` if the document lies there.
    pub name: Option<&'a str>,
    pub run: &'a Run,
    pub replay: Option<&'a ExitSummary>,
}

impl OneRun<'_> {
    fn shows(&self, error: &ErrorRecord) -> bool {
        self.run.errors.iter().any(|e| std::ptr::eq(e, error))
    }
}

/// The runs that show a bug, first the one whose test is named.
pub fn showing<'p, 'r>(bug: &Bug<'_>, parts: &'p [OneRun<'r>]) -> Vec<&'p OneRun<'r>> {
    let shows = |part: &&OneRun<'_>| bug.stacks.iter().any(|stack| part.shows(stack));
    let mut showing: Vec<&OneRun<'_>> = parts.iter().filter(shows).collect();
    showing.sort_by_key(|part| !part.shows(bug.shown()));
    showing
}

/// What a replay said of a bug: that of the run whose test is named, if it was replayed.
pub fn replayed<'p>(bug: &Bug<'_>, parts: &'p [OneRun<'_>]) -> Option<&'p ErrorResult> {
    let replays = showing(bug, parts).into_iter().filter_map(|p| p.replay);
    replays.filter_map(|r| r.of(bug)).next()
}

/// The test that shows an error, as the document names it.
pub fn test_of(error: &ErrorRecord, parts: &[OneRun<'_>]) -> String {
    let part = parts.iter().find(|part| part.shows(error));
    match part.and_then(|part| part.name) {
        Some(name) if !error.test.is_empty() => format!("{name}/tests/{}", error.test),
        _ => error.test.clone(),
    }
}
