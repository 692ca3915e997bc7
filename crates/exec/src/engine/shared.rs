//! The part of an engine that shares the exploration with other workers, see [`Exploration`]: it gives states away,
//! takes prefixes in, and reports the changes of its frontier.
//!
//! Each state, spilled state and parked side belongs to a *lease*: an entry of this engine's frontier as the other
//! workers know it. A state that has not run since it was reported is an entry itself; a state that has run, or that
//! was forked off, belongs to the entry that it came from, until the list is brought up to date
//! ([`Exploration::changes`]).

use super::Engine;
use super::prune::Pruning;
use crate::endings::Halt;

use crate::floats::Floats;
use crate::machine::Machine;
use crate::pile::Waiting;
use crate::portable::{PortablePrefix, Pruned};
use crate::state::State;
use crate::worker::RunLimits;
use dse::Undecided;
use explore::{
    AssumptionNews, Changes, Exploration, Hear, List, ObjectBytes, Place, Places, Sink, SoFar,
    Totals,
};
use host::shelf::Shelf;
use search::{Searcher, StateId};

impl Engine {
    /// An engine without states, which takes in states that other workers give. Paths begin in the states `first`.
    // They come in boxes.
    #[allow(clippy::vec_box)]
    pub fn shared(
        machine: Machine,
        searcher: Box<dyn Searcher>,
        first: Vec<Box<State>>,
        limits: RunLimits,
    ) -> Engine {
        let mut engine = Engine::new(machine, searcher, Vec::new(), limits);
        engine.begin_in(first.len());
        engine.first = first.into_iter().map(|s| *s).collect();
        engine.shared = Some(List::default());
        engine
    }

    /// Waiting states that do not fit in memory go to this shelf on disk.
    pub fn spill_to(&mut self, shelf: &Shelf) {
        self.spilled.spill_to(shelf);
    }
}

impl SoFar for Engine {
    fn totals(&mut self) -> Totals {
        self.worker.totals()
    }

    fn news(&mut self) -> Places {
        self.worker.news()
    }
}

impl Exploration for Engine {
    fn run(&mut self, sink: &mut dyn Sink) -> Option<Halt> {
        self.explore(sink)
    }

    fn record(&mut self) {
        self.shared = Some(List::alone());
    }

    fn leave(&mut self) {
        self.has_left = true;
    }

    fn may_go_elsewhere(&self) -> bool {
        let parked = self.parked.iter().map(|p| &p.state.floats);
        let live = self.states.iter().map(|(_, s)| &s.floats);
        let spilled = [&self.spilled.states, &self.spilled.parked];
        self.tail.is_none()
            && self.open_checks.is_empty()
            && !self.states.iter().any(|(_, s)| s.seeds.lead())
            && live.chain(parked).all(Floats::may_leave)
            && self.pruning.iter().all(|p| p.may_go_elsewhere())
            && spilled.iter().all(|pile| pile.may_go_elsewhere())
    }

    fn resize(&mut self, memory: u64) {
        crate::watch::limit_memory(memory);
        self.worker.resize(memory);
        self.spilled.resize(memory);
        self.pruning.iter_mut().for_each(|p| p.resize(memory));
    }

    fn live(&self) -> usize {
        let waiting = self.pruning.as_ref().map_or(0, Pruning::waiting);
        self.searcher.len() + self.spilled.len() + waiting
    }

    fn has_parked(&self) -> bool {
        !self.parked.is_empty() || !self.spilled.parked.is_empty()
    }

    fn look_at_others(&mut self, is_covered: &mut dyn FnMut(Place) -> bool) {
        for site in self.worker.covered_by_others(is_covered) {
            self.features.covered(site);
        }
    }

    fn work(&self) -> u64 {
        self.worker.work()
    }

    fn rejected(&self) -> Vec<String> {
        self.worker.machine.reason.solver.rejected().to_vec()
    }

    fn assumptions(&mut self, sink: &mut dyn Sink) -> AssumptionNews {
        self.worker.assumptions(sink)
    }

    fn run_input(&mut self, parts: &[ObjectBytes]) -> bool {
        let entries: Vec<&State> = self.first.iter().collect();
        let input = self.worker.machine.seed(&entries, parts);
        let is_one = input.is_some();
        self.heard.extend(input);
        is_one
    }

