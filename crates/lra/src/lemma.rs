//! A contradiction of bounds as a condition that every model obeys.

use crate::number::{rounded, value};
use crate::rounding::{above, at_most, below, is_negative, largest, lower_end, negated, upper_end};
use crate::table::{Reals, Unknown, constant};
use crate::theory::Special;
use float::{FloatFormat, FloatPredicate, RoundingMode};
use linear::{BoundTerm, Delta, Form, Rational, Side};
use num_bigint::BigUint;
use term::{Pool, Term};

/// Why a bound holds in a model.
#[derive(Clone, Debug)]
pub(crate) enum Reason {
    /// An atom is true, or false.
    Atom(usize, bool),
    /// An unknown's float has this pattern, which is a number's.
    Float(usize, BigUint),
    /// An unknown's float is no number.
    Special(usize, Special),
    /// A rounding gives this pattern.
    Rounded(usize, BigUint),
}

/// A contradiction whose bounds become as weak as it allows.
pub(crate) struct Weakening<'a> {
    reals: &'a Reals,
    parts: Vec<(BoundTerm, Reason)>,
    /// The sum of the bounds with their multipliers and signs: below 0.
    sum: Delta,
}

/// A contradiction between atoms and the numbers of several floats: the inequality between these that follows from the
/// atoms, as a condition that says exactly what it means of floats. `None` for other contradictions.
pub(crate) fn between_floats(
    pool: &mut Pool,
    reals: &mut Reals,
    parts: &[(BoundTerm, Reason)],
) -> Option<Term> {
    let mut form = Form::new();
    let mut bound = Delta::default();
    let mut literals = Vec::new();
    for (part, reason) in parts {
        match reason {
            Reason::Atom(number, holds) => {
                let atom = &reals.atoms[*number];
                let factor = &part.factor * &part.side.sign();
                form.add_scaled(&atom.form, &factor);
                bound.add_product(&part.bound.value, &factor);
                literals.push(if *holds {
                    atom.condition
                } else {
                    pool.not(atom.condition)
                });
            }
            Reason::Float(..) => {}
            Reason::Special(..) | Reason::Rounded(..) => return None,
        }
    }
    if form.terms().len() < 2 {
        return None;
    }
    let follows = reals.exactly(pool, &form, &bound)?;
    let all = literals.into_iter().fold(Term::TRUE, |a, b| pool.and(a, b));
    Some(pool.implies(all, follows))
}

