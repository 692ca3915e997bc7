//! Abstraction and refinement: the one loop for every search over a circuit with extensions.
//!
//! Alg. 2 of "Type and interval aware array constraint solving for symbolic execution", for any abstraction: a model
//! is completed by the extensions that the query rests on, shown to the trials, and evaluated on the conditions. A
//! model that happens to satisfy them ends the loop, whatever it violates. Otherwise the extensions answer what it
//! violates by clauses, and the search goes on. What a query may spend holds for its refinement, too.

use crate::circuit::cnf::Cnf;
use crate::circuit::{Clauses, Extension, Intervals, Lowering, Scope};
use crate::model::Model;
use crate::query::{Core, Technique, Trials, Why};
use crate::sat::SatBackend;
use crate::stats::SolverStats;
use linear::Deadline;
use std::time::Instant;
use term::{Evaluator, Pool, Symbol, Term};

/// What a search, or the refinement around it, says about a set of conditions.
pub enum SearchAnswer {
    /// Values of the symbols (others are as in the start assignment).
    Sat(Model),
    /// Conditions that cannot hold together.
    Unsat(Core),
    /// Not decided.
    Unknown(Why),
}

/// A conjunction to decide, and what that may take.
pub struct Question<'a> {
    /// What has to hold.
    pub terms: &'a [Term],
    /// The symbols whose values are wanted.
    pub symbols: &'a [Symbol],
    /// Gives the values of what no circuit mentions.
    pub start: &'a Model,
    /// Conflicts that the first search may have, and that all later ones may have together.
    pub conflicts: u64,
    /// What is left of [`Budget::effort`](crate::Budget::effort).
    pub effort: u64,
    /// The end of its time, if it has one.
    pub deadline: Option<Deadline>,
    /// Bounds of index terms that hold for this question.
    pub intervals: &'a Intervals,
    /// Evaluates the terms under abstract models, which are shown to `trials`.
    pub evaluator: &'a mut Evaluator,
    /// Who hears of what is tried.
    pub trials: &'a mut dyn Trials,
}

/// A search for models of a circuit.
pub trait Search {
    /// The circuit, and what the SAT solver has of it.
    fn parts(&mut self) -> (&mut Lowering, &mut Cnf, &mut dyn SatBackend);

    /// Looks for a model that may violate what the extensions stand for, within so many conflicts.
    fn search(
        &mut self,
        pool: &Pool,
        question: &mut Question<'_>,
        conflicts: u64,
        stats: &mut SolverStats,
    ) -> SearchAnswer;
}

/// Calls an extension, by its position, with the clauses of the search.
fn ask<T>(
    search: &mut dyn Search,
    position: usize,
    call: impl FnOnce(&mut dyn Extension, &mut Clauses<'_>) -> T,
) -> T {
    let (lowering, cnf, sat) = search.parts();
    let mut cx = Clauses {
        circuit: &mut lowering.circuit,
        cnf,
        sat,
    };
    call(&mut *lowering.extensions[position], &mut cx)
}

/// Decides the question by a search, refined until a model satisfies the conditions or there is none. `cone` are all
/// terms below the conditions, which have bits.
pub fn decide(
    search: &mut dyn Search,
    pool: &Pool,
    cone: &[Term],
    question: &mut Question<'_>,
    stats: &mut SolverStats,
) -> SearchAnswer {
    let scope = Scope {
        pool,
        conditions: question.terms,
        terms: cone,
        symbols: question.symbols,
        intervals: question.intervals,
    };
    let mut open: Vec<(usize, Technique)> = Vec::new();
    for position in 0..search.parts().0.extensions.len() {
        match ask(search, position, |e, cx| e.begin(cx, &scope, stats)) {
            Ok(technique) => open.extend(technique.map(|t| (position, t))),
            Err(why) => return SearchAnswer::Unknown(why),
        }
    }
    let answer = search.search(pool, question, question.conflicts, stats);
    if open.is_empty() {
        return answer;
    }
    let begun = Instant::now();
    let answer = refine(search, &scope, &open, question, answer, stats);
    for (position, _) in open {
        ask(search, position, |e, _| e.end(begun.elapsed(), stats));
    }
    answer.unwrap_or_else(SearchAnswer::Unknown)
}

fn refine(
    search: &mut dyn Search,
    scope: &Scope<'_>,
    open: &[(usize, Technique)],
    question: &mut Question<'_>,
    mut answer: SearchAnswer,
    stats: &mut SolverStats,
) -> Result<SearchAnswer, Why> {
    let before = search.parts().2.conflicts();
    loop {
        let SearchAnswer::Sat(mut model) = answer else {
            return Ok(answer);
        };
        for &(position, _) in open {
            ask(search, position, |e, cx| {
                e.inspect(cx, scope, &mut model, question.evaluator);
            });
        }
        question.trials.tried(&model, open[0].1);
        stats.evaluations += 1;
        let false_one = question
            .evaluator
            .first_false(scope.pool, question.terms, &model);
        if false_one.is_none() {
            return Ok(SearchAnswer::Sat(model));
        }
        let spent = search.parts().2.conflicts() - before;
        let mut added = 0;
        for &(position, _) in open {
            added += ask(search, position, |e, cx| e.refine(cx, scope, spent, stats))?;
        }
        if added == 0 {
            return Ok(SearchAnswer::Sat(model)); // its evaluation fails, which is counted
        }
        if spent >= question.conflicts {
            return Err(Why::Budget);
        }
        if question.deadline.is_some_and(|end| end.is_past()) {
            return Err(Why::Timeout);
        }
        answer = search.search(scope.pool, question, question.conflicts - spent, stats);
    }
}
