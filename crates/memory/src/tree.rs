//! A persistent radix tree: `clone` is one reference count, a change copies the path to it.
//!
//! Keys are dense from 0 in each region of the address space, so the tree is as high as the
//! largest key needs and grows at the root. Fan-out 16 keeps the copied path short (two or three
//! nodes of 16 pointers for the programs seen).

use std::cell::Cell;
use std::rc::Rc;

const BITS: u32 = 4;
const FAN: usize = 1 << BITS;

enum Kids<T> {
    Inner([Option<Rc<Subtree<T>>>; FAN]),
    Leaves([Option<Rc<T>>; FAN]),
}

struct Subtree<T> {
    kids: Kids<T>,
    /// The last collection that visited the node: shared subtrees are visited once.
    stamp: Cell<u64>,
}

impl<T> Clone for Subtree<T> {
    fn clone(&self) -> Subtree<T> {
        let kids = match &self.kids {
            Kids::Inner(kids) => Kids::Inner(kids.clone()),
            Kids::Leaves(leaves) => Kids::Leaves(leaves.clone()),
        };
        Subtree {
            kids,
            stamp: self.stamp.clone(),
        }
    }
}

impl<T> Subtree<T> {
    fn inner() -> Subtree<T> {
        Subtree {
            kids: Kids::Inner(Default::default()),
            stamp: Cell::new(0),
        }
    }

    fn leaves() -> Subtree<T> {
        Subtree {
            kids: Kids::Leaves(Default::default()),
            stamp: Cell::new(0),
        }
    }
}

/// Persistent map from small dense keys to `Rc<T>`.
pub(crate) struct Tree<T> {
    root: Option<Rc<Subtree<T>>>,
    /// Levels of nodes; keys are below `FAN ^ height`.
    height: u32,
}

impl<T> Clone for Tree<T> {
    #[inline]
    fn clone(&self) -> Tree<T> {
        Tree {
            root: self.root.clone(),
            height: self.height,
        }
    }
}

impl<T> Tree<T> {
    pub const fn new() -> Tree<T> {
        Tree {
            root: None,
            height: 0,
        }
    }

    #[inline]
    fn fits(&self, key: u64) -> bool {
        let bits = self.height * BITS;
        bits >= 64 || key >> bits == 0
    }

    #[inline]
    pub fn get(&self, key: u64) -> Option<&Rc<T>> {
        if !self.fits(key) {
            return None;
        }
        let mut node = self.root.as_deref()?;
        let mut shift = self.height * BITS;
        loop {
            shift -= BITS;
            let slot = (key >> shift) as usize % FAN;
            match &node.kids {
                Kids::Inner(kids) => node = kids[slot].as_deref()?,
                Kids::Leaves(leaves) => return leaves[slot].as_ref(),
            }
        }
    }

    /// The slot of `key`, with the path to it made this tree's own. Call it only to fill the slot
    /// or to change what is in it.
    pub fn slot(&mut self, key: u64) -> &mut Option<Rc<T>> {
        while self.root.is_none() || !self.fits(key) {
            self.root = Some(match self.root.take() {
                None => Rc::new(Subtree::leaves()),
                Some(old) => {
                    let mut kids: [Option<Rc<Subtree<T>>>; FAN] = Default::default();
                    kids[0] = Some(old);
                    Rc::new(Subtree {
                        kids: Kids::Inner(kids),
                        stamp: Cell::new(0),
                    })
                }
            });
            self.height += 1;
        }
        let mut shift = self.height * BITS;
        let mut node = Rc::make_mut(self.root.as_mut().expect("the root was just made"));
        loop {
            shift -= BITS;
            let slot = (key >> shift) as usize % FAN;
            match &mut node.kids {
                Kids::Inner(kids) => {
                    let kid = kids[slot].get_or_insert_with(|| {
                        Rc::new(if shift == BITS {
                            Subtree::leaves()
                        } else {
                            Subtree::inner()
                        })
                    });
                    node = Rc::make_mut(kid);
                }
                Kids::Leaves(leaves) => return &mut leaves[slot],
            }
        }
    }

    /// Removes the keys `from..to`, whole subtrees at a time.
    pub fn remove_range(&mut self, from: u64, to: u64) {
        let mut key = from;
        while key < to && self.fits(key) {
            // Find the highest subtree that is absent or inside the range.
            let Some(mut node) = self.root.as_deref() else {
                return;
            };
            let mut shift = self.height * BITS;
            let mut found = None;
            while found.is_none() {
                shift -= BITS;
                let slot = (key >> shift) as usize % FAN;
                let whole = key.is_multiple_of(1u64 << shift) && (1u64 << shift) <= to - key;
                match &node.kids {
                    Kids::Inner(kids) => match kids[slot].as_deref() {
                        None => found = Some(false),
                        Some(_) if whole => found = Some(true),
                        Some(kid) => node = kid,
                    },
                    Kids::Leaves(leaves) => found = Some(leaves[slot].is_some()),
                }
            }
            if found == Some(true) {
                self.remove_subtree(key, shift);
                self.prune(key, shift);
            }
            match ((key >> shift) + 1).checked_mul(1 << shift) {
                Some(next) => key = next,
                None => return,
            }
        }
    }

