//! `nurs:qc`: states whose queries were cheap.

use super::Weight;
use crate::{Metrics, Needs};

/// Weight `1/cost`, at most 1 for less than a tenth of a second.
pub struct QueryCost;

impl Weight for QueryCost {
    fn name(&self) -> &'static str {
        "nurs:qc"
    }

    fn needs(&self) -> Needs {
        Needs::NONE
    }

    fn of(&self, m: &Metrics) -> f64 {
        if m.query_cost_s < 0.1 {
            1.0
        } else {
            1.0 / m.query_cost_s
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cheap_paths_are_heavier() {
        let of = |s| {
            QueryCost.of(&Metrics {
                query_cost_s: s,
                ..Metrics::default()
            })
        };
        assert!(of(0.0) == of(0.09) && of(2.0) > of(3.0));
    }
}
