//! States that were spilled to free their memory: their prefixes wait until there is room.
//!
//! The latest one comes back first, since the caches are likely to have what it shares with the paths just explored.
//! Prefixes may take a part of the run's memory; those beyond it go to the disk ([`Pile`]). If there is no room on
//! disk either, a state is ended for good instead.

use super::Engine;
use crate::endings::Ending;
use crate::errors::Termination;
use crate::event::LiveEnd;
use crate::follow::Followed;
use crate::lease::Lease;
use crate::machine::Machine;
pub(super) use crate::pile::Waiting;
use crate::pile::{Pile, part_of};
use crate::portable::PortablePrefix;
use crate::prefix::Prefix;
use crate::state::State;
use crate::turn::Parked;
use crate::worker::Worker;
use dse::Undecided;
use explore::{List, Sink};
use host::shelf::Shelf;
use search::StateId;
use solver::Why;

/// Spilled states that are rebuilt at a time.
const TAKEN_UP: usize = 8;
/// States that a searcher can choose well among.
const ENOUGH: usize = 64;
/// Beyond these, states that others gave are rebuilt while that takes at most one of so many instructions.
const FOLLOWED: u64 = 3;
/// States that are spilled between two looks at the memory: it falls late, and until then their prefixes are in it, too.
const LOOK_AFTER: usize = 512;

/// The spilled states.
pub(in crate::engine) struct Spilled {
    pub states: Pile,
    /// Sides that the solver could not decide.
    pub parked: Pile,
    /// Bytes of the prefixes that lead to where simulation of floats begins; they are kept elsewhere.
    pub float_starts: u64,
    most: u64,
    /// Prefixes that do not fit in memory may go to the disk.
    has_disk: bool,
    /// Why the disk took no more.
    refused: Option<String>,
}

impl Waiting {
    /// The prefix of a state of this machine; of a parked side with the reason, and the effort of its next query.
    pub(super) fn of(m: &Machine, prefix: &Prefix, side: Option<(Why, u64)>) -> Waiting {
        let undecided = side.map(|(why, effort)| Undecided { why, effort });
        let is_bound = !prefix.floats.may_leave();
        Waiting {
            bytes: PortablePrefix::of(m, prefix, undecided).to_bytes(),
            lease: prefix.lease,
            depth: prefix.progress.depth,
            is_unsaved: prefix.progress.covered_new,
            why: side.map(|(why, _)| why),
            floats: is_bound.then(|| prefix.floats.clone()),
        }
    }

    /// The prefix, and the effort of the next query if it is of a parked side.
    fn prefix(&self, m: &mut Machine) -> Result<(Prefix, u64), String> {
        let portable = PortablePrefix::from_bytes(&self.bytes)?;
        let effort = portable.undecided.map_or(0, |side| side.effort);
        let mut prefix = portable.prefix(m, self.lease.key())?;
        prefix.lease = self.lease;
        if let Some(floats) = &self.floats {
            prefix.floats = floats.clone();
        }
        Ok((prefix, effort))
    }
}

impl Waiting {
    /// Its prefix, while it waits on: it belongs to no entry of the frontier.
    pub(super) fn copy(&self, m: &mut Machine) -> Result<Prefix, String> {
        let (prefix, _) = self.prefix(m)?;
        Ok(prefix)
    }
}

impl Spilled {
    /// For a run with so much memory, in bytes; 0 = no limit.
    pub fn new(cap: u64) -> Spilled {
        Spilled {
            states: Pile::new(),
            parked: Pile::new(),
            float_starts: 0,
            most: part_of(cap),
            has_disk: false,
            refused: None,
        }
    }

    /// The run's memory has another size now.
    pub fn resize(&mut self, cap: u64) {
        self.most = part_of(cap);
    }

