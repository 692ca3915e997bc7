//! A random walk from the root of the process tree (KLEE, OSDI 2008, section 3.4).
//!
//! Inner nodes are forks, leaves are live states; each fork on the way takes either side with
//! probability 1/2, so states high in the tree are preferred and a loop that forks at every turn
//! does not crowd out the rest. When a state ends, its parent node is spliced out. This changes no
//! probability, and since every inner node then has two sides, the expected length of a walk is the
//! entropy of the leaves' distribution: at most log2 of the number of live states.
//!
//! A state that comes without the one that it forked from (it was spilled, pruned, parked, or is another worker's) gets a
//! place by its depth: a walk from the root ends where the forks are as many as on its path, and there it is a side of a
//! fork. So shallow states stay likely and deep ones unlikely.

use crate::{Fresh, Metrics, Needs, Searcher, StateId, state_map::StateMap};
use fastrand::Rng;

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
enum NodeKind {
    Leaf(StateId),
    Inner([u32; 2]),
    Free,
}

#[derive(Clone, Copy, Debug)]
struct TreeNode {
    parent: u32,
    kind: NodeKind,
    /// Of an inner node: forks on the path, this one with them.
    depth: u32,
}

/// See the module.
#[derive(Debug)]
pub struct RandomPath {
    nodes: Vec<TreeNode>,
    free: Vec<u32>,
    root: u32,
    leaf_of: StateMap<u32>,
    rng: Rng,
    operations: u64,
}

impl RandomPath {
    /// A searcher without states.
    pub fn new(seed: u64) -> RandomPath {
        RandomPath {
            nodes: Vec::new(),
            free: Vec::new(),
            root: NONE,
            leaf_of: StateMap::default(),
            rng: Rng::with_seed(seed),
            operations: 0,
        }
    }

    fn node(&mut self, kind: NodeKind, depth: u32) -> u32 {
        let node = TreeNode {
            parent: NONE,
            kind,
            depth,
        };
        if let Some(at) = self.free.pop() {
            self.nodes[at as usize] = node;
            return at;
        }
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Puts `new` where `old` hangs.
    fn replace(&mut self, old: u32, new: u32) {
        let parent = self.nodes[old as usize].parent;
        if parent == NONE {
            self.root = new;
        } else if let NodeKind::Inner(sides) = &mut self.nodes[parent as usize].kind {
            for side in sides.iter_mut().filter(|s| **s == old) {
                *side = new;
            }
        }
        self.nodes[new as usize].parent = parent;
    }

    /// A side of a random one of the forks that come after as many others as a state's path has.
    fn place(&mut self, depth: u32) -> u32 {
        let mut at = self.root;
        while let Some(TreeNode {
            kind: NodeKind::Inner(sides),
            depth: forks,
            ..
        }) = self.nodes.get(at as usize)
            && *forks < depth
        {
            self.operations += 1;
            let side = usize::from(self.rng.bool());
            // A live state is nobody's ancestor: rather on to further forks.
            let is_leaf = |at: u32| matches!(self.nodes[at as usize].kind, NodeKind::Leaf(_));
            at = if is_leaf(sides[side]) {
                sides[1 - side]
            } else {
                sides[side]
            };
        }
        at
    }

    fn release(&mut self, at: u32) {
        self.nodes[at as usize].kind = NodeKind::Free;
        self.free.push(at);
    }
}

impl Searcher for RandomPath {
    fn add(&mut self, id: StateId, parent: Option<StateId>, m: &Metrics) {
        self.operations += 1;
        if self.leaf_of.contains(id) {
            return;
        }
        let leaf = self.node(NodeKind::Leaf(id), 0);
        self.leaf_of.insert(id, leaf);
        let beside = match parent.and_then(|p| self.leaf_of.get(p).copied()) {
            Some(parent) => parent,
            None => self.place(m.depth),
        };
        if beside == NONE {
            self.root = leaf;
            return;
        }
        let inner = self.node(NodeKind::Inner([beside, leaf]), m.depth);
        self.replace(beside, inner);
        self.nodes[beside as usize].parent = inner;
        self.nodes[leaf as usize].parent = inner;
    }

    fn update(&mut self, _id: StateId, _m: &Metrics) {}

