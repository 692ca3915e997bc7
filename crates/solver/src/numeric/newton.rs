//! Steps along several equations at once: Newton's method for as many equations as there are, with the shortest step where
//! there are more variables (Levenberg and Marquardt), over the reals; then the floats around.
//!
//! A descent along single variables ends where each move breaks one of two equations. Here all equations are made linear where
//! the search stands, and it moves to where they would hold together. (The stages real numbers, units in the last place,
//! projection on equations are those of StageSAT, arXiv 2601.04492.)

use super::distance::Demand;
use super::values::Kind;
use super::walk::Walk;
use fastrand::Rng;
use term::{FloatFormat, FloatPredicate, LANES};

/// Variables that move together.
const MAX_COLUMNS: usize = 32;
/// Equations that are looked at together.
const MAX_ROWS: usize = 32;
/// Steps of one attempt, and how many in a row may lead no nearer.
const STEPS: usize = 24;
const PATIENCE: usize = 4;
/// The floats around are tried where each condition is missed by fewer steps than this power of two.
const NEAR: f64 = 16.0;
/// Batches of candidates around where the steps end.
const AROUND: usize = 24;
/// Parts of a step that are tried.
const PARTS: [f64; 6] = [1.0, 0.5, 0.25, 0.0625, 1e-3, 2.0];

/// Equations where the search stands, made linear.
struct Linear {
    equations: Vec<Demand>,
    /// Lengths of the rows.
    lengths: Vec<f64>,
    columns: Vec<Column>,
    /// The derivatives by row, each times its column's scale.
    rows: Vec<Vec<f64>>,
    /// The residual of each equation.
    missing: Vec<f64>,
}

/// A variable that moves.
#[derive(Clone, Copy)]
struct Column {
    variable: usize,
    kind: Kind,
    value: f64,
    scale: f64,
}

/// Tries to come nearer. Returns whether it did.
pub(super) fn improve(walk: &mut Walk<'_>, rng: &mut Rng) -> bool {
    if walk.is_over() {
        return false;
    }
    let (before, start) = (walk.cost, walk.values.clone());
    let (mut best, mut nearest) = (before, start.clone());
    let mut columns = Vec::new();
    let mut patience = PATIENCE;
    for _ in 0..STEPS {
        let Some(linear) = Linear::of(walk, rng) else {
            break;
        };
        let Some(step) = linear.step(&linear.missing) else {
            break;
        };
        columns = linear.columns.clone();
        for part in PARTS {
            linear.propose(walk, &step, part, false);
        }
        linear.propose(walk, &step, 1.0, true);
        linear.slide(walk, rng);
        let best_lane = walk.evaluate();
        let lane = if walk.solves(best_lane) {
            best_lane
        } else {
            linear.nearest(walk)
        };
        walk.accept(lane);
        if walk.cost < best {
            best = walk.cost;
            nearest.copy_from_slice(&walk.values);
            patience = PATIENCE;
        } else if patience == 0 {
            break;
        } else {
            patience -= 1;
        }
        if walk.is_over() {
            return walk.is_solved();
        }
    }
    walk.go(&nearest);
    if walk.distances.iter().all(|&distance| distance < NEAR) {
        around(walk, &columns, rng);
    }
    walk.cost < before
}

/// Tries floats near those where the search stands, all variables at once.
fn around(walk: &mut Walk<'_>, columns: &[Column], rng: &mut Rng) {
    if columns.is_empty() {
        return;
    }
    for round in 0..AROUND {
        if walk.is_over() {
            return;
        }
        let reach = 1 << (round % 4);
        for _ in 0..LANES {
            for column in columns {
                if rng.bool() {
                    let steps = rng.i128(-reach..=reach);
                    walk.step(column.variable, steps);
                }
            }
            walk.candidate();
        }
        walk.improve();
    }
}

