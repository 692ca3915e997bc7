//! Sets of states with O(1) insertion, removal and uniform choice, in a deterministic order.

use crate::{StateId, state_map::StateMap};
use fastrand::Rng;

/// A vector of members and each member's position in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct StateSet {
    members: Vec<StateId>,
    position: StateMap<u32>,
}

impl StateSet {
    pub fn insert(&mut self, id: StateId) {
        if !self.position.contains(id) {
            self.position.insert(id, self.members.len() as u32);
            self.members.push(id);
        }
    }

    pub fn remove(&mut self, id: StateId) -> bool {
        let Some(at) = self.position.remove(id) else {
            return false;
        };
        self.members.swap_remove(at as usize);
        if let Some(moved) = self.members.get(at as usize) {
            self.position.insert(*moved, at);
        }
        true
    }

    pub fn random(&self, rng: &mut Rng) -> Option<StateId> {
        (!self.members.is_empty()).then(|| self.members[rng.usize(..self.members.len())])
    }

    pub fn members(&self) -> &[StateId] {
        &self.members
    }

    pub fn len(&self) -> usize {
        self.members.len()
    }
}

/// Gives each member a small index that is reused after removal; the caller remembers it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots {
    owner: Vec<Option<StateId>>,
    free: Vec<u32>,
}

impl Slots {
    pub fn insert(&mut self, id: StateId) -> usize {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.owner.push(None);
            self.owner.len() as u32 - 1
        });
        self.owner[slot as usize] = Some(id);
        slot as usize
    }

    pub fn remove(&mut self, slot: usize) {
        if self.owner[slot].take().is_some() {
            self.free.push(slot as u32);
        }
    }

    pub fn owner(&self, slot: usize) -> Option<StateId> {
        self.owner.get(slot).copied().flatten()
    }

    /// Members with their slots, by slot.
    pub fn iter(&self) -> impl Iterator<Item = (usize, StateId)> + '_ {
        self.owner
            .iter()
            .enumerate()
            .filter_map(|(slot, id)| id.map(|id| (slot, id)))
    }

    pub fn len(&self) -> usize {
        self.owner.len() - self.free.len()
    }
}
