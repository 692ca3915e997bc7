//! Interval extensions of the mathematical library's functions, forward and backward.
//!
//! A library's value is within [`ULPS`] of the true one. So where a function is monotone its values on an interval lie
//! between those at the ends, widened by that, and its arguments between those of the inverse function. Periodic
//! functions are monotone on branches.

use super::interval::Interval;
use float::{FloatFormat, MathFunction};
use std::f64::consts::{FRAC_PI_2, PI};

/// How far a library's value may be from the true one, and more, in units in the last place.
const ULPS: u32 = 4;
/// The same in relation to the number where an inverse takes several steps.
const STEPS_ERR: f64 = 1e-12;
/// Up to there multiples of π are known well enough to count branches.
const COUNTED: f64 = 1e5;
/// How near to an end of a branch an argument counts as being on both sides.
const MARGIN: f64 = 1e-9;

/// The library's value.
pub(super) fn value(function: MathFunction, x: f64, y: f64) -> f64 {
    let arguments = [x.to_bits().into(), y.to_bits().into()];
    f64::from_bits(term::math_value(FloatFormat::DOUBLE, function, arguments) as u64)
}

fn at(function: MathFunction, x: f64) -> f64 {
    value(function, x, 0.0)
}

/// Ends that a library computed, moved outward.
fn wide(low: f64, high: f64) -> Interval {
    let mut low = if low.is_nan() { f64::NEG_INFINITY } else { low };
    let mut high = if high.is_nan() { f64::INFINITY } else { high };
    for _ in 0..ULPS {
        (low, high) = (low.next_down(), high.next_up());
    }
    Interval::new(low, high)
}

/// The same for several steps.
fn wider(low: f64, high: f64) -> Interval {
    let by = |end: f64| {
        if end.is_finite() {
            end.abs() * STEPS_ERR
        } else {
            0.0
        }
    };
    wide(low - by(low), high + by(high))
}

/// An interval as a library's values may leave it.
fn blurred(own: Interval) -> Interval {
    wide(own.low, own.high)
}

/// A function that is monotone on its domain.
struct Monotone {
    domain: Interval,
    range: Interval,
    rises: bool,
    inverse: fn(f64) -> f64,
}

fn monotone(function: MathFunction) -> Option<Monotone> {
    use MathFunction::*;
    const ALL: Interval = Interval::ALL;
    const NOT_NEGATIVE: Interval = Interval {
        low: 0.0,
        high: f64::INFINITY,
    };
    const UNIT: Interval = Interval {
        low: -1.0,
        high: 1.0,
    };
    let from = |low| Interval::new(low, f64::INFINITY);
    let angles = Interval::new(-FRAC_PI_2, FRAC_PI_2);
    let (domain, range, rises, inverse): (_, _, _, fn(f64) -> f64) = match function {
        Exp => (ALL, NOT_NEGATIVE, true, |y| at(Log, y)),
        Exp2 => (ALL, NOT_NEGATIVE, true, |y| at(Log2, y)),
        Expm1 => (ALL, from(-1.0), true, |y| at(Log1p, y)),
        Log => (NOT_NEGATIVE, ALL, true, |y| at(Exp, y)),
        Log2 => (NOT_NEGATIVE, ALL, true, |y| at(Exp2, y)),
        Log10 => (NOT_NEGATIVE, ALL, true, |y| value(Pow, 10.0, y)),
        Log1p => (from(-1.0), ALL, true, |y| at(Expm1, y)),
        Sinh => (ALL, ALL, true, |y| at(Asinh, y)),
        Asinh => (ALL, ALL, true, |y| at(Sinh, y)),
        Tanh => (ALL, UNIT, true, |y| at(Atanh, y)),
        Atanh => (UNIT, ALL, true, |y| at(Tanh, y)),
        Atan => (ALL, angles, true, |y| {
            // The ends are no doubles: beyond them the tangent has the other sign.
            if y.abs() >= FRAC_PI_2 - 1e-15 {
                f64::INFINITY.copysign(y)
            } else {
                at(Tan, y)
            }
        }),
        Cbrt => (ALL, ALL, true, |y| y * y * y),
        Asin => (UNIT, angles, true, |y| at(Sin, y)),
        Acos => (UNIT, Interval::new(0.0, PI.next_up()), false, |y| {
            at(Cos, y)
        }),
        Acosh => (from(1.0), NOT_NEGATIVE, true, |y| at(Cosh, y)),
        Sin | Cos | Tan | Cosh | Atan2 | Pow | Hypot => return None,
    };
    Some(Monotone {
        domain,
        range,
        rises,
        inverse,
    })
}

