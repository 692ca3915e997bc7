//! Sets of states with O(1) insertion, removal and uniform choice, in a deterministic order.

use crate::{StateId, rng::Rng};
use rustc_hash::FxHashMap;

/// A vector of members and each member's position in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct StateSet {
    members: Vec<StateId>,
    position: FxHashMap<StateId, u32>,
}

impl StateSet {
    pub fn insert(&mut self, id: StateId) {
        if let std::collections::hash_map::Entry::Vacant(e) = self.position.entry(id) {
            e.insert(self.members.len() as u32);
            self.members.push(id);
        }
    }

    pub fn remove(&mut self, id: StateId) -> bool {
        let Some(at) = self.position.remove(&id) else {
            return false;
        };
        self.members.swap_remove(at as usize);
        if let Some(moved) = self.members.get(at as usize) {
            self.position.insert(*moved, at);
        }
        true
    }

    pub fn random(&self, rng: &mut Rng) -> Option<StateId> {
        (!self.members.is_empty()).then(|| self.members[rng.below(self.members.len())])
    }

    pub fn members(&self) -> &[StateId] {
        &self.members
    }

    pub fn len(&self) -> usize {
        self.members.len()
    }
}

/// Gives each live state a small index that is reused after removal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots {
    slot_of: FxHashMap<StateId, u32>,
    owner: Vec<Option<StateId>>,
    free: Vec<u32>,
}

impl Slots {
    /// The slot of a state, a new one if it has none.
    pub fn insert(&mut self, id: StateId) -> usize {
        if let Some(slot) = self.get(id) {
            return slot;
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.owner.push(None);
            self.owner.len() as u32 - 1
        });
        self.owner[slot as usize] = Some(id);
        self.slot_of.insert(id, slot);
        slot as usize
    }

    pub fn get(&self, id: StateId) -> Option<usize> {
        self.slot_of.get(&id).map(|s| *s as usize)
    }

    pub fn remove(&mut self, id: StateId) -> Option<usize> {
        let slot = self.slot_of.remove(&id)?;
        self.owner[slot as usize] = None;
        self.free.push(slot);
        Some(slot as usize)
    }

    pub fn owner(&self, slot: usize) -> Option<StateId> {
        self.owner.get(slot).copied().flatten()
    }

    /// Live states with their slots, by slot.
    pub fn iter(&self) -> impl Iterator<Item = (usize, StateId)> + '_ {
        self.owner
            .iter()
            .enumerate()
            .filter_map(|(slot, id)| id.map(|id| (slot, id)))
    }

    pub fn len(&self) -> usize {
        self.slot_of.len()
    }
}
