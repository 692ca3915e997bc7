//! Parts of the frontier that were put aside while memory was short. They come back when nothing else is left to
//! explore.

use super::PortablePart;
use crate::endings::Loss;
use crate::lease::Lease;
use crate::machine::Machine;
use crate::pile::{Pile, Waiting, part_of};
use dse::{Part, Ticket};
use explore::{List, Update};
use host::shelf::Shelf;

/// See the module.
pub(super) struct Aside {
    pile: Pile,
    /// Bytes that they may take of the memory.
    most: u64,
    /// Branches, cut runs and inputs of them all.
    branches: usize,
}

impl Aside {
    /// For a run with so much memory, in bytes; 0 = no limit.
    pub fn new(cap: u64) -> Aside {
        Aside {
            pile: Pile::new(),
            most: part_of(cap),
            branches: 0,
        }
    }

    /// The run's memory has another size now.
    pub fn resize(&mut self, cap: u64) {
        self.most = part_of(cap);
    }

    /// Parts that do not fit in memory go to this shelf.
    pub fn spill_to(&mut self, shelf: &Shelf) {
        self.pile.spill_to(shelf.clone());
    }

    /// Branches, cut runs and inputs.
    pub fn branches(&self) -> usize {
        self.branches
    }

    /// Keeps a part that belongs to this entry of the list. Returns whether there was room.
    pub fn keep(
        &mut self,
        m: &mut Machine,
        (part, key): (&Part, u64),
        list: &mut Option<List>,
    ) -> bool {
        let branches = part.len();
        self.pile.push(Waiting {
            bytes: PortablePart::of(m, part).to_bytes(),
            lease: Lease::of(key),
            depth: branches as u32,
            is_unsaved: false,
            why: None,
            floats: None,
        });
        self.branches += branches;
        while self.pile.size() > self.most {
            let sunk = self.pile.sink(list);
            let has_room = sunk.unwrap_or_else(|why| {
                m.warn_once(format!("branches cannot be spilled to the disk: {why}"));
                false
            });
            if !has_room {
                // What is still in memory may go again.
                let latest = self.pile.pop_latest();
                self.branches -= latest.map_or(0, |_| branches);
                return false;
            }
        }
        true
    }

    /// Takes the latest part back.
    pub fn take(&mut self, m: &mut Machine, list: &mut Option<List>) -> Option<(Part, Ticket)> {
        loop {
            let waiting = self.pile.pop(list);
            self.branches -= waiting.as_ref().map_or(0, |w| w.depth as usize);
            self.tell_of_the_disk(m);
            let waiting = waiting?;
            let portable = PortablePart::from_bytes(&waiting.bytes);
            match portable.and_then(|portable| portable.part(m)) {
                Ok(part) => {
                    let ticket = Ticket {
                        key: waiting.lease.key(),
                        is_told: waiting.lease.is_told(),
                    };
                    return Some((part, ticket));
                }
                Err(_) if m.stop().is_set() => {
                    self.branches += waiting.depth as usize;
                    self.pile.push(waiting);
                    return None;
                }
                Err(why) => {
                    m.stats.losses.add(Loss::Forgotten, waiting.depth.into());
                    m.warn_once(format!("a part that was kept: {why}"));
                }
            }
        }
    }

    /// Takes so many branches out for others, about, in the form in which they go there; at most half of all parts.
    pub fn give(&mut self, branches: usize, list: &mut Option<List>) -> Vec<Vec<u8>> {
        let (mut given, mut left) = (Vec::new(), self.pile.len() / 2);
        let mut wanted = branches;
        while wanted > 0
            && left > 0
            && let Some(waiting) = self.pile.pop(list)
        {
            left -= 1;
            self.branches -= waiting.depth as usize;
            wanted = wanted.saturating_sub(waiting.depth as usize);
            given.push(waiting.bytes);
        }
        given
    }

    /// Reports the parts to the list of the frontier.
    pub fn tell(&mut self, list: &mut Update<'_>) {
        self.pile.tell(list);
    }

    /// Books what could not be read again.
    fn tell_of_the_disk(&mut self, m: &mut Machine) {
        if let Some((lost, why)) = self.pile.lost() {
            // How many branches a part had is not known any more.
            m.stats.losses.add(Loss::Forgotten, lost);
            m.warn_once(format!("spilled states cannot be read again: {why}"));
        }
        if self.pile.is_empty() {
            self.branches = 0;
        }
    }
}
