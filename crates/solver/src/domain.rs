//! Sets of byte values, and the cache of truth tables from which they are made.
//!
//! A condition over one byte *is* the set of the values that satisfy it. With these sets exact per
//! byte, most branches of a parser are one intersection.

use rustc_hash::FxHashMap;
use term::{Op, Pool, Relocation, Symbol, Tape, Term};

/// A set of byte values, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ByteSet(pub [u64; 4]);

impl Default for ByteSet {
    fn default() -> Self {
        ByteSet::FULL
    }
}

impl ByteSet {
    /// All 256 values.
    pub const FULL: ByteSet = ByteSet([u64::MAX; 4]);
    /// No value.
    pub const EMPTY: ByteSet = ByteSet([0; 4]);

    /// Is no value left?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// Number of values.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|w| w.count_ones()).sum()
    }

    /// Is the value in the set?
    #[inline]
    pub fn contains(&self, value: u8) -> bool {
        self.0[value as usize >> 6] >> (value & 63) & 1 != 0
    }

    /// Adds a value.
    pub fn insert(&mut self, value: u8) {
        self.0[value as usize >> 6] |= 1 << (value & 63);
    }

    /// Values in both.
    #[inline]
    pub fn intersect(&self, other: &ByteSet) -> ByteSet {
        ByteSet(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    /// Values not in the set.
    #[inline]
    pub fn complement(&self) -> ByteSet {
        ByteSet(self.0.map(|w| !w))
    }

    /// The smallest value.
    #[inline]
    pub fn first(&self) -> Option<u8> {
        let i = self.0.iter().position(|&w| w != 0)?;
        Some((i * 64) as u8 + self.0[i].trailing_zeros() as u8)
    }

    /// The largest value.
    pub fn last(&self) -> Option<u8> {
        let i = self.0.iter().rposition(|&w| w != 0)?;
        Some((i * 64 + 63) as u8 - self.0[i].leading_zeros() as u8)
    }

    /// The values in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u8> + use<> {
        let words = self.0;
        (0..4usize).flat_map(move |i| {
            let mut word = words[i];
            std::iter::from_fn(move || {
                let bit = word.trailing_zeros();
                word &= word.wrapping_sub(1);
                (bit < 64).then(|| (i * 64) as u8 + bit as u8)
            })
        })
    }
}

/// Truth tables of conditions over one byte, by term (weakly: no term lives because of one).
#[derive(Default)]
pub struct TruthTables {
    known: FxHashMap<Term, ByteSet>,
    /// Tables computed (not found).
    pub computed: u64,
}

impl TruthTables {
    /// The values of `symbol` that satisfy `cond`, a condition over that byte alone.
    #[inline]
    pub fn get(&mut self, pool: &Pool, cond: Term, symbol: Symbol) -> ByteSet {
        if let Some(set) = self.known.get(&cond) {
            return *set;
        }
        self.compute(pool, cond, symbol)
    }

    #[cold]
    fn compute(&mut self, pool: &Pool, cond: Term, symbol: Symbol) -> ByteSet {
        let positive = match pool.op(cond) {
            Op::Not => Some(pool.children(cond)[0]),
            _ => None,
        };
        let set = match positive.and_then(|t| self.known.get(&t)) {
            Some(set) => set.complement(),
            None => {
                self.computed += 1;
                ByteSet(Tape::truth_table(pool, cond, symbol))
            }
        };
        self.known.insert(cond, set);
        set
    }

    /// Terms were renumbered: translates the tables, or drops them when the numbers are not known.
    pub fn relocate(&mut self, relocation: Option<&Relocation>) {
        let known = std::mem::take(&mut self.known);
        if let Some(relocation) = relocation {
            self.known = known
                .into_iter()
                .filter_map(|(t, set)| Some((relocation.get(t)?, set)))
                .collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_sets_behave_like_sets() {
        let mut set = ByteSet::EMPTY;
        for v in [0u8, 63, 64, 127, 128, 200, 255] {
            set.insert(v);
        }
        assert_eq!(
            set.iter().collect::<Vec<_>>(),
            [0, 63, 64, 127, 128, 200, 255]
        );
        assert_eq!(
            (set.first(), set.last(), set.len()),
            (Some(0), Some(255), 7)
        );
        assert!(!set.contains(1) && set.contains(200));
        assert_eq!(set.complement().len(), 249);
        assert!(set.intersect(&set.complement()).is_empty());
        assert_eq!(
            (ByteSet::EMPTY.first(), ByteSet::EMPTY.last()),
            (None, None)
        );
    }
}
