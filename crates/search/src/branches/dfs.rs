//! Depth first.

use super::{BranchId, Strategy};
use crate::Metrics;

/// A stack: the latest run's last branch first.
#[derive(Default)]
pub struct Dfs(Vec<BranchId>);

impl Strategy for Dfs {
    fn add(&mut self, id: BranchId, _: &Metrics) {
        self.0.push(id);
    }

    fn next(&mut self) -> Option<BranchId> {
        self.0.pop()
    }
}
