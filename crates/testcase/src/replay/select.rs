//! Selects the tests of a run that are replayed.

use crate::model::TestCase;
use std::collections::BTreeSet;

/// A choice of tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct Selection {
    /// Those that reached code that no test before them had reached, and those of errors.
    pub only_new: bool,
    /// So many of them: the first one of each error, and others evenly over the run.
    pub sample: Option<usize>,
}

impl Selection {
    /// The tests, in order.
    pub fn of<'a>(&self, tests: &'a [TestCase]) -> Vec<&'a TestCase> {
        let wanted: Vec<&TestCase> = tests
            .iter()
            .filter(|t| !self.only_new || t.covered_new || t.error.is_some())
            .collect();
        let Some(n) = self.sample.filter(|&n| n < wanted.len()) else {
            return wanted;
        };
        // What the run says of an error is confirmed by the first test that shows it.
        let mut shown = BTreeSet::new();
        let (errors, others): (Vec<&TestCase>, Vec<&TestCase>) =
            wanted.into_iter().partition(|t| {
                let error = t.error.as_ref();
                error.is_some_and(|e| shown.insert((e.kind, e.file.clone(), e.line)))
            });
        let mut sample = evenly(&errors, n.min(errors.len()));
        sample.extend(evenly(&others, n - sample.len()));
        sample.sort_unstable_by_key(|t| t.id);
        sample
    }

    /// A message about the tests left out, if there are any.
    pub fn words(&self, selected: usize, all: usize) -> Option<String> {
        let how = match (self.only_new, self.sample) {
            (true, None) => "those that covered something new or ended in an error",
            (true, Some(_)) => "a sample of those that covered something new or ended in an error",
            (false, _) => "a sample",
        };
        (selected < all).then(|| format!("{selected} of {all} tests: {how}"))
    }
}

/// So many of them, at most all.
fn evenly<'a>(all: &[&'a TestCase], n: usize) -> Vec<&'a TestCase> {
    (0..n).map(|i| all[i * all.len() / n]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ErrorRecord;

    #[test]
    fn samples_are_even_and_never_larger_than_what_is_there() {
        let tests: Vec<TestCase> = (0..100)
            .map(|id| TestCase {
                id,
                covered_new: id % 10 == 0,
                ..TestCase::default()
            })
            .collect();
        let ids = |only_new, sample| -> Vec<u32> {
            let selection = Selection { only_new, sample };
            selection.of(&tests).iter().map(|t| t.id).collect()
        };
        assert_eq!(ids(false, Some(4)), [0, 25, 50, 75]);
        assert_eq!(ids(true, None).len(), 10);
        assert_eq!(ids(true, Some(2)), [0, 50]);
        assert_eq!(ids(true, Some(1000)).len(), 10);
        assert_eq!(ids(false, Some(0)).len(), 0);
        assert_eq!(ids(false, None).len(), 100);
        assert_eq!(Selection::default().words(100, 100), None);
    }

    #[test]
    fn a_sample_has_the_first_test_of_each_error() {
        let mut tests: Vec<TestCase> = (0..100)
            .map(|id| TestCase {
                id,
                ..TestCase::default()
            })
            .collect();
        for (id, line) in [(13, 1), (14, 1), (77, 2), (78, 1)] {
            tests[id].error = Some(ErrorRecord {
                line,
                ..ErrorRecord::default()
            });
        }
        let ids = |n| -> Vec<u32> {
            let selection = Selection {
                only_new: false,
                sample: Some(n),
            };
            selection.of(&tests).iter().map(|t| t.id).collect()
        };
        assert_eq!(ids(2), [13, 77]);
        assert_eq!(ids(1), [13]);
        assert_eq!(ids(4), [0, 13, 50, 77]);
    }
}
