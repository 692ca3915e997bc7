//! Following a prefix: the choices of a path that was explored before are made again, without any query.

use crate::trail::{Choice, Trail};
use solver::Origin;

/// The choices of a path that is followed, in their order.
pub(crate) struct Recorded {
    choices: Vec<Choice>,
    /// Another worker explored the path: checks whose errors were known there made no choice, and were assumed to hold.
    is_foreign: bool,
}

impl Recorded {
    /// The recorded choices of a path; another worker may have explored it.
    pub fn new(trail: &Trail, is_foreign: bool) -> Recorded {
        Recorded {
            choices: trail.choices(),
            is_foreign,
        }
    }

    fn at(&self, instruction: u64) -> &[Choice] {
        let first = self.choices.partition_point(|c| c.at < instruction);
        let end = self.choices.partition_point(|c| c.at <= instruction);
        &self.choices[first..end]
    }

    /// Did the recorded path assume a condition in this instruction?
    pub fn assumes(&self, instruction: u64, origin: Origin) -> bool {
        !self.at(instruction).is_empty() || (self.is_foreign && origin == Origin::Check)
    }

    /// The error with which the system call there failed by choice.
    pub fn failure_at(&self, instruction: u64) -> Option<i32> {
        self.at(instruction).iter().find_map(Choice::failure)
    }
}
