//! The output directory of a run.
//!
//! ```text
//! info.json  stats.json  errors.json  coverage.json  run.jsonl
//! frontier.bin             the frontier, if the run can be resumed (see `frontier`)
//! tests/testNNNNNN.ktest   KLEE's format
//! tests/testNNNNNN/        the same test as raw files (authoritative)
//! tests/tests.pack         further tests that reach nothing new (see `pack`)
//! ```
//!
//! A test is written as files if it covers something new, is the first one to show an error, or is among the first
//! [`LOOSE_TESTS`]; the others go to the pack. Everything but `run.jsonl` and the pack is written under another name
//! and renamed, so a killed run or a full disk leaves only whole files. A failed write never ends the run: it is
//! counted, and reported once by [`OutputDir::problem`] and at the end by [`OutputDir::finish`].
//!
//! All methods take `&self`; several workers may share one `OutputDir`.

use crate::ahead::Ahead;
use crate::bug;
use crate::coverage::Coverage;
use crate::disk;
use crate::frontier::Written;
use crate::model::{ErrorRecord, RunInfo, RunStats, TestCase, TimePoint, test_name};
use crate::pack::{self, Lost, PackWriter, PlainTest};
use crate::reserve::Reserved;
use crate::testdir;
use anyhow::{Context, Result};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// How many tests are written as files whatever they reach.
pub const LOOSE_TESTS: u64 = 1000;

/// A write that takes longer than this hangs.
const STUCK: Duration = Duration::from_millis(200);

/// Entries of `errors.json` for one place that differ in the calls that lead there, at most.
pub const MAX_STACKS: usize = 8;

/// The output directory of a running exploration.
pub struct OutputDir {
    path: PathBuf,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// The output directory, for messages.
    dir: PathBuf,
    errors: Vec<ErrorRecord>,
    pack: Option<PackWriter>,
    timeline: Option<File>,
    summary: WriteSummary,
    /// Names of tests that are there for the time being.
    provisional: BTreeSet<String>,
    /// Results that an earlier run wrote after its last record.
    ahead: Ahead,
    /// Told once by `problem`.
    news: Option<String>,
}

/// Numbers of tests written and lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteSummary {
    /// Written as files.
    pub loose: u64,
    /// Written to the pack.
    pub packed: u64,
    /// Could not be written.
    pub lost: u64,
    /// Other writes that failed (`stats.json` …).
    pub failed_writes: u64,
    /// The first failure, in words.
    pub first_failure: Option<String>,
}

impl WriteSummary {
    /// Tests that are on disk.
    pub fn written(&self) -> u64 {
        self.loose + self.packed
    }

    /// What could not be written, in words; none if all was.
    pub fn failure(&self) -> Option<String> {
        let why = self.first_failure.as_ref()?;
        let (tests, others) = (self.lost, self.failed_writes);
        Some(format!(
            "{tests} tests and {others} other files could not be written: {why}"
        ))
    }

    /// Which tests are where, in a directory of results; `unsaved`: those that were found and there was no time to write.
    pub fn told(&self, unsaved: u64, dir: &Path) -> String {
        let all = self.written();
        let word = if all == 1 { "test" } else { "tests" };
        let mut text = format!("{all} {word} in {}", dir.display());
        if self.packed > 0 {
            let (loose, packed) = (self.loose, self.packed);
            text += &format!(" ({loose} as files, {packed} in tests/{})", pack::NAME);
        }
        for (n, why) in [
            (self.lost, "could not be written"),
            (unsaved, "not written in time"),
        ] {
            if n > 0 {
                text += &format!(", {n} more {why}");
            }
        }
        text
    }
}

impl OutputDir {
    /// Creates `out`, which must not exist or be empty; without `out`, the first free
    /// `base/polypath-out-N` and the link `base/polypath-last` to it.
    pub fn create(out: Option<&Path>, base: &Path) -> Result<OutputDir> {
        OutputDir::begin(Reserved::new(out, base)?)
    }

    /// Writes into a place that was taken before.
    pub fn begin(place: Reserved) -> Result<OutputDir> {
        let path = place.keep()?;
        let inner = Inner {
            dir: path.clone(),
            ..Inner::default()
        };
        Ok(OutputDir {
            path,
            inner: Mutex::new(inner),
        })
    }

