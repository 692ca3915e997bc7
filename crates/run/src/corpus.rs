//! A corpus on disk with whose inputs a run begins (`--seed-input DIR`): which of its files are inputs, and how long they are.
//!
//! DIR holds inputs as raw files, `.ktest` files and directories of tests. An output directory of AFL++ is taken as it is: the inputs
//! are those of its queues (`DIR/queue`, or `DIR/NAME/queue` of each of several instances); what crashed or hung there is left out, and
//! told. Of an output directory of ours, or of the `tests` in it, the inputs are its tests, with those in the pack.

use crate::exit::UsageError;
use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

/// The folder of an instance of AFL++ with its inputs.
const QUEUE: &str = "queue";

/// See the module.
pub struct Corpus {
    dir: PathBuf,
    /// The folders whose entries are inputs.
    folders: Vec<PathBuf>,
    /// The folder of a run's tests, if it is one.
    tests: Option<PathBuf>,
    /// Inputs of AFL++ that crashed, and those that hung.
    left_out: (usize, usize),
}

impl Corpus {
    /// Looks at the directory.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn open(dir: &Path) -> Result<Corpus, UsageError> {
        let mut instances: Vec<PathBuf> =
            entries(dir)?.into_iter().filter(|p| p.is_dir()).collect();
        instances.insert(0, dir.to_owned());
        instances.retain(|instance| instance.join(QUEUE).is_dir());
        let mut left_out = (0, 0);
        for instance in &instances {
            for entry in entries(instance)? {
                let name = entry.file_name().unwrap_or_default().to_string_lossy();
                // "crashes.2026-01-31-10:00:00" are those of an earlier start.
                if name.starts_with("crashes") {
                    left_out.0 += inputs_of_afl(&entry)?.len();
                } else if name.starts_with("hangs") {
                    left_out.1 += inputs_of_afl(&entry)?.len();
                }
            }
        }
        let folders = if instances.is_empty() {
            vec![dir.to_owned()]
        } else {
            instances.iter().map(|i| i.join(QUEUE)).collect()
        };
        let tests = [dir.join("tests"), dir.to_owned()];
        let is_ours = |tests: &PathBuf| {
            let run = tests.parent().map(|run| run.join("info.json"));
            tests.join(testcase::pack::NAME).is_file()
                || tests.ends_with("tests") && run.is_some_and(|info| info.is_file())
        };
        Ok(Corpus {
            dir: dir.to_owned(),
            folders,
            tests: tests.into_iter().find(is_ours),
            left_out,
        })
    }

    /// What is left out of it, in words.
    pub fn left_out(&self) -> Option<String> {
        let (crashes, hangs) = self.left_out;
        let dir = self.dir.display();
        let instance = if self.dir.join(QUEUE).is_dir() {
            dir.to_string()
        } else {
            format!("{dir}/NAME")
        };
        (crashes + hangs > 0).then(|| {
            format!(
                "{dir}: left out: {} in crashes, {hangs} in hangs; --seed-input {instance}/crashes begins with these",
                vocab::counted(crashes, "input")
            )
        })
    }

    /// Its entries, in order: files, and directories with tests.
    ///
    /// # Errors
    /// A folder cannot be read, or there is nothing in it.
    pub fn entries(&self) -> Result<Vec<PathBuf>, UsageError> {
        if let Some(tests) = &self.tests {
            return Ok(vec![tests.clone()]);
        }
        let mut all = Vec::new();
        for folder in &self.folders {
            // (A folder may be named by `.`.)
            let real = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            let name = real.file_name().unwrap_or_default().to_string_lossy();
            let is_of_afl = [QUEUE, "crashes", "hangs"]
                .iter()
                .any(|of| name.starts_with(of));
            all.extend(if is_of_afl {
                inputs_of_afl(folder)?
            } else {
                entries(folder)?
            });
        }
        if all.is_empty() {
            return Err(UsageError(format!(
                "{}: no seeds in it",
                self.dir.display()
            )));
        }
        Ok(all)
    }

    /// The length of its longest raw file.
    ///
    /// # Errors
    /// As [`Corpus::entries`].
    pub fn longest(&self) -> Result<Option<u64>, UsageError> {
        let mut longest = None;
        for path in self.entries()? {
            let about = fs::metadata(&path).map_err(|e| unreadable(&path, &e))?;
            if about.is_file() && is_raw(&path) {
                longest = longest.max(Some(about.len()));
            }
        }
        Ok(longest)
    }
}

/// The contents that were met before: instances of a fuzzer have many in common.
#[derive(Default)]
pub struct Met(BTreeSet<(usize, u64)>);

impl Met {
    /// Is it a content that was not met before?
    pub fn is_new(&mut self, bytes: &[u8]) -> bool {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        self.0.insert((bytes.len(), hasher.finish()))
    }
}

/// Is it a file of bytes for the program?
pub fn is_raw(path: &Path) -> bool {
    path.extension().is_none_or(|e| e != "ktest")
}

/// The inputs of a folder of AFL++: everything but its own notes.
fn inputs_of_afl(folder: &Path) -> Result<Vec<PathBuf>, UsageError> {
    let mut all = entries(folder)?;
    all.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path.is_file() && !name.starts_with('.') && name != "README.txt"
    });
    Ok(all)
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>, UsageError> {
    let read = || -> io::Result<Vec<PathBuf>> {
        fs::read_dir(dir)?
            .map(|entry| entry.map(|e| e.path()))
            .collect()
    };
    let mut all = read().map_err(|e| unreadable(dir, &e))?;
    all.sort();
    Ok(all)
}

fn unreadable(path: &Path, why: &io::Error) -> UsageError {
    UsageError(format!("{}: {why}", path.display()))
}
