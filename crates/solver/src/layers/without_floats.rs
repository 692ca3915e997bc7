//! Everything behind this wrapper sees no floats: conditions on them become conditions on bit-vectors ([`crate::floats`]).

use crate::chain::{Chain, Wrapper};
use crate::cx::Cx;
use crate::floats::{self, Lowering, Plain};
use crate::query::{Outcome, Query, Why};
use term::Relocation;

/// The wrapper, with the terms that it has made of others.
#[derive(Default)]
pub(crate) struct WithoutFloats {
    lowering: Lowering,
}

impl Wrapper for WithoutFloats {
    fn ask(&mut self, cx: &mut Cx<'_>, query: &Query<'_>, rest: &mut Chain) -> Outcome {
        let mut conditions = query.slice.terms.iter().chain([&query.cond]);
        if !conditions.any(|&t| cx.pool.has_float(t)) {
            return rest.ask(cx, query, query);
        }
        let budget = cx.budget.for_floats();
        if !budget.has_room(|| floats::gates(cx.pool, &query.conditions())) {
            return Outcome::Unknown(Why::Budget);
        }
        let plain = match Plain::of(&mut self.lowering, cx, query) {
            Ok(plain) => plain.bounded(&self.lowering, cx),
            Err(why) => return Outcome::Unknown(why),
        };
        match cx.within(budget, |cx| rest.ask(cx, &plain.query(query), query)) {
            Outcome::Unsat(mut core) => {
                plain.name(&mut core);
                Outcome::Unsat(core)
            }
            Outcome::Unknown(Why::Float) => Outcome::Unknown(plain.left().unwrap_or(Why::Float)),
            other => other,
        }
    }

    fn relocate(&mut self, _: Option<&Relocation>) {
        self.lowering.clear();
    }
}
