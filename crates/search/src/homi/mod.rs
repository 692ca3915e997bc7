//! Learned state pruning: which few states are worth keeping.
//!
//! After Cha and Oh, "Making symbolic execution promising by learning aggressive state-pruning strategy" (ESEC/FSE 2020);
//! `docs/homi.md` explains the method. A [`Pruner`] knows states as ids with the set of their core conditions, tests as
//! sets of conditions and of branches, and time as a [`Clock`] that others read. It stands beside a searcher: the
//! searcher selects, the pruner drops.
//!
//! # Protocol
//!
//! 1. [`Pruner::learn`] for each test.
//! 2. While a round goes on, [`Pruner::due`] says when [`Pruner::prune`] is to be asked which states go, and when the round
//!    is over.
//! 3. Then all states go, [`Pruner::next_round`] decides the next round, and the first states begin again.
//!
//! # How to add a method
//!
//! One file with a function that plans a [`Round`], and one row in [`METHODS`].

mod bits;
mod cover;
mod data;
mod distribution;
mod divide;
mod learned;
mod options;
mod pruner;
mod random;
mod round;

pub use bits::BitSet;
pub use cover::{greedy, greedy_beyond};
pub use distribution::Weight;
pub use options::{Clock, Options, Span};
pub use pruner::{Due, Pruner};
pub use round::{How, Rank, Round};

use data::Data;
use fastrand::Rng;

/// A way to plan rounds.
#[derive(Debug)]
pub struct RoundPlanner {
    /// The name for the user.
    pub name: &'static str,
    /// One line for the help text.
    pub help: &'static str,
    /// Rounds continue with the live states, and pruned states wait; otherwise each round begins with the first
    /// states, as in the paper.
    pub goes_on: bool,
    /// The part of a run's work in which the inputs of pruned states run on to the end of the program by default, to learn what their
    /// tests cover (0: what is learned of them is what they covered themselves).
    pub test_share: f64,
    plan: fn(&mut Draw<'_>) -> Round,
}

/// The share in which the paper's method learns what its tests cover. The paper does so outside of its budget, for all of them.
const WHOLE_TESTS: f64 = 0.1;

/// All methods; the first is the default.
#[rustfmt::skip]
pub const METHODS: &[RoundPlanner] = &[
    RoundPlanner { name: "continued", help: "the least promising states wait, as learned from the tests so far, and rounds are continued", goes_on: true, test_share: 0.0, plan: learned::plan },
    RoundPlanner { name: "learned", help: "the least promising states are dropped, and rounds begin from the start, as in the paper", goes_on: false, test_share: WHOLE_TESTS, plan: learned::plan },
    RoundPlanner { name: "random", help: "a random share of the states is dropped, and rounds begin from the start (baseline)", goes_on: false, test_share: 0.0, plan: random::plan },
    RoundPlanner { name: "divide", help: "no state is dropped, the run is only divided into rounds (baseline)", goes_on: false, test_share: 0.0, plan: divide::plan },
];

/// The searchers of a portfolio for which the user names none: those of the paper's section 4.1.
pub const PORTFOLIO: &[&str] = &[
    "random-path*1,nurs:covnew*1",
    "nurs:covnew",
    "nurs:md2u",
    "nurs:cpicnt",
    "nurs:icnt",
    "nurs:qc",
    "nurs:depth",
    "random-path",
    "random-state",
];

/// The data from which a round is planned.
struct Draw<'a> {
    options: &'a Options,
    data: &'a Data,
    rounds: &'a [Round],
    rng: &'a mut Rng,
}

impl Draw<'_> {
    /// A round whose share, length and searcher are drawn with equal chances.
    fn uniformly(&mut self, how: How, rank: Rank) -> Round {
        Round {
            how,
            rank,
            ratio: self.rng.usize(..self.options.ratio_steps),
            length: self.rng.usize(..self.options.round_steps),
            searcher: self.rng.usize(..self.options.searchers),
        }
    }
}
