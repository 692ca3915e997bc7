//! Drawn among three classes in turn: branches with uncovered code right behind them, branches of runs that
//! covered something new, and all others (after KLEE's covering-new weights); the first by what they lead to ([`Goals`]), within the
//! others at random.
//!
//! In its form `cover-shallow` one in four of the others is the shallowest: most branches lie deep, so what is drawn at random does, too, and
//! short paths would come late among hundreds of thousands.

use super::{BranchId, Goals, Random, Shallow, Strategy};
use crate::Metrics;

/// Uncovered code within so many instructions counts as right behind a branch.
const NEAR: u32 = 20;

/// One in so many of the others is the shallowest.
const SHALLOW: usize = 4;

/// How many classes take turns, and the number of that of all others.
const CLASSES: usize = 3;
const OTHERS: usize = 2;

/// See the module.
pub struct CoverNew {
    /// A sample of branches that are in one of the other classes, too. A branch that is taken from one class is named
    /// by the other when it has become useless.
    near: Goals,
    news: Random,
    others: Random,
    /// All others once more.
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

    /// A strategy without branches; the seed fixes its draws.
    pub fn new(seed: u64) -> CoverNew {
        CoverNew {
            near: Goals::new(seed),
            news: Random::new(seed ^ 1),
            others: Random::new(seed ^ 2),
            shallow: None,
            turn: 0,
        }
    }
}

impl Strategy for CoverNew {
    fn add(&mut self, id: BranchId, m: &Metrics) {
        if m.min_distance_to_uncovered <= NEAR {
            self.near.add(id, m.nearest_uncovered);
        }
        if m.covered_new {
            self.news.add(id, m);
            return;
        }
        self.others.add(id, m);
        if let Some(shallow) = &mut self.shallow {
            shallow.add(id, m);
        }
    }

    fn covered(&mut self, place: u32) {
        self.near.reached(place);
    }

    fn may_put_off(&self) -> bool {
        true
    }

    fn next(&mut self) -> Option<BranchId> {
        let turns = SHALLOW * CLASSES;
        (0..turns).find_map(|_| {
            self.turn = (self.turn + 1) % turns;
            match (self.turn % CLASSES, &mut self.shallow) {
                (0, _) => self.near.next(),
                (1, _) => self.news.next(),
                (_, Some(shallow)) if self.turn == OTHERS => shallow.next(),
                _ => self.others.next(),
            }
        })
    }
}
