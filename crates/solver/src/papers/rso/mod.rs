//! Real arithmetic, then fuzzing: the method RSO of "Symbolic execution of floating-point programs: how far are we?"
//! (Section III-A.2), and the second half of its Algorithm 2.
//!
//! A solution over the real numbers becomes the nearest floats. If they are no solution, the paper fuzzes from there. Ours
//! looks among their neighbors by numeric search, then at further real solutions, and fuzzes when none is left.

use super::fuzz::Fuzzer;
use super::shares::Shares;
use crate::cx::Cx;
use crate::layer::Layer;
use crate::layers::Searched;
use crate::model::Model;
use crate::options::{FloatMethod, Points, SolverOptions};
use crate::query::{Outcome, Query, Technique, Why};
use crate::reals::{self, Effort};
use term::Term;

/// The layer, in the place of boxes without fuzzing.
pub(super) fn layer(options: &SolverOptions) -> Option<Box<dyn Layer>> {
    let FloatMethod::Rso(points) = options.floats else {
        return None;
    };
    Some(Box::new(Rso {
        search: RealSearch::new(points, options.seed),
        shares: Shares::default(),
    }))
}

struct Rso {
    search: RealSearch,
    shares: Shares<2>,
}

impl Layer for Rso {
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        let conditions = query.in_order();
        if !conditions.iter().any(|&t| cx.pool.has_float(t)) {
            return Outcome::Unknown(Why::Incomplete);
        }
        let members = Members {
            shares: &mut self.shares,
            reals: 0,
            fuzzing: 1,
        };
        self.search.check(cx, &conditions, query.witness, members)
    }
}

/// The work of this thread so far, the same in every run.
pub(super) fn work(cx: &Cx<'_>) -> u64 {
    term::work::spent() + cx.stats.effort_work()
}

/// The places of both among the members of a method.
pub(super) struct Members<'a, const N: usize> {
    pub shares: &'a mut Shares<N>,
    pub reals: usize,
    pub fuzzing: usize,
}

/// Real numbers, then fuzzing.
pub(super) struct RealSearch {
    points: Points,
    seed: u64,
}

impl RealSearch {
    pub fn new(points: Points, seed: u64) -> RealSearch {
        RealSearch { points, seed }
    }

    /// Searches an assignment of conditions; what they say nothing of has its values of `start`.
    pub fn check<const N: usize>(
        &self,
        cx: &mut Cx<'_>,
        conditions: &[Term],
        start: &Model,
        members: Members<'_, N>,
    ) -> Outcome {
        let Members {
            shares,
            reals,
            fuzzing,
        } = members;
        let all = cx.budget.bounded_effort();
        let mut near = start.clone();
        let begun = work(cx);
        let effort = Effort {
            seed: self.seed,
            ticks: shares.of(reals, all),
            deadline: cx.deadline,
            points: self.points,
        };
        let searched = reals::solve(
            cx.pool,
            cx.evaluator,
            conditions,
            start,
            &effort,
            &mut |model: &Model| {
                near = model.clone();
                cx.trials.tried(model, Technique::RealBox);
            },
        );
        let found = match searched {
            Searched::Found(model) => Some(model),
            Searched::Limited | Searched::Exhausted => None,
        };
        shares.note(reals, found.is_some(), work(cx) - begun);
        if let Some(model) = found {
            return Outcome::Sat(model);
        }
        let begun = work(cx);
        let ticks = shares.of(fuzzing, all);
        let mut fuzzer = Fuzzer::new(cx.pool, conditions, &near, self.seed, ticks, cx.deadline);
        let found = fuzzer.run(&mut |model| cx.trials.tried(model, Technique::Fuzz));
        cx.stats.evaluations += fuzzer.executions;
        shares.note(fuzzing, found.is_some(), work(cx) - begun);
        match Searched::of(found, fuzzer.can_move()) {
            Searched::Found(model) => Outcome::Sat(model),
            Searched::Limited => Outcome::Unknown(Why::Budget),
            // What fuzzing cannot move, nothing can.
            Searched::Exhausted => Outcome::Unknown(Why::Incomplete),
        }
    }
}
