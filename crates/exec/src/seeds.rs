//! Inputs with which a run begins (`--seed-input`).
//!
//! In concolic mode each is an input that runs. In forking mode a state carries the seeds that take its path, and its witness is one of
//! them. Where they part, the other side is that of a seed and needs no query, and the seeds of each side stay with its state. So
//! the seeds run first, as they are given, no path is explored twice because of them, and what they leave open is explored after
//! them. It is KLEE's seeding, but that the exploration goes on where a seed has left it.

use solver::Model;
use std::rc::Rc;

/// The seeds that take a state's path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seeds {
    /// The state's witness is one.
    has_witness: bool,
    /// The others.
    pub(crate) others: Vec<Rc<Model>>,
}

impl Seeds {
    /// Is the state to run before those that no seed leads to?
    pub fn lead(&self) -> bool {
        self.has_witness
    }

    /// How many have not come to the end of their path.
    pub fn running(&self) -> usize {
        self.others.len() + usize::from(self.has_witness)
    }

    /// One more, which is the witness if it is the first one. Returns whether it is.
    pub fn add(&mut self, seed: &Rc<Model>) -> bool {
        if std::mem::replace(&mut self.has_witness, true) {
            self.others.push(seed.clone());
            return false;
        }
        true
    }

    /// Those of a state that goes where these lead, the first of which is its witness.
    pub fn of(seeds: &[Rc<Model>]) -> Seeds {
        let mut led = Seeds::default();
        for seed in seeds {
            led.add(seed);
        }
        led
    }
}
