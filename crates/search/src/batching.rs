//! Keeps a selected state running for a batch of instructions before its inner searcher is asked
//! again: fewer changes of state, and a path gets somewhere before another one has its turn.
//!
//! A batch is counted in instructions, not in seconds, so that runs repeat. Where the questions to the solver are costly it ends
//! sooner: states of a program that prints floats, say, take milliseconds for each instruction.

use crate::{Fresh, Metrics, Needs, Searcher, StateId};

/// Most work of a batch for each of its instructions: a hundred times what one takes as a rule.
const WORK_AN_INSTRUCTION: u64 = 2_000;

/// See the module.
pub struct Batching {
    inner: Box<dyn Searcher>,
    batch: u64,
    /// Work since the batch began.
    work: u64,
    /// The running state and the instruction count at which its batch began.
    running: Option<(StateId, u64)>,
    /// Instructions of the running state at its last update.
    now: u64,
}

impl Batching {
    /// Batches of `instructions`; the count comes from [`Searcher::update`] of the running state.
    pub fn new(inner: Box<dyn Searcher>, instructions: u64) -> Batching {
        Batching {
            inner,
            batch: instructions,
            work: 0,
            running: None,
            now: 0,
        }
    }
}

impl Searcher for Batching {
    fn add(&mut self, id: StateId, parent: Option<StateId>, m: &Metrics) {
        self.inner.add(id, parent, m);
    }

    fn update(&mut self, id: StateId, m: &Metrics) {
        if matches!(self.running, Some((running, _)) if running == id) {
            self.now = m.instructions;
        }
        self.inner.update(id, m);
    }

    fn spent(&mut self, work: u64) {
        self.work = self.work.saturating_add(work);
        self.inner.spent(work);
    }

    fn covered(&mut self, places: usize) {
        self.inner.covered(places);
    }

    fn erred(&mut self) {
        self.inner.erred();
    }

    fn remove(&mut self, id: StateId) {
        self.running = self.running.filter(|(running, _)| *running != id);
        self.inner.remove(id);
    }

    fn select(&mut self, fresh: Fresh<'_>) -> Option<StateId> {
        if let Some((id, begin)) = self.running
            && self.now.saturating_sub(begin) < self.batch
            && self.work / WORK_AN_INSTRUCTION < self.batch
        {
            return Some(id);
        }
        let id = self.inner.select(fresh)?;
        self.work = 0;
        self.now = fresh(id).instructions;
        self.running = Some((id, self.now));
        Some(id)
    }

    fn worst(&mut self, n: usize) -> Vec<StateId> {
        self.inner.worst(n)
    }

    fn len(&self) -> usize {
        self.inner.len()
    }

    fn name(&self) -> String {
        format!("{} in batches of {}", self.inner.name(), self.batch)
    }

    fn needs(&self) -> Needs {
        self.inner.needs()
    }

    fn operations(&self) -> u64 {
        self.inner.operations()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bfs::Bfs;

    #[test]
    fn a_batch_ends_by_instructions_or_by_death() {
        let at = |instructions| Metrics {
            instructions,
            ..Metrics::default()
        };
        let mut s = Batching::new(Box::new(Bfs::default()), 100);
        s.add(StateId(0), None, &at(0));
        assert_eq!(s.select(&mut |_| at(0)), Some(StateId(0)));
        s.add(StateId(1), Some(StateId(0)), &at(50)); // bfs puts 0 before 1 again
        s.add(StateId(2), Some(StateId(0)), &at(50)); // now 1 is first
        s.update(StateId(0), &at(99));
        assert_eq!(s.select(&mut |_| at(99)), Some(StateId(0)));
        s.update(StateId(0), &at(100));
        assert_eq!(s.select(&mut |_| at(50)), Some(StateId(1)));
        s.remove(StateId(1));
        assert_eq!(s.select(&mut |_| at(100)), Some(StateId(0)));
    }

    #[test]
    fn a_batch_of_costly_instructions_ends_sooner() {
        let m = Metrics::default();
        let mut s = Batching::new(Box::new(Bfs::default()), 100);
        s.add(StateId(0), None, &m);
        assert_eq!(s.select(&mut |_| m), Some(StateId(0)));
        s.add(StateId(1), Some(StateId(0)), &m);
        s.add(StateId(2), Some(StateId(0)), &m);
        s.spent(100 * WORK_AN_INSTRUCTION - 1);
        assert_eq!(s.select(&mut |_| m), Some(StateId(0)));
        s.spent(1);
        assert_eq!(s.select(&mut |_| m), Some(StateId(1)));
        assert_eq!(s.select(&mut |_| m), Some(StateId(1)), "a new batch");
    }
}
