//! The reals of a query: unknowns, comparisons, roundings.

use crate::exact::{self, is_narrow};
use crate::number::{rounded, value};
use crate::rounding::{at_most, below, infinity, largest, lower_end, negated, upper_end};
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
    /// Is there a condition that says exactly what it means of floats?
    pub is_exact: bool,
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

/// How much there was, to go back to.
#[derive(Clone, Copy, Debug)]
pub struct TableMark {
    unknowns: usize,
    atoms: usize,
    roundings: usize,
}

/// Unknowns, comparisons and roundings of a script. They are numbered in the order in which they appeared.
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

    /// What there is now.
    pub fn mark(&self) -> TableMark {
        TableMark {
            unknowns: self.unknowns.len(),
            atoms: self.atoms.len(),
            roundings: self.roundings.len(),
        }
    }

    /// Forgets all that came since; the axioms and lemmas of that time have to be forgotten, too.
    pub fn go_back(&mut self, to: TableMark) {
        let now = self.mark();
        self.axioms.clear();
        self.atoms.iter_mut().for_each(|atom| atom.is_exact = false);
        if (now.unknowns, now.atoms, now.roundings) == (to.unknowns, to.atoms, to.roundings) {
            return;
        }
        self.unknowns.truncate(to.unknowns);
        self.atoms.truncate(to.atoms);
        self.roundings.truncate(to.roundings);
        self.floats.retain(|_, var| var.at() < to.unknowns);
        self.comparisons.retain(|_, atoms| {
            atoms.retain(|_, at| *at < to.atoms);
            !atoms.is_empty()
        });
        self.rounded.retain(|_, own| {
            own.retain(|at| *at < to.roundings);
            !own.is_empty()
        });
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
        if let Some(axiom) = self.in_floats(pool, condition, &form, &bound) {
            self.axioms.push(axiom);
        }
        self.atoms.push(Atom {
            condition,
            form,
            bound,
            is_exact: false,
        });
        condition
    }

    /// The atom `form <= bound` of a form over finite floats of one format, with a condition that says exactly what it means
    /// of them; `None` where there is no such circuit.
    pub(crate) fn exactly(&mut self, pool: &mut Pool, form: &Form, bound: &Delta) -> Option<Term> {
        let mut formats = form.terms().iter().map(|(x, _)| self.float(*x));
        let (_, format) = formats.next()??;
        if !formats.all(|f| f.is_some_and(|(_, other)| other == format)) || !is_narrow(format) {
            return None;
        }
        let (form, scale) = normal(form);
        let end = bound.scaled(&scale.recip());
        let (condition, bound) = if scale.is_positive() {
            (self.at_most(pool, form.clone(), end.clone()), end)
        } else {
            // form >= end is not form < end, form > end is not form <= end.
            let bound = if end.delta.is_zero() {
                Delta::below(end.real)
            } else {
                end.real.into()
            };
            let less = self.at_most(pool, form.clone(), bound.clone());
            (pool.not(less), bound)
        };
        let at = self.comparisons[&form][&bound];
        if !std::mem::replace(&mut self.atoms[at].is_exact, true) {
            let floats: Vec<(Term, Rational)> = form
                .terms()
                .iter()
                .filter_map(|(x, factor)| Some((self.float(*x)?.0, factor.clone())))
                .collect();
            let means = exact::at_most(pool, format, &floats, &bound);
            let same = pool.eq(self.atoms[at].condition, means);
            let all = floats.iter().fold(Term::TRUE, |all, (float, _)| {
                let finite = finite(pool, *float, format);
                pool.and(all, finite)
            });
            let axiom = pool.implies(all, same);
            self.axioms.push(axiom);
        }
        Some(condition)
    }

    /// The float whose number an unknown is.
    fn float(&self, var: Var) -> Option<(Term, FloatFormat)> {
        match self.unknowns[var.at()] {
            Unknown::OfFloat(float, format) => Some((float, format)),
            Unknown::Free => None,
        }
    }

    /// What an atom about the numbers of one float, or of two of one format that are compared, says of the floats
    /// if they are finite. It follows from the meaning of the atom, and saves the lemmas that would say it piece by piece.
    fn in_floats(
        &self,
        pool: &mut Pool,
        condition: Term,
        form: &Form,
        bound: &Delta,
    ) -> Option<Term> {
        let (means, finite) = match form.terms() {
            [(x, factor)] if factor.is_one() => {
                let (x, format) = self.float(*x)?;
                let greatest = last_up_to(format, bound);
                let means = greatest.map_or(Term::FALSE, |greatest| {
                    let greatest = constant(pool, format, &greatest);
                    pool.fcmp(FloatPredicate::Ole, x, greatest)
                });
                (means, finite(pool, x, format))
            }
            [(x, factor), (y, other)] if factor.is_one() && (-other).is_one() => {
                let ((x, format), (y, second)) = (self.float(*x)?, self.float(*y)?);
                if second != format || !bound.real.is_zero() {
                    return None;
                }
                let predicate = if bound.delta.is_zero() {
                    FloatPredicate::Ole
                } else {
                    FloatPredicate::Olt
                };
                let means = pool.fcmp(predicate, x, y);
                let [a, b] = [x, y].map(|float| finite(pool, float, format));
                (means, pool.and(a, b))
            }
            _ => return None,
        };
        let same = pool.eq(condition, means);
        Some(pool.implies(finite, same))
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
        let at = self.roundings.len();
        own.push(at);
        let siblings: Vec<usize> = own.clone();
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
        if let [(x, _)] = form.terms()
            && scale.is_one()
            && affine.constant.is_zero()
            && let Unknown::OfFloat(float, own) = self.unknowns[x.at()]
        {
            // The number of a float, rounded, is the float converted, but the number of -0 is that of +0.
            let converted = pool.fp_to_fp_rounded(mode, format, float);
            let bits = pool.zero(own.bits());
            let zero = pool.fp_from_bits(own, bits);
            let is_zero = pool.fcmp(FloatPredicate::Oeq, float, zero);
            let bits = pool.zero(format.bits());
            let zero = pool.fp_from_bits(format, bits);
            let converted = pool.ite(is_zero, zero, converted);
            let same = pool.fp_same(result, converted);
            let finite = finite(pool, float, own);
            let axiom = pool.implies(finite, same);
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
        self.relate(pool, at, &siblings, affine);
        result
    }

    /// What the roundings of one real in several modes have to do with each other: each is the one downward, or the next
    /// float above that. Lemmas would say it for one range of floats after another.
    fn relate(&mut self, pool: &mut Pool, at: usize, siblings: &[usize], affine: &Affine) {
        let own = &self.roundings[at];
        let (format, mode) = (own.format, own.mode);
        let is_sibling = |&other: &usize| {
            let other = &self.roundings[other];
            (other.format, &other.scale, &other.constant) == (format, &own.scale, &own.constant)
        };
        let siblings = siblings.iter().copied().filter(is_sibling);
        let others: Vec<usize> = siblings.filter(|other| *other != at).collect();
        const DOWN: RoundingMode = RoundingMode::TowardNegative;
        let related = if mode == DOWN {
            others
        } else if others.is_empty() {
            return;
        } else if others.iter().any(|&o| self.roundings[o].mode == DOWN) {
            vec![at]
        } else {
            // It relates itself to all that there are.
            self.round(pool, format, DOWN, affine);
            return;
        };
        let down = self.round(pool, format, DOWN, affine);
        let bits = pool.fp_to_bits(down);
        let one = pool.bv_wide(format.bits(), &unit_limbs(format));
        let (more, less) = (pool.add(bits, one), pool.sub(bits, one));
        let sign = pool.extract(format.bits() - 1, format.bits() - 1, bits);
        let next = pool.ite(sign, less, more);
        let next = pool.fp_from_bits(format, next);
        for other in related {
            let result = self.roundings[other].result;
            let [is_down, is_next] = [down, next].map(|float| pool.fp_same(result, float));
            let axiom = pool.or(is_down, is_next);
            self.axioms.push(axiom);
        }
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

/// The greatest float whose number is within an upper bound; `None` if none is.
fn last_up_to(format: FloatFormat, bound: &Delta) -> Option<BigUint> {
    let most = largest(format);
    let least = negated(format, &most);
    let down = rounded(format, RoundingMode::TowardNegative, &bound.real);
    let last = if bound.delta.is_negative() && value(format, &down).is_some_and(|n| n == bound.real)
    {
        // Of the zeros the negative one is not less than 0 either.
        let zero = down == BigUint::ZERO;
        let own = if zero { negated(format, &down) } else { down };
        below(format, &own)?
    } else {
        down
    };
    if at_most(format, &most, &last) {
        return Some(most);
    }
    at_most(format, &least, &last).then_some(last)
}

/// Is a float neither infinite nor a NaN?
fn finite(pool: &mut Pool, float: Term, format: FloatFormat) -> Term {
    let most = constant(pool, format, &largest(format));
    let magnitude = pool.fabs(float);
    pool.fcmp(FloatPredicate::Ole, magnitude, most)
}

/// A float as a constant term.
pub(crate) fn constant(pool: &mut Pool, format: FloatFormat, pattern: &BigUint) -> Term {
    let mut limbs = pattern.to_u64_digits();
    limbs.resize(format.bits().div_ceil(64) as usize, 0);
    let bits = pool.bv_wide(format.bits(), &limbs);
    pool.fp_from_bits(format, bits)
}

/// The number 1 in as many limbs as a float's pattern has.
fn unit_limbs(format: FloatFormat) -> Vec<u64> {
    let mut limbs = vec![0; format.bits().div_ceil(64) as usize];
    limbs[0] = 1;
    limbs
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
