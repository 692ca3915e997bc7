//! What a query says of reals: unknowns, comparisons, roundings.

use crate::number::value;
use crate::rounding::{infinity, largest, lower_end, negated, upper_end};
use float::{FloatFormat, FloatPredicate, RoundingMode};
use linear::{Affine, Delta, Form, Rational, Var};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use term::{Pool, Sort, Term, Trace};

/// A real that is not constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// Any real.
    Free,
    /// The real number that a float is. What it is of NaN and infinities is left open, but it is a function of them.
    OfFloat(Term, FloatFormat),
}

/// `condition` holds exactly if `form <= bound`. The form's coefficients are integers without a common divisor, the first
/// one is positive.
#[derive(Clone, Debug)]
pub(crate) struct Atom {
    pub condition: Term,
    pub form: Form,
    pub bound: Delta,
}

/// `result` is the float that `scale · (form) + constant` is rounded to; forms are as in atoms.
#[derive(Clone, Debug)]
pub(crate) struct Rounding {
    pub result: Term,
    pub format: FloatFormat,
    pub mode: RoundingMode,
    pub form: Form,
    pub scale: Rational,
    pub constant: Rational,
}

/// Unknowns, comparisons and roundings of a script. They are numbered in the order in which they appeared and stay.
#[derive(Default)]
pub struct Reals {
    pub(crate) unknowns: Vec<Unknown>,
    pub(crate) atoms: Vec<Atom>,
    pub(crate) roundings: Vec<Rounding>,
    /// Numbers of atoms by form and bound.
    comparisons: FxHashMap<Form, BTreeMap<Delta, usize>>,
    /// Unknowns of floats.
    floats: FxHashMap<Term, Var>,
    /// Numbers of roundings by form.
    rounded: FxHashMap<Form, Vec<usize>>,
    /// Conditions that hold in every model and were not handed over yet.
    axioms: Vec<Term>,
}

impl Reals {
    /// How much there is: it grows with each new unknown, comparison or rounding.
    pub fn len(&self) -> usize {
        self.unknowns.len() + self.atoms.len() + self.roundings.len()
    }

    /// Nothing at all?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The axioms since this was last asked.
    pub fn take_axioms(&mut self) -> Vec<Term> {
        std::mem::take(&mut self.axioms)
    }

    /// A new real.
    pub fn unknown(&mut self) -> Var {
        self.add_unknown(Unknown::Free)
    }

    fn add_unknown(&mut self, unknown: Unknown) -> Var {
        self.unknowns.push(unknown);
        Var(self.unknowns.len() as u32 - 1)
    }

    /// The real number that a float is.
    pub fn of_float(&mut self, pool: &mut Pool, float: Term, format: FloatFormat) -> Affine {
        let bits = pool.fp_to_bits(float);
        if pool.is_const(bits) {
            let pattern = BigUint::new(halves(&pool.const_limbs(bits)));
            if let Some(constant) = value(format, &pattern) {
                return Affine {
                    constant,
                    ..Affine::default()
                };
            }
        }
        let var = match self.floats.get(&float) {
            Some(&known) => known,
            None => {
                let var = self.add_unknown(Unknown::OfFloat(float, format));
                self.floats.insert(float, var);
                var
            }
        };
        Affine {
            form: Form::var(var),
            ..Affine::default()
        }
    }

    /// Is a form at most 0, or (`strict`) less?
    pub fn at_most_zero(&mut self, pool: &mut Pool, affine: &Affine, strict: bool) -> Term {
        let (form, scale) = normal(&affine.form);
        let zero = Rational::ZERO;
        if form.is_zero() {
            let holds = if strict {
                affine.constant < zero
            } else {
                affine.constant <= zero
            };
            return pool.bool(holds);
        }
        // scale · form + constant <= 0
        let end = &(-&affine.constant) / &scale;
        if scale.is_positive() {
            let bound = if strict {
                Delta::below(end)
            } else {
                end.into()
            };
            self.at_most(pool, form, bound)
        } else {
            // form >= end is not form < end; form > end is not form <= end.
            let bound = if strict {
                end.into()
            } else {
                Delta::below(end)
            };
            let less = self.at_most(pool, form, bound);
            pool.not(less)
        }
    }

    /// The atom `form <= bound`; atoms on one form imply each other in the order of their bounds.
    fn at_most(&mut self, pool: &mut Pool, form: Form, bound: Delta) -> Term {
        let others = self.comparisons.entry(form.clone()).or_default();
        let slot = match others.entry(bound.clone()) {
            Entry::Occupied(known) => return self.atoms[*known.get()].condition,
            Entry::Vacant(slot) => slot,
        };
        slot.insert(self.atoms.len());
        let symbol = pool.new_symbol("comparison", Sort::BitVec(1));
        let condition = pool.symbol_term(symbol);
        if let Some((_, &tighter)) = others.range(..bound.clone()).next_back() {
            let axiom = pool.implies(self.atoms[tighter].condition, condition);
            self.axioms.push(axiom);
        }
        if let Some((_, &weaker)) = others.range(bound.clone()..).nth(1) {
            let axiom = pool.implies(condition, self.atoms[weaker].condition);
            self.axioms.push(axiom);
        }
        self.atoms.push(Atom {
            condition,
            form,
            bound,
        });
        condition
    }

