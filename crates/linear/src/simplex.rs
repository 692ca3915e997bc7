//! General simplex with bounds that come and go: B. Dutertre and L. de Moura, "A fast
//! linear-arithmetic solver for DPLL(T)", CAV 2006.
//!
//! Variables are bounded, rows define auxiliary variables as linear forms of others, and the
//! assignment satisfies all rows and the bounds of all non-basic variables at every moment; the
//! check (`check.rs`) moves basic variables into their bounds. Undoing bounds keeps assignment and
//! basis. Where we differ: rows have integer coefficients (see `tableau.rs`), rows can be removed
//! again (cuts live only as long as the branch that made them), and an observer sees the
//! assignment before every pivot.
//!
//! Every bound carries a tag of its owner (`reason`); a conflict lists bounds with multipliers
//! (Farkas' lemma), and a debug build adds them up.

use crate::delta::Delta;
use crate::form::{Form, Var};
use crate::rational::Rational;
use crate::tableau::Tableau;
use dashu_int::IBig;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A bound of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableBound {
    /// Its value.
    pub value: Delta,
    /// The owner's tag.
    pub reason: u32,
}

/// Which bound of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// `x >= bound`.
    Lower,
    /// `x <= bound`.
    Upper,
}

impl Side {
    /// The other one.
    pub fn flip(self) -> Side {
        match self {
            Side::Lower => Side::Upper,
            Side::Upper => Side::Lower,
        }
    }

    /// 1 for an upper bound, -1 for a lower bound: `sign·x <= sign·bound`.
    pub fn sign(self) -> Rational {
        match self {
            Side::Lower => Rational::MINUS_ONE,
            Side::Upper => Rational::ONE,
        }
    }
}

/// One bound in a linear combination of bounds.
#[derive(Clone, Debug)]
pub struct BoundTerm {
    /// The variable.
    pub var: Var,
    /// Which of its bounds.
    pub side: Side,
    /// The bound.
    pub bound: VariableBound,
    /// Multiplier, above 0.
    pub factor: Rational,
}

/// Bounds that cannot all hold: their sum with the multipliers is `0 <= negative`.
#[derive(Clone, Debug)]
pub struct Conflict(pub Vec<BoundTerm>);

impl Conflict {
    /// The tags of the bounds.
    pub fn reasons(&self) -> impl Iterator<Item = u32> {
        self.0.iter().map(|p| p.bound.reason)
    }
}

/// Counters.
#[derive(Clone, Copy, Default, Debug)]
pub struct SimplexStats {
    /// Pivots of checks.
    pub pivots: u64,
    /// Checks.
    pub checks: u64,
    /// Checks that fell back to Bland's rule.
    pub bland: u64,
    /// Pivots of optimizations.
    pub optimizing_pivots: u64,
}

/// Undo record of a bound.
#[derive(Clone, Debug)]
struct Undo {
    var: Var,
    side: Side,
    before: Option<VariableBound>,
}

/// Variables, rows, bounds, and an assignment.
#[derive(Clone, Default, Debug)]
pub struct Simplex {
    pub(crate) tableau: Tableau,
    pub(crate) values: Vec<Delta>,
    lower: Vec<Option<VariableBound>>,
    upper: Vec<Option<VariableBound>>,
    /// What a variable stands for, in variables without a definition.
    definitions: Vec<Option<Form>>,
    trail: Vec<Undo>,
    marks: Vec<usize>,
    /// Basic variables that may violate a bound; least first.
    suspects: BinaryHeap<Reverse<u32>>,
    suspected: Vec<bool>,
    /// Scratch: rows whose basic variables get their values anew.
    pub(crate) anew: Vec<u32>,
    /// What has been done so far.
    pub stats: SimplexStats,
}

impl Simplex {
    /// No variables.
    pub fn new() -> Simplex {
        Simplex::default()
    }

    /// A new variable without bounds, with value 0.
    pub fn new_var(&mut self) -> Var {
        self.values.push(Delta::default());
        self.lower.push(None);
        self.upper.push(None);
        self.definitions.push(None);
        self.suspected.push(false);
        self.tableau.new_var()
    }

    /// A new variable that equals a linear form; the form must have a term.
    pub fn define(&mut self, form: &Form) -> Var {
        assert!(!form.is_zero(), "a definition needs a variable");
        let mut expanded = form.clone();
        let mut value = Delta::default();
        let mut denominators = Rational::ONE;
        for (v, c) in form.terms() {
            value.add_product(&self.values[v.at()], c);
            if !c.is_integer() {
                denominators = denominators.lcm(&c.denominator());
            }
            if let Some(definition) = &self.definitions[v.at()] {
                expanded.add_scaled(&Form::var(*v), &-c);
                expanded.add_scaled(definition, c);
            }
        }
        let fresh = self.new_var();
        let scaled = form.terms().iter().map(|(v, c)| (*v, c * &denominators));
        let own = (fresh, -&denominators);
        let row: Vec<(Var, Rational)> = scaled.chain([own]).collect();
        self.tableau.add_row(fresh, &row);
        self.values[fresh.at()] = value;
        self.definitions[fresh.at()] = Some(expanded);
        fresh
    }

