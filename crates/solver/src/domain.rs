//! Sets of byte values, and the cache of truth tables from which they are made.
//!
//! A condition over one byte *is* the set of the values that satisfy it. With these sets exact per
//! byte, most branches of a parser are one intersection.

use rustc_hash::FxHashMap;
use std::rc::Rc;
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

/// The values of a byte by what a term over it alone is.
pub(crate) type ByteClasses = Rc<[(u64, ByteSet)]>;

/// Values of terms over one byte, by term (weakly, as [`TruthTables`]).
#[derive(Default)]
pub(crate) struct ValueTables {
    tables: FxHashMap<Term, Rc<[u64; 256]>>,
    classes: FxHashMap<Term, Option<ByteClasses>>,
}

impl ValueTables {
    /// Classes of a term at most.
    pub const MOST: usize = 64;
    /// Tables that are kept: 16 MB.
    const KEPT: usize = 1 << 13;

    /// What `t`, over `symbol` alone and of at most 64 bits, is for each value of the symbol.
    pub fn table(&mut self, pool: &Pool, t: Term, symbol: Symbol) -> Rc<[u64; 256]> {
        if self.tables.len() >= Self::KEPT {
            self.tables.clear();
        }
        let table = self.tables.entry(t);
        let table = table.or_insert_with(|| Tape::value_table(pool, t, symbol).into());
        Rc::clone(table)
    }

    /// What it can be, each with the values of the symbol for which it is so. `None` if that is more than [`ValueTables::MOST`].
    pub fn classes(&mut self, pool: &Pool, t: Term, symbol: Symbol) -> Option<ByteClasses> {
        if let Some(known) = self.classes.get(&t) {
            return known.clone();
        }
        let classes = classes_of(&self.table(pool, t, symbol));
        self.classes.insert(t, classes.clone());
        classes
    }

    /// Terms were renumbered: translates the values, or drops them when the numbers are not known.
    pub fn relocate(&mut self, relocation: Option<&Relocation>) {
        let known = std::mem::take(self);
        if let Some(relocation) = relocation {
            let tables = known.tables.into_iter();
            let classes = known.classes.into_iter();
            self.tables = tables
                .filter_map(|(t, table)| Some((relocation.get(t)?, table)))
                .collect();
            self.classes = classes
                .filter_map(|(t, classes)| Some((relocation.get(t)?, classes)))
                .collect();
        }
    }
}

fn classes_of(table: &[u64; 256]) -> Option<ByteClasses> {
    let mut classes: Vec<(u64, ByteSet)> = Vec::new();
    for (byte, &value) in (0..=u8::MAX).zip(table.iter()) {
        let of = classes.iter().position(|(v, _)| *v == value);
        let of = of.unwrap_or(classes.len());
        if of == ValueTables::MOST {
            return None;
        }
        if of == classes.len() {
            classes.push((value, ByteSet::EMPTY));
        }
        classes[of].1.insert(byte);
    }
    Some(classes.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_the_values_by_what_a_term_is() {
        let mut pool = Pool::new();
        let symbol = pool.new_symbol("b", term::Sort::BitVec(8));
        let byte = pool.symbol_term(symbol);
        let (three, mask) = (pool.bv(8, 3), pool.bv(8, 0xe0));
        let top = pool.and(byte, mask);
        let mut known = ValueTables::default();
        let classes = known.classes(&pool, top, symbol).expect("eight");
        assert_eq!(classes.len(), 8);
        for value in 0..=u8::MAX {
            let of = classes.iter().find(|(_, set)| set.contains(value));
            assert_eq!(of.map(|(v, _)| *v), Some(u64::from(value & 0xe0)));
        }
        let next = pool.add(byte, three);
        assert!(
            known.classes(&pool, next, symbol).is_none(),
            "256 are too many"
        );
    }

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
