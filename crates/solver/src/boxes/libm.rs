//! Enclosures of the results of functions of the mathematical library.
//!
//! A library's value is within [`ULPS`] of the true one, so where the function is monotone, values between two
//! arguments lie between those at the two, widened by twice that. For the others the range or the sign is known. That
//! is enough for proofs such as "no x has sin(x) > 2"; values come from the library itself (`term::math_value`).

use super::floats::{Floats, Key, Span, infinity, key, pattern};
use float::{FloatFormat, MathFunction};
use term::{Op, Pool, Term};

/// How far a library's value may be from the true one, in units in the last place. Musl's authors say less than 2 of all
/// functions here; the test `order` of crate `cli` finds no value out of order by more.
const ULPS: Key = 2;

/// A call of one of the functions, in `float` or `double`.
pub(super) struct Call {
    function: MathFunction,
    format: FloatFormat,
}

/// The sign of a function's values.
enum Sign {
    Positive,
    /// The sign of the argument.
    Argument,
    Any,
}

/// How a function of one argument grows on the arguments for which it is a number.
struct Monotone {
    domain: Span,
    rises: bool,
}

impl Call {
    /// The call that a term is, if it is one in a format that the library has.
    pub fn of(pool: &Pool, t: Term) -> Option<Call> {
        let format = match pool.op(t) {
            Op::FCall => pool.float_format(t),
            _ => return None,
        };
        let is_known = format == FloatFormat::SINGLE || format == FloatFormat::DOUBLE;
        is_known.then(|| Call {
            function: pool.math_function(t),
            format,
        })
    }

    fn key_of(&self, value: f64) -> Key {
        let bits = if self.format == FloatFormat::SINGLE {
            (value as f32).to_bits().into()
        } else {
            value.to_bits().into()
        };
        key(self.format, bits).unwrap_or_default()
    }

    /// The key of the function's value; `None` of a NaN.
    fn at(&self, argument: Key) -> Option<Key> {
        let argument = pattern(self.format, argument);
        key(
            self.format,
            term::math_value(self.format, self.function, [argument, 0]),
        )
    }

    /// From `low` to `high`, widened by what a library may err at both.
    fn around(&self, low: Key, high: Key) -> Floats {
        let infinity = infinity(self.format);
        let low = (low - 2 * ULPS).max(-1 - infinity);
        let all = Floats::between(low, (high + 2 * ULPS).min(infinity));
        match self.sign() {
            Sign::Positive => all.meet(Floats::between(0, infinity)),
            Sign::Argument | Sign::Any => all,
        }
    }

    /// The sign of the values, to the last bit.
    fn sign(&self) -> Sign {
        use MathFunction::*;
        match self.function {
            Exp | Exp2 | Cosh | Acos | Acosh | Hypot => Sign::Positive,
            Expm1 | Log1p | Sinh | Tanh | Asinh | Atanh | Asin | Atan | Cbrt => Sign::Argument,
            Sin | Cos | Tan | Atan2 | Log | Log2 | Log10 | Pow => Sign::Any,
        }
    }

    fn monotone(&self) -> Option<Monotone> {
        use MathFunction::*;
        let infinity = infinity(self.format);
        let one = self.key_of(1.0);
        let (domain, rises) = match self.function {
            Exp | Exp2 | Expm1 | Sinh | Tanh | Asinh | Atan | Cbrt => {
                (Span::new(-1 - infinity, infinity), true)
            }
            // Of -0, too.
            Log | Log2 | Log10 => (Span::new(-1, infinity), true),
            Log1p => (Span::new(-1 - one, infinity), true),
            Asin | Atanh => (Span::new(-1 - one, one), true),
            Acos => (Span::new(-1 - one, one), false),
            Acosh => (Span::new(one, infinity), true),
            Sin | Cos | Tan | Cosh | Atan2 | Pow | Hypot => return None,
        };
        Some(Monotone { domain, rises })
    }

