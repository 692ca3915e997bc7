//! Queries over integers, by CDCL(T): see [`super`].

use super::alternate::decide;
use solver::theory::SearchAnswer;
use solver::{Budget, Env, Layer, Outcome, Query, Technique, Trials, Why};

/// The layer.
pub(crate) struct Lia;

impl Layer for Lia {
    fn check(
        &mut self,
        env: &mut Env<'_>,
        query: &Query<'_>,
        budget: &Budget,
        trials: &mut dyn Trials,
    ) -> Outcome {
        if !query.conditions().iter().any(|&t| env.pool.has_int(t)) {
            return Outcome::Unknown(Why::Incomplete);
        }
        match decide(env, query, budget, trials) {
            SearchAnswer::Unknown(why) => Outcome::Unknown(why),
            SearchAnswer::Unsat(core) => query.refuted(core),
            SearchAnswer::Sat(model) => {
                if trials.wanted() {
                    trials.tried(&model, Technique::Simplex);
                }
                Outcome::Sat(model)
            }
        }
    }
}
