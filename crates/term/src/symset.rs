//! Sets of free symbols, hash-consed.
//!
//! Idea: a big-endian Patricia trie (Okasaki and Gill, "Fast Mergeable Integer Maps", 1998) whose
//! leaves are 64-bit bitmaps of consecutive symbols. Nodes are interned, so equal sets have equal
//! handles, unions share structure, and a chain of terms over n symbols costs O(n log n) memory
//! in all. A program with at most 64 input bytes has one-leaf sets only.
//! Bound: depth is at most 27 (26 bits of block number), so the recursion here is bounded by the
//! width of an index and never by the size of a term.

use crate::node::Symbol;
use hashbrown::HashTable;
use rustc_hash::{FxHashSet, FxHasher};
use std::collections::BTreeMap;
use std::hash::Hasher;

/// An interned set of symbols. Equal sets of one pool have equal handles.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct SymbolSet(pub(crate) u32);

impl SymbolSet {
    /// The set without elements.
    pub const EMPTY: SymbolSet = SymbolSet(0);

    /// Has the set no elements?
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Leaf (`bit` = 0): `payload` is the bitmap of block `prefix`. Branch: `bit` is the highest bit in
/// which the blocks below differ, `prefix` the bits above it, `payload` the two halves.
#[derive(Clone, Copy, PartialEq, Eq)]
struct SetNode {
    prefix: u32,
    bit: u32,
    payload: u64,
}

impl SetNode {
    fn hash(&self) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write_u64(self.prefix as u64 | (self.bit as u64) << 32);
        hasher.write_u64(self.payload);
        hasher.finish()
    }

    #[inline]
    fn low(&self) -> u32 {
        self.payload as u32
    }

    #[inline]
    fn high(&self) -> u32 {
        (self.payload >> 32) as u32
    }

    /// Does `block` agree with the prefix of this branch?
    #[inline]
    fn covers(&self, block: u32) -> bool {
        block & !(self.bit | (self.bit - 1)) == self.prefix
    }
}

const MEMO: usize = 4096;

/// The store of all sets of a pool.
pub(crate) struct SymbolSets {
    nodes: Vec<SetNode>,
    table: HashTable<u32>,
    /// Direct-mapped memo of unions.
    memo: Vec<(u32, u32, u32)>,
}

