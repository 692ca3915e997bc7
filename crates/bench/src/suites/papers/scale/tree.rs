//! The tree of paths of a real program, recorded by a run: who forks where, and what each piece costs.
//!
//! A run depth first with one worker tells each path when it ends, and a test has all choices of its path. So the time between
//! two ends is what the pieces cost that only the second path has. A recorded tree is too small for a thousand workers; of
//! some of its leaves the program goes on as it began: there the tree is grafted onto itself. Which ones those are is decided by
//! a hash, so that all workers see the same tree.

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use testcase::TestCase;

/// A piece of a path: from one fork to the next, or to its end.
#[derive(Serialize, Deserialize)]
struct PathPiece {
    /// Nanoseconds.
    cost: u64,
    /// Pieces that follow: none at the end of a path.
    next: Vec<u32>,
    /// Choices on the way to its end.
    depth: u32,
}

/// A recorded tree. Piece 0 is its beginning.
#[derive(Serialize, Deserialize)]
pub struct Tree {
    pieces: Vec<PathPiece>,
    /// Of 2^32 leaves, so many go on.
    grafted: u64,
    pub leaves: u64,
    /// Nanoseconds of the whole tree, as recorded.
    pub work: u64,
    /// Choices of a path, on average.
    pub mean_depth: f64,
}

/// A place in the tree, grafts included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreePosition {
    piece: u32,
    /// On which leaf of the recorded tree the copy stands in which this is; 0: in none.
    copy: u32,
}

/// A place as bytes, and back.
pub fn bytes(place: TreePosition) -> [u8; 8] {
    (u64::from(place.piece) << 32 | u64::from(place.copy)).to_le_bytes()
}

/// See [`bytes`]; more may follow.
pub fn place(bytes: &[u8]) -> TreePosition {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[..8]);
    let number = u64::from_le_bytes(number);
    TreePosition {
        piece: (number >> 32) as u32,
        copy: number as u32,
    }
}

/// A node while the tree is made: its choice, and its children.
#[derive(Default)]
struct TreeNode {
    choice: (u32, u8, u32),
    children: Vec<usize>,
    cost: u64,
}

impl Tree {
    /// From the tests of a run, in their order; all of it takes so many nanoseconds of processor time.
    ///
    /// # Errors
    /// There are not enough paths.
    pub fn new(tests: &[TestCase], cpu: u64) -> Result<Tree> {
        ensure!(
            tests.len() > 100,
            "only {} paths were recorded",
            tests.len()
        );
        let wall = tests.iter().map(|t| t.time_s).fold(0.0, f64::max);
        let scale = cpu as f64 / wall.max(1e-9);
        let mut nodes = vec![TreeNode::default()];
        let mut before = 0.0;
        for test in tests {
            let cost = (test.time_s - before).max(0.0) * scale;
            before = test.time_s;
            let mut at = 0;
            let mut made = Vec::new();
            for &(pc, kind, choice) in &test.prefix {
                let choice = (pc, kind, choice);
                let children = &nodes[at].children;
                let known = children
                    .iter()
                    .copied()
                    .find(|&c| nodes[c].choice == choice);
                at = known.unwrap_or_else(|| {
                    let node = TreeNode {
                        choice,
                        ..TreeNode::default()
                    };
                    nodes.push(node);
                    let new = nodes.len() - 1;
                    nodes[at].children.push(new);
                    made.push(new);
                    new
                });
            }
            if made.is_empty() {
                made.push(at);
            }
            let part = cost / made.len() as f64;
            made.into_iter().for_each(|n| nodes[n].cost += part as u64);
        }
        Ok(Tree::joined(&nodes))
    }

    /// Pieces instead of choices: what has one successor only is joined with it.
    fn joined(nodes: &[TreeNode]) -> Tree {
        let mut tree = Tree {
            pieces: Vec::new(),
            grafted: 0,
            leaves: 0,
            work: 0,
            mean_depth: 0.0,
        };
        // A node, the depth before it, and the piece that it follows.
        let mut open = vec![(0, 0, None::<u32>)];
        let mut depths = 0;
        while let Some((mut node, mut depth, parent)) = open.pop() {
            let mut cost = nodes[node].cost;
            while let [only] = nodes[node].children[..] {
                node = only;
                depth += 1;
                cost += nodes[node].cost;
            }
            let piece = tree.pieces.len() as u32;
            tree.pieces.push(PathPiece {
                cost: cost.max(1),
                next: Vec::new(),
                depth,
            });
            tree.work += cost.max(1);
            if let Some(parent) = parent {
                tree.pieces[parent as usize].next.push(piece);
            }
            let children = &nodes[node].children;
            if children.is_empty() {
                tree.leaves += 1;
                depths += u64::from(depth);
            }
            open.extend(children.iter().map(|&c| (c, depth + 1, Some(piece))));
        }
        tree.mean_depth = depths as f64 / tree.leaves as f64;
        tree
    }

