//! The last layer: circuits and SAT solvers, the quick one first.
//!
//! Conjuncts without a circuit (floats, free arrays) are left out: then "unsatisfiable" is still a
//! proof, and "satisfiable" is a guess that counts only if it passes the evaluation of everything.

use super::{Env, Layer};
use crate::bitblast::contexts::{Answer, Contexts};
use crate::query::{Budget, Outcome, Query, Technique, Trials, Why};
use crate::sat::SatKind;
use crate::stats::SolverStats;
use term::{Relocation, Term};

pub(super) struct Blast {
    /// Contexts of each engine with the most conflicts it may spend on a query.
    stages: Vec<(Contexts, u64)>,
}

impl Blast {
    pub fn new(kind: SatKind) -> Blast {
        Blast {
            stages: kind
                .stages()
                .iter()
                .map(|&(engine, conflicts)| (Contexts::new(engine), conflicts))
                .collect(),
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
        let mut answer = Answer::Unknown(Why::Incomplete);
        for (contexts, conflicts) in &mut self.stages {
            answer = contexts.solve(
                env.pool,
                &terms,
                &query.slice.symbols,
                query.witness,
                budget.conflicts.min(*conflicts),
                env.deadline,
                env.stats,
            );
            if !matches!(answer, Answer::Unknown(Why::Budget)) {
                break;
            }
        }
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

    fn relocate(&mut self, relocation: Option<&Relocation>) {
        for (contexts, _) in &mut self.stages {
            contexts.relocate(relocation);
        }
    }

    fn decided<'s>(&self, stats: &'s mut SolverStats) -> &'s mut u64 {
        &mut stats.by_blast
    }
}
