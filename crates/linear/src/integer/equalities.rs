//! Equations over the integers, solved one variable at a time.
//!
//! Fixed variables give equations `Σ aᵢ·xᵢ = c`. An equation whose coefficients' divisor does not
//! divide `c` is a contradiction; a coefficient ±1 solves it for that variable; otherwise the least
//! coefficient `a` and a new variable `t = x + Σ ⌊aᵢ/a⌋·xᵢ` make the others smaller (the steps of
//! Hermite's normal form; W. Pugh, "The Omega test", 1991, uses symmetric remainders). Substituting
//! the solution in every other form shows what it is modulo the divisor of its coefficients, and
//! tightens its bounds to that residue.
//!
//! Each equation knows which multiples of the original ones it is the sum of; these multiples are
//! the proof. Bounded by [`MAX_EQUATIONS`] and the ticks.

use super::Integers;
use crate::form::{Form, Var};
use crate::proof::{Conclusion, StepId};
use crate::rational::Rational;
use crate::simplex::Side;
use crate::ticks::Ticks;

/// With more equations than this none is solved.
const MAX_EQUATIONS: usize = 400;
/// Coefficients beyond this power of two end the elimination.
const MAX_BITS: u32 = 200;

/// `form = value`, the sum of the original equations with the multipliers `origin` (a form whose
/// "variables" are numbers of equations).
#[derive(Clone)]
pub(super) struct Equation {
    pub form: Form,
    pub value: Rational,
    pub origin: Form,
}

impl Equation {
    /// The original equation with a number.
    pub fn original(form: Form, value: Rational, number: usize) -> Equation {
        Equation {
            form,
            value,
            origin: Form::var(Var(number as u32)),
        }
    }

    fn scaled(&self, factor: &Rational) -> Equation {
        Equation {
            form: self.form.scaled(factor),
            value: &self.value * factor,
            origin: self.origin.scaled(factor),
        }
    }

    /// Removes a variable by a definition `x + … = value`.
    pub fn substitute(&mut self, x: Var, definition: &Equation) {
        let c = -&self.form.coefficient(x);
        if !c.is_zero() {
            self.form.add_scaled(&definition.form, &c);
            self.value.add_product(&definition.value, &c);
            self.origin.add_scaled(&definition.origin, &c);
        }
    }
}

/// The bounds of an original equation: the steps of its two inequalities.
pub(super) struct Origin {
    form: Form,
    at_least: StepId,
    at_most: StepId,
}

impl Integers {
    /// Solves the equations and tightens bounds. `Ok(true)`: some bound was tightened; `Err`: a
    /// contradiction.
    pub(super) fn equalities(&mut self, ticks: &mut Ticks) -> Result<bool, StepId> {
        let (origins, equations) = self.equations();
        if !origins.iter().any(|o| o.form.terms().len() > 1) || origins.len() > MAX_EQUATIONS {
            return Ok(false);
        }
        let solved = self
            .eliminate(equations, ticks)
            .map_err(|equation| self.no_solution(&origins, &equation))?;
        let mut tightened = false;
        for v in (0..self.simplex.vars() as u32).map(Var) {
            if !ticks.spend(solved.len() as u64) {
                break;
            }
            if !self.simplex.is_fixed(v) {
                tightened |= self.tighten(v, &origins, &solved)?;
            }
        }
        Ok(tightened)
    }

    /// What is fixed, with the steps of the bounds.
    pub(super) fn equations(&self) -> (Vec<Origin>, Vec<Equation>) {
        let mut origins = Vec::new();
        let mut equations = Vec::new();
        for v in (0..self.simplex.vars() as u32).map(Var) {
            let low = self.simplex.bound(v, Side::Lower);
            let high = self.simplex.bound(v, Side::Upper);
            let (Some(low), Some(high)) = (low, high) else {
                continue;
            };
            if low.value != high.value {
                continue;
            }
            let own = Form::var(v);
            let form = self.simplex.definition(v).unwrap_or(&own).clone();
            let value = low.value.real.clone();
            equations.push(Equation::original(form.clone(), value, origins.len()));
            origins.push(Origin {
                form,
                at_least: low.reason,
                at_most: high.reason,
            });
        }
        (origins, equations)
    }

    /// The definitions found, in the order in which they have to be substituted. `Err`: a sum of equations without a
    /// solution.
    pub(super) fn eliminate(
        &self,
        mut equations: Vec<Equation>,
        ticks: &mut Ticks,
    ) -> Result<Vec<(Var, Equation)>, Equation> {
        let mut solved: Vec<(Var, Equation)> = Vec::new();
        let mut fresh = self.simplex.vars() as u32;
        let limit = Rational::power_of_two(MAX_BITS);
        // The shortest equations first: fixed variables, then differences.
        equations.sort_by_key(|e| std::cmp::Reverse(e.form.terms().len()));
        while let Some(mut equation) = equations.pop() {
            if !ticks.spend(equation.form.terms().len() as u64 + equations.len() as u64) {
                break;
            }
            if equation.form.is_zero() {
                if !equation.value.is_zero() {
                    return Err(equation);
                }
                continue;
            }
            equation = equation.scaled(&equation.form.primitive_factor());
            if !equation.value.is_integer() {
                return Err(equation);
            }
            let terms = equation.form.terms();
            let (x, a) = terms
                .iter()
                .min_by(|(_, a), (_, b)| a.abs().cmp(&b.abs()))
                .expect("not zero");
            let (x, a) = (*x, a.clone());
            if terms.iter().any(|(_, c)| c.abs() > limit) {
                break;
            }
            let definition = if a.abs().is_one() {
                equation.scaled(&a)
            } else {
                // x + Σ qᵢ·xᵢ - t = 0 defines t.
                let mut form = Form::var(x);
                for (v, c) in terms {
                    if *v != x {
                        form.add_scaled(&Form::var(*v), &(c / &a).round());
                    }
                }
                form.add_scaled(&Form::var(Var(fresh)), &Rational::MINUS_ONE);
                fresh += 1;
                equation.substitute(
                    x,
                    &Equation {
                        form: form.clone(),
                        value: Rational::ZERO,
                        origin: Form::new(),
                    },
                );
                equations.push(equation);
                Equation {
                    form,
                    value: Rational::ZERO,
                    origin: Form::new(),
                }
            };
            for other in &mut equations {
                other.substitute(x, &definition);
            }
            solved.push((x, definition));
        }
        Ok(solved)
    }

