//! Keeps states that ask to be deferred until the others bring nothing new.
//!
//! A program says of a path that it can wait (`polypath_defer`): the driver of a function defers longer arrays, say, until shorter ones
//! are explored. A deferred state is not shown to the inner searcher before one of two things: no other state is left, or
//! the others have covered nothing for as long as they took until they last did (and for [`LEAST`] at least). Then the one that has waited
//! longest joins them, and they have their time again. Time is counted as work, so that runs repeat.
//!
//! States that a seed leads are hastened: they run before all others, and the inner searcher never sees them.

use crate::state_map::StateMap;
use crate::{Fresh, Metrics, Needs, Searcher, StateId};
use std::collections::{BTreeMap, VecDeque};

/// The work without news after which a deferred state may run: about half a second.
const LEAST: u64 = 350_000_000;

/// See the module.
pub struct Deferring {
    inner: Box<dyn Searcher>,
    /// Those that wait, by their turns, and the turn of each.
    waiting: BTreeMap<u64, StateId>,
    turn_of: StateMap<u64>,
    next_turn: u64,
    /// Those that run first, in order.
    hastened: VecDeque<StateId>,
    is_hastened: StateMap<()>,
    /// The state that was selected last is one of them.
    hurries: bool,
    /// All work so far.
    now: u64,
    /// When the first of those that run now began, and when something new was covered last.
    began: u64,
    news: u64,
}

impl Deferring {
    /// All but deferred states are the `inner` searcher's.
    pub fn new(inner: Box<dyn Searcher>) -> Deferring {
        Deferring {
            inner,
            waiting: BTreeMap::new(),
            turn_of: StateMap::default(),
            next_turn: 0,
            hastened: VecDeque::new(),
            is_hastened: StateMap::default(),
            hurries: false,
            now: 0,
            began: 0,
            news: 0,
        }
    }

    /// Have the others had their time?
    fn is_over(&self) -> bool {
        self.inner.is_empty() || self.now - self.news > LEAST.max(self.news - self.began)
    }
}

impl Searcher for Deferring {
    fn add(&mut self, id: StateId, parent: Option<StateId>, m: &Metrics) {
        self.inner.add(id, parent, m);
    }

    fn update(&mut self, id: StateId, m: &Metrics) {
        if self.is_hastened.get(id).is_none() {
            self.inner.update(id, m);
        }
    }

    fn hasten(&mut self, id: StateId) {
        self.inner.remove(id);
        self.hastened.push_back(id);
        self.is_hastened.insert(id, ());
    }

    fn defer(&mut self, id: StateId) {
        self.inner.remove(id);
        self.waiting.insert(self.next_turn, id);
        self.turn_of.insert(id, self.next_turn);
        self.next_turn += 1;
    }

    fn spent(&mut self, work: u64) {
        self.now = self.now.saturating_add(work);
        if !self.hurries {
            self.inner.spent(work);
        }
    }

    fn covered(&mut self, places: usize) {
        self.news = self.now;
        if !self.hurries {
            self.inner.covered(places);
        }
    }

    fn erred(&mut self) {
        if !self.hurries {
            self.inner.erred();
        }
    }

    fn remove(&mut self, id: StateId) {
        if self.is_hastened.remove(id).is_some() {
            self.hastened.retain(|other| *other != id);
            return;
        }
        match self.turn_of.remove(id) {
            Some(turn) => drop(self.waiting.remove(&turn)),
            None => self.inner.remove(id),
        }
    }

    fn select(&mut self, fresh: Fresh<'_>) -> Option<StateId> {
        let first = self.hastened.front().copied();
        self.hurries = first.is_some();
        if first.is_some() {
            return first;
        }
        if !self.waiting.is_empty()
            && self.is_over()
            && let Some((_, id)) = self.waiting.pop_first()
        {
            self.turn_of.remove(id);
            self.inner.add(id, None, &fresh(id));
            (self.began, self.news) = (self.now, self.now);
            return Some(id);
        }
        self.inner.select(fresh)
    }

    /// Hastened states are few, and the last to go; so are deferred ones, unless they are more than all others.
    fn worst(&mut self, n: usize) -> Vec<StateId> {
        // Sizes of input that wait can be many, longer arrays of a driver are not.
        let are_many = self.waiting.len() > self.inner.len();
        let mut all = Vec::new();
        if are_many {
            all.extend(self.waiting.values().rev().take(n));
        }
        all.extend(self.inner.worst(n - all.len()));
        let missing = n.saturating_sub(all.len());
        if !are_many {
            all.extend(self.waiting.values().rev().take(missing));
        }
        let missing = n.saturating_sub(all.len());
        all.extend(self.hastened.iter().rev().take(missing));
        all
    }

    fn len(&self) -> usize {
        self.inner.len() + self.waiting.len() + self.hastened.len()
    }

    fn name(&self) -> String {
        self.inner.name()
    }

    fn needs(&self) -> Needs {
        self.inner.needs()
    }

    fn operations(&self) -> u64 {
        self.inner.operations()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bfs::Bfs;

    fn deferring(states: u32) -> Deferring {
        let mut s = Deferring::new(Box::new(Bfs::default()));
        for id in 0..states {
            s.add(StateId(id), None, &Metrics::default());
        }
        s
    }

    fn selected(s: &mut Deferring) -> Option<u32> {
        s.select(&mut |_| Metrics::default()).map(|id| id.0)
    }

    #[test]
    fn a_deferred_state_runs_when_no_other_one_is_left() {
        let mut s = deferring(3);
        s.defer(StateId(0));
        s.defer(StateId(1));
        assert_eq!((s.len(), selected(&mut s)), (3, Some(2)));
        s.remove(StateId(2));
        // One at a time, the one that has waited longest first.
        assert_eq!(selected(&mut s), Some(0));
        assert_eq!(selected(&mut s), Some(0));
        s.remove(StateId(0));
        assert_eq!(selected(&mut s), Some(1));
        s.remove(StateId(1));
        assert!(selected(&mut s).is_none() && s.is_empty());
    }

    #[test]
    fn a_deferred_state_runs_when_the_others_bring_nothing_new() {
        let mut s = deferring(2);
        s.defer(StateId(0));
        s.spent(LEAST);
        s.covered(1);
        s.spent(LEAST);
        assert_eq!(selected(&mut s), Some(1));
        // As long as it took until the last news.
        s.spent(1);
        assert_eq!(selected(&mut s), Some(0));
        assert_eq!(s.worst(2).len(), 2);
    }

    #[test]
    fn a_state_that_waits_may_go() {
        let mut s = deferring(2);
        s.defer(StateId(0));
        assert_eq!(s.worst(2), [StateId(1), StateId(0)]);
        s.remove(StateId(0));
        s.remove(StateId(1));
        assert!(s.is_empty() && selected(&mut s).is_none());
    }
}
