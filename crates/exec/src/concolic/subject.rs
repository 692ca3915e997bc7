//! The machine as a target of dynamic symbolic execution. It runs one input at a time, records the decisions on
//! symbolic values, and forks nothing.
//!
//! Up to the first decision all runs of a start do the same, so they resume from a state kept there.

use super::aside::Aside;
use crate::endings::{Ending, Loss};
use crate::errors::Termination;
use crate::event::LiveEnd;
use crate::lease::Lease;
use crate::machine::Machine;
use crate::policy::Record;
use crate::run::SliceEnd;
use crate::state::State;
use crate::turn::Turn;
use crate::worker::{RunLimits, Worker};
use dse::{
    Cut, Divergence, Executed, ExplorerOptions, Input, PartialOptions, Quota, Retraced, Target,
    Ticket,
};
use explore::{List, ObjectBytes, Sink};
use host::shelf::Shelf;
use ir::SiteId;
use solver::{Ask, Budget, Conjunct, Model, Origin, Outcome, PathCondition, Reasoner, Trials};
use std::collections::{BTreeMap, BTreeSet};
use term::{Op, Term};

/// What a run of an input passed.
#[derive(Clone, Debug, Default)]
pub struct Passed {
    /// The coverage sites, in order.
    pub sites: Vec<SiteId>,
    /// For each object, the bytes in conditions by which something is equal to a constant.
    pub fixed: BTreeMap<String, BTreeSet<usize>>,
}

/// A program as the concolic loop sees it.
pub struct Subject {
    /// Runs it.
    pub worker: Worker,
    /// At the entry, one for each start.
    pub(super) entries: Vec<State>,
    /// Before the first decision, once a run got there.
    checkpoints: Vec<Option<Box<State>>>,
    /// Instructions of the program's own code that the first run covered.
    pub(super) first_covered: Option<u64>,
    /// The state of a run that was interrupted because the exploration had to end, and the reason.
    pub(super) interrupted: Option<(Box<State>, Termination)>,
    /// The entry of the frontier's list to which runs are attributed.
    key: u64,
    /// The list of the frontier, if one is kept, and the parts of it that were put aside.
    pub(super) list: Option<List>,
    pub(super) aside: Aside,
}

impl Subject {
    /// `entries` come from [`Machine::first_states`]; the machine's policy is [`Policy::Record`](crate::Policy).
    pub fn new(
        machine: Machine,
        entries: impl IntoIterator<Item = Box<State>>,
        limits: RunLimits,
    ) -> Subject {
        let memory = limits.memory;
        let entries: Vec<State> = entries.into_iter().map(|s| *s).collect();
        Subject {
            worker: Worker::new(machine, limits),
            checkpoints: entries.iter().map(|_| None).collect(),
            entries,
            first_covered: None,
            interrupted: None,
            key: 0,
            list: None,
            aside: Aside::new(memory),
        }
    }

    /// How an explorer of it behaves that runs these partial solutions.
    pub fn explorer_options(&self, partial: PartialOptions) -> ExplorerOptions {
        let options = &self.worker.machine.options;
        ExplorerOptions {
            partial,
            budget: options.budget,
            task: self.worker.limits.budget,
            first_effort: options.first_effort,
            ..ExplorerOptions::default()
        }
    }

    /// Waiting parts that do not fit in memory go to this shelf on disk.
    pub fn spill_to(&mut self, shelf: &Shelf) {
        self.aside.spill_to(shelf);
    }

    /// The input that gives these bytes to these objects, if the program has such a start.
    pub fn seed(&mut self, parts: &[ObjectBytes]) -> Option<Input> {
        let entries: Vec<&State> = self.entries.iter().collect();
        self.worker.machine.seed(&entries, parts)
    }

    /// Runs this input from the program's start, and tells what it passes. Nothing counts as covered.
    pub fn follow(&mut self, input: &Input, steps: u64, sink: &mut dyn Sink) -> Passed {
        self.checkpoints[input.start] = None;
        self.worker.machine.observers.coverage.sites.fill(false);
        self.record().list_sites();
        let quota = Quota {
            steps,
            is_last: true,
            may_come_back: false,
        };
        let mut heard = ObservedSubject {
            subject: self,
            sink,
        };
        let executed = heard.run(input, quota);
        Passed {
            sites: self.record().take_sites(),
            fixed: self.fixed(executed.conditions.all()),
        }
    }

    /// The bytes of objects that are equal to constants by these conditions.
    fn fixed(&self, conditions: &[Conjunct]) -> BTreeMap<String, BTreeSet<usize>> {
        let m = &self.worker.machine;
        let pool = &m.reason.pool;
        let mut fixed: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for condition in conditions.iter().filter(|c| c.origin != Origin::Assume) {
            let sides = pool.children(condition.term);
            let is_equality = pool.op(condition.term) == Op::Eq;
            if !is_equality || !sides.iter().any(|&side| pool.is_const(side)) {
                continue;
            }
            for symbol in pool.set_iter(pool.symbols(condition.term)) {
                if let Some((object, _, at)) = m.owner(symbol) {
                    fixed.entry(object.to_string()).or_default().insert(at);
                }
            }
        }
        fixed
    }

