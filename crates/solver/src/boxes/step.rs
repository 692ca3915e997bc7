//! Propagation at one term: from the sets of its operands to its own set, and back.

use super::compare::Ways;
use super::convert;
use super::floats::{Floats, MAX_WIDTH, Span, infinity, key, magnitude, pattern};
use super::function::MonotoneFunction;
use super::libm;
use float::{FloatFormat, Operation, Reading, RoundingMode};
use term::domain::Fact;
use term::{Op, Pool, Sort, Term};

/// The known set of a term's values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Enclosure {
    /// The values of a bit-vector of at most 64 bits.
    Bits(Fact),
    /// The values of a float of at most [`MAX_WIDTH`] bits.
    Floats(Floats),
}

impl Enclosure {
    /// In the place of what nothing is kept about.
    pub const NOTHING: Enclosure = Enclosure::Floats(Floats::NONE);

    /// The set of a term under every assignment; `None` if none is kept for its sort.
    pub fn known(pool: &Pool, t: Term) -> Option<Enclosure> {
        let format = match pool.sort(t) {
            Sort::BitVec(1..=64) => return Some(Enclosure::Bits(pool.fact(t))),
            Sort::Float(format) if is_kept(pool.sort(t)) => format,
            _ => return None,
        };
        let constant = (pool.op(t) == Op::FpFromBits && pool.is_const(pool.child(t, 0)))
            .then(|| pool.const_limbs(pool.child(t, 0)));
        Some(Enclosure::Floats(match constant {
            Some(limbs) => {
                let high = limbs.get(1).copied().unwrap_or(0);
                Floats::constant(format, u128::from(limbs[0]) | u128::from(high) << 64)
            }
            None => Floats::anything(format),
        }))
    }

    /// The intersection of both, for bit-vectors of this width or for floats; `None` if it is empty.
    pub fn meet(self, other: Enclosure, width: u32) -> Option<Enclosure> {
        match (self, other) {
            (Enclosure::Bits(a), Enclosure::Bits(b)) => a.meet(b, width).map(Enclosure::Bits),
            (Enclosure::Floats(a), Enclosure::Floats(b)) => {
                let met = a.meet(b);
                (!met.is_empty()).then_some(Enclosure::Floats(met))
            }
            _ => Some(self),
        }
    }

    /// Is it so much less than `before`, which has all of it, that it is worth telling?
    pub fn is_news(&self, before: &Enclosure) -> bool {
        match (self, before) {
            (Enclosure::Floats(now), Enclosure::Floats(before)) => now.is_news(before),
            _ => self != before,
        }
    }

    /// Is one value left?
    pub fn is_single(&self) -> bool {
        match self {
            Enclosure::Bits(fact) => fact.value().is_some(),
            Enclosure::Floats(floats) => floats.value().is_some(),
        }
    }

    /// The fact, of a bit-vector.
    pub fn bits(&self) -> Option<&Fact> {
        match self {
            Enclosure::Bits(fact) => Some(fact),
            Enclosure::Floats(_) => None,
        }
    }

    fn floats(&self) -> Option<&Floats> {
        match self {
            Enclosure::Floats(floats) => Some(floats),
            Enclosure::Bits(_) => None,
        }
    }
}

/// Is something kept about values of the sort?
pub(crate) fn is_kept(sort: Sort) -> bool {
    match sort {
        Sort::BitVec(width) => width <= 64,
        Sort::Float(format) => format.bits() <= MAX_WIDTH,
        _ => false,
    }
}

/// Is the term a float, or an operand of it?
pub(crate) fn has_floats(pool: &Pool, t: Term) -> bool {
    let is_float = |t: &Term| matches!(pool.sort(*t), Sort::Float(_));
    is_float(&t) || pool.children(t).iter().any(is_float)
}

/// The operands of a term that are floats, as far as they all are.
fn all_floats(operands: &[Enclosure]) -> Option<Vec<Floats>> {
    operands
        .iter()
        .map(|value| value.floats().copied())
        .collect()
}

