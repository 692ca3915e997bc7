//! What an engine does that shares the exploration with others: it gives states away, takes prefixes in, and says what has
//! changed of what it has yet to explore. Who the others are, and how they hear of it, is not known here.
//!
//! Each state, spilled state and parked side is a part of some *lease*: an entry of the list of what this engine has to
//! explore, as the others know it. A state that has not run since it was told of is an entry itself; one that has run, or
//! that was forked off, is a part of the entry that it came from, until the list is brought up to date
//! ([`Engine::changes`]).

use super::Engine;
use crate::event::{Ended, PathEnd, Sink};
use crate::float_start::Floats;
use crate::follow::Prefix;
use crate::machine::Machine;
use crate::portable::{PortablePrefix, Undecided};
use crate::state::State;
use crate::worker::RunLimits;
use ir::{Pc, SiteId};
use search::{Searcher, StateId};
use std::collections::{BTreeMap, HashSet};

/// Which entry of the list of what is to be explored a state belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lease {
    key: u64,
    /// It is that entry itself.
    is_told: bool,
    /// A part of its path was explored by another engine.
    is_foreign: bool,
}

impl Lease {
    /// Numbers from here on are given by who sends prefixes.
    const LEASED: u64 = 1 << 63;

    /// Of a prefix that others sent under this number.
    pub(crate) fn adopted(key: u64) -> Lease {
        Lease {
            key,
            is_told: true,
            is_foreign: true,
        }
    }

    /// The number; 0: the exploration is not shared.
    pub fn key(self) -> u64 {
        self.key
    }

    /// Was the number given by others?
    pub(crate) fn is_leased(self) -> bool {
        self.key >= Lease::LEASED
    }

    /// Was it given by others, and has not run here?
    pub(crate) fn is_new(self) -> bool {
        self.is_leased() && self.is_told
    }

    pub(crate) fn is_foreign(self) -> bool {
        self.is_foreign
    }

    pub(crate) fn of_child(self) -> Lease {
        Lease {
            is_told: false,
            ..self
        }
    }

    /// The state has run: it is no longer what was told of.
    pub(crate) fn moved_on(&mut self) {
        self.is_told = false;
    }

    /// Makes it an entry of its own, if it is none. Returns whether it was none.
    fn tell(&mut self, next: &mut u64) -> bool {
        let is_new = !self.is_told;
        if is_new {
            *next += 1;
            self.key = *next;
            self.is_told = true;
        }
        is_new
    }
}

/// The list of what is to be explored, as the others know it.
#[derive(Default)]
pub(super) struct Shared {
    told: HashSet<u64>,
    /// The number given last.
    last: u64,
    /// Nobody else explores: the list is kept for a later run.
    pub is_alone: bool,
}

/// What has changed of what an engine has yet to explore.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Entries that are gone.
    pub gone: Vec<u64>,
    /// Of all entries, how many are parked sides, by the reason.
    pub parked: BTreeMap<String, u64>,
}

impl Engine {
    /// The engine says what it has to explore ([`Engine::changes`]) although nobody else explores.
    pub fn recorded(mut self) -> Engine {
        self.shared = Some(Shared {
            is_alone: true,
            ..Shared::default()
        });
        self
    }

    /// Others explore what is left, which was told ([`Engine::changes`]): [`Engine::run`] ends, and no path with it.
    pub fn leave(&mut self) {
        self.has_left = true;
    }

    /// Can each path go on elsewhere as it would here, and may anything begin still?
    pub fn may_go_elsewhere(&self) -> bool {
        let parked = self.parked.iter().map(|p| &p.state.floats);
        let live = self.states.iter().flatten().map(|s| &s.floats);
        let spilled = self.spilled.states.iter().map(|p| &p.floats);
        let aside = self.spilled.parked.iter().map(|(p, ..)| &p.floats);
        let mut all = live.chain(parked).chain(spilled).chain(aside);
        self.tail.is_none() && self.open_checks.is_empty() && all.all(may_leave)
    }