    /// Prefixes that do not fit in memory go to this shelf.
    pub fn spill_to(&mut self, shelf: &Shelf) {
        self.has_disk = shelf.most_disk() > 0;
        self.states.spill_to(shelf.clone());
        self.parked.spill_to(shelf.clone());
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Bytes in memory.
    fn size(&self) -> u64 {
        self.states.size() + self.parked.size() + self.float_starts
    }

    /// Moves prefixes beyond so many bytes to the disk. Returns whether the rest fits.
    fn sink_to(&mut self, most: u64, list: &mut Option<List>) -> bool {
        while self.size() > most {
            let larger = if self.states.size() >= self.parked.size() {
                &mut self.states
            } else {
                &mut self.parked
            };
            match larger.sink(list) {
                Ok(true) => {}
                Ok(false) => return false,
                Err(why) => {
                    self.refused = Some(why);
                    return false;
                }
            }
        }
        true
    }

    /// Keeps a prefix, if there is room.
    pub fn keep(&mut self, waiting: Waiting, list: &mut Option<List>) -> bool {
        let is_parked = waiting.why.is_some();
        self.pile(is_parked).push(waiting);
        let fits = self.sink_to(self.most, list);
        // What is still in memory may go again.
        fits || self.pile(is_parked).pop_latest().is_none()
    }

    /// Keeps a prefix that there was room for before, or that others gave.
    pub fn put_back(&mut self, waiting: Waiting, list: &mut Option<List>) {
        self.pile(waiting.why.is_some()).push(waiting);
        self.sink_to(self.most, list);
    }

    fn pile(&mut self, is_parked: bool) -> &mut Pile {
        if is_parked {
            &mut self.parked
        } else {
            &mut self.states
        }
    }
}

impl Engine {
    /// When memory is short: lets go of what can be made again, then of states: the least promising quarter is spilled, unless states are to
    /// be lost at random.
    pub(super) fn make_room(&mut self, sink: &mut dyn Sink) {
        self.worker.counters.shortages += 1;
        for p in std::mem::take(&mut self.parked) {
            if !self.leave_to_simulation(&p) {
                let side = Some((p.why, p.effort));
                let waiting = Waiting::of(&self.worker.machine, &Prefix::of(&p.state), side);
                // What there is no room for stays parked for good.
                self.spilled.keep(waiting, &mut self.shared);
            }
        }
        for check in std::mem::take(&mut self.open_checks) {
            self.worker.machine.observers.float_checks.give_up(&check);
        }
        self.spilled.float_starts = 0;
        let most = self.spilled.most;
        if !self.worker.machine.observers.simulation.starts.is_empty() {
            // These stay in memory.
            self.spilled.sink_to(most / 2, &mut self.shared);
        }
        let room = most.saturating_sub(self.spilled.size());
        self.spilled.float_starts = self.worker.machine.observers.simulation.starts.spill(room);
        let mut after = self.reclaim(false);
        if self.worker.pressure.is_over(after) {
            let (go, ending) = self.leave_for_memory();
            self.evict(go, ending, sink);
            after = self.reclaim(true);
        }
        self.worker.pressure.settle(after);
        self.tell_of_the_disk();
        if self.searcher.len() <= 1 {
            // Nothing to choose from: it goes on until its memory is refused.
            self.worker.pressure.let_grow(after);
        }
    }

    /// The states that leave the memory when it is short, and how: the least promising quarter is spilled; where states are lost
    /// instead, it is a random share of them ([`search::RandomDrop`]).
    fn leave_for_memory(&mut self) -> (Vec<StateId>, Ending) {
        match &mut self.random_drop {
            Some(drop) => {
                let live = self.states.iter().map(|(id, _)| id).collect();
                (drop.choose(live), Ending::RandomDrop)
            }
            None => {
                let live = self.searcher.len();
                (self.least_promising((live / 4).max(1)), Ending::Memory)
            }
        }
    }

    /// Lets these states go. For memory they are spilled, and rebuilt when nothing else is left; the last one goes only
    /// when it alone fills the memory, and then for good. With another ending they leave their tests.
    pub(super) fn evict(&mut self, ids: Vec<StateId>, ending: Ending, sink: &mut dyn Sink) {
        let for_memory = ending == Ending::Memory;
        let stop = self.worker.machine.stop();
        for (done, id) in ids.into_iter().enumerate() {
            if stop.is_set() {
                break;
            }
            if for_memory && done % LOOK_AFTER == LOOK_AFTER - 1 {
                // What is free inside the allocator goes back to the system, if there is much of it.
                self.worker.counters.look_at_memory();
                if room::is_full() {
                    self.spilled.sink_to(0, &mut self.shared);
                }
            }
            let is_last = self.searcher.len() <= 1;
            if for_memory && is_last && !room::is_full() {
                break;
            }
            let Some(s) = self.states.take(id, &mut self.shared) else {
                continue;
            };
            let is_to_wait = for_memory && !is_last;
            if is_to_wait && self.spill(&s) {
                self.worker.counters.spilled += 1;
                if s.progress.covered_new {
                    // The run may end before anybody comes back to it.
                    let (why, is_new) = (&Termination::Cut(ending), false);
                    self.worker.tell(&s, &LiveEnd::new(why, is_new), sink);
                }
            } else {
                let ending = match ending {
                    Ending::Memory if is_to_wait && self.spilled.has_disk => Ending::Disk,
                    ending => ending,
                };
                self.finish(&s, &Termination::Cut(ending), sink);
                self.worker.tick(sink);
            }
            self.forget(id);
        }
    }

