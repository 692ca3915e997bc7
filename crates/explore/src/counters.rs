//! The counters of an exploration, for the status line and the summary. The machine that runs the program has its own
//! statistics.

use crate::pruning::PruningStatus;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use vocab::{Ending, ErrorKind, Tally};

/// Numbers that the status line shows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Counters {
    /// Paths that came to their end.
    pub completed: u64,
    /// Paths that were cut.
    pub partial: u64,
    /// How much of the tree of paths has been explored, from 0 to 1, if the two sides of each branch were as large as each other: the sum
    /// of 2^-forks over the paths that ended (the weighted backtrack estimator; Kilby, Slaney, Thiébaux, Walsh, "Estimating search tree
    /// size", AAAI 2006). Only of states that fork.
    pub explored: f64,
    /// States that wait for their turn, spilled ones included; in concolic mode: open branches.
    pub live: usize,
    /// The most states that were in memory at once.
    pub live_max: usize,
    /// Sides of branches that the solver has not decided.
    pub parked: u64,
    /// Parked sides that went on because the solver tried a model of theirs in another query.
    pub rescued: u64,
    /// Instructions that all paths together executed.
    pub instructions: u64,
    /// Instructions that paths executed once more to come back to where they were .
    pub followed_instructions: u64,
    /// Bytes in use when that was looked at last.
    pub memory_bytes: u64,
    /// The most that was ever seen in use, in bytes.
    pub memory_max: u64,
    /// How often states or caches had to go for want of memory.
    pub shortages: u64,
    /// Paths that a limit of time by the clock has cut.
    pub late: u64,
    /// Collections of the term pool.
    pub collections: u64,
    /// Paths by how they ended.
    pub endings: Tally<Ending>,
    /// Those that ended in an error, by its kind.
    pub errors: BTreeMap<ErrorKind, u64>,
    /// Parked sides by the reason for which they are.
    pub parked_by: BTreeMap<Cow<'static, str>, u64>,
    /// Exit status of the only path, if exactly one completed.
    pub exit_status: Option<i32>,
    /// Paths that saw something new and were ended with the run, too late for a test.
    pub unsaved: u64,
    /// States whose memory was needed: only their prefix was kept.
    pub spilled: u64,
    /// States that other workers gave, and that went on here.
    pub adopted: u64,
    /// States that were given to other workers.
    pub given: u64,
    /// Those that were rebuilt and went on.
    pub taken_up: u64,
    /// Pruned states that a later round took up again.
    pub resumed: u64,
    /// Further counters of the schedule: in concolic mode those of its loop, by their names in `stats.json`.
    pub schedule: BTreeMap<String, u64>,
    /// Learned state pruning, if there is any.
    pub pruning: Option<PruningStatus>,
    /// Paths that were followed to their end once more to check its prefix.
    pub followed: u64,
    /// Inputs of live states that ran on towards the end of the program, ahead of the exploration.
    pub live_runs: u64,
    /// Those that did not come to it: they took too long, or the run ended.
    pub live_cut: u64,
    /// Tests that live states left.
    pub live_tests: u64,
    /// States that the end of the run found alive, and whose inputs did not run on.
    pub live_left: u64,
}

impl Counters {
    /// Asks how much memory is in use.
    pub fn look_at_memory(&mut self) -> u64 {
        self.memory_bytes = room::sample();
        self.memory_max = self.memory_max.max(self.memory_bytes);
        self.memory_bytes
    }

    /// Counts a path that ended in an error of this kind.
    pub fn error(&mut self, kind: ErrorKind) {
        self.completed += 1;
        self.exit_status = None;
        self.endings.add(Ending::Error, 1);
        *self.errors.entry(kind).or_default() += 1;
    }

    /// Counts a pruned state that goes on after all.
    pub fn resume(&mut self) {
        self.resumed += 1;
        self.unprune(1);
    }

    /// Counts states that another worker has pruned, and that wait here.
    pub fn prune(&mut self, states: u64) {
        self.partial += states;
        self.endings.add(Ending::Pruned, states);
    }

    /// These pruned states are others' from now on, or wait in another way: they have not ended.
    pub fn unprune(&mut self, states: u64) {
        self.partial = self.partial.saturating_sub(states);
        let pruned = self.endings.of(Ending::Pruned);
        self.endings
            .set(Ending::Pruned, pruned.saturating_sub(states));
    }

    /// Counts sides of branches that the solver did not decide.
    pub fn park(&mut self, why: &'static str, sides: u64) {
        if sides > 0 {
            self.parked += sides;
            *self.parked_by.entry(why.into()).or_default() += sides;
        }
    }

    /// These are decided now, or go on in another way.
    pub fn unpark(&mut self, why: &'static str, sides: u64) {
        self.parked -= sides;
        if let Some(n) = self.parked_by.get_mut(why) {
            *n -= sides;
        }
    }
}
