//! Integer terms as sums over integer variables and over bits of circuits.
//!
//! A bit counts 0 or 1. Bits stay bits as long as they can: a condition on nothing else is a
//! circuit, and only what meets an integer variable becomes a column of the simplex (`encode.rs`).

use linear::{Affine, Form, Rational, Var};
use solver::sat::Lit;
use std::collections::BTreeMap;

/// `affine + Σ factor·[bit]`.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    pub affine: Affine,
    /// Factors, other than 0, by node of the graph.
    pub bits: BTreeMap<u32, Rational>,
}

impl Sum {
    /// A number.
    pub fn constant(constant: Rational) -> Sum {
        Sum {
            affine: Affine {
                form: Form::new(),
                constant,
            },
            bits: BTreeMap::new(),
        }
    }

    /// A variable.
    pub fn var(v: Var) -> Sum {
        Sum {
            affine: Affine {
                form: Form::var(v),
                constant: Rational::ZERO,
            },
            bits: BTreeMap::new(),
        }
    }

    /// What a bit-vector is as an unsigned number.
    pub fn number(bits: &[Lit]) -> Sum {
        let mut sum = Sum::default();
        for (i, &bit) in bits.iter().enumerate() {
            sum.add_bit(bit, &Rational::power_of_two(i as u32));
        }
        sum
    }

    /// Adds a multiple of a bit.
    pub fn add_bit(&mut self, bit: Lit, factor: &Rational) {
        // [!b] = 1 - [b].
        if bit.is_negated() != bit.is_const() {
            self.affine.constant += factor;
        }
        if bit.is_const() {
            return;
        }
        let own = self.bits.entry(bit.var()).or_default();
        if bit.is_negated() {
            *own -= factor
        } else {
            *own += factor
        }
        if own.is_zero() {
            self.bits.remove(&bit.var());
        }
    }

    /// Adds a multiple of another.
    pub fn add_scaled(&mut self, other: &Sum, factor: &Rational) {
        self.affine.add_scaled(&other.affine, factor);
        for (&node, weight) in &other.bits {
            self.add_bit(Lit::positive(node), &(weight * factor));
        }
    }

    /// A constant and multiples of others. The terms are gathered first: one after the other, a long sum would be copied for
    /// each of them.
    pub fn of<'a>(constant: Rational, parts: impl Iterator<Item = (&'a Sum, Rational)>) -> Sum {
        let mut sum = Sum::constant(constant);
        let mut terms: Vec<(Var, Rational)> = Vec::new();
        for (part, factor) in parts {
            let own = part.affine.form.terms().iter();
            terms.extend(own.map(|(v, c)| (*v, c * &factor)));
            sum.affine
                .constant
                .add_product(&part.affine.constant, &factor);
            for (&node, weight) in &part.bits {
                sum.add_bit(Lit::positive(node), &(weight * &factor));
            }
        }
        sum.affine.form = Form::from_terms(terms);
        sum
    }

    /// The difference.
    pub fn minus(&self, other: &Sum) -> Sum {
        let mut difference = self.clone();
        difference.add_scaled(other, &Rational::MINUS_ONE);
        difference
    }

    /// The bits and the constant.
    pub fn without_variables(&self) -> Sum {
        Sum {
            bits: self.bits.clone(),
            ..Sum::constant(self.affine.constant.clone())
        }
    }

    /// Is there no integer variable in it?
    pub fn is_of_bits(&self) -> bool {
        self.affine.form.is_zero()
    }

    /// The value, if it is always the same.
    pub fn as_constant(&self) -> Option<&Rational> {
        (self.is_of_bits() && self.bits.is_empty()).then_some(&self.affine.constant)
    }

    /// The bits as literals with positive weights, and what is to be added to them: the least
    /// value, when there is no integer variable.
    pub fn weights(&self) -> (Rational, Vec<(Lit, Rational)>) {
        let mut least = self.affine.constant.clone();
        let weight = |(&node, factor): (&u32, &Rational)| {
            let is_negative = factor.is_negative();
            if is_negative {
                least += factor;
            }
            (Lit::positive(node).negate_if(is_negative), factor.abs())
        };
        let weights = self.bits.iter().map(weight).collect();
        (least, weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_their_negations_are_one() {
        let b = Lit::positive(5);
        let mut sum = Sum::number(&[b, !b, Lit::TRUE, Lit::FALSE]);
        // [b] + 2·(1 - [b]) + 4
        assert_eq!(sum.affine.constant, Rational::from(6));
        assert_eq!(sum.bits[&5], Rational::MINUS_ONE);
        let (least, weights) = sum.weights();
        assert_eq!(least, Rational::from(5));
        assert_eq!(weights, [(!b, Rational::ONE)]);
        sum.add_bit(b, &Rational::ONE);
        assert_eq!(sum.as_constant(), Some(&Rational::from(6)));
    }
}
