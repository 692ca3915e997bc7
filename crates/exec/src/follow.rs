//! Prefixes: a state in a few hundred bytes, and the way back to it.
//!
//! A path is determined by its start, by an input that takes it, and by the few choices that do not depend on input (a
//! system call that fails by choice). So a state whose memory is needed can be *spilled*: its prefix is kept, and the
//! state is rebuilt from it later, by running the program from its start on the witness. That takes time but no query:
//! at each symbolic branch the witness's side is taken, and the condition is assumed where the recorded path assumed
//! one ("the trail has a choice of this instruction"). If one instruction made several choices, all of its conditions
//! are assumed; those that the others imply do no harm.
//!
//! A path is continued in another process in the same way: `portable` has the form in which a prefix goes there.

use crate::endings::Ending;
use crate::errors::Termination;
use crate::fast::Exit;
use crate::machine::Machine;
use crate::policy::{Decider, Recorded};
use crate::prefix::Prefix;
use crate::run::{SLICE, SliceEnd};
use crate::state::State;
use crate::turn::Turn;

/// Instructions before the end of a prefix that are counted one by one: otherwise the fast loop looks at its fuel only
/// where a block ends.
const EXACT_STEPS: u64 = 1 << 14;

/// The result of following a prefix.
pub enum Followed {
    /// The state, as it was.
    Here(Box<State>),
    /// The run has to end.
    Stopped,
    /// The path ended on the way, and this is how far it came: there was no memory for it, or the engine contradicts
    /// itself, since it leads elsewhere than it did ([`Termination::Internal`]).
    Ended(Box<State>, Termination),
}

/// The path that is followed is another one than was recorded.
fn astray(s: Box<State>, how: &str) -> Followed {
    let what = format!("following the prefix of a path: {how}");
    Followed::Ended(s, Termination::Internal(what))
}

impl Machine {
    /// Rebuilds the state that a prefix was taken of, from the first state where it began (`first`, which stays as it
    /// is). `look` is called now and then. No state may be running.
    pub fn follow(
        &mut self,
        first: &State,
        prefix: &Prefix,
        look: &mut dyn FnMut(&Machine),
    ) -> Followed {
        // What is counted was counted when the path was explored first.
        let stats = self.stats.clone();
        let recorded = Recorded::new(&prefix.trail, prefix.lease.is_foreign());
        let decider = std::mem::replace(&mut self.decider, Decider::Follow(recorded));
        let followed = self.follow_to_end(first, prefix, look);
        self.decider = decider;
        self.stats = stats;
        followed
    }

    fn follow_to_end(
        &mut self,
        first: &State,
        prefix: &Prefix,
        look: &mut dyn FnMut(&Machine),
    ) -> Followed {
        let mut s = Box::new(first.fork(&mut self.tlb));
        s.witness = prefix.witness.unpack();
        s.floats = prefix.floats.on_the_way();
        let end = prefix.progress.instructions;
        let mut turn = Turn::default();
        while s.progress.instructions < end {
            match self.advance(&mut s, end, &mut turn) {
                SliceEnd::Ended(_) if self.stop().is_set() => return Followed::Stopped,
                SliceEnd::Ended(
                    why @ (Termination::Cut(Ending::Memory) | Termination::Internal(_)),
                ) => return Followed::Ended(s, why),
                SliceEnd::Ended(why) => return astray(s, &format!("it ends there: {why:?}")),
                SliceEnd::Fuel | SliceEnd::Look | SliceEnd::Forked => {}
            }
            if turn.has_states() || !turn.parked.is_empty() {
                return astray(s, "it forks there");
            }
            look(self);
            if self.stop().is_set() {
                return Followed::Stopped;
            }
        }
        if (s.progress.instructions, s.hot.pc, s.hot.hash) != (end, prefix.pc, prefix.hash) {
            return astray(s, "it takes another path");
        }
        for c in &prefix.pending {
            self.assume(&mut s, c.term, c.origin);
        }
        s.pending = prefix.pending.len() as u32;
        s.trail = prefix.trail.clone();
        s.progress = prefix.progress;
        s.retries = prefix.retries;
        s.floats = prefix.floats.clone();
        s.recent_branches = prefix.recent_branches;
        s.concretized = prefix.concretized;
        s.is_deferred = prefix.waits;
        s.lease = prefix.lease;
        Followed::Here(s)
    }

    /// Runs towards a place on the path, up to it at most.
    pub(crate) fn advance(&mut self, s: &mut State, end: u64, turn: &mut Turn) -> SliceEnd {
        let left = end.saturating_sub(s.progress.instructions);
        if left > EXACT_STEPS {
            // No longer than a turn: the clock is looked at between two.
            let mut slice = self.slice((left - EXACT_STEPS).min(SLICE));
            self.run_guarded(s, &mut slice, turn)
        } else {
            self.guarded(turn, |m| m.run_exactly(s, end))
        }
    }

    /// Runs until exactly so many instructions are done.
    fn run_exactly(&mut self, s: &mut State, end: u64) -> SliceEnd {
        self.marks_run(s);
        while s.progress.instructions < end {
            let mut fuel = end - s.progress.instructions;
            if self.run_fast::<true>(s, &mut fuel) == Exit::Slow
                && let Err(why) = self.step(s)
            {
                return SliceEnd::Ended(why);
            }
        }
        SliceEnd::Fuel
    }
}
