//! Stores the nodes and the open branches of a tree in many tables of a fixed size. There are millions of
//! entries; one table that doubles would need its whole size twice, in memory that the system has to clear first.

use super::{Branch, BranchPoint, NodeId};
use rustc_hash::FxHashMap;
use search::BranchId;
use std::ops::{Index, IndexMut};

/// Nodes of a part, as a power of two.
const PART_BITS: u32 = 12;
const PART: usize = 1 << PART_BITS;
/// Branches with numbers in a row that lie side by side, as a power of two: their place in the row is a byte.
const ROW_BITS: u32 = 8;
const ROW: usize = 1 << ROW_BITS;
/// So many of a row take less room without the places of the others.
const FEW: usize = ROW / 4;

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

/// Branches with numbers in a row, by their places in it.
enum Row {
    /// While many are open.
    Whole {
        slots: Vec<Option<Branch>>,
        open: usize,
    },
    /// In order.
    Few(Vec<(u8, Branch)>),
}

impl Default for Row {
    fn default() -> Row {
        Row::Whole {
            slots: Vec::new(),
            open: 0,
        }
    }
}

impl Row {
    fn get(&self, at: u8) -> Option<&Branch> {
        match self {
            Row::Whole { slots, .. } => slots.get(usize::from(at))?.as_ref(),
            Row::Few(few) => {
                let place = few.binary_search_by_key(&at, |one| one.0).ok()?;
                Some(&few[place].1)
            }
        }
    }

    fn get_mut(&mut self, at: u8) -> Option<&mut Branch> {
        match self {
            Row::Whole { slots, .. } => slots.get_mut(usize::from(at))?.as_mut(),
            Row::Few(few) => {
                let place = few.binary_search_by_key(&at, |one| one.0).ok()?;
                Some(&mut few[place].1)
            }
        }
    }

    /// Adds one that is not there.
    fn insert(&mut self, at: u8, branch: Branch) {
        match self {
            Row::Whole { slots, open } => {
                let place = usize::from(at);
                if place >= slots.len() {
                    slots.resize_with(place + 1, || None);
                }
                slots[place] = Some(branch);
                *open += 1;
            }
            Row::Few(few) => {
                let place = few.partition_point(|one| one.0 < at);
                few.insert(place, (at, branch));
            }
        }
    }

    fn remove(&mut self, at: u8) -> Option<Branch> {
        match self {
            Row::Whole { slots, open } => {
                let branch = slots.get_mut(usize::from(at))?.take()?;
                *open -= 1;
                if *open <= FEW && slots.len() == ROW {
                    let all = (0..=u8::MAX).zip(std::mem::take(slots));
                    let few = all.filter_map(|(at, slot)| Some((at, slot?)));
                    *self = Row::Few(few.collect());
                }
                Some(branch)
            }
            Row::Few(few) => {
                let place = few.binary_search_by_key(&at, |one| one.0).ok()?;
                Some(few.remove(place).1)
            }
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Row::Whole { open, .. } => *open == 0,
            Row::Few(few) => few.is_empty(),
        }
    }

    fn iter(&self) -> impl Iterator<Item = (u8, &Branch)> {
        let (slots, few): (&[_], &[_]) = match self {
            Row::Whole { slots, .. } => (slots, &[]),
            Row::Few(few) => (&[], few),
        };
        let slots = (0..=u8::MAX).zip(slots);
        let open = slots.filter_map(|(at, slot)| Some((at, slot.as_ref()?)));
        open.chain(few.iter().map(|(at, branch)| (*at, branch)))
    }
}

/// Open branches by their numbers.
#[derive(Default)]
pub(crate) struct Branches {
    rows: FxHashMap<u64, Row>,
    len: usize,
}

impl Branches {
    fn place(BranchId(id): BranchId) -> (u64, u8) {
        (id >> ROW_BITS, id as u8)
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn contains(&self, id: BranchId) -> bool {
        self.get(id).is_some()
    }

    pub fn get(&self, id: BranchId) -> Option<&Branch> {
        let (row, at) = Branches::place(id);
        self.rows.get(&row)?.get(at)
    }

    pub(super) fn get_mut(&mut self, id: BranchId) -> Option<&mut Branch> {
        let (row, at) = Branches::place(id);
        self.rows.get_mut(&row)?.get_mut(at)
    }

    /// Adds a branch, whose number no other one ever had.
    pub(super) fn insert(&mut self, id: BranchId, branch: Branch) {
        let (row, at) = Branches::place(id);
        self.rows.entry(row).or_default().insert(at, branch);
        self.len += 1;
    }

    pub(super) fn remove(&mut self, id: BranchId) -> Option<Branch> {
        let (number, at) = Branches::place(id);
        let row = self.rows.get_mut(&number)?;
        let branch = row.remove(at)?;
        self.len -= 1;
        if row.is_empty() {
            self.rows.remove(&number);
        }
        Some(branch)
    }

    pub fn iter(&self) -> impl Iterator<Item = (BranchId, &Branch)> {
        self.rows.iter().flat_map(|(&number, row)| {
            let first = number << ROW_BITS;
            row.iter()
                .map(move |(at, branch)| (BranchId(first | u64::from(at)), branch))
        })
    }
}

impl Index<BranchId> for Branches {
    type Output = Branch;

    fn index(&self, id: BranchId) -> &Branch {
        self.get(id).expect("the branch is open")
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Alternatives, Rest, Slot};
    use super::*;
    use crate::conditions::RunId;
    use search::Near;
    use std::collections::BTreeMap;

    fn branch(step: u64) -> Branch {
        Branch {
            node: NodeId(0),
            run: RunId::default(),
            own: 0,
            at: 0,
            step,
            before: 0,
            near: Near::NONE,
            effort: 0,
            parked: None,
            can_wait: false,
        }
    }

    /// Against a map: branches come in the order of their numbers, and go in any.
    #[test]
    fn branches_are_found_until_they_are_removed() {
        let mut random = fastrand::Rng::with_seed(5);
        let (mut branches, mut model) = (Branches::default(), BTreeMap::new());
        let mut next = 0;
        for round in 0..40_000 {
            // It grows at first, and is emptied then.
            let grows = random.u32(..100) < if round < 20_000 { 60 } else { 35 };
            if grows {
                branches.insert(BranchId(next), branch(next));
                model.insert(next, next);
                next += 1;
            } else if next > 0 {
                let id = random.u64(..next);
                let removed = branches.remove(BranchId(id)).map(|b| b.step);
                assert_eq!(removed, model.remove(&id));
            }
            if let Some(id) = next.checked_sub(1).map(|most| random.u64(..=most)) {
                let found = branches.get(BranchId(id)).map(|b| b.step);
                assert_eq!(found, model.get(&id).copied());
                if let Some(b) = branches.get_mut(BranchId(id)) {
                    b.own += 1;
                }
            }
            assert_eq!(branches.len(), model.len());
        }
        let mut all: Vec<(u64, u64)> = branches.iter().map(|(id, b)| (id.0, b.step)).collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(model.clone()));
        for id in model.keys() {
            branches.remove(BranchId(*id));
        }
        assert!(branches.rows.is_empty() && branches.len() == 0);
    }

    #[test]
    fn nodes_keep_their_numbers() {
        let mut nodes = Nodes::default();
        let count = 2 * PART + 3;
        for site in 0..count {
            let id = nodes.push(BranchPoint {
                site: site as u64,
                hangs: Slot::Root(0),
                alternatives: Alternatives::None,
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
