//! Any open branch, each with the same probability.

use super::{BranchId, Strategy};
use crate::Metrics;

/// See the module.
pub struct Random {
    open: Vec<BranchId>,
    rng: fastrand::Rng,
}

impl Random {
    /// A strategy without branches; the seed fixes its draws.
    pub fn new(seed: u64) -> Random {
        Random {
            open: Vec::new(),
            rng: fastrand::Rng::with_seed(seed),
        }
    }
}

impl Strategy for Random {
    fn add(&mut self, id: BranchId, _: &Metrics) {
        self.open.push(id);
    }

    fn next(&mut self) -> Option<BranchId> {
        if self.open.is_empty() {
            return None;
        }
        let at = self.rng.usize(..self.open.len());
        Some(self.open.swap_remove(at))
    }
}
