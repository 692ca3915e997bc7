//! The Java program as a [`Target`] of `dse`.

use crate::aside::Aside;
use crate::input::Inputs;
use crate::jvm::{Failure, Jvm, Options};
use crate::lengths;
use crate::names::Part;
use crate::outcome::{At, EntryCall, ErrorPlace, Judge, Outcome, known_by};
use crate::places::Places;
use crate::run::{Around, Trace, describe};
use crate::terms;
use dse::{Cut, Executed, Input, Program, Quota, Retraced, Target, Ticket};
use explore::{
    Children, Commons, Counters, Ended, ErrorKind, List, Loss, Lost, MachineStats, ObjectEnd,
    Output, PathEnd, PathInput, PathOutcome, Reported, Sink, SoFar, Tally, Thrown, Ticker, Totals,
    UnfitInput, Update, WRONG,
};
use host::Stop;
use host::shelf::Shelf;
use rustc_hash::FxHashSet;
use solver::{
    Ask, Budget, Model, Outcome as Answer, PathCondition, Reasoner, Solver, TraceSet, Trials,
};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::rc::Rc;
use term::{Op, Symbol, Term};

/// Counters that other explorations do not have.
#[derive(Default)]
struct Counts {
    /// Inputs that were run.
    runs: u64,
    /// Records that were read.
    records: u64,
    /// JVMs that were started.
    starts: u64,
    /// Results that were compared with their terms (check mode).
    checked: u64,
    /// Terms that differ from what the JVM computed, in words: a fault of ours.
    wrong: Vec<String>,
    /// Losses, by kind and place.
    lost_at: BTreeMap<(Lost, String), u64>,
    /// Instructions of the program's own classes that the first run covered.
    first: Option<u64>,
}

/// Distinct warnings that are kept.
const WARNINGS: usize = 100;
/// No limit of steps, in a number that Java has.
const MOST_STEPS: u64 = i64::MAX as u64;
/// What a run costs, an instruction of it and a record, in the unit of [`Program::work`]: about what they take on a usual computer.
const RUN_WORK: u64 = 200_000;
const INSTRUCTION_WORK: u64 = 10;
const RECORD_WORK: u64 = 50;
/// Terms at which the pool is compacted for the first time.
const COLLECT: usize = 1 << 20;

/// Symbols that a path depends on.
type Relevant = FxHashSet<Symbol>;

/// A method of a Java program.
pub struct Java {
    pub(crate) reason: Reasoner,
    options: Options,
    /// None after it ended, until the next run.
    jvm: Option<Jvm>,
    pub(crate) inputs: Inputs,
    places: Places,
    judge: Judge,
    reported: Reported<ErrorPlace, BTreeSet<At>>,
    stop: Stop,
    /// Bytes that the run may take, 0 for no limit.
    memory: u64,
    counters: Counters,
    losses: Tally<Loss>,
    machine: MachineStats,
    counts: Counts,
    ticker: Ticker,
    collect_at: usize,
    /// Why no further run is possible.
    failed: Option<String>,
    /// The data that all workers share.
    pub commons: Option<Rc<dyn Commons>>,
    description: String,
    facts: BTreeMap<String, String>,
    /// The list of the frontier, if one is kept, and the parts of it that were put aside.
    list: Option<List>,
    aside: Aside,
    /// The path at work when the run had to end.
    interrupted: Option<PathEnd>,
}

impl Java {
    /// Starts a JVM and finds the entry point.
    ///
    /// # Errors
    /// There is no such method, it cannot be called, or the JVM does not start.
    pub fn new(
        options: Options,
        solver: Solver,
        judge: Judge,
        stop: Stop,
        memory: u64,
    ) -> Result<Java, Failure> {
        let places = Places::new(options.kit.sites());
        let mut java = Java {
            reason: Reasoner::new(solver),
            options,
            jvm: None,
            inputs: Inputs::default(),
            places,
            judge,
            reported: Reported::default(),
            stop,
            memory,
            counters: Counters::default(),
            losses: Tally::default(),
            machine: MachineStats::default(),
            counts: Counts::default(),
            ticker: Ticker::default(),
            collect_at: COLLECT,
            failed: None,
            commons: None,
            description: String::new(),
            facts: BTreeMap::new(),
            list: None,
            aside: Aside::default(),
            interrupted: None,
        };
        java.start()?;
        Ok(java)
    }