/// The values on arguments (the second one of functions of two).
pub(super) fn forward(function: MathFunction, x: Interval, y: Interval) -> Interval {
    use MathFunction::*;
    if let Some(monotone) = monotone(function) {
        let inside = x.meet(monotone.domain);
        if inside.is_empty() {
            return Interval::NONE;
        }
        let (low, high) = (at(function, inside.low), at(function, inside.high));
        return if monotone.rises {
            wide(low, high)
        } else {
            wide(high, low)
        };
    }
    match function {
        Sin => wave(Sin, x, FRAC_PI_2),
        Cos => wave(Cos, x, 0.0),
        Tan if branches(x, FRAC_PI_2).is_some_and(|(first, last)| first > last) => {
            wide(at(Tan, x.low), at(Tan, x.high))
        }
        Cosh => {
            let size = x.absolute();
            wide(at(Cosh, size.low), at(Cosh, size.high))
        }
        Hypot => {
            let (a, b) = (x.absolute(), y.absolute());
            wide(value(Hypot, a.low, b.low), value(Hypot, a.high, b.high))
        }
        // `x` is the ordinate. Across the negative axis, and at the origin, where signs of zeros count, all angles.
        Atan2 if y.low <= 0.0 && x.low <= 0.0 && x.high >= 0.0 => wide(-PI, PI),
        Atan2 => corners(Atan2, x, y),
        Pow => power(x, y),
        _ => Interval::ALL,
    }
}

/// The least interval around the values at the corners.
fn corners(function: MathFunction, x: Interval, y: Interval) -> Interval {
    let all = [
        (x.low, y.low),
        (x.low, y.high),
        (x.high, y.low),
        (x.high, y.high),
    ];
    let values = all.map(|(x, y)| value(function, x, y));
    if values.iter().any(|value| value.is_nan()) {
        return Interval::ALL;
    }
    let low = values.into_iter().fold(f64::INFINITY, f64::min);
    wide(low, values.into_iter().fold(f64::NEG_INFINITY, f64::max))
}

/// The first and last `k` with `phase + kπ` in an interval; none if the last one is less. `None` where they are not counted.
fn branches(x: Interval, phase: f64) -> Option<(i64, i64)> {
    let is_counted = x.low >= -COUNTED && x.high <= COUNTED;
    is_counted.then(|| {
        let first = ((x.low - phase) / PI - MARGIN).ceil();
        let last = ((x.high - phase) / PI + MARGIN).floor();
        (first as i64, last as i64)
    })
}

/// Sine or cosine, whose extremes are at `phase + kπ`, 1 for even `k`.
fn wave(function: MathFunction, x: Interval, phase: f64) -> Interval {
    let unit = Interval::new(-1.0, 1.0);
    let (low, high) = (at(function, x.low), at(function, x.high));
    if low.is_nan() || high.is_nan() {
        return unit; // an end is infinite
    }
    let Some((first, last)) = branches(x, phase) else {
        // It changes no faster than its argument.
        let by = x.high - x.low;
        return wide(low - by, low + by).meet(unit);
    };
    let mut all = wide(low.min(high), low.max(high)).meet(unit);
    for k in first..=last.min(first + 1) {
        let extreme = if k % 2 == 0 { 1.0 } else { -1.0 };
        all = all.join(Interval::new(extreme, extreme));
    }
    all
}

/// A number if the interval has only that one, and it is an integer of which parity is known.
fn as_integer(y: Interval) -> Option<f64> {
    let is_integer = y.low == y.high && y.low.fract() == 0.0 && y.low.abs() < 2f64.powi(53);
    is_integer.then_some(y.low)
}

/// Powers of numbers that have one.
fn power(x: Interval, y: Interval) -> Interval {
    use MathFunction::Pow;
    if x.low >= 0.0 {
        return corners(Pow, x, y);
    }
    match as_integer(y) {
        Some(n) if n % 2.0 == 0.0 => corners(Pow, x.absolute(), y),
        Some(n) if n > 0.0 || x.high < 0.0 => corners(Pow, x, y),
        // Negative numbers have powers with integers, and others with fractions have none.
        None if y.low == y.high && y.low.is_finite() && y.low.fract() != 0.0 => {
            let x = x.meet(Interval::new(0.0, f64::INFINITY));
            if x.is_empty() {
                Interval::NONE
            } else {
                corners(Pow, x, y)
            }
        }
        _ => Interval::ALL,
    }
}

/// The arguments whose values are in an interval, as far as that tells.
pub(super) fn backward(
    function: MathFunction,
    own: Interval,
    x: Interval,
    y: Interval,
) -> (Interval, Interval) {
    use MathFunction::*;
    let own = blurred(own);
    if let Some(monotone) = monotone(function) {
        let own = own.meet(blurred(monotone.range));
        if own.is_empty() {
            return (Interval::NONE, y);
        }
        let clamp = |end: f64| end.clamp(monotone.range.low, monotone.range.high);
        let ends = [clamp(own.low), clamp(own.high)].map(monotone.inverse);
        let found = if monotone.rises {
            wide(ends[0], ends[1])
        } else {
            wide(ends[1], ends[0])
        };
        return (x.meet(found).meet(monotone.domain), y);
    }
    match function {
        Sin | Cos | Tan => (periodic(function, own, x), y),
        Cosh if own.high < 1.0 => (Interval::NONE, y),
        Cosh => {
            let size = wide(at(Acosh, own.low.max(1.0)), at(Acosh, own.high));
            (x.meet(size.with_opposites()), y)
        }
        Hypot => {
            let squares = own.meet(Interval::new(0.0, f64::INFINITY)).square();
            let other = |k: Interval| {
                let root = squares.minus(k.square()).root();
                wider(root.low, root.high).with_opposites()
            };
            if own.high < 0.0 {
                return (Interval::NONE, y);
            }
            (x.meet(other(y)), y.meet(other(x)))
        }
        Atan2 => angle(own, x, y),
        Pow => base_and_exponent(own, x, y),
        _ => (x, y),
    }
}

