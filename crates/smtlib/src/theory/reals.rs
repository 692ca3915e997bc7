//! Reals: linear forms over declared constants, over the numbers that floats are, and over choices between reals.

use crate::error::{Checked, refuse, wrong};
use crate::sort::{ScriptSort, Sorts};
use crate::table::Typed;
use linear::{Affine, Form, Rational, Var};
use lra::{Reals, from_fraction, to_fraction};
use num_bigint::BigUint;
use term::{BigInt, FloatFormat, Pool, RoundingMode, Term};

/// Most digits of a decimal, and words of 64 bits of a constant that is computed.
const MOST_DIGITS: usize = 1_000_000;
const MOST_WORDS: u64 = 1 << 17;

/// The reals of a script. A term of sort Real is the number of a linear form.
#[derive(Default)]
pub(crate) struct RealTerms {
    forms: Vec<Affine>,
    /// What is said of them.
    pub reals: Reals,
}

impl RealTerms {
    /// Another form.
    fn add(&mut self, pool: &mut Pool, form: Affine) -> Typed {
        self.forms.push(form);
        Typed {
            term: pool.int(&BigInt::from(self.forms.len() - 1)),
            sort: ScriptSort::Real,
        }
    }

    /// A declared constant.
    pub fn declare(&mut self, pool: &mut Pool) -> (Typed, Var) {
        let var = self.reals.unknown();
        let form = Affine {
            form: Form::var(var),
            ..Affine::default()
        };
        (self.add(pool, form), var)
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
        let constant = from_fraction(&numerator, &denominator);
        Ok(self.add(pool, of_constant(constant)))
    }

    /// A real, or an integer that is constant, as a form.
    pub fn form(&self, pool: &Pool, sorts: &Sorts, arg: Typed) -> Checked<Affine> {
        let number = pool.as_int(arg.term);
        match (arg.sort, number) {
            (ScriptSort::Real, Some(number)) => {
                let at = usize::try_from(&number).ok();
                let form = at.and_then(|at| self.forms.get(at));
                Ok(form.expect("the number of a form").clone())
            }
            (ScriptSort::Int, Some(number)) => {
                let constant = from_fraction(&number, &BigUint::from(1u32));
                Ok(of_constant(constant))
            }
            (ScriptSort::Real, None) => refuse("functions over reals"),
            (ScriptSort::Int, None) => refuse("integers that are not constant among reals"),
            (other, _) => wrong(format!("Real expected, found {}", sorts.name(other))),
        }
    }

    fn all(&self, pool: &Pool, sorts: &Sorts, args: &[Typed]) -> Checked<Vec<Affine>> {
        let forms = args.iter().map(|&arg| self.form(pool, sorts, arg));
        forms.collect()
    }

    /// The same number as a real.
    pub fn of_number(&mut self, pool: &mut Pool, sorts: &Sorts, arg: Typed) -> Checked<Typed> {
        let form = self.form(pool, sorts, arg)?;
        Ok(self.add(pool, form))
    }

    /// A left-associative operation; of one argument, `-` is its negation.
    pub fn fold(
        &mut self,
        pool: &mut Pool,
        sorts: &Sorts,
        operation: RealOperation,
        args: &[Typed],
    ) -> Checked<Typed> {
        let mut forms = self.all(pool, sorts, args)?.into_iter();
        let mut result = forms.next().expect("at least one argument");
        if operation == RealOperation::Subtract && args.len() == 1 {
            result = scaled(&result, &Rational::MINUS_ONE);
        }
        for form in forms {
            operation.apply(&mut result, form)?;
            if result.constant.words() > MOST_WORDS {
                return refuse("reals of more than eight million bits");
            }
        }
        Ok(self.add(pool, result))
    }

    /// Are the reals, each with the next one, in this order?
    pub fn compare(
        &mut self,
        pool: &mut Pool,
        sorts: &Sorts,
        args: &[Typed],
        order: RealOrder,
    ) -> Checked<Typed> {
        let forms = self.all(pool, sorts, args)?;
        let mut all = Term::TRUE;
        for pair in forms.windows(2) {
            let [a, b] = pair else {
                unreachable!("a window of two")
            };
            let (less, more) = match order {
                RealOrder::Le | RealOrder::Lt | RealOrder::Equal => (a, b),
                RealOrder::Ge | RealOrder::Gt => (b, a),
            };
            let holds = if order == RealOrder::Equal {
                self.reals.equal(pool, a, b)
            } else {
                let mut difference = less.clone();
                difference.add_scaled(more, &Rational::MINUS_ONE);
                let strict = matches!(order, RealOrder::Lt | RealOrder::Gt);
                self.reals.at_most_zero(pool, &difference, strict)
            };
            all = pool.and(all, holds);
        }
        Ok(Typed::bool(all))
    }

    /// Are no two of the reals equal?
    pub fn distinct(&mut self, pool: &mut Pool, sorts: &Sorts, args: &[Typed]) -> Checked<Typed> {
        super::core::check_distinct(args)?;
        let forms = self.all(pool, sorts, args)?;
        let mut all = Term::TRUE;
        for (k, a) in forms.iter().enumerate() {
            for b in &forms[k + 1..] {
                let equal = self.reals.equal(pool, a, b);
                let differ = pool.not(equal);
                all = pool.and(all, differ);
            }
        }
        Ok(Typed::bool(all))
    }