    /// Grows to about this much work, in nanoseconds, at most to the square of what was recorded. Returns what it is.
    pub fn grow(&mut self, work: u64) -> f64 {
        let copies = (work as f64 / self.work as f64 - 1.0).clamp(0.0, self.leaves as f64);
        self.grafted = (copies / self.leaves as f64 * f64::from(u32::MAX)) as u64;
        self.work as f64 * (1.0 + copies)
    }

    /// Nanoseconds of the longest path of the recorded tree: no number of workers is faster.
    pub fn longest(&self) -> u64 {
        let mut until = vec![0; self.pieces.len()];
        let mut longest = 0;
        // A piece stands before those that follow it.
        for (at, piece) in self.pieces.iter().enumerate() {
            let time = until[at] + piece.cost;
            longest = longest.max(time);
            for &next in &piece.next {
                until[next as usize] = time;
            }
        }
        longest
    }

    pub fn root(&self) -> TreePosition {
        TreePosition { piece: 0, copy: 0 }
    }

    /// What the piece costs, in nanoseconds.
    pub fn cost(&self, at: TreePosition) -> u64 {
        self.pieces[at.piece as usize].cost
    }

    /// Choices on the way to the end of the piece.
    pub fn depth(&self, at: TreePosition) -> u32 {
        let own = self.pieces[at.piece as usize].depth;
        match at.copy {
            0 => own,
            leaf => own + self.pieces[leaf as usize].depth,
        }
    }

    /// What follows the piece; nothing at the end of a path.
    pub fn next(&self, at: TreePosition, mut put: impl FnMut(TreePosition)) {
        let next = &self.pieces[at.piece as usize].next;
        for &piece in next {
            put(TreePosition { piece, ..at });
        }
        if next.is_empty() && at.copy == 0 && self.goes_on(at.piece) {
            let copy = at.piece;
            put(TreePosition { piece: 0, copy });
        }
    }

    fn goes_on(&self, leaf: u32) -> bool {
        let hash = (u64::from(leaf) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        hash >> 32 < self.grafted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(choices: &[u32], time_s: f64) -> TestCase {
        TestCase {
            prefix: choices.iter().map(|&c| (7, 0, c)).collect(),
            time_s,
            ..TestCase::default()
        }
    }

    /// All binary paths of this length, one each millisecond.
    fn binary(length: u32) -> Tree {
        let tests: Vec<TestCase> = (0..1_u32 << length)
            .map(|n| {
                let choices: Vec<u32> = (0..length).rev().map(|i| n >> i & 1).collect();
                test(&choices, f64::from(n + 1) * 1e-3)
            })
            .collect();
        let cpu = tests.len() as u64 * 1_000_000;
        Tree::new(&tests, cpu).unwrap()
    }

    fn walk(tree: &Tree) -> (u64, u64) {
        let (mut open, mut leaves, mut work) = (vec![tree.root()], 0, 0);
        while let Some(at) = open.pop() {
            work += tree.cost(at);
            let before = open.len();
            tree.next(at, |place| open.push(place));
            leaves += u64::from(open.len() == before);
        }
        (leaves, work)
    }

    #[test]
    fn a_tree_has_the_paths_and_the_time_of_its_run() {
        let tree = binary(8);
        assert_eq!((tree.leaves, tree.mean_depth), (256, 8.0));
        let (leaves, work) = walk(&tree);
        assert_eq!(leaves, 256);
        assert!((work as f64 / 256e6 - 1.0).abs() < 0.01, "{work}");
    }

    #[test]
    fn a_grown_tree_has_the_work_that_was_asked_for() {
        let mut tree = binary(8);
        let expected = tree.grow(50 * 256_000_000);
        let (_, work) = walk(&tree);
        assert!(
            (work as f64 / expected - 1.0).abs() < 0.2,
            "{work} {expected}"
        );
    }
}