/// Is the demand an equation, as far as this place goes? A violated inequality is one, a satisfied one is none.
fn is_equation(walk: &Walk<'_>, demand: &Demand) -> bool {
    match demand.predicate {
        FloatPredicate::Oeq | FloatPredicate::Ueq => true,
        FloatPredicate::One | FloatPredicate::Une => false,
        _ => !walk.problem.distance.holds(demand, 0),
    }
}

impl Linear {
    /// The equations and variables where the search stands, if there are any.
    fn of(walk: &mut Walk<'_>, rng: &mut Rng) -> Option<Linear> {
        if walk.values.is_empty() {
            return None;
        }
        // All lanes stand where the search does, but only a run says what the sides are there.
        walk.step(0, 0);
        walk.candidate();
        walk.evaluate();
        walk.forget();
        let distance = &walk.problem.distance;
        let mut equations: Vec<Demand> = distance.demands().to_vec();
        equations.retain(|demand| is_equation(walk, demand));
        equations.truncate(MAX_ROWS);
        let sides: Vec<[f64; 2]> = equations
            .iter()
            .map(|demand| distance.sides(demand, 0))
            .collect();
        let missing: Vec<f64> = sides.iter().map(|[a, b]| b - a).collect();
        if equations.is_empty() || missing.iter().any(|m| !m.is_finite()) {
            return None;
        }
        let relative = rng.bool();
        let mut columns: Vec<Column> = Vec::new();
        for (variable, &bits) in walk.values.iter().enumerate() {
            let kind = Kind::of(&walk.problem.variables[variable]);
            let value = kind.value(bits).filter(|value| value.is_finite());
            if let Some(value) = value {
                let scale = if relative { value.abs().max(1.0) } else { 1.0 };
                columns.push(Column {
                    variable,
                    kind,
                    value,
                    scale,
                });
            }
        }
        while columns.len() > MAX_COLUMNS {
            columns.swap_remove(rng.usize(..columns.len()));
        }
        let mut rows = vec![Vec::with_capacity(columns.len()); equations.len()];
        for chunk in columns.chunks(LANES) {
            for column in chunk {
                walk.change(column.variable, column.beside());
                walk.candidate();
            }
            walk.evaluate();
            for (lane, column) in chunk.iter().enumerate() {
                let moved = column.kind.value(column.beside())? - column.value;
                for ((row, equation), [a, b]) in rows.iter_mut().zip(&equations).zip(&sides) {
                    let [x, y] = walk.problem.distance.sides(equation, lane);
                    let slope = ((x - a) - (y - b)) / moved * column.scale;
                    row.push(if slope.is_finite() { slope } else { 0.0 });
                }
            }
            walk.forget();
        }
        let mut linear = Linear {
            lengths: vec![f64::INFINITY; equations.len()],
            equations,
            columns,
            rows,
            missing,
        };
        linear.normalize();
        Some(linear)
    }

    /// Makes the rows equally long. What does not depend on the variables here is left out.
    fn normalize(&mut self) {
        let missing = self.missing.iter_mut().zip(&mut self.lengths);
        for (row, (missing, kept)) in self.rows.iter_mut().zip(missing) {
            let length = dot(row, row).sqrt();
            if length > 0.0 && length.is_finite() {
                row.iter_mut().for_each(|slope| *slope /= length);
                *missing /= length;
                *kept = length;
            } else {
                row.fill(0.0);
                *missing = 0.0;
            }
        }
    }

    /// The shortest step, in units of the columns' scales, by which the left sides grow by `wanted`.
    fn step(&self, wanted: &[f64]) -> Option<Vec<f64>> {
        let count = self.rows.len();
        let mut system: Vec<Vec<f64>> = (0..count)
            .map(|i| {
                let products = self.rows.iter().map(|row| dot(&self.rows[i], row));
                products.chain([wanted[i]]).collect()
            })
            .collect();
        for (i, row) in system.iter_mut().enumerate() {
            // Dependent equations are solved as well as they can be.
            row[i] += 1e-14;
        }
        let factors = eliminate(&mut system)?;
        let mut step = vec![0.0; self.columns.len()];
        for (row, factor) in self.rows.iter().zip(factors) {
            for (step, slope) in step.iter_mut().zip(row) {
                *step += slope * factor;
            }
        }
        let is_step = step.iter().all(|s| s.is_finite()) && step.iter().any(|&s| s != 0.0);
        is_step.then_some(step)
    }

