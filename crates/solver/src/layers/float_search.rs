//! Numeric search for conditions with floats, briefly and before circuits are built ([`crate::numeric`]).

use super::record::Record;
use crate::cx::Cx;
use crate::floats;
use crate::layer::Layer;
use crate::model::Model;
use crate::numeric::{Descent, Metric, Problem};
use crate::query::{Outcome, Query, Technique, Why};
use linear::Deadline;
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

/// The limits of one search: its seed, the operations that it may evaluate, and its deadline.
pub(crate) struct SearchLimits {
    pub seed: u64,
    pub ticks: u64,
    pub deadline: Option<Deadline>,
}

/// Searches for a solution of a problem; shows the assignments that it tries. Returns the solution and the number of
/// assignments evaluated.
type RunSearch = fn(&mut Problem, &SearchLimits, &mut dyn FnMut(&Model)) -> (Option<Model>, u64);

pub(crate) struct FloatSearch {
    metric: Metric,
    search: RunSearch,
    seed: u64,
    record: Record,
}

impl FloatSearch {
    /// The layer with another search, over another distance.
    pub fn new(metric: Metric, search: RunSearch, seed: u64) -> FloatSearch {
        FloatSearch {
            metric,
            search,
            seed,
            record: Record::default(),
        }
    }

    /// Descent on our own distance.
    pub fn descent(seed: u64) -> FloatSearch {
        FloatSearch::new(
            Metric::Steps,
            |problem, limits, show| {
                let mut descent = Descent::new(problem, limits.seed, limits.ticks, limits.deadline);
                (descent.run(show), descent.evaluations())
            },
            seed,
        )
    }
}

impl Layer for FloatSearch {
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        let conditions = query.in_order();
        if !conditions.iter().any(|&t| cx.pool.has_float(t)) {
            return Outcome::Unknown(Why::Incomplete);
        }
        let allowed = cx.budget.effort / PART;
        let most = match allowed > MOST_TICKS {
            false => allowed,
            true if has_functions(cx.pool, &conditions) => allowed.min(MOST_TICKS_ALONE),
            true => as_circuits(cx.pool, &conditions),
        };
        let ticks = most >> if self.record.is_poor(RARELY) { 3 } else { 0 };
        let limits = SearchLimits {
            seed: self.seed,
            ticks,
            deadline: cx.deadline,
        };
        let mut problem = Problem::new(cx.pool, &conditions, query.witness, self.metric);
        let mut show = |model: &Model| cx.trials.tried(model, Technique::FloatSearch);
        let (found, evaluations) = (self.search)(&mut problem, &limits, &mut show);
        cx.stats.evaluations += evaluations;
        self.record.note(found.is_some());
        match found {
            Some(model) => Outcome::Sat(model),
            None => Outcome::Unknown(Why::Incomplete),
        }
    }
}
