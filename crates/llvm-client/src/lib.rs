//! Lowering, as the engine sees it: start `polypath-lower` as a child process, read the IR that it
//! writes, and keep that under a hash of everything it depends on.
//!
//! This crate does not link LLVM: broken bitcode can end the child only. Of the environment it reads which library of LLVM the child is told
//! to take, since that is part of the key.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![warn(missing_docs)]

mod cache;
pub mod library;

pub use cache::{keep, kept};

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use vocab::Checks;

/// The variable that tells the child which library of LLVM to take, in place of the one that the input needs.
const LIBRARY_VARIABLE: &str = "POLYPATH_LIBLLVM";

/// What to lower and how. `Options { inputs, ..Options::default() }` is enough.
#[derive(Clone, Debug, Default)]
pub struct LowerOptions {
    /// Bitcode files, or native binaries that carry bitcode.
    pub inputs: Vec<PathBuf>,
    /// An archive whose members carry bitcode.
    pub libc: Option<PathBuf>,
    /// The same of the C++ library, for programs that need it.
    pub libcxx: Option<PathBuf>,
    /// Bitcode of the functions that simulate float operations, to be part of the program.
    pub soft_float: Option<PathBuf>,
    /// Calls of the functions of [`ir::MathFunction`] are to be operations of the environment.
    pub libm_calls: bool,
    /// libc is to convert between text and numbers by its own code alone.
    pub number_code: bool,
    /// What the program is marked for.
    pub checks: Checks,
    /// The function to begin with; `main` when absent.
    pub entry: Option<String>,
    /// LLVM passes instead of the built-in ones.
    pub passes: Option<String>,
    /// The child's program; when absent, the file `polypath-lower` beside the current executable, or among the parts of an installation
    /// ([`host::installed`]).
    pub program: Option<PathBuf>,
    /// Where results are kept; when absent, nothing is kept.
    pub cache: Option<PathBuf>,
    /// Also write the optimized LLVM module here, as text. Not with a cache, which has no such module.
    pub emit_llvm: Option<PathBuf>,
}

/// A lowered program.
#[derive(Debug)]
pub struct Lowered {
    /// The IR, verified in this process.
    pub module: ir::Verified,
    /// Checksum of the IR, see [`ir::file::checksum`].
    pub checksum: u64,
    /// The result came from the cache.
    pub cached: bool,
}

/// Why there is no IR.
#[derive(Debug)]
pub enum LowerError {
    /// `polypath-lower` is not where it should be.
    NoProgram(PathBuf),
    /// A file could not be read or written.
    Io(PathBuf, io::Error),
    /// The child refused the input and said why (one line, with the file's name).
    Refused(String),
    /// The child died: the signal or status, and the end of what it said.
    Died {
        /// The signal or exit status, in words.
        how: String,
        /// The end of what it wrote on stderr.
        said: String,
    },
    /// The child's output is not IR of this version.
    BadOutput(ir::file::FileError),
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LowerError::NoProgram(path) => {
                write!(
                    f,
                    "{} not found, which is a part of Polypath: install all parts again, from one archive or package \
                     (in a source tree: ./x build)",
                    path.display()
                )
            }
            LowerError::Io(path, e) => write!(f, "{}: {e}", path.display()),
            LowerError::Refused(why) => write!(f, "{why}"),
            LowerError::Died { how, said } if said.is_empty() => {
                write!(f, "lowering failed inside LLVM: {how}")
            }
            LowerError::Died { how, said } => {
                write!(f, "lowering failed inside LLVM: {how}: {said}")
            }
            LowerError::BadOutput(e) => write!(f, "polypath-lower wrote an unusable file: {e}"),
        }
    }
}

impl std::error::Error for LowerError {}

/// Lowers a program, or fetches the result from the cache.
pub fn lower(options: &LowerOptions) -> Result<Lowered, LowerError> {
    let program = match &options.program {
        Some(path) => path.clone(),
        None => beside_this_executable()?,
    };
    if !program.is_file() {
        return Err(LowerError::NoProgram(program));
    }
    let cache = options
        .cache
        .as_ref()
        .filter(|_| options.emit_llvm.is_none());
    let Some(dir) = cache else {
        let name = format!("polypath-{}.ir", std::process::id());
        let output = std::env::temp_dir().join(name);
        let made = make(options, &program, &output);
        // Nothing is lost when the file is not there.
        let _ = fs::remove_file(&output);
        return made;
    };
    let kept = cache::path(dir, &key(options, &program)?);
    if let Some(lowered) = cache::read(&kept) {
        return Ok(lowered);
    }
    fs::create_dir_all(dir).map_err(|e| LowerError::Io(dir.to_owned(), e))?;
    // Made under a name of its own: another run may be making the same.
    let output = kept.with_extension(std::process::id().to_string());
    let made = make(options, &program, &output);
    match &made {
        Ok(_) => {
            fs::rename(&output, &kept).map_err(|e| LowerError::Io(kept.clone(), e))?;
            cache::prune(dir);
        }
        Err(_) => {
            let _ = fs::remove_file(&output);
        }
    }
    made
}