/// The set of a term that is or has floats, from those of its operands; `None` if nothing is known.
pub(crate) fn forward(pool: &Pool, t: Term, operands: &[Enclosure]) -> Option<Enclosure> {
    let first = operands.first()?;
    if let Some(function) = MonotoneFunction::of(pool, t) {
        return Some(Enclosure::Floats(function.forward(&all_floats(operands)?)));
    }
    if let Some(call) = libm::Call::of(pool, t) {
        return Some(Enclosure::Floats(call.forward(&all_floats(operands)?)));
    }
    let op = pool.op(t);
    Some(match op {
        Op::FpFromBits => Enclosure::Floats(Floats::of_bits(pool.float_format(t), first.bits()?)),
        Op::FpToBits => {
            let format = pool.float_format(pool.child(t, 0));
            Enclosure::Bits(first.floats()?.bits(format)?)
        }
        Op::FNeg => Enclosure::Floats(first.floats()?.negated()),
        Op::FAbs => Enclosure::Floats(first.floats()?.absolute()),
        Op::FCmp => {
            let ways = Ways::of(first.floats()?, operands[1].floats()?);
            let can = |value| !ways.and(Ways::where_is(pool.predicate(t), value)).is_none();
            truth(can(true), can(false))?
        }
        Op::Eq => {
            let (a, b) = (first.floats()?, operands[1].floats()?);
            let format = pool.float_format(pool.child(t, 0));
            // A number of x87 can have two patterns.
            let is_same =
                a.value().is_some() && a.value() == b.value() && !format.has_integer_bit();
            truth(!a.meet(*b).is_empty(), !is_same)?
        }
        Op::Ite => {
            let (yes, no) = (operands[1].floats()?, operands[2].floats()?);
            Enclosure::Floats(match first.bits()?.value() {
                Some(0) => *no,
                Some(_) => *yes,
                None => yes.join(*no),
            })
        }
        Op::FMin | Op::FMax => {
            let (a, b) = (first.floats()?, operands[1].floats()?);
            Enclosure::Floats(extreme(op == Op::FMax, a, b))
        }
        Op::FRem | Op::FRemainder => {
            let (a, b) = (first.floats()?, operands[1].floats()?);
            Enclosure::Floats(remainder(pool.float_format(t), op, a, b))
        }
        Op::SintToFp | Op::UintToFp => {
            Enclosure::Floats(convert::FromInteger::of(pool, t).forward(first.bits()?))
        }
        Op::FpToSint | Op::FpToUint => {
            Enclosure::Bits(convert::ToInteger::of(pool, t)?.forward(first.floats()?)?)
        }
        _ => return None,
    })
}

/// A truth value of which it is known whether it can be 1 and whether it can be 0.
fn truth(yes: bool, no: bool) -> Option<Enclosure> {
    (yes || no).then(|| Enclosure::Bits(Fact::truth(!no, !yes)))
}

/// Tells `learn` the sets of the operands, by their places, that follow from the set of a term that is or has floats.
pub(crate) fn backward(
    pool: &Pool,
    t: Term,
    own: &Enclosure,
    operands: &[Enclosure],
    learn: &mut dyn FnMut(usize, Enclosure),
) {
    // None if there is nothing to tell.
    tell(pool, t, own, operands, learn);
}

fn tell(
    pool: &Pool,
    t: Term,
    own: &Enclosure,
    operands: &[Enclosure],
    learn: &mut dyn FnMut(usize, Enclosure),
) -> Option<()> {
    let first = operands.first()?;
    if let Some(function) = MonotoneFunction::of(pool, t) {
        let (own, operands) = (own.floats()?, all_floats(operands)?);
        // Where every result is in the set, no operand is bad.
        let results = function.forward(&operands);
        if results.meet(*own) != results {
            for k in 0..operands.len() {
                learn(k, Enclosure::Floats(function.backward(own, &operands, k)));
            }
        }
        return Some(());
    }
    if let Some(call) = libm::Call::of(pool, t) {
        learn(
            0,
            Enclosure::Floats(call.backward(own.floats()?, first.floats()?)),
        );
        return Some(());
    }
    let op = pool.op(t);
    match op {
        Op::FpFromBits => {
            learn(
                0,
                Enclosure::Bits(own.floats()?.bits(pool.float_format(t))?),
            );
        }
        Op::FpToBits => {
            let format = pool.float_format(pool.child(t, 0));
            learn(0, Enclosure::Floats(Floats::of_bits(format, own.bits()?)));
        }
        Op::FNeg => learn(0, Enclosure::Floats(own.floats()?.negated())),
        Op::FAbs => {
            let positive = Floats {
                negative: Span::EMPTY,
                ..*own.floats()?
            };
            learn(0, Enclosure::Floats(positive.join(positive.negated())));
        }
        Op::FCmp => {
            let (a, b) = (first.floats()?, operands[1].floats()?);
            let ways = Ways::where_is(pool.predicate(t), own.bits()?.value()? == 1);
            learn(0, Enclosure::Floats(ways.left(a, b)));
            learn(1, Enclosure::Floats(ways.swapped().left(b, a)));
        }
        Op::Eq if own.bits()?.value()? == 1 => {
            learn(0, operands[1]);
            learn(1, *first);
        }
        Op::Ite => {
            let (yes, no) = (operands[1].floats()?, operands[2].floats()?);
            let own = own.floats()?;
            match first.bits()?.value() {
                Some(value) => learn(if value == 1 { 1 } else { 2 }, Enclosure::Floats(*own)),
                None if own.meet(*yes).is_empty() => {
                    learn(0, Enclosure::Bits(Fact::constant(0, 1)))
                }
                None if own.meet(*no).is_empty() => learn(0, Enclosure::Bits(Fact::constant(1, 1))),
                None => {}
            }
        }
        Op::FMin | Op::FMax => {
            let own = own.floats()?;
            let (a, b) = (first.floats()?, operands[1].floats()?);
            learn(0, Enclosure::Floats(chosen(op == Op::FMax, own, a, b)));
            learn(1, Enclosure::Floats(chosen(op == Op::FMax, own, b, a)));
        }
        Op::FRem | Op::FRemainder if !own.floats()?.nan => {
            // The dividend is finite, the divisor not zero, and neither less than the result.
            let format = pool.float_format(t);
            let own = own.floats()?.absolute().positive;
            if own.is_empty() {
                return Some(());
            }
            let from = |low, high| {
                let positive = Floats::between(low, high);
                positive.join(positive.negated())
            };
            let infinity = infinity(format);
            learn(0, Enclosure::Floats(from(own.low, infinity - 1)));
            learn(1, Enclosure::Floats(from(own.low.max(1), infinity)));
        }
        Op::SintToFp | Op::UintToFp => {
            let integers = first.bits()?;
            let found = convert::FromInteger::of(pool, t).backward(own.floats()?, integers)?;
            learn(0, Enclosure::Bits(found));
        }
        Op::FpToSint | Op::FpToUint => {
            let found = convert::ToInteger::of(pool, t)?.backward(own.bits()?, first.floats()?);
            learn(0, Enclosure::Floats(found));
        }
        _ => {}
    }
    Some(())
}

