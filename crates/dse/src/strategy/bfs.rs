//! Breadth first.

use super::{BranchId, Strategy, Traits};
use std::collections::BTreeSet;

/// By depth, then in the order of discovery.
#[derive(Default)]
pub struct Bfs(BTreeSet<(u32, BranchId)>);

impl Strategy for Bfs {
    fn add(&mut self, id: BranchId, t: &Traits) {
        self.0.insert((t.depth, id));
    }

    fn next(&mut self) -> Option<BranchId> {
        self.0.pop_first().map(|(_, id)| id)
    }
}
