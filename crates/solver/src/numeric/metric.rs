//! The distance of the sides of a comparison from satisfying it.
//!
//! [`Metric::Steps`] is ours: the logarithm of the steps between the sides, units in the last place for floats. The others are
//! baselines: [`Metric::Gosat`] is equation 5 of "Symbolic execution of floating-point programs: how far are we?" (goSAT's
//! |e − e'|, with bit-vectors as numbers), [`Metric::Xsat`] that of Fu and Su ("XSat", CAV 2016): the number of floats between
//! the sides, with products for "or".

use super::values::value_of;
use crate::numbers::infinity;
use term::{FloatFormat, FloatPredicate, LANES};

/// The distance where no step leads nearer: an operand is a NaN, or the condition is not a comparison.
pub(super) const FAR: f64 = 130.0;

/// The same of the baselines.
const VERY_FAR: f64 = 1e300;

/// The operands that a comparison compares.
#[derive(Clone, Copy)]
pub(super) enum Compare {
    Float(FloatPredicate, FloatFormat),
    Equal(u32),
    Below(u32),
    /// Signed.
    Less(u32),
}

/// How far the sides of a comparison are apart, for numeric search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Metric {
    /// Logarithms of units in the last place.
    #[default]
    Steps,
    /// Differences of numbers.
    Gosat,
    /// Units in the last place.
    Xsat,
}

/// The relations that a comparison can ask for; the other ones are their negations.
#[derive(Clone, Copy, PartialEq)]
enum Relation {
    Equal,
    Less,
    LessOrEqual,
}

impl Compare {
    /// Has each side at most 64 bits?
    pub fn is_narrow(self) -> bool {
        match self {
            Compare::Float(_, format) => format.bits() <= 64,
            Compare::Equal(width) | Compare::Below(width) | Compare::Less(width) => width <= 64,
        }
    }
}

impl Metric {
    /// The distance to the truth of one of two.
    pub(super) fn either(self, a: f64, b: f64) -> f64 {
        match self {
            Metric::Xsat if a.min(b) > 0.0 => (a * b).min(VERY_FAR),
            _ => a.min(b),
        }
    }

    /// [`Self::of`] in all lanes, for comparisons that are narrow.
    pub(super) fn narrow(
        self,
        compare: Compare,
        a: &[u64; LANES],
        b: &[u64; LANES],
    ) -> [[f64; LANES]; 2] {
        let mut both = [[0.0; LANES]; 2];
        for k in 0..LANES {
            (both[0][k], both[1][k]) = match (self, compare) {
                (Metric::Steps, Compare::Equal(_)) => steps_equal(a[k].abs_diff(b[k])),
                (Metric::Steps, Compare::Below(_)) => steps_less(a[k] < b[k], a[k].abs_diff(b[k])),
                (Metric::Steps, Compare::Float(FloatPredicate::Oeq, FloatFormat::DOUBLE)) => {
                    match doubles(a[k], b[k]) {
                        Some((x, y)) => steps_equal(x.abs_diff(y)),
                        None => (FAR, 0.0),
                    }
                }
                (Metric::Steps, Compare::Float(FloatPredicate::Olt, FloatFormat::DOUBLE)) => {
                    match doubles(a[k], b[k]) {
                        Some((x, y)) => steps_less(x < y, x.abs_diff(y)),
                        None => (FAR, 0.0),
                    }
                }
                _ => self.of(compare, a[k].into(), b[k].into()),
            };
        }
        both
    }

    /// The distances to the truth and to the falsehood of a comparison of two patterns.
    pub(super) fn of(self, compare: Compare, a: u128, b: u128) -> (f64, f64) {
        match compare {
            Compare::Equal(width) => self.integers(Relation::Equal, false, width, a, b),
            Compare::Below(width) => self.integers(Relation::Less, false, width, a, b),
            Compare::Less(width) => self.integers(Relation::Less, true, width, a, b),
            Compare::Float(predicate, format) => self.floats(predicate, format, a, b),
        }
    }

    fn integers(
        self,
        relation: Relation,
        signed: bool,
        width: u32,
        a: u128,
        b: u128,
    ) -> (f64, f64) {
        let place = |x: u128| match signed {
            true => ((x << (128 - width)) as i128) >> (128 - width),
            // Numbers without sign of 128 bits keep their order.
            false if width == 128 => (x ^ 1 << 127) as i128,
            false => x as i128,
        };
        let (x, y) = (place(a), place(b));
        self.related(
            relation,
            x.cmp(&y),
            || x.abs_diff(y),
            || x.abs_diff(y) as f64,
        )
    }

