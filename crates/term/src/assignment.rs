//! Values of symbols.

use crate::node::Symbol;
use crate::value::BitValue;
use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Value of an array symbol: `entries` over `default`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArrayValue {
    /// Element at every index without an entry.
    pub default: BitValue,
    /// Elements by index.
    pub entries: BTreeMap<BitValue, BitValue>,
}

impl ArrayValue {
    /// The element at `index`.
    pub fn get(&self, index: &BitValue) -> &BitValue {
        self.entries.get(index).unwrap_or(&self.default)
    }

    /// The array that holds `content`, and 0 past its end.
    pub(crate) fn of_bytes(content: &[u8]) -> ArrayValue {
        let number = |byte: &u8| BitValue::from(*byte as u64);
        ArrayValue {
            default: BitValue::ZERO,
            entries: (0u64..)
                .map(BitValue::from)
                .zip(content.iter().map(number))
                .collect(),
        }
    }

    /// This array under the entries of `updates`.
    pub(crate) fn updated(mut self, updates: ArrayValue) -> ArrayValue {
        self.entries.extend(updates.entries);
        self
    }

    /// Are the arrays, with indices of `index_width` bits, equal everywhere?
    pub fn equals(&self, other: &ArrayValue, index_width: u32) -> bool {
        let mut keys: Vec<&BitValue> = self.entries.keys().chain(other.entries.keys()).collect();
        keys.sort_unstable();
        keys.dedup();
        let all = index_width < 64 && keys.len() as u64 >= 1 << index_width;
        keys.iter().all(|&key| self.get(key) == other.get(key))
            && (all || self.default == other.default)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Large {
    Limbs(Box<[u64]>),
    Array(ArrayValue),
    Int(BigInt),
}

/// A total assignment: a value for every symbol, 0 unless set. Values below 256 live in one byte
/// vector; others beside it. Clones share until one is changed.
#[derive(Clone, Debug, Default)]
pub struct Assignment {
    bytes: Arc<Vec<u8>>,
    large: Option<Arc<FxHashMap<u32, Large>>>,
}

/// An assignment in as little room as it takes: only what is not 0, and shared with nobody that changes.
#[derive(Clone, Debug)]
pub struct PackedAssignment {
    bytes: Box<[(u32, u8)]>,
    large: Option<Arc<FxHashMap<u32, Large>>>,
}

impl PackedAssignment {
    /// The bytes that it takes, about.
    pub fn size(&self) -> usize {
        let large = self.large.as_ref().map_or(0, |l| l.len());
        size_of_val(&*self.bytes) + 32 * large
    }

    /// The symbols of one byte that are not 0, in ascending order, with their values.
    pub fn bytes(&self) -> impl Iterator<Item = (Symbol, u8)> + '_ {
        self.bytes.iter().map(|&(at, value)| (Symbol(at), value))
    }

    /// The assignment.
    pub fn unpack(&self) -> Assignment {
        let len = self.bytes.last().map_or(0, |&(at, _)| at as usize + 1);
        let mut bytes = vec![0; len];
        for &(at, value) in &self.bytes {
            bytes[at as usize] = value;
        }
        Assignment {
            bytes: Arc::new(bytes),
            large: self.large.clone(),
        }
    }
}

impl Assignment {
    /// The same in little room.
    pub fn pack(&self) -> PackedAssignment {
        PackedAssignment {
            bytes: self.bytes().map(|(at, value)| (at.0, value)).collect(),
            large: self.large.clone(),
        }
    }

    /// The symbols of one byte that are not 0, in ascending order, with their values.
    pub fn bytes(&self) -> impl Iterator<Item = (Symbol, u8)> + '_ {
        let numbered = (0..).zip(self.bytes.iter());
        let set = numbered.filter(|&(_, &value)| value != 0);
        set.map(|(at, &value)| (Symbol(at), value))
    }

    /// All symbols 0.
    pub fn new() -> Assignment {
        Assignment::default()
    }

    /// Symbol k is `bytes[k]`.
    pub fn from_bytes(bytes: &[u8]) -> Assignment {
        Assignment {
            bytes: Arc::new(bytes.to_vec()),
            large: None,
        }
    }

    /// The value as a number: the low 64 bits of a wide one.
    #[inline]
    pub fn get(&self, symbol: Symbol) -> u64 {
        if let Some(large) = &self.large
            && let Some(Large::Limbs(limbs)) = large.get(&symbol.0)
        {
            return limbs[0];
        }
        self.bytes.get(symbol.0 as usize).copied().unwrap_or(0) as u64
    }

    /// Limb `index` of the value.
    #[inline]
    pub fn limb(&self, symbol: Symbol, index: usize) -> u64 {
        if index == 0 {
            return self.get(symbol);
        }
        match self.large.as_ref().and_then(|large| large.get(&symbol.0)) {
            Some(Large::Limbs(limbs)) => limbs.get(index).copied().unwrap_or(0),
            _ => 0,
        }
    }

    /// The symbols whose values differ.
    pub fn differing(&self, other: &Assignment) -> Vec<Symbol> {
        let (long, short) = if self.bytes.len() < other.bytes.len() {
            (&other.bytes, &self.bytes)
        } else {
            (&self.bytes, &other.bytes)
        };
        let rest = short.len()..long.len();
        let both = long.iter().zip(short.iter()).enumerate();
        let mut symbols: Vec<u32> = both
            .filter(|(_, (a, b))| a != b)
            .map(|(i, _)| i as u32)
            .chain(rest.filter(|&i| long[i] != 0).map(|i| i as u32))
            .collect();
        let larges = [&self.large, &other.large].map(Option::as_ref);
        for (mine, other) in [(larges[0], larges[1]), (larges[1], larges[0])] {
            let different = |(k, v): &(&u32, &Large)| other.and_then(|o| o.get(k)) != Some(*v);
            let found = mine.into_iter().flat_map(|m| m.iter()).filter(different);
            symbols.extend(found.map(|(k, _)| *k));
        }
        symbols.sort_unstable();
        symbols.dedup();
        symbols.into_iter().map(Symbol).collect()
    }

