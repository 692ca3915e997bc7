//! The schedule of concolic mode: the machine as a target of dynamic symbolic execution. It runs one input at a time, notes
//! what was decided on symbolic values, and forks nothing. Which input runs next is the business of crate `dse`.
//!
//! Up to the first decision all runs of a start do the same, so they resume from a state kept there.

use crate::endings::{Ending, Loss};
use crate::errors::Termination;
use crate::event::Sink;
use crate::machine::Machine;
use crate::run::SliceEnd;
use crate::state::State;
use crate::turn::Turn;
use crate::worker::{RunLimits, Worker};
use dse::{Conditions, Cut, Decision, Executed, Input, Target};
use ir::Pc;
use solver::{Ask, Budget, Conjunct, Model, Origin, Outcome, PathCondition, Trials};
use term::{Pool, Term};

impl Machine {
    /// Notes a decision; see [`crate::Policy::Record`].
    pub(crate) fn record(&mut self, s: &State, taken: Term, other: Term, origin: Origin) {
        if self.wants_checkpoint {
            self.wants_checkpoint = false;
            // The instruction is executed again from there, under another witness, and counts once.
            let mut before = Box::new(s.fork(&mut self.tlb));
            before.progress.instructions -= 1;
            self.checkpoint = Some(before);
        }
        let distance = self.distance(s, s.pc);
        self.conditions.note(&s.path);
        self.recorded.push(Decision {
            site: u64::from(s.pc),
            taken,
            other,
            before: s.path.len(),
            origin,
            distance,
            is_known: false,
        });
    }

    /// Notes a check whose error is known: it is a decision like any other, so that all runs with the same input so far
    /// decide the same, but nobody asks for its other side.
    pub(crate) fn record_known(&mut self, s: &State, taken: Term, other: Term) {
        self.record(s, taken, other, Origin::Check);
        if let Some(last) = self.recorded.last_mut() {
            last.is_known = true;
        }
    }

    /// The side of the branch just recorded that was not taken continues at `pc`.
    pub(crate) fn other_side_leads_to(&mut self, s: &State, pc: Pc) {
        if self.recorded.is_empty() {
            return;
        }
        let distance = self.distance(s, pc);
        if let Some(last) = self
            .recorded
            .last_mut()
            .filter(|d| d.site == u64::from(s.pc))
        {
            last.distance = distance;
        }
    }

    fn distance(&self, s: &State, pc: Pc) -> u32 {
        self.distances.as_ref().map_or(u32::MAX, |d| {
            d.of(pc, s.frames.iter().rev().map(|f| f.return_pc))
                .distance
        })
    }
}

/// Bytes of a symbolic object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Name of the object.
    pub object: String,
    /// Of the first byte.
    pub offset: usize,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// A program as the concolic loop sees it. Events go to `sink`.
pub struct Concolic<'a> {
    /// Runs it.
    pub worker: Worker,
    /// At the entry, one for each start.
    entries: Vec<State>,
    /// Before the first decision, once a run got there.
    checkpoints: Vec<Option<Box<State>>>,
    sink: &'a mut dyn Sink,
    /// Instructions of the program's own code that the first run covered.
    pub first_covered: Option<u64>,
}

impl<'a> Concolic<'a> {
    /// `entries` come from [`Machine::first_states`]; the machine's policy is `Record`.
    pub fn new(
        mut machine: Machine,
        entries: impl IntoIterator<Item = Box<State>>,
        limits: RunLimits,
        sink: &'a mut dyn Sink,
    ) -> Concolic<'a> {
        machine.distances = Some(search::Distances::new(&machine.module));
        let entries: Vec<State> = entries.into_iter().map(|s| *s).collect();
        Concolic {
            worker: Worker::new(machine, limits),
            checkpoints: entries.iter().map(|_| None).collect(),
            entries,
            sink,
            first_covered: None,
        }
    }

    /// The input that gives these objects these bytes, if the program has such a start. Bytes that are not
    /// named keep what they have; those beyond an object's end are left out. Objects that the start does not have
    /// are those that the program will make symbolic, of the same name and size.
    pub fn seed(&mut self, parts: &[Part]) -> Option<Input> {
        for start in 0..self.entries.len() {
            let entry = &self.entries[start];
            let mut values = entry.witness.clone();
            for part in parts {
                let symbols = match entry.objects.iter().find(|o| *o.name == *part.object) {
                    Some(object) => object.symbols.clone(),
                    None => self
                        .worker
                        .machine
                        .symbols_of(&part.object, part.bytes.len())
                        .ok()?,
                };
                let symbols = symbols.iter().skip(part.offset);
                for (&symbol, &byte) in symbols.zip(&part.bytes) {
                    values.set(symbol, u64::from(byte));
                }
            }
            let path: Vec<Term> = entry.path.iter().map(|c| c.term).collect();
            // What is fixed is part of the start: the number of arguments among others.
            let fixed = |name: &str| name.starts_with("n_args");
            let same = entry.objects.iter().filter(|o| fixed(&o.name)).all(|o| {
                o.symbols
                    .iter()
                    .all(|&x| values.get(x) == entry.witness.get(x))
            });
            let m = &mut self.worker.machine;
            if same && m.evaluator.first_false(&m.pool, &path, &values).is_none() {
                return Some(Input { start, values });
            }
        }
        None
    }

    /// The coverage sites that a run of this input passes, from the program's start. Nothing counts as covered.
    pub fn follow(&mut self, input: &Input, steps: u64) -> Vec<ir::SiteId> {
        self.checkpoints[input.start] = None;
        self.worker.machine.covered.fill(false);
        self.worker.machine.site_log = Some(Vec::new());
        self.run(input, steps);
        self.worker.machine.site_log.take().unwrap_or_default()
    }

    /// The state in which an input's run begins.
    fn begin(&mut self, input: &Input) -> Box<State> {
        let m = &mut self.worker.machine;
        m.recorded.clear();
        m.conditions = Conditions::default();
        let kept = self.checkpoints[input.start].as_ref();
        m.wants_checkpoint = kept.is_none();
        let from = kept.map_or(&self.entries[input.start], |s| s);
        let mut s = Box::new(from.fork(&mut m.tlb));
        s.witness = input.values.clone();
        s
    }
}

