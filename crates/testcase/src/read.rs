//! Reads an output directory back: for replay, reports and users of the library.
//!
//! Nothing in the directory is trusted. A damaged test or file is skipped and named in
//! [`Run::problems`]; only a directory that is no output directory at all is an error.

use crate::coverage::Coverage;
use crate::disk;
use crate::ktest::KTest;
use crate::model::{ErrorRecord, ExitKind, Expected, RunInfo, Stats, TestCase, TimePoint};
use crate::{pack, testdir};
use anyhow::{Context, Result, ensure};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A finished, running or interrupted run as found on disk.
#[derive(Clone, Debug, Default)]
pub struct Run {
    pub dir: PathBuf,
    pub info: Option<RunInfo>,
    /// Missing when the run was killed before it wrote any.
    pub stats: Option<Stats>,
    pub errors: Vec<ErrorRecord>,
    pub timeline: Vec<TimePoint>,
    pub coverage: Option<Coverage>,
    /// By id.
    pub tests: Vec<TestCase>,
    /// What could not be read, in words.
    pub problems: Vec<String>,
}

impl Run {
    /// Reads everything.
    pub fn read(dir: &Path) -> Result<Run> {
        let mut run = Run::without_tests(dir)?;
        let mut problems = Vec::new();
        run.tests = tests(&run.dir.join("tests"), &mut problems)?;
        run.problems.append(&mut problems);
        Ok(run)
    }

    /// Reads everything but the tests.
    pub fn without_tests(dir: &Path) -> Result<Run> {
        let dir = dir
            .canonicalize()
            .with_context(|| format!("cannot open {}", dir.display()))?;
        ensure!(
            dir.join("tests").is_dir(),
            "{} is not an output directory of polypath run (it has no tests/)",
            dir.display()
        );
        let mut run = Run {
            dir,
            ..Run::default()
        };
        run.info = run.json("info.json");
        run.stats = run.json("stats.json");
        run.errors = run.json("errors.json").unwrap_or_default();
        run.coverage = run.json("coverage.json");
        run.timeline = run.read_timeline();
        Ok(run)
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

/// All tests below a `tests` directory, by id; or the one test if `dir` is a test's directory.
pub fn tests(dir: &Path, problems: &mut Vec<String>) -> Result<Vec<TestCase>> {
    if dir.join("meta.json").is_file() {
        return Ok(vec![testdir::read(dir)?]);
    }
    let mut found: BTreeMap<u32, TestCase> = BTreeMap::new();
    let mut lone: Vec<(u32, PathBuf)> = Vec::new();
    let entries = fs::read_dir(dir).with_context(|| format!("cannot read {}", dir.display()))?;
    for entry in entries {
        let path = entry
            .with_context(|| format!("cannot read {}", dir.display()))?
            .path();
        let name = path.file_name().unwrap_or_default();
        if disk::is_temporary(name) {
            continue;
        }
        let text = name.to_string_lossy();
        if text == "tests.pack" {
            match fs::read(&path) {
                Ok(bytes) => {
                    let (tests, problem) = pack::read(&bytes);
                    found.extend(tests.into_iter().map(|t| (t.id, t)));
                    problems.extend(problem.map(|p| format!("tests.pack: {p}")));
                }
                Err(e) => problems.push(format!("tests.pack: {e}")),
            }
        } else if path.is_dir() {
            match testdir::read(&path) {
                Ok(test) => {
                    found.insert(test.id, test);
                }
                Err(e) => problems.push(format!("{e:#}")),
            }
        } else if let Some(id) = ktest_id(&text) {
            lone.push((id, path));
        }
    }
    lone.sort();
    for (id, path) in lone {
        let Entry::Vacant(place) = found.entry(id) else {
            continue;
        };
        match ktest_alone(id, &path) {
            Ok(test) => {
                place.insert(test);
                let path = path.display();
                problems.push(format!(
                    "{path}: no directory beside it, expected result unknown"
                ));
            }
            Err(e) => problems.push(format!("{e:#}")),
        }
    }
    Ok(found.into_values().collect())
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
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    Ok(TestCase {
        id,
        objects: ktest
            .objects
            .iter()
            .map(|(n, d)| (text(n), d.clone()))
            .collect(),
        args: ktest.args.into_iter().take(1).collect(),
        expected: Expected {
            exit: ExitKind::Killed("unknown".into()),
            ..Expected::default()
        },
        ..TestCase::default()
    })
}
