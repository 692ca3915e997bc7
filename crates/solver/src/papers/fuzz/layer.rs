//! Fuzzing of conditions with floats ([`super`]).

use super::Fuzzer;
use crate::cx::Cx;
use crate::layer::Layer;
use crate::layers::Record;
use crate::query::{Outcome, Query, Technique, Why};

/// Operations that are evaluated for a query at most.
const MOST_TICKS: u64 = 1 << 28;
/// The part of a query's effort that may be spent here.
const PART: u64 = 4;
/// With this many misses for each decided query, only an eighth of that is spent.
const RARELY: u32 = 8;

pub(crate) struct Fuzz {
    seed: u64,
    record: Record,
}

impl Fuzz {
    pub fn new(seed: u64) -> Fuzz {
        Fuzz {
            seed,
            record: Record::default(),
        }
    }
}

impl Layer for Fuzz {
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        let conditions = query.in_order();
        if !conditions.iter().any(|&t| cx.pool.has_float(t)) {
            return Outcome::Unknown(Why::Incomplete);
        }
        let ticks = (cx.budget.effort / PART).min(MOST_TICKS);
        let ticks = ticks >> if self.record.is_poor(RARELY) { 3 } else { 0 };
        let (witness, seed) = (query.witness, self.seed);
        let mut fuzzer = Fuzzer::new(cx.pool, &conditions, witness, seed, ticks, cx.deadline);
        let found = fuzzer.run(&mut |model| cx.trials.tried(model, Technique::Fuzz));
        cx.stats.evaluations += fuzzer.executions;
        self.record.note(found.is_some());
        match found {
            Some(model) => Outcome::Sat(model),
            None => Outcome::Unknown(Why::Incomplete),
        }
    }
}
