//! Extra state of a `--deterministic` run: the coverage at the start of the round, and whether the result is still
//! reproducible.

use super::super::Swayed;
use super::super::task::Known;
use super::Crew;
use fleet::{Prefix, Task};
use std::collections::BTreeSet;

/// See the module.
#[derive(Default)]
pub(super) struct InRounds {
    round: u64,
    /// The sites that were covered when it began.
    known: Prefix,
    swayed: BTreeSet<Swayed>,
}

impl InRounds {
    /// Records that a limit of time, memory or disk influenced the result.
    pub fn sway(&mut self, by: Swayed) {
        self.swayed.insert(by);
    }
}

impl Crew<'_> {
    /// The task with the coverage at the start of its round.
    pub(super) fn with_known(&mut self, round: u64, mut task: Task) -> Task {
        if let Some(rounds) = &mut self.rounds {
            if rounds.round != round {
                rounds.round = round;
                rounds.known = Known::bytes(&self.covered).into();
            }
            task.known.clone_from(&rounds.known);
        }
        task
    }

    /// Reports whether another run would find the same.
    pub(super) fn tell_repeatable(&mut self) {
        let Some(rounds) = &self.rounds else { return };
        self.recorder.beside.repeatable = Some(rounds.swayed.is_empty());
        for by in &rounds.swayed {
            let what = match by {
                Swayed::Clock => "a limit of time",
                Swayed::Memory => "a limit of memory",
                Swayed::Disk => "a fault of the disk",
            };
            self.recorder.progress.say(&format!(
                "{what} has decided something: the files of another run may differ"
            ));
        }
    }
}
