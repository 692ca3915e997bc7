//! What a concolic exploration does that shares its work with others, see [`Exploration`]: what goes from one to another is a part of
//! what runs have left open.

use super::{Concolic, PortablePart, Subject};
use crate::endings::Halt;
use crate::event::Sink;
use crate::exploration::Exploration;

use crate::worker::Worker;
use dse::{Changes, Input, List, Told};
use host::shelf::Shelf;
use ir::SiteId;

impl Subject {
    /// All that there is to explore, as bytes: from these inputs on, or from the program's first ones if there are none.
    pub fn first_prefixes(&mut self, seeds: Vec<Input>) -> Vec<Vec<u8>> {
        let parts = self.first_parts(seeds);
        let m = &self.worker.machine;
        let bytes = |part: &dse::Part| PortablePart::of(m, part).to_bytes();
        parts.iter().map(bytes).collect()
    }
}

impl Concolic {
    /// It explores with others: it has nothing to do but what they give.
    pub fn shared(mut self) -> Concolic {
        self.subject.list = Some(List::default());
        self
    }
}

impl Exploration for Concolic {
    fn run(&mut self, sink: &mut dyn Sink) -> Option<Halt> {
        self.explore(sink)
    }

    fn worker(&mut self) -> &mut Worker {
        &mut self.subject.worker
    }

    fn into_worker(self: Box<Self>) -> Worker {
        // It dies with the process: taking it apart costs more than the run may still take.
        std::mem::forget(self.explorer);
        self.subject.worker
    }

    fn record(&mut self) {
        self.subject.list = Some(List::alone());
    }

    fn spill_to(&mut self, shelf: &Shelf) {
        self.subject.aside.spill_to(shelf);
    }

    fn leave(&mut self) {
        self.has_left = true;
    }

    fn may_go_elsewhere(&self) -> bool {
        true
    }

    fn live(&self) -> usize {
        self.explorer.live() + self.subject.aside.branches()
    }

    fn has_parked(&self) -> bool {
        self.explorer.has_parked()
    }

    fn adopt(&mut self, lease: u64, bytes: &[u8]) -> Result<(), String> {
        let part = PortablePart::from_bytes(bytes)?;
        if part.start as usize >= self.subject.starts() {
            return Err(format!("the program has no start {}", part.start));
        }
        let part = part.part(&mut self.subject.worker.machine)?;
        if let Some(list) = &mut self.subject.list {
            list.adopt(lease);
        }
        self.explorer.adopt(part, lease);
        Ok(())
    }

    fn give(&mut self, n: usize) -> Vec<Vec<u8>> {
        let parts = self.explorer.give(n);
        let missing = n.saturating_sub(parts.iter().map(dse::Part::len).sum());
        let Subject {
            worker,
            aside,
            list,
            ..
        } = &mut self.subject;
        let m = &worker.machine;
        let bytes = |part: &dse::Part| PortablePart::of(m, part).to_bytes();
        let mut given: Vec<Vec<u8>> = parts.iter().map(bytes).collect();
        given.extend(aside.give(missing, list));
        worker.counters.given += given.len() as u64;
        given
    }

    fn changes(&mut self, whole: bool, new: &mut dyn FnMut(Told) -> bool) -> Option<Changes> {
        self.count();
        let Concolic {
            subject, explorer, ..
        } = self;
        let Subject {
            worker,
            aside,
            list: Some(list),
            ..
        } = subject
        else {
            return Some(Changes::default());
        };
        let m = &worker.machine;
        let mut list = list.update(whole, new);
        let parked = explorer.each_part(&mut |ticket, part| {
            list.entry(&mut ticket.key, &mut ticket.is_told, || {
                PortablePart::of(m, &part()).to_bytes()
            });
        });
        for (why, sides) in parked {
            list.parked(why, sides);
        }
        aside.tell(&mut list);
        list.finish()
    }

    fn resize(&mut self, memory: u64) {
        crate::watch::limit_memory(memory);
        self.subject.worker.resize(memory);
        self.subject.aside.resize(memory);
    }

    fn covered_elsewhere(&mut self, site: SiteId) {
        if let Some(distances) = &mut self.subject.worker.machine.distances {
            distances.mark_covered(site);
        }
        self.explorer.covered(site);
    }
}