    /// The run has to end, for this reason, in the middle of an instruction of this state that has decided nothing: what leads up to that
    /// instruction is left to explore.
    pub(super) fn put_off(&mut self, s: &mut State, why: &Termination, sink: &mut dyn Sink) {
        if s.progress.covered_new {
            self.worker.tell(s, &LiveEnd::new(why, false), sink);
        }
        s.lease.moved_on();
        let mut prefix = Prefix::before_end(s);
        prefix.progress.covered_new = false;
        let waiting = Waiting::of(&self.worker.machine, &prefix, None);
        self.spilled.put_back(waiting, &mut self.shared);
    }

    /// Keeps the prefix of a state, if there is room.
    fn spill(&mut self, s: &State) -> bool {
        if s.seeds.lead() {
            let text = "memory was short while seeds ran: some of them do not run to their end as they are given (--memory gives more)";
            self.worker.machine.warn_once(text.into());
        }
        // What it covered is told of when it goes.
        let mut prefix = Prefix::of(s);
        prefix.progress.covered_new = false;
        let waiting = Waiting::of(&self.worker.machine, &prefix, None);
        self.spilled.keep(waiting, &mut self.shared)
    }

    /// Counts the prefixes that could not be read again, and reports what is wrong with the disk.
    fn tell_of_the_disk(&mut self) {
        let Worker {
            machine, counters, ..
        } = &mut self.worker;
        if let Some((lost, why)) = self.spilled.states.lost() {
            counters.endings.add(Ending::Disk, lost);
            counters.partial += lost;
            machine.warn_once(format!("spilled states cannot be read again: {why}"));
        }
        // Sides that are lost stay counted as parked.
        if let Some((_, why)) = self.spilled.parked.lost() {
            machine.warn_once(format!("spilled states cannot be read again: {why}"));
        }
        if let Some(why) = self.spilled.refused.take() {
            machine.warn_once(format!("states cannot be spilled to the disk: {why}"));
        }
    }

    /// Frees unused memory; returns the bytes that are still in use.
    fn reclaim(&mut self, evicted: bool) -> u64 {
        self.worker.machine.reason.solver.shed();
        if self.worker.collection_pays(evicted) {
            self.collect();
        }
        self.worker.counters.look_at_memory()
    }

    /// Rebuilds some of the states that other workers have just given, or that an earlier run has left, so that the searcher can choose
    /// among them: a few at once, and more if there is plenty of memory and others have explored enough meanwhile. The others wait
    /// like spilled ones.
    pub(super) fn settle_in(&mut self, sink: &mut dyn Sink) {
        if !self
            .spilled
            .states
            .top()
            .back()
            .is_some_and(|w| w.lease.is_new())
        {
            return;
        }
        let counters = &self.worker.counters;
        let is_time = match self.worker.limits.budget {
            _ if self.searcher.len() < ENOUGH => true,
            // What it does not come to, it would follow in vain.
            Some(_) => false,
            // A resumed run is given a hundred thousand, each of which takes milliseconds: what they lead to pays for them.
            None => {
                let is_paid = FOLLOWED * counters.followed_instructions < counters.instructions;
                is_paid && self.worker.pressure.has_plenty(counters.memory_bytes)
            }
        };
        if is_time {
            self.rebuild_latest(&Lease::is_new, sink);
        }
    }

    /// Rebuilds some of the states that were spilled, when nothing else is left to run. Returns whether there are any.
    pub(super) fn take_up(&mut self, sink: &mut dyn Sink) -> bool {
        let any = self.rebuild_latest(&|_| true, sink);
        if self.worker.leaves_parked() {
            return any;
        }
        while !any && self.parked.len() < TAKEN_UP {
            let Some(waiting) = self.spilled.parked.pop(&mut self.shared) else {
                break;
            };
            // What does not come back stays counted as parked.
            match (self.rebuild_waiting(&waiting, sink), waiting.why) {
                ((Followed::Here(state), effort), Some(why)) => self.parked.push(Parked {
                    state,
                    why,
                    effort,
                    then_simulated: false,
                }),
                ((Followed::Here(_), _), None) => {}
                ((Followed::Ended(s, why @ Termination::Internal(_)), _), _) => {
                    self.worker.finish(&s, &why, sink);
                }
                ((Followed::Ended(..), _), _) => {}
                ((Followed::Stopped, _), _) => return true,
            }
        }
        self.tell_of_the_disk();
        any || !self.parked.is_empty()
    }

