//! Results that are ahead of the frontier.
//!
//! The frontier is recorded now and then, tests and errors are written at once. A run that was killed has therefore written tests of paths
//! that its last record still has as open. Nothing that was written is taken back: a run that continues there explores these paths again, and
//! recognises their ends by the tests that exist ([`TestCase::path`]). Each path counts once, and has one test.

use crate::disk;
use crate::frontier::Written;
use crate::klee;
use crate::model::{ErrorRecord, ExitKind, TestCase, TimePoint};
use crate::output::{OutputDir, WriteSummary};
use crate::pack;
use crate::testdir;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// The kind of the choice behind which a path was run ahead of the exploration (`exec::ChoiceKind::Ahead`).
pub const AHEAD: u8 = 8;

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ahead {
    /// Tests whose paths are still open in the frontier: the paths, and the numbers of their tests.
    pub tests: BTreeMap<u64, Vec<u32>>,
    /// Entries of `errors.json` whose paths are still open, by their places in the list.
    pub errors: BTreeSet<u32>,
}

impl Ahead {
    /// The number of the test of the path that this test takes, if it was written before. The answer is given once for each
    /// test.
    pub fn take(&mut self, test: &TestCase) -> Option<u32> {
        if self.tests.is_empty() {
            return None;
        }
        let path = test.path()?;
        let numbers = self.tests.get_mut(&path)?;
        let number = numbers.pop();
        if numbers.is_empty() {
            self.tests.remove(&path);
        }
        number
    }

    fn add(&mut self, test: &TestCase) {
        if let Some(path) = test.path() {
            self.tests.entry(path).or_default().push(test.id);
        }
    }
}

impl OutputDir {
    /// Continues the results of a run whose frontier was recorded when it had written this much, with test `next_test` as the
    /// next one. Returns the next number of a test. What was written later stays and is [`Ahead`]; half-written tests are removed.
    ///
    /// # Errors
    /// The results cannot be read, or half-written ones cannot be removed.
    pub fn resume(dir: &Path, written: Written, next_test: u32) -> Result<(OutputDir, u32)> {
        let mut ahead = written.ahead;
        let mut next = next_test;
        let mut later = |test: &TestCase| {
            next = next.max(test.id.saturating_add(1));
            ahead.add(test);
        };
        let loose = loose(&dir.join("tests"), next_test, &mut later)?;
        let name = dir.join("tests/tests.pack");
        let mut packed = written.packed;
        let pack = if name.exists() {
            let end = pack::each_from(&name, written.pack, &mut |test| {
                packed += 1;
                later(&test);
            });
            end.with_context(|| format!("cannot continue {}", name.display()))?
        } else {
            packed = 0;
            0
        };
        let errors = errors(dir, written.errors, &mut ahead);
        let summary = WriteSummary {
            loose,
            packed,
            ..WriteSummary::default()
        };
        let out = OutputDir::go_on(dir, (errors, written.provisional), ahead, summary, pack)?;
        Ok((out, next))
    }
}

