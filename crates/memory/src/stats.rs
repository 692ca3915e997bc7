//! How much memory a state takes, for statistics.

use crate::object::Chunk;
use crate::{Memory, page::PageCell};
use std::rc::Rc;

/// Bytes of a state's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Footprint {
    /// Held by this state alone.
    pub unique: usize,
    /// Also held by other states.
    pub shared: usize,
}

impl Footprint {
    fn add(&mut self, bytes: usize, shared: bool) {
        if shared {
            self.shared += bytes;
        } else {
            self.unique += bytes;
        }
    }
}

impl Memory {
    /// An estimate of the bytes behind this memory. Walks all of it: not for every step.
    pub fn heap_bytes(&self) -> Footprint {
        let nodes = std::cell::Cell::new(Footprint::default());
        let mut leaves = Footprint::default();
        let mut enter = |_: &std::cell::Cell<u64>, bytes: usize, shared: bool| {
            let mut total = nodes.get();
            total.add(bytes, shared);
            nodes.set(total);
            true
        };
        for tree in &self.regions {
            tree.walk(&mut enter, &mut |cell: &Rc<PageCell>, shared| {
                leaves.add(cell.page().heap_bytes(), shared);
                if let Some(side) = cell.page().side() {
                    leaves.add(side.heap_bytes(), shared || Rc::strong_count(side) > 1);
                }
            });
        }
        self.heap
            .chunks()
            .walk(&mut enter, &mut |_: &Rc<Chunk>, shared| {
                leaves.add(std::mem::size_of::<Chunk>() + 16, shared);
            });
        if let Some(overlays) = &self.overlays {
            leaves.add(overlays.heap_bytes(), Rc::strong_count(overlays) > 1);
        }
        let mut total = nodes.get();
        total.unique += leaves.unique + std::mem::size_of::<Memory>();
        total.shared += leaves.shared + self.stack.heap_bytes();
        total
    }
}
