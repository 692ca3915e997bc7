//! Decides a condition whose value range under the path is one value.

use super::{Env, Layer};
use crate::query::{Budget, Outcome, Query, Trials, Why};
use crate::ranges::Ranges;

pub(super) struct Intervals;

impl Layer for Intervals {
    fn check(
        &mut self,
        env: &mut Env<'_>,
        query: &Query<'_>,
        _: &Budget,
        _: &mut dyn Trials,
    ) -> Outcome {
        let mut ranges = Ranges::new(env.pool, query.pc, &query.slice.terms);
        let range = ranges.range(env.pool, env.tables, query.cond);
        match range.value() {
            Some(0) => Outcome::Unsat(ranges.used()),
            Some(_) if query.witness_holds => Outcome::Sat(query.witness.clone()),
            _ => Outcome::Unknown(Why::Incomplete),
        }
    }
}
