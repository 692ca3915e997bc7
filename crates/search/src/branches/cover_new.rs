//! Drawn among three classes in turn: branches with uncovered code right behind them, branches of runs that
//! covered something new, and all others; within a class at random (after KLEE's covering-new weights).
//!
//! Of the others one in four is the shallowest: most branches lie deep, so what is drawn at random does, too, and short paths would
//! come late among hundreds of thousands.

use super::{BranchId, Random, Shallow, Strategy};
use crate::Metrics;

/// Uncovered code within so many instructions counts as right behind a branch.
const NEAR: u32 = 20;

/// One in so many of the others is the shallowest.
const SHALLOW: usize = 4;

/// The number of the class of all others.
const OTHERS: usize = 2;

/// See the module.
pub struct CoverNew {
    classes: [Random; 3],
    /// All others once more. Whatever one of the two gives away, the other one names when nobody asks for it any more.
    shallow: Shallow,
    turn: usize,
}

impl CoverNew {
    /// Without branches; the seed fixes what is drawn.
    pub fn new(seed: u64) -> CoverNew {
        CoverNew {
            classes: [0, 1, 2].map(|i| Random::new(seed ^ i)),
            shallow: Shallow::default(),
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
            OTHERS
        };
        self.classes[class].add(id, m);
        if class == OTHERS {
            self.shallow.add(id, m);
        }
    }

    fn next(&mut self) -> Option<BranchId> {
        let classes = self.classes.len();
        let turns = SHALLOW * classes;
        (0..turns).find_map(|_| {
            self.turn = (self.turn + 1) % turns;
            if self.turn == OTHERS {
                self.shallow.next()
            } else {
                self.classes[self.turn % classes].next()
            }
        })
    }
}
