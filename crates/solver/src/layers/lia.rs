//! Queries over integers, by CDCL(T): see [`crate::lia`].

use super::{Env, Layer};
use crate::lia;
use crate::query::{Budget, Outcome, Query, Technique, Trials, Why};
use crate::refine::SearchAnswer;

pub(super) struct Lia;

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
        match lia::decide(env, query, budget, trials) {
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
