//! Soft preferences: make a test pleasant to read without leaving its path.

use crate::model::Model;
use crate::path::Origin;
use crate::query::{Ask, Outcome};
use crate::solver::Solver;
use term::{Pool, Term};

impl Solver {
    /// Satisfies as many preferences as a greedy pass can, the first one strongest: each that can
    /// hold together with those taken before is taken. Returns a model of the path. Preferences
    /// that are not decided within the budget (shared by all of them) are not taken.
    pub fn prefer(&mut self, pool: &mut Pool, soft: &[Term], ask: Ask<'_>) -> Model {
        let budget = ask.budget;
        let deadline = budget.deadline();
        let mut path = ask.path.clone();
        let mut model = ask.witness.clone();
        for &wish in soft {
            let left = budget.rest(deadline);
            if self.evaluator.eval(pool, wish, &model) == 0 {
                if left.seconds <= 0.0 || left.stop.is_set() {
                    break;
                }
                match self.feasible(pool, wish, Ask::new(&path, &model, &left)) {
                    Outcome::Sat(better) => model = better,
                    Outcome::Unsat(_) | Outcome::Unknown(_) => continue,
                }
            }
            self.push(pool, &mut path, wish, Origin::Assume);
        }
        model
    }
}
