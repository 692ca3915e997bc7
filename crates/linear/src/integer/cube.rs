//! The unit-cube test, in the space that equations leave: M. Bromberger and C. Weidenbach, "Fast cube tests for LIA
//! constraint solving", IJCAR 2016, and "New techniques for linear arithmetic: cubes and equalities", FMSD 2017.
//!
//! A cube of edge 1 around a rational point holds an integer point, which rounding finds. The cube lies within
//! `a·x <= b` if its center satisfies `a·x <= b - ‖a‖₁/2`. So these bounds are given to the simplex, and what it finds
//! is rounded.
//!
//! Equations leave no room for a cube. They are solved over the integers first (`equalities.rs`): then every form is one
//! over free variables, whose norm counts, and the other variables follow from the rounded free ones. A form between two
//! bounds that are too close is held at its value, as if it were an equation: where no other bound
//! is in the way, that finds solutions far out in unbounded directions.

use super::Integers;
use super::equalities::Equation;
use crate::check::{NoObserver, ProofCheck};
use crate::delta::Delta;
use crate::form::{Form, Var};
use crate::rational::Rational;
use crate::simplex::Side;
use crate::ticks::Ticks;
use rustc_hash::FxHashMap;

/// With more equations than this there is no test.
const MAX_EQUATIONS: usize = 200;

impl Integers {
    /// Looks for a cube; `true`: the solution is stored. The bounds stay as they are.
    pub(super) fn cube(&mut self, ticks: &mut Ticks) -> bool {
        self.simplex.push();
        let center = self.center(ticks);
        self.simplex.pop();
        center.is_some_and(|values| self.round(&values))
    }

    /// Values of all variables without a definition, solved for, rounded where they are free.
    fn center(&mut self, ticks: &mut Ticks) -> Option<FxHashMap<Var, Rational>> {
        let equations = self.hold()?;
        let solved = self.eliminate(equations, ticks).ok()?;
        self.shrink(&solved, ticks)?;
        let ProofCheck::Feasible = self.simplex.check(ticks, &mut NoObserver) else {
            return None;
        };
        let vars = (0..self.simplex.vars() as u32).map(Var);
        let own = vars.filter(|&v| self.simplex.definition(v).is_none());
        let mut values: FxHashMap<Var, Rational> = own
            .map(|v| (v, self.simplex.value(v).real.clone()))
            .collect();
        // A variable that was made for a solution is what makes its equation true.
        let rest = |values: &FxHashMap<Var, Rational>, definition: &Equation, but: Var| {
            let mut rest = -&definition.value;
            for (v, c) in definition.form.terms() {
                if *v != but {
                    rest.add_product(values.get(v)?, c);
                }
            }
            Some(rest)
        };
        for (_, definition) in &solved {
            let mut terms = definition.form.terms().iter();
            if let Some((fresh, c)) = terms.find(|(v, _)| !values.contains_key(v)) {
                let value = rest(&values, definition, *fresh)?;
                values.insert(*fresh, &(-&value) / c);
            }
        }
        values.values_mut().for_each(|value| *value = value.round());
        for (x, definition) in solved.iter().rev() {
            let value = rest(&values, definition, *x)?;
            values.insert(*x, -&value);
        }
        Some(values)
    }

    /// Fixes what has no room, and gives all that is fixed as equations; `None`: too many, or one is at a fraction.
    fn hold(&mut self) -> Option<Vec<Equation>> {
        let mut equations = Vec::new();
        for v in (0..self.simplex.vars() as u32).map(Var) {
            let (Some(low), Some(high)) = (
                self.simplex.bound(v, Side::Lower),
                self.simplex.bound(v, Side::Upper),
            ) else {
                continue;
            };
            let range = &high.value.real - &low.value.real;
            let own = Form::var(v);
            let definition = self.simplex.definition(v);
            let form = definition.unwrap_or(&own).clone();
            if !range.is_zero() && (definition.is_none() || range >= norm(&form)) {
                continue;
            }
            let value = self.simplex.value(v).clone();
            if !value.is_integer() || equations.len() >= MAX_EQUATIONS {
                return None;
            }
            for side in [Side::Lower, Side::Upper] {
                self.simplex.assert(v, side, value.clone(), 0).ok()?;
            }
            equations.push(Equation::original(form, value.real, equations.len()));
        }
        Some(equations)
    }

    /// Moves the bounds of what is not fixed inwards; `None`: they leave no room.
    fn shrink(&mut self, solved: &[(Var, Equation)], ticks: &mut Ticks) -> Option<()> {
        for v in (0..self.simplex.vars() as u32).map(Var) {
            let bounds = [Side::Lower, Side::Upper].map(|side| self.simplex.bound(v, side));
            if self.simplex.is_fixed(v) || bounds == [None, None] {
                continue;
            }
            let own = Form::var(v);
            let form = self.simplex.definition(v).unwrap_or(&own).clone();
            let work = form.terms().len() + solved.len();
            let mut rest = Equation::original(form, Rational::ZERO, 0);
            for (x, definition) in solved {
                rest.substitute(*x, definition);
            }
            if !ticks.spend(work as u64) {
                return None;
            }
            // Rounding one variable does not pass a bound, which is an integer.
            let is_one = matches!(rest.form.terms(), [(_, c)] if c.abs().is_one());
            if is_one || rest.form.is_zero() {
                continue;
            }
            let half = &norm(&rest.form) / &Rational::from(2);
            for side in [Side::Lower, Side::Upper] {
                let Some(bound) = self.simplex.bound(v, side) else {
                    continue;
                };
                let inner = &bound.value.real - &(&half * &side.sign());
                let inner = Delta::from(inner);
                self.simplex.assert(v, side, inner, 0).ok()?;
            }
        }
        Some(())
    }

    /// Stores values, if they are integers and satisfy all bounds.
    fn round(&mut self, values: &FxHashMap<Var, Rational>) -> bool {
        let zero = Rational::ZERO;
        let vars = (0..self.simplex.vars() as u32).map(Var);
        let value = |v: Var| values.get(&v).unwrap_or(&zero);
        let solution: Vec<Rational> = vars
            .clone()
            .map(|v| match self.simplex.definition(v) {
                Some(definition) => definition.value(value),
                None => value(v).clone(),
            })
            .collect();
        let holds = |v: Var, side: Side| {
            let own = &solution[v.at()];
            let bound = self.simplex.bound(v, side).map(|b| &b.value.real);
            bound.is_none_or(|bound| match side {
                Side::Lower => own >= bound,
                Side::Upper => own <= bound,
            })
        };
        let is_solution = solution.iter().all(Rational::is_integer)
            && vars
                .clone()
                .all(|v| holds(v, Side::Lower) && holds(v, Side::Upper));
        if is_solution {
            self.solution = solution;
        }
        is_solution
    }
}

/// Sum of the coefficients' absolute values.
fn norm(form: &Form) -> Rational {
    let mut norm = Rational::ZERO;
    for (_, c) in form.terms() {
        norm += &c.abs();
    }
    norm
}
