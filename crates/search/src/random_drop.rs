//! Which states a run loses when memory is short, if it loses them at random: the baseline that spilling is compared with.
//!
//! It is `PRUNE_M` of "Making symbolic execution promising by learning aggressive state-pruning strategy" (Algorithm 1, line 5), which
//! stands there for what KLEE does: a random part of the live states, of the size |S| · r, whatever the searcher thinks of them.

use crate::StateId;
use crate::seed::derive;
use fastrand::Rng;

/// One of so many states goes at a time: the paper's example has r = 0.1.
const ONE_OF: usize = 10;
/// Tells this generator from the others of a run.
const PART: u64 = 0x4452_4f50;

/// Chooses states to drop.
pub struct RandomDrop(Rng);

impl RandomDrop {
    /// Same seed, same choices.
    pub fn new(seed: u64) -> RandomDrop {
        RandomDrop(Rng::with_seed(derive(seed, PART)))
    }

    /// Those of the states that go now: a tenth, but at least one and never all.
    pub fn choose(&mut self, mut states: Vec<StateId>) -> Vec<StateId> {
        let go = states.len().div_ceil(ONE_OF);
        self.0.shuffle(&mut states);
        states.truncate(go.min(states.len().saturating_sub(1)));
        states
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn states(n: u32) -> Vec<StateId> {
        (0..n).map(StateId).collect()
    }

    #[test]
    fn a_tenth_goes_and_one_stays() {
        let mut drop = RandomDrop::new(1);
        let many = [0, 1, 2, 9, 10, 11, 1000].map(|n| drop.choose(states(n)).len());
        assert_eq!(many, [0, 0, 1, 1, 1, 2, 100]);
        let gone: HashSet<StateId> = drop.choose(states(50)).into_iter().collect();
        assert_eq!(gone.len(), 5, "each of them once");
    }

    #[test]
    fn each_state_goes_as_often_as_any_other_and_the_seed_decides_which() {
        let mut drop = RandomDrop::new(2);
        let mut went = [0u32; 40];
        for _ in 0..5000 {
            for id in drop.choose(states(40)) {
                went[id.0 as usize] += 1;
            }
        }
        assert!(went.iter().all(|n| (400..600).contains(n)), "{went:?}");
        let of = |seed| RandomDrop::new(seed).choose(states(100));
        assert_eq!(of(3), of(3));
        assert_ne!(of(3), of(4));
    }
}
