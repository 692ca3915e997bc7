//! The constraints on reals that follow from a model of the other theories.

use crate::lemma::{Reason, Weakening, between_floats};
use crate::number::{rounded, value};
use crate::rounding::{infinity, lower_end, negated, upper_end};
use crate::table::{Reals, Unknown, halves, is_finite};
use float::FloatFormat;
use linear::{
    Conflict, Deadline, Delta, Form, NoObserver, ProofCheck, Rational, Side, Simplex, Ticks, Var,
};
use num_bigint::BigUint;
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Assignment, Evaluator, Pool, Term};

/// Most lemmas of one check.
const MOST_LEMMAS: usize = 16;

/// What a model means for the reals.
#[derive(Debug)]
pub enum Verdict {
    /// There are values of the unknowns.
    Values(Vec<Rational>),
    /// There are none: conditions that every model obeys, and this one does not.
    Lemmas(Vec<Term>),
    /// The time was over.
    OutOfTime,
}

/// Values of floats that are no numbers: their reals are the same unknown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Special {
    Nan,
    Positive,
    Negative,
}

impl Special {
    /// What a pattern is; `None` of numbers.
    pub fn of(format: FloatFormat, pattern: &BigUint) -> Option<Special> {
        let infinity = infinity(format);
        if is_finite(format, pattern) {
            None
        } else if *pattern == infinity {
            Some(Special::Positive)
        } else if *pattern == negated(format, &infinity) {
            Some(Special::Negative)
        } else {
            Some(Special::Nan)
        }
    }
}

/// The simplex of a script: it keeps its basis from one model to the next.
#[derive(Default)]
pub struct Theory {
    simplex: Simplex,
    /// Variables of unknowns.
    unknowns: Vec<Var>,
    /// Variables of forms of atoms and roundings.
    forms: FxHashMap<Form, Var>,
    /// Unknowns for what is no number, by format and kind.
    specials: FxHashMap<(FloatFormat, Special), Var>,
}

/// A bound that a model makes.
struct Asserted {
    var: Var,
    side: Side,
    bound: Delta,
    reason: Reason,
}

impl Theory {
    /// Looks for values of the unknowns beside a model.
    ///
    /// # Panics
    ///
    /// If the values found do not satisfy what the model says, which exact arithmetic excludes.
    pub fn check(
        &mut self,
        pool: &mut Pool,
        reals: &mut Reals,
        model: &Assignment,
        evaluator: &mut Evaluator,
        deadline: Option<Deadline>,
    ) -> Verdict {
        let mut ticks = Ticks::until(u64::MAX, deadline);
        let asserted = self.bounds(pool, reals, model, evaluator);
        let mut excluded: FxHashSet<u32> = FxHashSet::default();
        let mut lemmas = Vec::new();
        loop {
            self.simplex.push();
            let before = lemmas.len();
            let mut conflicts = Vec::new();
            for (at, a) in (0u32..).zip(&asserted) {
                if !excluded.contains(&at)
                    && let Err(conflict) = self.simplex.assert(a.var, a.side, a.bound.clone(), at)
                {
                    excluded.insert(at);
                    conflicts.push(conflict);
                }
            }
            let outcome = self.simplex.check(&mut ticks, &mut NoObserver);
            let values = matches!(outcome, ProofCheck::Feasible).then(|| self.values());
            self.simplex.pop();
            let is_over = match outcome {
                ProofCheck::Feasible => true,
                ProofCheck::OutOfTicks => return Verdict::OutOfTime,
                ProofCheck::Conflict(conflict) => {
                    excluded.extend(conflict.reasons());
                    conflicts.push(conflict);
                    false
                }
            };
            for conflict in conflicts {
                lemmas.push(self.lemma(pool, reals, &asserted, conflict));
            }
            match values {
                Some(values) if lemmas.is_empty() => {
                    verify(pool, reals, model, evaluator, &values);
                    return Verdict::Values(values);
                }
                _ if is_over || lemmas.len() >= MOST_LEMMAS || lemmas.len() == before => {
                    lemmas.extend(reals.take_axioms());
                    return Verdict::Lemmas(lemmas);
                }
                _ => {}
            }
        }
    }

    /// The bounds that a model makes.
    fn bounds(
        &mut self,
        pool: &Pool,
        reals: &Reals,
        model: &Assignment,
        evaluator: &mut Evaluator,
    ) -> Vec<Asserted> {
        while self.unknowns.len() < reals.unknowns.len() {
            self.unknowns.push(self.simplex.new_var());
        }
        let mut asserted = Vec::new();
        let mut assert = |var, side, bound, reason| {
            asserted.push(Asserted {
                var,
                side,
                bound,
                reason,
            })
        };
        for (at, atom) in reals.atoms.iter().enumerate() {
            let holds = evaluator.eval(pool, atom.condition, model) == 1;
            let var = self.form(&atom.form);
            if holds {
                assert(var, Side::Upper, atom.bound.clone(), Reason::Atom(at, true));
            } else {
                let bound = complement(&atom.bound);
                assert(var, Side::Lower, bound, Reason::Atom(at, false));
            }
        }
        for (at, unknown) in reals.unknowns.iter().enumerate() {
            let Unknown::OfFloat(float, format) = *unknown else {
                continue;
            };
            let pattern = pattern_of(pool, evaluator, float, model);
            if let Some(special) = Special::of(format, &pattern) {
                let (own, other) = (self.unknowns[at], self.special(format, special));
                let minus = (other, Rational::MINUS_ONE);
                let same = self.define(&Form::from_terms([(own, Rational::ONE), minus]));
                for side in [Side::Lower, Side::Upper] {
                    assert(same, side, Delta::default(), Reason::Special(at, special));
                }
            } else {
                let number = value(format, &pattern).expect("a finite float");
                for side in [Side::Lower, Side::Upper] {
                    let reason = Reason::Float(at, pattern.clone());
                    assert(self.unknowns[at], side, number.clone().into(), reason);
                }
            }
        }
        for (at, r) in reals.roundings.iter().enumerate() {
            let pattern = pattern_of(pool, evaluator, r.result, model);
            let var = self.form(&r.form);
            let ends = [
                (Side::Lower, lower_end(r.format, r.mode, &pattern)),
                (Side::Upper, upper_end(r.format, r.mode, &pattern)),
            ];
            for (side, end) in ends {
                if let Some(end) = end {
                    let bound = r.of_form(&end);
                    let side = if r.scale.is_positive() {
                        side
                    } else {
                        side.flip()
                    };
                    assert(var, side, bound, Reason::Rounded(at, pattern.clone()));
                }
            }
        }
        asserted
    }

