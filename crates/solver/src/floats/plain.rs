//! A query whose floats are lowered.

use super::{Lowering, bounds};
use crate::cx::Cx;
use crate::query::{Core, Query, Why};
use crate::slice::Slice;
use term::Term;

/// Terms that the floats of one query may take.
const MOST_TERMS: usize = 4_000_000;

/// A query without floats.
pub(crate) struct Plain {
    cond: Term,
    slice: Slice,
    /// A condition more, which follows from the others.
    implied: Term,
    /// The conjuncts of the path.
    path: Vec<Term>,
    /// Lowered conjuncts, each with its original.
    was: Vec<(Term, Term)>,
    /// Why a conjunct stayed as it is, if one did.
    left: Option<Why>,
}

impl Plain {
    /// Lowers the floats of a query. Conjuncts without a circuit stay as they are: the layers behind leave them out, or check
    /// that a model satisfies them.
    ///
    /// # Errors
    /// Why the condition itself has no circuit.
    pub fn of(lowering: &mut Lowering, cx: &mut Cx<'_>, query: &Query<'_>) -> Result<Plain, Why> {
        let (pool, deadline) = (&mut *cx.pool, cx.deadline);
        let cond = lowering.lower(pool, query.cond, MOST_TERMS, deadline)?;
        let mut slice = query.slice.clone();
        let (mut was, mut left) = (Vec::new(), None);
        for t in &mut slice.terms {
            match lowering.lower(pool, *t, MOST_TERMS, deadline) {
                Ok(lowered) if lowered != *t => {
                    was.push((lowered, *t));
                    *t = lowered;
                }
                Ok(_) => {}
                Err(why) => left = left.or(Some(why)),
            }
        }
        Ok(Plain {
            cond,
            slice,
            implied: Term::TRUE,
            path: query.slice.terms.clone(),
            was,
            left,
        })
    }

    /// With what the sets of floats that are known say about the circuits.
    pub fn bounded(mut self, lowering: &Lowering, cx: &mut Cx<'_>) -> Plain {
        self.implied = bounds::implied(cx.pool, lowering, &cx.float_sets);
        if self.implied != Term::TRUE {
            self.slice.terms.push(self.implied);
        }
        self
    }

    /// Why the query has floats left, if it has.
    pub fn left(&self) -> Option<Why> {
        self.left
    }

    /// The query, which has the same models as the one that it was made of.
    pub fn query<'a>(&'a self, of: &Query<'a>) -> Query<'a> {
        Query {
            cond: self.cond,
            slice: &self.slice,
            ..*of
        }
    }

    /// Names the conjuncts of a core as the path does.
    pub fn name(&self, core: &mut Core) {
        if core.contains(&self.implied) {
            core.clone_from(&self.path); // on which it may rest
            return;
        }
        for t in core {
            if let Some((_, was)) = self.was.iter().find(|(lowered, _)| lowered == t) {
                *t = *was;
            }
        }
    }
}
