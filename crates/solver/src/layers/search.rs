//! Local search from the witness: a few guided changes of one or two values.
//!
//! Each move takes a violated condition (the one asked first, then conjuncts of the slice that the
//! last move broke), asks [`invert`] for a change that satisfies it, and evaluates. Bounded by
//! [`ROUNDS`] restarts of [`MOVES`] moves (fewer where it rarely succeeds), because an unsatisfiable
//! query pays for all of them.

use super::record::Record;
use crate::cx::Cx;
use crate::domain::ByteSet;
use crate::invert::invert;
use crate::layer::Layer;
use crate::model::Model;
use crate::query::{Outcome, Query, Technique, Why};
use fastrand::Rng;
use term::{Sort, Symbol, Term};

const ROUNDS: u64 = 5;
const MOVES: u64 = 5;
/// With this many misses for each decided query, only one round is tried.
const RARELY: u32 = 8;
/// Slices with more conjuncts are left to the other layers.
const MAX_CONJUNCTS: usize = 400;

pub(crate) struct LocalSearch {
    rng: Rng,
    record: Record,
}

impl LocalSearch {
    pub fn new(seed: u64) -> LocalSearch {
        LocalSearch {
            rng: Rng::with_seed(seed ^ 0x5eed),
            record: Record::default(),
        }
    }

    /// One round is spent on a search while it rarely succeeds.
    fn rounds(&self) -> u64 {
        if self.record.is_poor(RARELY) {
            1
        } else {
            ROUNDS
        }
    }

    fn change(
        &mut self,
        cx: &mut Cx<'_>,
        query: &Query<'_>,
        model: &Model,
        goal: Term,
    ) -> Option<Model> {
        cx.evaluator.start(cx.pool);
        let changes = invert(cx.pool, cx.evaluator, model, goal, 1, &mut self.rng)?;
        let mut next = model.clone();
        let mut moved = false;
        for (symbol, value) in changes {
            let value = self.fit(cx, query, symbol, value)?;
            moved |= next.get(symbol) != value;
            next.set(symbol, value);
        }
        moved.then_some(next)
    }

    /// The value itself when the byte may have it; values of several symbols may not be bent.
    fn fit(&self, cx: &Cx<'_>, query: &Query<'_>, symbol: Symbol, value: u64) -> Option<u64> {
        if cx.pool.symbol_sort(symbol) != Sort::BitVec(8) {
            return Some(value);
        }
        let domain: ByteSet = query.pc.domain(symbol);
        domain.contains(value as u8).then_some(value & 0xff)
    }
}

impl Layer for LocalSearch {
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        if query.slice.terms.len() > MAX_CONJUNCTS {
            return Outcome::Unknown(Why::Incomplete);
        }
        let outcome = self.search(cx, query);
        self.record.note(matches!(outcome, Outcome::Sat(_)));
        outcome
    }
}

impl LocalSearch {
    fn search(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        let goals = query.conditions();
        let has_float = cx.pool.has_float(query.cond);
        let mut evaluations = 0;
        for _ in 0..self.rounds() {
            let mut model = query.witness.clone();
            let mut violated = match cx.evaluator.first_false(cx.pool, &goals, &model) {
                Some(first) => first,
                None => return Outcome::Sat(model),
            };
            for _ in 0..MOVES {
                evaluations += 1;
                if evaluations > cx.budget.evaluations || has_float && cx.is_late() {
                    return Outcome::Unknown(Why::Incomplete);
                }
                let Some(next) = self.change(cx, query, &model, goals[violated]) else {
                    break;
                };
                cx.stats.evaluations += 1;
                cx.trials.tried(&next, Technique::LocalSearch);
                match cx.evaluator.first_false(cx.pool, &goals, &next) {
                    None => return Outcome::Sat(next),
                    Some(first) => violated = first,
                }
                model = next;
            }
        }
        Outcome::Unknown(Why::Incomplete)
    }
}