impl SymbolSets {
    pub fn new() -> SymbolSets {
        SymbolSets {
            nodes: vec![SetNode {
                prefix: 0,
                bit: 0,
                payload: 0,
            }],
            table: HashTable::new(),
            memo: vec![(0, 0, 0); MEMO],
        }
    }

    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<SetNode>() + self.table.capacity() * 5 + MEMO * 12
    }

    fn intern(&mut self, node: SetNode) -> u32 {
        let hash = node.hash();
        if let Some(&id) = self.table.find(hash, |&i| self.nodes[i as usize] == node) {
            return id;
        }
        let id = self.nodes.len() as u32;
        self.nodes.push(node);
        let nodes = &self.nodes;
        self.table
            .insert_unique(hash, id, |&i| nodes[i as usize].hash());
        id
    }

    pub fn singleton(&mut self, symbol: Symbol) -> SymbolSet {
        SymbolSet(self.intern(SetNode {
            prefix: symbol.0 >> 6,
            bit: 0,
            payload: 1 << (symbol.0 & 63),
        }))
    }

    /// The only element of a one-element set.
    #[inline]
    pub fn single(&self, set: SymbolSet) -> Option<Symbol> {
        let node = &self.nodes[set.0 as usize];
        (node.bit == 0 && node.payload.is_power_of_two())
            .then(|| Symbol(node.prefix << 6 | node.payload.trailing_zeros()))
    }

    #[inline]
    pub fn union(&mut self, a: SymbolSet, b: SymbolSet) -> SymbolSet {
        if a == b || b.is_empty() {
            return a;
        }
        if a.is_empty() {
            return b;
        }
        SymbolSet(self.join(a.0.min(b.0), a.0.max(b.0)))
    }

    fn join(&mut self, a: u32, b: u32) -> u32 {
        if a == b {
            return a;
        }
        let slot =
            (a.wrapping_mul(0x9e37_79b1) ^ b.wrapping_mul(0x85eb_ca6b)) as usize >> 7 & (MEMO - 1);
        if self.memo[slot].0 == a && self.memo[slot].1 == b {
            return self.memo[slot].2;
        }
        let (left, right) = (self.nodes[a as usize], self.nodes[b as usize]);
        let joined = if left.bit == 0 && right.bit == 0 && left.prefix == right.prefix {
            self.intern(SetNode {
                payload: left.payload | right.payload,
                ..left
            })
        } else if left.bit > right.bit && left.covers(right.prefix) {
            self.descend(left, b)
        } else if right.bit > left.bit && right.covers(left.prefix) {
            self.descend(right, a)
        } else if left.bit == right.bit && left.prefix == right.prefix {
            let low = self.join(left.low(), right.low());
            let high = self.join(left.high(), right.high());
            self.branch(left, low, high)
        } else {
            let bit = 1 << (31 - (left.prefix ^ right.prefix).leading_zeros());
            let frame = SetNode {
                prefix: left.prefix & !(bit | (bit - 1)),
                bit,
                payload: 0,
            };
            if left.prefix & bit == 0 {
                self.branch(frame, a, b)
            } else {
                self.branch(frame, b, a)
            }
        };
        self.memo[slot] = (a, b, joined);
        joined
    }

    /// Joins set `other`, which lies wholly below `node`, into the half it belongs to.
    fn descend(&mut self, node: SetNode, other: u32) -> u32 {
        let (mut low, mut high) = (node.low(), node.high());
        if self.nodes[other as usize].prefix & node.bit == 0 {
            low = self.join(low, other);
        } else {
            high = self.join(high, other);
        }
        self.branch(node, low, high)
    }

    fn branch(&mut self, frame: SetNode, low: u32, high: u32) -> u32 {
        self.intern(SetNode {
            payload: low as u64 | (high as u64) << 32,
            ..frame
        })
    }

    pub fn contains(&self, set: SymbolSet, symbol: Symbol) -> bool {
        let block = symbol.0 >> 6;
        let mut node = &self.nodes[set.0 as usize];
        while node.bit != 0 {
            if !node.covers(block) {
                return false;
            }
            let next = if block & node.bit == 0 {
                node.low()
            } else {
                node.high()
            };
            node = &self.nodes[next as usize];
        }
        node.prefix == block && node.payload >> (symbol.0 & 63) & 1 == 1
    }

    /// Is there a common element?
    pub fn intersects(&self, a: SymbolSet, b: SymbolSet) -> bool {
        if a.is_empty() || b.is_empty() {
            return false;
        }
        let mut work = Fixed::new();
        work.push((a.0, b.0));
        while let Some((a, b)) = work.pop() {
            if a == b {
                return true;
            }
            let (left, right) = (&self.nodes[a as usize], &self.nodes[b as usize]);
            if left.bit == 0 && right.bit == 0 {
                if left.prefix == right.prefix && left.payload & right.payload != 0 {
                    return true;
                }
            } else if left.bit > right.bit {
                if left.covers(right.prefix) {
                    let half = if right.prefix & left.bit == 0 {
                        left.low()
                    } else {
                        left.high()
                    };
                    work.push((half, b));
                }
            } else if right.bit > left.bit {
                if right.covers(left.prefix) {
                    let half = if left.prefix & right.bit == 0 {
                        right.low()
                    } else {
                        right.high()
                    };
                    work.push((half, a));
                }
            } else if left.prefix == right.prefix {
                work.push((left.low(), right.low()));
                work.push((left.high(), right.high()));
            }
        }
        false
    }

    /// Is every element of `a` in `b`?
    pub fn is_subset(&mut self, a: SymbolSet, b: SymbolSet) -> bool {
        self.union(a, b) == b
    }

    pub fn len(&self, set: SymbolSet) -> usize {
        let mut count = 0;
        self.leaves(set, &mut |_, bits| count += bits.count_ones() as usize);
        count
    }

    fn leaves(&self, set: SymbolSet, visit: &mut dyn FnMut(u32, u64)) {
        let mut work = Fixed::new();
        work.push((set.0, 0));
        while let Some((id, _)) = work.pop() {
            let node = &self.nodes[id as usize];
            if node.bit == 0 {
                visit(node.prefix, node.payload);
            } else {
                work.push((node.high(), 0));
                work.push((node.low(), 0));
            }
        }
    }

    pub fn iter(&self, set: SymbolSet) -> SymbolIter<'_> {
        let mut work = Fixed::new();
        work.push((set.0, 0));
        SymbolIter {
            sets: self,
            work,
            block: 0,
            bits: 0,
        }
    }

    /// The elements of some sets, ascending. What the sets share is looked at once, so that this takes the number of
    /// their nodes and not the sum of their sizes.
    pub fn elements(&self, sets: impl Iterator<Item = SymbolSet>) -> Vec<Symbol> {
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let mut blocks: BTreeMap<u32, u64> = BTreeMap::new();
        for set in sets {
            let mut work = Fixed::new();
            work.push((set.0, 0));
            while let Some((id, _)) = work.pop() {
                if !seen.insert(id) {
                    continue;
                }
                let node = &self.nodes[id as usize];
                if node.bit == 0 {
                    *blocks.entry(node.prefix).or_default() |= node.payload;
                } else {
                    work.push((node.high(), 0));
                    work.push((node.low(), 0));
                }
            }
        }
        let blocks = blocks.into_iter();
        blocks
            .flat_map(|(block, bits)| symbols_of(block, bits))
            .collect()
    }

    /// The elements of `a` that are not in `b`, ascending, without a look at what the sets share.
    pub fn difference(&self, a: SymbolSet, b: SymbolSet) -> Vec<Symbol> {
        let mut found = Vec::new();
        let mut work = Fixed::new();
        work.push((a.0, b.0));
        while let Some((a, b)) = work.pop() {
            if a == b {
                continue;
            }
            let (left, right) = (&self.nodes[a as usize], &self.nodes[b as usize]);
            if left.bit > right.bit {
                // `b` lies in one half of `a`, or outside of it.
                let is_in =
                    |half: u32| left.covers(right.prefix) && (right.prefix & left.bit) == half;
                work.push((left.high(), if is_in(left.bit) { b } else { 0 }));
                work.push((left.low(), if is_in(0) { b } else { 0 }));
            } else if right.bit > left.bit {
                let half = match right.covers(left.prefix) {
                    true if left.prefix & right.bit == 0 => right.low(),
                    true => right.high(),
                    false => 0,
                };
                work.push((a, half));
            } else if left.bit == 0 {
                let common = if left.prefix == right.prefix {
                    right.payload
                } else {
                    0
                };
                found.extend(symbols_of(left.prefix, left.payload & !common));
            } else if left.prefix == right.prefix {
                work.push((left.high(), right.high()));
                work.push((left.low(), right.low()));
            } else {
                work.push((a, 0));
            }
        }
        found
    }

    /// Copies `set` into `target` (for compaction); `moved` remembers what has been copied.
    pub fn copy_into(
        &self,
        set: SymbolSet,
        target: &mut SymbolSets,
        moved: &mut Vec<u32>,
    ) -> SymbolSet {
        moved.resize(self.nodes.len(), 0);
        SymbolSet(self.copy(set.0, target, moved))
    }

    fn copy(&self, id: u32, target: &mut SymbolSets, moved: &mut [u32]) -> u32 {
        if id == 0 || moved[id as usize] != 0 {
            return moved[id as usize];
        }
        let mut node = self.nodes[id as usize];
        if node.bit != 0 {
            let low = self.copy(node.low(), target, moved);
            let high = self.copy(node.high(), target, moved);
            node.payload = low as u64 | (high as u64) << 32;
        }
        moved[id as usize] = target.intern(node);
        moved[id as usize]
    }
}

