//! The collector's way through memories.
//!
//! States share pages, and a handle must be rewritten once. Cells of shared pages are reached
//! through `Rc`s, so each carries the stamp of the last pass that visited it, and so do the tree's
//! nodes: subtrees that states share are walked once for all of them.

use crate::Memory;
use std::cell::Cell;
use term::Term;

thread_local! {
    // Memories share pages within a thread only (`Rc`).
    static NEXT: Cell<u64> = const { Cell::new(1) };
}

/// Changes with every pass: a holder of weak terms compares it and drops them.
pub(crate) fn passes() -> u64 {
    NEXT.get()
}

/// One pass over any number of memories. Make a new one each time the roots are enumerated.
#[derive(Debug)]
pub struct TraceEpoch(u64);

impl TraceEpoch {
    /// A pass that visited nothing yet.
    #[allow(clippy::new_without_default)]
    pub fn new() -> TraceEpoch {
        NEXT.set(NEXT.get() + 1);
        TraceEpoch(NEXT.get())
    }
}

/// Shows the collector every term of `memories`, each handle once.
pub fn trace_all<'a>(
    memories: impl Iterator<Item = &'a mut Memory>,
    visit: &mut dyn FnMut(&mut Term),
) {
    let epoch = TraceEpoch::new();
    for memory in memories {
        memory.trace_in(&epoch, visit);
    }
}

impl Memory {
    /// Shows the collector every term that this pass has not seen yet. All memories that may share
    /// pages take part in the same pass.
    pub fn trace_in(&mut self, epoch: &TraceEpoch, visit: &mut dyn FnMut(&mut Term)) {
        for tree in &self.regions {
            tree.walk(
                &mut |stamp, _, _| stamp.replace(epoch.0) != epoch.0,
                &mut |cell, _| {
                    if let Some(side) = cell.page().side()
                        && side.stamp.replace(epoch.0) != epoch.0
                    {
                        side.trace(visit);
                    }
                },
            );
        }
        if let Some(bounds) = &self.bounds
            && bounds.stamp.replace(epoch.0) != epoch.0
        {
            bounds.trace(visit);
        }
        if let Some(overlays) = &self.overlays
            && overlays.stamp.replace(epoch.0) != epoch.0
        {
            overlays.trace(visit);
        }
    }
}
