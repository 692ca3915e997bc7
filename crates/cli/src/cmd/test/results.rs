//! The directory with the results of all targets. It belongs to one `polypath test` at a time, and a directory in it is only ever
//! replaced if an earlier one has made it.

use crate::exit::UsageError;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// The file by which it is known, with the names of the directories that are ours.
const MARK: &str = "polypath-test.json";

/// See the module.
pub struct ResultsDir {
    path: PathBuf,
    record: OwnTargets,
    /// As long as it is open, no other command works here.
    _lock: File,
}

/// The content of the mark.
#[derive(Debug, Default, Serialize, Deserialize)]
struct OwnTargets {
    /// Targets that have begun, with those of their options that a run that goes on must not change, and with their programs.
    targets: BTreeMap<String, Vec<String>>,
}

impl ResultsDir {
    /// Takes a directory, which is made if it is not there.
    ///
    /// # Errors
    /// Another command works there, or it cannot be written.
    pub fn take(path: &Path) -> anyhow::Result<ResultsDir> {
        let shown = path.display();
        let usage = |e: io::Error| UsageError(format!("out: {shown}: {e}"));
        if !path.exists() {
            fs::create_dir_all(path).map_err(usage)?;
            // What is made here belongs into no repository.
            let ignored = path.join(".gitignore");
            fs::write(&ignored, "*\n")
                .with_context(|| format!("cannot write {}", ignored.display()))?;
        }
        let path = path.canonicalize().map_err(usage)?;
        let mark = path.join(MARK);
        let lock = File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(path.join(".polypath-test.lock"));
        let lock = lock.map_err(usage)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let why = format!("out: another polypath test works in {shown}");
                return Err(UsageError(why).into());
            }
            Err(TryLockError::Error(e)) => {
                return Err(e).with_context(|| format!("cannot lock {shown}"));
            }
        }
        let record = match fs::read(&mark) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|e| UsageError(format!("{}: {e}", mark.display())))?,
            Err(e) if e.kind() == io::ErrorKind::NotFound => OwnTargets::default(),
            Err(e) => return Err(usage(e).into()),
        };
        Ok(ResultsDir {
            path,
            record,
            _lock: lock,
        })
    }

    /// The directory, absolute.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The directory of a target.
    pub fn of(&self, target: &str) -> PathBuf {
        self.path.join(target)
    }

    /// Refuses a target whose place is taken by something that is not ours.
    ///
    /// # Errors
    /// It is.
    pub fn check(&self, target: &str) -> Result<(), UsageError> {
        let dir = self.of(target);
        let Ok(there) = fs::symlink_metadata(&dir) else {
            return Ok(());
        };
        if there.is_dir() && self.record.targets.contains_key(target) {
            return Ok(());
        }
        Err(UsageError(format!(
            "{}: polypath test did not make it, and does not replace it: name another `out`, or remove it",
            dir.display()
        )))
    }

    /// Has the target results of such a run, which can go on or is whole?
    ///
    /// # Errors
    /// Its run had other options.
    pub fn has(&self, target: &str, fixed: &[String]) -> Result<bool, UsageError> {
        match self.record.targets.get(target) {
            Some(known) if self.of(target).join("tests").is_dir() => {
                if known != fixed {
                    return Err(UsageError(format!(
                        "--resume: the options of {target} have changed since its run; without --resume it begins anew"
                    )));
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// The run of a target begins: what an earlier one has left there goes.
    ///
    /// # Errors
    /// It cannot be removed, or the mark cannot be written.
    pub fn begin(&mut self, target: &str, fixed: &[String]) -> anyhow::Result<PathBuf> {
        self.check(target)?;
        let dir = self.of(target);
        if dir.exists() {
            fs::remove_dir_all(&dir).with_context(|| format!("cannot remove {}", dir.display()))?;
        }
        self.record.targets.insert(target.into(), fixed.to_vec());
        self.write(MARK, &self.record)?;
        Ok(dir)
    }

    /// Writes a file for other programs.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, name: &str, value: &impl Serialize) -> anyhow::Result<PathBuf> {
        let path = self.path.join(name);
        let beside = self.path.join(format!(".tmp-{name}"));
        let bytes = serde_json::to_vec_pretty(value)?;
        fs::write(&beside, bytes)
            .and_then(|()| fs::rename(&beside, &path))
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_ours_is_replaced() {
        let place = tempfile::tempdir().expect("a directory");
        let out = place.path().join("out");
        let mut results = ResultsDir::take(&out).expect("it is made");
        assert!(ResultsDir::take(&out).is_err(), "two at a time");
        let words = ["--seed=1".to_string()];
        let dir = results.begin("one", &words).expect("it is free");
        fs::create_dir_all(dir.join("tests")).expect("a run writes");
        fs::create_dir_all(out.join("mine")).expect("the user's own");
        fs::write(out.join("mine/thesis.tex"), "x").expect("the user's own");
        drop(results);
        let mut results = ResultsDir::take(&out).expect("it is free again");
        assert!(results.check("mine").is_err() && results.begin("mine", &words).is_err());
        assert!(out.join("mine/thesis.tex").exists());
        assert!(results.has("one", &words).expect("the same options"));
        assert!(results.has("one", &[]).is_err());
        assert!(!results.has("two", &words).expect("there is none"));
        results.begin("one", &words).expect("ours");
        assert!(!dir.exists());
        // A link in its place leads to what is not ours.
        std::os::unix::fs::symlink(out.join("mine"), &dir).expect("a link");
        assert!(results.begin("one", &words).is_err());
        assert!(out.join("mine/thesis.tex").exists());
    }
}
