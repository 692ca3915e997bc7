//! Whether it matters that a sort has fewer values than there are bit-vectors that stand for them.
//!
//! A constant array says something of every bit-vector, also of those that stand for no value. That makes a difference
//! only where stores may have replaced its elements for all values, as in
//! `(= (store ((as const A) true) e false) ((as const A) false))`.

use crate::sort::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};

/// What was read of arrays over each sort that has few values.
#[derive(Default)]
pub(crate) struct Sizes {
    constant: FxHashSet<Scalar>,
    stores: FxHashMap<Scalar, u64>,
}

impl Sizes {
    /// There is a constant array over the sort. Can its elements have been replaced for all values?
    pub fn constant(&mut self, index: Scalar) -> bool {
        let Some(values) = values(index) else {
            return false;
        };
        self.constant.insert(index);
        self.stores.get(&index).copied().unwrap_or(0) >= values
    }

    /// There is another store over the sort. Can the elements of a constant array have been replaced for all values?
    pub fn store(&mut self, index: Scalar) -> bool {
        let Some(values) = values(index) else {
            return false;
        };
        let stores = self.stores.entry(index).or_default();
        *stores = stores.saturating_add(1);
        *stores >= values && self.constant.contains(&index)
    }

    /// A definition was applied, whose stores are among those that were read. May it matter from now on?
    pub fn copy(&mut self) -> bool {
        let mut matters = false;
        for (&index, stores) in &mut self.stores {
            *stores = stores.saturating_mul(2);
            let is_enough = values(index).is_some_and(|values| *stores >= values);
            matters |= is_enough && self.constant.contains(&index);
        }
        matters
    }
}

/// How many values there are at least, if they are fewer than the bit-vectors.
fn values(sort: Scalar) -> Option<u64> {
    match sort {
        Scalar::Bool | Scalar::BitVec(_) => None,
        Scalar::Declared(_) => Some(0),
        Scalar::Rounding => Some(5),
        // All but the NaNs, and one of these.
        Scalar::Float(format) => {
            let numbers = 1u64.checked_shl(format.bits() - 1).unwrap_or(u64::MAX);
            Some(numbers)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::FloatFormat;

    #[test]
    fn constant_arrays_matter_with_as_many_stores_as_values() {
        let mut sizes = Sizes::default();
        assert!(sizes.constant(Scalar::Declared(0)) && !sizes.constant(Scalar::Bool));
        assert!(!sizes.constant(Scalar::Rounding));
        let stores: Vec<bool> = (0..5).map(|_| sizes.store(Scalar::Rounding)).collect();
        assert_eq!(stores, [false, false, false, false, true]);
        let tiny = Scalar::Float(FloatFormat::new(2, 2).expect("a format"));
        assert!(!(0..7).any(|_| sizes.store(tiny)));
        // A definition with stores may be applied to anything.
        sizes.copy();
        assert!(sizes.constant(tiny));
        assert!(
            !sizes.constant(Scalar::Float(FloatFormat::QUAD)) && !sizes.store(Scalar::BitVec(1))
        );
    }
}