    /// The entry point with the types of its parameters.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The facts about the entry point that source which calls it needs, by the driver's names.
    pub fn facts(&self) -> &BTreeMap<String, String> {
        &self.facts
    }

    /// The fence between the program and the host, if there is one.
    pub fn fence(&self) -> Option<&fence::Fence> {
        self.jvm.as_ref().and_then(|jvm| jvm.fence.as_ref())
    }

    /// Sets the shelf for parts that do not fit in memory.
    pub fn put_aside_on(&mut self, shelf: Shelf) {
        self.aside.put_on(shelf);
    }

    /// The places of the classes that were loaded.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// The input that gives these bytes to the entry point's first array of bytes or string, or to standard input.
    ///
    /// # Errors
    /// There is no such parameter, or it has no room for so many.
    pub fn raw_input(&mut self, bytes: &[u8]) -> Result<Input, String> {
        let raw = self.facts.get("raw").and_then(|raw| raw.split_once(' '));
        let Some((kind, name)) = raw else {
            return Err(
                "the program takes no array of bytes, no string, no standard input and no file"
                    .into(),
            );
        };
        let (kind, name) = (kind.chars().next().unwrap_or('B'), name.to_string());
        let (least, most) = match &self.options.main {
            Some(main) => {
                let file = main.files.as_ref().map(|files| files.length);
                let size = main.stdin.or(file).unwrap_or(0);
                (size, size)
            }
            None => {
                let of = self.options.lengths;
                (of.least, if kind == 'C' { of.strings } else { of.arrays })
            }
        };
        let length = bytes.len() as u64;
        if length < u64::from(least) && self.options.main.is_none() || length > u64::from(most) {
            return Err(format!(
                "{length} bytes do not fit: there is room for {least} to {most}"
            ));
        }
        let mut values = Model::new();
        let way = self.options.lengths.way(bytes.len() as u32, most);
        if let (true, Some((longer, from))) = (least != most, way) {
            for choice in 1..=longer {
                self.set(&mut values, &lengths::names(&name, choice, from).0, 1)?;
            }
            let of_length = lengths::names(&name, longer, from).1;
            self.set(&mut values, &of_length, length - u64::from(from))?;
        }
        let at = self
            .inputs
            .object(&mut self.reason.pool, &name, kind, bytes.len())?;
        for (symbol, byte) in self.inputs.objects[at].symbols.iter().zip(bytes) {
            values.set(*symbol, u64::from(*byte));
        }
        Ok(Input { start: 0, values })
    }

    /// The entry point's first parameter that a file of bytes is for, if that is an array of bytes.
    pub fn raw_array(&self) -> Option<&str> {
        let (kind, name) = self.facts.get("raw")?.split_once(' ')?;
        (self.options.main.is_none() && kind == "B").then_some(name)
    }

    /// Sets the value of a choice of the driver's.
    fn set(&mut self, values: &mut Model, name: &str, value: u64) -> Result<(), String> {
        let at = self.inputs.object(&mut self.reason.pool, name, 'C', 1)?;
        values.set(self.inputs.objects[at].symbols[0], value);
        Ok(())
    }

    fn start(&mut self) -> Result<(), Failure> {
        self.places.forget_numbers();
        let mut wrong = None;
        let places = &mut self.places;
        let mut meta = |text: &str| {
            if let Err(e) = places.hear(text) {
                wrong = Some(e);
            }
        };
        // It is borrowed once: a run that it does not survive goes to one of ours.
        let lent = self.options.borrowed.take();
        let lent = lent.map(|lent| Jvm::borrow(lent, &self.options, &mut meta));
        let jvm = match lent {
            Some(Ok(jvm)) => jvm,
            Some(Err(Failure::Refused(why))) => return Err(Failure::Refused(why)),
            Some(Err(Failure::Io(_))) | None => Jvm::start(&self.options, &mut meta)?,
        };
        if let Some(wrong) = wrong {
            return Err(io::Error::new(io::ErrorKind::InvalidData, wrong).into());
        }
        self.counts.starts += 1;
        self.description.clone_from(&jvm.description);
        self.facts.clone_from(&jvm.facts);
        self.jvm = Some(jvm);
        Ok(())
    }