    fn remove(&mut self, id: StateId) {
        self.operations += 1;
        let Some(leaf) = self.leaf_of.remove(id) else {
            return;
        };
        let parent = self.nodes[leaf as usize].parent;
        if parent == NONE {
            self.root = NONE;
        } else if let NodeKind::Inner([left, right]) = self.nodes[parent as usize].kind {
            let sibling = if left == leaf { right } else { left };
            self.replace(parent, sibling);
            self.release(parent);
        }
        self.release(leaf);
    }

    fn select(&mut self, _fresh: Fresh<'_>) -> Option<StateId> {
        let mut at = self.root;
        let (mut bits, mut left) = (0, 0);
        loop {
            self.operations += 1;
            match self.nodes.get(at as usize)?.kind {
                NodeKind::Leaf(id) => return Some(id),
                NodeKind::Free => return None,
                NodeKind::Inner(sides) => {
                    if left == 0 {
                        (bits, left) = (self.rng.u64(..), 64);
                    }
                    at = sides[(bits & 1) as usize];
                    bits >>= 1;
                    left -= 1;
                }
            }
        }
    }

    /// The deepest leaves: the walk reaches them least often.
    fn worst(&mut self, n: usize) -> Vec<StateId> {
        let mut leaves = Vec::with_capacity(self.leaf_of.len());
        let mut open = vec![(self.root, 0u32)];
        while let Some((at, depth)) = open.pop() {
            match self.nodes.get(at as usize).map(|n| n.kind) {
                Some(NodeKind::Leaf(id)) => leaves.push((depth, id)),
                Some(NodeKind::Inner(sides)) => open.extend(sides.map(|s| (s, depth + 1))),
                Some(NodeKind::Free) | None => {}
            }
        }
        leaves.sort_by_key(|(depth, id)| (std::cmp::Reverse(*depth), *id));
        leaves.into_iter().take(n).map(|(_, id)| id).collect()
    }

    fn len(&self) -> usize {
        self.leaf_of.len()
    }

    fn name(&self) -> String {
        "random-path".into()
    }

    fn needs(&self) -> Needs {
        Needs::NONE
    }

    fn operations(&self) -> u64 {
        self.operations
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(s: &mut RandomPath, id: u32) -> f64 {
        let m = Metrics::default();
        let hits = (0..8000)
            .filter(|_| s.select(&mut |_| m) == Some(StateId(id)))
            .count();
        hits as f64 / 8000.0
    }

    #[test]
    fn states_of_unknown_origin_stand_by_their_depth() {
        let at = |depth| Metrics {
            depth,
            ..Metrics::default()
        };
        let mut s = RandomPath::new(7);
        s.add(StateId(0), None, &at(0));
        for id in 1..40 {
            s.add(StateId(id), Some(StateId(id - 1)), &at(id)); // a chain
        }
        s.add(StateId(100), None, &at(2));
        s.add(StateId(101), None, &at(30));
        let shares = [share(&mut s, 100), share(&mut s, 101)];
        assert!(shares[0] > 0.1 && shares[1] < 0.05, "{shares:?}");
        // Whoever comes later takes nothing from those who came before.
        s.add(StateId(102), None, &at(30));
        assert!((share(&mut s, 100) - shares[0]).abs() < 0.03);
    }

    #[test]
    fn probability_halves_at_each_fork_and_removal_splices() {
        let m = Metrics::default();
        let mut s = RandomPath::new(5);
        s.add(StateId(0), None, &m);
        s.add(StateId(1), Some(StateId(0)), &m); // (0 1)
        s.add(StateId(2), Some(StateId(0)), &m); // ((0 2) 1)
        s.add(StateId(3), Some(StateId(2)), &m); // ((0 (2 3)) 1)
        for (id, p) in [(1, 0.5), (0, 0.25), (2, 0.125), (3, 0.125)] {
            assert!((share(&mut s, id) - p).abs() < 0.03, "{id}");
        }
        assert_eq!(s.worst(2), [StateId(2), StateId(3)]);
        s.remove(StateId(0)); // ((2 3) 1)
        assert!((share(&mut s, 3) - 0.25).abs() < 0.03);
        s.remove(StateId(1)); // (2 3)
        assert!((share(&mut s, 3) - 0.5).abs() < 0.03);
        s.remove(StateId(2));
        s.remove(StateId(3));
        assert_eq!(s.select(&mut |_| m), None);
        assert_eq!(s.nodes.len(), s.free.len());
    }
}
