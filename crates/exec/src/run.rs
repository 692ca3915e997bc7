//! Runs one state for a slice of time, and computes the data of its test: model, relevant bytes, exit status.

use crate::endings::Ending;
use crate::errors::Termination;
use crate::fast::{self, Exit};
use crate::machine::Machine;
use crate::state::State;
use crate::turn::Turn;
use float::RoundingMode;
use memory::{Object, ObjectKind, Value};
use room::Caught;
use solver::{Ask, Model, Origin};
use term::Term;

/// Instructions of a slice: what a state runs before something else may have its turn.
pub(crate) const SLICE: u64 = 200_000;

/// Why [`Machine::run_guarded`] came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SliceEnd {
    /// The slice is over.
    Fuel,
    /// The slice is not over, but it has taken long, or the run has to end: look at the limits, then go on.
    Look,
    /// Other states came into being: the searcher may prefer one of them.
    Forked,
    /// The path is over.
    Ended(Termination),
}

/// Beats of the run's coarse clock (10 ms each) after which the engine looks at its limits inside a slice.
const LOOK_EVERY: u32 = 8;

/// A slice ends early when its queries took this much [`Budget::effort`](solver::Budget::effort): the
/// engine's limits are looked at between slices.
const SLICE_EFFORT: u64 = 2_000_000;

/// And when they took this much [`Machine::work`].
const SLICE_WORK: u64 = 20_000_000;

/// And when it wrote to this many new pages (16 MiB).
pub(crate) const SLICE_PAGES: u64 = 4096;

/// And when it made this many terms.
const SLICE_TERMS: usize = 1 << 20;

/// The rest of a state's slice. It is counted in repeatable units, so that the order of states does not depend on the
/// load of the machine.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    fuel: u64,
    effort: u64,
    work: u64,
    pages: u64,
    terms: usize,
    /// When the engine looked at its limits last.
    looked: u32,
}

impl Machine {
    /// A slice of about `fuel` instructions that begins now.
    pub fn slice(&self, fuel: u64) -> Slice {
        Slice {
            fuel,
            effort: self.reason.solver.stats().effort + SLICE_EFFORT,
            work: self.work() + SLICE_WORK,
            pages: self.tlb.pages_made() + SLICE_PAGES,
            terms: self.reason.pool.len() + SLICE_TERMS,
            looked: self.stop().beats(),
        }
    }

    /// The work done so far, see [`Reasoner::work`](solver::Reasoner::work).
    pub(crate) fn work(&self) -> u64 {
        self.reason.work()
    }

    /// The work done since `work` was that much ([`Machine::work`]), in seconds of a usual computer: the same in each
    /// run.
    pub(crate) fn seconds_since(&self, work: u64) -> f64 {
        const SECONDS: f64 = 1.5e-9;
        self.work().saturating_sub(work) as f64 * SECONDS
    }

    /// The flag that ends the run.
    pub fn stop(&self) -> host::Stop {
        self.options.budget.stop
    }

    /// A first look is over, since only longer arrays and strings are left or nothing new is covered: with `--first-look` the run ends.
    pub fn end_first_look(&self) {
        if self.options.first_look && !self.stop().is_never() {
            self.stop().set(host::Cause::FirstLook);
        }
    }

    /// An end of the path if the run has to end: for whatever takes long inside of one instruction.
    pub fn may_go_on(&self) -> Result<(), Termination> {
        match self.stop().cause() {
            None => Ok(()),
            Some(cause) => Err(Termination::stopped(cause)),
        }
    }

    /// Runs `s` until it ends, forks, or the slice is over or has to be interrupted; what else happens is added to
    /// `turn`. A panic inside is an error of ours that ends this path, not the run; so does memory that is not there.
    pub fn run_guarded(&mut self, s: &mut State, slice: &mut Slice, turn: &mut Turn) -> SliceEnd {
        let end = self.guarded(turn, |m| m.run(s, slice));
        if let Some(before) = turn.decided_before.take() {
            // Inside an instruction memory was refused, or an operation of ours failed.
            let for_memory = end == SliceEnd::Ended(Termination::Cut(Ending::Memory));
            turn.cut_before = for_memory && before == turn.decided(s);
        }
        end
    }

    fn run(&mut self, s: &mut State, slice: &mut Slice) -> SliceEnd {
        let stop = self.stop();
        self.marks_run(s);
        if let Err(end) = self.links.environment.clone().may_run(self, s) {
            return SliceEnd::Ended(end);
        }
        loop {
            match self.run_fast::<false>(s, &mut slice.fuel) {
                Exit::Fuel => return SliceEnd::Fuel,
                Exit::Mode => {}
                Exit::Slow => {
                    let before = self.turn.decided(s);
                    self.turn.decided_before = Some(before);
                    let stepped = self.step(s);
                    self.turn.decided_before = None;
                    if let Err(t) = stepped {
                        // If the run was stopped inside an instruction that has made no decision yet (usually during a query),
                        // the path can be resumed from before it.
                        let is_stopped = |cause| t.ending() == Termination::stopped(cause).ending();
                        self.turn.cut_before =
                            stop.cause().is_some_and(is_stopped) && before == self.turn.decided(s);
                        return SliceEnd::Ended(t);
                    }
                    if self.turn.has_states() {
                        return SliceEnd::Forked;
                    }
                    slice.fuel = slice.fuel.saturating_sub(1);
                    if slice.fuel == 0
                        || s.is_deferred
                        || self.reason.solver.stats().effort > slice.effort
                        || self.work() > slice.work
                        || self.tlb.pages_made() > slice.pages
                        || self.reason.pool.len() > slice.terms
                        || room::is_short()
                    {
                        return SliceEnd::Fuel;
                    }
                    let now = stop.beats();
                    if now.wrapping_sub(slice.looked) >= LOOK_EVERY || stop.is_set() {
                        slice.looked = now;
                        return SliceEnd::Look;
                    }
                }
            }
        }
    }

