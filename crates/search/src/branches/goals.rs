//! Branches right before uncovered places, each place in its turn.
//!
//! Where a place cannot be covered, or not yet, runs find branches before it again and again, thousands of them. So the place is next
//! for which least was asked, and after some attempts it counts no more.

use super::BranchId;
use fastrand::Rng;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// How often is asked for a place. No more branches are kept for it.
const ATTEMPTS: usize = 16;

/// The branches before a place.
#[derive(Default)]
struct Goal {
    attempts: usize,
    /// A sample of those that came.
    open: Vec<BranchId>,
    came: usize,
    /// Among places with equally many attempts the one with the lowest number is next; drawn anew with each attempt.
    lot: u32,
}

/// See the module.
pub(super) struct Goals {
    by_place: FxHashMap<u32, Goal>,
    /// Places with open branches: attempts, lot, place.
    turns: BTreeSet<(usize, u32, u32)>,
    rng: Rng,
}

impl Goals {
    /// A strategy without branches; the seed fixes its draws.
    pub fn new(seed: u64) -> Goals {
        Goals {
            by_place: FxHashMap::default(),
            turns: BTreeSet::new(),
            rng: Rng::with_seed(seed),
        }
    }

    /// A branch is right before a place.
    pub fn add(&mut self, id: BranchId, place: u32) {
        let goal = self.by_place.entry(place).or_default();
        if goal.attempts >= ATTEMPTS {
            return;
        }
        goal.came += 1;
        if goal.open.is_empty() {
            goal.lot = self.rng.u32(..);
            self.turns.insert((goal.attempts, goal.lot, place));
        }
        if goal.open.len() < ATTEMPTS {
            goal.open.push(id);
        } else if let at @ 0..ATTEMPTS = self.rng.usize(..goal.came) {
            goal.open[at] = id;
        }
    }

    /// The branch to ask for; it leaves.
    pub fn next(&mut self) -> Option<BranchId> {
        let (_, _, place) = self.turns.pop_first()?;
        let goal = self.by_place.get_mut(&place)?;
        let id = goal.open.swap_remove(self.rng.usize(..goal.open.len()));
        goal.attempts += 1;
        if goal.attempts >= ATTEMPTS {
            goal.open = Vec::new();
        } else if !goal.open.is_empty() {
            goal.lot = self.rng.u32(..);
            self.turns.insert((goal.attempts, goal.lot, place));
        }
        Some(id)
    }

    /// A place is no goal any more, also of branches that come later and were found before that was known.
    pub fn reached(&mut self, place: u32) {
        let goal = self.by_place.entry(place).or_default();
        self.turns.remove(&(goal.attempts, goal.lot, place));
        goal.attempts = ATTEMPTS;
        goal.open = Vec::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_has_its_turn_and_no_more_than_some() {
        let mut goals = Goals::new(1);
        for id in 0..1000 {
            goals.add(BranchId(id), 7);
        }
        goals.add(BranchId(1000), 8);
        goals.add(BranchId(1001), 8);
        goals.add(BranchId(1002), 9);
        goals.reached(9);
        goals.add(BranchId(1002), 9);
        let asked: Vec<u64> = std::iter::from_fn(|| goals.next()).map(|b| b.0).collect();
        assert_eq!(asked.len(), ATTEMPTS + 2);
        let of_eight = asked.iter().position(|&id| id >= 1000);
        assert!(of_eight.is_some_and(|at| at < 2), "{asked:?}");
        assert!(!asked.contains(&1002), "{asked:?}");
        goals.add(BranchId(1003), 7);
        assert_eq!(goals.next(), None);
    }
}