    /// The steps of `Σ multiplier·equation`, as parts of a sum.
    fn parts(origins: &[Origin], multipliers: &Form) -> Vec<(StepId, Rational)> {
        let part = |(i, c): &(Var, Rational)| {
            let origin = &origins[i.at()];
            if c.is_positive() {
                (origin.at_most, c.clone())
            } else {
                (origin.at_least, -c)
            }
        };
        multipliers.terms().iter().map(part).collect()
    }

    /// A sum of equations is `0 = c`, or integer coefficients equal to a fraction.
    fn no_solution(&mut self, origins: &[Origin], equation: &Equation) -> StepId {
        let mut form = Form::new();
        for (i, c) in equation.origin.terms() {
            form.add_scaled(&origins[i.at()].form, c);
        }
        let sides = [Rational::ONE, Rational::MINUS_ONE].map(|sign| {
            let parts = Self::parts(origins, &equation.origin.scaled(&sign));
            let value = &equation.value * &sign;
            if form.is_zero() {
                return (parts, value);
            }
            let half = Conclusion::AtMost(form.scaled(&sign), value.floor());
            (
                vec![(self.proof.sum(parts, half), Rational::ONE)],
                value.floor(),
            )
        });
        let [(mut parts, value), (others, opposite)] = sides;
        if form.is_zero() {
            // One of the two directions is `0 <= negative` alone.
            if opposite.is_negative() {
                parts = others;
            }
        } else {
            debug_assert!((&value + &opposite).is_negative());
            parts.extend(others);
        }
        self.proof.sum(parts, Conclusion::False)
    }

    /// Bounds of a variable from what it is modulo the divisor of its solved form.
    fn tighten(
        &mut self,
        v: Var,
        origins: &[Origin],
        solved: &[(Var, Equation)],
    ) -> Result<bool, StepId> {
        let own = Form::var(v);
        let form = self.simplex.definition(v).unwrap_or(&own).clone();
        // form + Σ λᵢ·Aᵢ = rest + (constant), kept as an "equation" rest = value.
        let mut rest = Equation {
            form: form.clone(),
            value: Rational::ZERO,
            origin: Form::new(),
        };
        for (x, definition) in solved {
            rest.substitute(*x, definition);
        }
        let mut divisor = Rational::ZERO;
        for (_, c) in rest.form.terms() {
            divisor = divisor.gcd(c);
        }
        if rest.origin.is_zero() || divisor.is_one() {
            return Ok(false);
        }
        // The form is `residue` modulo the divisor (equal to it when the divisor is 0).
        let residue = -&rest.value;
        let mut tightened = false;
        for side in [Side::Lower, Side::Upper] {
            tightened |= self.tighten_side(v, side, origins, &rest, &residue, &divisor)?;
        }
        Ok(tightened)
    }

    fn tighten_side(
        &mut self,
        v: Var,
        side: Side,
        origins: &[Origin],
        rest: &Equation,
        residue: &Rational,
        divisor: &Rational,
    ) -> Result<bool, StepId> {
        let sign = side.sign();
        // rest.origin was subtracted from the form: form = rest - Σ originᵢ·Aᵢ.
        let back = Self::parts_or_none(origins, &rest.origin, &-&sign);
        if divisor.is_zero() {
            let conclusion = Conclusion::Bound(v, side, residue.clone());
            let step = self.proof.sum(back, conclusion);
            self.stats.tightened += 1;
            self.bound(v, side, residue.clone(), step)?;
            return Ok(true);
        }
        let Some(bound) = self.simplex.bound(v, side) else {
            return Ok(false);
        };
        let (own, reason) = (bound.value.real.clone(), bound.reason);
        let steps = &(&own - residue) / divisor;
        let steps = match side {
            Side::Lower => steps.ceil(),
            Side::Upper => steps.floor(),
        };
        let value = &(&steps * divisor) + residue;
        if value == own {
            return Ok(false);
        }
        // sign·(form + Σ originᵢ·Aᵢ)/divisor is an integer form.
        let definition = self.simplex.definition(v).cloned();
        let mut whole = definition.unwrap_or_else(|| Form::var(v));
        for (i, c) in rest.origin.terms() {
            whole.add_scaled(&origins[i.at()].form, c);
        }
        let mut parts = Self::parts_or_none(origins, &rest.origin, &sign);
        parts.push((reason, Rational::ONE));
        let factor = &sign / divisor;
        let conclusion = Conclusion::AtMost(whole.scaled(&factor), &steps * &sign);
        let half = self.proof.sum(parts, conclusion);
        let mut parts = back;
        parts.push((half, divisor.clone()));
        let conclusion = Conclusion::Bound(v, side, value.clone());
        let step = self.proof.sum(parts, conclusion);
        self.stats.tightened += 1;
        self.bound(v, side, value, step)?;
        Ok(true)
    }

    fn parts_or_none(
        origins: &[Origin],
        multipliers: &Form,
        factor: &Rational,
    ) -> Vec<(StepId, Rational)> {
        Self::parts(origins, &multipliers.scaled(factor))
    }
}
