//! Subpath-guided search (Li, Su, Wang, Li: Steering symbolic execution to less traveled paths,
//! OOPSLA 2013): the next state is one whose last `n` branch outcomes were continued least often.
//!
//! Counts are kept per subpath for the whole run; the queue holds the subpaths that live states
//! wait at. Ties go to the older subpath, the state within it is random.

use crate::{Fresh, Metrics, Needs, Searcher, StateId, state_map::StateMap, state_set::StateSet};
use fastrand::Rng;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

#[derive(Debug, Default)]
struct Subpath {
    continued: u64,
    waiting: StateSet,
}

/// See the module.
#[derive(Debug)]
pub struct SubpathGuided {
    length: u32,
    subpaths: Vec<Subpath>,
    index_of: FxHashMap<u64, usize>,
    subpath_of: StateMap<usize>,
    /// (continued, index) of the subpaths with waiting states.
    queue: BTreeSet<(u64, usize)>,
    rng: Rng,
    operations: u64,
}

impl SubpathGuided {
    /// Subpaths of `length` outcomes, 1 to 4.
    pub fn new(length: u32, seed: u64) -> SubpathGuided {
        assert!((1..=4).contains(&length), "subpaths have 1 to 4 outcomes");
        SubpathGuided {
            length,
            subpaths: Vec::new(),
            index_of: FxHashMap::default(),
            subpath_of: StateMap::default(),
            queue: BTreeSet::new(),
            rng: Rng::with_seed(seed),
            operations: 0,
        }
    }

    fn leave(&mut self, id: StateId) {
        if let Some(i) = self.subpath_of.remove(id) {
            let subpath = &mut self.subpaths[i];
            subpath.waiting.remove(id);
            if subpath.waiting.len() == 0 {
                self.queue.remove(&(subpath.continued, i));
            }
        }
    }
}

impl Searcher for SubpathGuided {
    fn add(&mut self, id: StateId, _parent: Option<StateId>, m: &Metrics) {
        self.operations += 1;
        let key = m.recent_branches & (u64::MAX >> (64 - 16 * self.length));
        let i = *self.index_of.entry(key).or_insert_with(|| {
            self.subpaths.push(Subpath::default());
            self.subpaths.len() - 1
        });
        if self.subpath_of.get(id) == Some(&i) {
            return;
        }
        self.leave(id);
        self.subpath_of.insert(id, i);
        let subpath = &mut self.subpaths[i];
        subpath.waiting.insert(id);
        self.queue.insert((subpath.continued, i));
    }

    fn update(&mut self, id: StateId, m: &Metrics) {
        if self.subpath_of.contains(id) {
            self.add(id, None, m);
        }
    }

    fn remove(&mut self, id: StateId) {
        self.operations += 1;
        self.leave(id);
    }

    fn select(&mut self, _fresh: Fresh<'_>) -> Option<StateId> {
        self.operations += 1;
        let (_, i) = self.queue.pop_first()?;
        let subpath = &mut self.subpaths[i];
        subpath.continued += 1;
        self.queue.insert((subpath.continued, i));
        subpath.waiting.random(&mut self.rng)
    }

    fn worst(&mut self, n: usize) -> Vec<StateId> {
        let order = self.queue.iter().rev();
        order
            .flat_map(|(_, i)| self.subpaths[*i].waiting.members())
            .copied()
            .take(n)
            .collect()
    }

    fn len(&self) -> usize {
        self.subpath_of.len()
    }

    fn name(&self) -> String {
        format!("subpath:{}", self.length)
    }

    fn needs(&self) -> Needs {
        Needs::NONE
    }

    fn operations(&self) -> u64 {
        self.operations
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::push_branch;

    #[test]
    fn the_less_travelled_subpath_goes_first() {
        let after = |pc| Metrics {
            recent_branches: push_branch(0, pc, 0),
            ..Metrics::default()
        };
        let mut s = SubpathGuided::new(1, 1);
        let fresh = &mut |_: StateId| Metrics::default();
        s.add(StateId(0), None, &after(10));
        for _ in 0..5 {
            assert_eq!(s.select(fresh), Some(StateId(0)));
        }
        s.add(StateId(1), None, &after(20));
        for _ in 0..5 {
            assert_eq!(s.select(fresh), Some(StateId(1)));
        }
        assert_eq!(s.worst(1).len(), 1);
        // Only the last outcome counts for length 1: these two share a subpath.
        let older = push_branch(push_branch(0, 99, 1), 20, 0);
        s.add(
            StateId(2),
            None,
            &Metrics {
                recent_branches: older,
                ..Metrics::default()
            },
        );
        assert_eq!(s.subpaths.len(), 2);
    }
}
