//! Reads an output directory back: for replay, reports and users of the library.
//!
//! Nothing in the directory is trusted. A damaged test or file is skipped and named in
//! [`Run::problems`]; only a directory that is no output directory at all is an error.

use crate::coverage::Coverage;
use crate::disk;
use crate::ktest::KTest;
use crate::model::{
    ErrorRecord, ExitKind, Expected, RunInfo, RunStats, TestCase, TimePoint, test_name, test_number,
};
use crate::{pack, testdir};
use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The directory is none of a run: a message with its name.
#[derive(Debug)]
pub struct NotResults(pub String);

impl std::fmt::Display for NotResults {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotResults {}

/// An entry of `errors.json`.
#[derive(Deserialize)]
struct ListedError {
    #[serde(default)]
    suppressed: Option<String>,
    #[serde(flatten)]
    error: ErrorRecord,
}

/// A finished, running or interrupted run as found on disk.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The output directory.
    pub dir: PathBuf,
    /// The program and its options; missing if `info.json` is.
    pub info: Option<RunInfo>,
    /// Missing when the run was killed before it wrote any.
    pub stats: Option<RunStats>,
    /// Distinct errors, in the order of `errors.json`.
    pub errors: Vec<ErrorRecord>,
    /// Whether there was an intact `errors.json`: without one, no errors is no statement.
    pub errors_known: bool,
    /// The course of the run, oldest line first.
    pub timeline: Vec<TimePoint>,
    /// Coverage of the sources, if it was written.
    pub coverage: Option<Coverage>,
    /// Tests by id; after [`Run::outline`] only some.
    pub tests: Vec<TestCase>,
    /// How many tests there are on disk.
    pub totals: Totals,
    /// Messages about files that could not be read.
    pub problems: Vec<String>,
}

/// How many tests there are on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// All of them.
    pub tests: usize,
    /// Those that covered something new.
    pub new: usize,
}

impl Totals {
    fn count(&mut self, test: &TestCase) {
        self.tests += 1;
        self.new += usize::from(test.covered_new);
    }
}

/// Output of a test that an outline keeps.
pub(crate) const OUTLINE_OUTPUT: usize = 4096;

/// Bytes of a test's input and output.
fn weight(test: &TestCase) -> usize {
    let objects = test.objects.iter().map(|(_, bytes)| bytes.len());
    let files = test.files.iter().map(|file| file.bytes.len());
    let stdin = test.stdin.as_ref().map_or(0, Vec::len);
    let output = test.expected.stdout.len() + test.expected.stderr.len();
    objects.chain(files).sum::<usize>() + stdin + output
}

/// Orders tests by interest: errors, then new coverage, then in the order in which they were found.
pub fn telling(test: &TestCase) -> (bool, bool, u32) {
    (test.error.is_none(), !test.covered_new, test.id)
}

impl Run {
    /// Reads everything.
    pub fn read(dir: &Path) -> Result<Run> {
        let mut run = Run::without_tests(dir)?;
        let mut problems = Vec::new();
        run.tests = tests(&run.dir.join("tests"), &mut problems)?;
        run.problems.append(&mut problems);
        run.tests.iter().for_each(|test| run.totals.count(test));
        Ok(run)
    }

    /// Reads everything, but keeps only the `most` most telling tests and those that `errors.json` names, with the
    /// beginning of their output: of a run with a million tests one wants a page.
    pub fn outline(dir: &Path, most: usize) -> Result<Run> {
        Run::outline_within(dir, most, usize::MAX)
    }

    /// The same, with at most so many bytes of input and output of the tests that no error names.
    pub fn outline_within(dir: &Path, most: usize, most_bytes: usize) -> Result<Run> {
        let mut run = Run::without_tests(dir)?;
        let mut problems = Vec::new();
        let named: BTreeSet<&str> = run.errors.iter().map(|e| e.test.as_str()).collect();
        let (mut shown, mut kept) = (BTreeMap::new(), Vec::new());
        let mut bytes = 0;
        let mut totals = Totals::default();
        each_test(&run.dir.join("tests"), &mut problems, &mut |mut test| {
            totals.count(&test);
            test.expected.stdout.truncate(OUTLINE_OUTPUT);
            test.expected.stderr.truncate(OUTLINE_OUTPUT);
            test.prefix = Vec::new();
            if named.contains(test_name(test.id).as_str()) {
                kept.push(test);
                return;
            }
            // The tests that the errors name are kept: this one repeats one of them.
            bytes += weight(&test);
            shown.insert((!test.covered_new, test.id), test);
            while shown.len() > most || bytes > most_bytes {
                let Some((_, least)) = shown.pop_last() else {
                    break;
                };
                bytes -= weight(&least);
            }
        })?;
        kept.extend(shown.into_values());
        kept.sort_by_key(|test| test.id);
        run.tests = kept;
        run.totals = totals;
        run.problems.append(&mut problems);
        Ok(run)
    }

