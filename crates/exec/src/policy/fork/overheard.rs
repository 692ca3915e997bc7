//! Assignments that the solver tried for other queries.
//!
//! A parked side waits for a model. An assignment that some later query tried may be one: if it satisfies a path up to
//! a conjunct and violates that conjunct, it shows, without a query, that the other side is feasible ("Multiplex
//! symbolic execution", section 3; here for states that fork).

use super::Fork;
use crate::turn::Parked;
use solver::{Model, Reasoner, Technique, Trials};
use term::{Symbol, Term};

/// Assignments of one slice that are kept.
const KEPT: usize = 32;
/// Parked sides, the latest first, that an assignment is tried on.
const LOOKED_AT: usize = 64;

/// Listens to the solver while there are parked sides.
#[derive(Default)]
pub(super) struct Overheard {
    pub listening: bool,
    /// The byte for which a path refused an assignment last.
    refusing: Option<Symbol>,
    models: Vec<Model>,
}

impl Trials for Overheard {
    fn tried(&mut self, a: &Model, _: Technique) {
        if self.listening && self.models.len() < KEPT {
            self.models.push(a.clone());
        }
    }

    fn wanted(&self) -> bool {
        self.listening && self.models.len() < KEPT
    }
}

impl Fork {
    /// Takes the parked sides of which an overheard assignment is a model; each gets it as its witness.
    pub(crate) fn rescue(
        &mut self,
        reason: &mut Reasoner,
        parked: &mut Vec<Parked>,
    ) -> Vec<Parked> {
        let Reasoner {
            pool, evaluator, ..
        } = reason;
        let mut rescued = Vec::new();
        for model in std::mem::take(&mut self.overheard.models) {
            let mut looked_at = parked.iter().enumerate().rev().take(LOOKED_AT);
            let found = looked_at.find(|(_, p)| {
                let path = &p.state.path;
                let refusing = path.refusing(&model, self.overheard.refusing);
                if refusing.is_some() {
                    self.overheard.refusing = refusing;
                    return false;
                }
                // What could not be decided stands last, and is seldom satisfied.
                let last = path.len().checked_sub(1).map(|i| path.get(i).term);
                if last.is_some_and(|t| evaluator.eval(pool, t, &model) == 0) {
                    return false;
                }
                let all: Vec<Term> = path.iter().map(|c| c.term).collect();
                let violated = evaluator.first_false(pool, &all, &model);
                violated.is_none()
            });
            if let Some((at, _)) = found {
                let mut side = parked.remove(at);
                side.state.witness = model;
                rescued.push(side);
            }
        }
        rescued
    }
}
