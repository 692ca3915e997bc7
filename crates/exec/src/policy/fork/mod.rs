//! Forking: the other side of a branch costs at most one query. It is forked with the model as its witness, dropped if it is
//! infeasible, and put off if the solver does not know.

mod near;
mod overheard;

use super::Sides;
use crate::endings::Loss;
use crate::machine::Machine;
use crate::state::State;
use crate::trail::ChoiceKind;
use solver::{Origin, Outcome, Why};
use term::Term;

/// Knowledge that saves queries.
#[derive(Default)]
pub(crate) struct Fork {
    near: near::Near,
    overheard: overheard::Overheard,
}

impl Fork {
    /// Gives back the room of values, after a collection.
    pub fn shed(&mut self) {
        self.near.shed();
    }

    /// Is something put off that what the solver tries may be a model of?
    pub fn listens(&mut self, to: bool) {
        self.overheard.listening = to;
    }
}

impl Machine {
    /// See [`Machine::take_side`]; `outcome` is the solver's word on the other side.
    pub(super) fn fork_side(
        &mut self,
        s: &mut State,
        b: &Sides,
        outcome: Outcome,
    ) -> Option<Box<State>> {
        let child = match outcome {
            Outcome::Unsat(_) => return None,
            Outcome::Sat(_) if !self.may_fork(s) => None,
            Outcome::Sat(model) => {
                let mut child = Box::new(s.fork(&mut self.tlb));
                self.assume(&mut child, b.there, b.origin);
                child.witness = model;
                child.progress.depth += 1;
                self.note(&mut child, b.kind, !b.side);
                self.forked();
                self.count_fork(s);
                Some(child)
            }
            Outcome::Unknown(why) => {
                self.put_off(s, b.there, b.origin, Some((b.kind, !b.side)), why);
                None
            }
        };
        self.assume(s, b.here, b.origin);
        self.note(s, b.kind, b.side);
        s.progress.depth += 1;
        child
    }

    /// Puts a side off that the solver did not decide: it executes the instruction again, with the condition and the choice
    /// that it is, if it is one.
    pub(crate) fn put_off(
        &mut self,
        s: &State,
        condition: Term,
        origin: Origin,
        choice: Option<(ChoiceKind, bool)>,
        why: Why,
    ) {
        if why == Why::Float {
            return self.park_float(s);
        }
        let then_simulated = self.is_simulated_later(s, condition, why);
        let mut other = Box::new(s.fork(&mut self.tlb));
        self.assume(&mut other, condition, origin);
        if let Some((kind, side)) = choice {
            self.note(&mut other, kind, side);
        }
        self.park(other, why, then_simulated);
    }

    fn may_fork(&mut self, s: &State) -> bool {
        let o = &self.options;
        let allowed = (o.max_forks == 0 || self.forks() < o.max_forks)
            && (o.max_depth == 0 || s.progress.depth < o.max_depth);
        if !allowed {
            self.lose(Loss::Forks);
        }
        allowed
    }
}
