//! Sets of floats ([`crate::boxes`]), from operands to results and back, for queries with floats.
//!
//! Like `facts`, of which it is the same contraction: everything is asserted, only a contradiction is used, and the refutation
//! rests on all conditions.

use super::{Env, Layer};
use crate::preprocess::contradict;
use crate::query::{Budget, Outcome, Query, Trials, Why};

/// Queries with more terms are left to the other layers.
const MAX_TERMS: usize = 20_000;

pub(super) struct FloatIntervals;

impl Layer for FloatIntervals {
    fn check(
        &mut self,
        env: &mut Env<'_>,
        query: &Query<'_>,
        _: &Budget,
        _: &mut dyn Trials,
    ) -> Outcome {
        let conditions = query.conditions();
        if !conditions.iter().any(|&t| env.pool.has_float(t))
            || env.pool.cone(&conditions).len() > MAX_TERMS
        {
            return Outcome::Unknown(Why::Incomplete);
        }
        if contradict(env.pool, &conditions) {
            Outcome::Unsat(query.slice.terms.clone())
        } else {
            Outcome::Unknown(Why::Incomplete)
        }
    }
}
