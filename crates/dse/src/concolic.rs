//! Concolic mode as an exploration: one input runs after the other, and the solver is asked for branches that none of
//! them took. Workers exchange parts of the frontier, that is, of the open branches.

use crate::explorer::{Explorer, ExplorerOptions};
use crate::part::Part;
use crate::stats::ExplorerStats;
use crate::target::{Input, Target};
use explore::{
    AssumptionNews, Changes, Counters, Ending, Exploration, Halt, Hear, List, Loss, ObjectBytes,
    Place, Places, Sink, SoFar, Tally, Totals, Update,
};
use host::Stop;
use search::Strategy;
use solver::Model;

/// Runs and queries between two looks at the explorer's counts: the status shows them.
const COUNT_EVERY: u64 = 256;

/// The row of runs that were cut.
const CUT: &str = "dse_cut_runs";

/// A program that runs on inputs, and everything else that its exploration needs to know about it.
pub trait Program: SoFar {
    /// The program as the explorer's target; events of its runs go to `sink`.
    fn heard_by<'a>(&'a mut self, sink: &'a mut dyn Sink) -> Box<dyn Target + 'a>;
    /// The input that gives these bytes to these objects, if the program has one.
    fn input_of(&mut self, _: &[ObjectBytes]) -> Option<Input> {
        None
    }
    /// Separate beginnings of the program.
    fn starts(&self) -> usize;
    /// An input to begin with.
    fn first_input(&self, start: usize) -> Model;
    /// The flag that says when the run has to end.
    fn stop(&self) -> Stop;
    /// Can it not be run any more?
    fn has_failed(&self) -> bool {
        false
    }
    /// A part of the frontier as bytes that other processes understand.
    fn bytes_of(&self, part: &Part) -> Vec<u8>;
    /// The part that another process has sent.
    ///
    /// # Errors
    /// In words: these bytes are no part of this program, or the run has to end.
    fn part_of(&mut self, bytes: &[u8]) -> Result<Part, String>;
    /// The list of the frontier, if anybody keeps it.
    fn list(&mut self) -> &mut Option<List>;
    /// Branches, cut runs and inputs that were put aside.
    fn aside(&self) -> usize;
    /// So many of them for others, about, as bytes; at most half of all parts.
    fn give_aside(&mut self, branches: usize) -> Vec<Vec<u8>>;
    /// Shows them to the list of the frontier.
    fn tell_aside(&mut self, list: &mut Update<'_>);
    /// Its counters, and the losses that ended no path.
    fn counts(&mut self) -> (&mut Counters, &mut Tally<Loss>);
    /// Its own counters, by their names in `stats.json`. `has_opened`: the first run was that of the whole exploration.
    fn rows(&self, has_opened: bool) -> Vec<(String, u64)>;
    /// The run has to end: tells of the path that was interrupted. Returns whether there was one.
    fn wind_up(&mut self, sink: &mut dyn Sink) -> bool;
    /// Tells of assumptions that no path got past, when everything is explored.
    fn tell_unmet(&mut self, _: &mut dyn Sink) {}
    /// Tells `sink` that nothing runs any more.
    fn rest(&mut self, sink: &mut dyn Sink);
    /// Asks of places that it has not covered whether others have. Gives the numbers of those that are new, as in
    /// [`Executed::newly_covered`](crate::Executed::newly_covered).
    fn covered_by_others(&mut self, is_covered: &mut dyn FnMut(Place) -> bool) -> Vec<u32>;
    /// See [`Exploration::resize`].
    fn resize(&mut self, memory: u64);
    /// See [`Exploration::work`].
    fn work(&self) -> u64;
    /// See [`Exploration::rejected`].
    fn rejected(&self) -> Vec<String>;
    /// See [`Exploration::assumptions`].
    fn assumptions(&mut self, _: &mut dyn Sink) -> AssumptionNews {
        AssumptionNews::default()
    }
    /// See [`Exploration::end`].
    fn end(self)
    where
        Self: Sized,
    {
        std::mem::forget(self);
    }
}

/// The exploration of a program by inputs that run one after the other.
pub struct Concolic<P> {
    /// The program.
    pub program: P,
    explorer: Explorer,
    /// Other workers take over the frontier.
    has_left: bool,
    /// Things done, for the next look at the counts.
    steps: u64,
    /// The explorer's counts that the program's contain already.
    counted: ExplorerStats,
}

impl<P: Program> Concolic<P> {
    /// An exploration that begins with nothing but the parts that it is given ([`Exploration::adopt`]).
    pub fn new(program: P, strategy: Box<dyn Strategy>, options: ExplorerOptions) -> Concolic<P> {
        Concolic {
            explorer: Explorer::shared(program.starts(), strategy, options),
            program,
            has_left: false,
            steps: 0,
            counted: ExplorerStats::default(),
        }
    }

