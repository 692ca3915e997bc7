//! The program as the loop of `dse` sees it.

use crate::aside::Aside;
use crate::input::Inputs;
use crate::jvm::{Failure, Jvm, Options};
use crate::names::Part;
use crate::outcome::{Call, Lost, Outcome, PathEnd, Piece};
use crate::places::{MethodCoverage, Place, Places};
use crate::run::{Around, Trace, describe};
use dse::{Cut, Executed, Input, Quota, Retraced, Target, Ticket};
use host::Stop;
use host::shelf::{self, Shelf};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use solver::{
    Ask, Budget, Conjunct, Model, Outcome as Answer, PathCondition, Solver, TraceSet, Trials,
};
use std::collections::BTreeMap;
use std::io;
use term::{Pool, Symbol, Term, Trace as _};

/// Hears of the paths.
pub trait Observer {
    /// A path has ended.
    fn ended(&mut self, path: PathEnd, run: Look<'_>);
    /// Some time has passed.
    fn tick(&mut self, run: Look<'_>);
}

/// The run as it is at this moment.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    /// In numbers.
    pub totals: &'a Totals,
    /// The places of the classes that were loaded.
    pub places: &'a Places,
}

/// The run so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Instructions of the program's own classes.
    pub steps: u64,
    /// Records that were read.
    pub records: u64,
    /// Instructions in blocks that were covered, and in all classes that were loaded.
    pub instructions: (u64, u64),
    /// Queries to the solver, and seconds that they took.
    pub queries: u64,
    /// Seconds spent in the solver.
    pub solver_time_s: f64,
    /// JVMs that were started.
    pub starts: u64,
    /// Seconds of processor time of the JVM that runs; that of earlier ones counts as that of children.
    pub jvm_s: f64,
    /// Of the JVMs' processor time, what nobody who waits for this process will hear of: those behind a fence are killed with the
    /// process that started them.
    pub unheard_s: f64,
    /// Results that were compared with their terms (check mode).
    pub checked: u64,
    /// Terms that differ from what the JVM computed, in words: a fault of ours.
    pub wrong: Vec<String>,
    /// What was left out, by kind and place.
    pub losses: BTreeMap<(Lost, String), u64>,
    /// Something of the program's input is symbolic.
    pub has_input: bool,
    /// Terms in the pool.
    pub terms: usize,
    /// Branches whose other side is open.
    pub open: usize,
    /// Branches that were put aside while memory was short.
    pub put_aside: u64,
    /// Of these, those that cannot be read again.
    pub forgotten: u64,
}

impl Totals {
    /// Adds what another process has done; what was covered is not a sum.
    pub fn add(&mut self, other: &Totals) {
        self.steps += other.steps;
        self.records += other.records;
        self.queries += other.queries;
        self.solver_time_s += other.solver_time_s;
        self.starts += other.starts;
        self.jvm_s += other.jvm_s;
        self.unheard_s += other.unheard_s;
        self.checked += other.checked;
        self.has_input |= other.has_input;
        self.terms += other.terms;
        self.open += other.open;
        self.put_aside += other.put_aside;
        self.forgotten += other.forgotten;
        let room = WRONG.saturating_sub(self.wrong.len());
        self.wrong.extend(other.wrong.iter().take(room).cloned());
        for (what, n) in &other.losses {
            *self.losses.entry(what.clone()).or_default() += n;
        }
    }
}

/// Faults that are kept in words.
const WRONG: usize = 20;
/// No limit of steps, in a number that Java has.
const MOST_STEPS: u64 = i64::MAX as u64;
/// Terms at which the pool is compacted for the first time.
const COLLECT: usize = 1 << 20;

/// Symbols that a path depends on.
type Relevant = FxHashSet<Symbol>;

/// A method of a Java program.
pub struct Java<'a> {
    pub(crate) pool: Pool,
    solver: Solver,
    options: Options,
    /// None after it ended, until the next run.
    jvm: Option<Jvm>,
    pub(crate) inputs: Inputs,
    places: Places,
    observer: &'a mut dyn Observer,
    stop: Stop,
    /// Bytes that the run may take, 0 for no limit.
    memory: u64,
    totals: Totals,
    collect_at: usize,
    /// Why no further run is possible.
    failed: Option<String>,
    /// Hears which entry of the list of what is left runs belong to.
    works_on: Option<Box<dyn Fn(u64)>>,
    description: String,
    facts: BTreeMap<String, String>,
    aside: Aside,
}

