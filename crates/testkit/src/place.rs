//! A scratch directory for one test, and the `polypath` command in it.

use crate::limit::Limit;
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An empty directory for one test of the crate `polypath-cli`: see [`Place`]. Names differ within a test file.
#[macro_export]
macro_rules! place {
    ($name:expr) => {
        $crate::Place::new(
            env!("CARGO_BIN_EXE_polypath"),
            env!("CARGO_TARGET_TMPDIR"),
            module_path!(),
            $name.as_ref(),
        )
    };
}

/// The same for a test that runs programs: `None` where the tools for that are missing, and then the test is counted
/// as skipped and has to return.
#[macro_export]
macro_rules! engine {
    ($name:expr) => {
        $crate::place!($name).with_engine()
    };
}

/// A directory of a test, empty at first. It goes with the value, unless the test fails: then it stays to be looked at. A test
/// that has one for more than 15 minutes ends its binary with its name.
///
/// It can be used like its path: `place.join("file")`.
#[derive(Debug)]
pub struct Place {
    dir: PathBuf,
    polypath: &'static Path,
    _limit: Limit,
}

impl Place {
    /// Use [`place!`] or [`engine!`], which know the arguments.
    pub fn new(polypath: &'static str, scratch: &str, module: &str, name: &str) -> Place {
        let scratch = std::env::var_os("POLYPATH_SCRATCH").unwrap_or_else(|| scratch.into());
        // `:` parts the entries of a class path.
        let dir = Path::new(&scratch)
            .join(module.replace("::", "/"))
            .join(name);
        let is_new = in_use().insert(dir.clone());
        assert!(is_new, "{}: another test has it", dir.display());
        if dir.exists() {
            fs::remove_dir_all(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
        }
        fs::create_dir_all(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
        Place {
            dir,
            polypath: Path::new(polypath),
            _limit: Limit::begin(name),
        }
    }

    /// The place, if programs can be compiled and translated here.
    ///
    /// # Panics
    ///
    /// If `polypath-lower` was not built. Cargo builds it with the workspace, but not for the tests of one package.
    #[track_caller]
    pub fn with_engine(self) -> Option<Place> {
        let lower = self.polypath.with_file_name("polypath-lower");
        assert!(
            lower.exists(),
            "{} was not built: run `cargo build -p polypath-llvm` (with --release, if the tests are), or test the whole workspace",
            lower.display()
        );
        crate::need("clang-19").then_some(self)
    }

    /// The `polypath` binary.
    pub fn binary(&self) -> &'static Path {
        self.polypath
    }

    /// Writes a file.
    #[track_caller]
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> &Place {
        let path = self.join(name);
        fs::write(&path, text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        self
    }

    /// The text of a file.
    #[track_caller]
    pub fn text(&self, name: &str) -> String {
        let path = self.join(name);
        fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// A JSON file: see [`json`].
    #[track_caller]
    pub fn json(&self, name: &str) -> Value {
        json(&self.join(name))
    }

    /// `polypath`, to be run in this directory. Where a test says nothing else, one worker explores: the same seed gives the same
    /// run.
    pub fn command(&self) -> Command {
        let mut command = Command::new(self.polypath);
        command.current_dir(&self.dir).env("POLYPATH_JOBS", "1");
        command
    }

    /// Runs `polypath` to its end.
    #[track_caller]
    pub fn polypath<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Ran {
        let output = self.command().args(args).output();
        Ran::from(output.expect("polypath starts"))
    }

    /// A shell command in this directory, with `$P` for `polypath`, and without what the settings of whoever runs the
    /// tests would change.
    pub fn shell(&self, script: &str) -> Command {
        let mut shell = Command::new("sh");
        for variable in [
            "CC",
            "CXX",
            "CFLAGS",
            "MAKEFLAGS",
            "POLYPATH_QUIET",
            "KTEST_FILE",
        ] {
            shell.env_remove(variable);
        }
        shell
            .args(["-c", script])
            .env("P", self.polypath)
            .env("POLYPATH_JOBS", "1")
            .current_dir(&self.dir);
        shell
    }
}

impl Deref for Place {
    type Target = Path;
    fn deref(&self) -> &Path {
        &self.dir
    }
}

impl AsRef<Path> for Place {
    fn as_ref(&self) -> &Path {
        &self.dir
    }
}

/// The directories of tests that run.
fn in_use() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    static IN_USE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    IN_USE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Place {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // One that stays is emptied by the next run.
            let _ = fs::remove_dir_all(&self.dir);
        }
        in_use().remove(&self.dir);
    }
}

/// How a command ended, and what it said.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The exit status.
    pub code: i32,
    /// What it wrote to its standard output.
    pub stdout: String,
    /// And to its standard error.
    pub stderr: String,
}

impl Ran {
    /// What it said: standard output, then standard error.
    pub fn text(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }
}

impl From<Output> for Ran {
    /// # Panics
    ///
    /// If a signal ended the command.
    #[track_caller]
    fn from(output: Output) -> Ran {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        let Some(code) = output.status.code() else {
            panic!("{}: {stdout}{stderr}", output.status);
        };
        Ran {
            code,
            stdout,
            stderr,
        }
    }
}

/// The content of a JSON file of a run (`stats.json`, `errors.json`, …).
///
/// # Panics
///
/// If there is no such file, or if it is damaged: neither is "no statistics" or "no errors".
#[track_caller]
pub fn json(path: &Path) -> Value {
    let bytes = fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_slice(&bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::Place;

    fn place(name: &str) -> Place {
        let dir = std::env::temp_dir().join(format!("polypath-testkit-{}", std::process::id()));
        Place::new("/bin/echo", dir.to_str().expect("UTF-8"), "a::b", name)
    }

    #[test]
    fn a_place_goes_unless_the_test_fails() {
        let kept = place("goes");
        let dir = kept.to_path_buf();
        kept.write("x", "1");
        assert_eq!(kept.polypath(["a", "b"]).stdout, "a b\n");
        assert_eq!(kept.json("x"), 1);
        let twice = std::panic::catch_unwind(|| place("goes"));
        assert!(twice.is_err(), "two tests do not share one");
        drop(kept);
        assert!(!dir.exists());

        let failing = place("stays");
        let dir = failing.to_path_buf();
        let failed = std::thread::spawn(move || failing.json("missing")).join();
        assert!(failed.is_err(), "a missing file is a failure");
        assert!(dir.exists());
        // Emptied when it is asked for again.
        failing_leftover(&dir);
        let again = place("stays");
        assert!(!again.join("leftover").exists());
    }

    fn failing_leftover(dir: &std::path::Path) {
        std::fs::write(dir.join("leftover"), "").expect("a file");
    }

    #[test]
    fn a_status_and_a_signal_are_told_apart() {
        let place = place("signal");
        let ran = super::Ran::from(place.shell("echo no >&2; exit 3").output().expect("sh"));
        assert_eq!((ran.code, &ran.text()[..]), (3, "no\n"));
        let output = place.shell("kill -9 $$").output().expect("sh");
        assert!(std::panic::catch_unwind(|| super::Ran::from(output)).is_err());
    }
}