/// The smaller of two floats, or the larger. Where one is NaN it is the other one; of unlike zeros it may be either.
fn extreme(is_max: bool, a: &Floats, b: &Floats) -> Floats {
    if is_max {
        return extreme(false, &a.negated(), &b.negated()).negated();
    }
    let mut found = Floats::NONE;
    if a.nan {
        found = found.join(*b);
    }
    if b.nan {
        found = found.join(*a);
    }
    let (left, right) = (a.hull(), b.hull());
    if !left.is_empty() && !right.is_empty() {
        let least = Floats::between(left.low.min(right.low), left.high.min(right.high));
        // Results are operands, so of each sign there are only those that an operand has.
        let numbers = Floats {
            nan: false,
            ..a.join(*b)
        };
        let zeros = least.with_both_zeros().meet(numbers);
        found = found.join(least.meet(numbers)).join(zeros);
    }
    found
}

/// The values of one operand of a minimum or maximum, given the other one.
fn chosen(is_max: bool, own: &Floats, a: &Floats, b: &Floats) -> Floats {
    if is_max {
        return chosen(false, &own.negated(), &a.negated(), &b.negated()).negated();
    }
    // The operand is the result, or not less than the other one, which is.
    let mut found = own.with_both_zeros();
    found.nan = true;
    let others = b.meet(own.with_both_zeros());
    if others.has_numbers() {
        let from = others.hull().low;
        found = found.join(Floats::between(from, a.hull().high.max(from)));
        found = found.with_both_zeros();
    }
    if own.nan || b.nan {
        found.join(own.with_both_zeros())
    } else {
        found
    }
}

/// The remainder of two floats.
fn remainder(format: FloatFormat, op: Op, a: &Floats, b: &Floats) -> Floats {
    let infinity = infinity(format);
    let mut found = Floats::NONE;
    let divisor = b.absolute().positive;
    let is_invalid = [-1 - infinity, infinity]
        .iter()
        .any(|&k| a.negative.has(k) || a.positive.has(k));
    found.nan = a.nan || b.nan || is_invalid || divisor.has(0);
    let divisor = divisor.meet(Span::new(1, infinity));
    if divisor.is_empty() {
        return found;
    }
    // |r| < |b| of the truncated quotient, |r| <= |b| / 2 of the nearest one.
    let half = |key| {
        if op == Op::FRem || key == infinity {
            return key;
        }
        halved(format, key, RoundingMode::TowardPositive)
    };
    for (part, negative) in [(a.positive, false), (a.negative.negated(), true)] {
        let part = part.meet(Span::new(0, infinity - 1));
        if part.is_empty() {
            continue;
        }
        let most = part.high.min(half(divisor.high));
        // A dividend so small is the remainder.
        let is_small = part.high
            < if op == Op::FRem {
                divisor.low
            } else {
                half(divisor.low)
            };
        let low = if is_small { part.low } else { 0 };
        let same = Floats::between(low, most);
        let both = if op == Op::FRem || is_small {
            same
        } else {
            same.join(same.negated())
        };
        found = found.join(if negative { both.negated() } else { both });
    }
    found
}

fn halved(format: FloatFormat, k: i128, mode: RoundingMode) -> i128 {
    // 2 has the least exponent above that of 1.
    let two = (1 + format.max_exponent() as i128) << (format.precision() - 1);
    let operands = [pattern(format, k), pattern(format, two), 0];
    let result = float::pattern::apply(Operation::Divide, format, Reading::Machine, mode, operands);
    magnitude(key(format, result).unwrap_or(k))
}