    /// An engine without states, which takes in what others give. `first` are the states in which paths begin.
    // They come in boxes.
    #[allow(clippy::vec_box)]
    pub fn shared(
        machine: Machine,
        searcher: Box<dyn Searcher>,
        first: Vec<Box<State>>,
        limits: RunLimits,
    ) -> Engine {
        let mut engine = Engine::new(machine, searcher, Vec::new(), limits);
        engine.first = first.into_iter().map(|s| *s).collect();
        engine.shared = Some(Shared::default());
        engine
    }

    /// The engine may take so many bytes of memory from now on. It lets go of what is too much when it looks at memory next.
    pub fn resize(&mut self, memory: u64) {
        crate::watch::limit_memory(memory);
        self.worker.resize(memory);
        self.spilled.resize(memory);
    }

    /// States that are there to run, spilled ones included.
    pub fn live(&self) -> usize {
        self.searcher.len() + self.spilled.len()
    }

    /// Are there sides that the solver has not decided?
    pub fn has_parked(&self) -> bool {
        !self.parked.is_empty() || !self.spilled.parked.is_empty()
    }

    /// Others have covered this site: nobody needs to look for it any more.
    pub fn covered_elsewhere(&mut self, site: SiteId) {
        self.features.covered(site);
    }

    /// Takes in a prefix that others gave, as the lease of this number. It is followed soon if there is plenty of memory, else when
    /// nothing else is left to run.
    ///
    /// # Errors
    /// In words: these bytes are no prefix of this program.
    pub fn adopt(&mut self, lease: u64, bytes: &[u8]) -> Result<(), String> {
        let portable = PortablePrefix::from_bytes(bytes)?;
        if portable.start as usize >= self.first.len() {
            return Err(format!("the program has no start {}", portable.start));
        }
        let undecided = portable.undecided;
        let prefix = portable.prefix(&mut self.worker.machine, lease)?;
        if let Some(shared) = &mut self.shared {
            shared.told.insert(lease);
        }
        match undecided {
            None => self.spilled.put_back(prefix),
            Some(side) => {
                self.worker.counters.park(side.why(), 1);
                self.spilled.adopt_parked(prefix, side.why(), side.effort);
            }
        }
        Ok(())
    }

    /// Gives away the least deep states, at most `n` and at most half of them. Who takes them explores what they lead to.
    pub fn give(&mut self, n: usize) -> Vec<Vec<u8>> {
        // By depth, then live states (by id) before spilled ones (by place).
        let slots = self.states.iter().enumerate();
        let live = slots.filter_map(|(slot, s)| {
            let s = s.as_ref().filter(|s| may_leave(&s.floats))?;
            Some((s.progress.depth, false, slot))
        });
        let spilled = self.spilled.states.iter().enumerate();
        let spilled = spilled.filter(|(_, p)| may_leave(&p.floats));
        let spilled = spilled.map(|(place, p)| (p.progress.depth, true, place));
        let mut all: Vec<(u32, bool, usize)> = live.chain(spilled).collect();
        let n = n.min(self.live() / 2).min(all.len());
        if n == 0 {
            return Vec::new();
        }
        all.select_nth_unstable(n - 1);
        all.truncate(n);
        all.sort_unstable();
        let places = |spilled: bool| {
            let chosen = all.iter().filter(move |c| c.1 == spilled);
            let mut places: Vec<usize> = chosen.map(|c| c.2).collect();
            places.sort_unstable();
            places
        };
        let mut prefixes = self.spilled.take(&places(true));
        for slot in places(false) {
            if let Some(s) = self.states[slot].take() {
                prefixes.push(Prefix::of(&s));
                self.forget(StateId(slot as u32));
            }
        }
        self.worker.counters.given += prefixes.len() as u64;
        let m = &self.worker.machine;
        let portable = prefixes.iter().map(|p| PortablePrefix::of(m, p, None));
        portable.map(|p| p.to_bytes()).collect()
    }

