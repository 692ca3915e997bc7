//! Values of bit-vectors of any width, as keys and elements of arrays.

use crate::wide;
use std::cmp::Ordering;
use std::fmt;

/// An unsigned number of any size: the value of a bit-vector whose width is known elsewhere.
/// Ordered as numbers. Up to 64 bits it takes no allocation.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BitValue(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(u64),
    /// Little-endian, at least two limbs, the last one not 0.
    Large(Box<[u64]>),
}

impl BitValue {
    /// Zero.
    pub const ZERO: BitValue = BitValue(Repr::Small(0));

    /// The number with these little-endian limbs (none: zero).
    pub fn from_limbs(limbs: &[u64]) -> BitValue {
        match limbs.iter().rposition(|&limb| limb != 0) {
            None => BitValue::ZERO,
            Some(0) => BitValue(Repr::Small(limbs[0])),
            Some(top) => BitValue(Repr::Large(limbs[..=top].into())),
        }
    }

    /// Little-endian limbs without zeros on top, at least one.
    pub fn limbs(&self) -> &[u64] {
        match &self.0 {
            Repr::Small(value) => std::slice::from_ref(value),
            Repr::Large(limbs) => limbs,
        }
    }

    /// The number, when it has at most 64 bits.
    pub fn as_u64(&self) -> Option<u64> {
        match self.0 {
            Repr::Small(value) => Some(value),
            Repr::Large(_) => None,
        }
    }

    /// The low 64 bits.
    pub fn low(&self) -> u64 {
        self.limbs()[0]
    }

    /// The number modulo 2^`width`.
    pub fn truncated(&self, width: u32) -> BitValue {
        let count = wide::limbs(width);
        let mut limbs: Vec<u64> = self.limbs().iter().copied().take(count).collect();
        limbs.resize(count, 0);
        wide::trim(&mut limbs, width);
        BitValue::from_limbs(&limbs)
    }

    /// Writes the number into limbs, cut or zero-extended.
    pub(crate) fn write(&self, out: &mut [u64]) {
        out.fill(0);
        for (out, &limb) in out.iter_mut().zip(self.limbs()) {
            *out = limb;
        }
    }
}

impl Default for BitValue {
    fn default() -> Self {
        BitValue::ZERO
    }
}

impl From<u64> for BitValue {
    fn from(value: u64) -> BitValue {
        BitValue(Repr::Small(value))
    }
}

impl Ord for BitValue {
    fn cmp(&self, other: &BitValue) -> Ordering {
        let (a, b) = (self.limbs(), other.limbs());
        a.len()
            .cmp(&b.len())
            .then_with(|| a.iter().rev().cmp(b.iter().rev()))
    }
}

impl PartialOrd for BitValue {
    fn partial_cmp(&self, other: &BitValue) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for BitValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x")?;
        let mut limbs = self.limbs().iter().rev();
        if let Some(top) = limbs.next() {
            write!(f, "{top:x}")?;
        }
        limbs.try_for_each(|limb| write!(f, "{limb:016x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_that_of_numbers() {
        let values: Vec<BitValue> = [
            &[0u64][..],
            &[5],
            &[u64::MAX],
            &[0, 1],
            &[7, 1],
            &[0, 2],
            &[0, 0, 1],
        ]
        .iter()
        .map(|limbs| BitValue::from_limbs(limbs))
        .collect();
        for (i, a) in values.iter().enumerate() {
            for (j, b) in values.iter().enumerate() {
                assert_eq!(a.cmp(b), i.cmp(&j));
            }
        }
        assert_eq!(BitValue::from_limbs(&[3, 0, 0]), BitValue::from(3));
        assert_eq!(BitValue::from_limbs(&[]), BitValue::ZERO);
        assert_eq!(values[4].truncated(64), BitValue::from(7));
        assert_eq!(values[2].truncated(3), BitValue::from(7));
    }
}
