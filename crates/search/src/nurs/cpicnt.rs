//! `nurs:cpicnt`: states whose call stack was executed little.

use super::Weight;
use crate::{Feature, Metrics, Needs};

/// Weight `1/n`, `n` the instructions executed under this call path.
pub struct CallPathCount;

impl Weight for CallPathCount {
    fn name(&self) -> &'static str {
        "nurs:cpicnt"
    }

    fn needs(&self) -> Needs {
        Needs::of(&[Feature::CallPath])
    }

    fn of(&self, m: &Metrics) -> f64 {
        1.0 / m.call_path_instructions.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_call_paths_are_heavier() {
        let of = |n| {
            CallPathCount.of(&Metrics {
                call_path_instructions: n,
                ..Metrics::default()
            })
        };
        assert!(of(0) == 1.0 && of(10) > of(11));
    }
}
