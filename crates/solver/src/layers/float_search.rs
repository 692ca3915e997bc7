//! Numeric search for conditions with floats, briefly and before circuits are built ([`crate::numeric`]).

use super::Layer;
use super::record::Record;
use crate::env::Env;
use crate::floats;
use crate::model::Model;
use crate::numeric::{Descent, Hopping, Metric, Problem};
use crate::query::{Budget, Outcome, Query, Technique, Trials, Why};
use term::{Op, Pool, Term};

/// Operations that are evaluated for a query at most.
const MOST_TICKS: u64 = 1 << 24;
/// And for one with functions that have no circuits: nothing else may find it.
const MOST_TICKS_ALONE: u64 = 1 << 28;
/// The part of a query's effort that may be spent here: what a search finds it mostly finds soon, and circuits come next.
const PART: u64 = 16;
/// With this many misses for each decided query, only an eighth of that is spent.
const RARELY: u32 = 8;

/// For each gate of a circuit, operations that take about as long as building and solving it. They are so many more
/// instructions where the host does not compute them.
const TICKS_PER_GATE: u64 = 32;
const BY_DEFINITION: u64 = 32;

/// Does a function of the mathematical library occur, whose values are known but not its definition?
fn has_functions(pool: &Pool, conditions: &[Term]) -> bool {
    let cone = pool.cone(conditions);
    cone.into_iter().any(|t| pool.op(t) == Op::FCall)
}

/// How many operations a query with a large budget, or none, is worth: as many as circuits for it would cost.
fn as_circuits(pool: &Pool, conditions: &[Term]) -> u64 {
    let ticks = floats::gates(pool, conditions).saturating_mul(TICKS_PER_GATE);
    let cost = if floats::is_native(pool, conditions) {
        1
    } else {
        BY_DEFINITION
    };
    ticks.min(MOST_TICKS) / cost
}

pub(super) struct FloatSearch {
    metric: Metric,
    seed: u64,
    record: Record,
}

impl FloatSearch {
    pub fn new(metric: Metric, seed: u64) -> FloatSearch {
        FloatSearch {
            metric,
            seed,
            record: Record::default(),
        }
    }
}

impl Layer for FloatSearch {
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
        let allowed = budget.effort / PART;
        let most = match allowed > MOST_TICKS {
            false => allowed,
            true if has_functions(env.pool, &conditions) => allowed.min(MOST_TICKS_ALONE),
            true => as_circuits(env.pool, &conditions),
        };
        let ticks = most >> if self.record.is_poor(RARELY) { 3 } else { 0 };
        let (metric, seed, end) = (self.metric, self.seed, env.deadline);
        let mut problem = Problem::new(env.pool, &conditions, query.witness, metric);
        let mut show = |model: &Model| trials.tried(model, Technique::FloatSearch);
        let (found, evaluations) = if metric == Metric::Steps {
            let mut descent = Descent::new(&mut problem, seed, ticks, end);
            (descent.run(&mut show), descent.evaluations())
        } else {
            let mut hopping = Hopping::new(&mut problem, seed, ticks, end);
            (hopping.run(&mut show), hopping.evaluations())
        };
        env.stats.evaluations += evaluations;
        self.record.note(found.is_some());
        match found {
            Some(model) => Outcome::Sat(model),
            None => Outcome::Unknown(Why::Incomplete),
        }
    }
}
