//! Drawn among three classes in turn: branches with uncovered code right behind them, branches of runs that
//! covered something new, and all others; within a class at random (after KLEE's covering-new weights).
//!
//! In its form `cover-shallow` one in four of the others is the shallowest: most branches lie deep, so what is drawn at random does, too, and
//! short paths would come late among hundreds of thousands.

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
    shallow: Option<Shallow>,
    turn: usize,
}

impl CoverNew {
    /// The form that takes shallow ones, too.
    pub fn with_shallow(seed: u64) -> CoverNew {
        CoverNew {
            shallow: Some(Shallow::default()),
            ..CoverNew::new(seed)
        }
    }

    /// Without branches; the seed fixes what is drawn.
    pub fn new(seed: u64) -> CoverNew {
        CoverNew {
            classes: [0, 1, 2].map(|i| Random::new(seed ^ i)),
            shallow: None,
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
        if let Some(shallow) = self.shallow.as_mut().filter(|_| class == OTHERS) {
            shallow.add(id, m);
        }
    }

    fn next(&mut self) -> Option<BranchId> {
        let classes = self.classes.len();
        let turns = SHALLOW * classes;
        (0..turns).find_map(|_| {
            self.turn = (self.turn + 1) % turns;
            match &mut self.shallow {
                Some(shallow) if self.turn == OTHERS => shallow.next(),
                _ => self.classes[self.turn % classes].next(),
            }
        })
    }
}
