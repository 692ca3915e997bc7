//! A point in the space of assignments, and the moves of a search from it: several candidates are evaluated at once.

use super::distance::Distance;
use super::metric::Metric;
use super::values::random_value;
use crate::model::Model;
use crate::numbers::{Variable, constants, variables};
use fastrand::Rng;
use linear::Deadline;
use term::{LANES, Pool, Term};

/// The deadline is looked at whenever 2^LOOK operations were evaluated.
const LOOK: u32 = 14;

/// A problem to search: conditions that an assignment has to satisfy.
pub(crate) struct Problem {
    pub(crate) variables: Vec<Variable>,
    pub(super) distance: Distance,
    /// Values that are worth a try: bit patterns of the query's constants, by width.
    pub(crate) constants: Vec<(u32, u128)>,
    start: Model,
}

impl Problem {
    /// Symbols that do not move have their values of `start`.
    pub fn new(pool: &Pool, conditions: &[Term], start: &Model, metric: Metric) -> Problem {
        let variables = variables(pool, conditions);
        Problem {
            distance: Distance::new(pool, conditions, &variables, start, metric),
            variables,
            constants: constants(pool, conditions),
            start: start.clone(),
        }
    }

    /// The next search begins there. What does not move is as it was.
    pub fn start_from(&mut self, start: Model) {
        self.start = start;
    }
}

/// The point of a search, and the rest of its budget.
pub(crate) struct Walk<'a> {
    pub problem: &'a mut Problem,
    /// Operations that may still be evaluated.
    pub ticks: u64,
    pub weights: Vec<f64>,
    pub values: Vec<u128>,
    /// Weighted sum of the distances.
    pub cost: f64,
    pub distances: Vec<f64>,
    deadline: Option<Deadline>,
    /// By condition: was there an assignment that violates it first?
    seen: Vec<bool>,
    /// These assignments, as far as nobody was shown them.
    passed: Vec<Model>,
    /// Assignments that were evaluated.
    pub evaluations: u64,
    /// Changes that are to be tried: lane, variable, bits.
    changes: Vec<(usize, usize, u128)>,
    candidates: usize,
    costs: [f64; LANES],
}

