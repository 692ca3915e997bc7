//! The tests of all rounds, and the good ones among them (section 3.2.1).

use super::bits::BitSet;
use super::cover::greedy;

/// Data kept; beyond that only the good ones stay.
const MOST: usize = 10_000;

/// A test.
#[derive(Clone, Debug)]
pub(super) struct Datum {
    /// Core conditions of its path.
    pub conditions: BitSet,
    /// Branches that it covers, as far as they are known: at least those that its path covered.
    pub branches: BitSet,
    /// The round that made it.
    pub round: usize,
}

/// All tests that can matter.
#[derive(Debug, Default)]
pub(super) struct Data(Vec<Datum>);

impl Data {
    /// Adds a test, unless an earlier one covered all that it did: the set cover would never take it.
    pub fn add(&mut self, datum: Datum) {
        let mut earlier = self.0.iter().rev();
        if earlier.any(|d| datum.branches.is_subset(&d.branches)) {
            return;
        }
        self.0.push(datum);
        if self.0.len() >= MOST {
            let mut good = greedy(self.0.iter().map(|d| &d.branches));
            // Earlier ones stay earlier.
            good.sort_unstable();
            self.0 = good.iter().map(|&i| self.0[i].clone()).collect();
        }
    }

    /// The branches that they cover.
    pub fn branches(&self) -> BitSet {
        let mut all = BitSet::default();
        self.0.iter().for_each(|d| all.add(&d.branches));
        all
    }

    /// Few tests that cover what all of them did.
    pub fn good(&self) -> Vec<&Datum> {
        let good = greedy(self.0.iter().map(|d| &d.branches));
        good.into_iter().map(|i| &self.0[i]).collect()
    }
}
