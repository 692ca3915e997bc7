//! Linear sums over integer terms: how [`Op::IntAdd`] and [`Op::IntMul`] are read.

use crate::node::{Op, Term};
use crate::pool::Pool;
use crate::sort::Sort;
use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{One, Zero};
use std::collections::BTreeMap;

/// Σ factor · atom + constant. Atoms are integer terms that are no sums, products or constants
/// (symbols, [`Op::IntDiv`], [`Op::IntMod`], [`Op::Ite`]), each once, ascending; no factor is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linear {
    /// (atom, factor), ascending by atom.
    pub monomials: Vec<(Term, BigInt)>,
    /// What is added to the monomials.
    pub constant: BigInt,
}

impl Linear {
    /// Divides the factors by their greatest common divisor, which is given back.
    pub(crate) fn divide_coefficients(&mut self) -> BigInt {
        let mut common = BigInt::zero();
        for (_, factor) in &self.monomials {
            common = common.gcd(factor);
            if common.is_one() {
                return common;
            }
        }
        for (_, factor) in &mut self.monomials {
            *factor /= &common;
        }
        common
    }

    pub(crate) fn negate(&mut self) {
        for (_, factor) in &mut self.monomials {
            *factor = -std::mem::take(factor);
        }
        self.constant = -std::mem::take(&mut self.constant);
    }
}

impl Pool {
    /// The integer term `t` as a linear sum.
    pub fn linear(&self, t: Term) -> Linear {
        self.linear_within([(t, BigInt::one())], usize::MAX)
            .expect("no sum is longer")
    }

    /// The sum that an integer atom is about: it is `sum <= 0` for an [`Op::IntLe`], `sum = 0` for
    /// an [`Op::Eq`] of integers; `None` for other terms. Constructors divide by the greatest
    /// common divisor of the factors and make the first factor positive; `a < b` and its kin are
    /// [`Op::Not`] of such an atom.
    pub fn linear_atom(&self, t: Term) -> Option<Linear> {
        let node = self.node(t);
        let [a, b, _] = node.kids;
        if !matches!(node.op, Op::IntLe | Op::Eq) || self.sort(a) != Sort::Int {
            return None;
        }
        self.linear_within([(a, BigInt::one()), (b, BigInt::from(-1))], usize::MAX)
    }

    /// The sum of multiples of terms, unless it has more than `limit` monomials. Each term is met
    /// once, after all that it occurs in: handles descend.
    pub(crate) fn linear_within(
        &self,
        parts: impl IntoIterator<Item = (Term, BigInt)>,
        limit: usize,
    ) -> Option<Linear> {
        let mut pending: BTreeMap<Term, BigInt> = BTreeMap::new();
        for (t, factor) in parts {
            debug_assert_eq!(self.sort(t), Sort::Int);
            *pending.entry(t).or_default() += factor;
        }
        let mut out = Linear::default();
        while let Some((t, factor)) = pending.pop_last() {
            if factor.is_zero() {
                continue;
            }
            let node = self.node(t);
            let [a, b, _] = node.kids;
            match node.op {
                Op::IntConst => out.constant += factor * self.int_value(node),
                Op::IntAdd => {
                    *pending.entry(a).or_default() += &factor;
                    *pending.entry(b).or_default() += factor;
                }
                Op::IntMul => {
                    *pending.entry(b).or_default() += factor * self.int_value(self.node(a));
                }
                _ => out.monomials.push((t, factor)),
            }
            if out.monomials.len() + pending.len() > limit.saturating_mul(2) {
                return None;
            }
        }
        out.monomials.reverse();
        (out.monomials.len() <= limit).then_some(out)
    }
}
