//! Branches on forms whose values the integers miss: I. Dillig, T. Dillig and A. Aiken, "Cuts from proofs: a complete and
//! practical technique for solving linear inequalities over integers", CAV 2009.
//!
//! The constraints that are tight at the relaxation's vertex are equations. If they have no integer solution, some
//! combination of them is a form with integer coefficients whose value is a fraction (`equalities.rs` finds it in the
//! steps of Hermite's normal form). The two sides of a branch on that form both cut the vertex off, and the face on
//! which it lies; a branch on one variable cuts off the vertex alone, and in an unbounded direction there is always
//! another one.

use super::Integers;
use super::equalities::Equation;
use crate::form::{Form, Var};
use crate::rational::Rational;
use crate::simplex::Side;
use crate::ticks::Ticks;

/// More tight constraints than this are not looked at.
const MAX_TIGHT: usize = 120;
/// Coefficients beyond this power of two drop the form.
const MAX_BITS: u32 = 40;

impl Integers {
    /// A new variable that stands for a form of which the tight constraints fix the value to a fraction.
    pub(super) fn missed_form(&mut self, is_wide: bool, ticks: &mut Ticks) -> Option<Var> {
        let tight = self.tight(is_wide);
        if tight.len() > MAX_TIGHT {
            return None;
        }
        let forms: Vec<Form> = tight.iter().map(|(form, _)| form.clone()).collect();
        let equations = tight.into_iter().enumerate();
        let equations = equations.map(|(i, (form, value))| Equation::original(form, value, i));
        let refuted = self.eliminate(equations.collect(), ticks).err()?;
        let mut form = Form::new();
        for (i, multiplier) in refuted.origin.terms() {
            form.add_scaled(&forms[i.at()], multiplier);
        }
        let limit = Rational::power_of_two(MAX_BITS);
        let is_long = form.terms().iter().any(|(_, c)| c.abs() > limit);
        if form.is_zero() || is_long || !form.is_integral() {
            return None;
        }
        let v = self.simplex.define(&form);
        self.stats.forms += 1;
        (!self.simplex.value(v).is_integer()).then_some(v)
    }

    /// Forms with both bounds whose value is an integer, and, beside them or alone, all bounds that the vertex meets. The
    /// last ones are solved first: those with the smallest range, since a branch on a combination of them bounds
    /// something, and of unbounded ones nothing.
    fn tight(&self, is_wide: bool) -> Vec<(Form, Rational)> {
        let vars = (0..self.simplex.vars() as u32).map(Var);
        let equation = |v: Var| {
            let value = self.simplex.value(v);
            let low = self.simplex.bound(v, Side::Lower);
            let high = self.simplex.bound(v, Side::Upper);
            let range = low.zip(high).map(|(l, h)| &h.value.real - &l.value.real);
            let meets = [low, high].into_iter().flatten().any(|b| b.value == *value);
            let is_chosen = if range.is_some() {
                meets || value.is_integer()
            } else {
                is_wide && meets
            };
            if !is_chosen {
                return None;
            }
            let own = Form::var(v);
            let form = self.simplex.definition(v).unwrap_or(&own);
            Some((range, form.clone(), value.real.clone()))
        };
        let mut tight: Vec<_> = vars.filter_map(equation).collect();
        tight.sort_by(|(a, ..), (b, ..)| match (a, b) {
            (Some(a), Some(b)) => b.cmp(a),
            _ => a.is_some().cmp(&b.is_some()),
        });
        let tight = tight.into_iter();
        tight.map(|(_, form, value)| (form, value)).collect()
    }
}
