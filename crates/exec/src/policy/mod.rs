//! Policies: what happens to the side of a branch that the witness does not take.
//!
//! `branch` finds out which side the witness takes. A policy decides about the other side. Three of them have a file
//! with their own data: `fork` asks the solver and forks a state, `record` records the decision for a later query, and
//! `follow` repeats a path that was explored before. The fourth, [`Decider::Ahead`], leaves it alone. The first two are
//! chosen for a whole run ([`Policy`]); the others come in between.

mod follow;
pub(crate) mod fork;
mod record;
mod seeding;

pub(crate) use follow::Recorded;
pub(crate) use fork::Fork;
pub(crate) use record::Record;

use crate::machine::Machine;
use crate::seeds::Seeds;
use crate::state::State;
use crate::trail::{Choice, ChoiceKind};
use ir::{Module, Pc};
use solver::{Budget, Model, Origin, Outcome};
use term::Term;

/// What happens to the side of a branch that the witness does not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Fork a state for it, if it is feasible.
    Fork,
    /// Only note that it is open: concolic execution of one input.
    Record,
}

/// The policy in force, with its data.
pub(crate) enum Decider {
    Fork(Box<Fork>),
    Record(Box<Record>),
    /// A prefix is followed; the policy of the run comes back after that.
    Follow(Recorded),
    /// A copy of a live state runs to the end of the program on its witness, and what it leaves out is left to the state itself; the
    /// policy of the run comes back after that.
    Ahead,
}

impl Decider {
    /// For a run of this program.
    pub fn new(policy: Policy, module: &Module) -> Decider {
        match policy {
            Policy::Fork => Decider::Fork(Box::default()),
            Policy::Record => Decider::Record(Box::new(Record::new(module))),
        }
    }

    /// Do states fork?
    pub fn forks(&self) -> bool {
        matches!(self, Decider::Fork(_))
    }

    /// Is every decision noted? Runs with the same input so far have to decide the same then.
    pub fn records(&self) -> bool {
        matches!(self, Decider::Record(_))
    }

    /// Is a path repeated, or run ahead of the exploration? What else may happen on the way has happened before, or happens when the
    /// exploration comes there.
    pub fn follows(&self) -> bool {
        matches!(self, Decider::Follow(_) | Decider::Ahead)
    }

    /// Does a copy of a live state run ahead of the exploration?
    pub fn is_ahead(&self) -> bool {
        matches!(self, Decider::Ahead)
    }

    /// The record of a run under [`Policy::Record`].
    pub fn record(&mut self) -> Option<&mut Record> {
        match self {
            Decider::Record(record) => Some(record),
            Decider::Fork(_) | Decider::Follow(_) | Decider::Ahead => None,
        }
    }

    /// The data of the policy that forks.
    pub fn fork(&mut self) -> Option<&mut Fork> {
        match self {
            Decider::Fork(fork) => Some(fork),
            Decider::Record(_) | Decider::Follow(_) | Decider::Ahead => None,
        }
    }
}

impl Machine {
    /// The path asks to wait until the others bring nothing new. It does where paths fork; a recorded run and a path that is followed or
    /// run ahead go on.
    pub fn defer(&mut self, s: &mut State) {
        s.is_deferred = self.decider.fork().is_some();
    }
}

/// A condition that a path decides.
pub(crate) struct Sides {
    /// The value of the condition under the witness.
    pub side: bool,
    /// The condition of the side that the witness takes.
    pub here: Term,
    /// The condition of the other side.
    pub there: Term,
    /// The kind of decision in the program.
    pub origin: Origin,
    /// The kind of choice in the path's prefix.
    pub kind: ChoiceKind,
}

impl Machine {
    /// Takes the path to the witness's side, and treats the other side as the policy says. If that is another state,
    /// it is returned: at the same instruction, with its own condition already on its path.
    pub(crate) fn take_side(&mut self, s: &mut State, b: &Sides) -> Option<Box<State>> {
        let apart = if self.decider.forks() {
            self.part_seeds(s, b.here)
        } else {
            Vec::new()
        };
        match &mut self.decider {
            Decider::Fork(fork) => {
                let outcome = match apart.first() {
                    Some(seed) => Outcome::Sat(Model::clone(seed)),
                    None => {
                        let before = self.reason.work();
                        let budget = Budget {
                            effort: self.options.first_effort,
                            ..self.options.budget
                        };
                        let (reason, stats) = (&mut self.reason, &mut self.stats);
                        let outcome = fork.other_side(reason, stats, s, b.there, &budget);
                        s.progress.query_cost_s += self.seconds_since(before);
                        outcome
                    }
                };
                let mut child = self.fork_side(s, b, outcome);
                if let Some(child) = &mut child {
                    child.seeds = Seeds::of(&apart);
                }
                child
            }
            Decider::Record(record) => {
                record.note(&mut self.tlb, s, (b.here, b.there), b.origin);
                self.goes_on(s, b);
                None
            }
            Decider::Ahead => {
                self.goes_on(s, b);
                None
            }
            Decider::Follow(recorded) => {
                if recorded.assumes(s.progress.instructions, b.origin) {
                    self.assume(s, b.here, b.origin);
                }
                None
            }
        }
    }

    /// The path is on the witness's side from here on.
    fn goes_on(&mut self, s: &mut State, b: &Sides) {
        self.assume(s, b.here, b.origin);
        self.note(s, b.kind, b.side);
    }

    /// The path continues under `taken`, whose other side needs no query: a check whose error is known, or a value
    /// that was made concrete. Under [`Policy::Record`] it is a decision like any other, so that all runs with the
    /// same input so far decide the same.
    pub(crate) fn take_known(&mut self, s: &mut State, taken: Term, other: Term, origin: Origin) {
        if let Decider::Record(record) = &mut self.decider {
            record.note_known(&mut self.tlb, s, (taken, other), origin);
        }
        self.assume(s, taken, origin);
    }

    /// The side of the branch just decided that was not taken continues at `pc`.
    pub(crate) fn other_side_leads_to(&mut self, s: &State, pc: Pc) {
        if let Decider::Record(record) = &mut self.decider {
            record.other_side_leads_to(s, pc);
        }
    }

    /// Is a prefix followed or a state run ahead, rather than something explored?
    pub fn is_following(&self) -> bool {
        self.decider.follows()
    }

    /// The error with which the system call that the path executes has been chosen to fail: by the fork that it is, or on the
    /// path that is followed.
    pub fn chosen_failure(&self, s: &State) -> Option<i32> {
        let at = s.progress.instructions;
        match &self.decider {
            Decider::Follow(recorded) => recorded.failure_at(at),
            Decider::Fork(_) | Decider::Record(_) | Decider::Ahead => s.trail.failure_at(at),
        }
    }

    /// Chooses what no input decides, here that a system call fails: the path goes on without any of these errors, and a fork with
    /// each executes the instruction again. A path that is followed makes the choices that it made.
    pub fn fork_failures(&mut self, s: &State, errors: &[i32]) {
        if self.is_following() {
            return;
        }
        for &errno in errors {
            let mut child = Box::new(s.fork(&mut self.tlb));
            child.trail.push(Choice {
                pc: s.hot.pc,
                kind: ChoiceKind::FailingCall,
                choice: errno as u32,
                at: s.progress.instructions,
            });
            child.progress.depth += 1;
            self.stats.forks += 1;
            self.fork_again(child);
        }
    }
}
