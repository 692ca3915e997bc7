//! Abstraction and refinement: the one loop for every search over a circuit with extensions.
//!
//! Alg. 2 of "Type and interval aware array constraint solving for symbolic execution", for any abstraction: a model
//! is completed by the extensions that the query rests on, shown to the trials, and evaluated on the conditions. A
//! model that happens to satisfy them ends the loop, whatever axioms it violates. Otherwise the extensions answer the
//! violations by clauses, and the search continues. The budget of a query includes its refinement.

use crate::circuit::cnf::Cnf;
use crate::circuit::{Clauses, Extension, Intervals, Lowering, Scope};
use crate::cx::Cx;
use crate::model::Model;
use crate::query::{Core, Technique, Why};
use crate::sat::SatBackend;
use std::time::Instant;
use term::{Pool, Symbol, Term};

/// The answer of a search, or of the refinement around it, to a set of conditions.
pub enum SearchAnswer {
    /// Values of the symbols (others are as in the start assignment).
    Sat(Model),
    /// Conditions that cannot hold together.
    Unsat(Core),
    /// Not decided.
    Unknown(Why),
}

/// A conjunction to decide, and the budget for it.
pub struct Question<'a> {
    /// The conditions that have to hold.
    pub terms: &'a [Term],
    /// The symbols whose values are wanted.
    pub symbols: &'a [Symbol],
    /// Gives the values of what no circuit mentions.
    pub start: &'a Model,
    /// Does the search begin with the start's values at once? (Otherwise only where a few conflicts do not suffice.)
    pub begins_near_start: bool,
    /// Conflicts that the first search may have, and that all later ones may have together.
    pub conflicts: u64,
    /// The rest of [`Budget::effort`](crate::Budget::effort).
    pub effort: u64,
    /// Bounds of index terms that hold for this question.
    pub intervals: &'a Intervals,
}

impl<'a> Question<'a> {
    /// The part of it that the extensions see.
    fn scope<'s>(&self, pool: &'s Pool, cone: &'s [Term]) -> Scope<'s>
    where
        'a: 's,
    {
        Scope {
            pool,
            conditions: self.terms,
            terms: cone,
            symbols: self.symbols,
            intervals: self.intervals,
        }
    }
}

/// A search for models of a circuit.
pub trait Search {
    /// The circuit, and what the SAT solver has of it.
    fn parts(&mut self) -> (&mut Lowering, &mut Cnf, &mut dyn SatBackend);

    /// Looks for a model that may violate what the extensions stand for, within so many conflicts.
    fn search(
        &mut self,
        cx: &mut Cx<'_>,
        question: &mut Question<'_>,
        conflicts: u64,
    ) -> SearchAnswer;
}

/// Calls an extension, by its position, with the clauses of the search.
fn ask<T>(
    search: &mut dyn Search,
    position: usize,
    call: impl FnOnce(&mut dyn Extension, &mut Clauses<'_>) -> T,
) -> T {
    let (lowering, cnf, sat) = search.parts();
    let mut clauses = Clauses {
        circuit: &mut lowering.circuit,
        cnf,
        sat,
    };
    call(&mut *lowering.extensions[position], &mut clauses)
}

/// Decides the question by a search, refined until a model satisfies the conditions or there is none. `cone` are all
/// terms below the conditions, which have bits.
pub fn decide(
    search: &mut dyn Search,
    cx: &mut Cx<'_>,
    cone: &[Term],
    question: &mut Question<'_>,
) -> SearchAnswer {
    let mut open: Vec<(usize, Technique)> = Vec::new();
    for position in 0..search.parts().0.extensions.len() {
        let scope = question.scope(cx.pool, cone);
        match ask(search, position, |e, clauses| {
            e.begin(clauses, &scope, cx.stats)
        }) {
            Ok(technique) => open.extend(technique.map(|t| (position, t))),
            Err(why) => return SearchAnswer::Unknown(why),
        }
    }
    let answer = search.search(cx, question, question.conflicts);
    if open.is_empty() {
        return answer;
    }
    let begun = Instant::now();
    let answer = refine(search, cx, cone, &open, question, answer);
    for (position, _) in open {
        ask(search, position, |e, _| e.end(begun.elapsed(), cx.stats));
    }
    answer.unwrap_or_else(SearchAnswer::Unknown)
}

fn refine(
    search: &mut dyn Search,
    cx: &mut Cx<'_>,
    cone: &[Term],
    open: &[(usize, Technique)],
    question: &mut Question<'_>,
    mut answer: SearchAnswer,
) -> Result<SearchAnswer, Why> {
    let before = search.parts().2.conflicts();
    loop {
        let SearchAnswer::Sat(mut model) = answer else {
            return Ok(answer);
        };
        let scope = question.scope(cx.pool, cone);
        for &(position, _) in open {
            ask(search, position, |e, clauses| {
                e.inspect(clauses, &scope, &mut model, cx.evaluator);
            });
        }
        cx.trials.tried(&model, open[0].1);
        cx.stats.evaluations += 1;
        let false_one = cx.evaluator.first_false(cx.pool, question.terms, &model);
        if false_one.is_none() {
            return Ok(SearchAnswer::Sat(model));
        }
        let spent = search.parts().2.conflicts() - before;
        let mut added = 0;
        for &(position, _) in open {
            added += ask(search, position, |e, clauses| {
                e.refine(clauses, &scope, spent, cx.stats)
            })?;
        }
        if added == 0 {
            return Ok(SearchAnswer::Sat(model)); // its evaluation fails, which is counted
        }
        if spent >= question.conflicts {
            return Err(Why::Budget);
        }
        if cx.is_late() {
            return Err(Why::Timeout);
        }
        answer = search.search(cx, question, question.conflicts - spent);
    }
}
