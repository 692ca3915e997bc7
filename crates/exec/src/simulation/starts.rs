//! Starts of simulation: floats are terms at first, and are simulated on paths that terms did not decide.
//!
//! Search and circuits decide conditions on float terms within the first budget of a query; a side that they leave
//! open is parked. Larger budgets for large circuits take longer than simulation. So a copy of a path's state is kept
//! when it makes its first float term. When nothing else is left to run, each copy below which sides were parked
//! continues in their place with integer simulation (`operations`), whose conditions are decided like all others.
//! Paths that were explored below it before come again, and are recognized by their hashes
//! ([`Ending::Again`](crate::Ending::Again)). When memory is short, a copy becomes the prefix that leads to it.

use crate::floats::{Floats, SeenExit};
use crate::machine::Machine;
use crate::prefix::Prefix;
use crate::state::State;
use memory::Value;
use solver::Why;
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;
use term::Term;

/// Copies kept at a time. Where there is none, a parked side stays parked.
const MAX_STARTS: usize = 1000;

/// The kept form of a state.
pub(crate) enum Kept {
    /// The state.
    State(Box<State>),
    /// The way back to it.
    Prefix(Prefix),
}

impl Kept {
    /// Lets go of the state, if there is more than its prefix. Returns the bytes that the prefix takes.
    fn spill(&mut self) -> u64 {
        match self {
            Kept::Prefix(prefix) => prefix.bytes(),
            Kept::State(s) => {
                let prefix = Prefix::of(s);
                let bytes = prefix.bytes();
                *self = Kept::Prefix(prefix);
                bytes
            }
        }
    }
}

/// The place at which a path made its first float term.
struct Start {
    /// At that instruction, about to simulate it.
    state: Kept,
    /// Shared with all paths that began here.
    number: Rc<u64>,
    /// Sides of theirs that were parked because of floats.
    parked: u64,
    /// Paths that exited.
    explored: HashSet<SeenExit>,
}

/// Bytes that an explored path takes in memory, about.
const EXPLORED_BYTES: u64 = 32;

/// The copies that are kept.
#[derive(Default)]
pub(crate) struct Starts {
    all: BTreeMap<u64, Start>,
    next: u64,
}

impl Starts {
    /// The states and prefixes that are held, for the collector.
    pub fn holders(&mut self) -> (Vec<&mut State>, Vec<&mut Prefix>) {
        let (mut states, mut prefixes) = (Vec::new(), Vec::new());
        for start in self.all.values_mut() {
            match &mut start.state {
                Kept::State(s) => states.push(&mut **s),
                Kept::Prefix(prefix) => prefixes.push(prefix),
            }
        }
        (states, prefixes)
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Frees the memory of the states and keeps their prefixes, as far as they fit in so many bytes. The others are
    /// dropped: the sides parked below them stay parked. Returns the bytes that are kept.
    pub fn spill(&mut self, room: u64) -> u64 {
        self.drop_idle();
        let mut bytes = 0;
        self.all.retain(|_, start| {
            let more = start.state.spill() + start.explored.len() as u64 * EXPLORED_BYTES;
            let fits = bytes + more <= room;
            bytes += if fits { more } else { 0 };
            fits
        });
        bytes
    }

    /// A side of this path is parked, and not kept. Is the path simulated later?
    pub fn note_parked(&mut self, s: &State) -> bool {
        let start = self.of(s);
        start.map(|start| start.parked += 1).is_some()
    }

    fn of(&mut self, s: &State) -> Option<&mut Start> {
        self.all.get_mut(s.floats.start()?)
    }

    /// Is there room for another one?
    fn has_room(&mut self) -> bool {
        if self.all.len() >= MAX_STARTS {
            self.drop_idle();
        }
        self.all.len() < MAX_STARTS
    }

    /// Drops starts below which no state is left and nothing was parked.
    fn drop_idle(&mut self) {
        self.all
            .retain(|_, start| start.parked > 0 || Rc::strong_count(&start.number) > 1);
    }

    /// The copies below which sides were parked, with the number of these. All are given away.
    pub fn take(&mut self) -> Vec<(Kept, u64)> {
        let all = std::mem::take(&mut self.all).into_values();
        all.filter(|start| start.parked > 0)
            .map(|start| {
                let mut state = start.state;
                let floats = Floats::simulated(start.explored);
                match &mut state {
                    Kept::State(s) => s.floats = floats,
                    Kept::Prefix(prefix) => prefix.floats = floats,
                }
                (state, start.parked)
            })
            .collect()
    }
}

impl Machine {
    /// Keeps a copy of a path that is about to make its first float term, in place of an operation that can be
    /// simulated.
    pub(super) fn keep_float_start(&mut self, s: &mut State) {
        if !s.floats.are_untouched() {
            return;
        }
        if !self.decider.forks() || !self.observers.simulation.starts.has_room() {
            // Asked once a path, not at each operation.
            s.floats = Floats::terms(None);
            return;
        }
        let mut state = Box::new(s.fork(&mut self.tlb));
        // It executes the operation once more, simulated.
        self.asks_again(&mut state);
        let starts = &mut self.observers.simulation.starts;
        let number = Rc::new(starts.next);
        starts.next += 1;
        let start = Start {
            state: Kept::State(state),
            number: number.clone(),
            parked: 0,
            explored: HashSet::new(),
        };
        starts.all.insert(*number, start);
        s.floats = Floats::terms(Some(number));
    }

    /// Is an undecided side at a condition simulated after one more attempt, rather than asked again and again?
    pub(crate) fn is_simulated_later(&mut self, s: &State, condition: Term, why: Why) -> bool {
        matches!(why, Why::Timeout | Why::Budget | Why::TooLarge)
            && self.reason.pool.has_float(condition)
            && self.observers.simulation.starts.of(s).is_some()
    }

    /// Counts a side that depends on symbolic floats. It is not kept: if anything, the path is simulated from its
    /// first float on.
    pub(crate) fn park_float(&mut self, s: &State) {
        if !self.was_parked(s) {
            self.turn.floats += 1;
            self.observers.simulation.starts.note_parked(s);
        }
    }

    /// A path exited. Was it explored before, with floats as terms?
    pub(crate) fn comes_again(&mut self, s: &State, status: Value) -> bool {
        let known = status.term.is_none().then_some(status.bits as i32 & 0xff);
        let end = (s.hot.hash, known);
        if let Some(start) = self.observers.simulation.starts.of(s) {
            start.explored.insert(end);
        }
        s.floats.has_seen(&end)
    }
}
