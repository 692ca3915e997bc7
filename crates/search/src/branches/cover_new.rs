//! Drawn among three classes in turn: branches with uncovered code right behind them, branches of runs that
//! covered something new, and all others; within a class at random (after KLEE's covering-new weights).

use super::{BranchId, Random, Strategy};
use crate::Metrics;

/// Uncovered code within so many instructions counts as right behind a branch.
const NEAR: u32 = 20;

/// See the module.
pub struct CoverNew {
    classes: [Random; 3],
    turn: usize,
}

impl CoverNew {
    /// Without branches; the seed fixes what is drawn.
    pub fn new(seed: u64) -> CoverNew {
        CoverNew {
            classes: [0, 1, 2].map(|i| Random::new(seed ^ i)),
            turn: 0,
        }
    }
}

impl Strategy for CoverNew {
    fn add(&mut self, id: BranchId, m: &Metrics) {
        let class = if m.min_distance_to_uncovered <= NEAR {
            0
        } else if m.covered_new {
            1
        } else {
            2
        };
        self.classes[class].add(id, m);
    }

    fn next(&mut self) -> Option<BranchId> {
        (0..self.classes.len()).find_map(|_| {
            self.turn = (self.turn + 1) % self.classes.len();
            self.classes[self.turn].next()
        })
    }
}
