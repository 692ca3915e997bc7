//! The operations on [`Value`]s, by the words of the standard.

use super::reference::{NO_FLAGS, Reference, Value};
use num_bigint::BigUint;
use polypath_float::{Flags, Operation, RoundingMode};
use std::cmp::Ordering;

/// `None` is the NaN.
pub type Answer = (Option<u128>, Flags<bool>);

const INVALID: Answer = (
    None,
    Flags {
        invalid: true,
        ..NO_FLAGS
    },
);

fn exact(pattern: u128) -> Answer {
    (Some(pattern), NO_FLAGS)
}

fn some((pattern, flags): (u128, Flags<bool>)) -> Answer {
    (Some(pattern), flags)
}

impl Reference {
    /// The result of an operation on numbers or infinities, and its flags without `denormal`.
    pub fn apply(&self, op: Operation, mode: RoundingMode, patterns: &[u128]) -> Answer {
        let values: Vec<Value> = patterns.iter().map(|&p| self.value(p)).collect();
        let big = BigUint::from;
        let zero_sum = |a: bool, b: bool| {
            if a == b {
                a
            } else {
                mode == RoundingMode::TowardNegative
            }
        };
        match (op, &values[..]) {
            (Operation::Subtract, _) => {
                let flipped = patterns[1] ^ 1 << (self.bits() - 1);
                self.apply(Operation::Add, mode, &[patterns[0], flipped])
            }
            (
                Operation::Add,
                &[
                    Value::Finite {
                        negative: s,
                        units: a,
                    },
                    Value::Finite {
                        negative: t,
                        units: b,
                    },
                ],
            ) => {
                let sign = |s| if s { -1i128 } else { 1 };
                let sum = sign(s) * a as i128 + sign(t) * b as i128;
                let negative = if sum == 0 { zero_sum(s, t) } else { sum < 0 };
                let magnitude = big(sum.unsigned_abs());
                some(self.rational(mode, negative, &magnitude, &big(1)))
            }
            (
                Operation::Add,
                &[
                    Value::Infinite { negative: s },
                    Value::Infinite { negative: t },
                ],
            ) if s != t => INVALID,
            (
                Operation::Add,
                &[Value::Infinite { negative }, _] | &[_, Value::Infinite { negative }],
            ) => exact(self.infinite(negative)),
            (
                Operation::Multiply,
                &[
                    Value::Finite {
                        negative: s,
                        units: a,
                    },
                    Value::Finite {
                        negative: t,
                        units: b,
                    },
                ],
            ) => some(self.rational(mode, s != t, &(big(a) * big(b)), &(big(1) << self.one))),
            (Operation::Multiply, &[a, b]) => {
                let (s, t) = (negative(a), negative(b));
                if is_zero(a) || is_zero(b) {
                    INVALID
                } else {
                    exact(self.infinite(s != t))
                }
            }
            (Operation::Divide, &[a, b]) => self.quotient(mode, a, b),
            (Operation::MultiplyAdd, &[a, b, c]) => {
                self.multiply_add(mode, a, b, c, patterns[2], zero_sum)
            }
            (Operation::SquareRoot, &[Value::Finite { negative, units }]) => {
                if units == 0 {
                    return exact(patterns[0]);
                }
                if negative {
                    return INVALID;
                }
                // The root in units r has r^2 = units * 2^one.
                let square = (big(units) << self.one) * 16u32;
                some(self.round(mode, false, |quarters| {
                    square.cmp(&(big(quarters) * quarters))
                }))
            }
            (Operation::SquareRoot, &[Value::Infinite { negative }]) => {
                if negative {
                    INVALID
                } else {
                    exact(patterns[0])
                }
            }
            (Operation::Modulo | Operation::Remainder, &[a, b]) => {
                if matches!(a, Value::Infinite { .. }) || is_zero(b) {
                    return INVALID;
                }
                match (a, b) {
                    (Value::Finite { negative, units: a }, Value::Finite { units: b, .. }) => {
                        let mut rest = a % b;
                        let mut turned = false;
                        if op == Operation::Remainder {
                            let up = (2 * rest).cmp(&b);
                            let odd = (a / b) % 2 == 1;
                            turned = up == Ordering::Greater || up == Ordering::Equal && odd;
                            rest = if turned { b - rest } else { rest };
                        }
                        exact(self.exactly(negative != turned, rest))
                    }
                    _ => exact(patterns[0]),
                }
            }
            (Operation::RoundToIntegral, &[Value::Finite { negative, units }]) => {
                let whole = self.whole(mode, negative, units);
                let inexact = units % (1 << self.one) != 0;
                // In a format whose largest number has a fraction, that one can round to infinity.
                let found = self.find(negative, whole << self.one);
                let pattern = found.unwrap_or(self.infinite(negative));
                (
                    Some(pattern),
                    Flags {
                        inexact,
                        ..NO_FLAGS
                    },
                )
            }
            (Operation::RoundToIntegral, _) => exact(patterns[0]),
            (Operation::Minimum, &[a, b]) => exact(patterns[usize::from(less(b, a))]),
            (Operation::Maximum, &[a, b]) => exact(patterns[usize::from(less(a, b))]),
            _ => unreachable!("{op:?} of {values:?}"),
        }
    }