impl<'a> Weakening<'a> {
    pub fn new(reals: &'a Reals, parts: Vec<(BoundTerm, Reason)>) -> Weakening<'a> {
        let mut sum = Delta::default();
        for (part, _) in &parts {
            sum.add_product(&part.bound.value, &(&part.factor * &part.side.sign()));
        }
        Weakening { reals, parts, sum }
    }

    /// The condition: one of the bounds does not hold.
    ///
    /// What is left of the contradiction (how far the sum is below 0) is shared out among the bounds of floats, each of which
    /// then stands at the last float that keeps the sum below 0.
    pub fn lemma(mut self, pool: &mut Pool) -> Term {
        let is_float = |reason: &Reason| matches!(reason, Reason::Float(..) | Reason::Rounded(..));
        let mut left = self.parts.iter().filter(|(_, r)| is_float(r)).count() as i64;
        let mut literals = Vec::new();
        for at in 0..self.parts.len() {
            match self.parts[at].1.clone() {
                Reason::Atom(number, holds) => {
                    let atom = self.reals.atoms[number].condition;
                    literals.push(if holds { atom } else { pool.not(atom) });
                }
                Reason::Special(number, special) => {
                    let Unknown::OfFloat(float, format) = self.reals.unknowns[number] else {
                        unreachable!("an unknown of a float");
                    };
                    literals.push(is_special(pool, float, format, special));
                }
                Reason::Float(number, pattern) => {
                    let Unknown::OfFloat(float, format) = self.reals.unknowns[number] else {
                        unreachable!("an unknown of a float");
                    };
                    let side = self.parts[at].0.side;
                    let kept =
                        self.weaken(at, left, pattern, |limit| of_number(format, side, limit));
                    left -= 1;
                    // An infinity is no number.
                    let least = negated(format, &largest(format));
                    let most = largest(format);
                    let (low, high) = match side {
                        Side::Lower => (kept, most),
                        Side::Upper => (least, kept),
                    };
                    literals.push(is_within(pool, float, format, Side::Lower, &low));
                    literals.push(is_within(pool, float, format, Side::Upper, &high));
                }
                Reason::Rounded(number, pattern) => {
                    let r = &self.reals.roundings[number];
                    let own = self.parts[at].0.side;
                    let side = if r.scale.is_positive() {
                        own
                    } else {
                        own.flip()
                    };
                    let candidates = |limit: &Rational| {
                        let limit = &(limit * &r.scale) + &r.constant;
                        let candidates = of_rounded(r.format, r.mode, side, &limit).into_iter();
                        let bounds = candidates.map(|(pattern, end)| (pattern, r.of_form(&end)));
                        bounds.collect()
                    };
                    let kept = self.weaken(at, left, pattern, candidates);
                    left -= 1;
                    literals.push(is_within(pool, r.result, r.format, side, &kept));
                }
            }
        }
        let all = literals.into_iter().reduce(|a, b| pool.and(a, b));
        let all = all.unwrap_or(Term::TRUE);
        pool.not(all)
    }

    /// Weakens the bound of one part by its share of what is left, among so many parts. Gives the float at which it stands
    /// then; `candidates` are floats with their bounds, for a limit of the bound, the weakest one first.
    fn weaken(
        &mut self,
        at: usize,
        among: i64,
        pattern: BigUint,
        candidates: impl Fn(&Rational) -> Vec<(BigUint, Delta)>,
    ) -> BigUint {
        let part = &self.parts[at].0;
        let factor = &part.factor * &part.side.sign();
        let share = &(-&self.sum.real) / &Rational::from(among);
        let mut limit = part.bound.value.real.clone();
        limit.add_product(&share, &factor.recip());
        let is_weaker = |bound: &Delta| match part.side {
            Side::Lower => *bound < part.bound.value,
            Side::Upper => *bound > part.bound.value,
        };
        for (weakest, bound) in candidates(&limit) {
            let mut sum = self.sum.clone();
            sum.add_product(&bound.minus(&part.bound.value), &factor);
            if is_weaker(&bound) && sum < Delta::default() {
                self.sum = sum;
                return weakest;
            }
        }
        pattern
    }
}

/// Floats about as large as a limit of their numbers, with these.
fn of_number(format: FloatFormat, side: Side, limit: &Rational) -> Vec<(BigUint, Delta)> {
    let (mode, step): (_, fn(FloatFormat, &BigUint) -> Option<BigUint>) = match side {
        Side::Lower => (RoundingMode::TowardPositive, above),
        Side::Upper => (RoundingMode::TowardNegative, below),
    };
    let first = rounded(format, mode, limit);
    let first = clamped(format, first);
    let second = step(format, &first);
    let numbers = [Some(first), second].into_iter().flatten();
    let numbers = numbers.filter_map(|p| value(format, &p).map(|number| (p, number.into())));
    numbers.collect()
}

/// Floats to which numbers about as large as a limit are rounded, with the ends of what is rounded to them or to those beyond.
fn of_rounded(
    format: FloatFormat,
    mode: RoundingMode,
    side: Side,
    limit: &Rational,
) -> Vec<(BigUint, Delta)> {
    let first = rounded(format, mode, limit);
    let (second, end): (_, fn(_, _, &BigUint) -> _) = match side {
        Side::Lower => (above(format, &first), lower_end),
        Side::Upper => (below(format, &first), upper_end),
    };
    let floats = [Some(first), second].into_iter().flatten();
    let floats = floats.filter_map(|p| end(format, mode, &p).map(|end| (p, end)));
    floats.collect()
}

/// The largest float of its sign in place of an infinity.
fn clamped(format: FloatFormat, pattern: BigUint) -> BigUint {
    let most = largest(format);
    let least = negated(format, &most);
    if !at_most(format, &pattern, &most) {
        most
    } else if !at_most(format, &least, &pattern) {
        least
    } else {
        pattern
    }
}

/// Is a float at least, or at most, one that is no NaN, in the order in which -0 is below +0?
fn is_within(pool: &mut Pool, float: Term, format: FloatFormat, side: Side, end: &BigUint) -> Term {
    let is_zero = *end == BigUint::ZERO || *end == negated(format, &BigUint::ZERO);
    let (predicate, is_strict) = match side {
        Side::Lower => (FloatPredicate::Oge, !is_negative(format, end)),
        Side::Upper => (FloatPredicate::Ole, is_negative(format, end)),
    };
    let end = constant(pool, format, end);
    let within = pool.fcmp(predicate, float, end);
    if !(is_zero && is_strict) {
        return within;
    }
    // Of the two zeros only the one of this side.
    let bits = pool.fp_to_bits(float);
    let sign = pool.extract(format.bits() - 1, format.bits() - 1, bits);
    let is_right = match side {
        Side::Lower => pool.not(sign),
        Side::Upper => sign,
    };
    pool.and(within, is_right)
}

fn is_special(pool: &mut Pool, float: Term, format: FloatFormat, special: Special) -> Term {
    let infinity = crate::rounding::infinity(format);
    let pattern = match special {
        Special::Nan => return pool.fcmp(FloatPredicate::Uno, float, float),
        Special::Positive => infinity,
        Special::Negative => negated(format, &infinity),
    };
    let infinity = constant(pool, format, &pattern);
    pool.fcmp(FloatPredicate::Oeq, float, infinity)
}
