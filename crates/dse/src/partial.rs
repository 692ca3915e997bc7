//! Partial solutions that wait for their run, the most promising first.

use crate::target::Input;
use crate::tree::NodeId;
use search::BranchId;
use solver::Technique;
use std::collections::BTreeMap;

/// How many may wait; the least promising ones are left out.
const CAPACITY: usize = 4096;

/// An input that some technique tried, and the branch that it is to open.
pub(crate) struct PartialSolution {
    pub input: Input,
    pub node: NodeId,
    pub branch: BranchId,
    pub by: Technique,
}

/// Ordered by the branch that they open: near to uncovered code first, then the latest.
#[derive(Default)]
pub(crate) struct Queue {
    waiting: BTreeMap<(u32, std::cmp::Reverse<u64>), PartialSolution>,
    serial: u64,
}

impl Queue {
    /// Adds one; whether another one was left out for it.
    pub fn push(&mut self, distance: u32, waiting: PartialSolution) -> bool {
        self.serial += 1;
        self.waiting
            .insert((distance, std::cmp::Reverse(self.serial)), waiting);
        let full = self.waiting.len() > CAPACITY;
        if full {
            self.waiting.pop_last();
        }
        full
    }

    pub fn pop(&mut self) -> Option<PartialSolution> {
        self.waiting.pop_first().map(|(_, waiting)| waiting)
    }
}
