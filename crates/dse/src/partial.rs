//! Partial solutions that wait for their run, the most promising first.

use crate::target::Input;
use crate::tree::NodeId;
use search::BranchId;
use serde::{Deserialize, Serialize};
use solver::Technique;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How many of the assignments that the solver tries are considered. What goes beyond is counted ([`LeftOut`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartialLimits {
    /// Assignments of one query that are evaluated.
    pub tried: u32,
    /// Partial solutions of one query that are kept, the most promising ones.
    pub kept: u32,
    /// Partial solutions that wait for their run; the least promising ones are left out.
    pub waiting: u32,
    /// Each technique is asked at each query, whatever its assignments have cost and opened so far.
    pub is_always_asked: bool,
}

impl Default for PartialLimits {
    fn default() -> PartialLimits {
        PartialLimits {
            tried: 128,
            kept: 32,
            waiting: 4096,
            is_always_asked: false,
        }
    }
}

/// Which of the assignments that the solver tries are run.
#[derive(Clone, Debug, Default)]
pub struct PartialOptions {
    /// Those of these techniques.
    pub techniques: Rc<[Technique]>,
    /// How many of them.
    pub limits: PartialLimits,
}

impl From<&[Technique]> for PartialOptions {
    fn from(techniques: &[Technique]) -> PartialOptions {
        PartialOptions {
            techniques: techniques.into(),
            limits: PartialLimits::default(),
        }
    }
}

/// Assignments and partial solutions that were left out, by the limit that did it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Beyond [`PartialLimits::tried`].
    pub tried: u64,
    /// Beyond [`PartialLimits::kept`].
    pub kept: u64,
    /// Beyond [`PartialLimits::waiting`].
    pub waiting: u64,
    /// Given up because memory ran short.
    pub memory: u64,
}

impl LeftOut {
    /// All of them.
    #[must_use]
    pub fn sum(&self) -> u64 {
        self.tried + self.kept + self.waiting + self.memory
    }
}

/// An input that some technique tried, and the branch that it is to open.
pub(crate) struct PartialSolution {
    pub input: Input,
    pub node: NodeId,
    pub branch: BranchId,
    pub by: Technique,
}

/// Ordered by the branch that they open: near to uncovered code first, then the latest.
pub(crate) struct Queue {
    most: usize,
    waiting: BTreeMap<(u32, std::cmp::Reverse<u64>), PartialSolution>,
    serial: u64,
}

impl Queue {
    /// An empty queue for so many.
    pub fn new(most: u32) -> Queue {
        Queue {
            most: most as usize,
            waiting: BTreeMap::new(),
            serial: 0,
        }
    }

    /// Adds one; whether another one was left out for it.
    pub fn push(&mut self, distance: u32, waiting: PartialSolution) -> bool {
        self.serial += 1;
        self.waiting
            .insert((distance, std::cmp::Reverse(self.serial)), waiting);
        let full = self.waiting.len() > self.most;
        if full {
            self.waiting.pop_last();
        }
        full
    }

    pub fn pop(&mut self) -> Option<PartialSolution> {
        self.waiting.pop_first().map(|(_, waiting)| waiting)
    }
}
