//! Paths of the machine that are split by the states of tables ([`solver::by_states`]).

use crate::machine::Machine;
use crate::state::State;
use crate::trail::ChoiceKind;
use solver::{Origin, PathCondition, Solver, Splits};
use term::{Pool, Term};

/// A state at work.
struct Here<'a> {
    machine: &'a mut Machine,
    state: &'a mut State,
}

impl Splits for Here<'_> {
    fn parts(&mut self) -> (&mut Pool, &mut Solver, &PathCondition) {
        let reason = &mut self.machine.reason;
        (&mut reason.pool, &mut reason.solver, &self.state.path)
    }

    fn eval(&mut self, t: Term) -> u64 {
        self.machine.eval(self.state, t)
    }

    fn split(&mut self, condition: Term) {
        let machine = &mut *self.machine;
        let (_, child) = machine.split(self.state, condition, Origin::Branch, ChoiceKind::Value);
        if let Some(child) = child {
            machine.fork_again(child);
        }
    }
}

impl Machine {
    /// The address of a load, after the path was split by the classes of what it reads from tables.
    pub(crate) fn by_classes(&mut self, s: &mut State, address: Term) -> Term {
        let mut here = Here {
            machine: self,
            state: s,
        };
        solver::by_states(&mut here, address)
    }

    /// A condition in which each read of a table that has one value on the path is that value.
    pub(crate) fn with_settled(&mut self, s: &State, condition: Term) -> Term {
        let reason = &mut self.reason;
        solver::with_settled(&mut reason.pool, &mut reason.solver, &s.path, condition)
    }
}