    /// The variable of a form over unknowns.
    fn form(&mut self, form: &Form) -> Var {
        let own = form.terms().iter();
        let own = own.map(|(v, c)| (self.unknowns[v.at()], c.clone()));
        let own = Form::from_terms(own.collect::<Vec<_>>());
        self.define(&own)
    }

    fn define(&mut self, form: &Form) -> Var {
        if let [(var, factor)] = form.terms()
            && factor.is_one()
        {
            return *var;
        }
        if let Some(&known) = self.forms.get(form) {
            return known;
        }
        let var = self.simplex.define(form);
        self.forms.insert(form.clone(), var);
        var
    }

    fn special(&mut self, format: FloatFormat, special: Special) -> Var {
        let simplex = &mut self.simplex;
        let known = self.specials.entry((format, special));
        *known.or_insert_with(|| simplex.new_var())
    }

    fn lemma(
        &self,
        pool: &mut Pool,
        reals: &mut Reals,
        asserted: &[Asserted],
        conflict: Conflict,
    ) -> Term {
        let parts = conflict.0.into_iter();
        let parts = parts.map(|part| {
            let reason = asserted[part.bound.reason as usize].reason.clone();
            (part, reason)
        });
        let parts: Vec<_> = parts.collect();
        match between_floats(pool, reals, &parts) {
            Some(lemma) => lemma,
            None => Weakening::new(reals, parts).lemma(pool),
        }
    }

    /// The values of the unknowns, with a number for δ that is small enough for all bounds.
    fn values(&self) -> Vec<Rational> {
        let mut step = Rational::ONE;
        for var in (0..self.simplex.vars() as u32).map(Var) {
            let own = self.simplex.value(var);
            for side in [Side::Lower, Side::Upper] {
                let Some(bound) = self.simplex.bound(var, side) else {
                    continue;
                };
                let (low, high) = match side {
                    Side::Lower => (&bound.value, own),
                    Side::Upper => (own, &bound.value),
                };
                // low + low' · δ <= high + high' · δ
                if low.real < high.real && low.delta > high.delta {
                    let most = &(&high.real - &low.real) / &(&low.delta - &high.delta);
                    step = step.min(most);
                }
            }
        }
        let value = |&var: &Var| {
            let own = self.simplex.value(var);
            let mut value = own.real.clone();
            value.add_product(&own.delta, &step);
            value
        };
        self.unknowns.iter().map(value).collect()
    }
}

impl crate::table::Rounding {
    /// A bound of what is rounded as one of the form.
    pub fn of_form(&self, end: &Delta) -> Delta {
        let shifted = Delta::new(&end.real - &self.constant, end.delta.clone());
        shifted.scaled(&self.scale.recip())
    }
}

/// The bound on the other side that holds exactly if this one does not.
fn complement(bound: &Delta) -> Delta {
    if bound.delta.is_zero() {
        Delta::above(bound.real.clone())
    } else {
        bound.real.clone().into()
    }
}

fn pattern_of(pool: &Pool, evaluator: &mut Evaluator, float: Term, model: &Assignment) -> BigUint {
    BigUint::new(halves(&evaluator.eval_wide(pool, float, model)))
}

/// Do the values satisfy what the model says? By other means than bounds.
fn verify(
    pool: &Pool,
    reals: &Reals,
    model: &Assignment,
    evaluator: &mut Evaluator,
    values: &[Rational],
) {
    let of = |form: &Form| form.value(|v| &values[v.at()]);
    for atom in &reals.atoms {
        let holds = Delta::from(of(&atom.form)) <= atom.bound;
        assert_eq!(holds, evaluator.eval(pool, atom.condition, model) == 1);
    }
    for (at, unknown) in reals.unknowns.iter().enumerate() {
        if let Unknown::OfFloat(float, format) = *unknown {
            let number = value(format, &pattern_of(pool, evaluator, float, model));
            assert!(number.is_none_or(|number| number == values[at]));
        }
    }
    for r in &reals.roundings {
        let number = &(&of(&r.form) * &r.scale) + &r.constant;
        let pattern = pattern_of(pool, evaluator, r.result, model);
        assert_eq!(rounded(r.format, r.mode, &number), pattern);
    }
}
