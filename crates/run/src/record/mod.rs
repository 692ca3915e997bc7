//! The recorder: writes the results of a run, that is tests, errors, time line and statistics.

mod atlas;
mod files;
mod finding;
mod live;
mod pace;
mod stats;

pub use atlas::{Atlas, Sites};
pub use files::saver;
#[cfg(test)]
pub use finding::Nothing;
pub use finding::{Cases, Finding, Given, Starts, shown_files};
pub use live::told as told_of_live;
pub use pace::Allowance;
pub(crate) use stats::tell_unread;

use super::exchange::Exchange;
use super::fuzz_board::{FuzzBoard, FuzzWords};
use super::last_words;
use super::native::{Attempt, NativeProgram};
use super::plan::Tests;
use super::progress::Progress;
use super::pruning;
use super::usage::cpu_seconds;
use explore::{Counters, Ended, InDoubt, Loss, PathEnd, Place, Places, Sink, SoFar, Totals};
use pace::Pace;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use testcase::rerun::Start;
use testcase::{ErrorRecord, OutputDir, Rerun, RunStats, TestCase, TimePoint};
use testcase::{bug, shell};
use vocab::{Bound, ErrorKind};

/// Between two lines of `run.jsonl`, at first (when most is covered) and at most.
const TIMELINE_FIRST: Duration = Duration::from_millis(100);
const TIMELINE_EVERY: Duration = Duration::from_secs(1);
/// Between two rewrites of the statistics while the run goes on, at first and at most.
const STATS_FIRST: Duration = Duration::from_secs(1);
const STATS_EVERY: Duration = Duration::from_secs(10);
/// Bugs of which the end of a run tells.
const FINDINGS: usize = 10;
/// The end that the files state meanwhile.
pub const STILL_RUNNING: &str = "still running";

/// The covered places, and their number.
#[derive(Default)]
struct Covered {
    branches: (u64, u64),
    instructions: (u64, u64),
    lines: (u64, u64),
    /// The atlas has changed since.
    is_stale: bool,
    /// Is it in `coverage.json`?
    written: bool,
}

/// The state of the run's other processes.
#[derive(Default)]
pub struct Beside {
    /// Processor time of those that work still, in seconds, and of what the run did before it was continued.
    pub cpu_s: f64,
    pub cpu_before_s: f64,
    /// The same of the processes in which workers run the program.
    pub children_s: f64,
    /// What was made once took so many seconds of the run, which its limit of time does not count.
    pub install_s: f64,
    /// The most memory that all processes of the run had at once, in MiB.
    pub memory_max_mb: f64,
    /// Findings that wait to be written. Their paths count, and may be some that an earlier part of the run had told of.
    pub unwritten: u64,
    /// Does another run write the same files? Known of runs that are meant to.
    pub repeatable: Option<bool>,
    /// The workers, and the scout, in `stats.json`.
    pub workers: Vec<serde_json::Value>,
    pub scout: Option<serde_json::Value>,
    /// The native fuzzers.
    pub fuzzers: Option<FuzzBoard>,
}

/// Writes what the engine tells.
pub struct Recorder {
    pub out: Arc<OutputDir>,
    /// For the thread that has to end the run.
    pub snapshot: last_words::SharedSnapshot,
    pub progress: Progress,
    pub cases: Cases,
    pub atlas: Box<dyn Atlas>,
    pub beside: Beside,
    /// How the program of a test is started again, once it is known.
    pub rerun: Rerun,
    /// The native program of a function, which is made when a user is told of it, or at the end.
    pub native: Option<NativeProgram>,
    /// The frontier consists of open branches and not of states.
    pub has_branches: bool,
    /// The inputs that the run and fuzzers exchange, if they do.
    pub exchange: Option<Exchange>,
    /// Nothing is left to explore: the frontier goes when the last results are written.
    pub has_nothing_left: bool,
    /// Limits of the claim that are known before the run: those of the driver of `--entry`.
    pub limits: BTreeMap<Bound, String>,
    /// The totals of the run before it was continued, if one worker continues it.
    before: Option<Box<Totals>>,
    next_test: u32,
    /// Paths that were run ahead have shown errors: what is new to the exploration may be known.
    has_errors_ahead: bool,
    last_point: Option<Instant>,
    /// The coverage at the last look.
    covered: Covered,
    last_stats: Instant,
    pub pace: Pace,
}