    /// Reads everything but the tests.
    pub fn without_tests(dir: &Path) -> Result<Run> {
        let dir = dir
            .canonicalize()
            .map_err(|e| NotResults(format!("cannot open {}: {e}", dir.display())))?;
        if !dir.join("tests").is_dir() {
            return Err(NotResults(format!(
                "{} is not an output directory of polypath run (it has no tests/)",
                dir.display()
            ))
            .into());
        }
        let mut run = Run {
            dir,
            ..Run::default()
        };
        run.info = run.json("info.json");
        run.stats = run.json("stats.json");
        let errors: Option<Vec<ListedError>> = run.json("errors.json");
        run.errors_known = errors.is_some();
        let listed = errors.into_iter().flatten();
        run.errors = listed
            .map(|listed| ErrorRecord {
                suppressed: listed.suppressed,
                ..listed.error
            })
            .collect();
        run.coverage = run.json("coverage.json");
        run.timeline = run.read_timeline();
        Ok(run)
    }

    /// A run that ended by itself and of which everything can be read, with its statistics. For reports that draw
    /// conclusions from what is *not* there.
    ///
    /// # Errors
    /// Something is missing or damaged.
    pub fn whole(self) -> Result<(Run, RunStats)> {
        let shown = self.dir.display().to_string();
        if let Some(problem) = self.problems.first() {
            bail!("{shown}: {problem}");
        }
        ensure!(self.errors_known, "{shown}: no errors.json");
        let stats = self.stats.clone();
        let stats = stats.with_context(|| format!("{shown}: no stats.json"))?;
        Ok((self, stats))
    }

    /// A file that may be absent; a damaged one is a problem.
    fn json<T: DeserializeOwned>(&mut self, name: &str) -> Option<T> {
        let result = match fs::read(self.dir.join(name)) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|e| e.to_string()),
            Err(e) if e.kind() == io::ErrorKind::NotFound => return None,
            Err(e) => Err(e.to_string()),
        };
        result
            .map_err(|e| self.problems.push(format!("{name}: {e}")))
            .ok()
    }

    fn read_timeline(&mut self) -> Vec<TimePoint> {
        let bytes = match fs::read(self.dir.join("run.jsonl")) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Vec::new(),
            Err(e) => {
                self.problems.push(format!("run.jsonl: {e}"));
                return Vec::new();
            }
        };
        let mut points = Vec::new();
        let mut bad = 0;
        for line in bytes.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
            match serde_json::from_slice(line) {
                Ok(point) => points.push(point),
                Err(_) => bad += 1,
            }
        }
        if bad > 0 {
            self.problems
                .push(format!("run.jsonl: {bad} damaged lines skipped"));
        }
        points
    }
}

/// The test of a run that has this name (`test000001`), from its directory or from the pack.
///
/// # Errors
/// There is none, or it cannot be read.
pub fn named(run: &Path, name: &str) -> Result<TestCase> {
    let id = test_number(name);
    let id = id.with_context(|| format!("{name:?} is no name of a test (test000001)"))?;
    numbered(run, id)
}

/// The same by its number.
///
/// # Errors
/// There is none, or it cannot be read.
pub fn numbered(run: &Path, id: u32) -> Result<TestCase> {
    let tests = run.join("tests");
    let dir = tests.join(test_name(id));
    if dir.is_dir() {
        return testdir::read(&dir);
    }
    let pack = tests.join(pack::NAME);
    let mut found = None;
    let mut keep = |test: TestCase| {
        if test.id == id {
            found = Some(test);
        }
    };
    let has_pack = pack.exists();
    let problem = has_pack.then(|| each_packed(&pack, &mut keep)).flatten();
    let ktest = dir.with_extension("ktest");
    if found.is_none() && ktest.is_file() {
        return ktest_alone(id, &ktest);
    }
    let problem = problem.map_or(String::new(), |p| format!(" ({}: {p})", pack::NAME));
    found.with_context(|| format!("{}: there is no {}{problem}", run.display(), test_name(id)))
}

