//! Queries over integers, by CDCL(T): see [`crate::lia`].

use super::{Env, Layer};
use crate::lia::{Answer, Question};
use crate::query::{Budget, Outcome, Query, Technique, Trials, Why};

pub(super) struct Lia;

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