    /// What has changed since this was asked last of what there is to explore; with `whole`, all that there is. Prefixes of
    /// new entries, with their numbers, go to `new`, which says whether to go on. `None`: it did not; then nothing that was
    /// told counts.
    pub fn changes(
        &mut self,
        whole: bool,
        new: &mut dyn FnMut(u64, Vec<u8>) -> bool,
    ) -> Option<Changes> {
        let Engine {
            worker,
            states,
            parked,
            spilled,
            shared: Some(shared),
            ..
        } = self
        else {
            return Some(Changes::default());
        };
        let m = &worker.machine;
        let mut changes = Changes::default();
        let mut now = HashSet::with_capacity(shared.told.len());
        let last = &mut shared.last;
        let mut goes_on = true;
        let mut tell = |lease: &mut Lease, prefix: &dyn Fn() -> PortablePrefix| {
            if goes_on && (lease.tell(last) || whole) {
                goes_on = new(lease.key, prefix().to_bytes());
            }
            now.insert(lease.key);
        };
        for s in states.iter_mut().flatten() {
            let mut lease = s.lease;
            tell(&mut lease, &|| PortablePrefix::of(m, &Prefix::of(s), None));
            s.lease = lease;
        }
        for p in &mut spilled.states {
            let mut lease = p.lease;
            tell(&mut lease, &|| PortablePrefix::of(m, p, None));
            p.lease = lease;
        }
        let mut by_reason: BTreeMap<String, u64> = BTreeMap::new();
        for p in parked {
            let side = Undecided::new(p.why, p.effort);
            *by_reason.entry(p.why.name().into()).or_default() += 1;
            let mut lease = p.state.lease;
            tell(&mut lease, &|| {
                PortablePrefix::of(m, &Prefix::of(&p.state), Some(side))
            });
            p.state.lease = lease;
        }
        for (p, why, effort) in &mut spilled.parked {
            let side = Undecided::new(*why, *effort);
            *by_reason.entry(why.name().into()).or_default() += 1;
            let mut lease = p.lease;
            tell(&mut lease, &|| PortablePrefix::of(m, p, Some(side)));
            p.lease = lease;
        }
        if !goes_on {
            return None;
        }
        changes.parked = by_reason;
        changes.gone = shared.told.difference(&now).copied().collect();
        changes.gone.sort_unstable();
        shared.told = now;
        Some(changes)
    }
}

/// The machine's word on assumptions: one that no path gets past is an error, but only all engines together know.
#[derive(Clone, Debug, Default)]
pub struct AssumptionNews {
    /// Instructions at which an assumption held on some path.
    pub held: Vec<Pc>,
    /// Instructions at which one failed, and none has held here; with the error that it is if none does anywhere.
    pub unmet: Vec<(Pc, PathEnd)>,
}

impl Engine {
    /// What is known of assumptions. Those that failed are told once.
    pub fn assumptions(&mut self, sink: &mut dyn Sink) -> AssumptionNews {
        let m = &mut self.worker.machine;
        let held = m.held_assumptions().collect();
        let mut unmet = Vec::new();
        m.tell_unmet(&mut |m, s, why| {
            let end = Ended {
                why: &why,
                is_new: true,
            };
            let wants_input = sink.wants_input(s, &end);
            unmet.push((s.pc, m.path_end(s, &end, wants_input)));
        });
        AssumptionNews { held, unmet }
    }
}

/// Can the path go on elsewhere as it would here? Not if its floats may have to be simulated from an earlier place on.
fn may_leave(floats: &Floats) -> bool {
    match floats {
        Floats::Untouched | Floats::Terms(None) => true,
        Floats::Terms(Some(_)) => false,
        Floats::Simulated(explored) => explored.is_empty(),
    }
}
