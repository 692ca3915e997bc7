//! The numbers of a run with several workers, and its frontier on disk.

use super::super::checkpoint::Checkpoint;
use super::super::keeper::Told;
use super::super::member::Member;
use super::Crew;
use explore::{Loss, Places, Totals};
use std::time::{Duration, Instant};

impl Crew<'_> {
    pub(super) fn totals(&self) -> Totals {
        let mut totals = self.before.clone();
        self.departed.iter().for_each(|part| totals.add(part));
        self.members.values().for_each(|m| totals.add(&m.totals));
        totals.counters.live += self.dispatch.queued();
        totals
    }

    /// Checks the run's use of resources, and reports progress.
    pub(super) fn look(&mut self) {
        let mut totals = self.totals();
        let elapsed = self.recorder.progress.elapsed();
        let left = self.outlook.left(elapsed, totals.counters.explored);
        self.plan.board.expect(left);
        let (mut memory, mut cpu) = (self.around.memory(), Duration::ZERO);
        let workers = self.members.values().filter_map(Member::pid);
        for pid in workers.chain(self.scout.pid()) {
            memory += self.around.memory_of(pid).unwrap_or(0);
            cpu += self.around.time_of(pid).unwrap_or_default();
        }
        memory += self.nodes.memory();
        totals.counters.memory_bytes = memory;
        let live = self
            .members
            .values()
            .map(|m| self.plan.board.seen_of(m.seat).1);
        totals.counters.live = live.sum::<u64>() as usize + self.dispatch.queued();
        let megabytes = memory as f64 / f64::from(1 << 20);
        let workers = self.workers();
        let beside = &mut self.recorder.beside;
        beside.cpu_s = cpu.as_secs_f64() + self.nodes.cpu_s();
        beside.memory_max_mb = beside.memory_max_mb.max(megabytes);
        beside.workers = workers;
        beside.scout = self.scout.stats();
        // If the run is ended from outside now, the frontier's record has them at best.
        let unwritten = self.unwritten.len() as u64;
        totals.losses.add(Loss::Unsaved, unwritten);
        self.recorder.beside.unwritten = unwritten;
        self.recorder.hear(&totals);
        self.look_at_nodes();
    }

    /// The workers in `stats.json`. A worker that died and its replacement are one there.
    pub(super) fn workers(&self) -> Vec<serde_json::Value> {
        let mut parts = self.departed.clone();
        for member in self.members.values() {
            parts[member.seat as usize].add(&member.totals);
        }
        let worker = |(totals, died): (&Totals, &u64)| {
            let n = &totals.counters;
            serde_json::json!({
                "completed_paths": n.completed,
                "partial_paths": n.partial,
                "instructions": n.instructions,
                "queries": totals.queries,
                "solver_time_s": totals.solver_time_s,
                "states_given": n.given,
                "states_adopted": n.adopted,
                "deaths": died,
            })
        };
        parts.iter().zip(&self.died).map(worker).collect()
    }

    /// Writes the frontier, now and then.
    pub(super) fn keep_frontier(&mut self) {
        let now = self.around.now();
        if self.keeper.is_due(now) {
            let kept = self.keeper.settle().and_then(|is_whole| {
                let told = self.tell_frontier(is_whole);
                let left = self.checkpoint();
                self.keeper.keep(left, told, now)
            });
            self.note_frontier(kept);
        }
    }

    /// Writes the frontier when the run has to end, if there is time until this moment.
    pub(super) fn keep_last_frontier(&mut self, end: Instant) {
        let is_late = || self.around.now() >= end;
        let is_whole = self.keeper.settle_last(&is_late);
        let told = self.tell_frontier(is_whole);
        let left = self.checkpoint();
        let is_late = || self.around.now() >= end;
        let kept = self.keeper.keep_last(left, told, &is_late);
        if let Ok(false) = kept {
            self.recorder.tell_of_old_frontier();
        }
        self.note_frontier(kept.map(|_| ()));
    }

    /// The frontier for a record: the whole, or the changes since the last record.
    fn tell_frontier(&mut self, is_whole: bool) -> Told {
        match self.dispatch.changes() {
            Some(changes) if !is_whole => Told::Since(changes),
            _ => Told::All(self.dispatch.frontier()),
        }
    }

    pub(super) fn note_frontier(&mut self, kept: std::io::Result<()>) {
        if let Err(e) = kept
            && !std::mem::replace(&mut self.frontier_failed, true)
        {
            let text = format!("the frontier cannot be written, this run cannot be resumed: {e}");
            self.recorder.progress.say(&text);
        }
    }

    /// The frontier, with the results that belong to it.
    pub(super) fn checkpoint(&self) -> Checkpoint {
        let mut totals = self.settled.clone();
        self.members.values().for_each(|m| totals.add(&m.settled));
        let recorder = &self.recorder;
        Checkpoint {
            program: self.plan.program.clone(),
            totals,
            places: Places {
                covered: self.covered.iter().copied().collect(),
                ..recorder.atlas.all()
            },
            seen: self.scout.covered.iter().copied().collect(),
            held: self.held.iter().copied().collect(),
            unwritten: self.unwritten.iter().cloned().collect(),
            unmet: self.unmet.iter().map(|(&pc, f)| (pc, f.clone())).collect(),
            invented: recorder.cases.given.invented(),
            limits: recorder.limits.clone(),
            next_test: recorder.next_test(),
            written: recorder.out.written(),
            wall_s: recorder.progress.elapsed().as_secs_f64(),
            cpu_s: recorder.cpu_s(),
            ..Checkpoint::default()
        }
    }
}
