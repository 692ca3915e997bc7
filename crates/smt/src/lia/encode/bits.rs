//! Integers by their bits: low digits of variables, and symbols with both bounds.

use super::super::digits;
use super::super::numbers::{integer, rational};
use super::super::sum::Sum;
use super::{Bounded, Digits, Encoding};
use linear::{Rational, Var};
use solver::circuits::Bits;
use solver::sat::{Batsat, Lit, SatBackend};
use term::{BigInt, Pool, Term};

/// Bits of a bounded symbol; wider ones stay variables.
const MAX_BOUNDED: usize = 64;

impl Encoding {
    /// All bits of a term that are asked for.
    pub(super) fn string(&mut self, pool: &Pool, base: Term) -> Bits {
        if let Some(bits) = self.strings.get(&base) {
            return bits.clone();
        }
        let width = self.wanted[&base];
        let sum = self.sum(&pool.linear(base));
        let mut of_bits = sum.without_variables();
        for (v, factor) in sum.affine.form.terms() {
            let value = if self.bounded.contains_key(v) {
                self.value(*v)
            } else {
                Sum::number(&self.low_digits(*v, width))
            };
            of_bits.add_scaled(&value, factor);
        }
        let bits = digits::low_bits(self.lowering.aig_mut(), &of_bits, width);
        self.strings.insert(base, bits.clone());
        bits
    }

    /// The low bits of a variable, with the row that says so.
    pub(super) fn low_digits(&mut self, v: Var, width: usize) -> Bits {
        let (rest, mut bits) = match self.digits.remove(&v) {
            Some(digits) => (digits.rest, digits.bits),
            None => (v, Bits::new()),
        };
        let mut digits = Digits {
            rest,
            bits: Bits::new(),
        };
        if bits.len() < width {
            let more: Bits = (bits.len()..width).map(|_| self.input()).collect();
            digits.rest = self.problem.new_var();
            let mut sum = Sum::number(&more);
            sum.add_scaled(&Sum::var(rest), &Rational::MINUS_ONE);
            let factor = Rational::power_of_two(more.len() as u32);
            sum.add_scaled(&Sum::var(digits.rest), &factor);
            self.fix_zero(&sum);
            bits.extend(more);
        }
        let low = bits[..width].to_vec();
        digits.bits = bits;
        self.digits.insert(v, digits);
        low
    }

    pub(super) fn set_bounded(&mut self, v: Var, low: &BigInt, high: &BigInt) {
        let width = (high - low).bits() as usize;
        if width <= MAX_BOUNDED {
            let bounded = Bounded {
                low: rational(low),
                width,
                value: None,
                in_row: false,
            };
            self.bounded.insert(v, bounded);
        }
    }

    /// The sum over bits alone, when conditions on it shall be circuits: beside bit-vectors, when
    /// its symbols have bounds.
    pub(super) fn of_bits(&mut self, sum: &Sum) -> Option<Sum> {
        if sum.is_of_bits() && sum.bits.len() < 2 {
            return Some(sum.clone());
        }
        let terms = sum.affine.form.terms();
        if !self.is_mixed || !terms.iter().all(|(v, _)| self.bounded.contains_key(v)) {
            return None;
        }
        let mut bits = sum.without_variables();
        for (v, factor) in terms {
            bits.add_scaled(&self.value(*v), factor);
        }
        digits::is_short(&bits).then_some(bits)
    }

    /// The value of a bounded symbol as a sum of bits.
    pub(super) fn value(&mut self, v: Var) -> Sum {
        let bounded = &self.bounded[&v];
        if let Some(value) = &bounded.value {
            return value.clone();
        }
        let (low, width) = (bounded.low.clone(), bounded.width);
        let bits: Bits = (0..width).map(|_| self.input()).collect();
        let mut value = Sum::number(&bits);
        value.affine.constant += &low;
        if let Some(bounded) = self.bounded.get_mut(&v) {
            bounded.value = Some(value.clone());
        }
        value
    }

    /// Symbols that are bits in some conditions and variables in others are the same.
    pub(super) fn link_bounded(&mut self) {
        let mut both: Vec<(Var, Sum)> = Vec::new();
        for (&v, bounded) in &self.bounded {
            if bounded.in_row
                && let Some(value) = &bounded.value
            {
                both.push((v, value.clone()));
            }
        }
        both.sort_unstable_by_key(|(v, _)| *v);
        for (v, mut value) in both {
            value.add_scaled(&Sum::var(v), &Rational::MINUS_ONE);
            self.fix_zero(&value);
        }
    }

    /// An equation holds modulo a power of two as well: a circuit, when the low bits of all its
    /// variables are there. Rows alone compare the bits of two variables one assignment at a time.
    pub(super) fn link_equations(&mut self) {
        for (lit, sum) in std::mem::take(&mut self.equations) {
            let mut width = usize::MAX;
            let mut of_bits = sum.without_variables();
            for (v, factor) in sum.affine.form.terms() {
                let value = self.bounded.get(v).and_then(|b| b.value.clone());
                let value = value.unwrap_or_else(|| {
                    let bits = self.digits.get(v).map_or(&[][..], |d| &d.bits);
                    width = width.min(bits.len());
                    Sum::number(bits)
                });
                of_bits.add_scaled(&value, factor);
            }
            if (1..usize::MAX).contains(&width) && digits::is_short(&of_bits) {
                let aig = self.lowering.aig_mut();
                let low = digits::low_bits(aig, &of_bits, width);
                let differs = aig.or_all(low);
                self.imply(lit, !differs);
            }
        }
    }

    /// Positions of conditions that the encoding of all others rests on.
    pub(in super::super) fn premises(&self) -> impl Iterator<Item = usize> {
        let is_used = self.bounded.values().any(|b| b.value.is_some());
        let count = if is_used { usize::MAX } else { 0 };
        self.premises.iter().copied().take(count)
    }

    /// The value that an integer variable takes in a solution: its own, or that of its bits in the SAT solver's model.
    pub(in super::super) fn value_of(&mut self, solution: &[Rational], v: Var) -> BigInt {
        match self.value_of_bits(v, |sat, lit| sat.value(lit)) {
            Some(number) => number,
            None => integer(&solution[v.at()]),
        }
    }

    /// The value of a variable that is a sum of bits, with the values of these.
    pub(in super::super) fn value_of_bits(
        &mut self,
        v: Var,
        is_true: impl Fn(&mut Batsat, Lit) -> bool,
    ) -> Option<BigInt> {
        let value = self.bounded.get(&v).and_then(|b| b.value.as_ref());
        let value = value?;
        let mut number = value.affine.constant.clone();
        for (&node, weight) in &value.bits {
            let lit = self.cnf.get(Lit::positive(node));
            if lit.is_some_and(|lit| is_true(&mut self.sat, lit)) {
                number += weight;
            }
        }
        Some(integer(&number))
    }
}