    /// Explores everything, from these inputs on, or from the program's first ones if there are none.
    #[must_use]
    pub fn from_inputs(mut self, seeds: Vec<Input>) -> Concolic<P> {
        for part in first_parts(&self.program, seeds) {
            self.explorer.adopt(part, 0);
        }
        self
    }

    /// Makes it one of several workers: it explores only the parts that others give.
    #[must_use]
    pub fn shared(mut self) -> Concolic<P> {
        *self.program.list() = Some(List::default());
        self
    }

    /// Ends the exploration: open branches stay open, and runs that were cut are ended.
    fn wind_up(&mut self, sink: &mut dyn Sink) {
        let was_interrupted = self.program.wind_up(sink);
        // What was interrupted is one of those that were cut.
        let cut = (self.explorer.cut() as u64).saturating_sub(was_interrupted.into());
        let left = self.explorer.left_open() + self.program.aside();
        let (counters, losses) = self.program.counts();
        counters.endings.add(Ending::Instructions, cut);
        counters.partial += cut;
        *counters.schedule.entry(CUT.into()).or_default() += cut;
        losses.add(Loss::Open, left as u64);
    }

    /// Brings the program's numbers up to date with those of the explorer.
    fn count(&mut self) {
        let (now, before) = (&self.explorer.stats, &self.counted);
        let rows = self.program.rows(self.explorer.has_opened);
        let (counters, losses) = self.program.counts();
        for (loss, n) in [
            (Loss::Resolutions, now.limited - before.limited),
            (Loss::Divergences, now.divergences - before.divergences),
            (Loss::Forgotten, now.dropped - before.dropped),
        ] {
            losses.add(loss, n);
        }
        counters.adopted = now.adopted;
        counters.parked = now.parked.values().sum();
        let parked = now.parked.iter();
        counters.parked_by = parked.map(|(&why, &n)| (why.into(), n)).collect();
        counters.schedule = now.rows().into_iter().chain(rows).collect();
        self.counted = now.clone();
    }

    /// Do others explore, too?
    fn is_shared(&mut self) -> bool {
        let list = self.program.list();
        list.as_ref().is_some_and(|list| !list.is_alone)
    }
}

/// All that there is to explore of a program: from these inputs on, or from its first ones if there are none.
fn first_parts<P: Program>(program: &P, seeds: Vec<Input>) -> Vec<Part> {
    let first = (0..program.starts()).map(|start| program.first_input(start));
    Part::first(first, seeds)
}

/// The same as bytes.
pub fn first_prefixes<P: Program>(program: &P, seeds: Vec<Input>) -> Vec<Vec<u8>> {
    let parts = first_parts(program, seeds);
    parts.iter().map(|part| program.bytes_of(part)).collect()
}

impl<P: Program> SoFar for Concolic<P> {
    fn totals(&mut self) -> Totals {
        self.program.totals()
    }

