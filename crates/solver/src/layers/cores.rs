//! Answers and unsatisfiable cores of earlier queries.
//!
//! * The same condition on the same slice has the same answer: states that differ only elsewhere
//!   ask it again and again.
//! * A core that is part of the question makes it unsatisfiable. A satisfiable path plus a
//!   condition can only contain cores that contain the condition, so cores are filed under each of
//!   their terms and only the condition's file is looked at (KLEE searches a set-trie instead).

use crate::cx::Cx;
use crate::layer::Layer;
use crate::query::{Outcome, Query, Why};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::Hasher;
use std::rc::Rc;
use term::{Relocation, Term};

/// Conjuncts kept in answers; all answers are dropped when the number is reached.
const MAX_HELD: usize = 4_000_000;
/// Cores filed under one term.
const MAX_PER_TERM: usize = 24;
/// Larger cores are not filed under each of their terms.
const MAX_CORE: usize = 64;

struct Answer {
    cond: Term,
    slice: Box<[Term]>,
    outcome: Outcome,
}

#[derive(Default)]
pub(crate) struct Cores {
    answers: FxHashMap<u64, Answer>,
    /// Size of `answers`, in conjuncts.
    held: usize,
    cores: FxHashMap<Term, Vec<Rc<[Term]>>>,
}

fn key(cond: Term, slice: &[Term]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u32(cond.0);
    for t in slice {
        hasher.write_u32(t.0);
    }
    hasher.finish()
}

impl Cores {
    fn subset(&self, query: &Query<'_>) -> Option<Vec<Term>> {
        let filed = self.cores.get(&query.cond)?;
        let present: FxHashSet<Term> = query.slice.terms.iter().copied().collect();
        filed
            .iter()
            .find(|core| core.iter().all(|t| *t == query.cond || present.contains(t)))
            .map(|core| core.iter().copied().filter(|&t| t != query.cond).collect())
    }

    fn answered(&self, query: &Query<'_>) -> Option<&Outcome> {
        let answer = self.answers.get(&key(query.cond, &query.slice.terms))?;
        (answer.cond == query.cond && *answer.slice == *query.slice.terms)
            .then_some(&answer.outcome)
    }
}

impl Layer for Cores {
    fn check(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        match self.answered(query) {
            Some(Outcome::Sat(model)) => {
                return Outcome::Sat(query.slice.lift(cx.pool, query.witness, model));
            }
            Some(Outcome::Unsat(core)) => return Outcome::Unsat(core.clone()),
            Some(Outcome::Unknown(_)) | None => {}
        }
        match self.subset(query) {
            Some(core) => Outcome::Unsat(core),
            None => Outcome::Unknown(Why::Incomplete),
        }
    }

    fn learn(&mut self, _: &mut Cx<'_>, query: &Query<'_>, outcome: &Outcome) {
        if matches!(outcome, Outcome::Unknown(_)) {
            return;
        }
        // An answer costs its slice and about as much as 32 conjuncts beside it.
        self.held += query.slice.terms.len() + 32;
        if self.held > MAX_HELD {
            self.answers.clear();
            self.held = 0;
        }
        self.answers.insert(
            key(query.cond, &query.slice.terms),
            Answer {
                cond: query.cond,
                slice: query.slice.terms.clone().into(),
                outcome: outcome.clone(),
            },
        );
        if let Outcome::Unsat(core) = outcome
            && core.len() < MAX_CORE
        {
            let whole: Rc<[Term]> = core.iter().copied().chain([query.cond]).collect();
            for &t in whole.iter() {
                let filed = self.cores.entry(t).or_default();
                if !filed.iter().any(|c| **c == *whole) {
                    if filed.len() >= MAX_PER_TERM {
                        filed.remove(0);
                    }
                    filed.push(whole.clone());
                }
            }
        }
    }

    fn relocate(&mut self, relocation: Option<&Relocation>) {
        let answers = std::mem::take(&mut self.answers);
        let cores = std::mem::take(&mut self.cores);
        self.held = 0;
        let Some(relocation) = relocation else { return };
        let all = |terms: &[Term]| -> Option<Vec<Term>> {
            terms.iter().map(|&t| relocation.get(t)).collect()
        };
        for (_, answer) in answers {
            let moved = || -> Option<Answer> {
                Some(Answer {
                    cond: relocation.get(answer.cond)?,
                    slice: all(&answer.slice)?.into(),
                    outcome: match answer.outcome {
                        Outcome::Unsat(core) => Outcome::Unsat(all(&core)?),
                        other => other,
                    },
                })
            };
            if let Some(answer) = moved() {
                self.held += answer.slice.len() + 32;
                self.answers.insert(key(answer.cond, &answer.slice), answer);
            }
        }
        for (t, filed) in cores {
            let Some(t) = relocation.get(t) else { continue };
            let filed: Vec<Rc<[Term]>> = filed
                .iter()
                .filter_map(|core| all(core).map(Rc::from))
                .collect();
            self.cores.insert(t, filed);
        }
    }
}
