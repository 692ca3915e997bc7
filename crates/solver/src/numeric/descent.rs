//! Descent: steps of powers of two on one variable, as long as the distance shrinks; restarts where it does not.

use super::distance::{Distance, infinity};
use super::variables::{Variable, variables};
use crate::invert::Rng;
use crate::query::Model;
use linear::Deadline;
use term::{FloatFormat, Op, Pool, Symbol, Term};

/// Pairs of variables that are moved together before a restart, for each variable.
const PAIRS: u64 = 24;

/// By how much the weight of a condition grows where the descent got stuck on it.
const HEAVIER: f64 = 0.5;

/// Restarts after which weights are even again.
const ROUND: u64 = 16;

/// The deadline is looked at whenever 2^LOOK operations were evaluated.
const LOOK: u32 = 14;

/// What is searched for: an assignment that satisfies conditions.
pub(crate) struct Problem {
    variables: Vec<Variable>,
    distance: Distance,
    /// Values that are worth a try: bit patterns of the query's constants, by width.
    constants: Vec<(u32, u128)>,
}

impl Problem {
    /// `symbols` are those of the conditions.
    pub fn new(pool: &Pool, conditions: &[Term], symbols: &[Symbol]) -> Problem {
        let mut constants = Vec::new();
        for t in pool.cone(conditions) {
            let is_constant = matches!(pool.op(t), Op::Const | Op::ConstWide);
            if is_constant && (8..=128).contains(&pool.width(t)) {
                let limbs = pool.const_limbs(t);
                let high = limbs.get(1).copied().unwrap_or(0);
                constants.push((pool.width(t), u128::from(limbs[0]) | u128::from(high) << 64));
            }
        }
        Problem {
            variables: variables(pool, conditions, symbols),
            distance: Distance::new(pool, conditions),
            constants,
        }
    }
}

/// One search.
pub(crate) struct Descent<'a> {
    problem: &'a mut Problem,
    rng: Rng,
    /// Operations that may still be evaluated.
    ticks: u64,
    weights: Vec<f64>,
    model: Model,
    values: Vec<u128>,
    /// Weighted sum of the distances.
    cost: f64,
    distances: Vec<f64>,
    deadline: Option<Deadline>,
    /// Evaluations so far.
    pub evaluations: u64,
}

