//! States that were let go for their memory: their prefixes wait until there is room.
//!
//! The latest one comes back first: what it shares with the paths just explored is likely to be in the caches.
//! Prefixes are small, but not nothing; beyond a part of the run's memory a state is ended for good instead.

use super::Engine;
use crate::endings::Ending;
use crate::errors::Termination;
use crate::event::{Ended, Sink};
use crate::follow::{Followed, Prefix};
use crate::state::State;
use crate::turn::Parked;
use search::StateId;
use solver::Why;
use term::Term;

/// The part of the run's memory that prefixes may take.
const PART: u64 = 8;
/// Spilled states that are rebuilt at a time.
const TAKEN_UP: usize = 8;
/// States that a searcher can choose well among.
const ENOUGH: usize = 64;

/// What was let go.
pub(super) struct Spilled {
    pub states: Vec<Prefix>,
    /// Sides that the solver could not decide, with why and at what effort.
    pub parked: Vec<(Prefix, Why, u64)>,
    bytes: u64,
    /// Bytes of the prefixes that lead to where simulation of floats begins; they are kept elsewhere.
    pub float_starts: u64,
    most: u64,
}

impl Spilled {
    /// For a run with so much memory, in bytes; 0 = no limit.
    pub fn new(cap: u64) -> Spilled {
        Spilled {
            states: Vec::new(),
            parked: Vec::new(),
            bytes: 0,
            float_starts: 0,
            most: cap / PART,
        }
    }

    /// The run's memory has another size now.
    pub fn resize(&mut self, cap: u64) {
        self.most = cap / PART;
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Bytes of prefixes that there is room for.
    fn room(&self) -> u64 {
        self.most.saturating_sub(self.bytes + self.float_starts)
    }

    fn has_room(&mut self, prefix: &Prefix) -> bool {
        let fits = prefix.bytes() <= self.room();
        if fits {
            self.bytes += prefix.bytes();
        }
        fits
    }

    /// Keeps the prefix of a state, if there is room.
    fn push(&mut self, s: &State) -> bool {
        // What it covered is told of when it goes.
        let mut prefix = Prefix::of(s);
        prefix.progress.covered_new = false;
        let fits = self.has_room(&prefix);
        if fits {
            self.states.push(prefix);
        }
        fits
    }

    /// Keeps a parked side, if there is room; else it stays parked for good.
    fn park(&mut self, p: Parked) {
        let prefix = Prefix::of(&p.state);
        if self.has_room(&prefix) {
            self.parked.push((prefix, p.why, p.effort));
        }
    }

    /// The prefix of the state that was spilled last.
    fn pop(&mut self) -> Option<Prefix> {
        let prefix = self.states.pop()?;
        self.bytes -= prefix.bytes();
        Some(prefix)
    }

    /// The same of a parked side.
    fn pop_parked(&mut self) -> Option<(Prefix, Why, u64)> {
        let parked = self.parked.pop()?;
        self.bytes -= parked.0.bytes();
        Some(parked)
    }

    /// Those that have seen something new, of which nobody has told.
    pub fn unsaved(&self) -> u64 {
        let new = self.states.iter().filter(|p| p.progress.covered_new);
        new.count() as u64
    }

    /// Keeps a parked side of another worker.
    pub fn adopt_parked(&mut self, prefix: Prefix, why: Why, effort: u64) {
        self.bytes += prefix.bytes();
        self.parked.push((prefix, why, effort));
    }

    /// Takes the states out at these places, which ascend.
    pub fn take(&mut self, places: &[usize]) -> Vec<Prefix> {
        let mut taken = Vec::new();
        for &at in places.iter().rev() {
            let prefix = self.states.remove(at);
            self.bytes -= prefix.bytes();
            taken.push(prefix);
        }
        taken
    }

    /// Keeps a prefix that there was room for before, or that others gave.
    pub fn put_back(&mut self, prefix: Prefix) {
        self.bytes += prefix.bytes();
        self.states.push(prefix);
    }

    /// Shows the collector the terms that prefixes hold.
    pub fn trace(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        let parked = self.parked.iter_mut().map(|(prefix, ..)| prefix);
        for prefix in self.states.iter_mut().chain(parked) {
            prefix.trace(visit);
        }
    }
}

impl Engine {
    /// When memory is short: lets go of what can be made again, then spills the least promising quarter of the states.
    pub(super) fn make_room(&mut self, sink: &mut dyn Sink) {
        self.worker.counters.shortages += 1;
        for p in std::mem::take(&mut self.parked) {
            if !self.leave_to_simulation(&p) {
                self.spilled.park(p);
            }
        }
        for check in std::mem::take(&mut self.open_checks) {
            self.worker.machine.float_checks.give_up(&check);
        }
        self.spilled.float_starts = 0;
        let room = self.spilled.room();
        self.spilled.float_starts = self.worker.machine.float_starts.spill(room);
        let mut after = self.reclaim(false);
        if self.worker.pressure.is_over(after) {
            let live = self.searcher.len();
            let go = self.least_promising((live / 4).max(1));
            self.evict(go, Ending::Memory, sink);
            after = self.reclaim(true);
        }
        self.worker.pressure.settle(after);
        if self.searcher.len() <= 1 {
            // Nothing to choose from: it goes on until its memory is refused.
            self.worker.pressure.let_grow(after);
        }
    }

