//! In the order of a rank.

use super::{BranchId, Strategy};
use crate::Metrics;
use std::collections::BTreeSet;

/// The place of a branch in the order: smaller ones first, by the first number, then the second, then the third.
type Rank = [u64; 3];

/// The smallest rank first. Generational search, for one, is such an order ("Automated whitebox fuzz testing", Godefroid,
/// Levin and Molnar, NDSS 2008, section 3): the branches of a run are expanded together, the run that covered most first.
pub struct Ordered {
    rank: fn(&Metrics, u64) -> Rank,
    open: BTreeSet<(Rank, BranchId)>,
}

impl Ordered {
    /// `rank` gets the features of a branch and its number: the branches found later have larger ones.
    pub fn by(rank: fn(&Metrics, u64) -> Rank) -> Box<dyn Strategy> {
        let open = BTreeSet::new();
        Box::new(Ordered { rank, open })
    }
}

impl Strategy for Ordered {
    fn add(&mut self, id: BranchId, m: &Metrics) {
        self.open.insert(((self.rank)(m, id.0), id));
    }

    fn next(&mut self) -> Option<BranchId> {
        self.open.pop_first().map(|(_, id)| id)
    }
}
