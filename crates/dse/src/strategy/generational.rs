//! Generational search ("Automated whitebox fuzz testing", Godefroid, Levin and Molnar, NDSS 2008,
//! section 3): the branches of a run are expanded together, the run that covered most first.

use super::{BranchId, Strategy, Traits};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// By the run's score, then by run, then along its path.
#[derive(Default)]
pub struct Generational(BTreeSet<(Reverse<u64>, u64, BranchId)>);

impl Strategy for Generational {
    fn add(&mut self, id: BranchId, t: &Traits) {
        self.0.insert((Reverse(t.newly_covered), t.run, id));
    }

    fn next(&mut self) -> Option<BranchId> {
        self.0.pop_first().map(|(_, _, id)| id)
    }
}