    fn floats(
        self,
        predicate: FloatPredicate,
        format: FloatFormat,
        a: u128,
        b: u128,
    ) -> (f64, f64) {
        let infinite = order(format, infinity(format));
        let (x, y) = (order(format, a), order(format, b));
        let is_nan = |x: i128| x.abs() > infinite;
        let relation = match predicate {
            FloatPredicate::Oeq => Relation::Equal,
            FloatPredicate::Olt => Relation::Less,
            FloatPredicate::Ole => Relation::LessOrEqual,
            FloatPredicate::Ogt => return self.floats(FloatPredicate::Olt, format, b, a),
            FloatPredicate::Oge => return self.floats(FloatPredicate::Ole, format, b, a),
            FloatPredicate::One if is_nan(x) || is_nan(y) => return (self.far(), 0.0),
            FloatPredicate::One => {
                return swapped(self.floats(FloatPredicate::Oeq, format, a, b));
            }
            FloatPredicate::Uno if is_nan(x) || is_nan(y) => return (0.0, self.far()),
            FloatPredicate::Uno => {
                let room = |x: i128| infinite.abs_diff(x.abs()) + 1;
                let room = room(x).min(room(y));
                let distance = match self {
                    Metric::Steps => steps(room),
                    _ => room as f64,
                };
                return (distance, 0.0);
            }
            negated => return swapped(self.floats(negated.negated(), format, a, b)),
        };
        if is_nan(x) || is_nan(y) {
            return (self.far(), 0.0);
        }
        let difference = || {
            let (a, b) = (value_of(format, a as u64), value_of(format, b as u64));
            match (a, b) {
                (Some(a), Some(b)) => (a - b).abs().min(VERY_FAR),
                // Of other formats the numbers are not at hand.
                _ => x.abs_diff(y) as f64,
            }
        };
        self.related(relation, x.cmp(&y), || x.abs_diff(y), difference)
    }

    fn related(
        self,
        relation: Relation,
        order: std::cmp::Ordering,
        gap: impl Fn() -> u128,
        difference: impl Fn() -> f64,
    ) -> (f64, f64) {
        let is_true = match relation {
            Relation::Equal => order.is_eq(),
            Relation::Less => order.is_lt(),
            Relation::LessOrEqual => order.is_le(),
        };
        let distance = match self {
            Metric::Steps if relation == Relation::Equal && is_true => return (0.0, 1.0),
            Metric::Steps if relation == Relation::Equal => return (steps(gap()), 0.0),
            // Where equality is not enough, one step more.
            Metric::Steps => {
                let is_short = (relation == Relation::Less) != is_true;
                steps(gap() + u128::from(is_short))
            }
            _ if relation == Relation::Equal && is_true => return (0.0, 1.0),
            Metric::Xsat => (gap() as f64).max(1.0),
            // Equation 5: where equality is not enough, one more.
            Metric::Gosat => {
                let is_short = (relation == Relation::Less) != is_true;
                difference() + f64::from(u8::from(is_short && relation != Relation::Equal))
            }
        };
        let distance = distance.max(f64::MIN_POSITIVE);
        if is_true {
            (0.0, distance)
        } else {
            (distance, 0.0)
        }
    }

    fn far(self) -> f64 {
        match self {
            Metric::Steps => FAR,
            _ => VERY_FAR,
        }
    }
}

/// Two doubles that are no NaNs, as places in the order of values.
#[inline]
fn doubles(a: u64, b: u64) -> Option<(i64, i64)> {
    const INFINITY: i64 = 0x7ff0 << 48;
    let place = |bits: u64| {
        let magnitude = (bits & !(1 << 63)) as i64;
        if bits >> 63 != 0 {
            -magnitude
        } else {
            magnitude
        }
    };
    let (x, y) = (place(a), place(b));
    (x.abs() <= INFINITY && y.abs() <= INFINITY).then_some((x, y))
}

#[inline]
fn steps_equal(gap: u64) -> (f64, f64) {
    if gap == 0 {
        (0.0, 1.0)
    } else {
        (logarithm(gap as f64 + 1.0), 0.0)
    }
}

#[inline]
fn steps_less(is_true: bool, gap: u64) -> (f64, f64) {
    if is_true {
        (0.0, logarithm(gap as f64 + 1.0))
    } else {
        (logarithm(gap as f64 + 2.0), 0.0)
    }
}

/// Steps as a distance.
fn steps(n: u128) -> f64 {
    logarithm(n as f64 + 1.0)
}

/// The logarithm to base 2 of a number of at least 1; straight lines between powers of two.
#[inline]
fn logarithm(x: f64) -> f64 {
    (x.to_bits() - 1f64.to_bits()) as f64 / (1u64 << 52) as f64
}

fn swapped((a, b): (f64, f64)) -> (f64, f64) {
    (b, a)
}

/// The place of a float in the order of values; both zeros have the same.
fn order(format: FloatFormat, pattern: u128) -> i128 {
    let sign = 1 << (format.bits() - 1);
    let magnitude = (pattern & (sign - 1)) as i128;
    if pattern & sign != 0 {
        -magnitude
    } else {
        magnitude
    }
}