    /// Has the JVM run an input, and reads its records.
    fn execute(&mut self, values: &Model, steps: u64, trace: &mut Trace) -> Result<(), Failure> {
        if self.jvm.is_none() {
            self.start()?;
        }
        let Some(jvm) = &mut self.jvm else {
            return Ok(());
        };
        jvm.run(steps, self.options.run_time, self.inputs.values(values))?;
        let around = Around {
            pool: &mut self.reason.pool,
            solver: &mut self.reason.solver,
            evaluator: &mut self.reason.evaluator,
            inputs: &mut self.inputs,
            places: &mut self.places,
            values,
            stop: self.stop,
        };
        trace.read(&mut jvm.records, around)?;
        Ok(())
    }

    /// The JVM is gone in the middle of a run.
    fn broken(&mut self, error: &Failure) -> Outcome {
        let ended = self.jvm.take().map_or(Ok(()), Jvm::end);
        match (self.stop.cause(), error, ended) {
            (Some(_), ..) => Outcome::Stopped,
            (None, Failure::Io(e), Ok(())) if e.kind() == io::ErrorKind::UnexpectedEof => {
                self.counters.late += 1;
                Outcome::Hangs
            }
            (None, Failure::Io(e), Err(how)) if e.kind() == io::ErrorKind::UnexpectedEof => {
                Outcome::Crashed(how)
            }
            (None, error, _) => Outcome::Crashed(error.to_string()),
        }
    }

    /// The driver's message at the end of a run: steps, losses of other threads, whether the JVM ends with it, the
    /// call, and its outcome.
    fn end(&mut self, text: &str, trace: &mut Trace) -> (Taken, Option<EntryCall>, Outcome) {
        let mut parts = text.splitn(6, '\n');
        let mut next = || parts.next().unwrap_or_default();
        let steps = next().parse().unwrap_or(0);
        let way = u64::from_str_radix(next(), 16).ok().filter(|&way| way != 0);
        let by_threads: u64 = next().parse().unwrap_or(0);
        if by_threads > 0 {
            *trace.losses.entry((Lost::Thread, u32::MAX)).or_default() += by_threads;
        }
        if next() == "last" {
            // The program has left threads that cannot be ended. The JVM has taken its time, which counts when it is gone.
            let _gone = self.jvm.take().map(Jvm::end);
        }
        let call = EntryCall::parse(next());
        (Taken { steps, way }, call, Outcome::parse(next()))
    }

    /// An object of input as this run had it. `relevant`: the symbols that its path depends on.
    fn object(
        &self,
        (object, count): (usize, usize),
        relevant: &Relevant,
        values: &Model,
    ) -> ObjectEnd {
        let o = &self.inputs.objects[object];
        let size = terms::size(o.kind);
        let of = (0..count).filter(|&at| relevant.contains(&o.symbols[at]));
        ObjectEnd {
            name: o.name.clone(),
            kind: o.kind,
            bytes: o.bytes(count, values),
            relevant: of.flat_map(|at| at * size..(at + 1) * size).collect(),
            decisive: Vec::new(),
        }
    }

    fn relevant(&self, path: &PathCondition) -> Relevant {
        let mut sets = FxHashSet::default();
        let mut symbols = Relevant::default();
        for c in path.iter() {
            let set = self.reason.pool.symbols(c.term);
            if sets.insert(set) {
                symbols.extend(self.reason.pool.set_iter(set));
            }
        }
        symbols
    }

    /// An array's index that is a number which is an argument, or a constant away from it, is the caller's.
    fn blame_index(&self, thrown: &mut Thrown, index: Term) {
        let is_of_array = thrown.class == "java.lang.ArrayIndexOutOfBoundsException";
        if !is_of_array || thrown.unfit.is_some() {
            return;
        }
        let pool = &self.reason.pool;
        let base = match (pool.op(index), pool.children(index)) {
            (Op::Add, &[a, b]) if pool.is_const(a) => b,
            (Op::Add, &[a, b]) if pool.is_const(b) => a,
            _ => index,
        };
        let symbol = pool.as_symbol(base);
        let object = symbol.and_then(|symbol| self.inputs.owner(symbol));
        let Some(object) = object.map(|at| &self.inputs.objects[at]) else {
            return;
        };
        let name = &object.name;
        let all = self.inputs.objects.iter();
        let mut lengths = all.filter_map(|o| lengths::length_of(&o.name));
        let is_argument = !name.contains(['.', '[', '(']) && !lengths.any(|l| l.0 == name);
        if is_argument && object.symbols.len() == 1 {
            thrown.unfit = Some(UnfitInput {
                why: "is no index".into(),
                objects: vec![name.clone()],
                // No index is within an array of no elements.
                is_certain: true,
            });
        }
    }

