//! Pruned states that may come back. They are kept as prefixes, and a searcher selects those to resume.
//!
//! Together with the live states they are the whole frontier, so nothing is explored twice. When the prefixes take
//! more than their part of the run's memory, the quarter that the searcher finds least promising is spilled (`spill`),
//! and comes back when nothing else is left. They are given up if rounds begin anew, or if there is no room on disk.

use super::Engine;
use crate::engine::spill;
use crate::features::Features;
use crate::portable::{PortablePrefix, Pruned};
use crate::prefix::Prefix;
use search::{Metrics, Searcher, StateId};
use term::Term;

/// Bytes that prefixes may take, as a part of the run's memory.
const PART: u64 = 16;
/// The same for a run without a limit.
const UNLIMITED: u64 = 1 << 28;

/// Pruned states that wait.
pub(super) struct PrunedStates {
    /// Prefixes by the id of the state in the searcher.
    prefixes: Vec<Option<Prefix>>,
    free: Vec<u32>,
    searcher: Box<dyn Searcher>,
    bytes: u64,
    most: u64,
    /// States that were given up: they are never explored.
    pub given_up: u64,
}

impl PrunedStates {
    /// For a run with so much memory, in bytes; 0 = no limit. The searcher has no states yet.
    pub fn new(cap: u64, searcher: Box<dyn Searcher>) -> PrunedStates {
        PrunedStates {
            prefixes: Vec::new(),
            free: Vec::new(),
            searcher,
            bytes: 0,
            most: part_of(cap),
            given_up: 0,
        }
    }

    /// The run's memory has another size now.
    pub fn resize(&mut self, cap: u64) {
        self.most = part_of(cap);
    }

    /// From now on another searcher, which has no states yet, selects the states to resume.
    pub fn under(&mut self, searcher: Box<dyn Searcher>, features: &mut Features) {
        self.searcher = searcher;
        for (prefix, id) in self.prefixes.iter().zip(0..) {
            if let Some(prefix) = prefix {
                let m = features.of_prefix(prefix);
                self.searcher.add(StateId(id), None, &m);
            }
        }
    }

    /// Keeps a prefix; if there is no room, returns those that have to go.
    #[must_use]
    pub fn push(&mut self, prefix: Prefix, features: &mut Features) -> Vec<Prefix> {
        self.bytes += prefix.bytes();
        let m = features.of_prefix(&prefix);
        let id = match self.free.pop() {
            Some(id) => {
                self.prefixes[id as usize] = Some(prefix);
                id
            }
            None => {
                self.prefixes.push(Some(prefix));
                self.prefixes.len() as u32 - 1
            }
        };
        self.searcher.add(StateId(id), None, &m);
        if self.bytes <= self.most {
            return Vec::new();
        }
        let worst = self.searcher.worst(self.len().div_ceil(4)).into_iter();
        worst.filter_map(|id| self.remove(id)).collect()
    }

    /// Takes the one at this place out.
    pub fn take(&mut self, place: usize) -> Option<Prefix> {
        self.remove(StateId(place as u32))
    }

    fn remove(&mut self, id: StateId) -> Option<Prefix> {
        let prefix = self.prefixes[id.0 as usize].take()?;
        self.searcher.remove(id);
        self.free.push(id.0);
        self.bytes -= prefix.bytes();
        Some(prefix)
    }

    /// Takes the one out that the searcher names.
    pub fn pop(&mut self, features: &mut Features) -> Option<Prefix> {
        let prefixes = &self.prefixes;
        let mut fresh = |id: StateId| match &prefixes[id.0 as usize] {
            Some(prefix) => features.of_prefix(prefix),
            None => Metrics::default(),
        };
        let id = self.searcher.select(&mut fresh)?;
        self.remove(id)
    }

    /// All.
    pub fn iter(&self) -> impl Iterator<Item = &Prefix> {
        self.prefixes.iter().flatten()
    }

    /// The same with their places.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (usize, &mut Prefix)> {
        let all = self.prefixes.iter_mut().enumerate();
        all.filter_map(|(place, prefix)| Some((place, prefix.as_mut()?)))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.searcher.len()
    }

    /// Shows the collector the terms that prefixes hold.
    pub fn trace(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        for prefix in self.prefixes.iter_mut().flatten() {
            prefix.trace(visit);
        }
    }
}