fn make(options: &LowerOptions, program: &Path, output: &Path) -> Result<Lowered, LowerError> {
    run(options, program, output)?;
    let bytes = fs::read(output).map_err(|e| LowerError::Io(output.to_owned(), e))?;
    let module = ir::file::from_bytes(&bytes).map_err(LowerError::BadOutput)?;
    Ok(Lowered {
        module,
        checksum: ir::file::checksum(&bytes)
            .ok_or(LowerError::BadOutput(ir::file::FileError::NotIr))?,
        cached: false,
    })
}

fn beside_this_executable() -> Result<PathBuf, LowerError> {
    let here =
        std::env::current_exe().map_err(|e| LowerError::Io("current executable".into(), e))?;
    let dir = here.parent().unwrap_or(Path::new("."));
    let beside = dir.join("polypath-lower");
    // Test binaries live one folder deeper.
    let above = dir.parent().unwrap_or(dir).join("polypath-lower");
    let installed = host::installed::folder().map(|parts| parts.join("polypath-lower"));
    let others = std::iter::once(above).chain(installed);
    Ok(std::iter::once(beside.clone())
        .chain(others)
        .find(|program| program.is_file())
        .unwrap_or(beside))
}

/// A library of LLVM that the child can lower with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LlvmLibrary {
    /// Its major version.
    pub version: u32,
    /// Its file.
    pub path: PathBuf,
}

/// The libraries of LLVM that the child finds, oldest version first.
///
/// # Errors
/// As [`lower`].
pub fn llvm_libraries() -> Result<Vec<LlvmLibrary>, LowerError> {
    let program = beside_this_executable()?;
    if !program.is_file() {
        return Err(LowerError::NoProgram(program));
    }
    let mut command = Command::new(&program);
    command.arg("--libraries");
    let done = host::child::output(&mut command).map_err(|e| LowerError::Io(program, e))?;
    let text = String::from_utf8_lossy(&done.stdout);
    let libraries = text.lines().filter_map(|line| {
        let (version, path) = line.split_once('\t')?;
        Some(LlvmLibrary {
            version: version.parse().ok()?,
            path: path.into(),
        })
    });
    Ok(libraries.collect())
}

fn arguments(options: &LowerOptions) -> Vec<std::ffi::OsString> {
    let mut args: Vec<std::ffi::OsString> = Vec::new();
    if let Some(libc) = &options.libc {
        args.extend(["--libc".into(), libc.into()]);
    }
    if let Some(libcxx) = &options.libcxx {
        args.extend(["--libcxx".into(), libcxx.into()]);
    }
    if let Some(soft_float) = &options.soft_float {
        args.extend(["--soft-float".into(), soft_float.into()]);
    }
    if options.libm_calls {
        args.push("--libm-calls".into());
    }
    if options.number_code {
        args.push("--number-code".into());
    }
    args.extend([
        "--check".into(),
        options.checks.lowered().to_string().into(),
    ]);
    if let Some(entry) = &options.entry {
        args.extend(["--entry".into(), entry.into()]);
    }
    if let Some(passes) = &options.passes {
        args.extend(["-O".into(), passes.into()]);
    }
    args
}

/// Hash of the contents of the inputs, of the options, and of the engine's own files as the file system
/// identifies them; names of inputs do not count.
fn key(options: &LowerOptions, program: &Path) -> Result<String, LowerError> {
    let mut hash = [u64::from(ir::file::VERSION), 0];
    let mut add = |bytes: &[u8]| {
        let [a, b] = hash;
        hash = ir::file::content_hash(&[&a.to_le_bytes(), &b.to_le_bytes(), bytes]);
    };
    let own = [
        options.libc.as_deref(),
        options.libcxx.as_deref(),
        options.soft_float.as_deref(),
    ];
    for path in std::iter::once(program).chain(own.into_iter().flatten()) {
        let m = fs::metadata(path).map_err(|e| LowerError::Io(path.to_owned(), e))?;
        for word in [
            m.dev(),
            m.ino(),
            m.len(),
            m.mtime() as u64,
            m.mtime_nsec() as u64,
        ] {
            add(&word.to_le_bytes());
        }
    }
    if let Some(library) = std::env::var_os(LIBRARY_VARIABLE) {
        add(library.as_encoded_bytes());
    }
    for path in &options.inputs {
        let bytes = fs::read(path).map_err(|e| LowerError::Io(path.to_owned(), e))?;
        add(&bytes);
    }
    let plain = LowerOptions {
        libc: options.libc.as_ref().map(|_| PathBuf::from("libc")),
        libcxx: options.libcxx.as_ref().map(|_| PathBuf::from("libcxx")),
        soft_float: options
            .soft_float
            .as_ref()
            .map(|_| PathBuf::from("soft-float")),
        ..options.clone()
    };
    for arg in arguments(&plain) {
        add(arg.as_encoded_bytes());
        add(b"\0");
    }
    Ok(format!("{:016x}{:016x}", hash[0], hash[1]))
}

