//! The sysroot that programs are compiled and linked against: musl as machine code and bitcode.
//!
//! Built once from Debian's source package by `runtime/build` (see there for what is changed in
//! musl) and cached under a key of everything that goes into it: our files and the compiler. An installation
//! has it beside the program, so that neither network nor source packages are needed ([`install`]).

use std::fmt;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cache;
use crate::runtime;
use crate::tools::{self, Missing, Tool};

/// A sysroot in the cache, or in an installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sysroot {
    /// The directory of the whole thing; `src/` below it has libc's sources.
    pub root: PathBuf,
    /// Headers: musl's and `klee/klee.h`.
    pub include: PathBuf,
    /// `crt1.o`, `crti.o`, `crtn.o`, `libc.a`, `libpolypath.a`, `libgcc.a` and the empty `libm.a` etc.
    pub lib: PathBuf,
    /// libc, and the compiler's run-time support (complex arithmetic, C++): each member is an ELF object with
    /// machine code and, but for the engine's own operations, its bitcode in section `.llvmbc`.
    pub libc_a: PathBuf,
    /// The native replay of `klee/klee.h`, without bitcode.
    pub libpolypath_a: PathBuf,
}

impl Sysroot {
    fn at(root: PathBuf) -> Sysroot {
        let lib = root.join("lib");
        Sysroot {
            include: root.join("include"),
            libc_a: lib.join("libc.a"),
            libpolypath_a: lib.join("libpolypath.a"),
            lib,
            root,
        }
    }
}

/// Why there is no sysroot.
#[derive(Debug)]
pub enum SysrootError {
    /// A program of the toolchain is not installed.
    Missing(Missing),
    /// Reading or writing a file, or starting a program, failed.
    Io(io::Error),
    /// A step of the build failed: its name and what it printed.
    Step(&'static str, String),
    /// The C library that is installed beside this program is that of another version, or not whole.
    Other(PathBuf),
}

impl fmt::Display for SysrootError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SysrootError::Missing(missing) => missing.fmt(f),
            SysrootError::Io(error) => write!(f, "{error}{}", cache::advice(error)),
            SysrootError::Step(step, output) => write!(f, "{step} failed:\n{output}"),
            SysrootError::Other(root) => write!(
                f,
                "the C library in {} is not that of polypath {}: it belongs to another version, or was not unpacked whole. \
                 Install all parts again, from one archive or package",
                root.display(),
                env!("CARGO_PKG_VERSION")
            ),
        }
    }
}

impl std::error::Error for SysrootError {}

impl From<io::Error> for SysrootError {
    fn from(error: io::Error) -> Self {
        SysrootError::Io(error)
    }
}

impl From<Missing> for SysrootError {
    fn from(missing: Missing) -> Self {
        SysrootError::Missing(missing)
    }
}

/// The installed compiler as its file shows it: asking it for its version would cost more than all the rest.
pub(crate) fn compiler_identity() -> Result<String, SysrootError> {
    let clang = Tool::Clang.find()?.canonicalize()?;
    let meta = clang.metadata()?;
    Ok(format!(
        "{} {} {}",
        clang.display(),
        meta.size(),
        meta.mtime()
    ))
}

/// A header that tells whether and in which version the kernel's headers are installed.
pub const KERNEL_HEADER: &str = "/usr/include/linux/version.h";

/// The name of the cache entry for this build of Polypath, the installed compiler and the kernel's headers.
pub(crate) fn key() -> Result<String, SysrootError> {
    let identity = compiler_identity()?;
    let kernel = match std::fs::metadata(KERNEL_HEADER) {
        Ok(meta) => format!("{} {}", meta.size(), meta.mtime()),
        Err(_) => "none".into(),
    };
    Ok(format!(
        "{PREFIX}{:016x}",
        cache::fingerprint(&[
            runtime::SYSROOT_HASH.as_bytes(),
            identity.as_bytes(),
            kernel.as_bytes()
        ])
    ))
}

/// The folder of the sysroot in an installation, below [`host::installed::FOLDER`]. Line tables of the C library have it in their paths, by
/// which its functions are known: `sysroot-` and 16 hexadecimal digits, here and in the cache.
pub fn folder() -> String {
    format!("{PREFIX}{}", &runtime::SYSROOT_HASH[..16])
}

/// Is a module of bitcode a part of the C or the C++ library, of this version or another one? Its debug information has the path of a source in
/// the folder of a sysroot; that of other modules may only have paths of headers there.
pub fn is_part(module: &[u8]) -> bool {
    const SOURCES: &[u8] = b"/src";
    let folder = PREFIX.len() + 16;
    let found = module.windows(folder + SOURCES.len());
    found
        .filter(|part| part.starts_with(PREFIX.as_bytes()) && part.ends_with(SOURCES))
        .any(|part| part[PREFIX.len()..folder].iter().all(u8::is_ascii_hexdigit))
}

