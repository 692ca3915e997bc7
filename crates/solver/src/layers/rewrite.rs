//! Conditions that the term constructors decided already, and conditions that are conjuncts of the path.

use crate::cx::Cx;
use crate::layer::Layer;
use crate::query::{Outcome, Query, Why};
use term::Term;

pub(crate) struct Rewrite;

impl Layer for Rewrite {
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        if query.cond == Term::TRUE && query.witness_holds {
            return Outcome::Sat(query.witness.clone());
        }
        if query.cond == Term::FALSE {
            return Outcome::Unsat(Vec::new());
        }
        let negated = cx.pool.not(query.cond);
        if query.slice.terms.contains(&negated) {
            return Outcome::Unsat(vec![negated]);
        }
        if query.witness_holds && query.slice.terms.contains(&query.cond) {
            return Outcome::Sat(query.witness.clone());
        }
        Outcome::Unknown(Why::Incomplete)
    }
}
