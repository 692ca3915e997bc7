//! Which reals are rounded to a float: those between two ends.
//!
//! Floats are taken in their order, in which -0 is below +0; the ends of neighbors meet. Where they meet is found by
//! rounding: a mode rounds the numbers between two neighbors down to one point, which is the lower one, the middle or the
//! upper one, and up from there.

use crate::number::{rounded, value};
use float::{FloatFormat, RoundingMode};
use linear::{Delta, Rational};
use num_bigint::BigUint;

fn sign_bit(format: FloatFormat) -> BigUint {
    BigUint::from(1u32) << (format.bits() - 1)
}

/// Is the sign bit set?
pub(crate) fn is_negative(format: FloatFormat, pattern: &BigUint) -> bool {
    *pattern >= sign_bit(format)
}

/// The pattern of the largest finite float.
pub(crate) fn largest(format: FloatFormat) -> BigUint {
    infinity(format) - 1u32
}

/// The pattern of the positive infinity.
pub(crate) fn infinity(format: FloatFormat) -> BigUint {
    ((BigUint::from(1u32) << format.exponent_bits()) - 1u32) << format.stored_bits()
}

/// The pattern of the other sign.
pub(crate) fn negated(format: FloatFormat, pattern: &BigUint) -> BigUint {
    pattern ^ sign_bit(format)
}

/// Is a float at most another one, in their order?
pub(crate) fn at_most(format: FloatFormat, a: &BigUint, b: &BigUint) -> bool {
    match (is_negative(format, a), is_negative(format, b)) {
        (true, true) => a >= b,
        (negative, _) if negative => true,
        (_, true) => false,
        _ => a <= b,
    }
}

/// The next float below; `None` of the negative infinity.
pub(crate) fn below(format: FloatFormat, pattern: &BigUint) -> Option<BigUint> {
    let zero = BigUint::ZERO;
    if *pattern == negated(format, &infinity(format)) {
        None
    } else if *pattern == zero {
        Some(sign_bit(format))
    } else if is_negative(format, pattern) {
        Some(pattern + 1u32)
    } else {
        Some(pattern - 1u32)
    }
}

/// The next float above; `None` of the positive infinity.
pub(crate) fn above(format: FloatFormat, pattern: &BigUint) -> Option<BigUint> {
    let mirrored = below(format, &negated(format, pattern))?;
    Some(negated(format, &mirrored))
}

/// The greatest of the reals that are rounded to a float or to one below it: a bound that they reach, or (a step δ below
/// it) do not; `None` where all are, and of an infinity to which none is rounded.
pub(crate) fn upper_end(
    format: FloatFormat,
    mode: RoundingMode,
    pattern: &BigUint,
) -> Option<Delta> {
    let infinity = infinity(format);
    if *pattern == infinity {
        return None;
    }
    if *pattern == negated(format, &infinity) {
        let next = lower_end(format, mode, &(pattern - 1u32))?;
        return Some(if next.delta.is_zero() {
            Delta::below(next.real)
        } else {
            next.real.into()
        });
    }
    let own = value(format, pattern).expect("a finite float");
    if *pattern == sign_bit(format) {
        return Some(Delta::below(own));
    }
    let next = above(format, pattern).expect("a finite float has one");
    let is_last = next == infinity;
    let next = value(format, &next).unwrap_or_else(|| {
        let before = value(format, &(pattern - 1u32)).expect("a finite float");
        &(&own + &own) - &before
    });
    let half = Rational::new(1, 2);
    let middle = &(&own + &next) * &half;
    let is_down = |x: &Rational| at_most(format, &rounded(format, mode, x), pattern);
    let end = |x: Rational| {
        if is_down(&x) {
            x.into()
        } else {
            Delta::below(x)
        }
    };
    if !is_down(&(&(&own + &middle) * &half)) {
        return Some(end(own));
    }
    if !is_down(&(&(&middle + &next) * &half)) {
        return Some(end(middle));
    }
    let is_all = is_last && is_down(&next);
    (!is_all).then(|| end(next))
}

/// The least of the reals that are rounded to a float or to one above it; `None` as for [`upper_end`].
pub(crate) fn lower_end(
    format: FloatFormat,
    mode: RoundingMode,
    pattern: &BigUint,
) -> Option<Delta> {
    if *pattern == BigUint::ZERO {
        return Some(Rational::ZERO.into());
    }
    let mirrored = match mode {
        RoundingMode::TowardPositive => RoundingMode::TowardNegative,
        RoundingMode::TowardNegative => RoundingMode::TowardPositive,
        other => other,
    };
    let end = upper_end(format, mirrored, &negated(format, pattern))?;
    Some(end.scaled(&Rational::MINUS_ONE))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against rounding, at floats of small formats, between them and beyond them.
    #[test]
    fn what_is_between_the_ends_is_rounded_to_the_float() {
        for (eb, sb) in [(2, 2), (3, 2), (2, 3)] {
            let format = FloatFormat::new(eb, sb).unwrap();
            let infinity = infinity(format);
            let mut floats = vec![negated(format, &infinity)];
            while let Some(next) = above(format, floats.last().unwrap()) {
                floats.push(next);
            }
            assert_eq!(*floats.last().unwrap(), infinity);
            let finite = floats.iter().filter_map(|float| value(format, float));
            let mut points: Vec<Rational> = finite.collect();
            let largest = points.last().unwrap().clone();
            points.push(&largest + &largest);
            points.insert(0, -&points[points.len() - 1]);
            let beyond = |a: &Rational, b: &Rational| &(a + a) - b;
            let last = points.len() - 2;
            points.push(beyond(&points[last], &points[last - 1]));
            points.push(beyond(&points[1], &points[2]));
            points.sort();
            let between = |eighths: i64| {
                let part = Rational::new(eighths.into(), 8);
                let pairs = points.windows(2);
                let inner = pairs.map(move |w| &w[0] + &(&(&w[1] - &w[0]) * &part));
                inner.collect::<Vec<_>>()
            };
            for x in (0..8).flat_map(between) {
                for mode in RoundingMode::ALL {
                    let pattern = rounded(format, mode, &x);
                    for float in &floats {
                        let lower = lower_end(format, mode, float);
                        let upper = upper_end(format, mode, float);
                        let point = Delta::from(x.clone());
                        let is_inside = lower.as_ref().is_none_or(|l| *l <= point)
                            && upper.as_ref().is_none_or(|u| point <= *u);
                        // An infinity to which nothing is rounded has no ends.
                        let is_reached = lower.is_some() || upper.is_some();
                        let said = is_inside && is_reached;
                        let text = format!("{eb} {sb} {mode:?} {x} {float:x} {lower:?} {upper:?}");
                        assert_eq!(said, pattern == *float, "{text}");
                    }
                }
            }
        }
    }
}
