//! Forks of a turn, and sides of branches that are put off.

use crate::endings::Ending;
use crate::errors::Termination;
use crate::machine::Machine;
use crate::state::State;
use crate::turn::Parked;
use ir::Pc;
use solver::Why;

impl Machine {
    /// Another path ends during the turn of the running one.
    pub fn ends_beside(&mut self, other: Box<State>, end: Termination) {
        self.turn.ended.push((other, end));
    }

    /// A fork that goes on at `pc`: the running instruction is done.
    pub(crate) fn fork_to(&mut self, mut child: Box<State>, pc: Pc) {
        child.goes_to(pc);
        self.turn.forks.push(child);
    }

    /// A fork that executes the running instruction again, with an answer that its path now contains.
    pub(crate) fn fork_again(&mut self, mut child: Box<State>) {
        self.asks_again(&mut child);
        if child.retries > self.options.max_retries {
            let end = Termination::Cut(Ending::Retries);
            self.turn.ended.push((child, end));
        } else {
            self.turn.forks.push(child);
        }
    }

    /// The state has begun the instruction at its `pc` and will execute it anew.
    pub(crate) fn asks_again(&self, child: &mut State) {
        child.retries += 1;
        child.progress.instructions -= 1;
        child.pending += (child.path.len() - self.turn.path_before) as u32;
    }

    /// Sets a side aside that the solver could not decide; it executes its instruction again.
    pub(crate) fn park(&mut self, mut state: Box<State>, why: Why, then_simulated: bool) {
        self.asks_again(&mut state);
        self.turn.parked.push(Parked {
            state,
            why,
            effort: self.options.first_effort,
            then_simulated,
        });
    }
}
