//! One worker in the user's own process: it writes its findings itself, and keeps its frontier on disk. If the run may
//! have more workers and turns out to be long, it ends here, and they continue from the frontier on disk. It can also
//! continue the frontier of an earlier run.

use super::checkpoint::Checkpoint;
use super::frontier_log::{self, FrontierLog};
use super::head_start::HeadStart;
use super::member::without_gauges;
use super::syncer::Syncer;
use crate::record::{Finding, Recorder};
use anyhow::{Context, Error};
use explore::{Commons, Ended, Exploration, Halt, InDoubt, PathEnd, Place, Places, Sink, SoFar};
use fleet::Key;
use host::{Stop, TimeLimits, Watchdog, clock};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io;
use std::time::{Duration, Instant};
use vocab::ErrorKind;

/// Longer than reporting the frontier takes.
const LONG: Duration = Duration::from_secs(3600);

/// How a worker has ended.
pub struct Finished {
    /// Others are to continue the frontier on disk.
    pub goes_on: bool,
    /// The scout that ran with it.
    pub head_start: Option<HeadStart>,
}

/// Between two looks for inputs of fuzzers while there is nothing else to explore.
const REST: Duration = Duration::from_millis(50);

/// The worker's duties apart from exploring.
pub struct Solo<'a> {
    pub recorder: &'a mut Recorder,
    /// The hash of the program.
    program: String,
    /// Since when there is something to give.
    rich_since: Option<Instant>,
    /// Others are to continue its frontier.
    has_left: bool,
    log: Option<FrontierLog>,
    syncer: Syncer,
    next: Instant,
    /// The frontier at the end of the run, except for later changes.
    last: Option<Checkpoint>,
    stop: Stop,
    limits: TimeLimits,
    /// The file on disk stays as it is: it cannot be written (which was reported), or is not read yet.
    stays: bool,
    /// It continues the frontier of an earlier run.
    goes_on: bool,
    /// Places that its paths and those of the record have covered, and others that were covered ([`Checkpoint::seen`]).
    covered: BTreeSet<Place>,
    seen: Vec<Place>,
    /// The scout that runs with this worker.
    head_start: Option<HeadStart>,
    held: BTreeSet<u32>,
    unmet: BTreeMap<u32, Finding>,
}

impl<'a> Solo<'a> {
    /// For a program with this hash; no other worker is to continue.
    pub fn new(recorder: &'a mut Recorder, program: String, watchdog: &Watchdog) -> Solo<'a> {
        Solo {
            recorder,
            program,
            rich_since: None,
            has_left: false,
            log: None,
            syncer: Syncer::default(),
            // A run that is killed in its first second can be resumed, too.
            next: Instant::now(),
            last: None,
            stop: watchdog.stop(),
            limits: watchdog.limits(),
            stays: false,
            goes_on: false,
            covered: BTreeSet::new(),
            seen: Vec::new(),
            head_start: None,
            held: BTreeSet::new(),
            unmet: BTreeMap::new(),
        }
    }

    /// Others may go on, and their scout begins before them, if there are any.
    pub fn beside(mut self, head_start: Option<HeadStart>) -> Solo<'a> {
        self.head_start = head_start;
        self
    }

    /// Goes on with what an earlier run has left; nothing was explored yet. Returns how many prefixes there was no time to read: they
    /// stay on record.
    ///
    /// # Errors
    /// What it has left makes no sense.
    pub fn go_on(&mut self, left: Checkpoint, all: &mut dyn Exploration) -> anyhow::Result<u64> {
        self.goes_on = true;
        for places in left.all_places() {
            let known = self.recorder.take_in(&places);
            known
                .map_err(Error::msg)
                .context("the frontier is of another program")?;
        }
        let covered = left.places.covered.iter().chain(&left.seen);
        let covered: HashSet<Place> = covered.copied().collect();
        all.look_at_others(&mut |place| covered.contains(&place));
        self.covered.extend(&left.places.covered);
        self.seen = left.seen;
        let stop = self.stop;
        self.held.extend(left.held);
        self.unmet.extend(left.unmet);
        self.recorder.beside.unwritten = left.unwritten.len() as u64;
        self.recorder.goes_on_from(left.totals);
        for finding in left.unwritten {
            self.recorder.write_shared(finding);
            self.recorder.beside.unwritten -= 1;
        }
        self.stays = true;
        let prefixes = left.prefixes.len() as u64;
        for (number, prefix) in (0..).zip(left.prefixes) {
            let unread = prefixes - number;
            if stop.is_set() {
                return Ok(unread);
            }
            let bytes = prefix.read().context("the frontier")?;
            match all.adopt(Key::leased(number).0, &bytes) {
                Err(_) if stop.is_set() => return Ok(unread),
                adopted => adopted.map_err(Error::msg)?,
            }
        }
        self.stays = false;
        // From here on the results belong to a record of this run.
        self.next = Instant::now();
        Ok(0)
    }

