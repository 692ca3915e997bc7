//! Models of earlier queries. Sibling states ask about the same bytes, so a recent model often
//! satisfies the next query (KLEE's counterexample cache, here without its superset search: the
//! slice and the condition are evaluated directly, which is cheap).

use super::{Env, Layer};
use crate::model::Model;
use crate::query::{Budget, Outcome, Query, Technique, Trials, Why};
use std::collections::VecDeque;

/// Models kept.
const KEPT: usize = 12;

#[derive(Default)]
pub(super) struct Reuse {
    recent: VecDeque<Model>,
}

impl Layer for Reuse {
    fn check(
        &mut self,
        env: &mut Env<'_>,
        query: &Query<'_>,
        _: &Budget,
        trials: &mut dyn Trials,
    ) -> Outcome {
        let has_float = env.pool.has_float(query.cond);
        for i in 0..self.recent.len() {
            if has_float && env.is_late() {
                break; // evaluation of a decimal conversion in libc takes a second
            }
            let model = &self.recent[i];
            if !env.holds(query.cond, model) {
                continue;
            }
            if trials.wanted() {
                let lifted = query.slice.lift(env.pool, query.witness, model);
                trials.tried(&lifted, Technique::Reuse);
            }
            if env.holds_all(&query.slice.terms, model) {
                let lifted = query.slice.lift(env.pool, query.witness, model);
                self.recent.swap(0, i);
                return Outcome::Sat(lifted);
            }
        }
        Outcome::Unknown(Why::Incomplete)
    }

    fn learn(&mut self, _: &mut Env<'_>, _: &Query<'_>, outcome: &Outcome) {
        if let Outcome::Sat(model) = outcome {
            self.recent.push_front(model.clone());
            self.recent.truncate(KEPT);
        }
    }
}
