//! Decides a condition whose value range under the path is one value.

use super::{Env, Layer};
use crate::query::{Budget, Outcome, Query, Trials, Why};
use crate::ranges::{LastFacts, Ranges};
use term::Relocation;

#[derive(Default)]
pub(super) struct Intervals {
    /// What the last query's path says.
    facts: LastFacts,
}

impl Layer for Intervals {
    fn check(
        &mut self,
        env: &mut Env<'_>,
        query: &Query<'_>,
        _: &Budget,
        _: &mut dyn Trials,
    ) -> Outcome {
        let facts = self.facts.of(env.pool, &query.slice.terms);
        let mut ranges = Ranges::of(query.pc, facts);
        let range = ranges.range(env.pool, env.tables, query.cond);
        match range.value() {
            Some(0) => Outcome::Unsat(ranges.used()),
            Some(_) if query.witness_holds => Outcome::Sat(query.witness.clone()),
            _ => Outcome::Unknown(Why::Incomplete),
        }
    }

    fn relocate(&mut self, _: Option<&Relocation>) {
        self.facts.clear();
    }
}
