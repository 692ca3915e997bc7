//! `nurs:rp`: random path without the tree, by depth alone.

use super::Weight;
use crate::{Metrics, Needs};

/// Weight `2^-depth`, at least `2^-900` (below that all count alike).
pub struct RandomPathWeight;

impl Weight for RandomPathWeight {
    fn name(&self) -> &'static str {
        "nurs:rp"
    }

    fn needs(&self) -> Needs {
        Needs::NONE
    }

    fn of(&self, m: &Metrics) -> f64 {
        0.5f64.powi(m.depth.min(900) as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_per_fork_and_stays_positive() {
        let of = |depth| {
            RandomPathWeight.of(&Metrics {
                depth,
                ..Metrics::default()
            })
        };
        assert!(of(3) == 0.125 && of(1_000_000) > 0.0);
    }
}
