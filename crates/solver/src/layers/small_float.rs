//! Conditions with floats at smaller precisions first, by circuits that are a fraction of the real ones; a descent on
//! the real conditions begins at their models ([`crate::floats::Smaller`]). It finds inputs and proves nothing.

use super::blast::Blast;
use super::record::Record;
use crate::cx::Cx;
use crate::floats::{Lowering, Plain, Smaller};
use crate::layer::Layer;
use crate::layer_id::LayerId;
use crate::model::Model;
use crate::numeric::{Descent, Metric, Problem};
use crate::options::SolverOptions;
use crate::query::{Budget, NoTrials, Outcome, Query, Technique, Why};
use crate::slice::Slice;
use term::{Relocation, Term};

/// Bits of the significand, one attempt each.
const PRECISIONS: [u32; 2] = [6, 14];
/// The part of a query's effort that the circuits of one attempt may take, and at most so much.
const PART: u64 = 4;
const MOST_EFFORT: u64 = 1 << 25;
/// The part of it that evaluations in one descent may take, and at most so many.
const DESCENT_PART: u64 = 32;
const MOST_TICKS: u64 = 1 << 22;
/// Behind numeric search, which finds nearly all of what this finds, queries with less effort are left to the circuits: of
/// 88 such queries on two functions of GSL it decided one.
const LEAST_EFFORT: u64 = 1 << 24;
/// With this many misses for each decided query, only an eighth of that is spent.
const RARELY: u32 = 8;

pub(crate) struct SmallFloat {
    seed: u64,
    /// Queries with less effort are not looked at.
    least: u64,
    circuits: Blast,
    lowering: Lowering,
    record: Record,
}

impl SmallFloat {
    pub fn new(options: &SolverOptions) -> SmallFloat {
        SmallFloat {
            seed: options.seed,
            least: if options.has(LayerId::FloatSearch) {
                LEAST_EFFORT
            } else {
                0
            },
            circuits: Blast::new(options),
            lowering: Lowering::default(),
            record: Record::default(),
        }
    }

    /// A model of the conditions at one precision.
    fn small(
        &mut self,
        cx: &mut Cx<'_>,
        query: &Query<'_>,
        precision: u32,
        effort: u64,
    ) -> Option<Model> {
        let mut smaller = Smaller::new(precision);
        let cond = smaller.condition(cx.pool, query.cond)?;
        let terms = query.slice.terms.iter();
        let mut terms: Vec<Term> = terms
            .filter_map(|&t| smaller.condition(cx.pool, t))
            .collect();
        terms.extend_from_slice(smaller.lost());
        let slice = Slice {
            terms,
            ..query.slice.clone()
        };
        let small = Query {
            cond,
            slice: &slice,
            witness_holds: false,
            ..*query
        };
        let plain = Plain::of(&mut self.lowering, cx, &small).ok()?;
        let budget = Budget {
            effort,
            ..Budget::default()
        };
        let asked = plain.query(&small);
        let mut nobody = NoTrials;
        let (mut unheard, _) = cx.apart(&mut nobody);
        unheard.budget = budget;
        match self.circuits.check(&mut unheard, &asked) {
            Outcome::Sat(model) => Some(model),
            Outcome::Unsat(_) | Outcome::Unknown(_) => None,
        }
    }
}

impl Layer for SmallFloat {
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        let conditions = query.in_order();
        let has_floats = conditions.iter().any(|&t| cx.pool.has_float(t));
        if !has_floats || cx.budget.effort < self.least {
            return Outcome::Unknown(if has_floats {
                Why::Budget
            } else {
                Why::Incomplete
            });
        }
        let less = if self.record.is_poor(RARELY) { 3 } else { 0 };
        let effort = (cx.budget.effort / PART).min(MOST_EFFORT) >> less;
        let ticks = (cx.budget.effort / DESCENT_PART).min(MOST_TICKS) >> less;
        let mut found = None;
        for precision in PRECISIONS {
            let Some(model) = self.small(cx, query, precision, effort) else {
                continue;
            };
            cx.trials.tried(&model, Technique::SmallFloat);
            if cx.satisfies(query, &model) {
                found = Some(model);
                break;
            }
            let mut problem = Problem::new(cx.pool, &conditions, &model, Metric::default());
            let mut descent = Descent::new(&mut problem, self.seed, ticks, cx.deadline);
            found = descent.run(&mut |model| cx.trials.tried(model, Technique::SmallFloat));
            cx.stats.evaluations += descent.evaluations();
            if found.is_some() {
                break;
            }
        }
        self.record.note(found.is_some());
        // Beyond these limits it gets no more.
        let gets_more = cx.budget.effort / PART < MOST_EFFORT;
        let why = if gets_more {
            Why::Budget
        } else {
            Why::Incomplete
        };
        found.map_or(Outcome::Unknown(why), Outcome::Sat)
    }

    fn relocate(&mut self, relocation: Option<&Relocation>) {
        self.lowering.clear();
        self.circuits.relocate(relocation);
    }
}
