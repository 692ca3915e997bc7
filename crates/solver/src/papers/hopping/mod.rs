//! Basin hopping (Wales and Doye 1997), the search of XSat and goSAT: a random move of all variables, a descent to the nearest
//! minimum, and the step is taken if it leads down, or with a probability that falls with how far it leads up (MCMC). A baseline for
//! [`crate::numeric::Descent`]: it moves numbers, not floats in their order, with the distances of the papers.

use crate::layer::Layer;
use crate::layers::{FloatSearch, SearchLimits};
use crate::model::Model;
use crate::numeric::{Kind, Metric, Problem, Walk};
use crate::options::{FloatMethod, SolverOptions};
use fastrand::Rng;
use linear::Deadline;
use term::LANES;

/// Hops before the search starts elsewhere.
const HOPS: u32 = 100;

/// The temperature; 1, as in SciPy, which XSat calls.
const TEMPERATURE: f64 = 1.0;

/// Rounds over all variables in one descent.
const ROUNDS: u32 = 20;

/// The layer, in the place of descent where a distance of the papers is asked for.
pub(super) fn layer(options: &SolverOptions) -> Option<Box<dyn Layer>> {
    let FloatMethod::Search(metric) = options.floats else {
        return None;
    };
    let layer = || Box::new(FloatSearch::new(metric, search, options)) as Box<dyn Layer>;
    (metric != Metric::Steps).then(layer)
}

fn search(
    problem: &mut Problem,
    limits: &SearchLimits,
    show: &mut dyn FnMut(&Model),
) -> (Option<Model>, u64) {
    let mut hopping = Hopping::new(problem, limits.seed, limits.ticks, limits.deadline);
    (hopping.run(show), hopping.evaluations())
}

/// One search.
pub(crate) struct Hopping<'a> {
    walk: Walk<'a>,
    rng: Rng,
    kinds: Vec<Kind>,
}

impl<'a> Hopping<'a> {
    /// A search that may evaluate `ticks` operations, and looks at a deadline.
    pub fn new(
        problem: &'a mut Problem,
        seed: u64,
        ticks: u64,
        deadline: Option<Deadline>,
    ) -> Hopping<'a> {
        Hopping {
            kinds: problem.variables.iter().map(Kind::of).collect(),
            walk: Walk::new(problem, ticks, deadline),
            rng: Rng::with_seed(seed),
        }
    }

    /// Assignments that were evaluated.
    pub fn evaluations(&self) -> u64 {
        self.walk.evaluations
    }

    /// Searches until a solution is found or the limits are reached. Each Monte Carlo step is shown to `step` before it is accepted or
    /// rejected, and so are the steps of its descent, as far as they are the first ones that violate a condition first.
    pub fn run(&mut self, step: &mut dyn FnMut(&Model)) -> Option<Model> {
        // The papers' searches know no witness: they begin at the origin.
        let witness = self.walk.values.clone();
        self.walk.go(&vec![0; witness.len()]);
        self.minimize();
        if !self.walk.is_solved() {
            self.walk.go(&witness);
            self.minimize();
        }
        let mut reach = 0.5;
        let mut hops = 0;
        loop {
            self.walk.show(step);
            if self.walk.is_solved() {
                return Some(self.walk.model());
            }
            if self.walk.is_over() || self.walk.values.is_empty() {
                return None;
            }
            hops += 1;
            if hops % HOPS == 0 {
                self.walk.restart(&mut self.rng);
                self.minimize();
                continue;
            }
            let (cost, values) = (self.walk.cost, self.walk.values.clone());
            for (value, kind) in self.walk.values.iter_mut().zip(&self.kinds) {
                let by = reach * (2.0 * self.rng.f64() - 1.0);
                *value = kind.pattern(kind.value(*value).unwrap_or(0.0) + by);
            }
            self.walk.settle();
            self.minimize();
            let chance = (-(self.walk.cost - cost) / TEMPERATURE).exp();
            let is_accepted = self.walk.is_solved() || self.rng.f64() < chance;
            // Half of the hops are to be taken.
            reach = if is_accepted {
                reach / 0.9
            } else {
                reach * 0.9
            };
            reach = reach.clamp(1e-9, 1e150);
            if !is_accepted {
                self.walk.go(&values);
            }
        }
    }

    /// A descent along one variable after the other, and then along the way that these led (Hooke and Jeeves 1961).
    fn minimize(&mut self) {
        for _ in 0..ROUNDS {
            let (before, start) = (self.walk.cost, self.numbers());
            for variable in 0..self.kinds.len() {
                self.minimize_along(&[(variable, 1.0)]);
                if self.walk.is_over() {
                    return;
                }
            }
            let way: Vec<(usize, f64)> = (0..)
                .zip(
                    self.numbers()
                        .iter()
                        .zip(&start)
                        .map(|(now, then)| now - then),
                )
                .filter(|(_, by)| *by != 0.0 && by.is_finite())
                .collect();
            if way.len() > 1 {
                self.minimize_along(&way);
            }
            if self.walk.cost >= before || self.walk.is_over() {
                return;
            }
        }
    }

    fn numbers(&self) -> Vec<f64> {
        let of = |(kind, &bits): (&Kind, &u128)| kind.value(bits).unwrap_or(0.0);
        self.kinds.iter().zip(&self.walk.values).map(of).collect()
    }

    /// A descent along a line, in steps that become longer or much shorter.
    fn minimize_along(&mut self, way: &[(usize, f64)]) {
        const FACTORS: [f64; LANES / 2] = [4.0, 1.0, 0.125, 0.015_625];
        let mut step = 1.0;
        while !self.walk.is_over() {
            let numbers = self.numbers();
            // Shorter steps move nothing.
            let least = way.iter().map(|&(variable, by)| {
                let least = match self.kinds[variable] {
                    Kind::Float(_) => (numbers[variable].abs() * 1e-17).max(1e-300),
                    Kind::Integer(_) => 0.4,
                };
                least / by.abs()
            });
            if step <= least.fold(f64::INFINITY, f64::min) {
                return;
            }
            for factor in FACTORS {
                for sign in [1.0, -1.0] {
                    for &(variable, by) in way {
                        let number = numbers[variable] + sign * factor * step * by;
                        let bits = self.kinds[variable].pattern(number);
                        self.walk.change(variable, bits);
                    }
                    self.walk.candidate();
                }
            }
            match self.walk.improve() {
                Some(lane) => step *= FACTORS[lane / 2],
                None => step /= 512.0,
            }
        }
    }
}

#[cfg(test)]
mod tests;
