//! Decides a condition whose value range under the path is one value.

use crate::cx::Cx;
use crate::layer::Layer;
use crate::query::{Outcome, Query, Why};
use crate::ranges::{LastFacts, Ranges};
use term::Relocation;

#[derive(Default)]
pub(crate) struct Intervals {
    /// The facts of the last query's path.
    facts: LastFacts,
}

impl Layer for Intervals {
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        let facts = self.facts.of(cx.pool, &query.slice.terms);
        let mut ranges = Ranges::of(query.pc, facts);
        let range = ranges.range(cx.pool, cx.tables, query.cond);
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
