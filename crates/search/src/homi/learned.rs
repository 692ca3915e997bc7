//! The method itself: features and distributions from the good data, and what is drawn from them (sections 3.2.2 to 3.2.4).

use super::Draw;
use super::bits::BitSet;
use super::data::Datum;
use super::distribution::{Weight, choose, uniform};
use super::options::Options;
use super::round::{How, Rank, Round};

/// Plans the next round.
pub(super) fn plan(draw: &mut Draw<'_>) -> Round {
    let options = draw.options;
    if draw.rounds.is_empty() {
        return draw.uniformly(How::First, Rank::Keep);
    }
    let learned = Learned::from(&draw.data.good(), draw.rounds, options);
    let how = if draw.rounds.len() <= options.explore {
        How::Explore
    } else {
        [How::Explore, How::Exploit, How::Reverse][draw.rng.usize(..3)]
    };
    let rng = &mut *draw.rng;
    let weights = learned.weights.iter().map(|&(feature, weight)| {
        let value = match how {
            How::Exploit => weight.sample(rng),
            How::Reverse => weight.sample_reversed(rng, options.draws),
            _ => uniform(rng),
        };
        (feature, value)
    });
    let rank = Rank::Weights(weights.collect());
    if how == How::Explore {
        return draw.uniformly(how, rank);
    }
    Round {
        how,
        rank,
        ratio: choose(&learned.ratios, draw.rng),
        length: choose(&learned.lengths, draw.rng),
        searcher: choose(&learned.searchers, draw.rng),
    }
}

/// The distributions of a round's choices.
#[derive(Debug, PartialEq)]
pub(super) struct Learned {
    /// By feature.
    pub weights: Vec<(u32, Weight)>,
    /// How many good data came from rounds with this choice.
    ratios: Vec<u64>,
    lengths: Vec<u64>,
    searchers: Vec<u64>,
}

impl Learned {
    pub fn from(good: &[&Datum], rounds: &[Round], options: &Options) -> Learned {
        let mut features = BitSet::default();
        good.iter().for_each(|d| features.add(&d.conditions));
        let weight = |feature| {
            let weights = good.iter().filter_map(|d| rounds[d.round].weight(feature));
            let weights: Vec<f64> = weights.collect();
            (feature, Weight::learned(&weights))
        };
        let mut learned = Learned {
            weights: features.iter().map(weight).collect(),
            ratios: vec![0; options.ratio_steps],
            lengths: vec![0; options.round_steps],
            searchers: vec![0; options.searchers],
        };
        for round in good.iter().map(|d| &rounds[d.round]) {
            // A round that pruned nothing says nothing of the share.
            learned.ratios[round.ratio] += u64::from(round.rank != Rank::Keep);
            learned.lengths[round.length] += 1;
            learned.searchers[round.searcher] += 1;
        }
        learned
    }
}
