//! The schedule of concolic mode: one input runs after the other, and what none of them took is asked for. Which branch is asked
//! for next is the business of crate `dse`.
//!
//! `aside` has what memory drove out, `subject` is the machine as that crate's target, `record` what a run notes, `sharing` what is done with several workers, and
//! `portable` how a part of what is left to explore goes to another one.

mod aside;
mod portable;
mod record;
mod sharing;
mod subject;

pub use portable::PortablePart;
pub use subject::{Part, Subject};

use crate::endings::{Ending, Halt, Loss};
use crate::event::Sink;
use dse::{Explorer, ExplorerOptions, ExplorerStats, Input};
use search::Strategy;
use solver::Technique;
use std::rc::Rc;

/// Runs and queries between two looks at the explorer's counts: the status shows them.
const COUNT_EVERY: u64 = 256;

/// The row of runs that were cut.
const CUT: &str = "dse_cut_runs";

/// The exploration of a program by inputs that run one after the other.
pub struct Concolic {
    subject: Subject,
    explorer: Explorer,
    /// Others explore what is left.
    has_left: bool,
    /// Things done, for the next look at the counts.
    steps: u64,
    /// What of the explorer's counts is in the worker's.
    counted: ExplorerStats,
}

impl Concolic {
    /// Has nothing to explore but what it is given ([`Exploration::adopt`](crate::Exploration::adopt)).
    pub fn new(
        subject: Subject,
        strategy: Box<dyn Strategy>,
        partial_solutions: Rc<[Technique]>,
    ) -> Concolic {
        let machine = &subject.worker.machine;
        let options = ExplorerOptions {
            partial_solutions,
            budget: machine.options.budget,
            first_effort: machine.options.first_effort,
            ..ExplorerOptions::default()
        };
        Concolic {
            explorer: Explorer::shared(subject.starts(), strategy, options),
            subject,
            has_left: false,
            steps: 0,
            counted: ExplorerStats::default(),
        }
    }

    /// Explores everything, from these inputs on, or from the program's first ones if there are none.
    pub fn begin(&mut self, seeds: Vec<Input>) {
        for part in self.subject.first_parts(seeds) {
            self.explorer.adopt(part, 0);
        }
    }

    fn explore(&mut self, sink: &mut dyn Sink) -> Option<Halt> {
        let stop = self.subject.worker.machine.stop();
        let halted = loop {
            if let Some(cause) = stop.cause() {
                self.count();
                sink.halting(self);
                break Some(Halt::Stopped(cause));
            }
            sink.look(self);
            if self.has_left {
                break None;
            }
            let went = self.explorer.step(&mut self.subject.heard_by(sink));
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
            for (s, why) in self.subject.worker.machine.unmet_assumptions() {
                self.subject.worker.finish(&s, &why, sink);
            }
        }
        let worker = &mut self.subject.worker;
        worker.counters.live = 0;
        worker.counters.look_at_memory();
        sink.tick(&worker.machine, &worker.counters);
        halted
    }

    /// The run has to end: what is open stays so, and what was cut ends with it.
    fn wind_up(&mut self, sink: &mut dyn Sink) {
        let worker = &mut self.subject.worker;
        let mut cut = self.explorer.cut() as u64;
        if let Some((s, why)) = self.subject.interrupted.take() {
            worker.finish(&s, &why, sink);
            // It is one of them.
            cut = cut.saturating_sub(1);
        }
        worker.counters.endings.add(Ending::Instructions, cut);
        worker.counters.partial += cut;
        *worker.counters.schedule.entry(CUT.into()).or_default() += cut;
        let losses = &mut worker.machine.stats.losses;
        let left = self.explorer.left_open() + self.subject.aside.branches();
        losses.add(Loss::Open, left as u64);
    }

    /// Brings the worker's numbers up to date with those of the explorer.
    fn count(&mut self) {
        let (now, before) = (&self.explorer.stats, &self.counted);
        // The first run of whom: of several workers each has one.
        let first = self.subject.first_covered.filter(|_| !self.is_shared());
        let worker = &mut self.subject.worker;
        let losses = &mut worker.machine.stats.losses;
        for (loss, n) in [
            (Loss::Resolutions, now.limited - before.limited),
            (Loss::Divergences, now.divergences - before.divergences),
            (Loss::Forgotten, now.dropped - before.dropped),
        ] {
            losses.add(loss, n);
        }
        let counters = &mut worker.counters;
        counters.adopted = now.adopted;
        counters.parked = now.parked.values().sum();
        let parked = now.parked.iter();
        counters.parked_by = parked.map(|(&why, &n)| (why.into(), n)).collect();
        counters.schedule = now.rows().into_iter().collect();
        let first = first.map(|n| ("dse_first_instructions".to_string(), n));
        counters.schedule.extend(first);
        self.counted = now.clone();
    }

    /// Do others explore, too?
    fn is_shared(&self) -> bool {
        self.subject
            .list
            .as_ref()
            .is_some_and(|list| !list.is_alone)
    }
}
