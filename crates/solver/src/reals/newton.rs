//! Newton's method on the conditions that a point violates.
//!
//! A step solves the linearized conditions with the least change of the variables (Gauss and Newton). Unlike interval
//! Newton it need not be verified: its result is only tried. It finds what contraction is slow at, solutions of
//! coupled equations.

use super::functions;
use super::system::{Constraint, RealOp, System};

/// Steps of one attempt.
const STEPS: usize = 24;
/// More variables are left to contraction.
const MAX_VARIABLES: usize = 64;
/// Sides of an equation are the same at this difference in relation to them.
const NEAR: f64 = 1e-12;
/// The margin by which an inequality is satisfied, as a part of its sides: it may be strict.
const MARGIN: f64 = 1e-6;

/// A value and its gradient.
type Slope = (f64, Vec<f64>);

/// A point that satisfies all conditions up to rounding, from another point. Subtracts its cost from `ticks`.
pub(super) fn approach(
    system: &System,
    case: &[Constraint],
    start: &[f64],
    ticks: &mut u64,
) -> Option<Vec<f64>> {
    if start.len() > MAX_VARIABLES {
        return None;
    }
    let mut point = start.to_vec();
    for _ in 0..STEPS {
        *ticks = ticks.saturating_sub(cost(system, case));
        let slopes = slopes(system, &point)?;
        let violated: Vec<Slope> = (case.iter())
            .filter_map(|constraint| violation(constraint, &slopes))
            .collect();
        if violated.is_empty() {
            return Some(point);
        }
        step(&violated, &mut point)?;
    }
    None
}

/// Operations that a step takes; those on gradients are quick ones.
fn cost(system: &System, case: &[Constraint]) -> u64 {
    system.cost(case) * (1 + system.variables.len() as u64 / 8)
}

/// The amount by which a condition is violated, if it is.
fn violation(constraint: &Constraint, slopes: &[Slope]) -> Option<Slope> {
    let ((a, left), (b, right)) = (&slopes[constraint.left], &slopes[constraint.right]);
    let size = a.abs() + b.abs();
    let difference = a - b;
    let violation = if constraint.is_equality {
        (difference.abs() > NEAR * size).then_some(difference)?
    } else {
        let overdone = difference + MARGIN * size;
        (difference > 0.0).then_some(overdone)?
    };
    let gradient = left.iter().zip(right).map(|(x, y)| x - y).collect();
    Some((violation, gradient))
}

/// Values and gradients of all nodes at a point; `None` where one is no number.
fn slopes(system: &System, point: &[f64]) -> Option<Vec<Slope>> {
    let count = point.len();
    let mut slopes: Vec<Slope> = Vec::with_capacity(system.nodes().len());
    for &node in system.nodes() {
        let of = |k: usize| &slopes[k];
        let combined = |value: f64, parts: &[(f64, usize)]| -> Slope {
            let mut gradient = vec![0.0; count];
            for &(factor, k) in parts {
                for (to, from) in gradient.iter_mut().zip(&of(k).1) {
                    *to += factor * from;
                }
            }
            (value, gradient)
        };
        let slope = match node {
            RealOp::Constant(value) => combined(value.low, &[]),
            RealOp::Anything | RealOp::Remainder(..) => combined(0.0, &[]),
            RealOp::Variable(k) => {
                let mut gradient = vec![0.0; count];
                gradient[k] = 1.0;
                (point[k], gradient)
            }
            RealOp::Sum(a, b) => combined(of(a).0 + of(b).0, &[(1.0, a), (1.0, b)]),
            RealOp::Difference(a, b) => combined(of(a).0 - of(b).0, &[(1.0, a), (-1.0, b)]),
            RealOp::Product(a, b) => {
                let (x, y) = (of(a).0, of(b).0);
                combined(x * y, &[(y, a), (x, b)])
            }
            RealOp::Quotient(a, b) => {
                let (x, y) = (of(a).0, of(b).0);
                combined(x / y, &[(1.0 / y, a), (-x / (y * y), b)])
            }
            RealOp::Square(a) => combined(of(a).0 * of(a).0, &[(2.0 * of(a).0, a)]),
            RealOp::Root(a) => {
                let root = of(a).0.sqrt();
                combined(root, &[(0.5 / root, a)])
            }
            RealOp::Negated(a) => combined(-of(a).0, &[(-1.0, a)]),
            RealOp::Absolute(a) => combined(of(a).0.abs(), &[(of(a).0.signum(), a)]),
            RealOp::Smaller(a, b) if of(a).0 <= of(b).0 => of(a).clone(),
            RealOp::Larger(a, b) if of(a).0 >= of(b).0 => of(a).clone(),
            RealOp::Smaller(_, b) | RealOp::Larger(_, b) => of(b).clone(),
            RealOp::Near(a) | RealOp::Wrapped(a, _) | RealOp::Either(a, _) => of(a).clone(),
            RealOp::Call(function, a, b) => {
                let (x, y) = (of(a).0, of(b).0);
                let call = |x, y| functions::value(function, x, y);
                let along_x = rise(x, |x| call(x, y));
                if function.arity() == 1 {
                    combined(call(x, y), &[(along_x, a)])
                } else {
                    let along_y = rise(y, |y| call(x, y));
                    combined(call(x, y), &[(along_x, a), (along_y, b)])
                }
            }
        };
        if !slope.0.is_finite() || slope.1.iter().any(|x| !x.is_finite()) {
            return None;
        }
        slopes.push(slope);
    }
    Some(slopes)
}

/// The slope of a function at a number, about.
fn rise(at: f64, of: impl Fn(f64) -> f64) -> f64 {
    let step = at.abs().max(1e-3) * 1e-6;
    (of(at + step) - of(at - step)) / (2.0 * step)
}

/// Moves the point by the least change that makes the linearized violations 0: `J^T y` where `J J^T y` is these.
fn step(violated: &[Slope], point: &mut [f64]) -> Option<()> {
    let count = violated.len();
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(x, y)| x * y).sum() };
    let mut rows: Vec<Vec<f64>> = (violated.iter())
        .map(|(violation, gradient)| {
            let products = violated.iter().map(|(_, other)| dot(gradient, other));
            products.chain([*violation]).collect()
        })
        .collect();
    // Gauss, with the largest pivot; what depends on the rows before it is left alone.
    let mut pivots: Vec<Option<usize>> = vec![None; count];
    let mut used = 0;
    for column in 0..count {
        let best =
            (used..count).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()));
        let Some(best) = best else { break };
        let size: f64 = violated[column].1.iter().map(|x| x * x).sum();
        if rows[best][column].abs() <= 1e-12 * size || size == 0.0 {
            continue;
        }
        rows.swap(used, best);
        let pivot = rows[used].clone();
        for (k, row) in rows.iter_mut().enumerate() {
            let factor = row[column] / pivot[column];
            if k != used && factor != 0.0 {
                row.iter_mut()
                    .zip(&pivot)
                    .for_each(|(x, y)| *x -= factor * y);
            }
        }
        pivots[column] = Some(used);
        used += 1;
    }
    let mut moved = false;
    for (column, pivot) in pivots.iter().enumerate() {
        let Some(row) = *pivot else { continue };
        let factor = rows[row][count] / rows[row][column];
        for (x, slope) in point.iter_mut().zip(&violated[column].1) {
            moved |= factor * slope != 0.0;
            *x -= factor * slope;
        }
    }
    (moved && point.iter().all(|x| x.is_finite())).then_some(())
}