impl<'a> Walk<'a> {
    /// Begins at the problem's start.
    pub fn new(problem: &'a mut Problem, ticks: u64, deadline: Option<Deadline>) -> Walk<'a> {
        let start = &problem.start;
        let values = problem.variables.iter().map(|v| v.read(start)).collect();
        let mut walk = Walk {
            weights: vec![1.0; problem.distance.conditions()],
            distances: vec![f64::INFINITY; problem.distance.conditions()],
            seen: vec![false; problem.distance.conditions()],
            passed: Vec::new(),
            problem,
            ticks,
            values,
            cost: f64::INFINITY,
            deadline,
            evaluations: 0,
            changes: Vec::new(),
            candidates: 0,
            costs: [f64::INFINITY; LANES],
        };
        walk.settle();
        // Whoever asked has the start.
        walk.passed.clear();
        walk
    }

    pub fn is_solved(&self) -> bool {
        self.distances.iter().all(|&d| d == 0.0)
    }

    /// Is the search over?
    pub fn is_over(&self) -> bool {
        self.ticks == 0 || self.is_solved()
    }

    /// The assignment.
    pub fn model(&self) -> Model {
        let mut model = self.problem.start.clone();
        for (variable, &bits) in self.problem.variables.iter().zip(&self.values) {
            variable.write(bits, &mut model);
        }
        model
    }

    /// Keeps the assignment to be shown, if there was none yet that violates the same condition first.
    fn pass(&mut self) {
        let violated = self.distances.iter().position(|&d| d > 0.0);
        if violated.is_some_and(|first| !std::mem::replace(&mut self.seen[first], true)) {
            let model = self.model();
            self.passed.push(model);
        }
    }

    /// Keeps a candidate that was evaluated to be shown in the same way, whether or not the search goes there. Gives its cost.
    pub fn look_at(&mut self, lane: usize) -> f64 {
        let distance = &self.problem.distance;
        let violated = (0..self.weights.len()).find(|&k| distance.of(k)[lane] > 0.0);
        if violated.is_some_and(|first| !std::mem::replace(&mut self.seen[first], true)) {
            let mut model = self.model();
            for &(_, variable, bits) in self.changes.iter().filter(|change| change.0 == lane) {
                self.problem.variables[variable].write(bits, &mut model);
            }
            self.passed.push(model);
        }
        self.costs[lane]
    }

    /// Shows the assignments at which the search has been, one for each condition that is the first one violated: the partial solutions
    /// of "Multiplex symbolic execution", sections 3.4 and 4.1.
    pub fn show(&mut self, to: &mut dyn FnMut(&Model)) {
        self.passed.drain(..).for_each(|model| to(&model));
    }

    /// Goes to a random place.
    pub fn restart(&mut self, rng: &mut Rng) {
        let Problem {
            variables,
            constants,
            ..
        } = &*self.problem;
        for (value, variable) in self.values.iter_mut().zip(variables) {
            *value = random_value(variable, constants, rng);
        }
        self.settle();
    }

    /// Puts all lanes where the values are, and evaluates.
    pub fn settle(&mut self) {
        for lane in 0..LANES {
            for (variable, &bits) in self.values.iter().enumerate() {
                self.problem.distance.set(lane, variable, bits);
            }
        }
        self.run(1);
        self.cost = self.costs[0];
        self.keep_distances(0);
        self.pass();
    }

    /// Goes back to values whose cost is known.
    pub fn go(&mut self, values: &[u128]) {
        self.values.copy_from_slice(values);
        self.settle();
    }

    /// The next candidate changes a variable, too.
    pub fn change(&mut self, variable: usize, bits: u128) {
        self.changes.push((self.candidates, variable, bits));
    }

    /// The next candidate moves a variable in the order of its values, too.
    pub fn step(&mut self, variable: usize, steps: i128) {
        let bits = self.problem.variables[variable].moved(self.values[variable], steps);
        self.change(variable, bits);
    }

    /// Completes a candidate. Returns whether there is room for another one.
    pub fn candidate(&mut self) -> bool {
        self.candidates += 1;
        self.candidates < LANES
    }

    /// Evaluates the candidates, of which there is one at least. Gives the best one's lane.
    pub fn evaluate(&mut self) -> usize {
        for &(lane, variable, bits) in &self.changes {
            self.problem.distance.set(lane, variable, bits);
        }
        let count = std::mem::take(&mut self.candidates);
        self.run(count);
        let best = (0..count).min_by(|&a, &b| self.costs[a].total_cmp(&self.costs[b]));
        best.expect("a candidate")
    }

    /// Is the candidate in a lane that was evaluated a solution?
    pub fn solves(&self, lane: usize) -> bool {
        let distance = &self.problem.distance;
        (0..self.weights.len()).all(|k| distance.of(k)[lane] == 0.0)
    }

    /// Goes to a candidate that was evaluated.
    pub fn accept(&mut self, lane: usize) {
        self.cost = self.costs[lane];
        self.keep_distances(lane);
        for k in 0..self.changes.len() {
            let (changed, variable, bits) = self.changes[k];
            if changed == lane {
                self.values[variable] = bits;
            }
        }
        self.forget();
        self.pass();
    }

    /// Stays where it is.
    pub fn forget(&mut self) {
        let changes = std::mem::take(&mut self.changes);
        for &(_, variable, _) in &changes {
            for lane in 0..LANES {
                let bits = self.values[variable];
                self.problem.distance.set(lane, variable, bits);
            }
        }
        self.changes = changes;
        self.changes.clear();
    }

    /// Goes to the best candidate if that is nearer, or a solution. Gives its lane.
    pub fn improve(&mut self) -> Option<usize> {
        let best = self.evaluate();
        if self.costs[best] < self.cost || self.solves(best) {
            self.accept(best);
            return Some(best);
        }
        self.forget();
        None
    }

    /// [`Self::improve`], if there are candidates.
    pub fn improve_with_rest(&mut self) -> Option<usize> {
        if self.candidates > 0 {
            self.improve()
        } else {
            None
        }
    }

    fn run(&mut self, count: usize) {
        let Problem { distance, .. } = &mut *self.problem;
        let before = self.ticks;
        self.ticks = self.ticks.saturating_sub(distance.cost());
        self.evaluations += count as u64;
        if before >> LOOK != self.ticks >> LOOK && self.deadline.is_some_and(|end| end.is_past()) {
            self.ticks = 0;
        }
        distance.run();
        self.costs = [0.0; LANES];
        for (k, weight) in self.weights.iter().enumerate() {
            for (cost, d) in self.costs.iter_mut().zip(distance.of(k)) {
                *cost += d * weight;
            }
        }
    }

    fn keep_distances(&mut self, lane: usize) {
        for (k, kept) in self.distances.iter_mut().enumerate() {
            *kept = self.problem.distance.of(k)[lane];
        }
    }

    /// Increases the weight of the conditions at which the search got stuck.
    pub fn weigh(&mut self, more: f64) {
        for (weight, distance) in self.weights.iter_mut().zip(&self.distances) {
            if *distance > 0.0 {
                *weight += more;
            }
        }
    }
}
