//! Simulated annealing (Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated annealing", Science 1983), with which
//! "Multiplex symbolic execution" (section 4.1) solves conditions on floats: a random move, taken if it leads down, or with a
//! probability that falls with how far it leads up, and with the temperature. There are no descents in between, other than in
//! basin hopping ([`super::hopping`]).
//!
//! The temperature falls geometrically in each round, from the cost at which the round begins. A move changes one variable,
//! and the reach of its moves is adapted so that half of them are taken (Corana, Marchesi, Martini and Ridella, "Minimizing
//! multimodal functions of continuous variables with the simulated annealing algorithm", 1987).

use crate::layer::Layer;
use crate::layers::{FloatSearch, SearchLimits};
use crate::model::Model;
use crate::numeric::{Kind, Problem, Walk};
use crate::options::{FloatMethod, SolverOptions};
use fastrand::Rng;
use linear::Deadline;

/// Moves of each variable in a round.
const MOVES: u32 = 2000;

/// The temperature at which a round ends: next to no move that leads up is taken, whether floats between two sides are counted
/// or the difference of ordinary numbers is taken.
const COLDEST: f64 = 1e-18;

/// The highest temperature at which one begins: more floats than there are lie between no two.
const HOTTEST: f64 = 1e19;

/// The reach of a variable's moves when a round begins.
const REACH: f64 = 1.0;

/// The layer, in the place of descent where annealing is asked for.
pub(super) fn layer(options: &SolverOptions) -> Option<Box<dyn Layer>> {
    let FloatMethod::Annealing(metric) = options.floats else {
        return None;
    };
    Some(Box::new(FloatSearch::new(metric, search, options)))
}

fn search(
    problem: &mut Problem,
    limits: &SearchLimits,
    show: &mut dyn FnMut(&Model),
) -> (Option<Model>, u64) {
    let mut annealing = Annealing::new(problem, limits.seed, limits.ticks, limits.deadline);
    (annealing.run(show), annealing.walk.evaluations)
}

/// One search.
struct Annealing<'a> {
    walk: Walk<'a>,
    rng: Rng,
    kinds: Vec<Kind>,
    /// By variable: how far a move leads at most.
    reach: Vec<f64>,
}

impl<'a> Annealing<'a> {
    /// A search that may evaluate `ticks` operations, and looks at a deadline.
    fn new(
        problem: &'a mut Problem,
        seed: u64,
        ticks: u64,
        deadline: Option<Deadline>,
    ) -> Annealing<'a> {
        Annealing {
            kinds: problem.variables.iter().map(Kind::of).collect(),
            reach: vec![REACH; problem.variables.len()],
            walk: Walk::new(problem, ticks, deadline),
            rng: Rng::with_seed(seed),
        }
    }

    /// Searches until a solution is found or the limits are reached: from the origin, from the start, and then from elsewhere.
    /// Each move is shown to `step` before it is taken or not, if no earlier one violates the same condition first.
    fn run(&mut self, step: &mut dyn FnMut(&Model)) -> Option<Model> {
        let witness = self.walk.values.clone();
        let mut round = 0;
        loop {
            match round {
                0 => self.walk.go(&vec![0; witness.len()]),
                1 => self.walk.go(&witness),
                _ => self.walk.restart(&mut self.rng),
            }
            round += 1;
            self.cool(step);
            if self.walk.is_solved() {
                return Some(self.walk.model());
            }
            if self.walk.is_over() || self.walk.values.is_empty() {
                return None;
            }
        }
    }

    /// One round.
    fn cool(&mut self, step: &mut dyn FnMut(&Model)) {
        let moves = MOVES.saturating_mul(self.kinds.len() as u32);
        let mut temperature = self.walk.cost.clamp(1.0, HOTTEST);
        let factor = (COLDEST / temperature).powf(1.0 / f64::from(moves));
        self.reach.fill(REACH);
        self.walk.show(step);
        for _ in 0..moves {
            if self.walk.is_over() {
                return;
            }
            let variable = self.rng.usize(..self.kinds.len());
            self.go_or_stay(variable, temperature, step);
            temperature *= factor;
        }
    }

    /// A move of a variable, shown and then judged by Metropolis's rule.
    fn go_or_stay(&mut self, variable: usize, temperature: f64, step: &mut dyn FnMut(&Model)) {
        let (kind, reach) = (self.kinds[variable], self.reach[variable]);
        let number = kind.value(self.walk.values[variable]).unwrap_or(0.0);
        let by = reach * (2.0 * self.rng.f64() - 1.0);
        self.walk.change(variable, kind.pattern(number + by));
        self.walk.candidate();
        let lane = self.walk.evaluate();
        let cost = self.walk.look_at(lane);
        self.walk.show(step);
        let chance = (-(cost - self.walk.cost) / temperature).exp();
        let is_down = cost <= self.walk.cost || self.walk.solves(lane);
        let is_taken = is_down || self.rng.f64() < chance;
        if is_taken {
            self.walk.accept(lane);
        } else {
            self.walk.forget();
        }
        let reach = if is_taken { reach / 0.9 } else { reach * 0.9 };
        self.reach[variable] = reach.clamp(1e-300, 1e150);
    }
}

#[cfg(test)]
mod tests;