    /// The greatest bound of lengths among these objects of a run.
    fn bound(&self, asked: &[(usize, usize)]) -> u32 {
        let names = asked
            .iter()
            .map(|&(object, _)| &self.inputs.objects[object].name);
        let from = names.filter_map(|name| Some(lengths::length_of(name)?.1));
        self.options.lengths.reached(from.max().unwrap_or(0))
    }

    /// Where the run asked for what another one answers in another way.
    fn unsteady(&self, trace: &Trace) -> Vec<String> {
        let losses = trace.losses.keys();
        let places = losses.filter(|(lost, _)| *lost == Lost::Unsteady);
        let places = places.map(|&(_, place)| describe(&self.places, place));
        places.collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn settle(&mut self, trace: &mut Trace) {
        self.counts.records += trace.records;
        self.counts.checked += trace.checked;
        let room = WRONG.saturating_sub(self.counts.wrong.len());
        self.counts.wrong.extend(trace.wrong.drain(..).take(room));
        for ((lost, place), n) in trace.losses.drain() {
            let place = describe(&self.places, place);
            let Some(bound) = lost.bound() else {
                *self.counts.lost_at.entry((lost, place)).or_default() += n;
                continue;
            };
            let name = match lost {
                Lost::Unsteady | Lost::Missing => place,
                Lost::Unset => format!("what {place} asks for"),
                Lost::Length => self.bound(&trace.asked).to_string(),
                _ => "read to the end of its input".into(),
            };
            let met = self.machine.bounds.entry(bound).or_default();
            *met.entry(name).or_default() += n;
        }
    }

    /// Counts the end of a path.
    fn book(&mut self, outcome: &PathOutcome) {
        let ending = outcome.ending();
        let n = &mut self.counters;
        n.endings.add(ending, 1);
        if ending.is_complete() {
            n.completed += 1;
        } else {
            n.partial += 1;
        }
        match outcome {
            PathOutcome::Error(e) if e.kind == ErrorKind::Unsupported => {
                let unsupported = &mut self.machine.unsupported;
                *unsupported.entry(e.message.clone()).or_default() += 1;
            }
            PathOutcome::Internal(why) => self.warn(why.clone()),
            _ => {}
        }
        if let Some(kind) = outcome.error().filter(|k| *k != ErrorKind::Unsupported) {
            *self.counters.errors.entry(kind).or_default() += 1;
        }
    }

    /// Keeps a warning for the user, the first of many.
    fn warn(&mut self, what: String) {
        let known = &mut self.machine.warnings;
        if known.len() < WARNINGS && !known.contains(&what) {
            known.push(what);
        }
    }

    /// Reports progress, about ten times a second.
    fn tick(&mut self, sink: &mut dyn Sink) {
        if self.ticker.is_due() {
            self.counters.look_at_memory();
            sink.tick(self);
        }
    }
}

/// How far a run came.
#[derive(Clone, Copy, Default)]
struct Taken {
    /// Instructions of the program's classes.
    steps: u64,
    /// See [`PathInput::hash`](explore::PathInput).
    way: Option<u64>,
}

/// A program together with the sink that its events go to.
pub(crate) struct Heard<'a> {
    pub java: &'a mut Java,
    pub sink: &'a mut dyn Sink,
}

