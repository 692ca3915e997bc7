//! A prefix: the data from which a state can be rebuilt.

use crate::floats::Floats;
use crate::lease::Lease;
use crate::state::{PathProgress, State, identity};
use crate::trail::Trail;
use ir::{Pc, SiteId};
use solver::Conjunct;
use term::{PackedAssignment, Term};

/// Bytes that a prefix takes in addition to its input, about.
const PREFIX_BYTES: u64 = 400;

/// A state that can be rebuilt.
pub struct Prefix {
    /// Which of the first states it began as.
    pub start: u32,
    /// An input that satisfies its path.
    pub(crate) witness: PackedAssignment,
    /// The choices made on the way.
    pub trail: Trail,
    /// Hash of the sites that it passed.
    pub hash: u64,
    /// The next instruction.
    pub pc: Pc,
    /// Progress of the path; `progress.instructions` are done.
    pub progress: PathProgress,
    /// Conditions of the next instruction, which was begun and waits to be executed again.
    pub(crate) pending: Vec<Conjunct>,
    pub(crate) retries: u32,
    pub(crate) floats: Floats,
    /// Digest of the last forks' outcomes.
    pub(crate) recent_branches: u64,
    /// The coverage site passed last.
    pub(crate) site: SiteId,
    /// The addresses at which the callers continue, the outermost first.
    pub(crate) callers: Box<[Pc]>,
    pub(crate) concretized: bool,
    /// It waits until others bring nothing new.
    pub(crate) waits: bool,
    pub(crate) lease: Lease,
}

impl Prefix {
    /// The prefix of a state.
    pub fn of(s: &State) -> Prefix {
        Prefix {
            start: s.start,
            witness: s.witness.pack(),
            trail: s.trail.clone(),
            hash: s.hot.hash,
            pc: s.hot.pc,
            progress: s.progress,
            pending: s.pending_conditions().collect(),
            retries: s.retries,
            floats: s.floats.clone(),
            recent_branches: s.recent_branches,
            site: s.hot.site,
            callers: s.callers().collect(),
            concretized: s.concretized,
            waits: s.is_deferred,
            lease: s.lease,
        }
    }

    /// The prefix of a state that ended, up to the instruction in which it did.
    pub(crate) fn before_end(s: &State) -> Prefix {
        let mut prefix = Prefix::of(s);
        prefix.progress.instructions -= 1;
        prefix.pending.clear();
        prefix
    }

    /// The same as that of its state.
    pub(crate) fn identity(&self) -> u64 {
        identity(&self.trail, &self.progress)
    }

    /// The bytes that it takes, about.
    pub fn bytes(&self) -> u64 {
        let callers = size_of_val(&*self.callers) as u64;
        PREFIX_BYTES + callers + self.witness.size() as u64
    }

    /// Shows the collector the terms that it holds.
    pub(crate) fn trace(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        for c in &mut self.pending {
            visit(&mut c.term);
        }
    }
}