    /// Runs what the inner loop can do of a path; `EXACT` as in [`fast::run`].
    pub(crate) fn run_fast<const EXACT: bool>(&mut self, s: &mut State, fuel: &mut u64) -> Exit {
        let module = &*self.module;
        let covered = self.observers.passed();
        let tlb = &mut self.tlb;
        if !self.options.fast || s.float_control.rounding != RoundingMode::NearestEven {
            Exit::Slow
        } else if s.frame().symbolic {
            fast::run::<true, EXACT>(module, s, tlb, covered, fuel)
        } else {
            fast::run::<false, EXACT>(module, s, tlb, covered, fuel)
        }
    }

    /// Runs a function that takes a state further, and returns the events that it adds to `turn`.
    pub(crate) fn guarded(
        &mut self,
        turn: &mut Turn,
        run: impl FnOnce(&mut Machine) -> SliceEnd,
    ) -> SliceEnd {
        std::mem::swap(&mut self.turn, turn);
        let stop = self.caught(run);
        std::mem::swap(&mut self.turn, turn);
        stop
    }

    fn caught(&mut self, run: impl FnOnce(&mut Machine) -> SliceEnd) -> SliceEnd {
        let panic = match room::caught(|| run(self)) {
            Ok(stop) => return stop,
            Err(Caught::NoRoom(refused)) => {
                // What was forked off before is whole; this path is only fit for its test.
                self.interrupted();
                self.warn_once(format!("a path was ended: {refused}"));
                return SliceEnd::Ended(Termination::Cut(Ending::Memory));
            }
            Err(Caught::Panic(panic)) => panic,
        };
        let what = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string))
            .unwrap_or_default();
        // Forks are whole when they are put aside, and so are the errors found beside this path.
        self.interrupted();
        SliceEnd::Ended(Termination::Internal(what))
    }

    /// An operation was interrupted: the caches may be half updated; the pool only ever grows.
    fn interrupted(&mut self) {
        self.reason.recover();
    }

    /// The model for a path's test case: its witness, moved towards the path's preferences.
    pub fn test_model(&mut self, s: &State) -> Model {
        let model = if s.soft.is_empty() {
            s.witness.clone()
        } else {
            let budget = &self.options.budget;
            self.reason.solver.prefer(
                &mut self.reason.pool,
                &s.soft,
                Ask::new(&s.path, &s.witness, budget),
            )
        };
        self.without_addresses(s, model)
    }

    /// For each symbolic object of a path, the bytes on which the path's conditions depend.
    pub fn relevant(&self, s: &State) -> Vec<Vec<usize>> {
        self.bytes_in(s, |_| true)
    }

    /// The same without what was only assumed: the bytes by whose values the program decided something.
    pub fn decisive(&self, s: &State) -> Vec<Vec<usize>> {
        self.bytes_in(s, |origin| origin != Origin::Assume)
    }

    /// For each symbolic object of a path, the bytes in the path's conditions of these origins.
    fn bytes_in(&self, s: &State, counts: fn(Origin) -> bool) -> Vec<Vec<usize>> {
        let mut seen = std::collections::HashSet::new();
        let mut sets = std::collections::HashSet::new();
        for c in s.path.iter().filter(|c| counts(c.origin)) {
            let set = self.reason.pool.symbols(c.term);
            if sets.insert(set) {
                seen.extend(self.reason.pool.set_iter(set));
            }
        }
        let of = |o: &crate::SymbolicObject| {
            let symbols = o.symbols.iter().enumerate();
            symbols
                .filter(|(_, x)| seen.contains(x))
                .map(|(i, _)| i)
                .collect()
        };
        s.objects.iter().map(of).collect()
    }

    /// An exit status as a model has it.
    pub fn status_under(&mut self, status: Value, model: &Model) -> i32 {
        let bits = match status.term {
            Term::NONE => status.bits,
            term => self.reason.evaluator.eval(&self.reason.pool, term, model),
        };
        bits as i32 & 0xff
    }

    /// The name by which the user knows an object.
    pub fn object_name(&self, s: &State, o: &Object) -> Option<String> {
        match o.kind {
            ObjectKind::Global => s.memory.global_name(o).map(|n| format!("`{n}`")),
            ObjectKind::Stack => self
                .module
                .strings
                .get(o.tag as usize)
                .filter(|n| !n.is_empty())
                .map(|n| format!("`{n}`")),
            ObjectKind::Heap => {
                let at = self.module.location_at(o.tag);
                (at.line != 0)
                    .then(|| format!("allocated at {}:{}", self.module.file_name(at), at.line))
            }
            ObjectKind::Mapping => None,
        }
    }
}