    fn adopt(&mut self, lease: u64, bytes: &[u8]) -> Result<(), String> {
        let portable = PortablePrefix::from_bytes(bytes)?;
        if portable.start as usize >= self.first.len() {
            return Err(format!("the program has no start {}", portable.start));
        }
        let why = portable.undecided.map(|side| side.why);
        let (depth, is_unsaved) = (portable.depth(), portable.is_unsaved());
        let is_bound = portable.has_explored();
        let pruned = portable.pruned;
        let prefix = portable.prefix(&mut self.worker.machine, lease)?;
        if let Some(shared) = &mut self.shared {
            shared.adopt(lease);
        }
        if let Some(why) = why {
            self.worker.counters.park(why.name(), 1);
        }
        if self.pruning.is_some() && pruned == Pruned::Waits {
            self.wait_for(prefix);
            return Ok(());
        }
        if pruned == Pruned::HasTest {
            self.has_test(prefix.identity());
        }
        let waiting = Waiting {
            bytes: bytes.to_vec(),
            lease: prefix.lease,
            depth,
            is_unsaved,
            why,
            floats: is_bound.then_some(prefix.floats),
        };
        self.spilled.put_back(waiting, &mut self.shared);
        Ok(())
    }

    fn give(&mut self, n: usize) -> Vec<Vec<u8>> {
        // By depth, then live states (by id) before pruned ones and spilled ones (by place). Of those on the disk none, unless little else
        // is left.
        let waiting = self.pruning.as_ref().map_or(0, Pruning::waiting);
        let missing = (2 * n).saturating_sub(self.searcher.len() + waiting);
        self.spilled.states.fill(missing, &mut self.shared);
        let live = self.states.iter();
        let live = live.filter(|(_, s)| s.floats.may_leave() && !s.is_deferred && !s.seeds.lead());
        let live = live.map(|(id, s)| (s.progress.depth, From::Live, id.0 as usize));
        let spilled = self.spilled.states.top().iter().enumerate();
        let spilled = spilled.filter(|(_, w)| w.floats.is_none());
        let spilled = spilled.map(|(place, w)| (w.depth, From::Spilled, place));
        let pruned = self.pruning.iter_mut().flat_map(Pruning::prefixes);
        let pruned = pruned.filter(|(_, p)| p.floats.may_leave());
        let pruned = pruned.map(|(place, p)| (p.progress.depth, From::Pruned, place));
        let mut all: Vec<(u32, From, usize)> = live.chain(pruned).chain(spilled).collect();
        let n = n.min(self.live() / 2).min(all.len());
        if n == 0 {
            return Vec::new();
        }
        all.select_nth_unstable(n - 1);
        all.truncate(n);
        all.sort_unstable();
        let places = |from: From| {
            let chosen = all.iter().filter(move |c| c.1 == from);
            let mut places: Vec<usize> = chosen.map(|c| c.2).collect();
            places.sort_unstable();
            places
        };
        let spilled = self.spilled.states.take(&places(From::Spilled)).into_iter();
        let mut given: Vec<Vec<u8>> = spilled.map(|w| w.bytes).collect();
        for place in places(From::Pruned) {
            given.extend(self.give_waiting(place));
        }
        for id in places(From::Live) {
            let id = StateId(id as u32);
            if let Some(s) = self.states.take(id, &mut self.shared) {
                let pruned = pruned_of(self.pruning.as_ref(), &s);
                let prefix = PortablePrefix::of_state(&self.worker.machine, &s, None);
                given.push(prefix.pruned(pruned).to_bytes());
                self.forget(id);
            }
        }
        self.worker.counters.given += given.len() as u64;
        given
    }

    fn changes(&mut self, whole: bool, new: &mut Hear<'_>) -> Option<Changes> {
        let Engine {
            worker,
            states,
            parked,
            spilled,
            pruning,
            shared: Some(list),
            ..
        } = self
        else {
            return Some(Changes::default());
        };
        let m = &worker.machine;
        let mut list = list.update(whole, new);
        states.tell(&mut list, &mut |s, bytes| {
            let prefix = PortablePrefix::of_state(m, s, None);
            prefix.pruned(pruned_of(pruning.as_ref(), s)).write(bytes);
        });
        if let Some(pruning) = pruning {
            list.pruned(pruning.waiting() as u64);
            for (_, prefix) in pruning.prefixes() {
                let mut lease = prefix.lease;
                lease.show(&mut list, |bytes| {
                    let prefix = PortablePrefix::of(m, prefix, None);
                    prefix.pruned(Pruned::Waits).write(bytes);
                });
                prefix.lease = lease;
            }
        }
        spilled.states.tell(&mut list);
        for p in parked {
            let side = Undecided {
                why: p.why,
                effort: p.effort,
            };
            list.parked(p.why.name(), 1);
            let mut lease = p.state.lease;
            lease.show(&mut list, |bytes| {
                PortablePrefix::of_state(m, &p.state, Some(side)).write(bytes);
            });
            p.state.lease = lease;
        }
        spilled.parked.tell(&mut list);
        list.finish()
    }
}

/// The place of a state that may be given away.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum From {
    Live,
    Pruned,
    Spilled,
}

fn pruned_of(pruning: Option<&Pruning>, live: &State) -> Pruned {
    pruning.map_or(Pruned::Not, |pruning| pruning.of_live(live))
}
