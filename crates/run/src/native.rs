//! The native program of a function that was run: its driver with the library, made of the bitcode that is explored.
//!
//! Exploration needs none. It is linked when somebody does: when the run names it in the first command that it tells a user, when the run
//! ends, and before a replay, if the run was killed before its end. The modules of the bitcode are compiled one by one, so that the
//! program carries them as it would after a link of its objects.

use anyhow::{Context, anyhow};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use testcase::{OutputDir, RunInfo};

/// A link that takes longer is given up: a run must come to its end.
const LONGEST: Duration = Duration::from_secs(60);

/// Between two looks at whether somebody else is done.
const LOOK: Duration = Duration::from_millis(10);

/// The native program of a run, there or not yet.
#[derive(Clone)]
pub struct NativeProgram {
    file: PathBuf,
    info: RunInfo,
    /// What came of the attempt, once there was one.
    tried: Arc<Mutex<Option<Attempt>>>,
}

/// What came of an attempt to make it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// It is there.
    Made,
    /// It is not, as this message says.
    Failed(String),
}

impl NativeProgram {
    /// Of the run with these facts, if its program is one that Polypath has to link.
    pub fn of(info: &RunInfo) -> Option<NativeProgram> {
        let file = PathBuf::from(info.native.as_ref()?);
        let is_ours = info.bitcode.as_ref().map(Path::new) == Some(&bitcode_of(&file));
        is_ours.then(|| NativeProgram {
            file,
            info: info.clone(),
            tried: Arc::default(),
        })
    }

    /// Is it there?
    pub fn is_there(&self) -> bool {
        self.file.is_file()
    }

    /// Its name, whether it is there or not.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Waits until somebody else has tried to make it.
    pub fn wait(&self) {
        let begun = Instant::now();
        while self.tried().is_none() && begun.elapsed() < LONGEST {
            std::thread::sleep(LOOK);
        }
    }

    /// Makes it, if nobody has. If it does not link, the facts about the run say from then on that there is none.
    pub fn make(&self, out: &OutputDir) -> Attempt {
        let mut tried = self.tried();
        if let Some(tried) = &*tried {
            return tried.clone();
        }
        let attempt = match link(&self.file, |command| host::child::last(command, LONGEST)) {
            Ok(Ok(())) => Attempt::Made,
            Ok(Err(why)) => {
                out.write_info(&RunInfo {
                    program: bitcode_of(&self.file).to_string_lossy().into_owned(),
                    native: None,
                    ..self.info.clone()
                });
                Attempt::Failed(format!(
                    "note: the tests will not replay natively, the program does not link: {why} (--with FILE adds a library)"
                ))
            }
            Err(e) => Attempt::Failed(format!(
                "note: the native program was not made, which `polypath replay` will try again: {e:#}"
            )),
        };
        *tried = Some(attempt.clone());
        attempt
    }

    fn tried(&self) -> std::sync::MutexGuard<'_, Option<Attempt>> {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn bitcode_of(file: &Path) -> PathBuf {
    file.with_extension("bc")
}

/// Links a native program of the bitcode beside its place, unless it is there, by a command that `run` runs. The inner error is why it
/// does not link.
///
/// # Errors
/// That could not be tried.
pub fn link(
    file: &Path,
    run: impl FnOnce(&mut Command) -> io::Result<Output>,
) -> anyhow::Result<Result<(), String>> {
    if file.is_file() {
        return Ok(Ok(()));
    }
    let path = bitcode_of(file);
    let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let modules = toolchain::extract::split(&bytes)
        .map_err(|(at, what)| anyhow!("{}: at offset {at}: {what}", path.display()))?;
    let name = file.file_name().unwrap_or(OsStr::new("program"));
    let scratch = toolchain::cache::root()?
        .join("run")
        .join(format!("native-{}", std::process::id()));
    std::fs::create_dir_all(&scratch)
        .with_context(|| format!("cannot create {}", scratch.display()))?;
    let linked = link_in(&scratch, &modules, name, run);
    let moved = match linked {
        Ok(Ok(made)) => put(&made, file).map(Ok),
        Ok(Err(why)) => Ok(Err(why)),
        Err(e) => Err(e),
    };
    // What stays is removed with the cache.
    let _ = std::fs::remove_dir_all(&scratch);
    moved
}

/// Compiles and links the modules by `polypath cc`, or `polypath c++`, in a process of its own.
fn link_in(
    scratch: &Path,
    modules: &[&[u8]],
    name: &OsStr,
    run: impl FnOnce(&mut Command) -> io::Result<Output>,
) -> anyhow::Result<Result<PathBuf, String>> {
    let mut inputs = Vec::new();
    for (i, module) in modules.iter().enumerate() {
        let path = scratch.join(format!("module{i}.bc"));
        std::fs::write(&path, module)
            .with_context(|| format!("cannot write {}", path.display()))?;
        inputs.push(path);
    }
    let program = scratch.join(name);
    let is_cxx = modules
        .iter()
        .any(|module| toolchain::cxx::is_named_in(module));
    let compiler = if is_cxx { "c++" } else { "cc" };
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args([compiler, "-w"])
        .args(&inputs)
        .arg("-o")
        .arg(&program)
        .env("POLYPATH_QUIET", "1");
    let done = run(&mut command).with_context(|| format!("polypath {compiler}"))?;
    if done.status.success() {
        return Ok(Ok(program));
    }
    let words = String::from_utf8_lossy(&done.stderr);
    match done.status.code() {
        Some(_) => Ok(Err(missing(&words))),
        None => Err(anyhow!("polypath {compiler}: {}", done.status)),
    }
}

/// Puts the program in its place, whole or not at all.
fn put(made: &Path, file: &Path) -> anyhow::Result<()> {
    let beside = file.with_extension(format!("part{}", std::process::id()));
    let copied = std::fs::copy(made, &beside).and_then(|_| std::fs::rename(&beside, file));
    if copied.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    copied.with_context(|| format!("cannot write {}", file.display()))
}

/// The symbols that a linker did not find, or else its last words.
fn missing(words: &str) -> String {
    let symbols: Vec<&str> = words
        .lines()
        .filter_map(|l| l.split_once("undefined symbol: ").map(|(_, s)| s.trim()))
        .take(5)
        .collect();
    if symbols.is_empty() {
        words
            .lines()
            .last()
            .unwrap_or("no reason given")
            .to_string()
    } else {
        format!("undefined: {}", symbols.join(", "))
    }
}
