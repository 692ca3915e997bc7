//! Bound propagation through definitions: `s = Σ aᵢ·xᵢ` bounds each of its variables by the bounds
//! of the others, rounded to integers. Bounded by [`ROUNDS`] passes, because two rows can push
//! each other's bounds by one for ever.

use super::Integers;
use crate::form::Var;
use crate::proof::{Conclusion, StepId};
use crate::rational::Rational;
use crate::simplex::{Side, VariableBound};
use crate::ticks::Ticks;

/// Passes over all rows.
const ROUNDS: usize = 8;

impl Integers {
    /// Tightens bounds; `Err`: the step of a contradiction.
    pub(super) fn propagate(&mut self, ticks: &mut Ticks) -> Result<(), StepId> {
        let all = vec![true; self.simplex.vars()];
        self.propagate_from(all, ticks)
    }

    /// The same where the bounds of some variables have changed.
    pub(super) fn propagate_from(
        &mut self,
        mut dirty: Vec<bool>,
        ticks: &mut Ticks,
    ) -> Result<(), StepId> {
        let defined: Vec<Var> = (0..self.simplex.vars() as u32)
            .map(Var)
            .filter(|&v| self.simplex.definition(v).is_some())
            .collect();
        for _ in 0..ROUNDS {
            let before = std::mem::replace(&mut dirty, vec![false; self.simplex.vars()]);
            let mut changed = false;
            for &s in &defined {
                let form = self.simplex.definition(s).expect("filtered");
                let terms = form.terms();
                if !before[s.at()] && !terms.iter().any(|(v, _)| before[v.at()]) {
                    continue;
                }
                if !ticks.spend(2 * terms.len() as u64) {
                    return Ok(());
                }
                let mut row: Vec<(Var, Rational)> = terms.to_vec();
                row.push((s, Rational::MINUS_ONE));
                for side in [Side::Lower, Side::Upper] {
                    for v in self.row(&row, side)? {
                        dirty[v.at()] = true;
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        Ok(())
    }

    /// The bound that limits `coefficient·v` from the given side.
    fn limit(&self, v: Var, coefficient: &Rational, side: Side) -> Option<&VariableBound> {
        let side = if coefficient.is_positive() {
            side
        } else {
            side.flip()
        };
        self.simplex.bound(v, side)
    }

    /// `Σ aᵢ·xᵢ = 0`: bounds each term by the sum of the others' ends on one side. Returns the
    /// variables with a new bound.
    fn row(&mut self, row: &[(Var, Rational)], side: Side) -> Result<Vec<Var>, StepId> {
        let mut sum = Rational::ZERO;
        let mut open: Option<usize> = None;
        for (i, (v, c)) in row.iter().enumerate() {
            match self.limit(*v, c, side) {
                Some(bound) => sum.add_product(&bound.value.real, c),
                None if open.is_some() => return Ok(Vec::new()),
                None => open = Some(i),
            }
        }
        let mut changed = Vec::new();
        for (i, (v, c)) in row.iter().enumerate() {
            if open.is_some_and(|o| o != i) {
                continue;
            }
            // c·v = -(others), and the others' sum ends at `rest` on this side.
            let rest = match self.limit(*v, c, side) {
                Some(bound) => &sum - &(c * &bound.value.real),
                None => sum.clone(),
            };
            let end = &(-&rest) / c;
            let target = if c.is_positive() { side.flip() } else { side };
            let value = match target {
                Side::Lower => end.ceil(),
                Side::Upper => end.floor(),
            };
            let better = match self.simplex.bound(*v, target) {
                None => true,
                Some(own) if target == Side::Lower => value > own.value.real,
                Some(own) => value < own.value.real,
            };
            if !better {
                continue;
            }
            let others = row.iter().enumerate().filter(|&(j, _)| j != i);
            let parts = others
                .map(|(_, (w, d))| {
                    let bound = self.limit(*w, d, side).expect("only one is open");
                    (bound.reason, (d / c).abs())
                })
                .collect();
            let conclusion = Conclusion::Bound(*v, target, value.clone());
            let step = self.proof.sum(parts, conclusion);
            self.stats.tightened += 1;
            self.bound(*v, target, value, step)?;
            changed.push(*v);
        }
        Ok(changed)
    }
}