    /// The machine's record of the run.
    fn record(&mut self) -> &mut Record {
        let record = self.worker.machine.decider.record();
        record.expect("the policy is `Record`")
    }

    /// These sites were covered, here or elsewhere.
    pub(super) fn covered(&mut self, sites: &[SiteId]) {
        self.record().covered(sites);
    }

    /// The state in which an input's run begins.
    fn begin(&mut self, input: &Input) -> Box<State> {
        let wants_checkpoint = self.checkpoints[input.start].is_none();
        self.record().begin(wants_checkpoint);
        let kept = self.checkpoints[input.start].as_ref();
        let m = &mut self.worker.machine;
        let from = kept.map_or(&self.entries[input.start], |s| s);
        let mut s = Box::new(from.fork(&mut m.tlb));
        m.tlb.begin_run();
        s.witness = input.values.clone();
        s.lease = Lease::of(self.key);
        s
    }

    /// Runs a path again up to this instruction. Nothing is counted or reported again: that was done when the path was
    /// explored first.
    fn go_again(&mut self, s: &mut State, end: u64, sink: &mut dyn Sink) -> SliceEnd {
        let stats = self.worker.machine.stats.clone();
        let mut turn = Turn::default();
        let stop = loop {
            let stop = self.worker.machine.advance(s, end, &mut turn);
            let is_there = s.progress.instructions >= end;
            let is_stopped = self.worker.machine.stop().is_set();
            match stop {
                SliceEnd::Ended(_) => break stop,
                _ if is_there => break stop,
                _ if is_stopped => break SliceEnd::Ended(Termination::Cut(Ending::Interrupted)),
                _ => self.worker.tick(sink),
            }
        };
        self.worker.machine.stats = stats;
        self.covered(&turn.sites);
        stop
    }

    /// Takes the record of a run that has ended or was interrupted.
    fn noted(&mut self, start: usize, s: &State) -> Executed {
        let (decisions, mut conditions, checkpoint) = self.record().take();
        if checkpoint.is_some() {
            self.checkpoints[start] = checkpoint;
        }
        conditions.finish(&s.path);
        Executed {
            decisions,
            conditions,
            values: s.witness.clone(),
            ..Executed::default()
        }
    }
}

/// A subject together with the sink that its events go to.
pub(super) struct ObservedSubject<'a> {
    pub subject: &'a mut Subject,
    pub sink: &'a mut dyn Sink,
}

