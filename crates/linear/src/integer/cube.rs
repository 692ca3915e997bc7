//! The unit-cube test: M. Bromberger and C. Weidenbach, "Fast cube tests for LIA constraint solving", IJCAR 2016.
//!
//! A cube of edge 1 around a rational point holds an integer point, which rounding finds. The cube lies within
//! `a·x <= b` if its center satisfies `a·x <= b - ‖a‖₁/2`. So these bounds are given to the simplex, and what it finds
//! is rounded. Bounds of variables stay as they are: rounding does not pass an integer. Equations with more than one
//! free variable leave no room for a cube, and the test fails at once.

use super::Integers;
use crate::check::{Check, NoObserver};
use crate::delta::Delta;
use crate::form::Var;
use crate::rational::Rational;
use crate::simplex::Side;
use crate::ticks::Ticks;

impl Integers {
    /// Looks for a cube; `true`: the solution is stored. The bounds stay as they are.
    pub(super) fn cube(&mut self, ticks: &mut Ticks) -> bool {
        self.simplex.push();
        let is_found = self.shrink(ticks)
            && matches!(self.simplex.check(ticks, &mut NoObserver), Check::Feasible);
        self.simplex.pop();
        is_found && self.round()
    }

    /// Moves the bounds of definitions inwards; `false`: they leave no room.
    fn shrink(&mut self, ticks: &mut Ticks) -> bool {
        for v in (0..self.simplex.vars() as u32).map(Var) {
            let Some(definition) = self.simplex.definition(v) else {
                continue;
            };
            if !ticks.spend(definition.terms().len() as u64) {
                return false;
            }
            let mut norm = Rational::ZERO;
            for (w, c) in definition.terms() {
                if !self.simplex.is_fixed(*w) {
                    norm += &c.abs();
                }
            }
            let half = &norm / &Rational::from(2);
            if half.is_zero() {
                continue;
            }
            for side in [Side::Lower, Side::Upper] {
                let Some(bound) = self.simplex.bound(v, side) else {
                    continue;
                };
                let inner = &bound.value.real - &(&half * &side.sign());
                if self.simplex.assert(v, side, Delta::from(inner), 0).is_err() {
                    return false;
                }
            }
        }
        true
    }

    /// Rounds the simplex's values and stores them if they satisfy all bounds.
    fn round(&mut self) -> bool {
        let vars: Vec<Var> = (0..self.simplex.vars() as u32).map(Var).collect();
        let rounded = vars.iter().map(|&v| self.simplex.value(v).real.round());
        let mut solution: Vec<Rational> = rounded.collect();
        for &v in &vars {
            if let Some(definition) = self.simplex.definition(v) {
                solution[v.at()] = definition.value(|w| &solution[w.at()]);
            }
        }
        let holds = |v: &Var, side: Side| match self.simplex.bound(*v, side) {
            None => true,
            Some(bound) => match side {
                Side::Lower => solution[v.at()] >= bound.value.real,
                Side::Upper => solution[v.at()] <= bound.value.real,
            },
        };
        let is_solution = vars
            .iter()
            .all(|v| holds(v, Side::Lower) && holds(v, Side::Upper));
        if is_solution {
            self.solution = solution;
        }
        is_solution
    }
}