/// How the name of a sysroot's folder begins.
const PREFIX: &str = "sysroot-";
/// The file of an installed sysroot with the fingerprint of what it was built from. It is the last that is written.
pub const STAMP: &str = "stamp";

/// The sysroot that is installed beside this program. Any clang 19 can use it: it needs none of the machine's files.
fn installed() -> Result<Option<Sysroot>, SysrootError> {
    let Some(parts) = host::installed::folder() else {
        return Ok(None);
    };
    let root = parts.join(folder());
    if root.is_dir() {
        return match std::fs::read_to_string(root.join(STAMP)) {
            Ok(stamp) if stamp.trim() == runtime::SYSROOT_HASH => {
                let found = Sysroot::at(root.clone());
                if found.libc_a.is_file() {
                    Ok(Some(found))
                } else {
                    Err(SysrootError::Other(root))
                }
            }
            _ => Err(SysrootError::Other(root)),
        };
    }
    for entry in std::fs::read_dir(&parts)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(PREFIX) {
            return Err(SysrootError::Other(entry.path()));
        }
    }
    Ok(None)
}

/// The variable that names the directory where `runtime/apt-source` keeps the indexes of packages.
pub(crate) const APT_STATE: &str = "POLYPATH_APT_STATE";

/// Whether an installation has the sysroot, so that nothing is needed to build one.
pub fn is_installed() -> bool {
    matches!(installed(), Ok(Some(_)))
}

/// Builds the sysroot of an installation into `dir`, which is empty. Its bytes do not depend on where `dir` is.
///
/// # Errors
/// A tool is missing, a step of the build failed, or `dir` cannot be written.
pub fn install(dir: &Path, progress: &mut dyn FnMut(&str)) -> Result<(), SysrootError> {
    let place = Path::new(host::installed::PLACE).join(folder());
    build(dir, &place, progress)?;
    let stamp = format!("{}\n", runtime::SYSROOT_HASH);
    std::fs::write(dir.join(STAMP), stamp)?;
    Ok(())
}

/// The sysroot if it is installed or has been built already.
pub fn existing() -> Result<Option<Sysroot>, SysrootError> {
    if let Some(found) = installed()? {
        return Ok(Some(found));
    }
    Ok(cache::existing(&key()?)?.map(Sysroot::at))
}

/// The sysroot, built now if need be; `progress` gets a line per step of a build.
pub fn ensure(progress: &mut dyn FnMut(&str)) -> Result<Sysroot, SysrootError> {
    if let Some(found) = installed()? {
        return Ok(found);
    }
    let name = key()?;
    let place = cache::entry(&name, |dir, place| build(dir, place, progress))?;
    Ok(Sysroot::at(place))
}

fn build(dir: &Path, place: &Path, progress: &mut dyn FnMut(&str)) -> Result<(), SysrootError> {
    for tool in [Tool::Clang, Tool::Ar, Tool::Ranlib] {
        tool.find()?;
    }
    for program in ["make", "apt-get", "dpkg-source"] {
        tools::find_program(program).ok_or(Missing(program))?;
    }
    if !Path::new(KERNEL_HEADER).exists() {
        return Err(Missing("linux-libc-dev (the kernel's headers)").into());
    }
    let work = dir.join("work");
    let files = work.join("runtime");
    runtime::unpack(&files)?;
    progress("fetching the source package of musl");
    let source = work.join("musl");
    step(
        "apt-get source musl",
        Command::new(files.join("apt-source"))
            .env(APT_STATE, cache::root()?.join("apt"))
            .arg("musl")
            .arg(&source),
    )?;
    progress("building the C library as machine code and bitcode (once, about 40 s)");
    step(
        "building the C library",
        Command::new(files.join("build")).args([&source, dir, place]),
    )?;
    std::fs::remove_dir_all(&work)?;
    Ok(())
}

/// Takes out what a build above us may have set: a make must not hand its job server or flags down, nor (with
/// `compiler_too`) shall the compiler be another one than we name.
pub(crate) fn isolate(command: &mut Command, compiler_too: bool) {
    for variable in [
        "MAKEFLAGS",
        "MFLAGS",
        "MAKELEVEL",
        "CFLAGS",
        "CXXFLAGS",
        "CPPFLAGS",
        "LDFLAGS",
        "LIBS",
        "CPATH",
        "C_INCLUDE_PATH",
    ] {
        command.env_remove(variable);
    }
    if compiler_too {
        command.env_remove("CC");
    }
}

/// Runs one command of the build.
pub(crate) fn step(name: &'static str, command: &mut Command) -> Result<(), SysrootError> {
    isolate(command, true);
    host::child::tie_gently(command);
    let output = command.stdin(std::process::Stdio::null()).output()?;
    if output.status.success() {
        return Ok(());
    }
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    Err(SysrootError::Step(name, text))
}