/// Where the tests of a run are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// Those with a directory of their own.
    pub files: u64,
    /// Whole ones in the pack.
    pub packed: u64,
    /// The problem with the rest of the pack.
    pub problem: Option<String>,
}

/// Counts the tests of a run on the disk, whatever its statistics say: it may be at work, or was killed.
///
/// # Errors
/// The directory of the tests cannot be read.
pub fn stored(run: &Path) -> Result<Stored> {
    let tests = run.join("tests");
    let mut stored = Stored::default();
    let entries =
        fs::read_dir(&tests).with_context(|| format!("cannot read {}", tests.display()))?;
    for entry in entries {
        let path = entry?.path();
        let is_test = !path.file_name().is_some_and(disk::is_temporary);
        stored.files += u64::from(is_test && path.join("meta.json").is_file());
    }
    let pack = tests.join(pack::NAME);
    if pack.exists() {
        let problem = each_packed(&pack, &mut |_| stored.packed += 1);
        stored.problem = problem.map(|p| format!("{}: {p}", pack::NAME));
    }
    Ok(stored)
}

/// All tests below a `tests` directory, by id; or the one test if `dir` is a test's directory.
pub fn tests(dir: &Path, problems: &mut Vec<String>) -> Result<Vec<TestCase>> {
    let mut found: BTreeMap<u32, TestCase> = BTreeMap::new();
    each_test(dir, problems, &mut |test| {
        found.insert(test.id, test);
    })?;
    Ok(found.into_values().collect())
}

/// Shows each of these tests once: those with a directory by their names, then those of the pack.
pub fn each_test(
    dir: &Path,
    problems: &mut Vec<String>,
    show: &mut dyn FnMut(TestCase),
) -> Result<()> {
    if dir.join("meta.json").is_file() {
        show(testdir::read(dir)?);
        return Ok(());
    }
    let mut found: BTreeSet<u32> = BTreeSet::new();
    let mut lone: Vec<(u32, PathBuf)> = Vec::new();
    let mut packed = None;
    let unreadable = || format!("cannot read {}", dir.display());
    let entries = fs::read_dir(dir).with_context(unreadable)?;
    let paths: io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths.with_context(unreadable)?;
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default();
        if disk::is_temporary(name) {
            continue;
        }
        let text = name.to_string_lossy();
        if text == pack::NAME {
            packed = Some(path);
        } else if path.is_dir() {
            match testdir::read(&path) {
                Ok(test) if found.insert(test.id) => show(test),
                Ok(test) => problems.push(format!(
                    "{}: there is another test {}",
                    path.display(),
                    test.id
                )),
                Err(e) => problems.push(format!("{e:#}")),
            }
        } else if let Some(id) = ktest_id(&text) {
            lone.push((id, path));
        }
    }
    if let Some(path) = packed {
        let problem = each_packed(&path, &mut |test| {
            if found.insert(test.id) {
                show(test);
            }
        });
        problems.extend(problem.map(|p| format!("tests.pack: {p}")));
    }
    lone.sort();
    for (id, path) in lone {
        if !found.insert(id) {
            continue;
        }
        match ktest_alone(id, &path) {
            Ok(test) => {
                show(test);
                let path = path.display();
                problems.push(format!(
                    "{path}: no test directory of this name, expected result unknown"
                ));
            }
            Err(e) => problems.push(format!("{e:#}")),
        }
    }
    Ok(())
}

/// Shows the tests of a pack, and returns the problem with it, if there is one.
fn each_packed(path: &Path, show: &mut dyn FnMut(TestCase)) -> Option<String> {
    let opened = fs::File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
    match opened {
        Ok((len, file)) => pack::each(&mut io::BufReader::new(file), len, show),
        Err(e) => Some(e.to_string()),
    }
}

fn ktest_id(name: &str) -> Option<u32> {
    name.strip_prefix("test")?
        .strip_suffix(".ktest")?
        .parse()
        .ok()
}

/// A `.ktest` without its directory: only the objects are known.
fn ktest_alone(id: u32, path: &Path) -> Result<TestCase> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let ktest = KTest::parse(&bytes).with_context(|| path.display().to_string())?;
    Ok(TestCase {
        id,
        objects: ktest
            .objects
            .iter()
            .map(|(n, d)| (vocab::text_of(n), d.clone()))
            .collect(),
        args: ktest.args.into_iter().take(1).collect(),
        expected: Expected {
            exit: ExitKind::Killed("unknown".into()),
            ..Expected::default()
        },
        ..TestCase::default()
    })
}
