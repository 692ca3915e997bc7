//! The live states by their ids.
//!
//! A record of the frontier must not cost more than has changed since the last one, whatever the number of states. So a state that
//! was reported rests as an entry of the frontier ([`List`]) until somebody takes it out, and only those that were put in since are
//! looked at by the next report.

use crate::state::State;
use explore::{List, Update};
use search::StateId;

/// See the module.
#[derive(Default)]
pub(super) struct LiveStates {
    slots: Vec<Option<Box<State>>>,
    /// Ids that no state has.
    free: Vec<u32>,
    /// Ids of states that were put in since the last report, once each.
    changed: Vec<u32>,
    is_changed: Vec<bool>,
}

impl LiveStates {
    /// The states in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (StateId, &State)> {
        let slots = (0..).map(StateId).zip(&self.slots);
        slots.filter_map(|(id, s)| Some((id, &**s.as_ref()?)))
    }

    /// The states, to be changed in what their prefixes do not show.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut State> {
        self.slots.iter_mut().flatten().map(|s| &mut **s)
    }

    /// The state of this id, if there is one.
    pub fn get(&self, id: StateId) -> Option<&State> {
        self.slots[id.0 as usize].as_deref()
    }

    /// The same, to be changed in what tells nothing of its path.
    pub fn get_mut(&mut self, id: StateId) -> Option<&mut State> {
        self.slots[id.0 as usize].as_deref_mut()
    }

    /// Ids are smaller than this.
    pub fn end(&self) -> u32 {
        self.slots.len() as u32
    }

    /// Adds a state, under an id that no other one has.
    pub fn add(&mut self, s: Box<State>) -> StateId {
        let id = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.is_changed.push(false);
            self.end() - 1
        });
        self.put(StateId(id), s);
        StateId(id)
    }

    /// Puts a state back that was taken out.
    pub fn put(&mut self, id: StateId, s: Box<State>) {
        self.slots[id.0 as usize] = Some(s);
        if !std::mem::replace(&mut self.is_changed[id.0 as usize], true) {
            self.changed.push(id.0);
        }
    }

    /// Takes a state out, whose entry in the list does not rest any more. Its id stays reserved.
    pub fn take(&mut self, id: StateId, list: &mut Option<List>) -> Option<Box<State>> {
        let s = self.slots[id.0 as usize].take()?;
        if let Some(list) = list {
            s.lease.wake(list);
        }
        Some(s)
    }

    /// Another state may have this id.
    pub fn release(&mut self, id: StateId) {
        self.free.push(id.0);
    }

    /// Reports the states that were put in since the last report, or all if the whole frontier is reported. `prefix` writes the bytes
    /// of one.
    pub fn tell(&mut self, list: &mut Update<'_>, prefix: &mut dyn FnMut(&State, &mut Vec<u8>)) {
        if list.is_whole() {
            self.changed = (0..self.end()).collect();
        }
        let (slots, is_changed) = (&mut self.slots, &mut self.is_changed);
        self.changed.retain(|&id| {
            let is_open = slots[id as usize].as_mut().is_some_and(|s| {
                let mut lease = s.lease;
                lease.show_resting(list, |bytes| prefix(s, bytes));
                s.lease = lease;
                // The receiver has stopped.
                !lease.is_told()
            });
            is_changed[id as usize] = is_open;
            is_open
        });
    }
}