    /// Are two reals equal?
    pub fn equal(&mut self, pool: &mut Pool, a: &Affine, b: &Affine) -> Term {
        let mut difference = a.clone();
        difference.add_scaled(b, &Rational::MINUS_ONE);
        let most = self.at_most_zero(pool, &difference, false);
        let mut negative = Affine::default();
        negative.add_scaled(&difference, &Rational::MINUS_ONE);
        let least = self.at_most_zero(pool, &negative, false);
        pool.and(most, least)
    }

    /// One of two reals.
    pub fn choose(
        &mut self,
        pool: &mut Pool,
        condition: Term,
        yes: &Affine,
        no: &Affine,
    ) -> Affine {
        let chosen = Affine {
            form: Form::var(self.unknown()),
            ..Affine::default()
        };
        let is_yes = self.equal(pool, &chosen, yes);
        let is_no = self.equal(pool, &chosen, no);
        let axiom = pool.ite(condition, is_yes, is_no);
        self.axioms.push(axiom);
        chosen
    }

    /// The float that a real that is not constant is rounded to.
    pub fn round(
        &mut self,
        pool: &mut Pool,
        format: FloatFormat,
        mode: RoundingMode,
        affine: &Affine,
    ) -> Term {
        let (form, scale) = normal(&affine.form);
        let own = self.rounded.entry(form.clone()).or_default();
        for known in own.iter().map(|&at| &self.roundings[at]) {
            if (known.format, known.mode) == (format, mode)
                && (&known.scale, &known.constant) == (&scale, &affine.constant)
            {
                return known.result;
            }
        }
        own.push(self.roundings.len());
        let symbol = pool.new_symbol("rounded", Sort::BitVec(format.bits()));
        let bits = pool.symbol_term(symbol);
        let result = pool.fp_from_bits(format, bits);
        let ordered = pool.fcmp(FloatPredicate::Ord, result, result);
        self.axioms.push(ordered);
        // To which infinities is nothing rounded?
        let greatest = largest(format);
        if upper_end(format, mode, &greatest).is_none() {
            let most = constant(pool, format, &greatest);
            let axiom = pool.fcmp(FloatPredicate::Ole, result, most);
            self.axioms.push(axiom);
        }
        let least = negated(format, &greatest);
        if lower_end(format, mode, &least).is_none() {
            let least = constant(pool, format, &least);
            let axiom = pool.fcmp(FloatPredicate::Oge, result, least);
            self.axioms.push(axiom);
        }
        self.roundings.push(Rounding {
            result,
            format,
            mode,
            form,
            scale,
            constant: affine.constant.clone(),
        });
        result
    }
}

impl Trace for Reals {
    fn trace(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        for unknown in &mut self.unknowns {
            if let Unknown::OfFloat(float, _) = unknown {
                visit(float);
            }
        }
        self.atoms.iter_mut().for_each(|a| visit(&mut a.condition));
        self.roundings.iter_mut().for_each(|r| visit(&mut r.result));
        self.axioms.iter_mut().for_each(visit);
        self.floats.clear();
        for (at, unknown) in self.unknowns.iter().enumerate() {
            if let Unknown::OfFloat(float, _) = *unknown {
                self.floats.insert(float, Var(at as u32));
            }
        }
    }
}

/// A form and a factor other than 0 whose product is the given form; the form's coefficients are integers without a common
/// divisor, and the first one is positive.
fn normal(form: &Form) -> (Form, Rational) {
    let Some((_, first)) = form.terms().first() else {
        return (Form::new(), Rational::ONE);
    };
    let factor = form.primitive_factor();
    let factor = if first.is_negative() {
        -&factor
    } else {
        factor
    };
    (form.scaled(&factor), factor.recip())
}

/// A float as a constant term.
pub(crate) fn constant(pool: &mut Pool, format: FloatFormat, pattern: &BigUint) -> Term {
    let mut limbs = pattern.to_u64_digits();
    limbs.resize(format.bits().div_ceil(64) as usize, 0);
    let bits = pool.bv_wide(format.bits(), &limbs);
    pool.fp_from_bits(format, bits)
}

/// A float's pattern from limbs of 64 bits.
pub(crate) fn halves(limbs: &[u64]) -> Vec<u32> {
    let halves = limbs.iter().flat_map(|&l| [l as u32, (l >> 32) as u32]);
    halves.collect()
}

/// Is a pattern that of a finite float?
pub(crate) fn is_finite(format: FloatFormat, pattern: &BigUint) -> bool {
    let magnitude = if crate::rounding::is_negative(format, pattern) {
        negated(format, pattern)
    } else {
        pattern.clone()
    };
    magnitude < infinity(format)
}
