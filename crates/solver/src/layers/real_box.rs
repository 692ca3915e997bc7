//! Conditions with floats over the real numbers ([`crate::reals`]), after numeric search and before circuits.

use super::record::Record;
use crate::cx::Cx;
use crate::layer::Layer;
use crate::query::{Outcome, Query, Technique, Why};
use crate::reals::{Effort, solve};

/// Operations that are evaluated for a query at most.
const MOST_TICKS: u64 = 1 << 24;
/// The part of a query's effort that may be spent here.
const PART: u64 = 16;
/// With this many misses for each decided query, only an eighth of that is spent.
const RARELY: u32 = 8;

pub(crate) struct RealBox {
    seed: u64,
    record: Record,
}

impl RealBox {
    pub fn new(seed: u64) -> RealBox {
        RealBox {
            seed,
            record: Record::default(),
        }
    }
}

impl Layer for RealBox {
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        let conditions = query.conditions();
        if !conditions.iter().any(|&t| cx.pool.has_float(t)) {
            return Outcome::Unknown(Why::Incomplete);
        }
        let ticks = (cx.budget.effort / PART).min(MOST_TICKS);
        let effort = Effort {
            seed: self.seed,
            ticks: ticks >> if self.record.is_poor(RARELY) { 3 } else { 0 },
            deadline: cx.deadline,
        };
        let found = solve(
            cx.pool,
            cx.evaluator,
            &conditions,
            query.witness,
            &effort,
            &mut |model| cx.trials.tried(model, Technique::RealBox),
        );
        self.record.note(found.is_some());
        match found {
            Some(model) => Outcome::Sat(model),
            None => Outcome::Unknown(Why::Incomplete),
        }
    }
}
