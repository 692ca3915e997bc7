//! Quantifier-free linear integer arithmetic beside bit-vectors: CDCL(T) over batsat and the exact
//! integers of `linear`.
//!
//! `encode` turns conditions into circuits, clauses and bounds, `theory` runs under the SAT search,
//! `decide` reads the model. Queries without integers are not touched.
//! Incomplete where the integers have no bounds and no equation or cut helps: then the ticks end
//! the query as `unknown`.

mod affine;
mod decide;
mod digits;
mod encode;
mod polarity;
mod propagator;
mod ranges;
mod shown;
mod sum;
mod theory;

use crate::layers::{Env, Layer};
use crate::query::{Budget, Outcome, Query, Technique, Trials, Why};
use decide::{Answer, Question};

pub(crate) use affine::Affine;
pub(crate) use shown::Shown;

/// The layer for queries with integers.
pub(crate) struct Lia;

impl Layer for Lia {
    fn check(
        &mut self,
        env: &mut Env<'_>,
        query: &Query<'_>,
        budget: &Budget,
        trials: &mut dyn Trials,
    ) -> Outcome {
        let conditions = query.conditions();
        if !conditions.iter().any(|&t| env.pool.has_int(t)) {
            return Outcome::Unknown(Why::Incomplete);
        }
        let question = Question {
            pool: env.pool,
            conditions: &conditions,
            symbols: &query.slice.symbols,
            witness: query.witness,
            budget,
            deadline: env.deadline,
        };
        match question.decide(env.evaluator, trials, env.stats) {
            Err(why) => Outcome::Unknown(why),
            Ok(Answer::Unsat(core)) => {
                query.refuted(core.into_iter().map(|i| conditions[i]).collect())
            }
            Ok(Answer::Sat(model)) => {
                if trials.wanted() {
                    trials.tried(&model, Technique::Simplex);
                }
                Outcome::Sat(model)
            }
        }
    }
}