impl Target for ObservedSubject<'_> {
    fn starts(&self) -> usize {
        self.subject.entries.len()
    }

    fn first_input(&self, start: usize) -> Model {
        self.subject.entries[start].witness.clone()
    }

    fn run(&mut self, input: &Input, quota: Quota) -> Executed {
        let ObservedSubject { subject, sink } = self;
        let mut s = subject.begin(input);
        let begun = s.progress.instructions;
        let mut cut = None;
        let mut turn = Turn::default();
        let worker = &mut subject.worker;
        let bytes = worker.counters.memory_bytes;
        let why = loop {
            let stop = worker.run(&mut s, &mut turn, *sink);
            // Nothing forks under this policy but system calls that may fail by choice.
            let dropped = turn.forks.len() + turn.ended.len() + turn.parked.len();
            let m = &mut worker.machine;
            m.stats.losses.add(Loss::Dropped, dropped as u64);
            turn.forks.clear();
            turn.ended.clear();
            turn.parked.clear();
            let cause = m.stop().cause();
            match (stop, cause) {
                (SliceEnd::Ended(why), _) if why.ending().is_complete() => break why,
                (_, Some(cause)) => {
                    cut = Some(Cut::End);
                    break Termination::stopped(cause);
                }
                (SliceEnd::Ended(why), None) => break why,
                _ => {}
            }
            worker.tick(*sink);
            if s.progress.instructions - begun > quota.steps {
                cut = Some(Cut::Steps);
                break Termination::Cut(Ending::Instructions);
            }
            if worker.memory_is_full() {
                break Termination::Cut(Ending::Memory);
            }
        };
        if why.ending() == Ending::Memory && cut.is_none() {
            let took = worker.counters.memory_bytes.saturating_sub(bytes);
            let is_crowded = quota.may_come_back && worker.pressure.is_little(took);
            cut = Some(if is_crowded { Cut::Crowded } else { Cut::Lost });
        }
        if why.ending() == Ending::Undecided {
            // Other inputs with the same decisions may go on here.
            cut = cut.or(Some(Cut::Lost));
        }
        let newly_covered = std::mem::take(&mut turn.sites);
        subject.covered(&newly_covered);
        let worker = &mut subject.worker;
        let m = &mut worker.machine;
        if subject.first_covered.is_none() {
            let covered = &m.observers.coverage.sites;
            let (instructions, _) = m.module.covered_instructions(|site| covered[site as usize]);
            subject.first_covered = Some(instructions);
        }
        match cut {
            None | Some(Cut::Lost) => worker.finish(&s, &why, *sink),
            Some(Cut::Steps) if quota.is_last => worker.finish(&s, &why, *sink),
            // It is booked when it ends, but the run may end before anybody comes back to it.
            Some(Cut::Steps | Cut::Crowded) if s.progress.covered_new => {
                let (why, is_new) = (&why, false);
                worker.tell(&s, &LiveEnd::new(why, is_new), *sink);
            }
            Some(Cut::Steps | Cut::Crowded | Cut::End) => {}
        }
        let executed = Executed {
            newly_covered,
            steps: s.progress.instructions - begun,
            cut,
            ..subject.noted(input.start, &s)
        };
        if cut == Some(Cut::End) {
            subject.interrupted = Some((s, why));
        }
        subject.worker.tick(*sink);
        executed
    }

    fn diverged(&mut self, input: &Input, how: Divergence) {
        let ObservedSubject { subject, sink } = self;
        let s = subject.begin(input);
        let what = subject.worker.machine.said_of(how);
        let why = Termination::Internal(what);
        subject.worker.finish(&s, &why, *sink);
    }

    fn retrace(&mut self, input: &Input, step: u64, decisions: usize) -> Retraced {
        let ObservedSubject { subject, sink } = self;
        if decisions == 0 {
            return Retraced::Here(Executed {
                values: input.values.clone(),
                ..Executed::default()
            });
        }
        let mut s = subject.begin(input);
        let stop = subject.go_again(&mut s, step, *sink);
        let mut executed = subject.noted(input.start, &s);
        match stop {
            SliceEnd::Ended(_) if subject.worker.machine.stop().is_set() => Retraced::Stopped,
            SliceEnd::Ended(Termination::Cut(Ending::Memory)) => Retraced::NoMemory,
            _ => {
                executed.decisions.truncate(decisions);
                Retraced::Here(executed)
            }
        }
    }

    fn works_on(&mut self, key: u64) {
        self.subject.key = key;
        self.subject.worker.machine.works_on(key);
    }

    fn reason(&self) -> &Reasoner {
        &self.subject.worker.machine.reason
    }

    fn reason_mut(&mut self) -> &mut Reasoner {
        &mut self.subject.worker.machine.reason
    }

    fn solve(
        &mut self,
        before: &PathCondition,
        witness: &Model,
        cond: Term,
        budget: &Budget,
        trials: &mut dyn Trials,
    ) -> Outcome {
        self.subject.worker.tick(&mut *self.sink);
        let ask = Ask::new(before, witness, budget).heard_by(trials);
        self.subject.worker.machine.reason.feasible(cond, ask)
    }

    fn wants_collection(&self) -> bool {
        self.subject.worker.wants_collection()
    }

    fn collect(&mut self, holder: &mut dse::Holder<'_>) {
        let kept = self
            .subject
            .checkpoints
            .iter_mut()
            .flatten()
            .map(|s| &mut **s);
        let held = self.subject.entries.iter_mut().chain(kept);
        self.subject.worker.collect(held, holder);
        let bytes = self.subject.worker.counters.look_at_memory();
        self.subject.worker.pressure.settle(bytes);
    }

    fn must_end(&mut self) -> Option<String> {
        let cause = self.subject.worker.machine.stop().cause();
        cause.map(|cause| cause.to_string())
    }

    fn has_plenty_of_memory(&self) -> bool {
        let Worker {
            pressure, counters, ..
        } = &self.subject.worker;
        pressure.has_plenty(counters.memory_bytes)
    }

    fn memory_is_short(&mut self) -> bool {
        // As seen at the last look: there is one inside of long runs, and one about ten times a second.
        let Worker {
            pressure, counters, ..
        } = &self.subject.worker;
        let is_short = pressure.is_over(counters.memory_bytes);
        if is_short {
            self.subject.worker.machine.reason.solver.shed();
        }
        is_short
    }

    fn keep(&mut self, part: &dse::Part, key: u64) -> bool {
        let Subject {
            worker,
            aside,
            list,
            ..
        } = self.subject;
        let is_kept = aside.keep(&mut worker.machine, (part, key), list);
        worker.counters.spilled += u64::from(is_kept);
        is_kept
    }

    fn kept(&mut self) -> Option<(dse::Part, Ticket)> {
        let Subject {
            worker,
            aside,
            list,
            ..
        } = self.subject;
        let kept = aside.take(&mut worker.machine, list)?;
        worker.counters.taken_up += 1;
        Some(kept)
    }

    fn open_branches(&mut self, open: usize) {
        self.subject.worker.counters.live = open + self.subject.aside.branches();
    }
}
