//! `nurs:md2u`: states near to uncovered code.

use super::Weight;
use crate::{Feature, Metrics, Needs, UNKNOWN};

/// Weight `1/d²`, `d` the minimal distance to uncovered code (10,000 when none is reachable).
pub struct Md2u;

impl Weight for Md2u {
    fn name(&self) -> &'static str {
        "nurs:md2u"
    }

    fn needs(&self) -> Needs {
        Needs::of(&[Feature::Distance, Feature::Nearest])
    }

    fn of(&self, m: &Metrics) -> f64 {
        let inverse = match m.min_distance_to_uncovered {
            UNKNOWN => 1e-4,
            d => 1.0 / f64::from(d.max(1)),
        };
        inverse * inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearer_is_heavier() {
        let of = |d| {
            Md2u.of(&Metrics {
                min_distance_to_uncovered: d,
                ..Metrics::default()
            })
        };
        assert!(of(0) == of(1) && of(1) > of(2) && of(2) > of(UNKNOWN));
    }
}