/// The symbols of a leaf.
fn symbols_of(block: u32, bits: u64) -> impl Iterator<Item = Symbol> {
    (0..64)
        .filter(move |bit| bits >> bit & 1 == 1)
        .map(move |bit| Symbol(block << 6 | bit))
}

/// A stack deep enough for any walk of a trie: one entry for each level and one more.
struct Fixed {
    items: [(u32, u32); 64],
    len: usize,
}

impl Fixed {
    fn new() -> Fixed {
        Fixed {
            items: [(0, 0); 64],
            len: 0,
        }
    }

    fn push(&mut self, item: (u32, u32)) {
        self.items[self.len] = item;
        self.len += 1;
    }

    fn pop(&mut self) -> Option<(u32, u32)> {
        self.len = self.len.checked_sub(1)?;
        Some(self.items[self.len])
    }
}

/// The symbols of a set in ascending order.
pub struct SymbolIter<'a> {
    sets: &'a SymbolSets,
    work: Fixed,
    block: u32,
    bits: u64,
}

impl Iterator for SymbolIter<'_> {
    type Item = Symbol;

    fn next(&mut self) -> Option<Symbol> {
        while self.bits == 0 {
            let (id, _) = self.work.pop()?;
            let node = &self.sets.nodes[id as usize];
            if node.bit == 0 {
                (self.block, self.bits) = (node.prefix, node.payload);
            } else {
                self.work.push((node.high(), 0));
                self.work.push((node.low(), 0));
            }
        }
        let lowest = self.bits.trailing_zeros();
        self.bits &= self.bits - 1;
        Some(Symbol(self.block << 6 | lowest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn build(sets: &mut SymbolSets, items: &BTreeSet<u32>, rotate: usize) -> SymbolSet {
        let items: Vec<u32> = items.iter().copied().collect();
        let mut set = SymbolSet::EMPTY;
        for k in 0..items.len() {
            let one = sets.singleton(Symbol(items[(k + rotate) % items.len()]));
            set = sets.union(set, one);
        }
        set
    }

    #[test]
    fn sets_agree_with_btree_sets() {
        let mut sets = SymbolSets::new();
        let mut generator = testkit::Random::new(12345);
        let mut random = |n: u64| generator.below(n);
        for round in 0..200 {
            let spread = [70, 1000, 1 << 20, 1 << 31][round % 4];
            let size = random(40) + 1;
            let a: BTreeSet<u32> = (0..size).map(|_| random(spread) as u32).collect();
            let b: BTreeSet<u32> = (0..random(40) + 1).map(|_| random(spread) as u32).collect();
            let (x, y) = (build(&mut sets, &a, 0), build(&mut sets, &b, 0));
            assert_eq!(
                x,
                build(&mut sets, &a, 3),
                "order of insertion does not matter"
            );
            let union = sets.union(x, y);
            let expected: Vec<u32> = a.union(&b).copied().collect();
            let got: Vec<u32> = sets.iter(union).map(|s| s.0).collect();
            assert_eq!(got, expected);
            assert_eq!(sets.len(union), expected.len());
            assert_eq!(sets.intersects(x, y), a.intersection(&b).next().is_some());
            assert_eq!(sets.is_subset(x, y), a.is_subset(&b));
            let expected: Vec<u32> = a.difference(&b).copied().collect();
            let got: Vec<u32> = sets.difference(x, y).iter().map(|s| s.0).collect();
            assert_eq!(got, expected);
            assert_eq!(sets.difference(union, y).len(), expected.len());
            let expected: Vec<u32> = a.union(&b).copied().collect();
            let all = sets.elements([x, y, x].into_iter());
            assert_eq!(all.iter().map(|s| s.0).collect::<Vec<_>>(), expected);
            assert!(sets.is_subset(x, union) && sets.is_subset(y, union));
            for probe in a.iter().chain(&b) {
                assert_eq!(sets.contains(x, Symbol(*probe)), a.contains(probe));
            }
            assert_eq!(sets.single(x).is_some(), a.len() == 1);
            let mut copy = SymbolSets::new();
            let moved = sets.copy_into(union, &mut copy, &mut Vec::new());
            assert_eq!(copy.iter(moved).map(|s| s.0).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_growing_chain_stays_small() {
        let mut sets = SymbolSets::new();
        let mut set = SymbolSet::EMPTY;
        for k in 0..20_000 {
            let one = sets.singleton(Symbol(k));
            set = sets.union(set, one);
        }
        assert_eq!(sets.len(set), 20_000);
        assert!(sets.nodes.len() < 20_000 * 12);
    }
}
