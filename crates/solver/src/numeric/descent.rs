//! Our search: steps of powers of two along one variable after the other, then along equations ([`super::newton`]) and
//! pairs of variables; if no step leads nearer, it restarts elsewhere.

use super::newton;
use super::values::{random_value, special_value};
use super::walk::{Problem, Walk};
use crate::model::Model;
use fastrand::Rng;
use linear::Deadline;
use term::LANES;

/// Batches of pairs of variables that are moved together before a restart, for each variable.
const PAIRS: usize = 3;

/// The growth of the weight of a condition at which the descent got stuck.
const HEAVIER: f64 = 0.5;

/// Restarts after which weights are even again.
const ROUND: u64 = 16;

/// One search.
pub(crate) struct Descent<'a> {
    walk: Walk<'a>,
    rng: Rng,
}

impl<'a> Descent<'a> {
    /// A search that may evaluate `ticks` operations, and looks at a deadline.
    pub fn new(
        problem: &'a mut Problem,
        seed: u64,
        ticks: u64,
        deadline: Option<Deadline>,
    ) -> Descent<'a> {
        Descent {
            walk: Walk::new(problem, ticks, deadline),
            rng: Rng::with_seed(seed),
        }
    }

    /// Assignments that were evaluated.
    pub fn evaluations(&self) -> u64 {
        self.walk.evaluations
    }

    /// Searches until a solution is found or the limits are reached. `nearer` is shown
    /// assignments on the way, one for each condition that is the first one violated.
    pub fn run(&mut self, nearer: &mut dyn FnMut(&Model)) -> Option<Model> {
        let mut restarts = 0;
        loop {
            if restarts == 0 {
                self.constants();
            }
            // A descent leads into the nearest valley; steps along equations, often past it.
            if restarts % 2 == 1 {
                newton::improve(&mut self.walk, &mut self.rng);
            }
            self.descend();
            if !self.walk.is_solved() {
                while newton::improve(&mut self.walk, &mut self.rng) {
                    self.descend();
                }
                self.pairs();
            }
            self.walk.show(nearer);
            if self.walk.is_solved() {
                return Some(self.walk.model());
            }
            if self.walk.ticks == 0 || self.walk.values.is_empty() {
                return None;
            }
            restarts += 1;
            if restarts % ROUND == 0 {
                self.walk.weights.fill(1.0);
            } else {
                self.walk.weigh(HEAVIER);
            }
            self.restart(restarts);
        }
    }

    /// Tries the constants of the query on each variable, as far as an eighth of the ticks goes.
    fn constants(&mut self) {
        let rest = self.walk.ticks / 8 * 7;
        for variable in 0..self.walk.values.len() {
            let width = self.walk.problem.variables[variable].width;
            let constants = self.walk.problem.constants.clone();
            let mut fitting = constants.into_iter().filter(|(w, _)| *w == width);
            loop {
                let mut has_room = true;
                while has_room && let Some((_, bits)) = fitting.next() {
                    self.walk.change(variable, bits);
                    has_room = self.walk.candidate();
                }
                self.walk.improve_with_rest();
                if self.walk.is_over() || self.walk.ticks < rest {
                    return;
                }
                if has_room {
                    break;
                }
            }
        }
    }

    /// Steps along one variable after the other until none leads nearer: longer after one that did, shorter after those that
    /// did not.
    fn descend(&mut self) {
        let count = self.walk.values.len();
        let mut stuck = 0;
        let mut at = 0;
        while stuck < count && !self.walk.is_over() {
            stuck = if self.descend_along(at) { 0 } else { stuck + 1 };
            at = (at + 1) % count;
        }
    }

    fn descend_along(&mut self, variable: usize) -> bool {
        const POWERS: u32 = LANES as u32 / 2;
        let width = self.walk.problem.variables[variable].width;
        let most = width.saturating_sub(2);
        let mut power = most.min(width / 2 + self.rng.u32(..=width / 2));
        let mut has_moved = false;
        while !self.walk.is_over() {
            for k in 0..POWERS.min(power + 1) {
                for step in [1, -1] {
                    self.walk.step(variable, step << (power - k));
                    self.walk.candidate();
                }
            }
            match self.walk.improve() {
                Some(lane) => {
                    has_moved = true;
                    power = (power - lane as u32 / 2 + 1).min(most);
                }
                None if power < POWERS => break,
                None => power -= POWERS,
            }
        }
        has_moved
    }

    /// Moves pairs of variables together.
    fn pairs(&mut self) {
        let count = self.walk.values.len();
        if count < 2 {
            return;
        }
        for _ in 0..PAIRS * count.min(16) {
            if self.walk.is_over() {
                return;
            }
            for _ in 0..LANES {
                let a = self.rng.usize(..count);
                let b = (a + 1 + self.rng.usize(..count - 1)) % count;
                if self.rng.u8(..4) == 0 {
                    self.special(a);
                    self.special(b);
                    self.walk.candidate();
                    continue;
                }
                for variable in [a, b] {
                    let width = self.walk.problem.variables[variable].width;
                    let step = 1i128 << self.rng.u32(..width.max(2) - 1);
                    let forward = self.rng.bool();
                    self.walk.step(variable, if forward { step } else { -step });
                }
                self.walk.candidate();
            }
            if self.walk.improve().is_some() {
                self.descend();
            }
        }
    }

    /// The next candidate has a special number there.
    fn special(&mut self, variable: usize) {
        let Problem {
            variables,
            constants,
            ..
        } = &*self.walk.problem;
        let bits = special_value(&variables[variable], constants, &mut self.rng);
        self.walk.change(variable, bits);
    }

    /// Begins elsewhere: some variables get other values, all of them now and then.
    fn restart(&mut self, restarts: u64) {
        let all = restarts.is_multiple_of(4);
        let count = self.walk.values.len();
        let chosen = self.rng.usize(..count.max(1));
        for variable in 0..count {
            if all || variable == chosen || self.rng.usize(..count) == 0 {
                let Problem {
                    variables,
                    constants,
                    ..
                } = &*self.walk.problem;
                let bits = random_value(&variables[variable], constants, &mut self.rng);
                self.walk.values[variable] = bits;
            }
        }
        self.walk.settle();
    }
}
