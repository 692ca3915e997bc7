//! Decides a condition whose value range under the path is one value.

use crate::cx::Cx;
use crate::layer::Layer;
use crate::query::{Outcome, Query, Why};

pub(crate) struct Intervals;

impl Layer for Intervals {
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        let range = cx.ranges.range(cx.pool, cx.tables, query.pc, query.cond);
        match range.value() {
            Some(0) => Outcome::Unsat(cx.ranges.sources(cx.pool, cx.tables, query.pc, query.cond)),
            Some(_) if query.witness_holds => Outcome::Sat(query.witness.clone()),
            _ => Outcome::Unknown(Why::Incomplete),
        }
    }
}
