//! The end of a run with several workers.

use super::{Crew, TURN};
use anyhow::Result;
use fleet::{ToWorker, WorkerId};
use host::Cause;
use std::time::Duration;

/// How long workers may take to say their last word when everything is explored.
pub(super) const GOODBYE: Duration = Duration::from_secs(5);

impl Crew<'_> {
    /// Are all workers idle or ended?
    pub(super) fn all_rest(&self) -> bool {
        let at_work = self.members.iter().filter(|(_, m)| !m.has_ended);
        at_work
            .into_iter()
            .all(|(&id, m)| !m.has_joined || self.dispatch.is_idle(id))
    }

    /// The run has to end: workers write what may get a test, as long as there is time. Returns how many did not end by
    /// themselves.
    pub(super) fn stop(&mut self, cause: Cause) -> Result<usize> {
        let most = self.plan.limits.grace(cause) * 3 / 5;
        self.part(&ToWorker::Stop(cause as u8), most)
    }

    /// Everything is explored. Returns how many did not end by themselves.
    pub(super) fn dismiss(&mut self) -> Result<usize> {
        self.part(&ToWorker::Finish, GOODBYE)
    }

    pub(super) fn part(&mut self, word: &ToWorker, most: Duration) -> Result<usize> {
        let end = self.around.now() + most;
        self.is_ending = true;
        // Who has not begun has nothing to say.
        for member in self.members.values_mut() {
            if member.has_joined {
                member.say(word.clone());
            } else {
                member.kill();
            }
        }
        self.tell_scout(word);
        while !self.members.is_empty() && self.around.now() < end {
            if let Some(heard) = self.around.hear(TURN) {
                self.hear(heard)?;
            }
        }
        let stuck: Vec<WorkerId> = self.members.keys().copied().collect();
        for &id in &stuck {
            if let Some(member) = self.members.get_mut(&id) {
                member.kill();
            }
            self.gone(id)?;
        }
        self.part_with_scout()?;
        Ok(stuck.len())
    }
}