    /// Sets the value.
    pub fn set(&mut self, symbol: Symbol, value: u64) {
        if value > 255 {
            self.set_wide(symbol, &[value]);
            return;
        }
        self.forget_large(symbol);
        let index = symbol.0 as usize;
        if self.bytes.get(index).copied().unwrap_or(0) == value as u8 {
            return;
        }
        let bytes = Arc::make_mut(&mut self.bytes);
        if bytes.len() <= index {
            bytes.resize(index + 1, 0);
        }
        bytes[index] = value as u8;
    }

    /// Sets a value of any width, given as little-endian limbs.
    pub fn set_wide(&mut self, symbol: Symbol, limbs: &[u64]) {
        let used = limbs
            .iter()
            .rposition(|&limb| limb != 0)
            .map_or(1, |top| top + 1);
        let low = limbs.first().copied().unwrap_or(0);
        if used == 1 && low < 256 {
            return self.set(symbol, low);
        }
        self.put_large(symbol, Large::Limbs(limbs[..used].into()));
    }

    /// Sets the value of an array symbol.
    pub fn set_array(&mut self, symbol: Symbol, value: ArrayValue) {
        self.put_large(symbol, Large::Array(value));
    }

    /// Value of an array symbol; `None` when it is 0 everywhere.
    pub fn array(&self, symbol: Symbol) -> Option<&ArrayValue> {
        match self.large.as_ref()?.get(&symbol.0)? {
            Large::Array(value) => Some(value),
            _ => None,
        }
    }

    /// Sets the value of an integer symbol.
    pub fn set_int(&mut self, symbol: Symbol, value: BigInt) {
        match u8::try_from(&value) {
            Ok(byte) => self.set(symbol, byte as u64),
            Err(_) => self.put_large(symbol, Large::Int(value)),
        }
    }

    /// Value of an integer symbol.
    pub fn int(&self, symbol: Symbol) -> BigInt {
        match self.large.as_ref().and_then(|large| large.get(&symbol.0)) {
            Some(Large::Int(value)) => value.clone(),
            _ => BigInt::from(self.get(symbol)),
        }
    }

    /// The bytes of the symbols from 0 on, if no symbol has a value above 255. Symbols past the
    /// end are 0.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        self.large.is_none().then_some(&self.bytes[..])
    }

    /// Is the content the same memory? Then it is equal, and stays so while both live.
    pub(crate) fn is_shared_with(&self, other: &Assignment) -> bool {
        let large = match (&self.large, &other.large) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        large && Arc::ptr_eq(&self.bytes, &other.bytes)
    }

    fn put_large(&mut self, symbol: Symbol, value: Large) {
        let large = self.large.get_or_insert_default();
        Arc::make_mut(large).insert(symbol.0, value);
    }

    fn forget_large(&mut self, symbol: Symbol) {
        let Some(large) = &mut self.large else { return };
        if large.contains_key(&symbol.0) {
            Arc::make_mut(large).remove(&symbol.0);
            if large.is_empty() {
                self.large = None;
            }
        }
    }
}

/// Assignments are equal when every symbol has the same value.
impl PartialEq for Assignment {
    fn eq(&self, other: &Assignment) -> bool {
        fn used(assignment: &Assignment) -> Vec<u8> {
            // A byte under a large value does not count.
            let mut bytes = assignment.bytes.to_vec();
            for &symbol in assignment.large.iter().flat_map(|large| large.keys()) {
                if let Some(byte) = bytes.get_mut(symbol as usize) {
                    *byte = 0;
                }
            }
            bytes.truncate(bytes.iter().rposition(|&b| b != 0).map_or(0, |top| top + 1));
            bytes
        }
        self.large == other.large && used(self) == used(other)
    }
}

impl Eq for Assignment {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_assignment_comes_back() {
        let mut a = Assignment::from_bytes(&[0, 7, 0, 0, 255, 0]);
        a.set(Symbol(9), 1 << 20);
        assert_eq!(a.differing(&a.pack().unpack()), []);
        assert!(a.pack().size() < 64);
        assert_eq!(Assignment::new().pack().size(), 0);
    }

    #[test]
    fn values_are_kept_and_clones_do_not_see_changes() {
        let mut a = Assignment::new();
        let (x, y, z) = (Symbol(0), Symbol(70), Symbol(3));
        a.set(x, 7);
        a.set(y, 300);
        a.set_wide(z, &[1, 2, 0]);
        let b = a.clone();
        a.set(y, 5);
        a.set(z, 0);
        assert_eq!((b.get(x), b.get(y), b.get(z), b.limb(z, 1)), (7, 300, 1, 2));
        assert_eq!((a.get(x), a.get(y), a.get(z), a.limb(z, 1)), (7, 5, 0, 0));
        assert_ne!(a, b);
        assert_eq!(a.as_bytes().map(|b| b.len()), Some(71));
        let mut c = Assignment::from_bytes(&[7]);
        c.set(y, 5);
        assert_eq!(a, c);
    }
}
