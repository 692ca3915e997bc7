//! Queries, outcomes, budgets, and receivers of trials.

use crate::model::Model;
use crate::path::PathCondition;
use crate::slice::Slice;
use host::Stop;
use linear::Deadline;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Instant;
use term::Term;

/// Conjuncts of the path that, together with the condition asked, cannot be satisfied. The
/// condition itself is not listed.
pub type Core = Vec<Term>;

/// Is the path together with one more condition satisfiable?
#[derive(Clone, Copy)]
pub struct Query<'a> {
    /// The whole path.
    pub pc: &'a PathCondition,
    /// The condition asked.
    pub cond: Term,
    /// An assignment that satisfies the path (or, when [`Self::witness_holds`] is false, merely a
    /// starting point).
    pub witness: &'a Model,
    /// Does the witness satisfy the path?
    pub witness_holds: bool,
    /// The conjuncts that can matter for the condition, and the symbols they speak about.
    pub slice: &'a Slice,
}

impl Query<'_> {
    /// Hash of the path's conjuncts: states with a common prefix ask in the same region.
    pub fn prefix_id(&self) -> u64 {
        self.pc.prefix_id()
    }

    /// The conjuncts of the slice in the order of the path, and then the condition.
    pub(crate) fn in_order(&self) -> Vec<Term> {
        let mut conditions = self.slice.terms.clone();
        conditions.push(self.cond);
        conditions
    }

    /// The condition, and then the conjuncts of the slice.
    pub fn conditions(&self) -> Vec<Term> {
        let slice = self.slice.terms.iter().copied();
        std::iter::once(self.cond).chain(slice).collect()
    }

    /// "Unsatisfiable", of conditions among which the one asked need not be named.
    pub fn refuted(&self, mut core: Core) -> Outcome {
        core.retain(|&t| t != self.cond);
        Outcome::Unsat(core)
    }
}

/// The answer to a query.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Satisfiable, by this assignment.
    Sat(Model),
    /// Unsatisfiable, because of these conjuncts.
    Unsat(Core),
    /// Not decided.
    Unknown(Why),
}

/// Why a query was not decided.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Why {
    /// The time was up.
    Timeout,
    /// The deterministic budget was used up.
    Budget,
    /// Memory was used up.
    Memory,
    /// Floating point that no evaluation happened to satisfy.
    Float,
    /// An array construct without a circuit.
    Array,
    /// The circuit would be too large.
    TooLarge,
    /// A construct without a circuit. Its name is not serialized: a reader gets "a construct".
    Unsupported(#[serde(skip, default = "a_construct")] &'static str),
    /// A model failed its evaluation: a bug of the solver, counted.
    Internal,
    /// No layer that is switched on could decide it.
    Incomplete,
}

fn a_construct() -> &'static str {
    "a construct"
}

impl Why {
    /// A short name for statistics.
    pub fn name(self) -> &'static str {
        match self {
            Why::Timeout => "timeout",
            Why::Budget => "budget",
            Why::Memory => "memory",
            Why::Float => "float",
            Why::Array => "array",
            Why::TooLarge => "too-large",
            Why::Unsupported(_) => "unsupported",
            Why::Internal => "internal",
            Why::Incomplete => "incomplete",
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Timeout => f.write_str("the solver's time was up"),
            Why::Budget => f.write_str("the solver's deterministic budget was used up"),
            Why::Memory => f.write_str("the memory was used up"),
            Why::Float => f.write_str("floating point"),
            Why::Array => f.write_str("an array construct without a circuit"),
            Why::TooLarge => f.write_str("the circuit would be too large"),
            Why::Unsupported(what) => write!(f, "no circuit for {what}"),
            Why::Internal => f.write_str("a model failed its check (a bug of the solver)"),
            Why::Incomplete => f.write_str("no layer that is switched on decides it"),
        }
    }
}

/// Does a path imply a condition?
#[derive(Clone, Debug)]
pub enum Implication {
    /// It does.
    Yes,
    /// It does not: here the path holds and the condition does not.
    No(Model),
    /// Not decided.
    Unknown(Why),
}