    /// The engine has ended, for this reason if it has not explored everything. Writes the rest of the frontier, if
    /// there is any.
    pub fn finish(mut self, all: &mut dyn Exploration, halt: Option<Halt>) -> Finished {
        if self.has_left {
            return Finished {
                goes_on: true,
                head_start: self.head_start,
            };
        }
        if let Some(head_start) = &mut self.head_start {
            let totals = self.recorder.so_far(all.totals());
            if let Some(Halt::Stopped(cause)) = halt {
                head_start.stop(cause, self.recorder);
            } else {
                head_start.end(self.recorder);
            }
            // If everything was explored, the worker's tests show the same.
            if explore::left_out(halt.map(Halt::name), &totals).is_some() {
                head_start.write(self.recorder);
            }
        }
        if halt.is_none() {
            if self.goes_on {
                self.hear_of_assumptions(all);
                self.tell_unmet();
            }
            self.recorder.has_nothing_left = true;
        } else if let Some(last) = self.last.take() {
            let written = self.commit(last);
            self.note(written);
        } else if !self.stays {
            self.recorder.tell_of_old_frontier();
        }
        Finished {
            goes_on: false,
            head_start: self.head_start,
        }
    }

    /// Takes over the worker's news, and shows the scout its coverage.
    fn has_seen(&mut self, now: &mut dyn SoFar) {
        let news = now.news();
        if news.is_empty() {
            return;
        }
        self.covered.extend(&news.covered);
        if let Some(log) = &mut self.log
            && let Err(e) = log.note(&news)
        {
            self.note(Err(e));
        }
        let covered = self.recorder.take_in(&news);
        let covered = covered.expect("a process knows the places of its program");
        if let Some(head_start) = &self.head_start {
            head_start.covered(&covered);
        }
    }

    /// Keeps the news about assumptions.
    fn hear_of_assumptions(&mut self, all: &mut dyn Exploration) {
        let news = all.assumptions(self);
        self.held.extend(news.held);
        let time_s = self.recorder.progress.elapsed().as_secs_f64();
        for (pc, end) in news.unmet {
            let finding = self.recorder.cases.finding(end, time_s);
            self.unmet.insert(pc, finding);
        }
    }

    /// Assumptions that no path of this run or an earlier one got past are errors.
    fn tell_unmet(&mut self) {
        for (pc, finding) in std::mem::take(&mut self.unmet) {
            if !self.held.contains(&pc) {
                self.recorder.count_error(ErrorKind::User);
                self.recorder.write_shared(finding);
            }
        }
    }

    /// Takes in what fuzzers beside the run have found.
    fn take_inputs(&mut self, all: &mut dyn Exploration) {
        let Recorder {
            exchange: Some(exchange),
            cases,
            progress,
            ..
        } = &mut *self.recorder
        else {
            return;
        };
        let news = exchange.news().unwrap_or_else(|why| {
            progress.say(&why);
            Vec::new()
        });
        for bytes in news {
            let input = cases.given.input_of(&bytes);
            let is_one = input.as_ref().is_some_and(|i| all.run_input(&i.parts));
            exchange.unfit += u64::from(!is_one);
            exchange.cut += u64::from(input.is_some_and(|i| i.is_cut));
        }
    }

    /// Is it time for others? What they do has to be worth that they begin.
    fn is_time_for_others(&mut self, all: &dyn Exploration) -> bool {
        let Some(head_start) = self.head_start.as_ref().filter(|_| all.live() > 1) else {
            self.rich_since = None;
            return false;
        };
        let since = *self.rich_since.get_or_insert_with(Instant::now);
        let is_time = since.elapsed() >= head_start.plan.rich && head_start.is_worth_more();
        is_time && all.may_go_elsewhere()
    }

    /// Writes the changes of the frontier; `None`: it took longer than `most`.
    fn tell(
        &mut self,
        all: &mut dyn Exploration,
        most: Duration,
    ) -> io::Result<Option<Checkpoint>> {
        let end = Instant::now() + most;
        let is_whole = self.log.is_none();
        let mut log = match self.log.take() {
            Some(log) => log,
            None => FrontierLog::create(self.recorder.out.path())?,
        };
        let mut written = Ok(());
        let changes = all.changes(is_whole, &mut |told| {
            written = log.add(told.key, told.prefix);
            written.is_ok() && Instant::now() < end
        });
        written?;
        let Some(changes) = changes else {
            return Ok(None);
        };
        if !is_whole {
            log.remove(changes.gone);
        }
        self.log = Some(log);
        self.hear_of_assumptions(all);
        self.has_seen(all);
        let totals = self.recorder.so_far(all.totals());
        Ok(Some(Checkpoint {
            program: self.program.clone(),
            totals: without_gauges(totals, &changes.counted),
            places: Places {
                covered: self.covered.iter().copied().collect(),
                ..self.recorder.atlas.all()
            },
            ..Checkpoint::default()
        }))
    }

