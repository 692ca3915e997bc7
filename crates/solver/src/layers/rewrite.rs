//! What the term constructors decided already, and conditions that stand on the path themselves.

use super::{Env, Layer};
use crate::query::{Budget, Outcome, Query, Trials, Why};
use term::Term;

pub(super) struct Rewrite;

impl Layer for Rewrite {
    fn check(
        &mut self,
        env: &mut Env<'_>,
        query: &Query<'_>,
        _: &Budget,
        _: &mut dyn Trials,
    ) -> Outcome {
        if query.cond == Term::TRUE && query.witness_holds {
            return Outcome::Sat(query.witness.clone());
        }
        if query.cond == Term::FALSE {
            return Outcome::Unsat(Vec::new());
        }
        let negated = env.pool.not(query.cond);
        if query.slice.terms.contains(&negated) {
            return Outcome::Unsat(vec![negated]);
        }
        if query.witness_holds && query.slice.terms.contains(&query.cond) {
            return Outcome::Sat(query.witness.clone());
        }
        Outcome::Unknown(Why::Incomplete)
    }
}
