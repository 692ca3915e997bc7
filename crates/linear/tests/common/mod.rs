//! Random systems and brute force. Not every test uses all of it.

#![allow(dead_code)]

use polypath_linear::{Form, Integers, Rational, Side, Var};

pub use testkit::Random as Stream;

/// `low <= Σ aᵢ·xᵢ <= high`, either end possibly absent.
#[derive(Clone, Debug)]
pub struct Row {
    pub coefficients: Vec<i64>,
    pub low: Option<i64>,
    pub high: Option<i64>,
}

/// Rows over variables in `0..=limit` minus an offset.
#[derive(Clone, Debug)]
pub struct System {
    pub bounds: Vec<(i64, i64)>,
    pub rows: Vec<Row>,
}

impl System {
    pub fn random(s: &mut Stream, vars: usize, rows: usize, size: i64, coefficient: i64) -> System {
        let bounds = (0..vars).map(|_| {
            let low = s.range(-size, size);
            (low, low + s.range(0, size))
        });
        let bounds = bounds.collect();
        let rows = (0..rows).map(|_| {
            let coefficients: Vec<i64> = (0..vars)
                .map(|_| match s.range(0, 2) {
                    0 => 0,
                    _ => s.range(-coefficient, coefficient),
                })
                .collect();
            let middle = s.range(-size * coefficient, size * coefficient);
            let (low, high) = match s.range(0, 3) {
                0 => (Some(middle), Some(middle)),
                1 => (Some(middle), None),
                2 => (None, Some(middle)),
                _ => (Some(middle), Some(middle + s.range(0, size))),
            };
            Row {
                coefficients,
                low,
                high,
            }
        });
        System {
            rows: rows.collect(),
            bounds,
        }
    }

    pub fn holds(&self, values: &[i64]) -> bool {
        let inside = self.bounds.iter().zip(values);
        inside.into_iter().all(|(&(l, h), &v)| l <= v && v <= h)
            && self.rows.iter().all(|row| {
                let sum: i64 = row
                    .coefficients
                    .iter()
                    .zip(values)
                    .map(|(c, v)| c * v)
                    .sum();
                row.low.is_none_or(|l| l <= sum) && row.high.is_none_or(|h| sum <= h)
            })
    }

    /// Every solution.
    pub fn solutions(&self) -> Vec<Vec<i64>> {
        let mut all = Vec::new();
        let mut values: Vec<i64> = self.bounds.iter().map(|b| b.0).collect();
        loop {
            if self.holds(&values) {
                all.push(values.clone());
            }
            let mut i = 0;
            loop {
                if i == values.len() {
                    return all;
                }
                values[i] += 1;
                if values[i] <= self.bounds[i].1 {
                    break;
                }
                values[i] = self.bounds[i].0;
                i += 1;
            }
        }
    }
}

/// A bound to assert: variable, side, value.
pub type Wanted = (Var, Side, Rational);

/// The system as variables and bounds of an integer problem; bounds are listed, not asserted.
/// Rows without a variable are returned as whether they all hold.
pub fn load(system: &System, problem: &mut Integers) -> (Vec<Var>, Vec<Wanted>, bool) {
    let vars: Vec<Var> = system.bounds.iter().map(|_| problem.new_var()).collect();
    let mut wanted = Vec::new();
    for (v, &(low, high)) in vars.iter().zip(&system.bounds) {
        wanted.push((*v, Side::Lower, Rational::from(low)));
        wanted.push((*v, Side::Upper, Rational::from(high)));
    }
    let mut constants_hold = true;
    for row in &system.rows {
        let terms = vars.iter().zip(&row.coefficients);
        let form = Form::from_terms(terms.map(|(v, &c)| (*v, Rational::from(c))));
        if form.is_zero() {
            constants_hold &= row.low.is_none_or(|l| l <= 0) && row.high.is_none_or(|h| 0 <= h);
            continue;
        }
        let v = problem.define(&form);
        let low = row.low.map(|l| (v, Side::Lower, Rational::from(l)));
        let high = row.high.map(|h| (v, Side::Upper, Rational::from(h)));
        wanted.extend(low.into_iter().chain(high));
    }
    (vars, wanted, constants_hold)
}