    /// Goes on in a directory that has this already.
    pub(crate) fn go_on(
        path: &Path,
        (errors, provisional): (Vec<ErrorRecord>, BTreeSet<String>),
        ahead: Ahead,
        summary: WriteSummary,
        pack: u64,
    ) -> Result<OutputDir> {
        let name = path.join("tests/tests.pack");
        let has_pack = pack > 0 || name.exists();
        let pack = has_pack.then(|| PackWriter::reopen(&name, pack));
        let pack = pack
            .transpose()
            .with_context(|| format!("cannot continue {}", name.display()))?;
        Ok(OutputDir {
            path: path.to_owned(),
            inner: Mutex::new(Inner {
                dir: path.to_owned(),
                errors,
                pack,
                summary,
                provisional,
                ahead,
                ..Inner::default()
            }),
        })
    }

    /// The results written so far. Call it to store them with a frontier: then the pack is on the disk up to here.
    pub fn written(&self) -> Written {
        let mut inner = self.lock();
        inner.flush_pack();
        Written {
            errors: inner.errors.clone(),
            provisional: inner.provisional.clone(),
            packed: inner.summary.packed,
            ahead: inner.ahead.clone(),
            pack: inner.pack.as_ref().map_or(0, PackWriter::bytes),
        }
    }

    /// The directory, absolute.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes `info.json`.
    pub fn write_info(&self, info: &RunInfo) {
        self.write_json("info.json", info);
    }

    /// Writes `stats.json`. The numbers of tests and errors are filled in from the files written.
    pub fn write_stats(&self, stats: &RunStats) {
        let mut stats = stats.clone();
        {
            let mut inner = self.lock();
            inner.flush_pack();
            stats.tests = inner.summary.written();
            stats.tests_in_files = inner.summary.loose;
            stats.tests_in_pack = inner.summary.packed;
            stats.tests_lost = inner.summary.lost;
            stats.errors = inner.program_errors();
            stats.bugs = inner.program_bugs();
        }
        self.write_json("stats.json", &stats);
    }

    /// Writes `coverage.json`.
    pub fn write_coverage(&self, coverage: &Coverage) {
        self.write_json("coverage.json", coverage);
    }

    /// Appends a line to `run.jsonl`.
    pub fn timeline(&self, point: &TimePoint) {
        let mut inner = self.lock();
        let result = inner.append_timeline(&self.path, point);
        if let Err(e) = result {
            inner.failed("run.jsonl", &e);
        }
    }

    /// Writes a test, and then its error if it has one: `errors.json` names no test that is not there. Returns
    /// whether the test is safe (on disk, or in the pack's buffer, which `write_stats` and `finish` flush).
    pub fn write_test(&self, test: &TestCase) -> bool {
        let (is_written, error) = self.store_test(test);
        if let Some(error) = error {
            self.record_error(error);
        }
        is_written
    }

    /// The same of a path that was run ahead of the exploration, which counts it when it comes there.
    pub fn write_test_ahead(&self, test: &TestCase) -> bool {
        let (is_written, error) = self.store_test(test);
        if let Some(error) = error {
            self.record_error_ahead(error);
        }
        is_written
    }

    /// Stores a test. Returns whether it is safe, and its error, which names it.
    fn store_test(&self, test: &TestCase) -> (bool, Option<ErrorRecord>) {
        let mut inner = self.lock();
        let shows_error = test.error.as_ref().is_some_and(|e| inner.needs_test(e));
        let is_written = if shows_error || test.covered_new || inner.summary.loose < LOOSE_TESTS {
            // The expensive part is done without the lock: each test has names of its own.
            drop(inner);
            let result = testdir::store(&self.path.join("tests"), test);
            let mut inner = self.lock();
            match result {
                Ok(()) => {
                    inner.summary.loose += 1;
                    true
                }
                Err(e) => {
                    inner.lost(&test_name(test.id), 1, &e);
                    false
                }
            }
        } else {
            let is_written = inner.add_to_pack(&self.path, |pack| pack.add(test));
            drop(inner);
            is_written
        };
        let error = test.error.clone().map(|mut error| {
            if error.test.is_empty() && is_written {
                error.test = test_name(test.id);
            }
            error
        });
        (is_written, error)
    }

    /// Writes a test of a path that the exploration has not come to yet. It is there until the exploration shows the same: the next
    /// test of the same error takes its place, and [`OutputDir::settle`] removes the others.
    pub fn write_provisional(&self, test: &TestCase) -> bool {
        self.lock().provisional.insert(test_name(test.id));
        self.write_test(test)
    }

