//! Assumptions that cannot hold.
//!
//! A path whose assumption fails ends silently, as it should: others get past it. `klee_assume(a && b)` is a branch on
//! `a` first, and the assumption is constantly false on one side of it. But an assumption that no path ever gets past
//! excludes the whole program: that is a mistake in the test driver, and is reported as an error when everything is
//! explored.

use crate::endings::Ending;
use crate::errors::{ErrorKind, Termination};
use crate::machine::Machine;
use crate::state::State;
use ir::Pc;
use std::collections::HashSet;

/// The assumptions that held, and for each that has not held so far the first path that ended at it.
#[derive(Default)]
pub(crate) struct Assumptions {
    held: HashSet<Pc>,
    // The engine keeps its states in boxes.
    #[allow(clippy::vec_box)]
    unmet: Vec<Box<State>>,
    /// Assumptions that other workers know of.
    told: HashSet<Pc>,
}

impl Assumptions {
    /// The paths that are kept, for the collector.
    pub fn holders(&mut self) -> impl Iterator<Item = &mut State> {
        self.unmet.iter_mut().map(|s| &mut **s)
    }
}

impl Machine {
    /// The path got past the assumption where it stands.
    pub fn assumption_held(&mut self, s: &State) {
        if self.observers.assumptions.held.insert(s.hot.pc) {
            self.observers
                .assumptions
                .unmet
                .retain(|other| other.hot.pc != s.hot.pc);
        }
    }

    /// The path cannot get past the assumption where it stands: it ends.
    pub fn assumption_failed(&mut self, s: &State) -> Termination {
        let Assumptions { held, unmet, .. } = &mut self.observers.assumptions;
        if self.options.silent_assume {
            return Termination::Cut(Ending::Silent);
        }
        if !held.contains(&s.hot.pc) && unmet.iter().all(|other| other.hot.pc != s.hot.pc) {
            unmet.push(Box::new(s.fork(&mut self.tlb)));
        }
        Termination::Cut(Ending::Silent)
    }

    /// The places of the assumptions that held so far.
    pub(crate) fn held_assumptions(&self) -> impl Iterator<Item = Pc> + '_ {
        self.observers.assumptions.held.iter().copied()
    }

    /// Assumptions that no path of this machine got past so far, each once. They are shown to `tell` with the error that
    /// they are if no path of any machine does.
    pub(crate) fn tell_unmet(&mut self, tell: &mut dyn FnMut(&mut Machine, &State, Termination)) {
        let unmet = std::mem::take(&mut self.observers.assumptions.unmet);
        for s in &unmet {
            if self.observers.assumptions.told.insert(s.hot.pc) {
                let error = self.unmet_assumption(s);
                tell(self, s, error);
            }
        }
        self.observers.assumptions.unmet = unmet;
    }

    fn unmet_assumption(&self, s: &State) -> Termination {
        let message = "the assumption cannot hold on any path that leads here".to_string();
        self.error(s, ErrorKind::User, message)
    }

    /// Assumptions that no path got past, each as an error of the first path that ended there.
    pub(crate) fn unmet_assumptions(&mut self) -> Vec<(Box<State>, Termination)> {
        let unmet = std::mem::take(&mut self.observers.assumptions.unmet);
        let told = unmet.into_iter().map(|s| {
            let error = self.unmet_assumption(&s);
            (s, error)
        });
        told.collect()
    }
}
