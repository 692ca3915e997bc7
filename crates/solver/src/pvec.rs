//! A persistent vector: cloned by one reference count, changed by copying one path.
//!
//! A radix trie of fan-out 16 (Bagwell's vector, as in Clojure). States fork far more often than
//! they change an entry, and mostly change what they alone own, so writes go through
//! `Rc::make_mut`: in place when unshared, a copy of one node per level otherwise.

use rustc_hash::FxHashSet;
use std::rc::Rc;

const BITS: u32 = 4;
const FAN: usize = 1 << BITS;

#[derive(Clone)]
enum Trie<T> {
    Branch([Option<Rc<Trie<T>>>; FAN]),
    Leaf([T; FAN]),
}

impl<T: Default> Trie<T> {
    fn empty(level: u32) -> Trie<T> {
        if level == 0 {
            Trie::Leaf(std::array::from_fn(|_| T::default()))
        } else {
            Trie::Branch(std::array::from_fn(|_| None))
        }
    }
}

/// The vector; entries that were never written read as absent.
#[derive(Clone)]
pub struct PVec<T> {
    root: Option<Rc<Trie<T>>>,
    /// Levels above the leaves.
    height: u32,
}

impl<T> Default for PVec<T> {
    fn default() -> Self {
        PVec {
            root: None,
            height: 0,
        }
    }
}

impl<T: Clone + Default> PVec<T> {
    /// The entry at `i`, if its leaf exists.
    #[inline]
    pub fn get(&self, i: usize) -> Option<&T> {
        if i >> (BITS * (self.height + 1)) != 0 {
            return None;
        }
        let mut node = self.root.as_deref()?;
        let mut level = self.height;
        loop {
            let slot = (i >> (BITS * level)) & (FAN - 1);
            match node {
                Trie::Leaf(items) => return Some(&items[slot]),
                Trie::Branch(children) => node = children[slot].as_deref()?,
            }
            level -= 1;
        }
    }

    /// The entry at `i` for writing; made (with defaults) when absent.
    pub fn get_mut(&mut self, i: usize) -> &mut T {
        while i >> (BITS * (self.height + 1)) != 0 {
            if let Some(root) = self.root.take() {
                let mut children = std::array::from_fn(|_| None);
                children[0] = Some(root);
                self.root = Some(Rc::new(Trie::Branch(children)));
            }
            self.height += 1;
        }
        let mut level = self.height;
        let mut node = self.root.get_or_insert_with(|| Rc::new(Trie::empty(level)));
        loop {
            let slot = (i >> (BITS * level)) & (FAN - 1);
            match Rc::make_mut(node) {
                Trie::Leaf(items) => return &mut items[slot],
                Trie::Branch(children) => {
                    level -= 1;
                    node = children[slot].get_or_insert_with(|| Rc::new(Trie::empty(level)));
                }
            }
        }
    }

    /// Do all entries of leaves that exist pass? Stops at the first one that does not.
    pub fn all(&self, mut pass: impl FnMut(usize, &T) -> bool) -> bool {
        let mut stack: Vec<(usize, &Rc<Trie<T>>)> =
            self.root.iter().map(|root| (0, root)).collect();
        while let Some((at, node)) = stack.pop() {
            match &**node {
                Trie::Leaf(items) => {
                    let mut items = items.iter().enumerate();
                    if !items.all(|(k, item)| pass(at * FAN + k, item)) {
                        return false;
                    }
                }
                Trie::Branch(children) => {
                    let children = children.iter().enumerate();
                    let present = children.filter_map(|(k, c)| Some((at * FAN + k, c.as_ref()?)));
                    stack.extend(present);
                }
            }
        }
        true
    }

    /// Shows each leaf that `seen` does not hold yet (leaves are shared between vectors).
    pub fn visit_leaves(&self, seen: &mut FxHashSet<usize>, visit: &mut dyn FnMut(&T)) {
        let mut stack: Vec<&Rc<Trie<T>>> = self.root.iter().collect();
        while let Some(node) = stack.pop() {
            if !seen.insert(Rc::as_ptr(node) as usize) {
                continue;
            }
            match &**node {
                Trie::Leaf(items) => items.iter().for_each(&mut *visit),
                Trie::Branch(children) => stack.extend(children.iter().flatten()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_do_not_see_each_other() {
        let mut a: PVec<u32> = PVec::default();
        for i in 0..5000 {
            *a.get_mut(i) = i as u32 + 1;
        }
        let mut b = a.clone();
        *b.get_mut(77) = 0;
        *b.get_mut(100_000) = 9;
        assert_eq!(a.get(77), Some(&78));
        assert_eq!(a.get(100_000), None);
        assert_eq!(b.get(77), Some(&0));
        assert_eq!(b.get(100_000), Some(&9));
        assert!((0..5000).filter(|&i| i != 77).all(|i| b.get(i) == a.get(i)));
    }

    #[test]
    fn entries_are_met_with_their_places() {
        let mut a: PVec<usize> = PVec::default();
        for i in (0..5000).step_by(7) {
            *a.get_mut(i) = i;
        }
        let mut met = 0;
        assert!(a.all(|i, &x| {
            met += usize::from(x != 0);
            x == 0 || x == i
        }));
        assert_eq!(met, 4999 / 7);
        assert!(!a.all(|_, &x| x != 700));
    }

    #[test]
    fn shared_leaves_are_visited_once() {
        let mut a: PVec<u32> = PVec::default();
        for i in 0..64 {
            *a.get_mut(i) = 1;
        }
        let mut b = a.clone();
        *b.get_mut(3) = 5;
        let mut seen = FxHashSet::default();
        let mut sum = 0;
        a.visit_leaves(&mut seen, &mut |x| sum += x);
        b.visit_leaves(&mut seen, &mut |x| sum += x);
        assert_eq!(sum, 64 + 15 + 5);
    }
}