    /// Rebuilds a few of the states that were spilled last, as long as they are `wanted`. Returns whether there are any.
    fn rebuild_latest(&mut self, wanted: &dyn Fn(Lease) -> bool, sink: &mut dyn Sink) -> bool {
        let mut any = false;
        for _ in 0..TAKEN_UP {
            let latest = self.spilled.states.peek(&mut self.shared);
            if !latest.is_some_and(wanted) {
                break;
            }
            let Some(mut waiting) = self.spilled.states.pop(&mut self.shared) else {
                break;
            };
            any = true;
            match self.rebuild_waiting(&waiting, sink).0 {
                Followed::Here(s) => {
                    let counters = &mut self.worker.counters;
                    if waiting.lease.is_leased() {
                        counters.adopted += 1;
                    } else {
                        counters.taken_up += 1;
                    }
                    self.add(s, None);
                }
                Followed::Ended(_, Termination::Cut(Ending::Memory))
                    if !self.searcher.is_empty() =>
                {
                    // Others have the memory that it takes: it waits until they are done.
                    waiting.lease.moved_on();
                    self.spilled.put_back(waiting, &mut self.shared);
                    break;
                }
                Followed::Ended(s, why) => self.worker.finish(&s, &why, sink),
                Followed::Stopped => {
                    self.spilled.put_back(waiting, &mut self.shared);
                    return true;
                }
            }
        }
        any
    }

    /// Rebuilds a waiting state; a parked side with the effort of its next query. Memory is not checked between two of
    /// these: if there is no room, the caches are freed, and it is tried once more.
    fn rebuild_waiting(&mut self, waiting: &Waiting, sink: &mut dyn Sink) -> (Followed, u64) {
        let rebuilt = self.try_to_rebuild(waiting, sink);
        if !matches!(
            rebuilt.0,
            Followed::Ended(_, Termination::Cut(Ending::Memory))
        ) {
            return rebuilt;
        }
        drop(rebuilt);
        self.reclaim(true);
        self.try_to_rebuild(waiting, sink)
    }

    fn try_to_rebuild(&mut self, waiting: &Waiting, sink: &mut dyn Sink) -> (Followed, u64) {
        match waiting.prefix(&mut self.worker.machine) {
            Ok((prefix, effort)) => (self.rebuild(&prefix, sink), effort),
            Err(_) if self.worker.machine.stop().is_set() => (Followed::Stopped, 0),
            Err(why) => {
                let start = self.first[0].fork(&mut self.worker.machine.tlb);
                let why = format!("a prefix that was kept: {why}");
                let ended = Followed::Ended(Box::new(start), Termination::Internal(why));
                (ended, 0)
            }
        }
    }

    pub(super) fn rebuild(&mut self, prefix: &Prefix, sink: &mut dyn Sink) -> Followed {
        let start = &self.first[prefix.start as usize];
        self.worker.follow(start, prefix, sink)
    }

