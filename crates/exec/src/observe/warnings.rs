//! Messages to the user other than the ends of paths: warnings, losses, and limits of the claim.

use crate::endings::{Bound, Loss};
use crate::machine::Machine;
use explore::Counters;
use std::collections::HashSet;

/// Distinct warnings that are kept: a program may make them of its input.
const MAX_WARNINGS: usize = 1000;
/// Names of a limit that are kept: those that the program makes up one after the other are not kept all.
const MAX_NAMES: usize = 1000;

/// The warnings that were given.
#[derive(Default)]
pub(crate) struct Warnings(HashSet<String>);

impl Machine {
    /// Counts something that is left out.
    pub fn lose(&mut self, what: Loss) {
        self.stats.losses.add(what, 1);
    }

    /// How often something was left out, with what the schedule counts of it.
    pub(crate) fn lost(&self, loss: Loss, n: &Counters) -> u64 {
        match loss {
            Loss::Parked => n.parked,
            Loss::Refused => self.stats.refused.values().sum(),
            Loss::Models => self.reason.solver.stats().models_rejected,
            Loss::Unsaved => n.unsaved,
            Loss::FloatChecks => self.observers.float_checks.undecided(),
            _ => self.stats.losses.of(loss),
        }
    }

    /// Counts a limit of the claim that a path met, by name.
    pub fn meets(&mut self, bound: Bound, what: String) {
        let names = self.stats.bounds.entry(bound).or_default();
        if names.len() < MAX_NAMES || names.contains_key(&what) {
            *names.entry(what).or_default() += 1;
        }
    }

    /// A message for the user, once.
    pub fn warn_once(&mut self, message: String) {
        let Warnings(given) = &mut self.observers.warnings;
        if given.len() < MAX_WARNINGS && given.insert(message.clone()) {
            self.stats.warnings.push(message);
            if given.len() == MAX_WARNINGS {
                let last = "further warnings are left out";
                self.stats.warnings.push(last.into());
            }
        }
    }
}