    /// Lets these states go. For memory they are spilled, and rebuilt when nothing else is left; the last one goes only
    /// when it alone fills the memory, and then for good. With another ending they leave their tests.
    pub(super) fn evict(&mut self, ids: Vec<StateId>, ending: Ending, sink: &mut dyn Sink) {
        let why = Termination::Cut(ending);
        let for_memory = ending == Ending::Memory;
        let stop = self.worker.machine.stop();
        for id in ids {
            let is_last = self.searcher.len() <= 1;
            if for_memory && is_last && !room::is_full() || !for_memory && stop.is_set() {
                break;
            }
            let Some(s) = self.states[id.0 as usize].take() else {
                continue;
            };
            if for_memory && !is_last && self.spilled.push(&s) {
                self.worker.counters.spilled += 1;
                if s.progress.covered_new {
                    // The run may end before anybody comes back to it.
                    let (why, is_new) = (&why, false);
                    self.worker.tell(&s, &Ended { why, is_new }, sink);
                }
            } else {
                self.finish(&s, &why, sink);
                self.worker.tick(sink);
            }
            self.forget(id);
        }
    }

    /// Gives back what nobody needs; returns the bytes that are still in use.
    fn reclaim(&mut self, evicted: bool) -> u64 {
        self.worker.machine.solver.shed();
        if self.worker.collection_pays(evicted) {
            self.collect();
        }
        self.worker.counters.look_at_memory()
    }

    /// Rebuilds some of the states that others gave just now, if there is plenty of memory: the searcher can choose among
    /// them then. The rest waits like what was spilled.
    pub(super) fn settle_in(&mut self, sink: &mut dyn Sink) {
        let is_new = |p: &Prefix| p.lease.is_new();
        if !self.spilled.states.last().is_some_and(is_new) {
            return;
        }
        let is_time = match self.worker.limits.budget {
            // What it does not come to, it would follow in vain.
            Some(_) => self.searcher.len() < ENOUGH,
            None => {
                let bytes = self.worker.counters.memory_bytes;
                self.worker.pressure.has_plenty(bytes)
            }
        };
        if is_time {
            self.rebuild_latest(&is_new, sink);
        }
    }

    /// Rebuilds some of the states that were spilled, when nothing else is left to run. Returns whether there are any.
    pub(super) fn take_up(&mut self, sink: &mut dyn Sink) -> bool {
        let any = self.rebuild_latest(&|_| true, sink);
        if self.worker.leaves_parked() {
            return any;
        }
        while !any && self.parked.len() < TAKEN_UP {
            let Some((prefix, why, effort)) = self.spilled.pop_parked() else {
                break;
            };
            // What does not come back stays counted as parked.
            match self.rebuild(&prefix, sink) {
                Followed::Here(state) => self.parked.push(Parked {
                    state,
                    why,
                    effort,
                    then_simulated: false,
                }),
                Followed::Ended(s, why @ Termination::Internal(_)) => {
                    self.worker.finish(&s, &why, sink);
                }
                Followed::Ended(..) => {}
                Followed::Stopped => return true,
            }
        }
        any || !self.parked.is_empty()
    }

