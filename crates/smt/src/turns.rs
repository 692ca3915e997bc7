//! A check of a dialogue, asked in two ways in turn: as it is, and after the passes.
//!
//! As it is, a check finds the circuits, learnt clauses, models and cores of the checks before it. After the passes it is
//! smaller, but other terms than the last time are left. It is not known beforehand which of these a check needs. So the
//! ways take turns, each with four times as much effort as the turn before, until one of them answers: a portfolio of two
//! on one processor (Gomes and Selman, "Algorithm portfolios", Artificial Intelligence 2001), where growth costs a
//! constant factor at most. The first turns are short and as it is, since most checks of a dialogue take next to nothing. The last turn has the
//! whole budget and goes to the passes: what is decided where it stands alone is decided in a dialogue, too, if there is time.
//!
//! The passes run once for a check, in the first turn that is theirs.

use crate::script::ScriptSolver;
use solver::{Budget, Outcome, PathCondition, Trials, Why};
use term::Pool;

/// [`Budget::effort`] and [`Budget::conflicts`] (by which the layer for integers is limited) of the first turn.
const FIRST: (u64, u64) = (1 << 20, 1000);
/// How much longer the next turn is.
const GROWTH: u64 = 4;
/// Turns before the last one; an even number, so that both ways have as many.
const TURNS: u32 = 8;

/// An answer, and the way it was found.
pub struct TurnAnswer {
    /// The answer.
    pub outcome: Outcome,
    /// Was it found after the passes? Then a refutation names all conjuncts.
    pub by_passes: bool,
}

impl ScriptSolver {
    /// [`solver::Solver::solve`] for one of several questions, which are not preprocessed before it is seen that this may help.
    pub fn solve_in_turns(
        &mut self,
        pool: &mut Pool,
        pc: &PathCondition,
        budget: &Budget,
        trials: &mut dyn Trials,
    ) -> TurnAnswer {
        self.base.meter.enter();
        let answer = self.take_turns(pool, pc, budget, trials);
        self.base.meter.leave();
        answer
    }

    fn take_turns(
        &mut self,
        pool: &mut Pool,
        pc: &PathCondition,
        budget: &Budget,
        trials: &mut dyn Trials,
    ) -> TurnAnswer {
        let deadline = budget.deadline();
        let has_floats = pc.iter().any(|c| pool.has_float(c.term));
        let mut prepared = None;
        let (mut effort, mut conflicts) = FIRST;
        for turn in 0..=TURNS {
            let by_passes = turn % 2 == 1 || turn == TURNS;
            let rest = budget.rest(deadline);
            let part = if turn == TURNS {
                rest
            } else {
                // Circuits of floats get a part of the effort only.
                let effort = if has_floats {
                    Budget::float_effort(effort)
                } else {
                    effort
                };
                Budget {
                    effort: effort.min(budget.effort),
                    conflicts: conflicts.min(budget.conflicts),
                    ..rest
                }
            };
            let outcome = if by_passes {
                let prepared =
                    prepared.get_or_insert_with(|| self.prepare(pool, pc, deadline, trials));
                self.ask_prepared(pool, prepared, pc, &part, trials)
            } else {
                self.base.solve(pool, pc, &part, trials)
            };
            let is_over = match outcome {
                Outcome::Unknown(Why::Memory | Why::Internal) => true,
                Outcome::Unknown(_) => turn == TURNS || deadline.is_some_and(|end| end.is_past()),
                _ => true,
            };
            if is_over {
                return TurnAnswer { outcome, by_passes };
            }
            effort = effort.saturating_mul(GROWTH);
            conflicts = conflicts.saturating_mul(GROWTH);
        }
        unreachable!("the last turn answers")
    }
}