impl<'a> Java<'a> {
    /// Starts a JVM and finds the entry point.
    ///
    /// # Errors
    /// There is no such method, it cannot be called, or the JVM does not start.
    pub fn new(
        options: Options,
        solver: Solver,
        stop: Stop,
        memory: u64,
        observer: &'a mut dyn Observer,
    ) -> Result<Java<'a>, Failure> {
        let covered = options.covered.iter().cloned();
        let places = Places::new(options.kit.sites(), covered);
        let mut java = Java {
            pool: Pool::new(),
            solver,
            options,
            jvm: None,
            inputs: Inputs::default(),
            places,
            observer,
            stop,
            memory,
            totals: Totals::default(),
            collect_at: COLLECT,
            failed: None,
            works_on: None,
            description: String::new(),
            facts: BTreeMap::new(),
            aside: Aside::default(),
        };
        java.start()?;
        Ok(java)
    }

    /// The entry point with the types of its parameters.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// What source that calls the entry point has to know of it, by the driver's names.
    pub fn facts(&self) -> &BTreeMap<String, String> {
        &self.facts
    }

    /// What stands between the program and the host, if anything.
    pub fn fence(&self) -> Option<&fence::Fence> {
        self.jvm.as_ref().and_then(|jvm| jvm.fence.as_ref())
    }

    /// What memory has no room for is put aside on this shelf from now on.
    pub fn put_aside_on(&mut self, shelf: Shelf) {
        self.aside.put_on(shelf);
    }

    /// Branches, cut runs and inputs that are put aside.
    pub fn aside(&self) -> usize {
        self.aside.branches()
    }

    /// Why the disk took no more of that, if it refused.
    pub fn refused_aside(&self) -> Option<&str> {
        self.aside.refused()
    }

    /// All of it, for others.
    pub fn take_aside(&mut self) -> Vec<shelf::Piece> {
        self.aside.take()
    }

    /// So many branches of it for others, about, as [`Part`]s in bytes; at most half of all parts.
    pub fn give_aside(&mut self, branches: usize) -> Vec<Vec<u8>> {
        self.aside.give(branches)
    }

    /// Shows each part of it: its entry in the list of what is left, and its bytes if nobody was told of it.
    pub fn each_aside(&mut self, show: &mut dyn FnMut(&mut Ticket, Vec<u8>)) {
        self.aside.each(show);
    }

    /// From now on this hears which entry of the list of what is left a run belongs to, before it begins.
    pub fn tell_works_on(&mut self, tell: Box<dyn Fn(u64)>) {
        self.works_on = Some(tell);
    }

    /// Why no further run is possible, if none is: the JVM does not start any more, for instance.
    pub fn failed(&self) -> Option<&str> {
        self.failed.as_deref()
    }

    /// The places of the classes that were loaded.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Others have covered a place. Its number here, if it is known and this is news.
    pub fn covered_elsewhere(&mut self, place: Place) -> Option<u32> {
        self.places.covered_elsewhere(place)
    }

    /// The same, when no more is run.
    pub fn into_places(self) -> Places {
        self.places
    }

    /// The run so far.
    pub fn totals(&mut self) -> Totals {
        self.count();
        self.totals.clone()
    }

    /// What was covered of the methods of the classes that were loaded.
    pub fn methods(&self) -> Vec<MethodCoverage> {
        self.places.methods()
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
            None => (self.options.shortest, self.options.longest),
        };
        let length = bytes.len() as u64;
        if length < u64::from(least) && self.options.main.is_none() || length > u64::from(most) {
            return Err(format!(
                "{length} bytes do not fit: there is room for {least} to {most}"
            ));
        }
        let mut values = Model::new();
        if least != most {
            let at = self
                .inputs
                .object(&mut self.pool, &format!("{name}.length"), 'C', 1)?;
            values.set(
                self.inputs.objects[at].symbols[0],
                length - u64::from(least),
            );
        }
        let at = self
            .inputs
            .object(&mut self.pool, &name, kind, bytes.len())?;
        for (symbol, byte) in self.inputs.objects[at].symbols.iter().zip(bytes) {
            values.set(*symbol, u64::from(*byte));
        }
        Ok(Input { start: 0, values })
    }

    /// Queries that the solver answered with a wrong model.
    pub fn rejected(&self) -> &[String] {
        self.solver.rejected()
    }

    fn count(&mut self) {
        self.totals.put_aside = self.aside.put();
        self.totals.forgotten = self.aside.forgotten();
        self.totals.instructions = self.places.instructions();
        self.count_queries();
        self.totals.terms = self.pool.len();
        let jvm = self.jvm.as_ref();
        self.totals.jvm_s = jvm.map_or(0.0, |jvm| jvm.time().as_secs_f64());
        let fenced = jvm.is_some_and(|jvm| jvm.fence.is_some());
        let unheard = host::child::time_of_killed().as_secs_f64();
        self.totals.unheard_s = unheard + if fenced { self.totals.jvm_s } else { 0.0 };
    }

    fn count_queries(&mut self) {
        self.totals.queries = self.solver.stats().queries;
        self.totals.solver_time_s = self.solver.solver_time_s();
    }

    fn start(&mut self) -> Result<(), Failure> {
        self.places.forget_numbers();
        let mut wrong = None;
        let places = &mut self.places;
        let jvm = Jvm::start(&self.options, &mut |text| {
            if let Err(e) = places.hear(text) {
                wrong = Some(e);
            }
        })?;
        if let Some(wrong) = wrong {
            return Err(io::Error::new(io::ErrorKind::InvalidData, wrong).into());
        }
        self.totals.starts += 1;
        self.description.clone_from(&jvm.description);
        self.facts.clone_from(&jvm.facts);
        self.jvm = Some(jvm);
        Ok(())
    }

    /// Has the JVM run an input, and reads what it records.
    fn execute(&mut self, values: &Model, steps: u64, trace: &mut Trace) -> Result<(), Failure> {
        if self.jvm.is_none() {
            self.start()?;
        }
        let Some(jvm) = &mut self.jvm else {
            return Ok(());
        };
        jvm.run(steps, self.options.run_time, self.inputs.values(values))?;
        let around = Around {
            pool: &mut self.pool,
            solver: &mut self.solver,
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
                Outcome::Hangs
            }
            (None, Failure::Io(e), Err(how)) if e.kind() == io::ErrorKind::UnexpectedEof => {
                Outcome::Crashed(how)
            }
            (None, error, _) => Outcome::Crashed(error.to_string()),
        }
    }

    /// What the driver said at the end of a run: steps, losses of other threads, whether the JVM ends with it, the call, and how it ended.
    fn end(&mut self, text: &str, trace: &mut Trace) -> (Taken, Option<Call>, Outcome) {
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
        let call = Call::parse(next());
        (Taken { steps, way }, call, Outcome::parse(next()))
    }

    /// An object of input as this run had it. `relevant`: the symbols that its path depends on.
    fn piece(&self, (object, count): (usize, usize), relevant: &Relevant, values: &Model) -> Piece {
        let o = &self.inputs.objects[object];
        let of = (0..count).filter(|&at| relevant.contains(&o.symbols[at]));
        Piece {
            name: o.name.clone(),
            kind: o.kind,
            bytes: o.bytes(count, values),
            relevant: of.collect(),
        }
    }

    fn relevant(&self, path: &PathCondition) -> Relevant {
        let mut sets = FxHashSet::default();
        let mut symbols = Relevant::default();
        for c in path.iter() {
            let set = self.pool.symbols(c.term);
            if sets.insert(set) {
                symbols.extend(self.pool.set_iter(set));
            }
        }
        symbols
    }

    fn settle(&mut self, trace: &mut Trace) {
        self.totals.records += trace.records;
        self.totals.checked += trace.checked;
        for wrong in trace.wrong.drain(..) {
            if self.totals.wrong.len() < WRONG {
                self.totals.wrong.push(wrong);
            }
        }
        for ((lost, place), n) in trace.losses.drain() {
            let place = describe(&self.places, place);
            *self.totals.losses.entry((lost, place)).or_default() += n;
        }
    }
}

