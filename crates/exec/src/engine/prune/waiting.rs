//! What was pruned and may come back: prefixes, of which a searcher names those to be taken up.
//!
//! Together with the live states they are all that is unexplored, so that nothing is explored twice. Prefixes are small,
//! but not nothing: when they take more than their part of the run's memory, the quarter that the searcher finds least
//! promising is given up.

use crate::features::Features;
use crate::follow::Prefix;
use search::{Metrics, Searcher, StateId};
use term::Term;

/// Bytes that prefixes may take, as a part of the run's memory.
const PART: u64 = 16;
/// The same for a run without a limit.
const UNLIMITED: u64 = 1 << 28;

/// Pruned states that wait.
pub(super) struct Waiting {
    /// By id in the searcher.
    prefixes: Vec<Option<Prefix>>,
    free: Vec<u32>,
    searcher: Box<dyn Searcher>,
    bytes: u64,
    most: u64,
    /// States that were given up: they are never explored.
    pub given_up: u64,
}

impl Waiting {
    /// For a run with so much memory, in bytes; 0 = no limit. The searcher has no states yet.
    pub fn new(cap: u64, searcher: Box<dyn Searcher>) -> Waiting {
        Waiting {
            prefixes: Vec::new(),
            free: Vec::new(),
            searcher,
            bytes: 0,
            most: match cap {
                0 => UNLIMITED,
                cap => cap / PART,
            },
            given_up: 0,
        }
    }

    /// Another searcher, without states yet, names from now on what is taken up.
    pub fn under(&mut self, searcher: Box<dyn Searcher>, features: &mut Features) {
        self.searcher = searcher;
        for (prefix, id) in self.prefixes.iter().zip(0..) {
            if let Some(prefix) = prefix {
                let m = features.of_prefix(prefix);
                self.searcher.add(StateId(id), None, &m);
            }
        }
    }

    /// Keeps a prefix; if there is no room, some are given up.
    pub fn push(&mut self, prefix: Prefix, features: &mut Features) {
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
        if self.bytes > self.most {
            for id in self.searcher.worst(self.len().div_ceil(4)) {
                self.given_up += u64::from(self.remove(id).is_some());
            }
        }
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
