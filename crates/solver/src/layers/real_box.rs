//! Conditions with floats over the real numbers ([`crate::reals`]), after numeric search and before circuits.

use super::allowance::Allowance;
use crate::cx::Cx;
use crate::layer::Layer;
use crate::layer_id::LayerId;
use crate::options::{Points, SolverOptions};
use crate::query::{Outcome, Query, Technique, Why};
use crate::reals::{Effort, solve};

/// Operations that are evaluated for a query at most, where circuits follow.
const MOST_TICKS: u64 = 1 << 24;
/// The part of a query's effort that may be spent here.
const PART: u64 = 16;

pub(crate) struct RealBox {
    seed: u64,
    /// Do no circuits follow?
    is_alone: bool,
    allowance: Allowance,
}

impl RealBox {
    pub fn new(options: &SolverOptions) -> RealBox {
        let is_alone = !options.has(LayerId::Bvfp);
        RealBox {
            seed: options.seed,
            is_alone,
            allowance: Allowance::new(PART, None),
        }
    }
}

impl Layer for RealBox {
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        let conditions = query.conditions();
        if !conditions.iter().any(|&t| cx.pool.has_float(t)) {
            return Outcome::Unknown(Why::Incomplete);
        }
        let most = (!self.is_alone).then_some(MOST_TICKS);
        let effort = Effort {
            seed: self.seed,
            ticks: self.allowance.ticks_of(&cx.budget, most),
            deadline: cx.deadline,
            points: Points::Searched,
        };
        let searched = solve(
            cx.pool,
            cx.evaluator,
            &conditions,
            query.witness,
            &effort,
            &mut |model| cx.trials.tried(model, Technique::RealBox),
        );
        self.allowance.answer_of(&cx.budget, most, searched)
    }
}