    /// Number of variables, defined ones included.
    pub fn vars(&self) -> usize {
        self.values.len()
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.tableau.rows()
    }

    /// What a variable stands for, in variables without a definition; `None` for itself.
    pub fn definition(&self, v: Var) -> Option<&Form> {
        self.definitions[v.at()].as_ref()
    }

    /// The current value of a variable.
    pub fn value(&self, v: Var) -> &Delta {
        &self.values[v.at()]
    }

    /// A bound of a variable.
    #[inline]
    pub fn bound(&self, v: Var, side: Side) -> Option<&VariableBound> {
        match side {
            Side::Lower => self.lower[v.at()].as_ref(),
            Side::Upper => self.upper[v.at()].as_ref(),
        }
    }

    /// Is the variable the basic variable of a row?
    pub fn is_basic(&self, v: Var) -> bool {
        self.tableau.row_of(v).is_some()
    }

    /// Are both bounds equal?
    pub fn is_fixed(&self, v: Var) -> bool {
        match (self.bound(v, Side::Lower), self.bound(v, Side::Upper)) {
            (Some(l), Some(u)) => l.value == u.value,
            _ => false,
        }
    }

    /// Marks a point to which [`Self::pop`] returns.
    pub fn push(&mut self) {
        self.marks.push(self.trail.len());
    }

    /// Undoes every bound since the last mark; variables and rows stay.
    pub fn pop(&mut self) {
        let mark = self.marks.pop().expect("pop without push");
        for undo in self.trail.drain(mark..).rev() {
            match undo.side {
                Side::Lower => self.lower[undo.var.at()] = undo.before,
                Side::Upper => self.upper[undo.var.at()] = undo.before,
            }
        }
    }

    /// How many marks there are.
    pub fn levels(&self) -> usize {
        self.marks.len()
    }

    /// Adds a bound. Weaker ones than the present are ignored; a bound beyond the opposite one is
    /// a conflict, and not recorded.
    pub fn assert(
        &mut self,
        v: Var,
        side: Side,
        value: Delta,
        reason: u32,
    ) -> Result<(), Conflict> {
        let tighter = |a: &Delta, b: &Delta| match side {
            Side::Lower => a > b,
            Side::Upper => a < b,
        };
        if let Some(own) = self.bound(v, side)
            && !tighter(&value, &own.value)
        {
            return Ok(());
        }
        let bound = VariableBound { value, reason };
        if let Some(other) = self.bound(v, side.flip())
            && tighter(&bound.value, &other.value)
        {
            let part = |side: Side, bound: VariableBound| BoundTerm {
                var: v,
                side,
                bound,
                factor: Rational::ONE,
            };
            let conflict = Conflict(vec![part(side.flip(), other.clone()), part(side, bound)]);
            debug_assert!(self.is_contradiction(&conflict));
            return Err(conflict);
        }
        let beyond = tighter(&bound.value, &self.values[v.at()]);
        let target = beyond.then(|| bound.value.clone());
        let slot = match side {
            Side::Lower => &mut self.lower[v.at()],
            Side::Upper => &mut self.upper[v.at()],
        };
        let before = slot.replace(bound);
        self.trail.push(Undo {
            var: v,
            side,
            before,
        });
        if let Some(target) = target {
            if self.is_basic(v) {
                self.suspect(v);
            } else {
                self.move_to(v, target);
            }
        }
        Ok(())
    }

    /// Removes the newest variables until `count` are left; all of them must be definitions
    /// without bounds.
    pub fn truncate(&mut self, count: usize) {
        while self.vars() > count {
            let v = Var(self.vars() as u32 - 1);
            debug_assert!(
                self.bound(v, Side::Lower).is_none() && self.definitions[v.at()].is_some()
            );
            if !self.is_basic(v) {
                let row = self.tableau.column(v)[0].row;
                let leaving = self.tableau.basic(row);
                self.tableau.pivot(row, v);
                // The variable that left the basis has to respect its bounds now.
                if let Some((_, target)) = self.violated(leaving) {
                    self.move_to(leaving, target);
                }
            }
            self.tableau.remove_newest(v);
            self.values.pop();
            self.lower.pop();
            self.upper.pop();
            self.definitions.pop();
            self.suspected.pop();
        }
        self.suspects.retain(|&Reverse(v)| (v as usize) < count);
    }

    /// Adds up the parts: is the sum a contradiction? This is the check of a Farkas certificate;
    /// it uses definitions and bounds only, never the tableau.
    pub fn is_contradiction(&self, conflict: &Conflict) -> bool {
        let mut form = Form::new();
        let mut bound = Delta::default();
        for part in &conflict.0 {
            if !part.factor.is_positive() {
                return false;
            }
            let factor = &part.factor * &part.side.sign();
            match self.definition(part.var) {
                Some(definition) => form.add_scaled(definition, &factor),
                None => form.add_scaled(&Form::var(part.var), &factor),
            }
            bound.add_product(&part.bound.value, &factor);
        }
        form.is_zero() && bound < Delta::default()
    }

