//! Parts of the frontier, which explorers exchange.
//!
//! A part is a run with the open sides of its path, and its end if it was cut; or a list of inputs that have not run
//! yet. One explorer at a time explores it. The others at most know its place in their trees, and keep out of it.

use crate::target::Input;
use solver::{Model, Why};
use std::collections::VecDeque;
use term::Term;

/// The entry of the frontier that a part is, where a list of the frontier is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ticket {
    /// The number of the entry; of a part that is none yet: of the one that it came from.
    pub key: u64,
    /// It is that entry, and has not changed since.
    pub is_told: bool,
}

/// The side of a decision that no run took.
#[derive(Clone, Debug)]
pub struct OpenSide {
    /// The number of the decision on its path.
    pub at: usize,
    /// The alternatives that others took there, and their negations; that of the path itself is not among them.
    pub others: Vec<(Term, Term)>,
    /// The effort of its next query.
    pub effort: u64,
    /// Why the solver did not decide it, if it was asked.
    pub parked: Option<Why>,
}

/// The end of a run that was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cutoff {
    /// How many decisions came before.
    pub at: usize,
    /// Steps of the next attempt.
    pub steps: u64,
}

/// See the module.
#[derive(Clone, Debug)]
pub enum Part {
    /// The open branches on the path of an input that was run.
    Path {
        /// The input.
        input: Input,
        /// The sides that are open.
        sides: Vec<OpenSide>,
        /// Its end, if that is not known.
        cutoff: Option<Cutoff>,
        /// The number of the step in which the last of these decisions is made.
        step: u64,
    },
    /// Inputs that have not run.
    Inputs {
        /// The start that they are for.
        start: usize,
        /// The inputs.
        inputs: VecDeque<Model>,
        /// No input of the start has run before: all of its paths belong to this part.
        is_first: bool,
    },
}

impl Part {
    /// How many branches, cut runs or inputs that is.
    pub fn len(&self) -> usize {
        match self {
            Part::Path { sides, cutoff, .. } => sides.len() + usize::from(cutoff.is_some()),
            Part::Inputs { inputs, .. } => inputs.len(),
        }
    }

    /// Is it nothing?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Shows all terms to a collection.
    pub(crate) fn trace(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        let sides = match self {
            Part::Path { sides, .. } => &mut sides[..],
            Part::Inputs { .. } => &mut [],
        };
        for (taken, other) in sides.iter_mut().flat_map(|side| &mut side.others) {
            visit(taken);
            visit(other);
        }
    }

    /// Decisions of the path that are needed to know it.
    pub fn decisions(&self) -> usize {
        match self {
            Part::Path { sides, cutoff, .. } => {
                let sides = sides.iter().map(|s| s.at + 1).max().unwrap_or(0);
                sides.max(cutoff.map_or(0, |c| c.at))
            }
            Part::Inputs { .. } => 0,
        }
    }
}