impl Recorder {
    pub fn new(
        out: Arc<OutputDir>,
        progress: Progress,
        cases: Cases,
        atlas: Box<dyn Atlas>,
    ) -> Recorder {
        Recorder {
            out,
            snapshot: last_words::SharedSnapshot::default(),
            progress,
            cases,
            atlas,
            beside: Beside::default(),
            rerun: Rerun::default(),
            native: None,
            has_branches: false,
            exchange: None,
            has_nothing_left: false,
            limits: BTreeMap::new(),
            before: None,
            next_test: 1,
            has_errors_ahead: false,
            last_point: None,
            covered: Covered {
                is_stale: true,
                ..Covered::default()
            },
            last_stats: Instant::now(),
            pace: Pace::default(),
        }
    }

    /// Processor time of the run, in seconds.
    pub fn cpu_s(&self) -> f64 {
        cpu_seconds() + self.beside.cpu_s + self.beside.cpu_before_s + self.beside.children_s
    }

    /// The number of the next test.
    pub fn next_test(&self) -> u32 {
        self.next_test
    }

    /// The run went on so far before: with this test as the next one.
    pub fn goes_on(&mut self, next_test: u32, wall: Duration, cpu_s: f64) {
        self.next_test = next_test;
        self.progress.goes_on_after(wall);
        self.pace.goes_on(wall.as_secs_f64(), cpu_s);
        self.beside.cpu_before_s = cpu_s;
        let before = (wall.as_secs_f64(), cpu_s);
        *self.snapshot.lock() = last_words::Snapshot::of_earlier(self.out.path(), before);
    }

    /// One worker continues a run with these totals.
    pub fn goes_on_from(&mut self, before: Totals) {
        self.before = Some(Box::new(before));
    }

    /// An error that no path has shown alone, but all together.
    pub fn count_error(&mut self, kind: ErrorKind) {
        let before = self.before.get_or_insert_default();
        before.counters.error(kind);
    }

    /// The numbers of the run, which one worker explores, or continues.
    pub fn so_far(&self, now: Totals) -> Totals {
        let Some(before) = &self.before else {
            return now;
        };
        let mut totals = Totals::clone(before);
        totals.add(&now);
        totals
    }

    /// Does work that writes results, and counts its processor time.
    fn writing<T>(&mut self, work: impl FnOnce(&mut Recorder) -> T) -> T {
        let weight = self.pace.weight_of_next_write();
        if weight == 0 {
            return work(self);
        }
        let begun = host::clock::thread_time();
        let done = work(self);
        let took = host::clock::thread_time().saturating_sub(begun);
        self.pace.writing_s += took.as_secs_f64() * f64::from(weight);
        done
    }

    /// Writes a finding.
    pub fn write(&mut self, finding: Finding) {
        self.writing(|recorder| recorder.write_counted(finding));
    }

    fn write_counted(&mut self, mut finding: Finding) {
        let news = finding
            .error
            .as_deref()
            .filter(|e| finding.is_new && e.kind.is_program_error() && self.out.is_news(e));
        let news = news.cloned();
        let id = self.next_test;
        self.has_errors_ahead |= finding.is_ahead && finding.error.is_some();
        if finding.is_ahead {
            return self.write_ahead(finding, news);
        }
        let mut unmarked = finding.error.as_deref().filter(|_| finding.is_new).cloned();
        unmarked = unmarked.filter(|e| self.out.is_unmarked_by(e));
        if let Some(test) = finding.take_plain() {
            if self.out.has_written_plain(id, &test) {
                return;
            }
            self.next_test += 1;
            self.out.write_plain(id, &test);
        } else if let Some(test) = finding.take_test(id) {
            if !finding.is_provisional && self.out.has_written(&test) {
                self.tell(news, |rerun| rerun.input(&test));
            } else {
                self.write_new(&test, finding.is_provisional, news);
                if let Some(error) = &mut unmarked {
                    error.test = testcase::test_name(id);
                }
            }
        } else if let Some(error) = finding.error {
            self.tell(news, |_| Vec::new());
            self.out.record_error(*error);
        }
        if let Some(error) = unmarked {
            self.out.unmark(&error);
        }
    }

