//! Integers. Every sum is kept in the normal form of [`crate::Linear`], atoms in the normal form
//! of [`Pool::linear_atom`], unless it is longer than a bound: then it is interned as it is, and
//! readers see the same meaning through the same two functions.

use crate::linear::Linear;
use crate::node::{Node, Op, Term};
use crate::pool::Pool;
use crate::rules::Rule;
use crate::sort::Sort;
use num_bigint::{BigInt, Sign};
use num_integer::Integer as _;
use num_traits::{One, Signed, Zero};

/// Most monomials of a sum that is normalized again when something is added to it.
const LONGEST_SUM: usize = 64;
/// Most monomials of a comparison that is normalized.
const LONGEST_ATOM: usize = 4096;

impl Pool {
    /// The integer constant `value`.
    pub fn int(&mut self, value: &BigInt) -> Term {
        let mut words = vec![(value.sign() == Sign::Minus) as u64];
        words.extend(value.magnitude().iter_u64_digits());
        let id = self.wide.intern(&words);
        self.intern(Node::new(Op::IntConst, Sort::Int.encode(), &[]).with_aux(id))
    }

    /// Value of an integer constant.
    pub fn as_int(&self, t: Term) -> Option<BigInt> {
        let node = self.node(t);
        (node.op == Op::IntConst).then(|| self.int_value(node))
    }

    pub(crate) fn int_value(&self, node: &Node) -> BigInt {
        let words = &self.wide.items[node.aux as usize];
        let bytes: Vec<u8> = words[1..]
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let sign = if words[0] == 1 {
            Sign::Minus
        } else {
            Sign::Plus
        };
        BigInt::from_bytes_le(sign, &bytes)
    }

    /// Sum of two integers.
    pub fn int_add(&mut self, a: Term, b: Term) -> Term {
        self.int_sum(&[a, b])
    }

    /// Difference of two integers.
    pub fn int_sub(&mut self, a: Term, b: Term) -> Term {
        let negative = self.int_neg(b);
        self.int_add(a, negative)
    }

    /// `-t`.
    pub fn int_neg(&mut self, t: Term) -> Term {
        self.int_scale(&BigInt::from(-1), t)
    }

    /// Sum of any number of integers; 0 of none.
    pub fn int_sum(&mut self, terms: &[Term]) -> Term {
        let one = BigInt::one();
        let limit = LONGEST_SUM + terms.len();
        match self.linear_within(terms.iter().map(|&t| (t, one.clone())), limit) {
            Some(linear) => self.linear_term(&linear),
            None => terms[1..]
                .iter()
                .fold(terms[0], |sum, &t| self.plain_add(sum, t)),
        }
    }

    /// `factor * t`.
    pub fn int_scale(&mut self, factor: &BigInt, t: Term) -> Term {
        match self.linear_within([(t, factor.clone())], LONGEST_SUM) {
            Some(linear) => self.linear_term(&linear),
            None if factor.is_one() => t,
            None => self.plain_mul(factor, t),
        }
    }

    /// The quotient of `t` by `divisor` as SMT-LIB's `div`: floor for a positive divisor.
    ///
    /// # Panics
    /// When the divisor is 0.
    pub fn int_div(&mut self, t: Term, divisor: &BigInt) -> Term {
        assert!(!divisor.is_zero(), "division by zero has no value");
        if divisor.is_negative() {
            let quotient = self.int_div(t, &-divisor);
            return self.int_neg(quotient);
        }
        if divisor.is_one() {
            return self.fired_as(Rule::IntDivision, t);
        }
        if let Some(value) = self.as_int(t) {
            return self.fold_int(value.div_floor(divisor));
        }
        let divisor = self.int(divisor);
        self.intern(Node::new(Op::IntDiv, Sort::Int.encode(), &[t, divisor]))
    }

    /// The remainder of `t` by `divisor` as SMT-LIB's `mod`: not negative, below `|divisor|`.
    ///
    /// # Panics
    /// When the divisor is 0.
    pub fn int_mod(&mut self, t: Term, divisor: &BigInt) -> Term {
        assert!(!divisor.is_zero(), "division by zero has no value");
        let divisor = divisor.abs();
        if divisor.is_one() {
            self.fire(Rule::IntDivision);
            return self.int(&BigInt::zero());
        }
        if let Some(value) = self.as_int(t) {
            return self.fold_int(value.mod_floor(&divisor));
        }
        let divisor = self.int(&divisor);
        self.intern(Node::new(Op::IntMod, Sort::Int.encode(), &[t, divisor]))
    }

