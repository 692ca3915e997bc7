//! The status of learned state pruning, for the user.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The state of the pruning. With several workers, each of which has its own rounds: the sums, and all rounds that
/// ended; the values of a round are those of the worker with the most rounds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PruningStatus {
    /// The round that goes on, the first being 1.
    pub round: u64,
    /// How its weights were found, in one word.
    pub how: Cow<'static, str>,
    /// Its searcher.
    pub searcher: String,
    /// How many features it has.
    pub features: u64,
    /// The features with the highest and the lowest weights, in words, the highest first.
    pub weights: Vec<(String, f64)>,
    /// Branches that the tests cover from which it has learned.
    pub branches: u64,
    /// Pruned states that wait to be taken up again.
    pub waiting: u64,
    /// Pruned states for whose prefixes there was no room: they do not come back.
    pub given_up: u64,
    /// Tests written early, of live states that differed most from all tests before.
    pub early_tests: u64,
    /// Inputs of pruned states that ran on to the end of the program, so that the branches of their tests were learned.
    pub tests_run: u64,
    /// Those of them that did not come to it.
    pub tests_cut: u64,
    /// Pruned states whose inputs did not run on, since the share of the work was used up.
    pub tests_left: u64,
    /// The rounds that ended.
    pub rounds: Vec<RoundEnd>,
}

impl PruningStatus {
    /// Adds that of another worker.
    pub(crate) fn add(&mut self, other: &PruningStatus) {
        if other.round > self.round {
            self.round = other.round;
            self.how.clone_from(&other.how);
            self.searcher.clone_from(&other.searcher);
            self.features = other.features;
            self.branches = other.branches;
            self.weights.clone_from(&other.weights);
        }
        self.waiting += other.waiting;
        self.given_up += other.given_up;
        self.early_tests += other.early_tests;
        self.tests_run += other.tests_run;
        self.tests_cut += other.tests_cut;
        self.tests_left += other.tests_left;
        self.rounds.extend(other.rounds.iter().cloned());
    }
}

/// A round that ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RoundEnd {
    /// How its weights were found, in one word.
    pub how: Cow<'static, str>,
    /// Its searcher.
    pub searcher: String,
    /// The share of the states that one pruning removed.
    pub share: f64,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// The same in ticks.
    pub ticks: u64,
    /// States that it pruned, those at its end and those that it lost for memory included.
    pub pruned: u64,
    /// Branches that it was the first to cover.
    pub new_branches: u64,
}
