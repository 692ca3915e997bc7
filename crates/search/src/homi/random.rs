//! The first naive baseline (section 4.4): a random share of the states is pruned, and nothing is learned.

use super::Draw;
use super::round::{How, Rank, Round};

/// Plans the next round.
pub(super) fn plan(draw: &mut Draw<'_>) -> Round {
    draw.uniformly(How::Random, Rank::Random)
}