fn run(options: &LowerOptions, program: &Path, output: &Path) -> Result<(), LowerError> {
    let mut command = Command::new(program);
    let module = options.emit_llvm.iter();
    let emitted = module.flat_map(|path| [OsStr::new("--emit-llvm"), path.as_os_str()]);
    command
        .args(arguments(options))
        .args(emitted)
        .arg("--output")
        .arg(output)
        .arg("--")
        .args(&options.inputs);
    child(command)
}

/// Runs the child; what it refuses and how it dies become errors.
fn child(mut command: Command) -> Result<(), LowerError> {
    let program = PathBuf::from(command.get_program());
    let done = host::child::output(&mut command).map_err(|e| LowerError::Io(program, e))?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    let line = |line: &str| {
        line.trim()
            .trim_start_matches("polypath-lower: ")
            .to_string()
    };
    match done.status.code() {
        Some(2 | 3) => Err(LowerError::Refused(
            said.lines().next().map(line).unwrap_or_default(),
        )),
        code => {
            let how = match (code, done.status.signal()) {
                (_, Some(signal)) => format!("killed by signal {signal}"),
                (Some(code), None) => format!("exit status {code}"),
                (None, None) => "unknown end".to_string(),
            };
            // LLVM's reason stands first, then its stack trace.
            let said = said
                .lines()
                .map(line)
                .find(|l| !l.is_empty())
                .unwrap_or_default();
            Err(LowerError::Died { how, said })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn script(name: &str, body: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("polypath-llvm-client-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let path = dir.join(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn refusals_and_deaths_are_told_apart() {
        let input = script("input.bc", "");
        let lower = |program| {
            lower(&LowerOptions {
                inputs: vec![input.clone()],
                program: Some(program),
                ..LowerOptions::default()
            })
        };
        let refused = lower(script(
            "refuse",
            "echo 'polypath-lower: x.bc: truncated bitcode' >&2; exit 3",
        ))
        .unwrap_err();
        assert_eq!(refused.to_string(), "x.bc: truncated bitcode");
        let died = lower(script("die", "echo 'LLVM ERROR: oops' >&2; kill -ABRT $$")).unwrap_err();
        assert_eq!(
            died.to_string(),
            "lowering failed inside LLVM: killed by signal 6: LLVM ERROR: oops"
        );
        let missing = lower("/nonexistent/polypath-lower".into()).unwrap_err();
        assert!(matches!(missing, LowerError::NoProgram(_)));
    }

    #[test]
    fn results_are_kept_by_content() {
        let module = ir::Module {
            externs: vec!["f".into()],
            ..ir::Module::default()
        };
        let made = script("made.ir", "");
        fs::write(&made, ir::file::to_bytes(&module)).unwrap();
        let count = made.with_file_name("count");
        let body = format!(
            "echo x >> {}\nwhile [ $# -gt 1 ]; do [ \"$1\" = --output ] && cp {} \"$2\"; shift; done",
            count.display(),
            made.display()
        );
        let program = script("copy", &body);
        let input = script("program.bc", "first");
        let cache = made.with_file_name("cache");
        let options = LowerOptions {
            inputs: vec![input.clone()],
            program: Some(program),
            cache: Some(cache),
            ..LowerOptions::default()
        };
        let first = lower(&options).unwrap();
        let second = lower(&options).unwrap();
        assert_eq!(
            (first.cached, second.cached, first.checksum),
            (false, true, second.checksum)
        );
        assert_eq!(second.module.externs, ["f"]);
        fs::write(&input, "other").unwrap();
        let third = lower(&options).unwrap();
        assert!(!third.cached);
        assert_eq!(fs::read_to_string(&count).unwrap().lines().count(), 2);
    }
}