impl Target for Concolic<'_> {
    fn starts(&self) -> usize {
        self.entries.len()
    }

    fn first_input(&self, start: usize) -> Model {
        self.entries[start].witness.clone()
    }

    fn run(&mut self, input: &Input, steps: u64) -> Executed {
        let mut s = self.begin(input);
        let begun = s.progress.instructions;
        let mut cut = None;
        let mut turn = Turn::default();
        let why = loop {
            let stop = self.worker.run(&mut s, &mut turn, self.sink);
            // Nothing forks under this policy but system calls that may fail by choice.
            let dropped = turn.forks.len() + turn.ended.len() + turn.parked.len();
            let m = &mut self.worker.machine;
            m.stats.losses.add(Loss::Dropped, dropped as u64);
            turn.forks.clear();
            turn.ended.clear();
            turn.parked.clear();
            if let SliceEnd::Ended(why) = stop {
                break why;
            }
            self.worker.tick(self.sink);
            if let Some(cause) = self.worker.machine.stop().cause() {
                cut = Some(Cut::End);
                break Termination::stopped(cause);
            }
            if s.progress.instructions - begun > steps {
                cut = Some(Cut::Steps);
                break Termination::Cut(Ending::Instructions);
            }
            if self.worker.memory_is_full() {
                break Termination::Cut(Ending::Memory);
            }
        };
        let m = &mut self.worker.machine;
        if let Some(state) = m.checkpoint.take() {
            self.checkpoints[input.start] = Some(state);
        }
        let new_sites = turn.sites;
        if let Some(d) = &mut m.distances {
            for &site in &new_sites {
                d.mark_covered(site);
            }
        }
        if self.first_covered.is_none() {
            let covered = &m.covered;
            let (instructions, _) = m.module.covered_instructions(|site| covered[site as usize]);
            self.first_covered = Some(instructions);
        }
        self.worker.finish(&s, &why, self.sink);
        let m = &mut self.worker.machine;
        let decisions = std::mem::take(&mut m.recorded);
        let mut conditions = std::mem::take(&mut m.conditions);
        conditions.finish(&s.path);
        let values = s.witness.clone();
        let steps = s.progress.instructions - begun;
        drop(s);
        self.worker.tick(self.sink);
        Executed {
            decisions,
            conditions,
            values,
            newly_covered: new_sites.len() as u64,
            steps,
            cut,
        }
    }

    fn pool(&self) -> &Pool {
        &self.worker.machine.pool
    }

    fn all(&mut self, conditions: &[Term]) -> Term {
        let pool = &mut self.worker.machine.pool;
        let first = pool.tru();
        conditions.iter().fold(first, |all, &c| pool.and(all, c))
    }

    fn extend(&mut self, path: &mut PathCondition, c: Conjunct) {
        let m = &mut self.worker.machine;
        m.solver.push(&mut m.pool, path, c.term, c.origin);
    }

    fn solve(
        &mut self,
        before: &PathCondition,
        witness: &Model,
        cond: Term,
        budget: &Budget,
        trials: &mut dyn Trials,
    ) -> Outcome {
        self.worker.tick(self.sink);
        let m = &mut self.worker.machine;
        m.solver.feasible(
            &mut m.pool,
            cond,
            Ask::new(before, witness, budget).heard_by(trials),
        )
    }

    fn wants_collection(&self) -> bool {
        self.worker.wants_collection()
    }

    fn collect(&mut self, holder: &mut dse::Holder<'_>) {
        let kept = self.checkpoints.iter_mut().flatten().map(|s| &mut **s);
        let held = self.entries.iter_mut().chain(kept);
        self.worker.collect(held, holder);
        let bytes = self.worker.counters.look_at_memory();
        self.worker.pressure.settle(bytes);
    }

    fn must_end(&mut self) -> Option<String> {
        let cause = self.worker.machine.stop().cause();
        cause.map(|cause| cause.to_string())
    }

    fn memory_is_short(&mut self) -> bool {
        // As seen at the last look: there is one inside of long runs, and one about ten times a second.
        let Worker {
            pressure, counters, ..
        } = &self.worker;
        let is_short = pressure.is_over(counters.memory_bytes);
        if is_short {
            self.worker.machine.solver.shed();
        }
        is_short
    }

    fn open_branches(&mut self, open: usize) {
        self.worker.counters.live = open;
    }
}
