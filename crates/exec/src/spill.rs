//! States that were let go for their memory: their prefixes wait until there is room.
//!
//! The latest one comes back first: what it shares with the paths just explored is likely to be in the caches.
//! Prefixes are small, but not nothing; beyond a part of the run's memory a state is ended for good instead.

use crate::follow::Prefix;
use crate::state::State;
use crate::turn::Parked;
use solver::Why;
use term::Term;

/// The part of the run's memory that prefixes may take.
const PART: u64 = 8;

/// What was let go.
pub(crate) struct Spilled {
    states: Vec<Prefix>,
    /// Sides that the solver could not decide, with why and at what effort.
    parked: Vec<(Prefix, Why, u64)>,
    bytes: u64,
    most: u64,
}

impl Spilled {
    /// For a run with so much memory, 0 = no limit.
    pub fn new(cap: u64) -> Spilled {
        Spilled {
            states: Vec::new(),
            parked: Vec::new(),
            bytes: 0,
            most: cap / PART,
        }
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    fn has_room(&mut self, prefix: &Prefix) -> bool {
        let fits = self.bytes + prefix.bytes() <= self.most;
        if fits {
            self.bytes += prefix.bytes();
        }
        fits
    }

    /// Keeps the prefix of a state, if there is room.
    pub fn push(&mut self, s: &State) -> bool {
        // What it covered is told of when it goes.
        let mut prefix = Prefix::of(s);
        prefix.progress.covered_new = false;
        let fits = self.has_room(&prefix);
        if fits {
            self.states.push(prefix);
        }
        fits
    }

    /// Keeps a parked side, if there is room; else it stays parked for good.
    pub fn park(&mut self, p: Parked) {
        let prefix = Prefix::of(&p.state);
        if self.has_room(&prefix) {
            self.parked.push((prefix, p.why, p.effort));
        }
    }

    /// The prefix of the state that was spilled last.
    pub fn pop(&mut self) -> Option<Prefix> {
        let prefix = self.states.pop()?;
        self.bytes -= prefix.bytes();
        Some(prefix)
    }

    /// The same of a parked side.
    pub fn pop_parked(&mut self) -> Option<(Prefix, Why, u64)> {
        let parked = self.parked.pop()?;
        self.bytes -= parked.0.bytes();
        Some(parked)
    }

    /// Puts back what was taken.
    pub fn put_back(&mut self, prefix: Prefix) {
        self.bytes += prefix.bytes();
        self.states.push(prefix);
    }

    /// Shows the collector the terms that prefixes hold.
    pub fn trace(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        let parked = self.parked.iter_mut().map(|(prefix, ..)| prefix);
        for prefix in self.states.iter_mut().chain(parked) {
            prefix.trace(visit);
        }
    }
}