    /// Everything was explored: provisional tests go, but for those of errors that no other test shows.
    pub fn settle(&self) {
        let mut inner = self.lock();
        for name in std::mem::take(&mut inner.provisional) {
            if !inner.errors.iter().any(|e| e.test == name) {
                inner.withdraw(&self.path, &name);
            }
        }
    }

    /// Writes a test that shows nothing new. Returns whether it is safe, as [`OutputDir::write_test`] does.
    pub fn write_plain(&self, id: u32, test: &PlainTest) -> bool {
        let mut inner = self.lock();
        if inner.summary.loose >= LOOSE_TESTS {
            return inner.add_to_pack(&self.path, |pack| pack.add_plain(id, test));
        }
        match test.under(id) {
            Ok(test) => {
                drop(inner);
                self.write_test(&test)
            }
            Err(e) => {
                inner.lost(&test_name(id), 1, &e);
                false
            }
        }
    }

    /// Paths that ended in an earlier run after its last record, and have not been met again.
    pub fn paths_ahead(&self) -> u64 {
        self.lock().ahead.tests.len() as u64
    }

    /// Was the test of this path written by an earlier run, after its last record? Then that test stands for the path, and its
    /// error counts.
    pub fn has_written(&self, test: &TestCase) -> bool {
        let Some(number) = self.lock().ahead.take(test) else {
            return false;
        };
        if let Some(error) = &test.error {
            let mut error = error.clone();
            error.test = test_name(number);
            self.record_error(error);
        }
        true
    }

    /// The same of a test that shows nothing new, under this number.
    pub fn has_written_plain(&self, id: u32, test: &PlainTest) -> bool {
        if self.lock().ahead.tests.is_empty() {
            return false;
        }
        // One that cannot be read is written, and fails there with a reason.
        test.under(id).is_ok_and(|test| self.has_written(&test))
    }

    /// Adds an error to `errors.json`; `true` if it is new. Another path to a known error only raises its count
    /// (written with the next new error or at the end), and so does one through further calls to a place that has
    /// [`MAX_STACKS`] entries.
    pub fn record_error(&self, error: ErrorRecord) -> bool {
        let mut inner = self.lock();
        match inner.entry(&error) {
            ErrorEntry::Known(at) if inner.is_provisional(at) && !error.test.is_empty() => {
                inner.replace(&self.path, at, error);
                return false;
            }
            ErrorEntry::Known(at) => {
                let is_ahead = inner.ahead.errors.remove(&(at as u32));
                let known = &mut inner.errors[at];
                if is_ahead {
                    // The paths that an earlier run counted are explored again.
                    (known.paths, known.other_calls) = (0, 0);
                }
                known.paths += 1;
                if known.test.is_empty() {
                    known.test = error.test;
                }
                return false;
            }
            ErrorEntry::OtherCalls(at) => {
                inner.errors[at].other_calls += 1;
                return false;
            }
            ErrorEntry::New => {}
        }
        self.add_error(&mut inner, error);
        true
    }

    /// A path without a precondition has shown this error, whose test is named: if the entry was thought to have one, it has none.
    pub fn unmark(&self, error: &ErrorRecord) {
        let mut inner = self.lock();
        let ErrorEntry::Known(at) = inner.entry(error) else {
            return;
        };
        let known = &mut inner.errors[at];
        if known.precondition.take().is_none() {
            return;
        }
        known.made_up = None;
        known.message.clone_from(&error.message);
        known.input.clone_from(&error.input);
        if !error.test.is_empty() {
            known.test.clone_from(&error.test);
        }
        if let Err(e) = write_errors(&self.path, &inner.errors) {
            inner.failed("errors.json", &e);
        }
    }

    fn add_error(&self, inner: &mut Inner, error: ErrorRecord) {
        inner.errors.push(error);
        let result = write_errors(&self.path, &inner.errors);
        if let Err(e) = result {
            inner.failed("errors.json", &e);
        }
    }

    /// The same of an error to which the exploration is still to come ([`Ahead::errors`]): it stands for one path until then.
    pub fn record_error_ahead(&self, error: ErrorRecord) {
        let mut inner = self.lock();
        match inner.entry(&error) {
            ErrorEntry::New => {
                let at = inner.errors.len() as u32;
                inner.ahead.errors.insert(at);
                self.add_error(&mut inner, error);
            }
            ErrorEntry::Known(at) if inner.errors[at].test.is_empty() => {
                inner.errors[at].test = error.test;
            }
            ErrorEntry::Known(_) | ErrorEntry::OtherCalls(_) => {}
        }
    }

