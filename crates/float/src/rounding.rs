//! Rounding directions.

use crate::Logic;

/// IEEE rounding-direction attribute.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum RoundingMode {
    /// To nearest, ties to even (RNE).
    NearestEven,
    /// To nearest, ties away from zero (RNA).
    NearestAway,
    /// Toward plus infinity (RTP).
    TowardPositive,
    /// Toward minus infinity (RTN).
    TowardNegative,
    /// Toward zero (RTZ).
    TowardZero,
}

impl RoundingMode {
    /// Every mode, in the order of its discriminant.
    pub const ALL: [RoundingMode; 5] = [
        RoundingMode::NearestEven,
        RoundingMode::NearestAway,
        RoundingMode::TowardPositive,
        RoundingMode::TowardNegative,
        RoundingMode::TowardZero,
    ];

    /// The SMT-LIB abbreviation.
    pub const fn smt_name(self) -> &'static str {
        match self {
            RoundingMode::NearestEven => "RNE",
            RoundingMode::NearestAway => "RNA",
            RoundingMode::TowardPositive => "RTP",
            RoundingMode::TowardNegative => "RTN",
            RoundingMode::TowardZero => "RTZ",
        }
    }
}

/// A rounding mode in a logic, where it need not be constant. At most one of these holds; none means toward zero.
pub struct Rounding<L: Logic> {
    /// To nearest, ties to even.
    pub nearest_even: L::Bool,
    /// To nearest, ties away from zero.
    pub nearest_away: L::Bool,
    /// Toward plus infinity.
    pub upward: L::Bool,
    /// Toward minus infinity.
    pub downward: L::Bool,
}

impl<L: Logic> Rounding<L> {
    /// A constant mode.
    pub fn constant(logic: &L, mode: RoundingMode) -> Rounding<L> {
        let is = |other| logic.truth(mode == other);
        Rounding {
            nearest_even: is(RoundingMode::NearestEven),
            nearest_away: is(RoundingMode::NearestAway),
            upward: is(RoundingMode::TowardPositive),
            downward: is(RoundingMode::TowardNegative),
        }
    }

    /// Does a number of the given sign round to the larger magnitude? `odd` is its last bit that is kept, `guard` the
    /// first that is not, and `sticky` tells whether one behind that is set.
    pub(crate) fn rounds_up(
        &self,
        logic: &L,
        negative: &L::Bool,
        odd: &L::Bool,
        guard: &L::Bool,
        sticky: &L::Bool,
    ) -> L::Bool {
        let above_half = logic.and(guard, &logic.or(sticky, odd));
        let even = logic.and(&self.nearest_even, &above_half);
        let away = logic.and(&self.nearest_away, guard);
        let inexact = logic.or(guard, sticky);
        let directed = logic.and(&inexact, &self.is_outward(logic, negative));
        logic.or(&logic.or(&even, &away), &directed)
    }

    /// Is the mode directed, away from zero for numbers of the given sign?
    fn is_outward(&self, logic: &L, negative: &L::Bool) -> L::Bool {
        logic.choose_bool(negative, &self.downward, &self.upward)
    }

    /// Is what overflows infinite, rather than the largest number?
    pub(crate) fn overflows_to_infinity(&self, logic: &L, negative: &L::Bool) -> L::Bool {
        let nearest = logic.or(&self.nearest_even, &self.nearest_away);
        logic.or(&nearest, &self.is_outward(logic, negative))
    }
}