impl<'a> Descent<'a> {
    /// A search from an assignment that may evaluate `ticks` operations, and looks at a deadline.
    pub fn new(
        problem: &'a mut Problem,
        start: &Model,
        seed: u64,
        ticks: u64,
        deadline: Option<Deadline>,
    ) -> Descent<'a> {
        let values = problem.variables.iter().map(|v| v.read(start)).collect();
        let mut descent = Descent {
            weights: vec![1.0; problem.distance.conditions()],
            problem,
            rng: Rng::new(seed),
            ticks,
            model: start.clone(),
            values,
            cost: f64::INFINITY,
            distances: Vec::new(),
            deadline,
            evaluations: 0,
        };
        descent.cost = descent.evaluate();
        descent
    }

    /// Searches until a solution is found or the limits are reached. `nearer` is shown the assignment at the end of each
    /// descent.
    pub fn run(&mut self, nearer: &mut dyn FnMut(&Model)) -> Option<Model> {
        let mut restarts = 0;
        loop {
            self.descend();
            if self.is_solved() {
                return Some(self.model.clone());
            }
            nearer(&self.model);
            self.pairs();
            if self.is_solved() {
                return Some(self.model.clone());
            }
            if self.ticks == 0 || self.values.is_empty() {
                return None;
            }
            restarts += 1;
            self.reweigh(restarts);
            self.restart(restarts);
        }
    }

    fn is_solved(&self) -> bool {
        self.distances.iter().all(|&d| d == 0.0)
    }

    fn evaluate(&mut self) -> f64 {
        let Problem { distance, .. } = &mut *self.problem;
        let before = self.ticks;
        self.ticks = self.ticks.saturating_sub(distance.cost());
        self.evaluations += 1;
        if before >> LOOK != self.ticks >> LOOK && self.deadline.is_some_and(|end| end.is_past()) {
            self.ticks = 0;
        }
        distance.of(&self.model, &mut self.distances);
        let weighted = self.distances.iter().zip(&self.weights);
        weighted.map(|(d, w)| d * w).sum()
    }

    fn set(&mut self, variable: usize, bits: u128) {
        self.values[variable] = bits;
        self.problem.variables[variable].write(bits, &mut self.model);
    }

    /// Moves variables; keeps that only if it leads nearer.
    fn try_moves(&mut self, moves: &[(usize, i128)]) -> bool {
        let mut before = [0; 2];
        for (k, &(variable, steps)) in moves.iter().enumerate() {
            before[k] = self.values[variable];
            let bits = self.problem.variables[variable].moved(before[k], steps);
            self.set(variable, bits);
        }
        let cost = self.evaluate();
        if cost < self.cost {
            self.cost = cost;
            return true;
        }
        if self.is_solved() {
            return true;
        }
        for (k, &(variable, _)) in moves.iter().enumerate().rev() {
            self.set(variable, before[k]);
        }
        false
    }

    /// Steps along one variable after the other until none leads nearer: twice as long after one that did, half as long
    /// after one that did not.
    fn descend(&mut self) {
        let count = self.values.len();
        let mut stuck = 0;
        let mut at = 0;
        while stuck < count && self.ticks > 0 && !self.is_solved() {
            let width = self.problem.variables[at].width;
            let mut power = width.saturating_sub(2).min(self.power(width));
            let mut moved = false;
            loop {
                let step = 1i128 << power;
                let forward = self.rng.next() >> 63 != 0;
                let step = if forward { step } else { -step };
                if self.try_moves(&[(at, step)]) || self.try_moves(&[(at, -step)]) {
                    moved = true;
                    power = (power + 1).min(width.saturating_sub(2));
                    if self.is_solved() || self.ticks == 0 {
                        return;
                    }
                } else if power == 0 || self.ticks == 0 {
                    break;
                } else {
                    power -= 1;
                }
            }
            stuck = if moved { 0 } else { stuck + 1 };
            at = (at + 1) % count;
        }
        self.cost = self.evaluate();
    }

    /// The first step of a descent along a variable.
    fn power(&mut self, width: u32) -> u32 {
        width / 2 + self.rng.below(u64::from(width / 2 + 1)) as u32
    }

    /// Moves pairs of variables together.
    fn pairs(&mut self) {
        let count = self.values.len() as u64;
        if count < 2 {
            return;
        }
        for _ in 0..PAIRS * count.min(16) {
            if self.ticks == 0 || self.is_solved() {
                return;
            }
            let a = self.rng.below(count) as usize;
            let b = self.rng.below(count) as usize;
            if a == b {
                continue;
            }
            let mut step = |variable: usize| {
                let width = self.problem.variables[variable].width;
                let step = 1i128 << self.rng.below(u64::from(width.max(2) - 1));
                if self.rng.next() >> 63 != 0 {
                    step
                } else {
                    -step
                }
            };
            let moves = [(a, step(a)), (b, step(b))];
            if self.try_moves(&moves) {
                self.descend();
            }
        }
    }

    /// What the descent got stuck on counts more.
    fn reweigh(&mut self, restarts: u64) {
        if restarts.is_multiple_of(ROUND) {
            self.weights.fill(1.0);
            return;
        }
        for (weight, distance) in self.weights.iter_mut().zip(&self.distances) {
            if *distance > 0.0 {
                *weight += HEAVIER;
            }
        }
    }

    /// Begins elsewhere: some variables get other values, all of them now and then.
    fn restart(&mut self, restarts: u64) {
        let all = restarts.is_multiple_of(4);
        let count = self.values.len() as u64;
        let chosen = self.rng.below(count) as usize;
        for variable in 0..self.values.len() {
            if all || variable == chosen || self.rng.below(count) == 0 {
                let bits = self.value(variable);
                self.set(variable, bits);
            }
        }
        self.cost = self.evaluate();
    }

    /// A value to begin with: a constant of the query or one near it, a number of ordinary size, an end of the format's
    /// range, or any bits.
    fn value(&mut self, variable: usize) -> u128 {
        let Variable { width, format, .. } = self.problem.variables[variable];
        let mask = u128::MAX >> (128 - width);
        let any = (u128::from(self.rng.next()) << 64 | u128::from(self.rng.next())) & mask;
        let fitting: Vec<u128> = self
            .problem
            .constants
            .iter()
            .filter(|(w, _)| *w == width)
            .map(|&(_, value)| value)
            .collect();
        match (self.rng.below(5), format) {
            (0, _) if !fitting.is_empty() => {
                let value = fitting[self.rng.below(fitting.len() as u64) as usize];
                let near = 1i128 << self.rng.below(u64::from(width - 1));
                self.problem.variables[variable].moved(value, near)
            }
            // A number around 1, up to a square root of the largest.
            (1 | 2, Some(format)) => {
                let stored = format.bits() - 1 - format.exponent_bits();
                let bias = (1u64 << (format.exponent_bits() - 1)) - 1;
                let room = 1u64 << (1 + self.rng.below(u64::from(format.exponent_bits() - 2)));
                let exponent = (bias + self.rng.below(room)).saturating_sub(room / 2);
                let fraction = any & ((1 << stored) - 1);
                let fraction = fraction | u128::from(format.has_integer_bit()) << (stored - 1);
                let sign = any & 1 << (width - 1);
                sign | u128::from(exponent) << stored | fraction
            }
            (3, Some(format)) => {
                let magnitudes = [
                    0,
                    1,
                    smallest_normal(format),
                    infinity(format) - 1,
                    infinity(format),
                    infinity(format) | 1 << (format.precision() - 2),
                ];
                let sign = any & 1 << (width - 1);
                sign | magnitudes[self.rng.below(magnitudes.len() as u64) as usize]
            }
            (1 | 2, None) => any >> self.rng.below(u64::from(width)),
            _ => any,
        }
    }
}

/// The pattern of the smallest normal number.
fn smallest_normal(format: FloatFormat) -> u128 {
    let stored = format.bits() - 1 - format.exponent_bits();
    let integer_bit = u128::from(format.has_integer_bit()) << (stored - 1);
    1 << stored | integer_bit
}
