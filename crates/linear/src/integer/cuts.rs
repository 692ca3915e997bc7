//! Gomory mixed-integer cuts.
//!
//! A row gives a basic variable as `β + Σ αⱼ·tⱼ`, with `tⱼ >= 0` the distances of the non-basic
//! variables from their bounds and `f` the fraction of `β`. Subtracting integer multiples
//! `nⱼ·tⱼ` leaves an integer `π = β + Σ gⱼ·tⱼ`; `π <= ⌊β⌋` or `π >= ⌈β⌉`, and both imply
//! `Σ γⱼ·tⱼ >= 1` with `γⱼ = gⱼ/(1-f)` for `gⱼ > 0` and `-gⱼ/f` for `gⱼ < 0`. `nⱼ` is `⌊αⱼ⌋` or `⌈αⱼ⌉`,
//! whichever gives the smaller `γⱼ`. The two implications are the cut's proof. Cuts with large
//! numbers are dropped: they make every later pivot slow and help little.

use super::Integers;
use crate::form::{Form, Var};
use crate::proof::{Conclusion, StepId};
use crate::rational::Rational;
use crate::simplex::Side;
use crate::ticks::Ticks;

/// Cuts of one round.
const PER_ROUND: usize = 6;
/// Longer rows make no cuts.
const MAX_TERMS: usize = 60;
/// Coefficients of a cut beyond this power of two drop it.
const MAX_BITS: u32 = 16;

/// A non-basic variable of a row, at one of its bounds.
struct Distance {
    var: Var,
    /// 1 at its lower bound, -1 at its upper bound.
    sign: Rational,
    bound: Rational,
    step: StepId,
    /// `gⱼ` and `γⱼ`.
    rest: Rational,
    weight: Rational,
    whole: Rational,
}

impl Integers {
    /// Adds a round of cuts and returns their number; `Err`: a cut contradicts a bound.
    pub(super) fn cut(&mut self, ticks: &mut Ticks) -> Result<usize, StepId> {
        let rows: Vec<u32> = (0..self.simplex.rows() as u32)
            .filter(|&r| {
                let row = self.simplex.tableau.row(r);
                let basic = self.simplex.tableau.basic(r);
                row.len() <= MAX_TERMS && !self.simplex.value(basic).is_integer()
            })
            .take(PER_ROUND)
            .collect();
        // Adding a cut's row leaves the others as they are.
        let mut added = 0;
        for row in rows {
            if !ticks.spend(4 * self.simplex.tableau.row(row).len() as u64) {
                break;
            }
            added += self.cut_of_row(row)? as usize;
        }
        self.stats.cuts += added as u64;
        Ok(added)
    }

    fn cut_of_row(&mut self, row: u32) -> Result<bool, StepId> {
        let basic = self.simplex.tableau.basic(row);
        let beta = self.simplex.value(basic).real.clone();
        let f = beta.fraction();
        let Some(distances) = self.distances(row, basic, &f) else {
            return Ok(false);
        };
        let mut form = Form::new();
        let mut value = Rational::ONE;
        for d in &distances {
            let c = &d.weight * &d.sign;
            form.add_scaled(&self.expanded(d.var), &c);
            value.add_product(&c, &d.bound);
        }
        let factor = form.primitive_factor();
        let form = form.scaled(&factor);
        let limit = Rational::power_of_two(MAX_BITS);
        if form.is_zero() || form.terms().iter().any(|(_, c)| c.abs() > limit) {
            return Ok(false);
        }
        let value = (&value * &factor).ceil();
        let step = self.prove_cut(basic, &beta, &f, &distances, &form, &value);
        let v = self.simplex.define(&form);
        self.bound(v, Side::Lower, value, step)?;
        Ok(true)
    }

    fn expanded(&self, v: Var) -> Form {
        match self.simplex.definition(v) {
            Some(definition) => definition.clone(),
            None => Form::var(v),
        }
    }

    /// `None` when a variable of the row is not at an integer bound.
    fn distances(&self, row: u32, basic: Var, f: &Rational) -> Option<Vec<Distance>> {
        let own = self.simplex.tableau.basic_coefficient(row);
        let entries = self.simplex.tableau.row(row).iter();
        let entries = entries.filter(|e| e.var != basic);
        let mut distances = Vec::new();
        for e in entries {
            let value = self.simplex.value(e.var);
            let at = |side: Side| {
                let bound = self.simplex.bound(e.var, side)?;
                (bound.value == *value).then_some((side, bound))
            };
            let (side, bound) = at(Side::Lower).or_else(|| at(Side::Upper))?;
            let sign = -&side.sign();
            let alpha = &(&(-&e.coefficient) / own) * &sign;
            let low = alpha.fraction();
            if !bound.value.real.is_integer() {
                return None;
            }
            let complement = &Rational::ONE - f;
            let from_floor = &low / &complement;
            let from_ceiling = &(&Rational::ONE - &low) / f;
            let (rest, weight) = if low.is_zero() {
                (Rational::ZERO, Rational::ZERO)
            } else if from_floor <= from_ceiling {
                (low, from_floor)
            } else {
                (&low - &Rational::ONE, from_ceiling)
            };
            distances.push(Distance {
                var: e.var,
                whole: &alpha - &rest,
                sign,
                bound: bound.value.real.clone(),
                step: bound.reason,
                rest,
                weight,
            });
        }
        Some(distances)
    }

    /// Both sides of the disjunction imply `form >= value`.
    fn prove_cut(
        &mut self,
        basic: Var,
        beta: &Rational,
        f: &Rational,
        distances: &[Distance],
        form: &Form,
        value: &Rational,
    ) -> StepId {
        let mut pi = self.expanded(basic);
        let mut constant = Rational::ZERO;
        for d in distances {
            let c = &d.whole * &d.sign;
            pi.add_scaled(&self.expanded(d.var), &-&c);
            constant.add_product(&c, &d.bound);
        }
        let low = &beta.floor() - &constant;
        let high = &low + &Rational::ONE;
        let up = f.recip();
        let down = (&Rational::ONE - f).recip();
        let goal = Conclusion::AtMost(form.scaled(&Rational::MINUS_ONE), -value);
        let opposite = pi.scaled(&Rational::MINUS_ONE);
        let sides = [
            (Conclusion::AtMost(pi, low), up.clone(), up),
            (Conclusion::AtMost(opposite, -&high), down.clone(), -&down),
        ];
        let ends = sides.map(|(side, factor, slope)| {
            let hypothesis = self.proof.hypothesis(side);
            let mut parts = vec![(hypothesis, factor)];
            for d in distances {
                let multiplier = &d.weight + &(&slope * &d.rest);
                parts.push((d.step, multiplier));
            }
            (hypothesis, self.proof.sum(parts, goal.clone()))
        });
        self.proof.cases(ends[0], ends[1])
    }
}
