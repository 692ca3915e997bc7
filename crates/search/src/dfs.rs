//! Depth first: of all live states, the first one in the order of the fork tree runs, where the state that goes on comes before
//! what it forks, and what it forks last before what it forked earlier.
//!
//! So the running state continues until it ends, then the youngest one runs. KLEE switches to the new state at each fork;
//! continuing instead explores the same tree in the mirrored order and spares the change of state.
//!
//! Beside other searchers, states are forked and ended by those that the others chose, too. That changes nothing of the
//! order: the others do some of the work ahead of time, and depth first goes on where it was.

use crate::{Fresh, Metrics, Needs, Searcher, StateId, state_map::StateMap};

/// The neighbours of a state in the order.
#[derive(Clone, Copy, Debug, Default)]
struct Neighbours {
    before: Option<StateId>,
    after: Option<StateId>,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Dfs {
    places: StateMap<Neighbours>,
    first: Option<StateId>,
    last: Option<StateId>,
    /// The one chosen last, while it lives.
    running: Option<StateId>,
    operations: u64,
}

impl Dfs {
    /// The link to the state that comes after this one; without a state, to the first one.
    fn after(&mut self, id: Option<StateId>) -> &mut Option<StateId> {
        match id.and_then(|id| self.places.get_mut(id)) {
            Some(place) => &mut place.after,
            None => &mut self.first,
        }
    }

    /// The link to the state that comes before this one; without a state, to the last one.
    fn before(&mut self, id: Option<StateId>) -> &mut Option<StateId> {
        match id.and_then(|id| self.places.get_mut(id)) {
            Some(place) => &mut place.before,
            None => &mut self.last,
        }
    }
}

impl Searcher for Dfs {
    fn add(&mut self, id: StateId, parent: Option<StateId>, _m: &Metrics) {
        self.operations += 1;
        if self.places.contains(id) {
            return;
        }
        // What nobody here forked is next after the one that is running.
        let parent = parent.filter(|&p| self.places.contains(p));
        let before = parent.or(self.running);
        let after = self.after(before).replace(id);
        *self.before(after) = Some(id);
        self.places.insert(id, Neighbours { before, after });
    }

    fn update(&mut self, _id: StateId, _m: &Metrics) {}

    fn remove(&mut self, id: StateId) {
        self.operations += 1;
        if let Some(Neighbours { before, after }) = self.places.remove(id) {
            *self.after(before) = after;
            *self.before(after) = before;
        }
        self.running = self.running.filter(|&running| running != id);
    }

    fn select(&mut self, _fresh: Fresh<'_>) -> Option<StateId> {
        self.operations += 1;
        self.running = self.first;
        self.first
    }

    /// The states that would run last.
    fn worst(&mut self, n: usize) -> Vec<StateId> {
        let before = |id: &StateId| self.places.get(*id).and_then(|place| place.before);
        std::iter::successors(self.last, before).take(n).collect()
    }

    fn len(&self) -> usize {
        self.places.len()
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
        s.add(StateId(4), None, &m); // from another worker
        assert_eq!(s.select(&mut fresh), Some(StateId(1)));
        s.remove(StateId(1));
        s.add(StateId(5), None, &m);
        for id in [5, 4] {
            assert_eq!(s.select(&mut fresh), Some(StateId(id)));
            s.remove(StateId(id));
        }
        assert_eq!(s.select(&mut fresh), None);
    }

    #[test]
    fn what_others_choose_does_not_change_the_order() {
        let m = Metrics::default();
        let mut s = Dfs::default();
        let mut fresh = |_: StateId| m;
        s.add(StateId(0), None, &m);
        s.add(StateId(1), Some(StateId(0)), &m);
        s.add(StateId(2), Some(StateId(0)), &m);
        // Another searcher has let this one run, and ended that one.
        s.add(StateId(3), Some(StateId(1)), &m);
        s.add(StateId(4), Some(StateId(2)), &m);
        s.remove(StateId(2));
        for id in [0, 4, 1, 3] {
            assert_eq!(s.select(&mut fresh), Some(StateId(id)));
            s.remove(StateId(id));
        }
        assert_eq!(s.select(&mut fresh), None);
    }
}
