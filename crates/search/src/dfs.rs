//! Depth first: the running state continues until it ends, then the youngest one runs.
//!
//! KLEE switches to the new state at each fork; continuing instead explores the same tree in
//! the mirrored order and spares the change of state.
//!
//! Beside other searchers, states are forked by those that the others chose, too. They come last: to go on below one's own choices
//! is what reaches deep places.

use crate::{Fresh, Metrics, Needs, Searcher, StateId, state_map::StateMap};
use std::collections::VecDeque;

/// See the module.
#[derive(Debug, Default)]
pub struct Dfs {
    /// Entries (state, stamp) from last to first; an entry whose stamp is not the state's present
    /// one is stale and skipped.
    stack: VecDeque<(StateId, u64)>,
    stamp_of: StateMap<u64>,
    next_stamp: u64,
    running: Option<StateId>,
    operations: u64,
}

impl Searcher for Dfs {
    fn add(&mut self, id: StateId, parent: Option<StateId>, _m: &Metrics) {
        self.operations += 1;
        self.next_stamp += 1;
        self.stamp_of.insert(id, self.next_stamp);
        if parent.is_none() || parent == self.running {
            self.stack.push_back((id, self.next_stamp));
        } else {
            self.stack.push_front((id, self.next_stamp));
        }
        if self.stack.len() > 2 * self.stamp_of.len() + 16 {
            let stamps = &self.stamp_of;
            self.stack
                .retain(|(id, stamp)| stamps.get(*id) == Some(stamp));
        }
    }

    fn update(&mut self, _id: StateId, _m: &Metrics) {}

    fn remove(&mut self, id: StateId) {
        self.operations += 1;
        self.stamp_of.remove(id);
        if self.running == Some(id) {
            self.running = None;
        }
    }

    fn select(&mut self, _fresh: Fresh<'_>) -> Option<StateId> {
        self.operations += 1;
        if self.running.is_none() {
            while let Some((id, stamp)) = self.stack.back().copied() {
                if self.stamp_of.get(id) == Some(&stamp) {
                    self.running = Some(id);
                    break;
                }
                self.operations += 1;
                self.stack.pop_back();
            }
        }
        self.running
    }

    fn worst(&mut self, n: usize) -> Vec<StateId> {
        // The oldest run last, so they lose least; the running one comes at the end.
        let live = self
            .stack
            .iter()
            .filter(|(id, s)| self.stamp_of.get(*id) == Some(s));
        let mut ids: Vec<StateId> = live.map(|(id, _)| *id).collect();
        ids.sort_by_key(|id| Some(*id) == self.running);
        ids.truncate(n);
        ids
    }

    fn len(&self) -> usize {
        self.stamp_of.len()
    }

    fn name(&self) -> String {
        "dfs".into()
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
    fn finishes_the_running_state_then_the_youngest() {
        let m = Metrics::default();
        let mut s = Dfs::default();
        let mut fresh = |_: StateId| m;
        s.add(StateId(0), None, &m);
        assert_eq!(s.select(&mut fresh), Some(StateId(0)));
        s.add(StateId(1), Some(StateId(0)), &m);
        s.add(StateId(2), Some(StateId(0)), &m);
        assert_eq!(s.select(&mut fresh), Some(StateId(0)));
        assert_eq!(s.worst(3), [StateId(1), StateId(2), StateId(0)]);
        s.remove(StateId(0));
        assert_eq!(s.select(&mut fresh), Some(StateId(2)));
        s.add(StateId(0), Some(StateId(2)), &m); // a reused id
        s.remove(StateId(2));
        assert_eq!(s.select(&mut fresh), Some(StateId(0)));
        s.remove(StateId(0));
        assert_eq!(s.select(&mut fresh), Some(StateId(1)));
        s.remove(StateId(1));
        assert_eq!(s.select(&mut fresh), None);
    }

    #[test]
    fn what_others_fork_comes_last() {
        let m = Metrics::default();
        let mut s = Dfs::default();
        let mut fresh = |_: StateId| m;
        s.add(StateId(0), None, &m);
        assert_eq!(s.select(&mut fresh), Some(StateId(0)));
        s.add(StateId(1), Some(StateId(0)), &m);
        // Another searcher has let this one run.
        s.add(StateId(2), Some(StateId(1)), &m);
        s.remove(StateId(0));
        assert_eq!(s.select(&mut fresh), Some(StateId(1)));
        s.add(StateId(3), Some(StateId(1)), &m);
        s.remove(StateId(1));
        assert_eq!(s.select(&mut fresh), Some(StateId(3)));
        s.remove(StateId(3));
        assert_eq!(s.select(&mut fresh), Some(StateId(2)));
    }
}
