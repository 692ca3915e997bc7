//! What a run in rounds (`--deterministic`) has beside: what was known when the round began, and whether the run repeats.

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
    /// Something else than program, options and seed decided something.
    pub fn sway(&mut self, by: Swayed) {
        self.swayed.insert(by);
    }
}

impl Crew<'_> {
    /// The task with what was covered when its round began.
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

    /// Says whether another run would find the same.
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
