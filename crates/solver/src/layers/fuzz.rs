//! Fuzzing of conditions with floats ([`crate::fuzz`]).

use super::Layer;
use super::record::Record;
use crate::env::Env;
use crate::fuzz::Fuzzer;
use crate::query::{Budget, Outcome, Query, Technique, Trials, Why};

/// Operations that are evaluated for a query at most.
const MOST_TICKS: u64 = 1 << 28;
/// The part of a query's effort that may be spent here.
const PART: u64 = 4;
/// With this many misses for each decided query, only an eighth of that is spent.
const RARELY: u32 = 8;

pub(super) struct Fuzz {
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
    fn check(
        &mut self,
        env: &mut Env<'_>,
        query: &Query<'_>,
        budget: &Budget,
        trials: &mut dyn Trials,
    ) -> Outcome {
        let conditions = query.in_order();
        if !conditions.iter().any(|&t| env.pool.has_float(t)) {
            return Outcome::Unknown(Why::Incomplete);
        }
        let ticks = (budget.effort / PART).min(MOST_TICKS);
        let ticks = ticks >> if self.record.is_poor(RARELY) { 3 } else { 0 };
        let (witness, seed) = (query.witness, self.seed);
        let mut fuzzer = Fuzzer::new(env.pool, &conditions, witness, seed, ticks, env.deadline);
        let found = fuzzer.run(&mut |model| trials.tried(model, Technique::Fuzz));
        env.stats.evaluations += fuzzer.executions;
        self.record.note(found.is_some());
        match found {
            Some(model) => Outcome::Sat(model),
            None => Outcome::Unknown(Why::Incomplete),
        }
    }
}