    /// The values on arguments with these sets.
    pub fn forward(&self, operands: &[Floats]) -> Floats {
        use MathFunction::*;
        let infinity = infinity(self.format);
        let nan = operands.iter().any(|operand| operand.nan);
        let numbers = match (self.function, self.monotone()) {
            (_, Some(monotone)) => {
                let all = operands[0].hull();
                let inside = all.meet(monotone.domain);
                let mut found = match self.sign() {
                    Sign::Argument => {
                        let Floats {
                            negative, positive, ..
                        } = Floats::between(inside.low, inside.high);
                        let below = self.between(negative, true);
                        let above = self.between(positive, true);
                        Floats {
                            nan: false,
                            negative: below.negative,
                            positive: above.positive,
                        }
                    }
                    Sign::Positive | Sign::Any => self.between(inside, monotone.rises),
                };
                found.nan |= inside != all;
                found
            }
            (Sin | Cos, _) => {
                let one = self.key_of(1.0);
                self.trigonometric(&operands[0], self.around(-1 - one, one))
            }
            (Tan, _) => self.trigonometric(&operands[0], Floats::numbers(self.format)),
            (Cosh, _) => self.between(operands[0].absolute().hull(), true),
            (Atan2, _) => {
                let pi = self.key_of(std::f64::consts::PI);
                self.around(-1 - pi, pi)
            }
            (Hypot, _) => Floats::between(0, infinity),
            (Pow, _) if operands[0].negative.is_empty() && !nan => Floats::between(0, infinity),
            _ => Floats::anything(self.format),
        };
        Floats {
            nan: nan || numbers.nan,
            ..numbers
        }
    }

    /// The values of a monotone function between two arguments.
    fn between(&self, arguments: Span, rises: bool) -> Floats {
        if arguments.is_empty() {
            return Floats::NONE;
        }
        let (least, most) = if rises {
            (arguments.low, arguments.high)
        } else {
            (arguments.high, arguments.low)
        };
        match (self.at(least), self.at(most)) {
            (Some(low), Some(high)) => self.around(low, high.max(low)),
            _ => Floats::anything(self.format),
        }
    }

    fn trigonometric(&self, operand: &Floats, values: Floats) -> Floats {
        let infinity = infinity(self.format);
        let endless = operand.negative.has(-1 - infinity) || operand.positive.has(infinity);
        let hull = operand.hull();
        let finite = hull.meet(Span::new(-infinity, infinity - 1));
        let mut found = if finite.is_empty() {
            Floats::NONE
        } else {
            values
        };
        found.nan = endless;
        found
    }

    /// The arguments whose values are in a set, as far as order tells.
    pub fn backward(&self, own: &Floats, operand: &Floats) -> Floats {
        let Some(monotone) = self.monotone() else {
            return *operand;
        };
        let all = operand.hull();
        let inside = all.meet(monotone.domain);
        let mut found = Floats {
            nan: own.nan && operand.nan,
            ..Floats::NONE
        };
        if own.nan && inside != all {
            // An argument outside may be the reason.
            return *operand;
        }
        let target = own.hull();
        if inside.is_empty() || target.is_empty() {
            return found;
        }
        let margin = 2 * ULPS;
        // All up to a value that is too small are too small, and all from one that is too large are too large.
        let below = |x: Key| self.at(x).is_some_and(|y| y + margin < target.low);
        let above = |x: Key| self.at(x).is_some_and(|y| y - margin > target.high);
        let (low, high) = if monotone.rises {
            (first_not(inside, below), last_not(inside, above))
        } else {
            (first_not(inside, above), last_not(inside, below))
        };
        let left = Span::new(low, high);
        if !left.is_empty() {
            found = found.join(Floats::between(left.low, left.high));
        }
        found
    }
}

/// The end of the keys that bisection shows to be `out` from below: each probe speaks for all keys before it.
fn first_not(span: Span, out: impl Fn(Key) -> bool) -> Key {
    let (mut low, mut high) = (span.low, span.high + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        if out(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// The same from above.
fn last_not(span: Span, out: impl Fn(Key) -> bool) -> Key {
    let (mut low, mut high) = (span.low - 1, span.high);
    while low < high {
        let middle = high - (high - low) / 2;
        if out(middle) {
            high = middle - 1;
        } else {
            low = middle;
        }
    }
    high
}