    /// Removes the nodes above `key` that became empty, beginning with the one whose kids cover
    /// `1 << shift` keys each.
    fn prune(&mut self, key: u64, shift: u32) {
        let mut shift = shift + BITS;
        while shift < self.height * BITS && self.is_empty_below(key, shift) {
            self.remove_subtree(key, shift);
            shift += BITS;
        }
    }

    /// Is the node for the `1 << shift` keys around `key` there and empty?
    fn is_empty_below(&self, key: u64, shift: u32) -> bool {
        let Some(mut node) = self.root.as_deref() else {
            return false;
        };
        let mut at = self.height * BITS;
        while at > shift {
            at -= BITS;
            let Kids::Inner(kids) = &node.kids else {
                return false;
            };
            match kids[(key >> at) as usize % FAN].as_deref() {
                Some(kid) => node = kid,
                None => return false,
            }
        }
        match &node.kids {
            Kids::Inner(kids) => kids.iter().all(Option::is_none),
            Kids::Leaves(leaves) => leaves.iter().all(Option::is_none),
        }
    }

    fn remove_subtree(&mut self, key: u64, at_shift: u32) {
        let mut shift = self.height * BITS;
        let mut node = Rc::make_mut(self.root.as_mut().expect("the caller found the subtree"));
        loop {
            shift -= BITS;
            let slot = (key >> shift) as usize % FAN;
            match &mut node.kids {
                Kids::Inner(kids) if shift == at_shift => {
                    kids[slot] = None;
                    return;
                }
                Kids::Inner(kids) => {
                    node = Rc::make_mut(kids[slot].as_mut().expect("the caller found the subtree"));
                }
                Kids::Leaves(leaves) => {
                    leaves[slot] = None;
                    return;
                }
            }
        }
    }

    /// Visits leaves and, through `enter`, nodes: `enter` gets a node's stamp, its size and
    /// whether others share it, and says whether to go below.
    pub fn walk(
        &self,
        enter: &mut dyn FnMut(&Cell<u64>, usize, bool) -> bool,
        leaf: &mut dyn FnMut(&Rc<T>, bool),
    ) {
        let mut todo: Vec<(&Rc<Subtree<T>>, bool)> =
            self.root.iter().map(|root| (root, false)).collect();
        while let Some((node, shared)) = todo.pop() {
            let shared = shared || Rc::strong_count(node) > 1;
            if !enter(&node.stamp, std::mem::size_of::<Subtree<T>>() + 16, shared) {
                continue;
            }
            match &node.kids {
                Kids::Inner(kids) => todo.extend(kids.iter().flatten().map(|kid| (kid, shared))),
                Kids::Leaves(leaves) => {
                    for rc in leaves.iter().flatten() {
                        leaf(rc, shared || Rc::strong_count(rc) > 1);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn content(tree: &Tree<u64>, upto: u64) -> Vec<u64> {
        (0..upto)
            .filter(|&key| tree.get(key).is_some_and(|value| **value == key))
            .collect()
    }

    #[test]
    fn versions_are_independent() {
        let mut versions: Vec<(Tree<u64>, BTreeMap<u64, ()>)> =
            vec![(Tree::new(), BTreeMap::new())];
        let mut generator = testkit::Random::new(1);
        let mut random = || generator.next() >> 33;
        for _ in 0..300 {
            let at = random() as usize % versions.len();
            let (mut tree, mut model) = versions[at].clone();
            for _ in 0..8 {
                let key = random() % 5000;
                if random() % 4 == 0 {
                    let end = key + random() % 700;
                    tree.remove_range(key, end);
                    model.retain(|&k, _| k < key || k >= end);
                } else {
                    *tree.slot(key) = Some(Rc::new(key));
                    model.insert(key, ());
                }
            }
            versions.push((tree, model));
        }
        for (tree, model) in &versions {
            assert_eq!(
                content(tree, 6000),
                model.keys().copied().collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn empty_nodes_go() {
        let mut tree = Tree::new();
        for key in 0..10_000u64 {
            *tree.slot(key) = Some(Rc::new(key));
        }
        for key in (0..9_990).step_by(10) {
            tree.remove_range(key, key + 10);
        }
        let mut nodes = 0;
        let mut leaves = 0;
        tree.walk(
            &mut |_, _, _| {
                nodes += 1;
                true
            },
            &mut |_, _| leaves += 1,
        );
        assert_eq!((nodes, leaves), (4, 10));
    }

    #[test]
    fn far_keys() {
        let mut tree = Tree::new();
        let far = (1u64 << 37) - 1;
        *tree.slot(far) = Some(Rc::new(far));
        *tree.slot(0) = Some(Rc::new(0));
        assert_eq!(tree.get(far).map(|v| **v), Some(far));
        assert!(tree.get(far - 1).is_none() && tree.get(1 << 60).is_none());
        tree.remove_range(1, far);
        assert!(tree.get(far).is_some() && tree.get(0).is_some());
        tree.remove_range(0, 1 << 40);
        assert!(tree.get(far).is_none() && tree.get(0).is_none());
    }
}