    /// Writes a test that was not there before.
    fn write_new(&mut self, test: &TestCase, is_provisional: bool, news: Option<ErrorRecord>) {
        self.next_test += 1;
        if is_provisional {
            // Another test may take the place of this one, so its files are not named.
            self.tell(news, |rerun| rerun.input(test));
            self.out.write_provisional(test);
        } else {
            self.out.write_test(test);
            self.offer(test);
            self.tell(news, |rerun| rerun.lines(test));
        }
    }

    /// Gives the input of a test to the fuzzers beside the run.
    fn offer(&mut self, test: &TestCase) {
        if let Some(exchange) = &mut self.exchange
            && let Err(why) = exchange.offer(test)
        {
            self.progress.say(&why);
        }
    }

    /// Writes a finding of a path to which the exploration is still to come, and which counts then.
    fn write_ahead(&mut self, mut finding: Finding, news: Option<ErrorRecord>) {
        let id = self.next_test;
        if let Some(test) = finding.take_plain() {
            self.next_test += 1;
            self.out.write_plain(id, &test);
        } else if let Some(test) = finding.take_test(id) {
            self.next_test += 1;
            self.out.write_test_ahead(&test);
            self.offer(&test);
            self.tell(news, |rerun| rerun.lines(&test));
        } else if let Some(error) = finding.error {
            self.tell(news, |_| Vec::new());
            self.out.record_error_ahead(*error);
        }
    }

    /// What the run found, as the end of a run tells it.
    pub fn findings(&self) -> Vec<String> {
        let errors = self.out.errors();
        let bugs = bug::of_program(&errors);
        let mut lines = Vec::new();
        if let found @ 1.. = bugs.len() {
            let word = if found == 1 { "error" } else { "errors" };
            let path = self.out.path().join("errors.json");
            lines.push(format!("{found} {word} found: {}", path.display()));
        }
        for bug in bugs.iter().take(FINDINGS) {
            let below = match &bug.shown().test[..] {
                // It was not wanted, or could not be written, which is told elsewhere.
                "" => Vec::new(),
                test => match testcase::read::named(self.out.path(), test) {
                    Ok(test) => self.rerun.lines(&test),
                    Err(e) => vec![format!("# {e:#}")],
                },
            };
            lines.push(told(&bug.to_string(), &below));
        }
        if let more @ 1.. = bugs.len().saturating_sub(FINDINGS) {
            let dir = shell::word(self.out.path().as_os_str().as_encoded_bytes());
            lines.push(format!("{more} more: polypath show {dir} --errors"));
        }
        lines
    }

    /// Tells of an error that nobody knew, with what the user can do about it.
    fn tell(&mut self, news: Option<ErrorRecord>, lines: impl FnOnce(&Rerun) -> Vec<String>) {
        if let Some(error) = news {
            let lines = if self.progress.is_for_programs() && self.has_to_link() {
                // Who reads the progress by a program waits for the end, where the command is told.
                lines(&Rerun {
                    start: Start::Unknown,
                    ..self.rerun.clone()
                })
            } else {
                self.provide();
                lines(&self.rerun)
            };
            let text = told(&error.to_string(), &lines);
            self.progress.say(&text);
        }
    }

    /// Is there a native program to be made?
    fn has_to_link(&self) -> bool {
        let native = self.native.as_ref();
        native.is_some_and(|native| !native.is_there())
    }

    /// Makes the native program that commands name. If there will be none, they name none from now on.
    fn provide(&mut self) {
        if self.has_to_link()
            && let Some(native) = &self.native
            && let Attempt::Failed(why) = native.make(&self.out)
        {
            self.native = None;
            self.rerun.start = Start::Unknown;
            self.progress.say(&why);
        }
    }

    /// Makes the native program at the end of a run, whose results are written, and tells programs what that took.
    pub fn link(&mut self, totals: &Totals) {
        if !self.has_to_link() {
            return;
        }
        let (begun, before) = (Instant::now(), host::clock::family_time());
        self.provide();
        let spent = host::clock::family_time().saturating_sub(before);
        let mut point = self.now(totals);
        let figures = [
            ("native_s", begun.elapsed().as_secs_f64()),
            ("native_cpu_s", spent.as_secs_f64()),
        ];
        point
            .more
            .extend(figures.map(|(name, value)| (name.to_string(), value.into())));
        self.progress.record(&point);
    }

