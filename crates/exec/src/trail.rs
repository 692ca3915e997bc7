//! The prefix of a path: every choice made on the way, as a persistent list shared by siblings.

use ir::Pc;
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// The kind of choice of a step of the prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum ChoiceKind {
    /// Outcome of a conditional branch: 1 = then.
    Branch,
    /// Index of the case of a switch.
    Switch,
    /// Which object a symbolic address means.
    Resolve,
    /// Which size a symbolic allocation gets.
    AllocationSize,
    /// A system call fails although it need not: the error.
    FailingCall,
    /// A condition decided inside an engine operation or system call.
    Inner,
    /// An operand fixed to a value.
    Value,
    /// Which of the first states it began as.
    Arguments,
    /// No choice: from here on the path was run ahead of the exploration, to the end of the program. Choices that its conditions
    /// forced are among those behind this one, since nobody asked.
    Ahead,
}

impl ChoiceKind {
    /// All kinds, by their numbers.
    pub const ALL: [ChoiceKind; 9] = [
        ChoiceKind::Branch,
        ChoiceKind::Switch,
        ChoiceKind::Resolve,
        ChoiceKind::AllocationSize,
        ChoiceKind::FailingCall,
        ChoiceKind::Inner,
        ChoiceKind::Value,
        ChoiceKind::Arguments,
        ChoiceKind::Ahead,
    ];
}

/// One choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Choice {
    /// Instruction that made it.
    pub pc: Pc,
    /// The kind of choice.
    pub kind: ChoiceKind,
    /// Which of the possibilities was taken.
    pub choice: u32,
    /// Number of the instruction on its path, the first one being 1: what aligns the prefix when it is followed. An
    /// instruction makes several choices when its operands are resolved one after the other.
    pub at: u64,
}

impl Choice {
    /// The error, if it is that a call fails.
    pub(crate) fn failure(&self) -> Option<i32> {
        (self.kind == ChoiceKind::FailingCall).then_some(self.choice as i32)
    }
}

#[derive(Debug)]
struct TrailLink {
    choice: Choice,
    parent: Trail,
}

/// A prefix; cloning shares it.
#[derive(Clone, Debug, Default)]
pub struct Trail(Option<Rc<TrailLink>>);

impl Trail {
    /// This prefix and one more choice.
    pub fn push(&mut self, choice: Choice) {
        let parent = std::mem::take(self);
        self.0 = Some(Rc::new(TrailLink { choice, parent }));
    }

    /// The prefix with these choices, oldest first.
    pub fn of(choices: impl IntoIterator<Item = Choice>) -> Trail {
        let mut trail = Trail::default();
        choices.into_iter().for_each(|choice| trail.push(choice));
        trail
    }

    /// The address of the latest choice, which is another one after each choice.
    pub(crate) fn latest_at(&self) -> Option<*const Choice> {
        self.latest().next().map(std::ptr::from_ref)
    }

    /// The choices, latest first.
    pub(crate) fn latest(&self) -> impl Iterator<Item = &Choice> {
        let nodes = std::iter::successors(self.0.as_ref(), |node| node.parent.0.as_ref());
        nodes.map(|node| &node.choice)
    }

    /// The choices, oldest first.
    pub fn choices(&self) -> Vec<Choice> {
        let mut out: Vec<Choice> = self.latest().copied().collect();
        out.reverse();
        out
    }

    /// A hash of the choices: two paths with the same one are the same path.
    pub(crate) fn identity(&self) -> u64 {
        let mut hasher = std::hash::DefaultHasher::new();
        self.latest().for_each(|choice| choice.hash(&mut hasher));
        hasher.finish()
    }

    /// The error with which the call in this instruction, which the path executes, is to fail.
    pub(crate) fn failure_at(&self, instruction: u64) -> Option<i32> {
        let mut here = self.latest().take_while(|c| c.at == instruction);
        here.find_map(Choice::failure)
    }
}

impl Drop for Trail {
    /// Without recursion: prefixes get long.
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(node) = next {
            match Rc::try_unwrap(node) {
                Ok(mut node) => next = node.parent.0.take(),
                Err(_) => break,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_trail_is_dropped_without_recursion() {
        let mut t = Trail::default();
        for i in 0..1_000_000 {
            t.push(Choice {
                pc: i,
                kind: ChoiceKind::Branch,
                choice: i & 1,
                at: u64::from(i),
            });
        }
        let u = t.clone();
        drop(t);
        assert_eq!(u.choices().len(), 1_000_000);
        assert_eq!(u.choices()[7].pc, 7);
    }
}
