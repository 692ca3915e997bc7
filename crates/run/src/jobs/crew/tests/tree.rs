//! What the workers of a test explore: a tree of paths. A node is the way to it, and its bytes are its prefix.

use explore::Place;
use std::collections::BTreeMap;

pub type Node = Vec<u8>;

/// A skewed tree that a hash decides, with a number for each leaf, which is the place that its path covers.
pub struct Tree {
    depth: usize,
    leaves: BTreeMap<Node, Place>,
}

impl Tree {
    pub fn new(depth: usize) -> Tree {
        let mut tree = Tree {
            depth,
            leaves: BTreeMap::new(),
        };
        let mut open = vec![Node::new()];
        while let Some(node) = open.pop() {
            let below = tree.children(&node);
            if below.is_empty() {
                let number = tree.leaves.len() as Place;
                tree.leaves.insert(node, number);
            }
            open.extend(below);
        }
        tree
    }

    pub fn children(&self, node: &[u8]) -> Vec<Node> {
        let hash = node.iter().fold(0x9e37_79b9_u32, |h, &b| {
            (h ^ u32::from(b)).wrapping_mul(0x0100_0193).rotate_left(7)
        });
        let many = if node.len() < 3 { 2 } else { hash % 4 };
        let many = if node.len() >= self.depth { 0 } else { many };
        let child = |i| [node, &[i as u8]].concat();
        (0..many).map(child).collect()
    }

    /// How many leaves it has.
    pub fn size(&self) -> usize {
        self.leaves.len()
    }

    /// The number of a leaf.
    pub fn leaf(&self, node: &[u8]) -> Option<Place> {
        self.leaves.get(node).copied()
    }

    /// Leaves from a node on.
    pub fn below(&self, node: &[u8]) -> impl Iterator<Item = Place> {
        let all = self.leaves.iter();
        all.filter(move |(leaf, _)| leaf.starts_with(node))
            .map(|(_, &number)| number)
            .collect::<Vec<_>>()
            .into_iter()
    }
}