    /// Writes a finding of one of several workers: a result that is new to the worker may be known already.
    pub fn write_shared(&mut self, mut finding: Finding) {
        if finding.is_provisional {
            return self.write_provisional(finding);
        }
        let known = |e: &ErrorRecord| self.out.knows(e) && !self.out.is_unmarked_by(e);
        if finding.is_new && finding.error.as_deref().is_some_and(known) {
            finding.is_new = false;
            let is_wanted = match self.cases.tests {
                Tests::New => finding.covered_new,
                Tests::Errors => false,
                Tests::All | Tests::Live | Tests::None => true,
            };
            if !is_wanted {
                finding.test = None;
            }
        }
        self.write(finding);
    }

    /// Writes a finding of the scout, if it is one still: the workers may have shown the same meanwhile.
    fn write_provisional(&mut self, mut finding: Finding) {
        let lists = |e| self.out.lists(e);
        if finding.error.as_deref().is_some_and(lists) {
            finding.is_new = false;
            finding.error = None;
            if self.cases.tests == Tests::Errors {
                finding.test = None;
            }
            if let Some(test) = &mut finding.test {
                test.error = None;
            }
        }
        if finding.is_news() {
            self.write(finding);
        }
    }

    /// Adds a line to the time line.
    pub fn point(&mut self, totals: &Totals) {
        self.last_point = Some(Instant::now());
        self.writing(Recorder::look);
        let point = self.now(totals);
        self.writing(|recorder| recorder.out.timeline(&point));
        self.progress.record(&point);
        if let Some(problem) = self.out.problem() {
            self.progress.say(&problem);
        }
    }

    /// There was no time for a last record of the frontier.
    pub fn tell_of_old_frontier(&mut self) {
        let before = if testcase::frontier::exists(self.out.path()) {
            "a resumed run explores the last seconds again"
        } else {
            "this run cannot be resumed"
        };
        let text = format!("there was no time to write the last frontier: {before}");
        self.progress.say(&text);
    }

    /// Paths that ended. Those that an earlier part of the run completed after its last record are explored again, and count all the
    /// time.
    pub(super) fn completed(&self, counters: &Counters) -> u64 {
        counters.completed + self.ahead()
    }

    /// Paths that an earlier part of the run completed after its last record, and that were not explored again yet. A path is known
    /// again when its test is written: as many as wait for that may be among them, and are left out, so that none counts twice.
    pub(super) fn ahead(&self) -> u64 {
        if self.has_nothing_left {
            0
        } else {
            let ahead = self.out.paths_ahead();
            ahead.saturating_sub(self.beside.unwritten)
        }
    }

    /// The state of the run, with the covered lines and instructions of the last look.
    fn now(&mut self, totals: &Totals) -> TimePoint {
        self.beside.children_s = totals.children.running_s;
        let n = &totals.counters;
        let mut more = pruning::point(n);
        if !self.beside.workers.is_empty() {
            more.insert("workers".into(), self.beside.workers.len().into());
        }
        more.extend(live::point(n));
        let mut point = TimePoint {
            t: self.progress.elapsed().as_secs_f64(),
            cpu_s: self.cpu_s(),
            paths: self.completed(n),
            partial_paths: n.partial,
            states: n.live as u64,
            instructions: n.instructions,
            covered_branches: self.atlas.branches().0,
            covered_lines: self.covered.lines.0,
            covered_instructions: self.covered.instructions.0,
            queries: totals.queries,
            solver_time_s: totals.solver_time_s,
            memory_mb: n.memory_bytes as f64 / f64::from(1 << 20),
            errors: self.out.program_errors(),
            bugs: self.out.program_bugs(),
            tests: u64::from(self.next_test - 1),
            parked: n.parked,
            more,
            ..TimePoint::default()
        };
        let explored = (!self.has_branches).then_some(n.explored);
        self.pace.complete(&mut point, n, explored);
        point
    }

    /// Rewrites statistics and coverage.
    pub fn write_stats(&mut self, totals: &Totals, halted: Option<&str>) -> RunStats {
        self.writing(|recorder| recorder.write_stats_counted(totals, halted))
    }

    fn write_stats_counted(&mut self, totals: &Totals, halted: Option<&str>) -> RunStats {
        self.look();
        let stats = self.stats(totals, halted.map(str::to_string));
        self.out.write_stats(&stats);
        if !self.covered.written {
            self.covered.written = true;
            let coverage = self.snapshot.lock().coverage.clone();
            self.out.write_coverage(&coverage);
        }
        stats
    }