impl Java {
    /// Runs an input: the end of its path, and its record.
    fn run(&mut self, input: &Input, quota: Quota) -> (PathEnd, Executed) {
        let mut trace = Trace::new();
        let mut result = self.execute(&input.values, quota.steps, &mut trace);
        let is_lent = self.jvm.as_ref().is_some_and(Jvm::is_borrowed);
        if result.is_err() && is_lent && self.stop.cause().is_none() {
            // One of ours tells how it ended.
            self.jvm = None;
            trace = Trace::new();
            result = self.execute(&input.values, quota.steps, &mut trace);
        }
        trace.finish(
            &self.reason.pool,
            &mut self.places,
            &input.values,
            self.options.checks,
        );
        let (taken, call, outcome) = match (result, trace.end.take()) {
            (Ok(()), Some(text)) => self.end(&text, &mut trace),
            (Ok(()), None) => (Taken::default(), None, Outcome::Stopped),
            (Err(error), _) => {
                if let Failure::Refused(why) = &error {
                    self.failed = Some(why.clone());
                }
                (Taken::default(), None, self.broken(&error))
            }
        };
        let cut = match outcome {
            Outcome::Steps => Some(Cut::Steps),
            Outcome::Stopped => Some(Cut::End),
            // Runs that hang, crash or meet what is not supported would do so again: their paths end there, and the
            // ending counts as a loss.
            _ => None,
        };
        let unsteady = self.unsteady(&trace);
        self.settle(&mut trace);
        self.counts.runs += 1;
        self.counters.instructions += taken.steps;
        let asked = std::mem::take(&mut trace.asked);
        self.machine.symbolic_objects = self.machine.symbolic_objects.max(asked.len() as u64);
        if self.counts.first.is_none() {
            self.counts.first = Some(self.places.instructions().0);
        }
        let newly_covered = std::mem::take(&mut trace.covered);
        let places = newly_covered.iter().filter_map(|&n| self.places.key(n));
        let commons = self.commons.as_ref();
        // Each of them is claimed.
        let first = places.filter(|&place| commons.is_none_or(|c| c.claim(place)));
        let covered_new = first.count() > 0;
        let (mut outcome, stack) = outcome.told(&self.judge);
        if let (PathOutcome::Thrown(thrown), Some(index)) = (&mut outcome, trace.outside) {
            self.blame_index(thrown, index);
        }
        let known = known_by(&outcome, stack.as_ref());
        let is_new = known.is_some_and(|(place, calls)| self.reported.report(place, calls));
        // Nobody asks about a path that shows nothing new.
        let relevant = if is_new || covered_new {
            self.relevant(&trace.path)
        } else {
            Relevant::default()
        };
        let objects = asked.iter();
        let objects = objects.map(|&o| self.object(o, &relevant, &input.values));
        let objects: Vec<ObjectEnd> = objects.collect();
        let (pieces, arguments) = match call {
            Some(call) => (call.pieces.min(objects.len()), call.arguments),
            None => (objects.len(), Vec::new()),
        };
        let end = PathEnd {
            outcome,
            is_new,
            covered_new,
            is_ahead: false,
            start: 0,
            instructions: taken.steps,
            stack,
            objects,
            input: Some(PathInput {
                input_objects: pieces as u32,
                output: Output {
                    stdout: std::mem::take(&mut trace.output).into_bytes(),
                    stderr: Vec::new(),
                },
                hash: taken.way,
                unsteady,
                arguments,
                prefix: Vec::new(),
            }),
        };
        let executed = Executed {
            decisions: trace.decisions,
            conditions: trace.conditions,
            values: input.values.clone(),
            newly_covered,
            steps: taken.steps,
            cut,
        };
        (end, executed)
    }
}

impl Heard<'_> {
    /// Tells of the end of a path.
    fn tell(&mut self, mut end: PathEnd) {
        let wants_input = self.sink.wants_input(Ended {
            ending: end.outcome.ending(),
            is_new: end.is_new,
            covered_new: end.covered_new,
        });
        if !wants_input {
            end.input = None;
        }
        let known = known_by(&end.outcome, end.stack.as_ref()).filter(|_| end.is_new);
        let doubt = self.sink.ended(end);
        if let Some((place, calls)) = known {
            self.java.reported.told(&place, &calls, doubt.is_some());
        }
    }

    /// Counts the end of a path, and tells of it.
    pub fn finish(&mut self, end: PathEnd) {
        self.java.book(&end.outcome);
        self.tell(end);
    }
}

