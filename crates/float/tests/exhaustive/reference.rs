//! IEEE 754 by its definition: exact arithmetic on rational numbers, then the search for the two neighbors among
//! *all* numbers of the format. Nothing is shared with the crate but the names of formats and modes.

use num_bigint::BigUint;
use polypath_float::{Flags, FloatFormat, RoundingMode};
use std::cmp::Ordering;

/// A small format with all its numbers. Values are counted in units of the smallest subnormal number.
pub struct Reference {
    pub format: FloatFormat,
    /// By pattern without sign: the magnitudes of all finite numbers, then that of the first power of two above them,
    /// at the pattern of infinity.
    magnitudes: Vec<u128>,
    /// 1 is 2^one units.
    pub one: u32,
    precision: u32,
}

/// What a pattern stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Nan,
    Infinite {
        negative: bool,
    },
    /// So many units.
    Finite {
        negative: bool,
        units: u128,
    },
}

pub const NO_FLAGS: Flags<bool> = Flags {
    invalid: false,
    divide_by_zero: false,
    overflow: false,
    underflow: false,
    inexact: false,
    denormal: false,
};

impl Reference {
    pub fn new(eb: u32, sb: u32) -> Reference {
        let fraction = sb - 1;
        let magnitude = |pattern: u128| {
            let (e, f) = (pattern >> fraction, pattern & ((1 << fraction) - 1));
            if e == 0 {
                f
            } else {
                (f | 1 << fraction) << (e - 1)
            }
        };
        let infinity = ((1u128 << eb) - 1) << fraction;
        Reference {
            format: FloatFormat::new(eb, sb).unwrap(),
            magnitudes: (0..=infinity).map(magnitude).collect(),
            // 1 = 2^(sb - 1) units at exponent field 1, times 2^(bias - 1).
            one: fraction + (1 << (eb - 1)) - 2,
            precision: sb,
        }
    }

    /// All formats of `bits` bits.
    pub fn all(bits: u32) -> Vec<Reference> {
        (2..=bits - 2)
            .map(|eb| Reference::new(eb, bits - eb))
            .collect()
    }

    pub fn bits(&self) -> u32 {
        self.format.bits()
    }

    fn infinity(&self) -> u128 {
        self.magnitudes.len() as u128 - 1
    }

    pub fn value(&self, pattern: u128) -> Value {
        let sign = 1 << (self.bits() - 1);
        let (negative, magnitude) = (pattern & sign != 0, pattern & (sign - 1));
        match magnitude.cmp(&self.infinity()) {
            Ordering::Greater => Value::Nan,
            Ordering::Equal => Value::Infinite { negative },
            Ordering::Less => Value::Finite {
                negative,
                units: self.magnitudes[magnitude as usize],
            },
        }
    }

    pub fn is_subnormal(&self, pattern: u128) -> bool {
        match self.value(pattern) {
            Value::Finite { units, .. } => units > 0 && units < 1 << (self.precision - 1),
            _ => false,
        }
    }

    pub fn signed(&self, negative: bool, magnitude: u128) -> u128 {
        magnitude | u128::from(negative) << (self.bits() - 1)
    }

    pub fn infinite(&self, negative: bool) -> u128 {
        self.signed(negative, self.infinity())
    }

    /// The pattern of a number, if the format has it.
    pub fn find(&self, negative: bool, units: u128) -> Option<u128> {
        let finite = &self.magnitudes[..self.magnitudes.len() - 1];
        let at = finite.binary_search(&units).ok()?;
        Some(self.signed(negative, at as u128))
    }

    /// The pattern of a number that the format has.
    pub fn exactly(&self, negative: bool, units: u128) -> u128 {
        self.find(negative, units).expect("a number of the format")
    }

    /// `numerator` / `denominator` units, rounded.
    pub fn rational(
        &self,
        mode: RoundingMode,
        negative: bool,
        numerator: &BigUint,
        denominator: &BigUint,
    ) -> (u128, Flags<bool>) {
        let scaled = numerator * 4u32;
        self.round(mode, negative, |quarters| {
            scaled.cmp(&(denominator * quarters))
        })
    }

    /// Rounds the magnitude that `against` compares with a number of quarters of units.
    pub fn round(
        &self,
        mode: RoundingMode,
        negative: bool,
        against: impl Fn(u128) -> Ordering,
    ) -> (u128, Flags<bool>) {
        use RoundingMode::*;
        let outward = match mode {
            TowardPositive => !negative,
            TowardNegative => negative,
            _ => false,
        };
        let nearest = matches!(mode, NearestEven | NearestAway);
        // The largest number that is not above the exact one.
        let below = self
            .magnitudes
            .partition_point(|&units| against(4 * units) != Ordering::Less)
            - 1;
        if below as u128 == self.infinity() {
            let magnitude = self.infinity() - u128::from(!nearest && !outward);
            let flags = Flags {
                overflow: true,
                inexact: true,
                ..NO_FLAGS
            };
            return (self.signed(negative, magnitude), flags);
        }
        let units = self.magnitudes[below];
        if against(4 * units) == Ordering::Equal {
            return (self.signed(negative, below as u128), NO_FLAGS);
        }
        let middle = against(2 * (units + self.magnitudes[below + 1]));
        let up = match mode {
            NearestEven => {
                middle == Ordering::Greater || middle == Ordering::Equal && below % 2 == 1
            }
            NearestAway => middle != Ordering::Less,
            _ => outward,
        };
        let magnitude = below as u128 + u128::from(up);
        // Without a smallest exponent, the last number before the normal ones would be half a unit below them.
        let normal = 1u128 << (self.precision - 1);
        let reaches = if nearest {
            against(4 * normal - 1) != Ordering::Less
        } else {
            outward && against(4 * normal - 2) == Ordering::Greater
        };
        let flags = Flags {
            inexact: true,
            overflow: magnitude == self.infinity(),
            underflow: units < normal && !reaches,
            ..NO_FLAGS
        };
        (self.signed(negative, magnitude), flags)
    }
}