    /// Brings the coverage up to date.
    fn look(&mut self) {
        if !self.covered.is_stale {
            return;
        }
        let coverage = self.atlas.coverage();
        self.covered = Covered {
            branches: self.atlas.branches(),
            instructions: self.atlas.instructions(),
            lines: coverage.counts().lines,
            is_stale: false,
            written: false,
        };
        self.snapshot.lock().coverage = Arc::new(coverage);
    }

    /// Takes over the news of a process about places. Returns those that are covered for the first time.
    ///
    /// # Errors
    /// The program has no such places; a message.
    pub fn take_in(&mut self, news: &Places) -> Result<Vec<Place>, String> {
        self.covered.is_stale |= !news.is_empty();
        let new = self.atlas.take_in(news)?;
        if !new.is_empty() {
            self.pace.has_new(self.progress.elapsed().as_secs_f64());
        }
        Ok(new)
    }

    /// Nothing but this is covered.
    ///
    /// # Errors
    /// In words: the program has no such places.
    pub fn covers_only(&mut self, places: Vec<Place>) -> Result<(), String> {
        self.atlas.clear();
        self.take_in(&Places::of(places)).map(|_| ())
    }

    /// Takes in what a process of our own program has seen.
    pub fn has_seen(&mut self, now: &mut dyn SoFar) -> Vec<Place> {
        let known = self.take_in(&now.news());
        known.expect("a process knows the places of its program")
    }

    /// Updates the status line and the files, each as often as is right for it; called about ten times a second.
    pub fn hear(&mut self, totals: &Totals) {
        let point = self.now(totals);
        let branches = self.atlas.branches().1;
        let mut beside = pruning::status(&totals.counters)
            .into_iter()
            .collect::<String>();
        if let Some(fuzzers) = &self.beside.fuzzers {
            for words in fuzzers.words() {
                match words {
                    FuzzWords::Note(text) => self.progress.note(&text),
                    FuzzWords::Failure(text) => self.progress.say(&text),
                }
            }
            beside.push_str(&fuzzers.figures().status());
        }
        self.progress.show(&point, branches, beside);
        let now = Instant::now();
        let every = (self.progress.elapsed() / 50).clamp(TIMELINE_FIRST, TIMELINE_EVERY);
        if self.last_point.is_none_or(|l| now - l >= every) {
            self.point(totals);
        }
        let every = (self.progress.elapsed() / 10).clamp(STATS_FIRST, STATS_EVERY);
        if now - self.last_stats >= every {
            self.last_stats = now;
            self.write_stats(totals, Some(STILL_RUNNING));
        }
        let mut left = totals.clone();
        if self.has_branches {
            left.losses.add(Loss::Open, totals.counters.live as u64);
        }
        let mut stats = self.stats(totals, None);
        if let Some(left) = stats.more.get_mut("live_left") {
            // Should the run end inside an operation, nobody comes to tell them apart.
            *left = totals.counters.live.into();
        }
        let mut snapshot = self.snapshot.lock();
        snapshot.stats = stats;
        snapshot.totals = left;
        // Open branches are a loss of their own.
        snapshot.alive = if self.has_branches {
            0
        } else {
            totals.counters.live as u64
        };
    }
}

/// A message, and lines below it that can be pasted.
pub(crate) fn told(message: &str, lines: &[String]) -> String {
    let lines = lines.iter().map(|line| format!("\n    {line}"));
    message.to_string() + &lines.collect::<String>()
}

impl Sink for Recorder {
    fn wants_input(&mut self, end: Ended) -> bool {
        self.cases.wants(end)
    }

    fn ended(&mut self, path: PathEnd) -> Option<InDoubt> {
        let time_s = self.progress.elapsed().as_secs_f64();
        let finding = self.cases.finding(path, time_s);
        let doubt = finding.doubt();
        if self.before.is_some() || self.has_errors_ahead || finding.error.is_some() {
            // What is new to this worker may be known, and an error in doubt comes again.
            self.write_shared(finding);
        } else {
            self.write(finding);
        }
        doubt
    }

    fn tick(&mut self, now: &mut dyn SoFar) {
        self.has_seen(now);
        self.hear(&self.so_far(now.totals()));
    }
}