/// The budget of one query: deterministic counts first, seconds as a safety net.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// SAT conflicts.
    pub conflicts: u64,
    /// SAT conflicts times gates of the circuit, and 32 for each gate built: like the time that it takes,
    /// but the same in every run.
    pub effort: u64,
    /// Evaluations of the condition by layers that guess.
    pub evaluations: u64,
    /// Seconds of the thread's processor time, so that a busy machine changes no answer; infinite for no
    /// such limit.
    pub seconds: f64,
    /// The latest moment by the wall clock.
    pub until: Option<Instant>,
    /// The flag that ends the whole run.
    pub stop: Stop,
}

impl Default for Budget {
    fn default() -> Self {
        Budget {
            conflicts: 2_000_000,
            effort: u64::MAX,
            evaluations: 256,
            seconds: 30.0,
            until: None,
            stop: Stop::never(),
        }
    }
}

/// Building a gate and its clauses takes about as long as this many gates take in a conflict.
pub(crate) const GATE_EFFORT: u64 = 32;

/// How the effort for a query grows from one attempt to the next, and up to where.
const EFFORT_FACTOR: u64 = 16;
const LAST_EFFORT: u64 = 1 << 36;

/// The effort of layers that would go on forever, for queries without any limit: some seconds.
const UNTIMED_EFFORT: u64 = 1 << 32;

/// Circuits of floats get this part of the effort: those that are decided take little, and the others anything.
const FLOAT_SHARE: u64 = 256;

/// Constants and bounds may leave this part of the gates that float operations are estimated at.
const GATES_LEFT: u64 = 16;

/// A question's surroundings: the path that it is about, and what may be spent on it.
pub struct Ask<'a> {
    /// The path.
    pub path: &'a PathCondition,
    /// A model of the path.
    pub witness: &'a Model,
    /// The budget of the answer.
    pub budget: &'a Budget,
    /// The receiver of the assignments that are tried, if there is one.
    pub trials: Option<&'a mut dyn Trials>,
    /// The slice of the path for the condition, if it is known already.
    pub slice: Option<&'a Slice>,
}

impl<'a> Ask<'a> {
    /// About a path with this witness, without a receiver of trials.
    pub fn new(path: &'a PathCondition, witness: &'a Model, budget: &'a Budget) -> Ask<'a> {
        Ask {
            path,
            witness,
            budget,
            trials: None,
            slice: None,
        }
    }

    /// The same, where this is [`Slice::of`] the path for the condition that is asked.
    pub fn with_slice(self, slice: Option<&'a Slice>) -> Ask<'a> {
        Ask { slice, ..self }
    }

    /// The same, with a receiver of trials.
    pub fn heard_by(self, trials: &'a mut dyn Trials) -> Ask<'a> {
        Ask {
            trials: Some(trials),
            ..self
        }
    }

    /// The same once more, for a part of the question.
    pub(crate) fn again<'b>(&'b mut self) -> Ask<'b> {
        Ask {
            path: self.path,
            witness: self.witness,
            budget: self.budget,
            trials: match &mut self.trials {
                Some(trials) => Some(&mut **trials),
                None => None,
            },
            slice: None,
        }
    }
}

impl Budget {
    /// The [`effort`](Self::effort) of the next attempt where this much was not enough. `None`: only time and conflicts
    /// are to limit it now.
    pub fn next_effort(effort: u64) -> Option<u64> {
        let next = effort.saturating_mul(EFFORT_FACTOR);
        (next <= LAST_EFFORT).then_some(next)
    }

    /// The [`effort`](Self::effort) of the only further attempt for conditions on floats that are simulated after it.
    pub fn float_effort(effort: u64) -> u64 {
        effort.saturating_mul(FLOAT_SHARE)
    }

    /// The part of it that circuits of floats get.
    pub(crate) fn for_floats(&self) -> Budget {
        let is_limited = self.effort != u64::MAX;
        Budget {
            effort: self.effort / if is_limited { FLOAT_SHARE } else { 1 },
            ..*self
        }
    }

