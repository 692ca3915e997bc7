//! Floats taken apart.

use crate::logic::Logic;

/// A float taken apart: a NaN, an infinity, or (-1)^negative · significand · 2^(exponent - precision + 1).
pub struct Unpacked<L: Logic> {
    /// It is a NaN, or an unsupported encoding of x87.
    pub nan: L::Bool,
    /// It is an infinity.
    pub infinite: L::Bool,
    /// It is zero.
    pub zero: L::Bool,
    /// Its sign is set. Of a NaN, the sign is in its pattern.
    pub negative: L::Bool,
    /// The exponent of the leading one, in two's complement. The smallest value of its width's range in use is that of
    /// zero; of NaNs and infinities it means nothing.
    pub exponent: L::Bits,
    /// As many bits as the precision, the first of them 1 for every number but zero (subnormal ones are normalized).
    pub significand: L::Bits,
    /// It is a pseudo-denormal of x87, a number with two patterns; `pattern` is the one that it has.
    pub pseudo: L::Bool,
    /// Which NaN or pseudo-denormal it is, if it is one: its bit pattern.
    pub pattern: L::Bits,
}

impl<L: Logic> Clone for Unpacked<L> {
    fn clone(&self) -> Unpacked<L> {
        Unpacked {
            nan: self.nan.clone(),
            infinite: self.infinite.clone(),
            zero: self.zero.clone(),
            negative: self.negative.clone(),
            exponent: self.exponent.clone(),
            significand: self.significand.clone(),
            pseudo: self.pseudo.clone(),
            pattern: self.pattern.clone(),
        }
    }
}

impl<L: Logic> Unpacked<L> {
    /// `a` where the condition holds, else `b`, of the same format.
    pub fn choose(logic: &L, condition: &L::Bool, a: &Self, b: &Self) -> Self {
        let truth = |a, b| logic.choose_bool(condition, a, b);
        let bits = |a, b| logic.choose(condition, a, b);
        Unpacked {
            nan: truth(&a.nan, &b.nan),
            infinite: truth(&a.infinite, &b.infinite),
            zero: truth(&a.zero, &b.zero),
            negative: truth(&a.negative, &b.negative),
            exponent: bits(&a.exponent, &b.exponent),
            significand: bits(&a.significand, &b.significand),
            pseudo: truth(&a.pseudo, &b.pseudo),
            pattern: bits(&a.pattern, &b.pattern),
        }
    }

    /// Neither a NaN nor an infinity.
    pub fn is_finite(&self, logic: &L) -> L::Bool {
        logic.not(&logic.or(&self.nan, &self.infinite))
    }
}

/// An exact number that is not rounded yet: (-1)^negative · significand · 2^(exponent - width + 1), where the width
/// is the significand's. Unless it is zero, its first bit is 1; its last one may stand for any that follow.
pub(crate) struct Exact<L: Logic> {
    pub negative: L::Bool,
    pub zero: L::Bool,
    /// In two's complement, of any width.
    pub exponent: L::Bits,
    pub significand: L::Bits,
}
