//! The hyper-parameters (section 4.1 of the paper), and how time is counted.

use super::{METHODS, RoundPlanner};
use serde::{Deserialize, Serialize};

/// The time that has been spent, in both measures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    /// Seconds of processor time since the start of the exploration.
    pub seconds: f64,
    /// Work done, in ticks.
    pub ticks: u64,
}

/// A time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Span {
    /// In seconds.
    Seconds(f64),
    /// In ticks: a run repeats.
    Ticks(u64),
}

impl Span {
    /// Has so much been spent since?
    pub(super) fn is_over(self, since: Clock, now: Clock) -> bool {
        match self {
            Span::Seconds(s) => now.seconds - since.seconds >= s,
            Span::Ticks(t) => now.ticks - since.ticks >= t,
        }
    }

    /// So many times as long.
    #[must_use]
    pub fn times(self, factor: f64) -> Span {
        match self {
            Span::Seconds(s) => Span::Seconds(s * factor),
            Span::Ticks(t) => Span::Ticks((t as f64 * factor) as u64),
        }
    }
}

impl std::fmt::Display for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Span::Seconds(s) => write!(f, "{s} s"),
            Span::Ticks(t) => write!(f, "{t} ticks"),
        }
    }
}

/// How states are pruned. The defaults are those of the paper.
#[derive(Clone, Debug)]
pub struct Options {
    /// Plans the rounds.
    pub method: &'static RoundPlanner,
    /// Time between two prunings (η_t).
    pub cycle: Span,
    /// The longest round (τ_max).
    pub round: Span,
    /// The lengths that a round can have are so many equal steps (τ_itv).
    pub round_steps: usize,
    /// The largest share of the states that one pruning removes (η_max), 0 to 1.
    pub ratio: f64,
    /// The shares are so many equal steps (η_itv).
    pub ratio_steps: usize,
    /// Rounds after the first one that explore (m).
    pub explore: usize,
    /// Uniform draws for a reversed weight (the size of U).
    pub draws: u32,
    /// Searchers to choose from in each round; by number only.
    pub searchers: usize,
    /// Same seed, same choices.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            method: &METHODS[0],
            cycle: Span::Seconds(30.0),
            round: Span::Seconds(800.0),
            round_steps: 4,
            ratio: 0.6,
            ratio_steps: 3,
            explore: 10,
            draws: 100,
            searchers: 1,
            seed: 0,
        }
    }
}