    /// The bound that a variable violates, with its value.
    pub(crate) fn violated(&self, v: Var) -> Option<(Side, Delta)> {
        let value = &self.values[v.at()];
        if let Some(l) = &self.lower[v.at()]
            && *value < l.value
        {
            return Some((Side::Lower, l.value.clone()));
        }
        if let Some(u) = &self.upper[v.at()]
            && *value > u.value
        {
            return Some((Side::Upper, u.value.clone()));
        }
        None
    }

    /// Notes that a basic variable may violate a bound.
    pub(crate) fn suspect(&mut self, v: Var) {
        if !std::mem::replace(&mut self.suspected[v.at()], true) {
            self.suspects.push(Reverse(v.0));
        }
    }

    /// The least basic variable that violates a bound.
    pub(crate) fn next_violated(&mut self) -> Option<(Var, Side, Delta)> {
        while let Some(Reverse(v)) = self.suspects.pop() {
            let v = Var(v);
            self.suspected[v.at()] = false;
            if self.is_basic(v)
                && let Some((side, target)) = self.violated(v)
            {
                return Some((v, side, target));
            }
        }
        None
    }

    /// Moves a non-basic variable to a value, and the basic ones with it. Returns the work.
    pub(crate) fn move_to(&mut self, v: Var, target: Delta) -> u64 {
        let step = target.minus(&self.values[v.at()]);
        self.values[v.at()] = target;
        for i in 0..self.tableau.column(v).len() {
            let place = self.tableau.column(v)[i];
            self.shift_basic(place.row, &step, &self.tableau.at(place).clone());
        }
        self.tableau.column(v).len() as u64
    }

    /// A variable with this coefficient moved by `step`: moves the row's basic variable.
    pub(crate) fn shift_basic(&mut self, row: u32, step: &Delta, coefficient: &Rational) {
        let basic = self.tableau.basic(row);
        let own = self.tableau.basic_coefficient(row);
        let factor = if own.is_one() {
            -coefficient
        } else {
            &(-coefficient) / own
        };
        self.values[basic.at()].add_product(step, &factor);
        if self.violated(basic).is_some() {
            self.suspect(basic);
        }
    }

    /// Gives a row's basic variable the value that the others imply. Those are at integer bounds as a
    /// rule: then one fraction is reduced, where adding a step would reduce three.
    pub(crate) fn settle_basic(&mut self, row: u32) {
        let basic = self.tableau.basic(row);
        let value = match self.basic_value(row) {
            Some(value) => value.into(),
            None => self.long_basic_value(row),
        };
        self.values[basic.at()] = value;
        if self.violated(basic).is_some() {
            self.suspect(basic);
        }
    }

    /// The value that numbers of any length imply: integers are added up apart from fractions.
    fn long_basic_value(&self, row: u32) -> Delta {
        let basic = self.tableau.basic(row);
        let mut whole = IBig::ZERO;
        let mut rest = Delta::default();
        for e in self.tableau.row(row) {
            let value = &self.values[e.var.at()];
            if e.var == basic || value.is_zero() {
                continue;
            }
            match (value.real.whole(), e.coefficient.whole()) {
                (Some(v), Some(c)) if value.delta.is_zero() => whole += &*v * &*c,
                _ => rest.add_product(value, &e.coefficient),
            }
        }
        rest.real += &Rational::from_integer(whole);
        rest.scaled(&-&self.tableau.basic_coefficient(row).recip())
    }

    /// The value that machine words imply for a row's basic variable.
    fn basic_value(&self, row: u32) -> Option<Rational> {
        let basic = self.tableau.basic(row);
        let (mut sum, mut own) = (0i128, 0);
        for e in self.tableau.row(row) {
            let coefficient = e.coefficient.word()? as i128;
            if e.var == basic {
                own = coefficient;
                continue;
            }
            let value = &self.values[e.var.at()];
            if !value.delta.is_zero() {
                return None;
            }
            sum = sum.checked_add(coefficient * value.real.word()? as i128)?;
        }
        Some(Rational::new(sum.checked_neg()?, own))
    }

    /// Do the values satisfy all rows and the bounds of non-basic variables? For tests.
    pub fn is_consistent(&self) -> bool {
        self.tableau.is_consistent()
            && (0..self.rows() as u32).all(|row| {
                let mut sum = Delta::default();
                for e in self.tableau.row(row) {
                    sum.add_product(&self.values[e.var.at()], &e.coefficient);
                }
                sum.is_zero()
            })
            && (0..self.vars() as u32)
                .map(Var)
                .all(|v| self.is_basic(v) || self.violated(v).is_none())
    }
}
