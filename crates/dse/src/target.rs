//! The interface between the loop and the program under test.

use crate::conditions::Conditions;
use crate::part::{Part, Ticket};
use search::Near;
use solver::{Budget, Model, Origin, Outcome, PathCondition, Reasoner, TraceSet, Trials};
use term::Term;

/// An input: values of all symbols, and which of the target's starts it is for.
#[derive(Clone, Debug)]
pub struct Input {
    /// Index below [`Target::starts`].
    pub start: usize,
    /// The value of each symbol; symbols that are missing are zero.
    pub values: Model,
}

/// A place where a run's way depended on its input.
pub struct Decision {
    /// The place of the program, in the target's own numbering: equal for equal places.
    pub site: u64,
    /// The condition that held.
    pub taken: Term,
    /// Its negation.
    pub other: Term,
    /// How many of the run's conditions held before.
    pub before: usize,
    /// The kind of decision of the program.
    pub origin: Origin,
    /// The number of the step in which it was made, on its path.
    pub step: u64,
    /// The uncovered place that is nearest to the other side, by its number in [`Executed::newly_covered`].
    pub near: Near,
    /// The result of the other side is known: it need not be asked for.
    pub is_known: bool,
    /// The other side can wait until the others bring nothing new: a richer input of which this is the plain form.
    pub can_wait: bool,
}

/// Why a run did not come to its own end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// It took all steps that it was given.
    Steps,
    /// There was no memory to continue, or the solver did not decide the next step: the target counts its path as
    /// lost.
    Lost,
    /// Memory is full, but not of what this run took: it counts nowhere and is to be run again when something has gone.
    Crowded,
    /// The exploration ends.
    End,
}

/// How far a run may go.
#[derive(Clone, Copy, Debug)]
pub struct Quota {
    /// Steps that it may take.
    pub steps: u64,
    /// It gets no more than these.
    pub is_last: bool,
    /// Something is open that can go when memory is full: the run may say [`Cut::Crowded`].
    pub may_come_back: bool,
}

/// The record of a run.
#[derive(Default)]
pub struct Executed {
    /// The decisions of the path, in order.
    pub decisions: Vec<Decision>,
    /// The conditions of the path, in order.
    pub conditions: Conditions,
    /// The input as it was run: the target may have moved it into what the program assumes.
    pub values: Model,
    /// The places covered for the first time.
    pub newly_covered: Vec<u32>,
    /// Steps that the run took, from its checkpoint on.
    pub steps: u64,
    /// Why the run did not come to its own end; its path is a beginning then.
    pub cut: Option<Cut>,
}

/// How a run left the way that other runs predicted for it. The target is deterministic, so one of the two is wrong, or something
/// outside of the program took part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divergence {
    /// After the same decisions it met another place than the runs before; `None`: it ended, or they did.
    Place {
        /// The place of their next decision.
        predicted: Option<u64>,
        /// The place of its own.
        met: Option<u64>,
    },
    /// At the same place it decided on another condition, though its input fulfils both.
    Condition {
        /// The place.
        site: u64,
        /// The condition of the runs before.
        predicted: Term,
        /// Its own.
        met: Term,
    },
    /// It did not take the open side at this place that it was made for.
    Side {
        /// The place.
        site: u64,
    },
    /// It ran before, and did not come there again.
    Again {
        /// How many decisions it made then.
        predicted: usize,
        /// How many of them it made now; as many if they were others.
        met: usize,
    },
}

/// The result of running an input again.
pub enum Retraced {
    /// Its record up to the requested step; less, if it contradicts itself.
    Here(Executed),
    /// The exploration ends.
    Stopped,
    /// There is no memory for it.
    NoMemory,
}

/// Shows terms to a collection. Path conditions share their storage, so all that are shown in one pass go
/// through one set.
pub type Holder<'a> = dyn FnMut(&mut TraceSet, &mut dyn FnMut(&mut Term)) + 'a;

/// A program that runs on inputs, with the terms and the solver for its conditions.
pub trait Target {
    /// Separate beginnings of the program (for instance one for each number of arguments).
    fn starts(&self) -> usize;
    /// An input to begin with.
    fn first_input(&self, start: usize) -> Model;
    /// Runs an input to its end, or as far as it may go.
    fn run(&mut self, input: &Input, quota: Quota) -> Executed;
    /// Repeats the run of an input, which ran here or elsewhere, up to the step in which it makes the last of so many
    /// decisions. The repetition is neither reported nor counted.
    fn retrace(&mut self, input: &Input, step: u64, decisions: usize) -> Retraced;
    /// The run of this input, the last one, did not go where it was predicted.
    fn diverged(&mut self, _input: &Input, _how: Divergence) {}
    /// Attributes all following runs and queries to this entry of the frontier.
    fn works_on(&mut self, _key: u64) {}
    /// The terms of this target, and the solver over them.
    fn reason(&self) -> &Reasoner;
    /// The same, to reason.
    fn reason_mut(&mut self) -> &mut Reasoner;
    /// Asks for an input that satisfies `before` and `cond`; `witness` satisfies `before`.
    fn solve(
        &mut self,
        before: &PathCondition,
        witness: &Model,
        cond: Term,
        budget: &Budget,
        trials: &mut dyn Trials,
    ) -> Outcome;
    /// Whether it is time to compact the terms; then [`Target::collect`] follows.
    fn wants_collection(&self) -> bool;
    /// Compacts the terms. `holder` shows every term that the caller holds.
    fn collect(&mut self, holder: &mut Holder<'_>);
    /// Why the exploration has to end now, if it has to. Asked between runs and queries.
    fn must_end(&mut self) -> Option<String>;
    /// Is there memory for more than the current exploration?
    fn has_plenty_of_memory(&self) -> bool {
        true
    }
    /// Whether memory runs short: the explorer then puts open branches aside.
    fn memory_is_short(&mut self) -> bool;
    /// Keeps a part, which belongs to this entry of the frontier, until [`Target::kept`] takes it back. Returns whether
    /// there is room; else it is lost.
    fn keep(&mut self, _part: &Part, _key: u64) -> bool {
        false
    }
    /// Takes back the part that was kept last.
    fn kept(&mut self) -> Option<(Part, Ticket)> {
        None
    }
    /// The number of open branches, for the status line.
    fn open_branches(&mut self, open: usize);
}