impl Target for Heard<'_> {
    fn starts(&self) -> usize {
        1
    }

    fn first_input(&self, _: usize) -> Model {
        Model::new()
    }

    fn run(&mut self, input: &Input, quota: Quota) -> Executed {
        let (end, executed) = self.java.run(input, quota);
        match executed.cut {
            Some(Cut::End) => self.java.interrupted = Some(end),
            // It is counted when it ends, but the run may end before anybody comes back to it.
            Some(Cut::Steps) if !quota.is_last && end.covered_new => self.tell(end),
            Some(Cut::Steps) if !quota.is_last => {}
            _ => self.finish(end),
        }
        self.java.tick(self.sink);
        executed
    }

    fn retrace(&mut self, input: &Input, _: u64, decisions: usize) -> Retraced {
        let java = &mut *self.java;
        let mut trace = Trace::new();
        // A JVM has no place to stop at: the run is made whole, and what comes after is forgotten.
        if let Err(error) = java.execute(&input.values, MOST_STEPS, &mut trace) {
            java.broken(&error);
        }
        if java.stop.is_set() {
            return Retraced::Stopped;
        }
        trace.finish(&java.reason.pool, &mut java.places, &input.values, false);
        trace.decisions.truncate(decisions);
        Retraced::Here(Executed {
            decisions: trace.decisions,
            conditions: trace.conditions,
            values: input.values.clone(),
            newly_covered: Vec::new(),
            steps: 0,
            cut: None,
        })
    }

    fn works_on(&mut self, key: u64) {
        if let Some(commons) = &self.java.commons {
            commons.works_on(key);
        }
    }

    fn reason(&self) -> &Reasoner {
        &self.java.reason
    }

    fn reason_mut(&mut self) -> &mut Reasoner {
        &mut self.java.reason
    }

    fn solve(
        &mut self,
        before: &PathCondition,
        witness: &Model,
        cond: Term,
        budget: &Budget,
        trials: &mut dyn Trials,
    ) -> Answer {
        // Between two runs there may be thousands of queries.
        self.java.tick(self.sink);
        let ask = Ask::new(before, witness, budget).heard_by(trials);
        self.java.reason.feasible(cond, ask)
    }

    fn wants_collection(&self) -> bool {
        self.java.reason.pool.len() >= self.java.collect_at
    }

    fn collect(&mut self, holder: &mut dse::Holder<'_>) {
        let java = &mut *self.java;
        java.reason.collect(&mut |visit| {
            let mut paths = TraceSet::new();
            holder(&mut paths, visit);
        });
        java.counters.collections += 1;
        java.collect_at = COLLECT.max(2 * java.reason.pool.len());
    }

    fn must_end(&mut self) -> Option<String> {
        let stopped = || self.java.stop.cause().map(|cause| cause.to_string());
        self.java.failed.clone().or_else(stopped)
    }

    fn memory_is_short(&mut self) -> bool {
        let java = &mut *self.java;
        let most = java.memory - java.memory / 5;
        // The system is asked ten times a second anyway, and takes longer to answer than a short run.
        let is_short = java.memory > 0 && room::used() > most && room::sample() > most;
        if is_short {
            java.counters.shortages += 1;
            java.reason.solver.shed();
        }
        is_short
    }

    fn keep(&mut self, part: &dse::Part, key: u64) -> bool {
        let bytes = self.java.bytes_of(part);
        let is_kept = self.java.aside.keep(bytes, part.len(), key);
        if let Some(why) = self.java.aside.refused() {
            let what = format!("open branches could not be put aside: {why}");
            self.java.warn(what);
        }
        is_kept
    }

    fn kept(&mut self) -> Option<(dse::Part, Ticket)> {
        loop {
            let (bytes, ticket, branches) = self.java.aside.pop()?;
            match self.java.part_of(&bytes) {
                Ok(part) => return Some((part, ticket)),
                Err(_) => self.java.aside.forget(branches),
            }
        }
    }

    fn open_branches(&mut self, open: usize) {
        self.java.counters.live = open + self.java.aside.branches();
    }
}

