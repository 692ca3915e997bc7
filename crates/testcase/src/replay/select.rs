//! Selects the tests of a run that are replayed.

use crate::model::TestCase;

/// A choice of tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct Selection {
    /// Those that reached code that no test before them had reached, and those of errors.
    pub only_new: bool,
    /// So many of them, evenly over the run.
    pub sample: Option<usize>,
}

impl Selection {
    /// The tests, in order.
    pub fn of<'a>(&self, tests: &'a [TestCase]) -> Vec<&'a TestCase> {
        let wanted: Vec<&TestCase> = tests
            .iter()
            .filter(|t| !self.only_new || t.covered_new || t.error.is_some())
            .collect();
        match self.sample {
            Some(n) if n < wanted.len() => (0..n).map(|i| wanted[i * wanted.len() / n]).collect(),
            _ => wanted,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
