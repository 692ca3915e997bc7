//! Several searchers over the same states, asked in turn: `a,b` alternates at each selection.

use crate::{Fresh, Metrics, Needs, Searcher, StateId};
use rustc_hash::FxHashMap;

/// See the module.
pub struct Interleaved {
    parts: Vec<Box<dyn Searcher>>,
    turn: usize,
}

impl Interleaved {
    /// At least one part.
    pub fn new(parts: Vec<Box<dyn Searcher>>) -> Interleaved {
        assert!(!parts.is_empty(), "nothing to interleave");
        Interleaved { parts, turn: 0 }
    }
}

impl Searcher for Interleaved {
    fn add(&mut self, id: StateId, parent: Option<StateId>, m: &Metrics) {
        self.parts.iter_mut().for_each(|p| p.add(id, parent, m));
    }

    fn update(&mut self, id: StateId, m: &Metrics) {
        self.parts.iter_mut().for_each(|p| p.update(id, m));
    }

    fn remove(&mut self, id: StateId) {
        self.parts.iter_mut().for_each(|p| p.remove(id));
    }

    fn select(&mut self, fresh: Fresh<'_>) -> Option<StateId> {
        self.turn = (self.turn + 1) % self.parts.len();
        self.parts[self.turn].select(fresh)
    }

    /// By the sum of the ranks that the parts give: what all find hopeless goes first.
    fn worst(&mut self, n: usize) -> Vec<StateId> {
        let mut rank: FxHashMap<StateId, usize> = FxHashMap::default();
        let live = self.len();
        for part in &mut self.parts {
            for (i, id) in part.worst(live).into_iter().enumerate() {
                *rank.entry(id).or_default() += i;
            }
        }
        let mut all: Vec<_> = rank.into_iter().map(|(id, rank)| (rank, id)).collect();
        all.sort_unstable();
        all.into_iter().take(n).map(|(_, id)| id).collect()
    }

    fn len(&self) -> usize {
        self.parts[0].len()
    }

    fn name(&self) -> String {
        self.parts
            .iter()
            .map(|p| p.name())
            .collect::<Vec<_>>()
            .join(",")
    }

    fn needs(&self) -> Needs {
        self.parts
            .iter()
            .fold(Needs::NONE, |n, p| n.union(p.needs()))
    }

    fn operations(&self) -> u64 {
        self.parts.iter().map(|p| p.operations()).sum()
    }
}
