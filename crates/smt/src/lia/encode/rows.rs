//! Sums as rows of the simplex, and conditions on them as atoms.
//!
//! `sum <= 0` is an input of the circuits that stands for an upper bound of a simplex variable. Atoms with equal sums
//! share the variable; an equation is the conjunction of its two inequalities.

use super::super::digits;
use super::super::sum::Sum;
use super::{Atom, Encoding};
use linear::{Affine, Form, Rational, Side, Var};
use solver::sat::{Lit, SatBackend};

impl Encoding {
    pub(super) fn set_atom(&mut self, lit: Lit, var: Var, bound: Rational) {
        let atom = Atom {
            var,
            bound,
            needed: [true; 2],
        };
        self.is_atom.insert(lit.var());
        self.pending.push((lit, atom));
    }

    /// Says that a sum with a variable is 0.
    pub(super) fn fix_zero(&mut self, sum: &Sum) {
        let affine = self.affine(sum);
        let row = self.row(&affine.form);
        for side in [Side::Lower, Side::Upper] {
            self.fixed.push((row, side, -&affine.constant));
        }
    }

    /// The sum with a variable for each bit.
    pub(super) fn affine(&mut self, sum: &Sum) -> Affine {
        let mut affine = sum.affine.clone();
        for (v, _) in affine.form.terms() {
            if let Some(bounded) = self.bounded.get_mut(v) {
                bounded.in_row = true;
            }
        }
        if sum.bits.is_empty() {
            return affine;
        }
        let mut terms: Vec<(Var, Rational)> = affine.form.terms().to_vec();
        for (&node, factor) in &sum.bits {
            affine.constant += factor;
            terms.push((self.opposite(node), -factor));
        }
        affine.form = Form::from_terms(terms);
        affine
    }

    /// The variable that is 0 when the bit holds and 1 when it does not.
    pub(super) fn opposite(&mut self, node: u32) -> Var {
        if let Some(&v) = self.opposites.get(&node) {
            return v;
        }
        let bit = Lit::positive(node);
        let mut lit = bit;
        if self.is_atom.contains(&node) {
            lit = self.input();
            self.imply(lit, bit);
            self.imply(bit, lit);
        }
        let v = self.problem.new_var();
        self.opposites.insert(node, v);
        self.is_opposite.insert(v);
        self.fixed.push((v, Side::Lower, Rational::ZERO));
        self.fixed.push((v, Side::Upper, Rational::ONE));
        self.set_atom(lit, v, Rational::ZERO);
        self.bounds.insert((v, Rational::ZERO), bit);
        v
    }

    /// The variable of a form with at least one term.
    pub(super) fn row(&mut self, form: &Form) -> Var {
        if let [(v, c)] = form.terms()
            && c.is_one()
        {
            return *v;
        }
        if let Some(&v) = self.sums.get(form) {
            return v;
        }
        let v = self.problem.define(form);
        self.sums.insert(form.clone(), v);
        v
    }

    pub(super) fn at_most_zero(&mut self, sum: &Sum) -> Lit {
        if let Some(bits) = self.of_bits(sum) {
            return digits::at_most_zero(self.lowering.aig_mut(), &bits);
        }
        let affine = self.affine(sum);
        let bound = -&affine.constant;
        self.at_most(&affine.form, &bound)
    }

    /// The literal of `form <= bound`, for any rational bound and integer form.
    pub(super) fn at_most(&mut self, form: &Form, bound: &Rational) -> Lit {
        let Some((_, first)) = form.terms().first() else {
            return Lit::from(!bound.is_negative());
        };
        let factor = form.primitive_factor();
        if first.is_negative() {
            // -f <= b is f >= -b, the opposite of f <= -b - 1 (rounded).
            let opposite = form.scaled(&-&factor);
            let least = (&-bound * &factor).ceil();
            let v = self.row(&opposite);
            return !self.bound(v, &least - &Rational::ONE);
        }
        let v = self.row(&form.scaled(&factor));
        self.bound(v, (bound * &factor).floor())
    }

    pub(super) fn bound(&mut self, var: Var, bound: Rational) -> Lit {
        if self.is_opposite.contains(&var) && !bound.is_zero() {
            return Lit::from(bound.is_positive());
        }
        if let Some(&lit) = self.bounds.get(&(var, bound.clone())) {
            return lit;
        }
        let lit = self.input();
        self.set_atom(lit, var, bound.clone());
        self.bounds.insert((var, bound), lit);
        lit
    }

    pub(super) fn equals_zero(&mut self, sum: &Sum) -> Lit {
        if let Some(bits) = self.of_bits(sum) {
            return digits::equals_zero(self.lowering.aig_mut(), &bits);
        }
        let affine = self.affine(sum);
        let factor = affine.form.primitive_factor();
        if !(&affine.constant * &factor).is_integer() {
            return Lit::FALSE;
        }
        let above = self.at_most(&affine.form, &-&affine.constant);
        let opposite = affine.form.scaled(&Rational::MINUS_ONE);
        let below = self.at_most(&opposite, &affine.constant);
        self.of_equations.extend([above.var(), below.var()]);
        let lit = self.lowering.aig_mut().and(above, below);
        if self.is_mixed && !lit.is_const() {
            self.equations.push((lit, sum.clone()));
        }
        lit
    }

    /// Smaller upper bounds imply greater ones.
    pub(super) fn order_bounds(&mut self) {
        let mut all: Vec<(Var, Rational, Lit)> = self
            .bounds
            .iter()
            .map(|((v, b), l)| (*v, b.clone(), *l))
            .collect();
        all.sort();
        for pair in all.windows(2) {
            if pair[0].0 == pair[1].0 {
                let clause = [!pair[0].2, pair[1].2].map(|l| self.external(l));
                self.sat.add_clause(&clause);
            }
        }
    }
}
