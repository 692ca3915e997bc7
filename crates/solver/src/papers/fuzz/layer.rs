//! Fuzzing of conditions with floats ([`super`]).

use super::Fuzzer;
use crate::cx::Cx;
use crate::layer::Layer;
use crate::layers::{Allowance, Searched};
use crate::query::{Outcome, Query, Technique, Why};

/// The part of a query's effort that may be spent here.
const PART: u64 = 4;

pub(crate) struct Fuzz {
    seed: u64,
    allowance: Allowance,
}

impl Fuzz {
    pub fn new(seed: u64) -> Fuzz {
        Fuzz {
            seed,
            allowance: Allowance::new(PART, None),
        }
    }
}

impl Layer for Fuzz {
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        let conditions = query.in_order();
        if !conditions.iter().any(|&t| cx.pool.has_float(t)) {
            return Outcome::Unknown(Why::Incomplete);
        }
        let ticks = self.allowance.ticks(&cx.budget);
        let (witness, seed) = (query.witness, self.seed);
        let mut fuzzer = Fuzzer::new(cx.pool, &conditions, witness, seed, ticks, cx.deadline);
        let found = fuzzer.run(&mut |model| cx.trials.tried(model, Technique::Fuzz));
        cx.stats.evaluations += fuzzer.executions;
        let searched = Searched::of(found, fuzzer.can_move());
        self.allowance.answer(&cx.budget, searched)
    }
}
