//! The second naive baseline (section 4.4): many short runs in place of a long one. Nothing is pruned inside of a round.

use super::Draw;
use super::round::{How, Rank, Round};

/// Plans the next round.
pub(super) fn plan(draw: &mut Draw<'_>) -> Round {
    draw.uniformly(How::Divide, Rank::Keep)
}