    /// The absolute value.
    pub fn int_abs(&mut self, t: Term) -> Term {
        let zero = self.int(&BigInt::zero());
        let negative = self.int_neg(t);
        let is_positive = self.int_le(zero, t);
        self.ite(is_positive, t, negative)
    }

    /// `a <= b`.
    pub fn int_le(&mut self, a: Term, b: Term) -> Term {
        debug_assert_eq!((self.sort(a), self.sort(b)), (Sort::Int, Sort::Int));
        let Some(mut linear) = self.difference(a, b) else {
            return self.intern(Node::new(Op::IntLe, 1, &[a, b]));
        };
        if linear.monomials.is_empty() {
            self.fire(Rule::Fold);
            return self.bool(!linear.constant.is_positive());
        }
        // sum <= bound, divided by the common factor; a negative head turns the order around:
        // -s <= b, s >= -b, not (s <= -b - 1).
        let factor = linear.divide_coefficients();
        let mut bound = (-std::mem::take(&mut linear.constant)).div_floor(&factor);
        let flip = linear.monomials[0].1.is_negative();
        if flip {
            linear.negate();
            bound = -bound - 1;
        }
        let sum = self.linear_term(&linear);
        let bound = self.int(&bound);
        let atom = self.intern(Node::new(Op::IntLe, 1, &[sum, bound]));
        if flip { self.not(atom) } else { atom }
    }

    /// `a < b`.
    pub fn int_lt(&mut self, a: Term, b: Term) -> Term {
        let not = self.int_le(b, a);
        self.not(not)
    }

    /// `a = b`; called by [`Pool::eq`].
    pub(crate) fn int_eq(&mut self, a: Term, b: Term) -> Term {
        let Some(mut linear) = self.difference(a, b) else {
            let (a, b) = if b < a { (b, a) } else { (a, b) };
            return self.intern(Node::new(Op::Eq, 1, &[a, b]));
        };
        if linear.monomials.is_empty() {
            self.fire(Rule::Fold);
            return self.bool(linear.constant.is_zero());
        }
        let factor = linear.divide_coefficients();
        let (mut value, rest) = (-std::mem::take(&mut linear.constant)).div_mod_floor(&factor);
        if !rest.is_zero() {
            return self.fired_as(Rule::IntParity, Term::FALSE);
        }
        if linear.monomials[0].1.is_negative() {
            linear.negate();
            value = -value;
        }
        let sum = self.linear_term(&linear);
        let value = self.int(&value);
        self.intern(Node::new(Op::Eq, 1, &[sum, value]))
    }

    /// The sum in its normal form as a term: a chain of [`Op::IntAdd`] over monomials `x` or
    /// `k * x` in ascending order, the constant last.
    pub fn linear_term(&mut self, linear: &Linear) -> Term {
        let mut sum = Term::NONE;
        for (atom, factor) in &linear.monomials {
            let monomial = if factor.is_one() {
                *atom
            } else {
                self.plain_mul(factor, *atom)
            };
            sum = if sum.is_none() {
                monomial
            } else {
                self.plain_add(sum, monomial)
            };
        }
        if sum.is_none() {
            return self.int(&linear.constant);
        }
        if linear.constant.is_zero() {
            return sum;
        }
        let constant = self.int(&linear.constant);
        self.plain_add(sum, constant)
    }

    fn difference(&mut self, a: Term, b: Term) -> Option<Linear> {
        let (plus, minus) = (BigInt::one(), BigInt::from(-1));
        self.linear_within([(a, plus), (b, minus)], LONGEST_ATOM)
    }

    fn plain_add(&mut self, a: Term, b: Term) -> Term {
        self.intern(Node::new(Op::IntAdd, Sort::Int.encode(), &[a, b]))
    }

    fn plain_mul(&mut self, factor: &BigInt, t: Term) -> Term {
        let factor = self.int(factor);
        self.intern(Node::new(Op::IntMul, Sort::Int.encode(), &[factor, t]))
    }

    fn fold_int(&mut self, value: BigInt) -> Term {
        self.fire(Rule::Fold);
        self.int(&value)
    }
}
