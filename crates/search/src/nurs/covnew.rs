//! `nurs:covnew`: states that covered new code lately, or are near to uncovered code.

use super::{Weight, md2u};
use crate::{Feature, Metrics, Needs};

/// Weight `1/c² + 1/d²`: `c` the instructions since new coverage beyond the first thousand (no such
/// part if the path never covered anything first), `d` the distance to uncovered code.
pub struct CovNew;

impl Weight for CovNew {
    fn name(&self) -> &'static str {
        "nurs:covnew"
    }

    fn needs(&self) -> Needs {
        Needs::of(&[Feature::Distance, Feature::Nearest])
    }

    fn of(&self, m: &Metrics) -> f64 {
        let inverse = match m.since_new_coverage {
            u64::MAX => 0.0,
            n => 1.0 / n.saturating_sub(1000).max(1) as f64,
        };
        inverse * inverse + md2u::Md2u.of(m)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recent_coverage_beats_old_beats_none() {
        let of = |n| {
            CovNew.of(&Metrics {
                since_new_coverage: n,
                ..Metrics::default()
            })
        };
        assert!(of(10) == of(900) && of(900) > of(1500) && of(1500) > of(u64::MAX));
    }
}