    /// Is this an error at a place of which nobody knew? One that a contract may exclude does not count where another one
    /// is shown that none does.
    pub fn is_news(&self, error: &ErrorRecord) -> bool {
        let inner = self.lock();
        let mut there = inner.errors.iter().filter(|e| e.is_bug_of(error));
        there.all(|known| known.precondition.is_some() && error.precondition.is_none())
    }

    /// Is this an error that `errors.json` lists already?
    pub fn lists(&self, error: &ErrorRecord) -> bool {
        !matches!(self.lock().entry(error), ErrorEntry::New)
    }

    /// The same, with a test that stays?
    pub fn knows(&self, error: &ErrorRecord) -> bool {
        !self.lock().needs_test(error)
    }

    /// Is there an entry for this error that was thought to depend on a precondition, and this one does not?
    pub fn is_unmarked_by(&self, error: &ErrorRecord) -> bool {
        let inner = self.lock();
        match inner.entry(error) {
            ErrorEntry::Known(at) => {
                inner.errors[at].precondition.is_some() && error.precondition.is_none()
            }
            ErrorEntry::OtherCalls(_) | ErrorEntry::New => false,
        }
    }

    /// The errors so far, in the order in which they were found.
    pub fn errors(&self) -> Vec<ErrorRecord> {
        self.lock().errors.clone()
    }

    /// How many distinct errors of the program were found so far (`unsupported` does not count).
    pub fn program_errors(&self) -> u64 {
        self.lock().program_errors()
    }

    /// How many bugs those are: places of errors.
    pub fn program_bugs(&self) -> u64 {
        self.lock().program_bugs()
    }

    /// A failure that was not reported yet; to be shown to the user at once.
    pub fn problem(&self) -> Option<String> {
        self.lock().news.take()
    }

    /// Flushes everything and returns the numbers written.
    pub fn finish(&self) -> WriteSummary {
        let mut inner = self.lock();
        inner.flush_pack();
        let result = write_errors(&self.path, &inner.errors);
        if let Err(e) = result {
            inner.failed("errors.json", &e);
        }
        inner.summary.clone()
    }

    /// Writes the results of a run that is stuck, from another thread: statistics, coverage, errors and buffered
    /// tests. Returns the numbers written, and the number of the program's errors; `None` if the run is inside a write
    /// that does not end.
    pub fn last_words(&self, stats: &RunStats, coverage: &Coverage) -> Option<(WriteSummary, u64)> {
        let begun = Instant::now();
        while let Err(TryLockError::WouldBlock) = self.inner.try_lock() {
            if begun.elapsed() > STUCK {
                return None;
            }
            std::thread::sleep(STUCK / 50);
        }
        self.write_coverage(coverage);
        let summary = self.finish();
        let mut stats = stats.clone();
        stats.failures.extend(summary.failure());
        self.write_stats(&stats);
        Some((summary, self.program_errors()))
    }

    fn write_json(&self, name: &str, value: &impl Serialize) {
        let result = serde_json::to_vec_pretty(value)
            .map_err(io::Error::from)
            .and_then(|bytes| disk::write_atomic(&self.path.join(name), &bytes));
        if let Err(e) = result {
            self.lock().failed(name, &e);
        }
    }

    /// A worker that panicked elsewhere leaves the data whole: every method restores it first.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of an error in `errors.json`.
enum ErrorEntry {
    /// There, as one more path.
    Known(usize),
    /// To the last of too many entries for its place.
    OtherCalls(usize),
    New,
}

impl Inner {
    fn entry(&self, error: &ErrorRecord) -> ErrorEntry {
        let (mut there, mut last) = (0, 0);
        for (at, known) in self.errors.iter().enumerate() {
            if known.place() == error.place() {
                if known.is(error) {
                    return ErrorEntry::Known(at);
                }
                (there, last) = (there + 1, at);
            }
        }
        if there >= MAX_STACKS {
            ErrorEntry::OtherCalls(last)
        } else {
            ErrorEntry::New
        }
    }

    /// Will the entry of this error have the test at hand to show it?
    fn needs_test(&self, error: &ErrorRecord) -> bool {
        match self.entry(error) {
            ErrorEntry::New => true,
            ErrorEntry::Known(at) => self.errors[at].test.is_empty() || self.is_provisional(at),
            ErrorEntry::OtherCalls(_) => false,
        }
    }

    /// Is the test of this entry one that is there for the time being?
    fn is_provisional(&self, at: usize) -> bool {
        self.provisional.contains(&self.errors[at].test)
    }