    /// A magnitude rounded to an integer.
    pub fn whole(&self, mode: RoundingMode, negative: bool, units: u128) -> u128 {
        let one = 1u128 << self.one;
        let (whole, rest) = (units / one, units % one);
        let up = match mode {
            RoundingMode::NearestEven => 2 * rest > one || 2 * rest == one && whole % 2 == 1,
            RoundingMode::NearestAway => 2 * rest >= one,
            RoundingMode::TowardPositive => rest > 0 && !negative,
            RoundingMode::TowardNegative => rest > 0 && negative,
            RoundingMode::TowardZero => false,
        };
        whole + u128::from(up)
    }

    fn quotient(&self, mode: RoundingMode, a: Value, b: Value) -> Answer {
        let negative = negative(a) != negative(b);
        match (a, b) {
            (Value::Infinite { .. }, Value::Infinite { .. }) => INVALID,
            (Value::Infinite { .. }, _) => exact(self.infinite(negative)),
            (_, Value::Infinite { .. }) => exact(self.signed(negative, 0)),
            (Value::Finite { units: 0, .. }, Value::Finite { units: 0, .. }) => INVALID,
            (_, Value::Finite { units: 0, .. }) => {
                let flags = Flags {
                    divide_by_zero: true,
                    ..NO_FLAGS
                };
                (Some(self.infinite(negative)), flags)
            }
            (Value::Finite { units: a, .. }, Value::Finite { units: b, .. }) => {
                let a = BigUint::from(a) << self.one;
                some(self.rational(mode, negative, &a, &b.into()))
            }
            _ => unreachable!("no NaN gets here"),
        }
    }

    fn multiply_add(
        &self,
        mode: RoundingMode,
        a: Value,
        b: Value,
        c: Value,
        addend: u128,
        zero_sum: impl Fn(bool, bool) -> bool,
    ) -> Answer {
        let sign = negative(a) != negative(b);
        let (Value::Finite { units: x, .. }, Value::Finite { units: y, .. }) = (a, b) else {
            if is_zero(a) || is_zero(b) {
                return INVALID;
            }
            let opposed = matches!(c, Value::Infinite { negative } if negative != sign);
            return if opposed {
                INVALID
            } else {
                exact(self.infinite(sign))
            };
        };
        let Value::Finite {
            negative: t,
            units: z,
        } = c
        else {
            return exact(addend);
        };
        let product = BigUint::from(x) * y;
        let z = BigUint::from(z) << self.one;
        let one = BigUint::from(1u32) << self.one;
        let (negative, sum) = if sign == t {
            (sign, product + z)
        } else {
            match product.cmp(&z) {
                Ordering::Greater => (sign, product - z),
                Ordering::Less => (t, z - product),
                Ordering::Equal => (zero_sum(sign, t), BigUint::ZERO),
            }
        };
        some(self.rational(mode, negative, &sum, &one))
    }
}

fn negative(x: Value) -> bool {
    match x {
        Value::Infinite { negative } | Value::Finite { negative, .. } => negative,
        Value::Nan => false,
    }
}

fn is_zero(x: Value) -> bool {
    matches!(x, Value::Finite { units: 0, .. })
}

/// Is `a` less than `b`? Neither is a NaN.
pub fn less(a: Value, b: Value) -> bool {
    let key = |x| match x {
        Value::Infinite { negative: true } => i128::MIN,
        Value::Infinite { negative: false } => i128::MAX,
        Value::Finite {
            negative: true,
            units,
        } => -(units as i128),
        Value::Finite {
            negative: false,
            units,
        } => units as i128,
        Value::Nan => unreachable!("no NaN gets here"),
    };
    key(a) < key(b)
}
