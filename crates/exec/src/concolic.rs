//! The machine as a target of dynamic symbolic execution: runs one input at a time, notes what was decided
//! on symbolic values, and forks nothing.
//!
//! Up to the first decision all runs of a start do the same, so they resume from a state kept there.

use crate::collect::COLLECT_MIN;
use crate::endings::{Ending, Loss};
use crate::engine::{Counters, Limits, SLICE};
use crate::errors::Termination;
use crate::event::Sink;
use crate::machine::Machine;
use crate::run::{SLICE_PAGES, Stop};
use crate::state::State;
use crate::turn::Turn;
use crate::watch::{Pressure, Ticker};
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
        });
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
    pub machine: Machine,
    pub counters: Counters,
    /// At the entry, one for each start.
    entries: Vec<State>,
    /// Before the first decision, once a run got there.
    checkpoints: Vec<Option<Box<State>>>,
    limits: Limits,
    sink: &'a mut dyn Sink,
    ticker: Ticker,
    collect_at: usize,
    /// Says when open branches are let go.
    pressure: Pressure,
    /// Instructions of the program's own code that the first run covered.
    pub first_covered: Option<u64>,
    /// Pages made at which a run's memory is looked at again.
    look_at: u64,
    /// Open branches, for the status line.
    live: usize,
}

impl<'a> Concolic<'a> {
    /// `entries` come from [`Machine::first_states`]; the machine's policy is `Record`.
    pub fn new(
        mut machine: Machine,
        entries: impl IntoIterator<Item = Box<State>>,
        limits: Limits,
        sink: &'a mut dyn Sink,
    ) -> Concolic<'a> {
        machine.distances = Some(search::Distances::new(&machine.module));
        let entries: Vec<State> = entries.into_iter().map(|s| *s).collect();
        Concolic {
            machine,
            counters: Counters::default(),
            checkpoints: entries.iter().map(|_| None).collect(),
            entries,
            pressure: Pressure::new(limits.memory),
            limits,
            sink,
            ticker: Ticker::new(),
            collect_at: COLLECT_MIN,
            first_covered: None,
            look_at: 0,
            live: 0,
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
            let m = &mut self.machine;
            if same && m.evaluator.first_false(&m.pool, &path, &values).is_none() {
                return Some(Input { start, values });
            }
        }
        None
    }

    /// The coverage sites that a run of this input passes, from the program's start. Nothing counts as covered.
    pub fn follow(&mut self, input: &Input, steps: u64) -> Vec<ir::SiteId> {
        self.checkpoints[input.start] = None;
        self.machine.covered.fill(false);
        self.machine.site_log = Some(Vec::new());
        self.run(input, steps);
        self.machine.site_log.take().unwrap_or_default()
    }

    /// Length of a symbolic object, in the first start that has it.
    pub fn length(&self, object: &str) -> Option<usize> {
        let mut objects = self.entries.iter().flat_map(|e| e.objects.iter());
        objects
            .find(|o| *o.name == *object)
            .map(|o| o.symbols.len())
    }

    /// The state in which an input's run begins.
    fn begin(&mut self, input: &Input) -> Box<State> {
        let m = &mut self.machine;
        m.recorded.clear();
        m.conditions = Conditions::default();
        let kept = self.checkpoints[input.start].as_ref();
        m.wants_checkpoint = kept.is_none();
        let from = kept.map_or(&self.entries[input.start], |s| s);
        let mut s = Box::new(from.fork(&mut m.tlb));
        s.witness = input.values.clone();
        s
    }

    /// Whether memory use is above the limit, with this run on top.
    fn is_too_large(&mut self) -> bool {
        let made = self.machine.tlb.pages_made();
        if !self.pressure.is_limited() || (made < self.look_at && !room::is_short()) {
            return false;
        }
        self.look_at = made + SLICE_PAGES / 2;
        let now = self.counters.look_at_memory();
        // Above the alarm each step comes here: only growth beyond this counts.
        self.pressure.alarm_beyond(now);
        room::is_full()
    }

    fn tick(&mut self) {
        if self.ticker.is_due() {
            self.counters.live = self.live;
            self.counters.look_at_memory();
            self.sink.tick(&self.machine, &self.counters);
        }
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
            let before = s.progress.instructions;
            let mut slice = self.machine.slice(SLICE);
            let stop = self.machine.run_guarded(&mut s, &mut slice, &mut turn);
            self.counters.instructions += s.progress.instructions - before;
            let m = &mut self.machine;
            // Nothing forks under this policy but system calls that may fail by choice.
            let dropped = turn.forks.len() + turn.ended.len() + turn.parked.len();
            m.stats.losses.add(Loss::Dropped, dropped as u64);
            turn.forks.clear();
            turn.ended.clear();
            turn.parked.clear();
            match stop {
                Stop::Ended(why) => break why,
                Stop::Fuel | Stop::Look | Stop::Forked => {}
            }
            self.tick();
            if let Some(cause) = self.machine.stop().cause() {
                cut = Some(Cut::End);
                break Termination::stopped(cause);
            }
            if s.progress.instructions - begun > steps {
                cut = Some(Cut::Steps);
                break Termination::Cut(Ending::Instructions);
            }
            if self.is_too_large() {
                break Termination::Cut(Ending::Memory);
            }
        };
        let m = &mut self.machine;
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
        self.counters.finish(m, &s, &why, self.sink);
        let decisions = std::mem::take(&mut m.recorded);
        let mut conditions = std::mem::take(&mut m.conditions);
        conditions.finish(&s.path);
        let values = s.witness.clone();
        let steps = s.progress.instructions - begun;
        drop(s);
        if why.ending() == Ending::Memory {
            if let Some(release) = self.limits.release {
                release();
            }
            self.counters.look_at_memory();
        }
        self.tick();
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
        &self.machine.pool
    }

    fn all(&mut self, conditions: &[Term]) -> Term {
        let pool = &mut self.machine.pool;
        let first = pool.tru();
        conditions.iter().fold(first, |all, &c| pool.and(all, c))
    }

    fn extend(&mut self, path: &mut PathCondition, c: Conjunct) {
        let m = &mut self.machine;
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
        self.tick();
        let m = &mut self.machine;
        m.solver.feasible(
            &mut m.pool,
            cond,
            Ask::new(before, witness, budget).heard_by(trials),
        )
    }

    fn wants_collection(&self) -> bool {
        self.machine.pool.len() >= self.collect_at
    }

    fn collect(&mut self, holder: &mut dse::Holder<'_>) {
        let kept = self.checkpoints.iter_mut().flatten().map(|s| &mut **s);
        let held = self.entries.iter_mut().chain(kept);
        self.machine.collect(held, holder);
        self.counters.collections += 1;
        self.collect_at = (2 * self.machine.pool.len()).max(COLLECT_MIN);
        if let Some(release) = self.limits.release {
            release();
        }
        self.pressure.settle(room::sample());
    }

    fn must_end(&mut self) -> Option<String> {
        self.machine.stop().cause().map(|cause| cause.to_string())
    }

    fn memory_is_short(&mut self) -> bool {
        if !self.pressure.is_over(self.counters.memory_bytes) {
            return false;
        }
        self.machine.solver.shed();
        true
    }

    fn open_branches(&mut self, open: usize) {
        self.live = open;
    }
}
