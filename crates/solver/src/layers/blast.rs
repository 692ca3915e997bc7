//! The last layer: circuits and a SAT solver.
//!
//! Conjuncts without a circuit (floats, free arrays) are left out: then "unsatisfiable" is still a
//! proof, and "satisfiable" is a guess that counts only if it passes the evaluation of everything.

use super::{Env, Layer};
use crate::bitblast::contexts::{Answer, Contexts};
use crate::query::{Budget, Outcome, Query, Technique, Trials, Why};
use crate::sat::SatKind;
use crate::stats::SolverStats;
use term::Term;

pub(super) struct Blast {
    contexts: Contexts,
}

impl Blast {
    pub fn new(kind: SatKind) -> Blast {
        Blast {
            contexts: Contexts::new(kind),
        }
    }
}

impl Layer for Blast {
    fn name(&self) -> &'static str {
        "blast"
    }

    fn check(
        &mut self,
        env: &mut Env<'_>,
        query: &Query<'_>,
        budget: &Budget,
        trials: &mut dyn Trials,
    ) -> Outcome {
        if env.pool.has_float(query.cond) {
            return Outcome::Unknown(Why::Float);
        }
        // The condition first: when it has no circuit there is nothing to ask.
        let mut terms: Vec<Term> = vec![query.cond];
        let mut left_out: Option<Why> = None;
        for &t in &query.slice.terms {
            if env.pool.has_float(t) {
                left_out = Some(Why::Float);
            } else {
                terms.push(t);
            }
        }
        let answer = self.contexts.solve(
            env.pool,
            &terms,
            &query.slice.symbols,
            query.witness,
            budget.conflicts,
            env.deadline,
            env.stats,
        );
        match answer {
            Answer::Sat(model) => {
                trials.tried(&model, Technique::Sat);
                match left_out {
                    Some(why) if !env.satisfies(query, &model) => Outcome::Unknown(why),
                    _ => Outcome::Sat(model),
                }
            }
            Answer::Unsat(core) => {
                Outcome::Unsat(core.into_iter().filter(|&t| t != query.cond).collect())
            }
            Answer::Unknown(why) => Outcome::Unknown(why),
        }
    }

    fn forget(&mut self) {
        self.contexts.forget();
    }

    fn decided<'s>(&self, stats: &'s mut SolverStats) -> &'s mut u64 {
        &mut stats.by_blast
    }
}