/// Arguments of a periodic function: the ends of the interval move to the nearest arguments with such a value.
fn periodic(function: MathFunction, own: Interval, x: Interval) -> Interval {
    use MathFunction::*;
    let unit = Interval::new(-1.0, 1.0);
    let principal = match function {
        Tan => {
            let ends = [at(Atan, own.low), at(Atan, own.high)];
            wide(ends[0], ends[1])
        }
        _ if own.meet(unit).is_empty() => return Interval::NONE,
        _ => {
            let own = own.meet(unit);
            if function == Sin {
                wide(at(Asin, own.low), at(Asin, own.high))
            } else {
                wide(at(Acos, own.high), at(Acos, own.low))
            }
        }
    };
    // The arguments on the branch from (k - 1/2)π, of the cosine from kπ.
    let piece = |k: i64| {
        let shift = k as f64 * PI;
        let on = match function {
            Tan => principal,
            _ if k % 2 == 0 => principal,
            Sin => principal.negated(),
            _ => Interval::new(PI - principal.high, PI - principal.low),
        };
        let err = (shift.abs() + 4.0) * 1e-15;
        Interval::new(on.low + shift - err, on.high + shift + err).meet(x)
    };
    let branch = |end: f64| (end / PI).round() as i64;
    let mut found = x;
    if x.low.abs() <= COUNTED {
        let first = branch(x.low) - 2;
        match (first..first + 6).map(piece).find(|p| !p.is_empty()) {
            Some(p) => found.low = p.low,
            // Nothing up to two branches further.
            None if x.high < (first + 4) as f64 * PI => return Interval::NONE,
            None => {}
        }
    }
    if x.high.abs() <= COUNTED {
        let last = branch(x.high) + 2;
        let nearest = (last - 5..=last).rev().map(piece).find(|p| !p.is_empty());
        if let Some(p) = nearest {
            found.high = p.high;
        }
    }
    found
}

/// Ordinates and abscissas at angles.
fn angle(own: Interval, y: Interval, x: Interval) -> (Interval, Interval) {
    let (mut ordinate, mut abscissa) = (y, x);
    let positive = Interval::new(0.0, f64::INFINITY);
    if own.low > 0.0 {
        ordinate = ordinate.meet(positive);
    } else if own.high < 0.0 {
        ordinate = ordinate.meet(positive.negated());
    }
    let right = FRAC_PI_2 - STEPS_ERR;
    if own.low > -right && own.high < right {
        abscissa = abscissa.meet(positive);
        let ends = [own.low, own.high].map(|end| at(MathFunction::Tan, end));
        let slope = wider(ends[0], ends[1]);
        ordinate = ordinate.meet(abscissa.times(slope));
        if !slope.has(0.0) && !ordinate.is_empty() {
            abscissa = abscissa.meet(ordinate.over(slope));
        }
    } else if own.low > FRAC_PI_2 + STEPS_ERR || own.high < -FRAC_PI_2 - STEPS_ERR {
        abscissa = abscissa.meet(positive.negated());
    }
    (ordinate, abscissa)
}

/// Bases and exponents of powers.
fn base_and_exponent(own: Interval, x: Interval, y: Interval) -> (Interval, Interval) {
    use MathFunction::{Exp, Log};
    let positive = Interval::new(0.0, f64::INFINITY);
    let log = |of: Interval| wide(at(Log, of.low.max(0.0)), at(Log, of.high));
    if x.low >= 0.0 {
        let own = own.meet(positive);
        if own.is_empty() {
            return (Interval::NONE, y);
        }
        let size = log(own);
        let mut base = x;
        if !y.has(0.0) {
            let root = size.over(y);
            base = x.meet(wider(at(Exp, root.low), at(Exp, root.high)));
        }
        let mut exponent = y;
        if x.low > 0.0 && !x.has(1.0) {
            let quotient = size.over(log(x));
            exponent = y.meet(wider(quotient.low, quotient.high));
        }
        return (base, exponent);
    }
    match as_integer(y) {
        Some(n) if n > 0.0 => {
            let root = |of: f64| (at(Exp, at(Log, of.abs()) / n)).copysign(of);
            let err = |end: f64| end.abs() * 1e-10;
            let out = |low: f64, high: f64| wide(low - err(low), high + err(high));
            if n % 2.0 == 0.0 {
                if own.high < 0.0 {
                    return (Interval::NONE, y);
                }
                let size = out(root(own.low.max(0.0)), root(own.high));
                (x.meet(size.with_opposites()), y)
            } else {
                (x.meet(out(root(own.low), root(own.high))), y)
            }
        }
        _ => (x, y),
    }
}