    /// If-then-else.
    pub fn choose(&mut self, pool: &mut Pool, sorts: &Sorts, args: &[Typed]) -> Checked<Typed> {
        super::core::bools(sorts, &args[..1])?;
        let [yes, no] = [1, 2].map(|k| self.form(pool, sorts, args[k]));
        let (yes, no) = (yes?, no?);
        let form = match args[0].term {
            Term::TRUE => yes,
            Term::FALSE => no,
            condition => self.reals.choose(pool, condition, &yes, &no),
        };
        Ok(self.add(pool, form))
    }

    /// The number that a float is.
    pub fn of_float(&mut self, pool: &mut Pool, format: FloatFormat, float: Term) -> Typed {
        let form = self.reals.of_float(pool, float, format);
        self.add(pool, form)
    }

    /// The float that a real is rounded to.
    pub fn round(
        &mut self,
        pool: &mut Pool,
        format: FloatFormat,
        mode: RoundingMode,
        form: &Affine,
    ) -> Term {
        if !form.form.is_zero() {
            return self.reals.round(pool, format, mode, form);
        }
        let (numerator, denominator) = to_fraction(&form.constant);
        let pattern = float::from_rational(format, mode, &numerator, &denominator);
        let mut limbs = pattern.to_u64_digits();
        limbs.resize(format.bits().div_ceil(64) as usize, 0);
        let pattern = pool.bv_wide(format.bits(), &limbs);
        pool.fp_from_bits(format, pattern)
    }
}

fn of_constant(constant: Rational) -> Affine {
    Affine {
        constant,
        ..Affine::default()
    }
}

fn scaled(form: &Affine, factor: &Rational) -> Affine {
    let mut result = Affine::default();
    result.add_scaled(form, factor);
    result
}

/// An order of reals.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RealOrder {
    Equal,
    Le,
    Lt,
    Ge,
    Gt,
}

/// An operation on two reals.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RealOperation {
    Add,
    Subtract,
    Multiply,
    Divide,
}

impl RealOperation {
    fn apply(self, left: &mut Affine, right: Affine) -> Checked<()> {
        match self {
            RealOperation::Add => left.add_scaled(&right, &Rational::ONE),
            RealOperation::Subtract => left.add_scaled(&right, &Rational::MINUS_ONE),
            RealOperation::Multiply if right.form.is_zero() => {
                *left = scaled(left, &right.constant)
            }
            RealOperation::Multiply if left.form.is_zero() => {
                *left = scaled(&right, &left.constant)
            }
            RealOperation::Multiply => return refuse("products of reals that are not constant"),
            RealOperation::Divide if !right.form.is_zero() => {
                return refuse("quotients by reals that are not constant");
            }
            RealOperation::Divide if right.constant.is_zero() => {
                return refuse("division of reals by 0");
            }
            RealOperation::Divide => *left = scaled(left, &right.constant.recip()),
        }
        Ok(())
    }
}

/// Is one of the arguments a real?
pub(super) fn among(args: &[Typed]) -> bool {
    args.iter().any(|arg| arg.sort == ScriptSort::Real)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_computed_exactly() {
        let (mut pool, mut reals, sorts) = (Pool::new(), RealTerms::default(), Sorts::default());
        let [third, tenth] = ["3.0", "10.0"].map(|text| {
            let one = reals.decimal(&mut pool, "1.00").unwrap();
            let by = reals.decimal(&mut pool, text).unwrap();
            reals
                .fold(&mut pool, &sorts, RealOperation::Divide, &[one, by])
                .unwrap()
        });
        let plain = reals.decimal(&mut pool, "0.1").unwrap();
        let equal = reals.compare(&mut pool, &sorts, &[tenth, plain], RealOrder::Equal);
        assert_eq!(equal.unwrap().term, Term::TRUE);
        let minus = reals
            .fold(&mut pool, &sorts, RealOperation::Subtract, &[third])
            .unwrap();
        let less = reals.compare(&mut pool, &sorts, &[minus, plain, third], RealOrder::Lt);
        assert_eq!(less.unwrap().term, Term::TRUE);
        let zero = reals.decimal(&mut pool, "0.0").unwrap();
        assert!(
            reals
                .fold(&mut pool, &sorts, RealOperation::Divide, &[third, zero])
                .is_err()
        );
        let long = format!("0.{}", "1".repeat(MOST_DIGITS));
        assert!(reals.decimal(&mut pool, &long).is_err());
    }

    #[test]
    fn what_cancels_is_no_unknown() {
        let (mut pool, mut reals, sorts) = (Pool::new(), RealTerms::default(), Sorts::default());
        let (x, _) = reals.declare(&mut pool);
        let zero = reals
            .fold(&mut pool, &sorts, RealOperation::Subtract, &[x, x])
            .unwrap();
        let one = reals.decimal(&mut pool, "1.0").unwrap();
        let less = reals.compare(&mut pool, &sorts, &[zero, one], RealOrder::Lt);
        assert_eq!(less.unwrap().term, Term::TRUE);
        let square = reals.fold(&mut pool, &sorts, RealOperation::Multiply, &[x, x]);
        assert!(square.is_err());
    }
}
