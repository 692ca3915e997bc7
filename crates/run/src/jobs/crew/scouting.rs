//! The coordinator's dealings with the scout.

use super::scout::GOODBYE;
use super::{Crew, TURN};
use crate::jobs::member::Event;
use crate::jobs::{Scouting, scout};
use fleet::ToWorker;
use std::time::Duration;

/// Time that workers have run before it begins, if it has not yet: a short run needs none.
const LATER: Duration = Duration::from_secs(1);

impl Crew<'_> {
    /// Starts the scout when it is time, once.
    pub(super) fn send_scout(&mut self) -> anyhow::Result<()> {
        let is_early =
            self.around.now() < self.begun + LATER || scout::is_near_end(&self.plan.board);
        if is_early || !self.scout.is_wanted() {
            return Ok(());
        }
        let elapsed = self.recorder.progress.elapsed();
        self.scout
            .start(&self.plan, &mut *self.around, elapsed, Scouting::Later)
    }

    /// Hears an event of the scout's.
    pub(super) fn hear_scout(&mut self, event: Event) {
        let told = self.scout.hear(event, self.is_ending, self.recorder);
        if let Err(why) = self.recorder.take_in(&told.places) {
            self.recorder.progress.say(&format!("the scout: {why}"));
        }
        self.held.extend(told.held);
        self.rejected.extend(told.rejected);
        for finding in told.findings {
            self.await_writing(finding);
        }
    }

    /// The run ends, and the scout is told like all workers. When everything is explored, its further findings are not
    /// needed.
    pub(super) fn tell_scout(&mut self, word: &ToWorker) {
        if matches!(word, ToWorker::Finish) {
            self.scout.end(true);
        } else {
            self.scout.say(word.clone());
        }
    }

    /// The workers have ended: the scout reports its findings, if it does so soon.
    pub(super) fn part_with_scout(&mut self) -> anyhow::Result<()> {
        let end = self.around.now() + GOODBYE;
        while self.scout.is_there() && self.around.now() < end {
            if let Some(heard) = self.around.hear(TURN) {
                self.hear(heard)?;
            }
        }
        self.scout.end(true);
        Ok(())
    }

    /// Everything was explored: what the scout covered is covered by the workers, or it would not be so.
    pub(super) fn forget_scouted(&mut self) {
        self.scout.covered.clear();
        let covered = self.covered.iter().copied().collect();
        let known = self.recorder.covers_only(covered);
        known.expect("the workers' places are known");
    }
}