    /// An entry whose test is provisional is shown by another one from now on.
    fn replace(&mut self, dir: &Path, at: usize, error: ErrorRecord) {
        let known = &mut self.errors[at];
        let error = ErrorRecord {
            paths: known.paths,
            other_calls: known.other_calls,
            ..error
        };
        let before = std::mem::replace(known, error).test;
        match write_errors(dir, &self.errors) {
            Ok(()) => {
                self.provisional.remove(&before);
                self.withdraw(dir, &before);
            }
            Err(e) => self.failed("errors.json", &e),
        }
    }

    /// Removes a test that is written as files.
    fn withdraw(&mut self, dir: &Path, name: &str) {
        let tests = dir.join("tests");
        let removed = fs::remove_file(tests.join(format!("{name}.ktest")))
            .and_then(|()| fs::remove_dir_all(tests.join(name)));
        match removed {
            Ok(()) => self.summary.loose -= 1,
            // It was lost when it was to be written.
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => self.failed(&format!("tests/{name}"), &e),
        }
    }

    fn program_errors(&self) -> u64 {
        self.errors
            .iter()
            .filter(|e| e.kind.is_program_error())
            .count() as u64
    }

    fn program_bugs(&self) -> u64 {
        bug::of_program(&self.errors).len() as u64
    }

    fn add_to_pack(
        &mut self,
        dir: &Path,
        add: impl FnOnce(&mut PackWriter) -> Result<(), Lost>,
    ) -> bool {
        if self.pack.is_none() {
            match PackWriter::create(&dir.join("tests/tests.pack")) {
                Ok(pack) => self.pack = Some(pack),
                Err(e) => {
                    self.lost("tests.pack", 1, &e);
                    return false;
                }
            }
        }
        let Some(pack) = &mut self.pack else {
            return false;
        };
        let result = add(pack);
        self.summary.packed += 1;
        match result {
            Ok(()) => true,
            Err(lost) => {
                self.summary.packed -= lost.tests;
                self.lost("tests.pack", lost.tests, &lost.why);
                false
            }
        }
    }

    fn flush_pack(&mut self) {
        if let Some(Err(lost)) = self.pack.as_mut().map(PackWriter::flush) {
            self.summary.packed -= lost.tests;
            self.lost("tests.pack", lost.tests, &lost.why);
        }
    }

    fn append_timeline(&mut self, dir: &Path, point: &TimePoint) -> io::Result<()> {
        let file = match &mut self.timeline {
            Some(file) => file,
            none => {
                let path = dir.join("run.jsonl");
                none.insert(OpenOptions::new().append(true).create(true).open(path)?)
            }
        };
        let mut line = serde_json::to_vec(point)?;
        line.push(b'\n');
        let end = file.metadata()?.len();
        file.write_all(&line).inspect_err(|_| {
            // Half a line would spoil the next one, too. A file that cannot be cut says so when it is read.
            drop(file.set_len(end));
        })
    }

    fn lost(&mut self, what: &str, tests: u64, why: &io::Error) {
        self.summary.lost += tests;
        let path = self.dir.join("tests").join(what);
        let path = path.display();
        self.tell(format!("cannot write {path}: {why}; tests are being lost"));
    }

    fn failed(&mut self, what: &str, why: &io::Error) {
        self.summary.failed_writes += 1;
        let path = self.dir.join(what);
        self.tell(format!("cannot write {}: {why}", path.display()));
    }

    fn tell(&mut self, message: String) {
        if self.summary.first_failure.is_none() {
            self.summary.first_failure = Some(message.clone());
            self.news = Some(message);
        }
    }
}

/// An entry of `errors.json`: an error, the number of its bug, and why the project accepts it.
#[derive(Serialize)]
struct ListedError<'a> {
    bug: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed: Option<&'a str>,
    #[serde(flatten)]
    error: &'a ErrorRecord,
}

pub(crate) fn write_errors(dir: &Path, errors: &[ErrorRecord]) -> io::Result<()> {
    let numbers = bug::numbers(errors).into_iter().zip(errors);
    let listed: Vec<ListedError<'_>> = numbers
        .map(|(bug, error)| ListedError {
            bug,
            suppressed: error.suppressed.as_deref(),
            error,
        })
        .collect();
    let bytes = serde_json::to_vec_pretty(&listed)?;
    disk::write_atomic(&dir.join("errors.json"), &bytes)
}