    /// Commits the reported frontier, with the results so far.
    fn commit(&mut self, checkpoint: Checkpoint) -> io::Result<()> {
        let recorder = &*self.recorder;
        let (mut seen, mut held) = (self.seen.clone(), self.held.clone());
        seen.retain(|place| !self.covered.contains(place));
        let mut unwritten = Vec::new();
        if let Some(head_start) = &self.head_start {
            seen.extend(head_start.scouted());
            held.extend(head_start.held());
            unwritten = head_start.unwritten();
        }
        let checkpoint = Checkpoint {
            seen,
            unwritten,
            held: held.into_iter().collect(),
            unmet: self.unmet.iter().map(|(&pc, f)| (pc, f.clone())).collect(),
            invented: recorder.cases.given.invented(),
            limits: recorder.limits.clone(),
            next_test: recorder.next_test(),
            written: recorder.out.written(),
            wall_s: recorder.progress.elapsed().as_secs_f64(),
            cpu_s: recorder.cpu_s(),
            ..checkpoint
        };
        match &mut self.log {
            Some(log) => log.record(&checkpoint.into_bytes()),
            None => Ok(()),
        }
    }

    /// Writes the frontier now. Returns whether it is on record.
    fn record(&mut self, all: &mut dyn Exploration) -> bool {
        let begun = clock::thread_time();
        let told = self.tell(all, LONG);
        let written = told.and_then(|left| left.map_or(Ok(()), |left| self.commit(left)));
        let took = clock::thread_time().saturating_sub(begun);
        self.next = Instant::now() + frontier_log::pause(took);
        let is_written = self.note(written);
        if is_written {
            // (Not when the run ends: what else is written then would wait.)
            self.syncer.begin(self.recorder.out.path());
        }
        is_written
    }

    fn note(&mut self, written: io::Result<()>) -> bool {
        if let Err(e) = &written {
            self.stays = true;
            self.log = None;
            let text = format!("the frontier cannot be written: {e}");
            self.recorder.progress.say(&text);
        }
        written.is_ok()
    }
}

impl Sink for Solo<'_> {
    fn wants_input(&mut self, end: Ended) -> bool {
        self.recorder.wants_input(end)
    }

    fn ended(&mut self, path: PathEnd) -> Option<InDoubt> {
        self.recorder.ended(path)
    }

    fn tick(&mut self, now: &mut dyn SoFar) {
        self.has_seen(now);
        self.recorder.tick(now);
    }

    fn look(&mut self, all: &mut dyn Exploration) {
        self.take_inputs(all);
        if let Some(head_start) = &mut self.head_start {
            head_start.look(all, self.recorder);
        }
        if self.stays {
            return;
        }
        if self.is_time_for_others(all) {
            self.has_left = self.record(all);
            if self.has_left {
                all.leave();
            }
        } else if Instant::now() >= self.next {
            self.record(all);
        }
    }

    fn wait(&mut self, all: &mut dyn Exploration) -> bool {
        let fuzzers = self.recorder.beside.fuzzers.as_ref();
        let goes_on = fuzzers.is_some_and(|fuzzers| !fuzzers.figures().has_failed);
        // With everything explored there is nothing that they could find.
        if !goes_on || explore::left_out(None, &all.totals()).is_none() {
            return false;
        }
        std::thread::sleep(REST);
        self.tick(all);
        true
    }

    fn halting(&mut self, all: &mut dyn Exploration) {
        if !self.stays {
            let cause = self.stop.cause();
            let grace = cause.map_or(LONG, |cause| self.limits.grace(cause) / 3);
            let told = self.tell(all, grace);
            match told {
                Ok(last) => self.last = last,
                Err(e) => {
                    self.note(Err(e));
                }
            }
        }
    }
}

/// The data of the earlier runs that a worker continues.
pub struct Before {
    forks: Cell<u64>,
    covered: HashSet<Place>,
}

impl Before {
    /// Those that have left this.
    pub fn of(left: &Checkpoint) -> Before {
        Before {
            forks: Cell::new(left.totals.machine.forks),
            covered: left.places.covered.iter().copied().collect(),
        }
    }
}

impl Commons for Before {
    fn works_on(&self, _: u64) {}

    fn claim(&self, place: Place) -> bool {
        !self.covered.contains(&place)
    }

    fn forked(&self) {
        self.forks.set(self.forks.get() + 1);
    }

    fn forks(&self) -> u64 {
        self.forks.get()
    }
}