    /// Rebuilds a few of the states that were spilled last, as long as they are `wanted`. Returns whether there are any.
    fn rebuild_latest(&mut self, wanted: &dyn Fn(&Prefix) -> bool, sink: &mut dyn Sink) -> bool {
        let mut any = false;
        for _ in 0..TAKEN_UP {
            if !self.spilled.states.last().is_some_and(wanted) {
                break;
            }
            let Some(prefix) = self.spilled.pop() else {
                break;
            };
            any = true;
            match self.rebuild(&prefix, sink) {
                Followed::Here(s) => {
                    let counters = &mut self.worker.counters;
                    if prefix.lease.is_leased() {
                        counters.adopted += 1;
                    } else {
                        counters.taken_up += 1;
                    }
                    self.add(s, None);
                }
                Followed::Ended(s, why) => self.worker.finish(&s, &why, sink),
                Followed::Stopped => {
                    self.spilled.put_back(prefix);
                    return true;
                }
            }
        }
        any
    }

    pub(super) fn rebuild(&mut self, prefix: &Prefix, sink: &mut dyn Sink) -> Followed {
        let start = &self.first[prefix.start as usize];
        self.worker.follow(start, prefix, sink)
    }

    /// Does a path that ended come to its end again when it is followed? If not, what is wrong.
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
    use crate::counters::Counters;
    use crate::event::{PathEnd, PathOutcome};
    use crate::machine::{Machine, MachineOptions};
    use crate::turn::Turn;
    use crate::worker::RunLimits;
    use solver::{Solver, SolverOptions};
    use std::rc::Rc;

    /// Two paths: the second one is spilled where it was forked off.
    const PROGRAM: &str = r#"
entry main main
extern klee_make_symbolic
extern __polypath_internal_error
global x size 1
global name size 2 "x"

function main(32, 64, 64) -> (32)
    CallSite extern klee_make_symbolic(64 &x, 64 1, 64 &name) -> ()
    r3 = Load.1 &x
    CmpBranch.Ult.8 r3, 10, low, high
low:
    Ret 0
high:
"#;
    const EXITS: &str = "    Ret 1\n";
    const PANICS: &str = "    CallSite extern __polypath_internal_error() -> ()\n    Ret 1\n";

    #[derive(Default)]
    struct Ends(Vec<PathEnd>);

    impl Sink for Ends {
        fn wants_input(&mut self, _: &State, _: &Ended<'_>) -> bool {
            true
        }

        fn ended(&mut self, path: PathEnd) {
            self.0.push(path);
        }

        fn tick(&mut self, _: &Machine, _: &Counters) {}
    }

    /// Explores the program, whose second path ends with `end`. `harm` is done to the spilled prefix, and it is taken up
    /// in `room` bytes (0: no limit).
    fn explore(end: &str, harm: fn(&mut Prefix), room: u64) -> (Engine, Vec<PathEnd>) {
        let module = ir::parse::parse(&format!("{PROGRAM}{end}")).expect("it can be read");
        let module = ir::Verified::new(module).expect("it is valid");
        let solver = Solver::new(SolverOptions::default()).expect("the default layers exist");
        let linux = Rc::new(crate::c::Linux::default());
        let mut machine = Machine::new(module, linux, solver, MachineOptions::default());
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
        let mut s = engine.states[0].take().expect("the first state");
        let mut turn = Turn::default();
        let stop = engine.worker.run(&mut s, &mut turn, &mut sink);
        let child = turn.forks.pop().expect("the branch forks");
        assert!(engine.spilled.push(&child));
        drop(child);
        harm(&mut engine.spilled.states[0]);
        engine.settle(id, s, stop, &mut turn, &mut sink);
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
        let (engine, _) = explore(EXITS, |_| {}, 0);
        assert_eq!(ends(&engine), (2, 0, 0, 1));

        // The engine contradicts itself: its error, with the input that led there.
        let (engine, told) = explore(EXITS, |prefix| prefix.hash ^= 1, 0);
        assert_eq!(ends(&engine), (1, 1, 0, 0));
        let (path, what) = internal(&told);
        assert!(what.contains("another path"), "{what}");
        assert!(path.input.is_some() && path.objects[0].bytes[0] >= 10);

        // A panic on the way.
        let (engine, told) = explore(PANICS, |prefix| prefix.progress.instructions += 1, 0);
        assert_eq!(ends(&engine), (1, 1, 0, 0));
        let (_, what) = internal(&told);
        assert!(what.contains("asked for"), "{what}");

        // No memory for it: nothing is wrong with the engine.
        let (engine, told) = explore(EXITS, |_| {}, 1);
        assert_eq!(ends(&engine), (1, 0, 1, 0));
        let is_told = |t: &PathEnd| matches!(t.outcome, PathOutcome::Cut(Ending::Memory));
        assert!(told.iter().any(is_told));
        assert_eq!(engine.worker.counters.partial, 1);
    }
}
