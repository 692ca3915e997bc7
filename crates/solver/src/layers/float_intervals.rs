//! Sets of floats ([`crate::boxes`]), from operands to results and back, for queries with floats.
//!
//! Like `facts`, of which it is the same contraction: everything is asserted, and a refutation rests on all
//! conditions. The remaining sets bound the circuits. The consequences of a path's conditions are kept: the next query
//! is often about the same path, or about one that continues it.

use crate::cx::Cx;
use crate::facts::Consequences;
use crate::layer::Layer;
use crate::query::{Outcome, Query, Why};
use linear::Deadline;
use rustc_hash::FxHashSet;
use term::{Pool, Relocation, Term};

/// Queries with more terms are left to the other layers.
const MAX_TERMS: usize = 20_000;
/// Paths whose consequences are kept.
const MAX_PATHS: usize = 8;

#[derive(Default)]
pub(crate) struct FloatIntervals {
    /// The one that was used last comes last.
    paths: Vec<Consequences>,
}

impl FloatIntervals {
    /// The consequences of the conditions of a path; `None` if they contradict each other.
    fn path(
        &mut self,
        pool: &Pool,
        conditions: &[Term],
        until: Option<Deadline>,
    ) -> Option<&mut Consequences> {
        let all: FxHashSet<Term> = conditions.iter().copied().collect();
        let known = (0..self.paths.len())
            .filter(|&at| self.paths[at].conditions().is_subset(&all))
            .max_by_key(|&at| self.paths[at].conditions().len());
        let mut path = match known {
            Some(at) => {
                let known = self.paths.remove(at);
                let is_new = |t: &Term| !known.conditions().contains(t);
                let new: Vec<Term> = conditions.iter().copied().filter(is_new).collect();
                if new.is_empty() {
                    known
                } else {
                    // Other paths go on from there, too.
                    let mut path = known.branch();
                    path.search_until(until);
                    self.paths.push(known);
                    path.add(pool, &new).then_some(path)?
                }
            }
            None => Consequences::of(pool, conditions, until)?,
        };
        path.search_until(until);
        if self.paths.len() >= MAX_PATHS {
            self.paths.remove(0);
        }
        self.paths.push(path);
        self.paths.last_mut()
    }
}

impl Layer for FloatIntervals {
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        let conditions = query.conditions();
        if !conditions.iter().any(|&t| cx.pool.has_float(t))
            || cx.pool.cone(&conditions).len() > MAX_TERMS
        {
            return Outcome::Unknown(Why::Incomplete);
        }
        let path = self.path(cx.pool, &query.slice.terms, cx.deadline);
        match path.and_then(|path| path.float_sets(cx.pool, query.cond)) {
            Some(sets) => {
                cx.float_sets = sets;
                Outcome::Unknown(Why::Incomplete)
            }
            None => Outcome::Unsat(query.slice.terms.clone()),
        }
    }

    fn relocate(&mut self, _: Option<&Relocation>) {
        self.paths.clear();
    }
}