    /// The effort of layers that would go on forever: an end, where no count limits a query, and a nearer one where
    /// nothing else does either.
    pub(crate) fn bounded_effort(&self) -> u64 {
        let is_timed = self.seconds.is_finite() || self.until.is_some();
        let most = if is_timed {
            LAST_EFFORT * EFFORT_FACTOR
        } else {
            UNTIMED_EFFORT
        };
        self.effort.min(most)
    }

    /// Is it worth building circuits that are estimated at so many gates?
    pub(crate) fn has_room(&self, gates: impl FnOnce() -> u64) -> bool {
        self.effort == u64::MAX || gates() / GATES_LEFT <= self.effort / GATE_EFFORT
    }

    /// The default counts with this many seconds.
    pub fn seconds(seconds: f64) -> Budget {
        Budget {
            seconds,
            ..Budget::default()
        }
    }

    /// The end of a query that starts now.
    pub fn deadline(&self) -> Option<Deadline> {
        Deadline::new(self.seconds, self.until, self.stop)
    }

    /// The rest of this budget, whose [`deadline`](Self::deadline) was computed at its beginning.
    pub fn rest(&self, deadline: Option<Deadline>) -> Budget {
        Budget {
            seconds: deadline.map_or(f64::INFINITY, |end| end.cpu_seconds_left()),
            ..*self
        }
    }
}

macro_rules! techniques {
    ($($(#[$doc:meta])* $variant:ident $name:literal;)*) => {
        /// Which technique made a trial.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Technique { $($(#[$doc])* $variant),* }

        impl Technique {
            /// Every technique.
            pub const ALL: &[Technique] = &[$(Technique::$variant),*];

            /// A short name, for people and logs.
            pub const fn name(self) -> &'static str {
                match self { $(Technique::$variant => $name),* }
            }
        }
    };
}

techniques! {
    /// An input next to one that ran, with other values in bytes that a branch depends on.
    Neighbour "neighbour";
    /// A value left in a byte's set.
    Domain "domain";
    /// A model of an earlier query.
    Reuse "reuse";
    /// An assignment of a few bits, all of which were looked at.
    Enumeration "enumeration";
    /// A step of local search.
    LocalSearch "local-search";
    /// The classes of the congruence closure at some point, with one value each.
    Congruence "congruence";
    /// The solution of a relaxation at a node of branch and bound, rounded to integers.
    Bound "bound";
    /// The SAT solver's model.
    Sat "sat";
    /// A trail of the SAT solver that led to a conflict, completed by saved phases.
    Trail "trail";
    /// A model of the abstraction of arrays.
    Cegar "cegar";
    /// A model of the abstraction of products and divisions.
    Abstraction "abstraction";
    /// A model of the preprocessed query, with the eliminated symbols assigned differently.
    Preprocess "preprocess";
    /// An assignment of the simplex before a pivot, rounded to integers.
    Simplex "simplex";
    /// The end of a descent on the distance to satisfying float conditions.
    FloatSearch "float-search";
    /// The floats nearest to a solution over the real numbers.
    RealBox "real-box";
    /// A model of float conditions at a smaller precision, or what a descent from it tries.
    SmallFloat "small-float";
    /// An input of fuzzing float conditions, one for each condition that is violated first.
    Fuzz "fuzz";
}

impl Technique {
    /// The technique of a [`name`](Technique::name).
    pub fn by_name(name: &str) -> Option<Technique> {
        Technique::ALL.iter().copied().find(|t| t.name() == name)
    }
}

/// Receives every assignment that the solver tries on its way.
pub trait Trials {
    /// A complete assignment that was tried.
    fn tried(&mut self, a: &Model, by: Technique);

    /// Is anybody listening? When not, no assignment is completed for nothing.
    fn wanted(&self) -> bool {
        true
    }
}

/// A receiver that ignores all trials.
pub struct NoTrials;

impl Trials for NoTrials {
    fn tried(&mut self, _: &Model, _: Technique) {}

    fn wanted(&self) -> bool {
        false
    }
}