/// Bytes that prefixes may take of so much memory.
fn part_of(cap: u64) -> u64 {
    if cap == 0 { UNLIMITED } else { cap / PART }
}

impl Engine {
    /// A pruned state, which is counted as one, waits from now on.
    pub(in crate::engine) fn put_aside(&mut self, prefix: Prefix) {
        let Some(pruning) = &mut self.pruning else {
            return;
        };
        let goes_on = pruning.goes_on();
        let mut given_up = 0;
        for prefix in pruning.waiting.push(prefix, &mut self.features) {
            let waiting = spill::Waiting::of(&self.worker.machine, &prefix, None);
            if goes_on && self.spilled.keep(waiting, &mut self.shared) {
                self.worker.counters.unprune(1);
                self.worker.counters.spilled += 1;
            } else {
                given_up += 1;
            }
        }
        pruning.waiting.given_up += given_up;
        self.show_waiting();
    }

    /// The same of a state that another worker has pruned.
    pub(in crate::engine) fn wait_for(&mut self, prefix: Prefix) {
        self.worker.counters.prune(1);
        self.put_aside(prefix);
    }

    /// Gives a pruned state away, as one that goes on elsewhere.
    pub(in crate::engine) fn give_waiting(&mut self, place: usize) -> Option<Vec<u8>> {
        let prefix = self.pruning.as_mut()?.waiting.take(place)?;
        self.worker.counters.unprune(1);
        self.show_waiting();
        let prefix = PortablePrefix::of(&self.worker.machine, &prefix, None);
        Some(prefix.pruned(Pruned::HasTest).to_bytes())
    }

    /// The live state of this identity has left a test where it stands.
    pub(in crate::engine) fn has_test(&mut self, identity: u64) {
        if let Some(pruning) = &mut self.pruning {
            pruning.have_test.insert(identity);
        }
    }

    /// Reports how many states wait.
    pub(super) fn show_waiting(&mut self) {
        if let Some(pruning) = &self.pruning {
            let status = self.worker.counters.pruning.get_or_insert_default();
            status.waiting = pruning.waiting.len() as u64;
            status.given_up = pruning.waiting.given_up;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bare::Bare;
    use crate::engine::Engine;
    use crate::worker::RunLimits;

    const PROGRAM: &str = "entry main main\n\nfunction main(32, 64, 64) -> (32)\n    Ret 0\n";

    fn engine() -> Engine {
        let mut machine = Bare::machine(PROGRAM);
        let first = machine.first_states(memory::Checks::default());
        let first = first.expect("the program has a beginning");
        Engine::new(machine, dfs(), first, RunLimits::default())
    }

    fn dfs() -> Box<dyn Searcher> {
        search::parse("dfs", &search::SearchOptions::default()).expect("it exists")
    }

    #[test]
    fn the_searcher_names_who_comes_back_and_who_is_given_up() {
        let mut engine = engine();
        let s = engine
            .states
            .take(StateId(0), &mut None)
            .expect("the first state");
        let prefix = |depth| {
            let mut prefix = Prefix::of(&s);
            prefix.progress.depth = depth;
            prefix
        };
        let features = &mut engine.features;
        let room_for_four = 4 * prefix(0).bytes();
        let mut waiting = PrunedStates::new(room_for_four * PART, dfs());
        let have_to_go = (0..4).map(|depth| waiting.push(prefix(depth), features).len());
        assert_eq!(have_to_go.sum::<usize>(), 0);
        // Depth first search finds the oldest ones least promising.
        let go = waiting.push(prefix(4), features);
        let go: Vec<u32> = go.iter().map(|p| p.progress.depth).collect();
        assert_eq!((waiting.len(), go), (3, vec![0, 1]));
        let depth = |p: Option<Prefix>| p.map(|p| p.progress.depth);
        assert_eq!(depth(waiting.pop(features)), Some(4));
        let bfs = search::parse("bfs", &search::SearchOptions::default()).expect("it exists");
        waiting.under(bfs, features);
        assert_eq!(depth(waiting.pop(features)), Some(2));
        assert_eq!(depth(waiting.pop(features)), Some(3));
        assert!(waiting.pop(features).is_none());
        assert_eq!(waiting.bytes, 0);
    }
}
