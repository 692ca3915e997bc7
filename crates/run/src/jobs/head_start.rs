//! The scout's head start: it begins while one worker explores in the user's own process and the other cores have
//! nothing to do. So the results that partial solutions reach within moments are found within moments, and cost the
//! later workers nothing.

use super::Scouting;
use super::crew::scout::{GOODBYE, Scout, Told};
use super::crew::{Advance, Heard, Plan, Surroundings};
use super::machine::ThisMachine;
use crate::outlook::Outlook;
use crate::record::{Finding, Recorder};
use explore::{Exploration, Place};
use fleet::ToWorker;
use host::Cause;
use std::time::{Duration, Instant};

/// Time that the worker has run before the scout begins: a short run needs none.
const LATER: Duration = Duration::from_millis(100);
/// A run that will be over within this time has no use for a scout and for other workers: what they begin with is what they save.
const WORTH: Duration = Duration::from_secs(2);
/// How long tests wait that show no error: if everything is explored meanwhile, they are the worker's, too, and so are their numbers.
const PATIENCE: Duration = Duration::from_secs(2);
/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// Between two looks at what the scout takes.
const COUNT_EVERY: Duration = Duration::from_millis(100);

/// See the module.
pub struct HeadStart {
    /// The plan of a run with several workers, which may follow.
    pub plan: Plan,
    scout: Scout,
    machine: ThisMachine,
    begun: Instant,
    outlook: Outlook,
    /// Seconds until everything will be explored, at the last look.
    left: f64,
    last_look: Instant,
    last_count: Instant,
    /// Findings that wait to be written.
    waiting: Vec<Finding>,
    rejected: Vec<String>,
    held: Vec<u32>,
}

impl HeadStart {
    /// For a worker that begins now.
    pub fn new(plan: Plan) -> HeadStart {
        let now = Instant::now();
        HeadStart {
            scout: Scout::new(&plan),
            machine: ThisMachine::new(),
            plan,
            begun: now,
            outlook: Outlook::default(),
            left: f64::INFINITY,
            last_look: now,
            last_count: now,
            waiting: Vec::new(),
            rejected: Vec::new(),
            held: Vec::new(),
        }
    }

    /// The worker has covered these places.
    pub fn covered(&self, places: &[Place]) {
        for &place in places {
            self.plan.board.claim(place);
        }
    }

    /// Starts the scout when it is time, shows it the worker's coverage, and receives its messages.
    pub fn look(&mut self, all: &mut dyn Exploration, recorder: &mut Recorder) {
        let now = Instant::now();
        if now < self.last_look + LOOK_EVERY {
            return;
        }
        self.last_look = now;
        let totals = all.totals();
        let explored = totals.counters.explored;
        self.left = self.outlook.left(self.begun.elapsed(), explored);
        self.plan.board.expect(self.left);
        // On a path without a choice it would execute the same once more.
        let has_choice = totals.machine.forks > 0;
        let is_time = now >= self.begun + LATER && has_choice && self.is_worth_more();
        if self.scout.is_wanted() && is_time {
            let elapsed = recorder.progress.elapsed();
            let started = self
                .scout
                .start(&self.plan, &mut self.machine, elapsed, Scouting::First);
            if let Err(e) = started {
                recorder.progress.say(&format!("{e:#}"));
            }
        }
        while let Some(heard) = self.machine.hear(Duration::ZERO) {
            self.hear(heard, false, recorder);
        }
        if now >= self.begun + PATIENCE {
            self.write(recorder);
        }
        if now >= self.last_count + COUNT_EVERY {
            self.last_count = now;
            self.count(recorder);
        }
    }

    /// Is so much left that others save more time than it takes until they work?
    pub fn is_worth_more(&self) -> bool {
        self.left > WORTH.as_secs_f64()
    }

    fn count(&self, recorder: &mut Recorder) {
        let time = self.scout.pid().and_then(host::clock::time_of_process);
        recorder.beside.cpu_s = time.unwrap_or_default().as_secs_f64();
        recorder.beside.scout = self.scout.stats();
    }

    fn hear(&mut self, heard: Heard, is_ending: bool, recorder: &mut Recorder) {
        let Heard::Worker(event) = heard else { return };
        let Told {
            findings,
            held,
            rejected,
            ..
        } = self.scout.hear(event, is_ending, recorder);
        self.held.extend(held);
        self.rejected.extend(rejected);
        for finding in findings {
            if finding.shows_new_error() {
                recorder.write_shared(finding);
            } else {
                self.waiting.push(finding);
            }
        }
    }

    /// Writes what waits.
    pub fn write(&mut self, recorder: &mut Recorder) {
        for finding in self.waiting.drain(..) {
            recorder.write_shared(finding);
        }
    }

    /// Places that the scout has covered.
    pub fn scouted(&self) -> Vec<Place> {
        self.scout.covered.iter().copied().collect()
    }

    /// Its findings that are not written yet.
    pub fn unwritten(&self) -> Vec<Finding> {
        self.waiting.clone()
    }

    /// The places where it has seen an assumption hold.
    pub fn held(&self) -> &[u32] {
        &self.held
    }

    /// The run is stopped: the scout sends its last message if it does so soon, and all its findings are written.
    pub fn stop(&mut self, cause: Cause, recorder: &mut Recorder) {
        self.scout.say(ToWorker::Stop(cause as u8));
        let end = Instant::now() + GOODBYE;
        while self.scout.is_there() {
            let left = end.saturating_duration_since(Instant::now());
            match self.machine.hear(left) {
                Some(heard) => self.hear(heard, true, recorder),
                None => break,
            }
        }
        self.end(recorder);
        self.write(recorder);
    }

    /// Ends the scout, which is not needed any more.
    pub fn end(&mut self, recorder: &mut Recorder) {
        self.scout.end(true);
        self.count(recorder);
    }

    /// Queries that the scout's solver answered with a wrong model.
    pub fn rejected(&self) -> &[String] {
        &self.rejected
    }

    /// For the workers that continue: the run's plan, and the scout, which keeps running. Its coverage and its
    /// findings are in the frontier.
    pub fn hand_over(self) -> (Plan, Advance) {
        let advance = Advance {
            scout: self.scout,
            around: Box::new(self.machine),
            rejected: self.rejected,
        };
        (self.plan, advance)
    }
}
