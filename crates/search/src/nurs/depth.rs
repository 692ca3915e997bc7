//! `nurs:depth`: states deep in the tree.

use super::Weight;
use crate::{Metrics, Needs};

/// Weight: the number of forks on the path, at least 1.
pub struct Depth;

impl Weight for Depth {
    fn name(&self) -> &'static str {
        "nurs:depth"
    }

    fn needs(&self) -> Needs {
        Needs::NONE
    }

    fn of(&self, m: &Metrics) -> f64 {
        f64::from(m.depth.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deeper_is_heavier() {
        let of = |depth| {
            Depth.of(&Metrics {
                depth,
                ..Metrics::default()
            })
        };
        assert!(of(0) == 1.0 && of(9) > of(8));
    }
}