    /// Follows a path that ended once more, and checks that it comes to the same end. If not, returns the difference.
    pub(super) fn check_prefix(
        &mut self,
        s: &State,
        why: &Termination,
        sink: &mut dyn Sink,
    ) -> Option<Termination> {
        if !why.ending().is_complete() {
            return None;
        }
        match self.rebuild(&Prefix::before_end(s), sink) {
            Followed::Here(_) => {
                self.worker.counters.followed += 1;
                None
            }
            Followed::Ended(_, why @ Termination::Internal(_)) => Some(why),
            Followed::Ended(..) | Followed::Stopped => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bare::Bare;
    use crate::turn::Turn;
    use crate::worker::RunLimits;
    use explore::{Ended, InDoubt, PathEnd, PathOutcome};

    /// Two paths: the second one is spilled where it was forked off.
    const PROGRAM: &str = r#"
entry main main
extern symbolic
extern panic
global x size 1

function main(32, 64, 64) -> (32)
    CallSite extern symbolic(64 &x) -> ()
    r3 = Load.1 &x
    CmpBranch.Ult.8 r3, 10, low, high
low:
    Ret 0
high:
"#;
    const EXITS: &str = "    Ret 1\n";
    const PANICS: &str = "    CallSite extern panic() -> ()\n    Ret 1\n";

    #[derive(Default)]
    struct Ends(Vec<PathEnd>);

    impl Sink for Ends {
        fn wants_input(&mut self, _: Ended) -> bool {
            true
        }

        fn ended(&mut self, path: PathEnd) -> Option<InDoubt> {
            self.0.push(path);
            None
        }
    }

    /// Explores the program, whose second path ends with `end`. `harm` is done to the spilled prefix, and it is taken up
    /// in `room` bytes (0: no limit); `alone`: the first path is no longer alive then.
    fn explore(
        end: &str,
        harm: fn(&mut Prefix),
        (room, alone): (u64, bool),
    ) -> (Engine, Vec<PathEnd>) {
        let mut machine = Bare::machine(&format!("{PROGRAM}{end}"));
        let first = machine.first_states(memory::Checks::default());
        let first = first.expect("the program has a beginning");
        let searcher = search::parse("dfs", &search::SearchOptions::default()).expect("it exists");
        let limits = RunLimits {
            memory: 1 << 40,
            ..RunLimits::default()
        };
        let (mut engine, mut sink) = (
            Engine::new(machine, searcher, first, limits),
            Ends::default(),
        );
        let id = engine.select().expect("the first state");
        let mut s = engine
            .states
            .take(StateId(0), &mut None)
            .expect("the first state");
        let mut turn = Turn::default();
        let stop = engine.worker.run(&mut s, &mut turn, &mut sink);
        let child = turn.forks.pop().expect("the branch forks");
        let mut prefix = Prefix::of(&child);
        harm(&mut prefix);
        let waiting = Waiting::of(&engine.worker.machine, &prefix, None);
        assert!(engine.spilled.keep(waiting, &mut None));
        drop(child);
        engine.settle(id, s, stop, &mut turn, &mut sink);
        if alone {
            drop(engine.states.take(id, &mut None));
            engine.forget(id);
        }
        room::set_limit(room);
        assert!(engine.take_up(&mut sink));
        room::set_limit(0);
        assert_eq!(engine.explore(&mut sink), None);
        (engine, sink.0)
    }

    /// How often paths ended so, and with so many states taken up.
    fn ends(engine: &Engine) -> (u64, u64, u64, u64) {
        let n = &engine.worker.counters;
        let of = |ending| n.endings.of(ending);
        (
            of(Ending::Exit),
            of(Ending::Internal),
            of(Ending::Memory),
            n.taken_up,
        )
    }

    fn internal(told: &[PathEnd]) -> (&PathEnd, &str) {
        let mut ends = told.iter().filter_map(|t| match &t.outcome {
            PathOutcome::Internal(what) => Some((t, what.as_str())),
            _ => None,
        });
        ends.next().expect("an internal error")
    }

    /// One test: the limit of memory is the whole process's.
    #[test]
    fn a_spilled_state_comes_back_or_has_an_end_that_is_told() {
        let (engine, _) = explore(EXITS, |_| {}, (0, false));
        assert_eq!(ends(&engine), (2, 0, 0, 1));

        // The engine contradicts itself: its error, with the input that led there.
        let (engine, told) = explore(EXITS, |prefix| prefix.hash ^= 1, (0, false));
        assert_eq!(ends(&engine), (1, 1, 0, 0));
        let (path, what) = internal(&told);
        assert!(what.contains("another path"), "{what}");
        assert!(path.input.is_some() && path.objects[0].bytes[0] >= 10);

        // A panic on the way.
        let (engine, told) = explore(
            PANICS,
            |prefix| prefix.progress.instructions += 1,
            (0, false),
        );
        assert_eq!(ends(&engine), (1, 1, 0, 0));
        let (_, what) = internal(&told);
        assert!(what.contains("asked for"), "{what}");

        // No memory for it beside the other path: it waits for that.
        let (engine, _) = explore(EXITS, |_| {}, (1, false));
        assert_eq!(ends(&engine), (2, 0, 0, 1));

        // No memory for it alone: nothing is wrong with the engine.
        let (engine, told) = explore(EXITS, |_| {}, (1, true));
        assert_eq!(ends(&engine), (0, 0, 1, 0));
        let is_told = |t: &PathEnd| matches!(t.outcome, PathOutcome::Cut(Ending::Memory));
        assert!(told.iter().any(is_told));
        assert_eq!(engine.worker.counters.partial, 1);
    }
}