/// How far a run came.
#[derive(Clone, Copy, Default)]
struct Taken {
    /// Instructions of the program's classes.
    steps: u64,
    /// See [`PathEnd::way`].
    way: Option<u64>,
}

impl Target for Java<'_> {
    fn starts(&self) -> usize {
        1
    }

    fn first_input(&self, _: usize) -> Model {
        Model::new()
    }

    fn run(&mut self, input: &Input, quota: Quota) -> Executed {
        let mut trace = Trace::new();
        let result = self.execute(&input.values, quota.steps, &mut trace);
        trace.finish(
            &self.pool,
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
        self.settle(&mut trace);
        self.totals.steps += taken.steps;
        self.count();
        let asked = std::mem::take(&mut trace.asked);
        self.totals.has_input |= !asked.is_empty();
        let pieces = asked.iter();
        // Nobody asks about a path that shows nothing new.
        let has_news = !trace.covered.is_empty() || matches!(outcome, Outcome::Thrown(_));
        let relevant = if has_news {
            self.relevant(&trace.path)
        } else {
            Relevant::default()
        };
        let path = PathEnd {
            outcome,
            input: pieces
                .map(|&piece| self.piece(piece, &relevant, &input.values))
                .collect(),
            call,
            output: std::mem::take(&mut trace.output),
            covered: std::mem::take(&mut trace.covered),
            steps: taken.steps,
            way: taken.way,
        };
        let newly_covered = path.covered.clone();
        let run = Look {
            totals: &self.totals,
            places: &self.places,
        };
        self.observer.ended(path, run);
        Executed {
            decisions: trace.decisions,
            conditions: trace.conditions,
            values: input.values.clone(),
            newly_covered,
            steps: taken.steps,
            cut,
        }
    }

    fn retrace(&mut self, input: &Input, _: u64, decisions: usize) -> Retraced {
        let mut trace = Trace::new();
        // A JVM has no place to stop at: the run is made whole, and what comes after is forgotten.
        if let Err(error) = self.execute(&input.values, MOST_STEPS, &mut trace) {
            self.broken(&error);
        }
        if self.stop.is_set() {
            return Retraced::Stopped;
        }
        trace.finish(&self.pool, &mut self.places, &input.values, false);
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
        if let Some(tell) = &self.works_on {
            tell(key);
        }
    }

    fn pool(&self) -> &Pool {
        &self.pool
    }

    fn all(&mut self, conditions: &[Term]) -> Term {
        let first = self.pool.tru();
        conditions
            .iter()
            .fold(first, |all, &c| self.pool.and(all, c))
    }

    fn extend(&mut self, path: &mut PathCondition, c: Conjunct) {
        self.solver.push(&mut self.pool, path, c.term, c.origin);
    }

    fn work(&self) -> u64 {
        term::work::spent() + self.solver.stats().effort_work()
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
        self.count_queries();
        self.observer.tick(Look {
            totals: &self.totals,
            places: &self.places,
        });
        self.solver.feasible(
            &mut self.pool,
            cond,
            Ask::new(before, witness, budget).heard_by(trials),
        )
    }

    fn wants_collection(&self) -> bool {
        self.pool.len() >= self.collect_at
    }

    fn collect(&mut self, holder: &mut dse::Holder<'_>) {
        let solver = &mut self.solver;
        let moved = self.pool.collect(&mut |visit| {
            let mut paths = TraceSet::new();
            solver.trace(visit);
            holder(&mut paths, visit);
        });
        self.solver.relocate(&moved);
        self.collect_at = COLLECT.max(2 * self.pool.len());
    }

    fn must_end(&mut self) -> Option<String> {
        self.failed
            .clone()
            .or_else(|| self.stop.cause().map(|cause| cause.to_string()))
    }

    fn memory_is_short(&mut self) -> bool {
        let is_short = self.memory > 0 && room::sample() > self.memory - self.memory / 5;
        if is_short {
            self.solver.shed();
        }
        is_short
    }

    fn keep(&mut self, part: &dse::Part, key: u64) -> bool {
        let bytes = Part::of(self, part).to_bytes();
        self.aside.keep(bytes, part.len(), key)
    }

    fn kept(&mut self) -> Option<(dse::Part, Ticket)> {
        loop {
            let (bytes, ticket, branches) = self.aside.pop()?;
            match Part::from_bytes(&bytes).and_then(|part| part.part(self)) {
                Ok(part) => return Some((part, ticket)),
                Err(_) => self.aside.forget(branches),
            }
        }
    }

    fn open_branches(&mut self, open: usize) {
        self.totals.open = open + self.aside.branches();
    }
}
