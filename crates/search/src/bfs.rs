//! Breadth first: the oldest state runs; a fork sends parent and child to the end of the queue
//! (as in KLEE), so that all paths of `n` forks come before those of `n + 1`.

use crate::{Fresh, Metrics, Needs, Searcher, StateId, state_map::StateMap};
use std::collections::VecDeque;

/// See the module.
#[derive(Debug, Default)]
pub struct Bfs {
    /// Entries (state, stamp); stale when the stamp is not the state's present one.
    queue: VecDeque<(StateId, u64)>,
    stamp_of: StateMap<u64>,
    next_stamp: u64,
    operations: u64,
}

impl Bfs {
    fn enqueue(&mut self, id: StateId) {
        self.operations += 1;
        self.next_stamp += 1;
        self.stamp_of.insert(id, self.next_stamp);
        self.queue.push_back((id, self.next_stamp));
        if self.queue.len() > 2 * self.stamp_of.len() + 16 {
            let stamps = &self.stamp_of;
            self.queue
                .retain(|(id, stamp)| stamps.get(*id) == Some(stamp));
        }
    }
}

impl Searcher for Bfs {
    fn add(&mut self, id: StateId, parent: Option<StateId>, _m: &Metrics) {
        if let Some(parent) = parent.filter(|p| self.stamp_of.contains(*p)) {
            self.enqueue(parent);
        }
        self.enqueue(id);
    }

    fn update(&mut self, _id: StateId, _m: &Metrics) {}

    fn remove(&mut self, id: StateId) {
        self.operations += 1;
        self.stamp_of.remove(id);
    }

    fn select(&mut self, _fresh: Fresh<'_>) -> Option<StateId> {
        while let Some((id, stamp)) = self.queue.front().copied() {
            self.operations += 1;
            if self.stamp_of.get(id) == Some(&stamp) {
                return Some(id);
            }
            self.queue.pop_front();
        }
        None
    }

    fn worst(&mut self, n: usize) -> Vec<StateId> {
        let live = self
            .queue
            .iter()
            .rev()
            .filter(|(id, s)| self.stamp_of.get(*id) == Some(s));
        live.map(|(id, _)| *id).take(n).collect()
    }

    fn len(&self) -> usize {
        self.stamp_of.len()
    }

    fn name(&self) -> String {
        "bfs".into()
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

    #[test]
    fn levels_come_in_order() {
        let m = Metrics::default();
        let mut s = Bfs::default();
        let mut fresh = |_: StateId| m;
        s.add(StateId(0), None, &m);
        let mut depth = [0u32; 15];
        let mut seen = Vec::new();
        for child in 1..15 {
            let id = s.select(&mut fresh).unwrap();
            seen.push(depth[id.0 as usize]);
            depth[id.0 as usize] += 1;
            depth[child as usize] = depth[id.0 as usize];
            s.add(StateId(child), Some(id), &m);
        }
        assert!(seen.is_sorted(), "{seen:?}");
    }
}
