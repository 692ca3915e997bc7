//! Branching on a reduced basis: K. Aardal, C. Hurkens and A. Lenstra, "Solving a system of linear Diophantine equations
//! with lower and upper bounds on the variables", Math. of OR 25, 2000; B. Krishnamoorthy and G. Pataki, "Column basis
//! reduction and decomposable knapsack problems", Discrete Optimization 6, 2009.
//!
//! The integer solutions of the equations are `x₀ + Σ yⱼ·bⱼ` with integer `yⱼ`. Where the `bⱼ` are long and almost parallel,
//! a branch on a variable of the problem cuts off almost nothing. So the basis is reduced (A. Lenstra, H. Lenstra and
//! L. Lovász, 1982), with each bounded variable and form as a coordinate whose unit is its range. The search
//! then branches on the `yⱼ`, which are forms over the variables; the last one first, since its range is the smallest as
//! a rule.
//!
//! Floats choose the steps of the reduction; the steps are exact, and any sequence of them gives a basis.

use super::Integers;
use crate::form::{Form, Var};
use crate::rational::Rational;
use crate::simplex::Side;
use crate::ticks::Ticks;
use rustc_hash::FxHashMap;

/// Largest dimension of the solutions, and most coordinates.
const MAX_DIMENSION: usize = 48;
const MAX_COORDINATES: usize = 256;
/// Most exchanges of two vectors, by dimension.
const MAX_SWAPS: usize = 1000;
/// Most passes in which a vector is made short.
const MAX_PASSES: usize = 50;
/// Lovász's condition.
const DELTA: f64 = 0.99;
/// The unit of a variable without both bounds.
const UNBOUNDED: f64 = 1e4;
/// Steps of one subtraction: larger quotients are subtracted in several.
const LARGEST: f64 = (1u64 << 60) as f64;

/// A vector of the basis, and the form that is its coefficient.
struct Column {
    /// By coordinate, in units of the problem.
    vector: Vec<Rational>,
    /// In ranges.
    scaled: Vec<f64>,
    form: Form,
}

struct Basis {
    columns: Vec<Column>,
    /// 1 over the range of each coordinate.
    weights: Vec<f64>,
}

impl Integers {
    /// Variables to branch on, the first one first; when all of them are integers, all variables are. Of the bounds, those
    /// that hold now count, and the variables made live as long as they do.
    pub(super) fn reduced(&mut self, ticks: &mut Ticks) -> Option<Vec<Var>> {
        let mut basis = self.basis(ticks)?;
        basis.reduce(ticks);
        let columns = basis.columns.iter().rev();
        let vars = columns.map(|column| match column.form.terms() {
            [(v, c)] if c.abs().is_one() => *v,
            _ => self.simplex.define(&column.form),
        });
        let vars: Vec<Var> = vars.collect();
        self.stats.reductions += 1;
        Some(vars)
    }

    /// The lattice of the equations' solutions.
    fn basis(&self, ticks: &mut Ticks) -> Option<Basis> {
        let (_, equations) = self.equations();
        let solved = self.eliminate(equations, ticks).ok()?;
        // What each variable that was made stands for.
        let mut made: FxHashMap<Var, Form> = FxHashMap::default();
        let is_made = |v: Var| v.at() >= self.simplex.vars();
        for (_, definition) in &solved {
            let mut terms = definition.form.terms().iter();
            let Some((fresh, c)) = terms.find(|(v, _)| is_made(*v) && !made.contains_key(v)) else {
                continue;
            };
            let mut form = Form::new();
            for (v, d) in definition.form.terms().iter().filter(|(v, _)| v != fresh) {
                let factor = &-d / c;
                match made.get(v) {
                    Some(known) => form.add_scaled(known, &factor),
                    None => form.add_scaled(&Form::var(*v), &factor),
                }
            }
            made.insert(*fresh, form);
        }
        let vars: Vec<Var> = (0..self.simplex.vars() as u32).map(Var).collect();
        let own = vars
            .iter()
            .filter(|v| self.simplex.definition(**v).is_none());
        let mut free: Vec<Var> = own.copied().chain(made.keys().copied()).collect();
        free.retain(|v| solved.iter().all(|(x, _)| x != v));
        free.sort_unstable();
        let mut basis = Basis {
            columns: Vec::new(),
            weights: Vec::new(),
        };
        let mut rows: Vec<Form> = Vec::new();
        for &v in &vars {
            let low = self.simplex.bound(v, Side::Lower);
            let high = self.simplex.bound(v, Side::Upper);
            let range = match low.zip(high) {
                Some((low, high)) => (&high.value.real - &low.value.real).to_f64() + 1.0,
                None if self.simplex.definition(v).is_some() => continue,
                None => UNBOUNDED,
            };
            let own = Form::var(v);
            let mut form = self.simplex.definition(v).unwrap_or(&own).clone();
            for (x, definition) in &solved {
                let c = -&form.coefficient(*x);
                form.add_scaled(&definition.form, &c);
            }
            if !ticks.spend((form.terms().len() + solved.len()) as u64) {
                return None;
            }
            if !form.is_zero() {
                rows.push(form);
                basis.weights.push(1.0 / range);
            }
        }
        if !(2..=MAX_DIMENSION).contains(&free.len()) || rows.len() > MAX_COORDINATES {
            return None;
        }
        for v in free {
            let vector: Vec<Rational> = rows.iter().map(|row| row.coefficient(v)).collect();
            let form = made.get(&v).cloned().unwrap_or_else(|| Form::var(v));
            let scaled = Vec::new();
            basis.columns.push(Column {
                vector,
                scaled,
                form,
            });
            basis.scale(basis.columns.len() - 1);
        }
        Some(basis)
    }
}

