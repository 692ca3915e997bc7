//! `nurs:icnt`: states at instructions that were executed rarely.

use super::Weight;
use crate::{Feature, Metrics, Needs};

/// Weight `1/n²`, `n` the number of executions of the instruction at the state's pc.
pub struct InstructionCount;

impl Weight for InstructionCount {
    fn name(&self) -> &'static str {
        "nurs:icnt"
    }

    fn needs(&self) -> Needs {
        Needs::of(&[Feature::PcCount])
    }

    fn of(&self, m: &Metrics) -> f64 {
        let inverse = 1.0 / m.pc_instructions.max(1) as f64;
        inverse * inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_instructions_are_heavier() {
        let of = |n| {
            InstructionCount.of(&Metrics {
                pc_instructions: n,
                ..Metrics::default()
            })
        };
        assert!(of(0) == 1.0 && of(10) > of(11));
    }
}
