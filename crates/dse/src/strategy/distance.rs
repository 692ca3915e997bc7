//! Nearest to uncovered code first (KLEE's md2u, for open branches).

use super::{BranchId, Strategy, Traits};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// By distance, then the latest.
#[derive(Default)]
pub struct Distance(BTreeSet<(u32, Reverse<BranchId>)>);

impl Strategy for Distance {
    fn add(&mut self, id: BranchId, t: &Traits) {
        self.0.insert((t.distance, Reverse(id)));
    }

    fn next(&mut self) -> Option<BranchId> {
        self.0.pop_first().map(|(_, id)| id.0)
    }
}
