//! Models of earlier queries. Sibling states ask about the same bytes, so a recent model often
//! satisfies the next query (KLEE's counterexample cache, here without its superset search: the
//! slice and the condition are evaluated directly, which is cheap).

use crate::cx::Cx;
use crate::layer::Layer;
use crate::model::Model;
use crate::query::{Outcome, Query, Technique, Why};
use std::collections::VecDeque;

/// Models kept.
const KEPT: usize = 12;
/// Evaluations may take as many steps as this part of the query's effort: reads of tables that were written at many indices take thousands each.
const PART: u64 = 4;

#[derive(Default)]
pub(crate) struct Reuse {
    recent: VecDeque<Model>,
}

impl Layer for Reuse {
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        let has_float = cx.pool.has_float(query.cond);
        let begun = term::work::spent();
        for i in 0..self.recent.len() {
            if term::work::spent() - begun > cx.budget.effort / PART {
                break;
            }
            if has_float && cx.is_late() {
                break; // evaluation of a decimal conversion in libc takes a second
            }
            let model = &self.recent[i];
            if !cx.holds(query.cond, model) {
                continue;
            }
            if cx.trials.wanted() {
                let lifted = query.slice.lift(cx.pool, query.witness, model);
                cx.trials.tried(&lifted, Technique::Reuse);
            }
            if cx.holds_all(&query.slice.terms, model) {
                let lifted = query.slice.lift(cx.pool, query.witness, model);
                self.recent.swap(0, i);
                return Outcome::Sat(lifted);
            }
        }
        Outcome::Unknown(Why::Incomplete)
    }

    fn learn(&mut self, _: &mut Cx<'_>, _: &Query<'_>, outcome: &Outcome) {
        if let Outcome::Sat(model) = outcome {
            self.recent.push_front(model.clone());
            self.recent.truncate(KEPT);
        }
    }
}
