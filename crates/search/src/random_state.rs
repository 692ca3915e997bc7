//! Each live state with equal probability.

use crate::{Fresh, Metrics, Needs, Searcher, StateId, state_set::StateSet};
use fastrand::Rng;

/// See the module.
#[derive(Debug)]
pub struct RandomState {
    states: StateSet,
    rng: Rng,
    operations: u64,
}

impl RandomState {
    /// A searcher without states.
    pub fn new(seed: u64) -> RandomState {
        RandomState {
            states: StateSet::default(),
            rng: Rng::with_seed(seed),
            operations: 0,
        }
    }
}

impl Searcher for RandomState {
    fn add(&mut self, id: StateId, _parent: Option<StateId>, _m: &Metrics) {
        self.operations += 1;
        self.states.insert(id);
    }

    fn update(&mut self, _id: StateId, _m: &Metrics) {}

    fn remove(&mut self, id: StateId) {
        self.operations += 1;
        self.states.remove(id);
    }

    fn select(&mut self, _fresh: Fresh<'_>) -> Option<StateId> {
        self.operations += 1;
        self.states.random(&mut self.rng)
    }

    fn worst(&mut self, n: usize) -> Vec<StateId> {
        let mut ids = self.states.members().to_vec();
        let n = n.min(ids.len());
        for i in 0..n {
            let j = i + self.rng.usize(..ids.len() - i);
            ids.swap(i, j);
        }
        ids.truncate(n);
        ids
    }

    fn len(&self) -> usize {
        self.states.len()
    }

    fn name(&self) -> String {
        "random-state".into()
    }

    fn needs(&self) -> Needs {
        Needs::NONE
    }

    fn operations(&self) -> u64 {
        self.operations
    }
}
