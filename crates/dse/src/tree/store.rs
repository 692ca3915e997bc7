//! Stores the nodes and the open branches of a tree in several tables, which grow one at a time. There are millions of
//! entries; one table that doubles would need its whole size twice, in memory that the system has to clear first.

use super::{Branch, BranchPoint, NodeId};
use rustc_hash::FxHashMap;
use search::BranchId;
use std::ops::{Index, IndexMut};

/// Nodes of a part, as a power of two.
const PART_BITS: u32 = 12;
const PART: usize = 1 << PART_BITS;
/// Parts of the branches.
const PARTS: usize = 64;
/// Branches with numbers in a row that are in the same part, as a power of two.
const ROW_BITS: u32 = 8;

/// Nodes by their numbers.
#[derive(Default)]
pub(super) struct Nodes(Vec<Vec<BranchPoint>>);

impl Nodes {
    pub fn len(&self) -> usize {
        match self.0.split_last() {
            None => 0,
            Some((last, full)) => full.len() * PART + last.len(),
        }
    }

    pub fn push(&mut self, node: BranchPoint) -> NodeId {
        let id = NodeId(self.len() as u32);
        match self.0.last_mut() {
            Some(last) if last.len() < PART => last.push(node),
            _ => {
                let mut part = Vec::with_capacity(PART);
                part.push(node);
                self.0.push(part);
            }
        }
        id
    }

    /// In the order of their numbers.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut BranchPoint> {
        self.0.iter_mut().flatten()
    }
}

impl Index<NodeId> for Nodes {
    type Output = BranchPoint;

    fn index(&self, NodeId(at): NodeId) -> &BranchPoint {
        &self.0[(at >> PART_BITS) as usize][at as usize % PART]
    }
}

impl IndexMut<NodeId> for Nodes {
    fn index_mut(&mut self, NodeId(at): NodeId) -> &mut BranchPoint {
        &mut self.0[(at >> PART_BITS) as usize][at as usize % PART]
    }
}

/// Open branches by their numbers.
pub(crate) struct Branches {
    parts: Vec<FxHashMap<BranchId, Branch>>,
    len: usize,
}

impl Default for Branches {
    fn default() -> Branches {
        let parts = std::iter::repeat_with(FxHashMap::default).take(PARTS);
        Branches {
            parts: parts.collect(),
            len: 0,
        }
    }
}

impl Branches {
    fn part(id: BranchId) -> usize {
        (id.0 >> ROW_BITS) as usize % PARTS
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn contains(&self, id: BranchId) -> bool {
        self.parts[Branches::part(id)].contains_key(&id)
    }

    pub fn get(&self, id: BranchId) -> Option<&Branch> {
        self.parts[Branches::part(id)].get(&id)
    }

    pub(super) fn get_mut(&mut self, id: BranchId) -> Option<&mut Branch> {
        self.parts[Branches::part(id)].get_mut(&id)
    }

    pub(super) fn insert(&mut self, id: BranchId, branch: Branch) {
        let before = self.parts[Branches::part(id)].insert(id, branch);
        self.len += usize::from(before.is_none());
    }

    pub(super) fn remove(&mut self, id: BranchId) -> Option<Branch> {
        let part = &mut self.parts[Branches::part(id)];
        let branch = part.remove(&id)?;
        self.len -= 1;
        if part.is_empty() {
            *part = FxHashMap::default();
        }
        Some(branch)
    }

    pub fn iter(&self) -> impl Iterator<Item = (BranchId, &Branch)> {
        let all = self.parts.iter().flatten();
        all.map(|(&id, branch)| (id, branch))
    }
}

impl Index<BranchId> for Branches {
    type Output = Branch;

    fn index(&self, id: BranchId) -> &Branch {
        &self.parts[Branches::part(id)][&id]
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Rest, Slot};
    use super::*;

    #[test]
    fn nodes_keep_their_numbers() {
        let mut nodes = Nodes::default();
        let count = 2 * PART + 3;
        for site in 0..count {
            let id = nodes.push(BranchPoint {
                site: site as u64,
                hangs: Slot::Root(0),
                alternatives: Vec::new(),
                rest: Rest::Closed,
            });
            assert_eq!(id, NodeId(site as u32));
        }
        assert_eq!(nodes.len(), count);
        nodes[NodeId(PART as u32)].rest = Rest::Elsewhere;
        assert_eq!(nodes[NodeId(PART as u32)].site, PART as u64);
        let elsewhere = nodes.iter_mut().filter(|n| n.rest == Rest::Elsewhere);
        assert_eq!(elsewhere.count(), 1);
    }
}
