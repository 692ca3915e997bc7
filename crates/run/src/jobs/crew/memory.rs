//! Divides the run's memory among its workers: memory that one does not need goes to the others.

use super::super::LEAST_MEMORY;
use super::Crew;
use fleet::{ToWorker, WorkerId};
use std::time::Duration;

/// Between two divisions.
const EVERY: Duration = Duration::from_secs(1);
/// A worker is told of its part when it has changed by this part of it.
const CHANGE: u64 = 8;

impl Crew<'_> {
    /// The memory of all workers together: their part, less the memory that the coordinator takes beyond its own (for
    /// the program and the frontier) and that the scout takes beyond its reserve; at least half of their part.
    fn memory_of_workers(&self) -> u64 {
        let workers = u64::from(self.plan.jobs);
        let all = self.plan.welcome.memory * workers;
        let excess = self
            .around
            .memory()
            .saturating_sub(self.plan.memory.saturating_sub(all));
        let excess = excess + self.scout.beyond_kept(&*self.around);
        let left = all.saturating_sub(excess).max(all / 2);
        left.max(LEAST_MEMORY * workers)
    }

    /// The part of a worker that begins now.
    pub(super) fn part_of_new(&self) -> u64 {
        let each = self.plan.welcome.memory;
        let all = self.memory_of_workers();
        let here = self.members.values().filter(|m| m.node.is_none());
        let taken = here.map(|m| m.memory).sum();
        let free = all.saturating_sub(taken).max(LEAST_MEMORY);
        each.min(free)
    }

    /// Gives each worker the memory that it uses and an equal part of the unused memory.
    pub(super) fn divide_memory(&mut self) {
        let each = self.plan.welcome.memory;
        if self.rounds.is_some()
            || each == 0
            || self.around.now() < self.last_division + EVERY
            || self.is_ending
        {
            return;
        }
        self.last_division = self.around.now();
        let all = self.memory_of_workers();
        // Other machines have memory of their own.
        let here = self.members.iter().filter(|(_, m)| m.node.is_none());
        let (ids, used): (Vec<WorkerId>, Vec<u64>) = here
            .map(|(&id, m)| {
                let used = m.pid().and_then(|pid| self.around.memory_of(pid));
                (id, used.unwrap_or_default())
            })
            .unzip();
        // Who is not there yet begins with an equal part.
        let coming = u64::from(self.plan.jobs).saturating_sub(ids.len() as u64);
        let all = all.saturating_sub(coming * each);
        for (id, part) in ids.iter().zip(divided(all, &used)) {
            if let Some(member) = self.members.get_mut(id)
                && member.has_joined
                && part.abs_diff(member.memory) > member.memory / CHANGE
            {
                member.memory = part;
                member.say(ToWorker::Memory(part));
            }
        }
    }
}

/// Parts of all the memory for workers that use so much.
fn divided(all: u64, used: &[u64]) -> Vec<u64> {
    let workers = (used.len() as u64).max(1);
    let slack = all.saturating_sub(used.iter().sum());
    if slack == 0 {
        return vec![all / workers; used.len()];
    }
    used.iter().map(|u| u + slack / workers).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_does_not_need_goes_to_the_others() {
        assert_eq!(divided(100, &[10, 10]), [50, 50]);
        assert_eq!(divided(100, &[10, 50]), [30, 70]);
        assert_eq!(divided(100, &[80, 80]), [50, 50]);
        // One that grows as far as it may gets nearly everything.
        let mut part = 50;
        for _ in 0..10 {
            part = divided(100, &[5, part * 4 / 5])[1];
        }
        assert!(part > 75, "{part}");
    }
}
