//! Compacts the term pool: terms that no holder shows are deleted.
//!
//! Every holder of terms is shown to the collector here, in one place: a holder that is left out has dangling terms.

use crate::machine::Machine;
use crate::state::State;
use solver::TraceSet;
use term::{Term, Trace};

/// The pool is collected when it has doubled, but not below this many nodes.
pub(crate) const COLLECT_MIN: usize = 1 << 20;

/// Shows the collector the terms that are held outside of states.
pub(crate) type More<'a> = dyn FnMut(&mut TraceSet, &mut dyn FnMut(&mut Term)) + 'a;

impl Machine {
    /// Collects; `states` and `more` are what the caller holds. Between two turns only.
    pub(crate) fn collect<'a>(
        &mut self,
        states: impl Iterator<Item = &'a mut State>,
        more: &mut More<'_>,
    ) {
        let Machine {
            reason,
            tlb,
            decider,
            observers,
            links,
            ..
        } = self;
        let (kept, mut prefixes) = observers.holders();
        let mut holders: Vec<&mut State> = states.collect();
        holders.extend(kept);
        reason.collect(&mut |visit| {
            let mut paths = TraceSet::new();
            for s in &mut holders {
                s.trace_registers(visit);
                s.path.trace_shared(&mut paths, visit);
            }
            links
                .environment
                .trace(&mut holders.iter_mut().map(|s| &mut *s.env), visit);
            memory::trace_all(holders.iter_mut().map(|s| &mut s.memory), visit);
            for prefix in &mut prefixes {
                prefix.trace(visit);
            }
            tlb.trace(visit);
            more(&mut paths, visit);
        });
        observers.collected(&mut reason.pool);
        if let Some(fork) = decider.fork() {
            fork.shed();
        }
    }
}
