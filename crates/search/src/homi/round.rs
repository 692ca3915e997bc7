//! The decisions that hold for one round of pruning.

use super::options::{Options, Span};

/// How the weights of a round were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Nothing is known yet, and nothing is pruned.
    First,
    /// Drawn uniformly.
    Explore,
    /// Drawn from the learned distribution.
    Exploit,
    /// Drawn to differ from the learned distribution.
    Reverse,
    /// There are none: states are pruned at random.
    Random,
    /// There are none, and nothing is pruned.
    Divide,
}

impl How {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            How::First => "first",
            How::Explore => "explore",
            How::Exploit => "exploit",
            How::Reverse => "reverse",
            How::Random => "random",
            How::Divide => "divide",
        }
    }
}

/// Which states go.
#[derive(Clone, Debug, PartialEq)]
pub enum Rank {
    /// None.
    Keep,
    /// Any.
    Random,
    /// Those with the lowest sum of the weights of their features; features in order.
    Weights(Vec<(u32, f64)>),
}

/// A round.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// How its weights were found.
    pub how: How,
    /// Which states go.
    pub rank: Rank,
    /// The share that goes, as the number of its step.
    pub ratio: usize,
    /// Its length, as the number of its step.
    pub length: usize,
    /// Number of its searcher.
    pub searcher: usize,
}

impl Round {
    /// The share of the states that one pruning removes.
    pub fn share(&self, options: &Options) -> f64 {
        match self.rank {
            Rank::Keep => 0.0,
            Rank::Random | Rank::Weights(_) => {
                options.ratio * (self.ratio + 1) as f64 / options.ratio_steps as f64
            }
        }
    }

    /// How long it takes.
    pub fn span(&self, options: &Options) -> Span {
        options
            .round
            .times((self.length + 1) as f64 / options.round_steps as f64)
    }

    /// The weight of a feature, if it is one of this round.
    pub(super) fn weight(&self, feature: u32) -> Option<f64> {
        let Rank::Weights(weights) = &self.rank else {
            return None;
        };
        let at = weights.binary_search_by_key(&feature, |&(f, _)| f).ok()?;
        Some(weights[at].1)
    }
}