    fn news(&mut self) -> Places {
        self.program.news()
    }
}

impl<P: Program> Exploration for Concolic<P> {
    fn run(&mut self, sink: &mut dyn Sink) -> Option<Halt> {
        let stop = self.program.stop();
        let halted = loop {
            if let Some(cause) = stop.cause() {
                self.count();
                sink.halting(self);
                break Some(Halt::Stopped(cause));
            }
            if self.program.has_failed() {
                self.count();
                sink.halting(self);
                break Some(Halt::Failed);
            }
            sink.look(self);
            if self.has_left || self.explorer.is_spent(self.program.work()) {
                break None;
            }
            let went = self.explorer.step(&mut *self.program.heard_by(sink));
            self.steps += 1;
            if self.steps.is_multiple_of(COUNT_EVERY) {
                self.count();
            }
            if !went && !sink.wait(self) {
                break None;
            }
        };
        self.count();
        if halted.is_some() {
            self.wind_up(sink);
        } else if !self.is_shared() && !self.has_left {
            self.program.tell_unmet(sink);
        }
        self.program.rest(sink);
        halted
    }

    fn record(&mut self) {
        *self.program.list() = Some(List::alone());
    }

    fn leave(&mut self) {
        self.has_left = true;
    }

    fn may_go_elsewhere(&self) -> bool {
        true
    }

    fn live(&self) -> usize {
        self.explorer.live() + self.program.aside()
    }

    fn has_parked(&self) -> bool {
        self.explorer.has_parked()
    }

    fn adopt(&mut self, lease: u64, bytes: &[u8]) -> Result<(), String> {
        let part = self.program.part_of(bytes)?;
        if let Some(list) = self.program.list() {
            list.adopt(lease);
        }
        self.explorer.adopt(part, lease);
        Ok(())
    }

    fn run_input(&mut self, parts: &[ObjectBytes]) -> bool {
        let input = self.program.input_of(parts);
        let is_one = input.is_some();
        if let Some(input) = input {
            self.explorer.add_input(input);
        }
        is_one
    }

    fn give(&mut self, n: usize) -> Vec<Vec<u8>> {
        let parts = self.explorer.give(n);
        let missing = n.saturating_sub(parts.iter().map(Part::len).sum());
        let bytes = parts.iter().map(|part| self.program.bytes_of(part));
        let mut given: Vec<Vec<u8>> = bytes.collect();
        given.extend(self.program.give_aside(missing));
        self.program.counts().0.given += given.len() as u64;
        given
    }

    fn changes(&mut self, whole: bool, new: &mut Hear<'_>) -> Option<Changes> {
        self.count();
        let Some(mut list) = self.program.list().take() else {
            return Some(Changes::default());
        };
        let mut update = list.update(whole, new);
        let program = &self.program;
        let parked = self.explorer.each_part(&mut |ticket, part| {
            update.entry(&mut ticket.key, &mut ticket.is_told, |bytes| {
                bytes.extend(program.bytes_of(&part()));
            });
        });
        for (why, sides) in parked {
            update.parked(why, sides);
        }
        self.program.tell_aside(&mut update);
        let changes = update.finish();
        *self.program.list() = Some(list);
        changes
    }

    fn resize(&mut self, memory: u64) {
        self.program.resize(memory);
    }

    fn look_at_others(&mut self, is_covered: &mut dyn FnMut(Place) -> bool) {
        for number in self.program.covered_by_others(is_covered) {
            self.explorer.covered(number);
        }
    }

    fn work(&self) -> u64 {
        self.program.work()
    }

    fn rejected(&self) -> Vec<String> {
        self.program.rejected()
    }

    fn assumptions(&mut self, sink: &mut dyn Sink) -> AssumptionNews {
        self.program.assumptions(sink)
    }

    fn end(self: Box<Self>) {
        let Concolic {
            program, explorer, ..
        } = *self;
        std::mem::forget(explorer);
        program.end();
    }
}
