//! What one turn of a state brings beside that state: the events of the machine, as values.

use crate::endings::Ending;
use crate::errors::{ProgramError, Termination};
use crate::float_checks::OpenCheck;
use crate::machine::Machine;
use crate::state::State;
use ir::{Pc, SiteId};
use solver::Why;

/// The other side of a branch, which the solver could not decide.
pub struct Parked {
    /// The state on that side.
    pub state: Box<State>,
    /// Why it was not decided.
    pub why: Why,
    /// The effort that was not enough, see [`solver::Budget::effort`].
    pub effort: u64,
    /// Is the path simulated from its first float on if the next attempt does not decide it either?
    pub then_simulated: bool,
}

/// What happened while a state ran. [`Machine::run_guarded`] adds to it; who schedules the states takes it apart.
// States move between lists and are large.
#[allow(clippy::vec_box)]
#[derive(Default)]
pub struct Turn {
    /// States that were forked off.
    pub forks: Vec<Box<State>>,
    /// States that ended beside the running one (the failing side of a check).
    pub ended: Vec<(Box<State>, Termination)>,
    /// Errors after which the paths went on: states in which each happens.
    pub found: Vec<(Box<State>, ProgramError)>,
    /// Sides that the solver could not decide.
    pub parked: Vec<Parked>,
    /// Exceptions of floats that it could not decide.
    pub open_checks: Vec<OpenCheck>,
    /// Sides given up because they depend on symbolic floats.
    pub floats: u64,
    /// Sites covered for the first time.
    pub sites: Vec<SiteId>,
    /// The path was cut because the run has to end, in an instruction that had decided nothing: it can go on from before that.
    pub cut_before: bool,
}

impl Turn {
    /// How many things have happened.
    pub(crate) fn told(&self) -> usize {
        let states = self.forks.len() + self.ended.len() + self.found.len();
        states + self.parked.len() + self.open_checks.len() + self.floats as usize
    }

    /// Did other states come into being?
    pub fn has_states(&self) -> bool {
        !self.forks.is_empty() || !self.ended.is_empty()
    }
}

impl Machine {
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
        child.pending += (child.path.len() - self.path_before) as u32;
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
