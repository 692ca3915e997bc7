//! Drawn among three classes in turn: branches with uncovered code right behind them, branches of runs that
//! covered something new, and all others; within a class at random (after KLEE's covering-new weights).

use super::{BranchId, Strategy, Traits, random::Random};

/// Uncovered code within so many instructions counts as right behind a branch.
const NEAR: u32 = 20;

pub struct CoverNew {
    classes: [Random; 3],
    turn: usize,
}

impl CoverNew {
    pub fn new(seed: u64) -> CoverNew {
        CoverNew {
            classes: [0, 1, 2].map(|i| Random::new(seed ^ i)),
            turn: 0,
        }
    }
}

impl Strategy for CoverNew {
    fn add(&mut self, id: BranchId, t: &Traits) {
        let class = if t.distance <= NEAR {
            0
        } else if t.newly_covered > 0 {
            1
        } else {
            2
        };
        self.classes[class].add(id, t);
    }

    fn next(&mut self) -> Option<BranchId> {
        (0..self.classes.len()).find_map(|_| {
            self.turn = (self.turn + 1) % self.classes.len();
            self.classes[self.turn].next()
        })
    }
}