impl Basis {
    fn scale(&mut self, k: usize) {
        let column = &mut self.columns[k];
        let pairs = column.vector.iter().zip(&self.weights);
        column.scaled = pairs.map(|(x, w)| x.to_f64() * w).collect();
    }

    /// Subtracts a multiple of a column from another one; the coefficient of the first one changes.
    fn subtract(&mut self, k: usize, factor: f64, j: usize) {
        let factor = Rational::from(factor.clamp(-LARGEST, LARGEST) as i64);
        let other = std::mem::take(&mut self.columns[j].vector);
        for (x, y) in self.columns[k].vector.iter_mut().zip(&other) {
            x.add_product(y, &-&factor);
        }
        self.columns[j].vector = other;
        let form = std::mem::take(&mut self.columns[k].form);
        self.columns[j].form.add_scaled(&form, &factor);
        self.columns[k].form = form;
    }

    /// Reduces the basis; what the budget leaves is a basis, too.
    fn reduce(&mut self, ticks: &mut Ticks) {
        let count = self.columns.len();
        // The lower triangles of the Gram-Schmidt coefficients, and the squares of the lengths.
        let mut mu = vec![vec![0.0; count]; count];
        let mut squares = vec![0.0; count];
        let (mut k, mut swaps) = (0, 0);
        while k < count {
            if !ticks.spend((k * self.weights.len()) as u64) {
                return;
            }
            self.orthogonalize(k, &mut mu, &mut squares);
            if k == 0 || squares[k] >= (DELTA - mu[k][k - 1] * mu[k][k - 1]) * squares[k - 1] {
                k += 1;
                continue;
            }
            swaps += 1;
            if swaps > MAX_SWAPS * count {
                return;
            }
            self.columns.swap(k, k - 1);
            k -= 1;
        }
    }

    /// Makes a column short beside those before it.
    fn orthogonalize(&mut self, k: usize, mu: &mut [Vec<f64>], squares: &mut [f64]) {
        // A pass leaves what floats could not tell: each takes off some forty bits.
        for _ in 0..MAX_PASSES {
            let dot = |a: usize, b: usize| -> f64 {
                let pairs = self.columns[a].scaled.iter().zip(&self.columns[b].scaled);
                pairs.map(|(x, y)| x * y).sum()
            };
            let mut parts = vec![0.0; k];
            for j in 0..k {
                let known: f64 = (0..j).map(|i| mu[j][i] * parts[i]).sum();
                parts[j] = dot(k, j) - known;
                mu[k][j] = parts[j] / squares[j];
            }
            let known: f64 = (0..k).map(|i| mu[k][i] * parts[i]).sum();
            squares[k] = (dot(k, k) - known).max(f64::MIN_POSITIVE);
            let mut is_changed = false;
            for j in (0..k).rev() {
                let quotient = mu[k][j].round();
                if quotient == 0.0 || !quotient.is_finite() {
                    continue;
                }
                is_changed = true;
                self.subtract(k, quotient, j);
                let (before, after) = mu.split_at_mut(k);
                for (m, other) in after[0].iter_mut().zip(&before[j][..j]) {
                    *m -= quotient * other;
                }
            }
            if !is_changed {
                return;
            }
            self.scale(k);
        }
    }
}
