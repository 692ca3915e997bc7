//! Non-uniform random search: a state is drawn with a probability proportional to its weight.
//!
//! Weights follow KLEE's `WeightedRandomSearcher`, one file each. KLEE recomputes the weight of the
//! running state after every instruction and lets the others go stale. Here a state's weight is
//! checked when it is drawn: if it has fallen from `w` to `w'` since it was stored, the draw stands
//! with probability `w' / w`, else the new weight is stored and the draw repeated. For weights that
//! only fall (coverage only grows, counts only rise) this is exact sampling by present weights,
//! without a sweep over the states. A risen weight is stored when it is seen. Draws are bounded.

pub mod covnew;
pub mod cpicnt;
pub mod depth;
pub mod icnt;
pub mod md2u;
pub mod qc;
pub mod rp;

use crate::{Fresh, Metrics, Needs, Searcher, StateId, sum_tree::SumTree};
use fastrand::Rng;

/// Stored weights stay in this range, so that sums are finite and no state is lost.
const RANGE: (f64, f64) = (1e-280, 1e280);
/// Draws for one selection; the last one stands.
const MAX_DRAWS: u32 = 16;

/// The weight behind one `nurs:` searcher.
pub trait Weight {
    /// The full name, `nurs:` included.
    fn name(&self) -> &'static str;
    /// The metrics that it reads.
    fn needs(&self) -> Needs;
    /// A positive number; see `RANGE`.
    fn of(&self, m: &Metrics) -> f64;
}

/// See the module.
pub struct Nurs<W> {
    weight: W,
    live: usize,
    tree: SumTree,
    rng: Rng,
    operations: u64,
}

impl<W: Weight> Nurs<W> {
    /// A searcher without states.
    pub fn new(weight: W, seed: u64) -> Nurs<W> {
        Nurs {
            weight,
            live: 0,
            tree: SumTree::default(),
            rng: Rng::with_seed(seed),
            operations: 0,
        }
    }

    /// Weights of live states are positive.
    fn has(&self, id: StateId) -> bool {
        self.tree.get(id.0 as usize) > 0.0
    }

    fn weigh(&self, m: &Metrics) -> f64 {
        let w = self.weight.of(m);
        debug_assert!(w.is_finite(), "{} of {m:?}", self.weight.name());
        w.clamp(RANGE.0, RANGE.1)
    }
}

impl<W: Weight> Searcher for Nurs<W> {
    fn add(&mut self, id: StateId, _parent: Option<StateId>, m: &Metrics) {
        let weight = self.weigh(m);
        self.live += usize::from(!self.has(id));
        self.tree.set(id.0 as usize, weight);
    }

    fn update(&mut self, id: StateId, m: &Metrics) {
        let weight = self.weigh(m);
        if self.has(id) && weight != self.tree.get(id.0 as usize) {
            self.tree.set(id.0 as usize, weight);
        }
    }

    fn remove(&mut self, id: StateId) {
        if self.has(id) {
            self.live -= 1;
            self.tree.set(id.0 as usize, 0.0);
        }
    }

    fn select(&mut self, fresh: Fresh<'_>) -> Option<StateId> {
        for draw in 1.. {
            self.operations += 1;
            let slot = self.tree.sample(&mut self.rng)?;
            let id = StateId(slot as u32);
            let (old, new) = (self.tree.get(slot), self.weigh(&fresh(id)));
            if new != old {
                self.tree.set(slot, new);
            }
            if draw >= MAX_DRAWS || new >= old || self.rng.f64() * old < new {
                return Some(id);
            }
        }
        None
    }

    fn worst(&mut self, n: usize) -> Vec<StateId> {
        let mut all: Vec<_> = self
            .tree
            .weights()
            .map(|(slot, weight)| (weight, StateId(slot as u32)))
            .collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        all.into_iter().take(n).map(|(_, id)| id).collect()
    }

    fn len(&self) -> usize {
        self.live
    }

    fn name(&self) -> String {
        self.weight.name().into()
    }

    fn needs(&self) -> Needs {
        self.weight.needs()
    }

    fn operations(&self) -> u64 {
        self.operations + self.tree.operations
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A weight that fell while nobody told the searcher must count at once.
    #[test]
    fn stale_weights_are_corrected_by_rejection() {
        let mut s = Nurs::new(depth::Depth, 7);
        let at = |depth| Metrics {
            depth,
            ..Metrics::default()
        };
        for i in 0..100 {
            s.add(StateId(i), None, &at(1000));
        }
        // Only state 0 kept its weight; all others fell to 1: it now has 1000 of 1099.
        let mut fresh = |id: StateId| at(if id.0 == 0 { 1000 } else { 1 });
        for _ in 0..300 {
            s.select(&mut fresh);
        }
        let hits = (0..1000)
            .filter(|_| s.select(&mut fresh) == Some(StateId(0)))
            .count();
        assert!((870..950).contains(&hits), "{hits}");
        assert!(!s.worst(99).contains(&StateId(0)));
    }
}