    /// The lane of the last run in which least is missing, as numbers: the way to a solution may lead over assignments that
    /// satisfy fewer conditions.
    fn nearest(&self, walk: &Walk<'_>) -> usize {
        let missing = |lane: usize| -> f64 {
            let part = |(equation, length): (&Demand, &f64)| {
                let [a, b] = walk.problem.distance.sides(equation, lane);
                let missing = (b - a) / length;
                let is_satisfied = walk.problem.distance.holds(equation, lane);
                if is_satisfied { 0.0 } else { missing * missing }
            };
            self.equations.iter().zip(&self.lengths).map(part).sum()
        };
        let least = (0..LANES).min_by(|&a, &b| missing(a).total_cmp(&missing(b)));
        least.expect("there are lanes")
    }

    /// The candidate at a part of a step, all of whose numbers may be rounded to integers.
    fn propose(&self, walk: &mut Walk<'_>, step: &[f64], part: f64, rounded: bool) {
        for (column, step) in self.columns.iter().zip(step) {
            let value = column.value + step * column.scale * part;
            let value = if rounded { value.round() } else { value };
            walk.change(column.variable, column.kind.pattern(value));
        }
        walk.candidate();
    }

    /// A candidate that keeps the equations, as far as they are linear.
    fn slide(&self, walk: &mut Walk<'_>, rng: &mut Rng) {
        let mut direction: Vec<f64> = self
            .columns
            .iter()
            .map(|_| f64::from(rng.u32(..2001)) / 1000.0 - 1.0)
            .collect();
        let grown: Vec<f64> = self.rows.iter().map(|row| dot(row, &direction)).collect();
        if let Some(back) = self.step(&grown) {
            for (direction, back) in direction.iter_mut().zip(back) {
                *direction -= back;
            }
        }
        let part = (f64::from(rng.u32(..64)) - 48.0).exp2();
        self.propose(walk, &direction, part, false);
    }
}

impl Column {
    /// A neighbouring value, for slopes.
    fn beside(&self) -> u128 {
        let size = self.value.abs().max(self.scale * 1e-3);
        let by = match self.kind {
            Kind::Float(FloatFormat::SINGLE) => size * 1e-3,
            Kind::Float(_) => size * 1e-7,
            Kind::Integer(_) => 1.0,
        };
        self.kind.pattern(self.value + by)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Solves a system of linear equations, with the right side as last column (Gaussian elimination with pivots).
fn eliminate(system: &mut [Vec<f64>]) -> Option<Vec<f64>> {
    let count = system.len();
    for k in 0..count {
        let pivot =
            (k..count).max_by(|&a, &b| system[a][k].abs().total_cmp(&system[b][k].abs()))?;
        system.swap(k, pivot);
        if system[k][k] == 0.0 || !system[k][k].is_finite() {
            return None;
        }
        let (above, below) = system.split_at_mut(k + 1);
        let row = &above[k];
        for other in below {
            let factor = other[k] / row[k];
            if factor != 0.0 {
                for (x, y) in other[k..].iter_mut().zip(&row[k..]) {
                    *x -= factor * y;
                }
            }
        }
    }
    let mut solution = vec![0.0; count];
    for k in (0..count).rev() {
        let known: f64 = (k + 1..count).map(|j| system[k][j] * solution[j]).sum();
        solution[k] = (system[k][count] - known) / system[k][k];
    }
    Some(solution)
}
