//! Bitcode of a single source file, for `polypath run X.c`.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use crate::cache;
use crate::cxx;
use crate::flags::{self, FlagVerdict, Flags};
use crate::libraries::recipes::Wanted;
use crate::libraries::{self, wanted};
use crate::preprocessed;
use crate::sysroot::{self, SysrootError};
use crate::tools::{Missing, Tool};

/// Why there is no bitcode.
#[derive(Debug)]
pub enum CompileError {
    /// The sysroot could not be built.
    Sysroot(SysrootError),
    /// A program of the toolchain is not installed.
    Missing(Missing),
    /// Reading or writing a file, or starting a program, failed.
    Io(io::Error),
    /// The compiler's own words, already formatted for a terminal.
    Compiler(String),
    /// Not a kind of file that can be compiled.
    UnknownKind(PathBuf),
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompileError::Sysroot(error) => error.fmt(f),
            CompileError::Missing(missing) => missing.fmt(f),
            CompileError::Io(error) => error.fmt(f),
            CompileError::Compiler(output) => {
                write!(f, "the compiler failed:\n{}", output.trim_end())
            }
            CompileError::UnknownKind(path) => {
                write!(
                    f,
                    "{}: not a source that Polypath compiles (.c .i .cc .cpp .cxx .C .ll .bc)",
                    path.display()
                )
            }
        }
    }
}

impl std::error::Error for CompileError {}

impl From<SysrootError> for CompileError {
    fn from(error: SysrootError) -> Self {
        CompileError::Sysroot(error)
    }
}

impl From<Missing> for CompileError {
    fn from(missing: Missing) -> Self {
        CompileError::Missing(missing)
    }
}

impl From<io::Error> for CompileError {
    fn from(error: io::Error) -> Self {
        CompileError::Io(error)
    }
}

/// The kinds of program files that are sources (or bitcode as it is).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// C.
    C,
    /// C++.
    Cxx,
    /// LLVM IR as text (`.ll`).
    Assembly,
    /// LLVM bitcode (`.bc`).
    Bitcode,
}

/// The kind that the file's name implies; `None` for a binary or anything else.
pub fn kind(path: &Path) -> Option<SourceKind> {
    match path.extension()?.to_str()? {
        "c" | "i" => Some(SourceKind::C),
        "cc" | "cpp" | "cxx" | "C" | "ii" | "c++" => Some(SourceKind::Cxx),
        "ll" => Some(SourceKind::Assembly),
        "bc" => Some(SourceKind::Bitcode),
        _ => None,
    }
}

/// Compiles one file to bitcode as `polypath cc` does with these flags, and gives the bitcode's path.
/// Warnings of the compiler go to `progress`, as do the steps of a first build of the sysroot. libc is not part of the result. The file stays in the cache for a day.
pub fn source(
    path: &Path,
    user_flags: &[String],
    progress: &mut dyn FnMut(&str),
) -> Result<PathBuf, CompileError> {
    let kind = kind(path).ok_or_else(|| CompileError::UnknownKind(path.to_owned()))?;
    // A clear error for a name that is not there, before any tool says it in its way.
    std::fs::File::open(path)
        .map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", path.display())))?;
    if kind == SourceKind::Bitcode {
        return Ok(path.to_owned());
    }
    let output = fresh(path)?;
    compile(kind, (None, path), user_flags, &output, progress)?;
    Ok(output)
}

/// Compiles a C source that was written for one run to bitcode, as [`source`] does. `file` is relative to `directory`, where the compiler
/// works: what does not depend on that directory does not depend on its name.
///
/// # Errors
/// As [`source`].
pub fn written(
    directory: &Path,
    file: &Path,
    flags: &[String],
    output: &Path,
    progress: &mut dyn FnMut(&str),
) -> Result<(), CompileError> {
    let place = (Some(directory), file);
    compile(SourceKind::C, place, flags, output, progress)
}

/// Compiles a file, which may be relative to a directory, to this bitcode.
fn compile(
    kind: SourceKind,
    (directory, file): (Option<&Path>, &Path),
    user_flags: &[String],
    output: &Path,
    progress: &mut dyn FnMut(&str),
) -> Result<(), CompileError> {
    let path = directory.map_or_else(|| file.to_owned(), |directory| directory.join(file));
    let adapted = preprocessed::copy(&path)?;
    let input = adapted.as_ref().map_or(file, |copy| &copy.path);
    let mut command;
    let mut added = Vec::new();
    if kind == SourceKind::Assembly {
        command = Command::new(Tool::As.find()?);
    } else {
        let sysroot = sysroot::ensure(progress)?;
        let tool = if kind == SourceKind::Cxx {
            Tool::ClangPlusPlus
        } else {
            Tool::Clang
        };
        command = Command::new(tool.find()?);
        added = libraries::added(&sysroot)?;
        let library = match kind {
            SourceKind::Cxx => Some(cxx::ensure(&sysroot, progress)?),
            _ => None,
        };
        let flags = Flags::new(&sysroot, &added, library.as_ref());
        command.args(flags.before).args(["-emit-llvm", "-c"]);
        for flag in user_flags {
            match flags::judge(flag) {
                FlagVerdict::Keep(flag) => {
                    command.arg(flag);
                }
                FlagVerdict::Drop(Some(why)) => progress(&format!("{flag} is left out: {why}")),
                FlagVerdict::Drop(None) => {}
            }
        }
        command.args(flags.after);
    }
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
    let result = host::child::output(command.arg(input).arg("-o").arg(output))?;
    let words = String::from_utf8_lossy(&result.stderr);
    if !result.status.success() {
        let mut words = words.into_owned();
        if kind == SourceKind::Assembly {
            words += "text of a newer LLVM than 19 may be meant: give its bitcode (rustc --emit=llvm-bc, clang -emit-llvm -c, \
                      or that LLVM's llvm-as), which is read with the library of its version\n";
        }
        if let Some(note) = cxx::note_on(&path) {
            words += &format!("{note}\n");
        }
        if let Some(header) = wanted::header_in(&words).map(String::from)
            && let Some(recipe) = wanted::missing(Wanted::Header(&header), &added)
        {
            words += &format!(
                "{header} is of a library that can be added: polypath add {}\n",
                recipe.name
            );
        }
        return Err(CompileError::Compiler(words));
    }
    words.lines().for_each(progress);
    Ok(())
}

/// A new name for the bitcode of `path`; files of former runs are removed after a day.
fn fresh(path: &Path) -> io::Result<PathBuf> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let dir = cache::root()?.join("run");
    std::fs::create_dir_all(&dir).map_err(cache::at(&dir))?;
    if host::sweep::is_due(&dir, Duration::from_secs(3600)) {
        let old = SystemTime::now() - Duration::from_secs(24 * 3600);
        for entry in std::fs::read_dir(&dir)? {
            let entry = entry?;
            if entry
                .metadata()
                .and_then(|m| m.modified())
                .is_ok_and(|time| time < old)
            {
                // Another process may have removed it first.
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    Ok(dir.join(format!("{stem}-{}-{number}.bc", std::process::id())))
}