impl SoFar for Java {
    fn totals(&mut self) -> Totals {
        let stats = self.reason.solver.stats();
        let rows = stats.rows().into_iter();
        let mut losses = self.losses.clone();
        losses.add(Loss::Parked, self.counters.parked);
        losses.add(Loss::Models, stats.models_rejected);
        losses.add(Loss::Forgotten, self.aside.forgotten());
        let jvm = self.jvm.as_ref();
        let running_s = jvm.map_or(0.0, |jvm| jvm.time().as_secs_f64());
        let fenced = jvm.is_some_and(|jvm| jvm.fence.is_some());
        let unheard_s = host::child::time_of_killed().as_secs_f64();
        Totals {
            counters: self.counters.clone(),
            machine: self.machine.clone(),
            losses,
            queries: stats.queries,
            solver_time_s: self.reason.solver.solver_time_s(),
            solver: rows.map(|row| (row.name.into(), row.value)).collect(),
            terms: self.reason.pool.len() as u64,
            lost_at: self.counts.lost_at.clone(),
            wrong: self.counts.wrong.clone(),
            children: Children {
                running_s,
                unheard_s: unheard_s + if fenced { running_s } else { 0.0 },
            },
        }
    }

    fn news(&mut self) -> explore::Places {
        self.places.news()
    }
}

impl Program for Java {
    fn heard_by<'a>(&'a mut self, sink: &'a mut dyn Sink) -> Box<dyn Target + 'a> {
        Box::new(Heard { java: self, sink })
    }

    fn starts(&self) -> usize {
        1
    }

    fn first_input(&self, _: usize) -> Model {
        Model::new()
    }

    fn stop(&self) -> Stop {
        self.stop
    }

    fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    fn bytes_of(&self, part: &dse::Part) -> Vec<u8> {
        Part::of(self, part).to_bytes()
    }

    fn part_of(&mut self, bytes: &[u8]) -> Result<dse::Part, String> {
        let part = Part::from_bytes(bytes)?;
        if part.start != 0 {
            return Err(format!("the program has no start {}", part.start));
        }
        part.part(self)
    }

    fn list(&mut self) -> &mut Option<List> {
        &mut self.list
    }

    fn aside(&self) -> usize {
        self.aside.branches()
    }

    fn give_aside(&mut self, branches: usize) -> Vec<Vec<u8>> {
        self.aside.give(branches)
    }

    fn tell_aside(&mut self, list: &mut Update<'_>) {
        let whole = list.is_whole();
        self.aside.each(whole, &mut |ticket, bytes| {
            list.entry(&mut ticket.key, &mut ticket.is_told, |to| to.extend(bytes));
        });
    }

    fn counts(&mut self) -> (&mut Counters, &mut Tally<Loss>) {
        (&mut self.counters, &mut self.losses)
    }

    fn rows(&self, has_opened: bool) -> Vec<(String, u64)> {
        let counts = &self.counts;
        // Of several workers each has a first run.
        let first = counts.first.filter(|_| has_opened);
        let first = first.map(|n| ("dse_first_instructions", n));
        let rows = [
            ("java_records", counts.records),
            ("java_jvms", counts.starts),
            ("java_put_aside", self.aside.put()),
            ("java_checked", counts.checked),
        ];
        let rows = rows.into_iter().chain(first);
        rows.map(|(name, n)| (name.to_string(), n)).collect()
    }

    fn wind_up(&mut self, sink: &mut dyn Sink) -> bool {
        let interrupted = self.interrupted.take();
        let was_interrupted = interrupted.is_some();
        if let Some(end) = interrupted {
            Heard { java: self, sink }.finish(end);
        }
        was_interrupted
    }

    fn rest(&mut self, sink: &mut dyn Sink) {
        self.counters.live = 0;
        self.counters.look_at_memory();
        sink.tick(self);
    }

    fn covered_by_others(
        &mut self,
        is_covered: &mut dyn FnMut(explore::Place) -> bool,
    ) -> Vec<u32> {
        self.places.covered_by_others(is_covered)
    }

    fn resize(&mut self, memory: u64) {
        self.memory = memory;
    }

    fn work(&self) -> u64 {
        let ran = self.counts.runs * RUN_WORK
            + self.counters.instructions * INSTRUCTION_WORK
            + self.counts.records * RECORD_WORK;
        self.reason.work() + ran
    }

    fn end(self) {
        // The JVM ends first, so that its time is counted.
        drop(self);
    }

    fn rejected(&self) -> Vec<String> {
        self.reason.solver.rejected().to_vec()
    }
}
