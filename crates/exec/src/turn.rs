//! The events of one turn of a state, as values.

use crate::errors::{ProgramError, Termination};
use crate::state::State;
use crate::trail::Choice;
use ir::SiteId;
use memory::Fault;
use solver::Why;
use vocab::Check;

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

/// A line of the program, or where it has none an instruction: (file, line, instruction).
pub(crate) type LineKey = (u32, u32, u32);

/// A question about an exception of floats that the solver did not decide.
pub struct OpenCheck {
    /// The path, with the condition under which its operation raises the exception.
    pub state: Box<State>,
    /// The exception.
    pub error: ProgramError,
    /// The effort that was not enough, see [`solver::Budget::effort`].
    pub effort: u64,
    pub(crate) asked: (Check, LineKey),
}

/// How far the decisions of a turn are: two that are the same have no decision between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decided {
    hash: u64,
    at: Option<*const Choice>,
    told: usize,
}

/// The events while a state ran. [`Machine::run_guarded`] adds to it; the schedule takes it apart.
// States move between lists and are large.
#[allow(clippy::vec_box)]
#[derive(Default)]
pub struct Turn {
    /// States that were forked off.
    pub forks: Vec<Box<State>>,
    /// States that ended during the turn in addition to the running one (the failing side of a check).
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
    /// The path was cut because the run has to end or memory was refused, in an instruction that had decided nothing: it can go on
    /// from before that.
    pub cut_before: bool,
    /// What the running path had decided when the running instruction began; none between two instructions.
    pub(crate) decided_before: Option<Decided>,
    /// Conditions on the running path when the running instruction began.
    pub(crate) path_before: usize,
    /// The last fault that the program has a handler for, and the error that it is without.
    pub(crate) caught: Option<(Fault, ProgramError)>,
}

impl Turn {
    /// How many things have happened.
    pub(crate) fn told(&self) -> usize {
        let states = self.forks.len() + self.ended.len() + self.found.len();
        states + self.parked.len() + self.open_checks.len() + self.floats as usize
    }

    /// What a path has decided so far, and what else has happened.
    pub(crate) fn decided(&self, s: &State) -> Decided {
        Decided {
            hash: s.hot.hash,
            at: s.trail.latest_at(),
            told: self.told(),
        }
    }

    /// Did other states come into being?
    pub fn has_states(&self) -> bool {
        !self.forks.is_empty() || !self.ended.is_empty()
    }
}
