//! The rounds of learned pruning: the results of one round decide the next one.
//!
//! There are two kinds. In continued rounds live states stay, and some pruned states are resumed where they were. In
//! rounds that begin anew, as in the paper, each begins with the first states, and paths that were explored before are
//! recognized by their choices. Terms and the solver's caches stay in both cases.

use super::{Engine, Pruning, TICK, clock};
use crate::endings::Ending;
use crate::follow::Followed;
use crate::machine::Machine;
use explore::Sink;
use explore::{PruningStatus, RoundEnd};
use search::StateId;
use search::homi::Rank;

/// The part of a round in which pruned states are rebuilt.
const RESUMED_PART: u64 = 8;
/// The same when nothing is live: so many ticks.
const IDLE_TICKS: u64 = 100;
/// Features that the user is shown, of each sign.
const SHOWN: usize = 10;

impl Engine {
    /// When nothing is live: takes up states that wait, if rounds go on. They come before sides that the solver could
    /// not decide, whose retries cost more and more. Returns whether there are any.
    pub(in crate::engine) fn resume_when_idle(&mut self, sink: &mut dyn Sink) -> bool {
        let any = |p: &Pruning| p.goes_on() && p.waiting.len() > 0;
        let any = self.pruning.as_ref().is_some_and(any);
        if any {
            self.resume(IDLE_TICKS, sink);
        }
        any
    }

    /// Begins another round when nothing is left, if rounds begin anew and something was pruned. Returns whether it did.
    pub(in crate::engine) fn next_round(&mut self, sink: &mut dyn Sink) -> bool {
        let is_lost = |p: &Pruning| !p.goes_on() && p.dropped > 0;
        let again = self.pruning.as_ref().is_some_and(is_lost);
        if again {
            self.end_round(sink);
        }
        again
    }

    /// Learns from the round, and begins the next one.
    pub(super) fn end_round(&mut self, sink: &mut dyn Sink) {
        if !self.pruning.as_ref().is_some_and(Pruning::goes_on) {
            let all: Vec<StateId> = self.states.iter().map(|(id, _)| id).collect();
            self.run_whole_tests(&all, sink);
            self.evict(all, Ending::Pruned, sink);
        }
        if self.worker.machine.stop().is_set() {
            return;
        }
        let Some(pruning) = &mut self.pruning else {
            return;
        };
        let Pruning { pruner, plan, .. } = pruning;
        let machine = &self.worker.machine;
        let counters = &mut self.worker.counters;
        let now = clock(machine, counters.instructions, pruning.began);
        let branches = machine.observers.coverage.outcomes.len();
        let ticks = now.ticks - pruning.round_began.ticks;
        let status = counters.pruning.get_or_insert_default();
        let round = pruner.round();
        status.rounds.push(RoundEnd {
            how: round.how.name().into(),
            searcher: plan.searchers[round.searcher].0.clone(),
            share: round.share(&plan.options),
            seconds: now.seconds - pruning.round_began.seconds,
            ticks,
            pruned: std::mem::take(&mut pruning.dropped),
            new_branches: (branches - pruning.branches_before) as u64,
        });
        pruning.branches_before = branches;
        pruning.round_began = now;
        let before = round.searcher;
        let is_same = pruner.next_round(now).searcher == before;
        if pruning.goes_on() {
            self.go_on(is_same);
        } else {
            self.begin();
        }
        self.resume(ticks / RESUMED_PART, sink);
    }

    /// The first states of a round, under its searcher.
    pub(super) fn begin(&mut self) {
        self.go_on(false);
        for start in 0..self.first.len() {
            let s = self.first[start].fork(&mut self.worker.machine.tlb);
            self.add(Box::new(s), None);
        }
    }

    /// The states that are there, under the searcher of the round.
    pub(super) fn go_on(&mut self, is_same: bool) {
        let Some(pruning) = &self.pruning else {
            return;
        };
        let (round, number) = (pruning.pruner.round(), pruning.pruner.round_number());
        let status = self.worker.counters.pruning.get_or_insert_default();
        pruning.show(&self.worker.machine, status);
        if is_same {
            return;
        }
        let seed = pruning.plan.options.seed.wrapping_add(number as u64 - 1);
        self.searcher = pruning.plan.searchers[round.searcher].1(seed);
        let other = pruning.plan.searchers[round.searcher].1(!seed);
        if let Some(pruning) = &mut self.pruning {
            pruning.waiting.under(other, &mut self.features);
        }
        for (id, s) in self.states.iter() {
            let m = self.features.of(s);
            self.searcher.add(id, None, &m);
        }
    }

    /// Resumes pruned states that the searcher selects: as many as the user asked for, or as many as take so many
    /// ticks to rebuild. At least one if no state is live.
    fn resume(&mut self, ticks: u64, sink: &mut dyn Sink) {
        let mut taken = 0;
        let mut left = ticks * TICK;
        loop {
            let Some(pruning) = &mut self.pruning else {
                return;
            };
            let is_enough = match pruning.plan.resume {
                Some(n) => taken >= n,
                None => left == 0,
            };
            if is_enough && !self.searcher.is_empty() {
                return;
            }
            let Some(prefix) = pruning.waiting.pop(&mut self.features) else {
                return;
            };
            self.show_waiting();
            taken += 1;
            left = left.saturating_sub(prefix.progress.instructions);
            let followed = self.rebuild(&prefix, sink);
            if matches!(followed, Followed::Stopped) {
                return self.put_aside(prefix);
            }
            self.worker.counters.resume();
            match followed {
                Followed::Here(s) => {
                    self.has_test(prefix.identity());
                    self.add(s, None);
                }
                Followed::Ended(s, why) => self.worker.finish(&s, &why, sink),
                Followed::Stopped => {}
            }
        }
    }
}

impl Pruning {
    /// Reports which states are part of the round that begins.
    fn show(&self, machine: &Machine, status: &mut PruningStatus) {
        let round = self.pruner.round();
        status.round = self.pruner.round_number() as u64;
        status.how = round.how.name().into();
        status
            .searcher
            .clone_from(&self.plan.searchers[round.searcher].0);
        status.branches = self.pruner.branches().len().into();
        status.features = 0;
        status.weights.clear();
        let (Rank::Weights(weights), Some(marking)) = (&round.rank, &machine.observers.marking)
        else {
            return;
        };
        status.features = weights.len() as u64;
        let mut ranked = weights.clone();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        let end = ranked.len();
        let shown = ranked.iter().enumerate();
        let shown = shown.filter(|(i, _)| *i < SHOWN || *i + SHOWN >= end);
        let in_words = |(_, &(feature, weight)): (usize, &(u32, f64))| {
            let words = marking.conditions.words(&machine.reason.pool, feature);
            (words, weight)
        };
        status.weights.extend(shown.map(in_words));
    }
}