/// Counts the tests that are files, and shows those from `first` on. Half-written ones are completed or removed, and damaged ones are removed.
fn loose(tests: &Path, first: u32, later: &mut dyn FnMut(&TestCase)) -> Result<u64> {
    let remove = |path: &Path| {
        let gone = if path.is_dir() {
            fs::remove_dir_all(path)
        } else {
            fs::remove_file(path)
        };
        match gone {
            // It went with its other half.
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
            gone => gone.with_context(|| format!("cannot remove {}", path.display())),
        }
    };
    let mut count = 0;
    let entries = fs::read_dir(tests).with_context(|| format!("no {}", tests.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.file_name().is_some_and(disk::is_temporary) {
            remove(&path)?;
            continue;
        }
        let name = path.file_stem().and_then(|name| name.to_str());
        let Some(id) = name.and_then(|name| name.strip_prefix("test")?.parse::<u32>().ok()) else {
            continue;
        };
        let ktest = path.with_extension("ktest");
        if !path.is_dir() {
            // The file alone is what a test leaves that was being removed.
            if !path.with_extension("").is_dir() {
                remove(&path)?;
            }
            continue;
        }
        if id < first {
            if ktest.exists() {
                count += 1;
            } else {
                remove(&path)?;
            }
            continue;
        }
        // A power cut can leave files without their content. The path of such a test is still open, and gets another one.
        let Ok(test) = testdir::read(&path) else {
            remove(&path)?;
            if ktest.exists() {
                remove(&ktest)?;
            }
            continue;
        };
        if !ktest.exists() {
            let bytes = klee::to_ktest(&test).ktest.to_bytes();
            disk::write_atomic(&ktest, &bytes)
                .with_context(|| format!("cannot write {}", ktest.display()))?;
        }
        count += 1;
        later(&test);
    }
    Ok(count)
}

/// The errors of `errors.json`, with the numbers of paths that they had when the frontier was recorded.
fn errors(dir: &Path, recorded: Vec<ErrorRecord>, ahead: &mut Ahead) -> Vec<ErrorRecord> {
    // It is written whole or not at all; where it was never written, nothing but the record is known.
    let now = fs::read(dir.join("errors.json")).ok();
    let now = now.and_then(|bytes| serde_json::from_slice::<Vec<ErrorRecord>>(&bytes).ok());
    let mut errors = recorded;
    for error in now.unwrap_or_default() {
        match errors.iter_mut().find(|known| known.is(&error)) {
            // Its test may have been replaced since.
            Some(known) if !error.test.is_empty() => known.test = error.test,
            Some(_) => {}
            None => {
                ahead.errors.insert(errors.len() as u32);
                errors.push(error);
            }
        }
    }
    // A test that shows an error is always written as files.
    for error in &mut errors {
        if !dir.join("tests").join(&error.test).is_dir() {
            error.test = String::new();
        }
    }
    errors
}

/// The last line of the time line of a run in this directory: its clocks have come so far. A torn line behind it is cut off.
///
/// # Errors
/// The file cannot be read or cut.
pub fn last_point(dir: &Path) -> io::Result<Option<TimePoint>> {
    /// Longer than a line.
    const END: u64 = 1 << 16;
    let file = match File::options()
        .read(true)
        .write(true)
        .open(dir.join("run.jsonl"))
    {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let length = file.metadata()?.len();
    let from = length.saturating_sub(END);
    let mut end = vec![0; (length - from) as usize];
    file.read_exact_at(&mut end, from)?;
    let whole = end.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
    if whole < end.len() {
        file.set_len(from + whole as u64)?;
    }
    let mut lines = end[..whole].split(|&b| b == b'\n');
    let last = lines.rfind(|line| !line.is_empty());
    Ok(last.and_then(|line| serde_json::from_slice(line).ok()))
}

impl TestCase {
    /// Was the path run ahead of the exploration, from a state that was alive?
    pub fn is_ahead(&self) -> bool {
        self.prefix.iter().any(|(_, kind, _)| *kind == AHEAD)
    }

    /// The path that the test takes, as a number: equal in all runs of the same program. `None` for a path that was cut, since
    /// a run that continues may cut it elsewhere, for one that was run ahead of the exploration, which comes to the path itself, and for
    /// one of which nothing is known.
    pub fn path(&self) -> Option<u64> {
        let is_known = !self.prefix.is_empty() || self.expected.path_hash.is_some();
        if !is_known || self.is_ahead() || matches!(self.expected.exit, ExitKind::Killed(_)) {
            return None;
        }
        let error = self.error.as_ref().map(ErrorRecord::place);
        let bytes = postcard::to_stdvec(&(&self.prefix, self.expected.path_hash, error));
        let mut sum = pack::Checksum::default();
        sum.add(&bytes.expect("plain values can be written"));
        Some(sum.wide())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_whole_line_tells_the_clocks_and_a_torn_one_goes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.jsonl");
        assert_eq!(last_point(dir.path()).unwrap(), None);
        let line = |t: f64| {
            let point = TimePoint {
                t,
                cpu_s: t / 2.0,
                ..TimePoint::default()
            };
            serde_json::to_string(&point).unwrap() + "\n"
        };
        let whole: String = (0..2000).map(|t| line(f64::from(t))).collect();
        for torn in ["", "{\"t\": 17", "{"] {
            fs::write(&path, format!("{whole}{torn}")).unwrap();
            let last = last_point(dir.path()).unwrap().unwrap();
            assert_eq!((last.t, last.cpu_s), (1999.0, 999.5), "{torn}");
            assert_eq!(fs::read_to_string(&path).unwrap(), whole, "{torn}");
        }
        fs::write(&path, "{\"t\": 1").unwrap();
        assert_eq!(last_point(dir.path()).unwrap(), None);
        assert_eq!(fs::read(&path).unwrap(), b"");
    }
}
