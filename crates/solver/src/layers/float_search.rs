//! Numeric search for conditions with floats, briefly and before circuits are built ([`crate::numeric`]).

use super::allowance::{Allowance, Searched};
use crate::cx::Cx;
use crate::floats;
use crate::layer::Layer;
use crate::layer_id::LayerId;
use crate::model::Model;
use crate::numeric::{Descent, Metric, Problem};
use crate::options::SolverOptions;
use crate::query::{Outcome, Query, Technique, Why};
use linear::Deadline;
use term::{Op, Pool, Term};

/// Operations that are evaluated at most for a query for which circuits can be built. Nothing else may find others.
const MOST_TICKS: u64 = 1 << 24;
/// The part of a query's effort that may be spent here: what a search finds it mostly finds soon, and circuits come next.
const PART: u64 = 16;

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
    /// Do no circuits follow?
    is_alone: bool,
    allowance: Allowance,
}

impl FloatSearch {
    /// The layer with another search, over another distance.
    pub fn new(metric: Metric, search: RunSearch, options: &SolverOptions) -> FloatSearch {
        FloatSearch {
            metric,
            search,
            seed: options.seed,
            is_alone: !options.has(LayerId::Bvfp),
            allowance: Allowance::new(PART, None),
        }
    }

    /// Descent on our own distance.
    pub fn descent(options: &SolverOptions) -> FloatSearch {
        FloatSearch::new(
            Metric::Steps,
            |problem, limits, show| {
                let mut descent = Descent::new(problem, limits.seed, limits.ticks, limits.deadline);
                (descent.run(show), descent.evaluations())
            },
            options,
        )
    }
}

impl Layer for FloatSearch {
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        let conditions = query.in_order();
        if !conditions.iter().any(|&t| cx.pool.has_float(t)) {
            return Outcome::Unknown(Why::Incomplete);
        }
        let is_much = cx.budget.bounded_effort() / PART > MOST_TICKS;
        let has_circuits = !self.is_alone && is_much && !has_functions(cx.pool, &conditions);
        // A query whose effort has no limit, a script's, is asked once: what comes next must come soon.
        let at_once = (cx.budget.effort == u64::MAX).then_some(MOST_TICKS);
        let most = if has_circuits {
            Some(as_circuits(cx.pool, &conditions))
        } else {
            at_once
        };
        let ticks = self.allowance.ticks_of(&cx.budget, most);
        let limits = SearchLimits {
            seed: self.seed,
            ticks,
            deadline: cx.deadline,
        };
        let mut problem = Problem::new(cx.pool, &conditions, query.witness, self.metric);
        let mut show = |model: &Model| cx.trials.tried(model, Technique::FloatSearch);
        let (found, evaluations) = (self.search)(&mut problem, &limits, &mut show);
        cx.stats.evaluations += evaluations;
        let searched = Searched::of(found, !problem.variables.is_empty());
        self.allowance.answer_of(&cx.budget, most, searched)
    }
}
