//! Reals, as far as they are constants: decimals, quotients, sums, products, comparisons. Floats are made of them.

use crate::error::{Checked, refuse, wrong};
use crate::sort::{ScriptSort, Sorts};
use crate::table::Typed;
use num_bigint::{BigUint, Sign};
use term::{BigInt, Pool};

/// Most digits of a decimal, and bits of what is computed from them.
const MOST_DIGITS: usize = 1_000_000;
const MOST_BITS: u64 = 1 << 22;

/// A rational number: numerator and denominator, not necessarily in lowest terms.
pub(crate) type Rational = (BigInt, BigUint);

/// The real constants of a script. A term of sort Real is the number of one.
#[derive(Default)]
pub(crate) struct Reals {
    values: Vec<Rational>,
}

impl Reals {
    /// Another constant.
    pub fn add(&mut self, pool: &mut Pool, value: Rational) -> Typed {
        self.values.push(value);
        Typed {
            term: pool.int(&BigInt::from(self.values.len() - 1)),
            sort: ScriptSort::Real,
        }
    }

    /// A decimal with digits on both sides of its point.
    pub fn decimal(&mut self, pool: &mut Pool, text: &str) -> Checked<Typed> {
        if text.len() > MOST_DIGITS {
            return refuse("decimals of more than a million digits");
        }
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = format!("{whole}{fraction}");
        let numerator: BigInt = digits.parse().expect("the lexer saw digits");
        let denominator = BigUint::from(10u32).pow(fraction.len() as u32);
        Ok(self.add(pool, (numerator, denominator)))
    }

    /// The value of a real or of an integer, which must be a constant.
    pub fn value(&self, pool: &Pool, arg: Typed) -> Checked<Rational> {
        let Some(number) = pool.as_int(arg.term) else {
            return refuse("reals that are not constant");
        };
        if arg.sort == ScriptSort::Int {
            return Ok((number, BigUint::from(1u32)));
        }
        let at = usize::try_from(&number).ok();
        let value = at.and_then(|at| self.values.get(at));
        Ok(value.expect("the number of a constant").clone())
    }

    /// The values of arguments that are reals or integers.
    fn values(&self, pool: &Pool, sorts: &Sorts, args: &[Typed]) -> Checked<Vec<Rational>> {
        if let Some(other) = args
            .iter()
            .find(|a| !matches!(a.sort, ScriptSort::Real | ScriptSort::Int))
        {
            return wrong(format!("Real expected, found {}", sorts.name(other.sort)));
        }
        args.iter().map(|&arg| self.value(pool, arg)).collect()
    }

    /// A left-associative operation on constants; of one argument, `-` is its negation.
    pub fn fold(
        &mut self,
        pool: &mut Pool,
        sorts: &Sorts,
        operation: Operation,
        args: &[Typed],
    ) -> Checked<Typed> {
        let values = self.values(pool, sorts, args)?;
        let mut values = values.into_iter();
        let mut result = values.next().expect("at least one argument");
        if operation == Operation::Subtract && args.len() == 1 {
            result.0 = -result.0;
        }
        for value in values {
            result = operation.apply(result, value)?;
            if result.0.bits().max(result.1.bits()) > MOST_BITS {
                return refuse("reals of more than four million bits");
            }
        }
        Ok(self.add(pool, result))
    }

    /// Are the constants, each with the next one, in the order that `holds` asks for?
    pub fn compare(
        &self,
        pool: &mut Pool,
        sorts: &Sorts,
        args: &[Typed],
        holds: fn(std::cmp::Ordering) -> bool,
    ) -> Checked<Typed> {
        let values = self.values(pool, sorts, args)?;
        let order = |pair: &[Rational]| {
            let [(a, b), (c, d)] = pair else {
                unreachable!("a window of two")
            };
            let [b, d] = [b, d].map(|x| BigInt::from(x.clone()));
            (a * d).cmp(&(c * b))
        };
        let all = values.windows(2).all(|pair| holds(order(pair)));
        Ok(Typed::bool(pool.bool(all)))
    }
}

/// An operation on two constants.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
}

impl Operation {
    fn apply(self, (a, b): Rational, (c, d): Rational) -> Checked<Rational> {
        let scaled = |x: &BigInt, by: &BigUint| x * BigInt::from(by.clone());
        Ok(match self {
            Operation::Add => (scaled(&a, &d) + scaled(&c, &b), b * d),
            Operation::Subtract => (scaled(&a, &d) - scaled(&c, &b), b * d),
            Operation::Multiply => (a * c, b * d),
            Operation::Divide => {
                let (sign, divisor) = c.into_parts();
                let numerator = scaled(&a, &d);
                match sign {
                    Sign::NoSign => return refuse("division of reals by 0"),
                    Sign::Plus => (numerator, b * divisor),
                    Sign::Minus => (-numerator, b * divisor),
                }
            }
        })
    }
}

/// Is one of the arguments a real?
pub(super) fn among(args: &[Typed]) -> bool {
    args.iter().any(|arg| arg.sort == ScriptSort::Real)
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::Term;

    #[test]
    fn constants_are_computed_exactly() {
        let (mut pool, mut reals, sorts) = (Pool::new(), Reals::default(), Sorts::default());
        let [third, tenth] = ["3.0", "10.0"].map(|text| {
            let one = reals.decimal(&mut pool, "1.00").unwrap();
            let by = reals.decimal(&mut pool, text).unwrap();
            reals
                .fold(&mut pool, &sorts, Operation::Divide, &[one, by])
                .unwrap()
        });
        let plain = reals.decimal(&mut pool, "0.1").unwrap();
        let equal = reals.compare(&mut pool, &sorts, &[tenth, plain], |o| o.is_eq());
        assert_eq!(equal.unwrap().term, Term::TRUE);
        let minus = reals
            .fold(&mut pool, &sorts, Operation::Subtract, &[third])
            .unwrap();
        let less = reals.compare(&mut pool, &sorts, &[minus, plain, third], |o| o.is_lt());
        assert_eq!(less.unwrap().term, Term::TRUE);
        let zero = reals.decimal(&mut pool, "0.0").unwrap();
        assert!(
            reals
                .fold(&mut pool, &sorts, Operation::Divide, &[third, zero])
                .is_err()
        );
        let long = format!("0.{}", "1".repeat(MOST_DIGITS));
        assert!(reals.decimal(&mut pool, &long).is_err());
    }
}
