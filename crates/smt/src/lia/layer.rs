//! Queries over integers, by CDCL(T): see [`super`].

use super::alternate::decide;
use solver::theory::SearchAnswer;
use solver::{Cx, Layer, Outcome, Query, Technique, Why};

/// The layer.
pub(crate) struct Lia;

impl Layer for Lia {
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        if !query.conditions().iter().any(|&t| cx.pool.has_int(t)) {
            return Outcome::Unknown(Why::Incomplete);
        }
        match decide(cx, query) {
            SearchAnswer::Unknown(why) => Outcome::Unknown(why),
            SearchAnswer::Unsat(core) => query.refuted(core),
            SearchAnswer::Sat(model) => {
                if cx.trials.wanted() {
                    cx.trials.tried(&model, Technique::Simplex);
                }
                Outcome::Sat(model)
            }
        }
    }
}
