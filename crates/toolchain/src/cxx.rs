//! The C++ library: LLVM's libc++ and libc++abi as machine code and bitcode, and its unwinder as machine code.
//!
//! Built from Debian's source package by `runtime/cxx/build`, of which only the directories of the library are unpacked, when C++ is
//! compiled for the first time; an installation has it beside the C library. See [`crate::sysroot`].

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cache;
use crate::runtime;
use crate::sysroot::{self, Sysroot, SysrootError, step};
use crate::tools::{self, Missing, Tool};

/// The library in the cache, or in an installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CxxLibrary {
    /// Its headers.
    pub include: PathBuf,
    /// The directory of `libc++.a`, and of the names by which programs ask for its parts.
    pub lib: PathBuf,
    /// The library: members as those of [`Sysroot::libc_a`].
    pub archive: PathBuf,
}

impl CxxLibrary {
    fn at(root: &Path) -> CxxLibrary {
        let lib = root.join("lib");
        CxxLibrary {
            include: root.join("include/c++/v1"),
            archive: lib.join("libc++.a"),
            lib,
        }
    }
}

/// The source package, and what of it is unpacked.
const PACKAGE: &str = "llvm-toolchain-19";
const PARTS: [&str; 8] = [
    "libcxx/LICENSE.TXT",
    "libcxx/include",
    "libcxx/src",
    "libcxx/vendor",
    "libcxxabi/include",
    "libcxxabi/src",
    "libunwind/include",
    "libunwind/src",
];

/// How the name of an entry, and of the library's folder in an installation, begins.
const PREFIX: &str = "cxx-";

/// A fingerprint of the files that the library is built by, and of these words.
fn fingerprint(words: &str) -> u64 {
    let ours = |name: &str| name.starts_with("cxx/") || name == "rt/new.c" || name == "apt-source";
    let mut parts: Vec<&[u8]> = vec![words.as_bytes()];
    for (name, _, bytes) in runtime::FILES {
        if ours(name) {
            parts.extend([name.as_bytes(), *bytes]);
        }
    }
    cache::fingerprint(&parts)
}

/// The folder below an entry of the cache: line tables of the library have it in their paths, as those of the C library have its.
fn inner(fingerprint: u64) -> String {
    format!("sysroot-{fingerprint:016x}")
}

/// The folder of the library in an installation, below [`host::installed::FOLDER`].
pub fn folder() -> PathBuf {
    let fingerprint = fingerprint(runtime::SYSROOT_HASH);
    Path::new(&format!("{PREFIX}{fingerprint:016x}")).join(inner(fingerprint))
}

/// The library that is installed beside this program, if it is whole.
fn installed() -> Option<CxxLibrary> {
    let found = CxxLibrary::at(&host::installed::folder()?.join(folder()));
    found.archive.is_file().then_some(found)
}

/// Builds the library of an installation into `dir`, which is empty, for a C library that was built for one, too.
///
/// # Errors
/// A tool is missing, a step of the build failed, or `dir` cannot be written.
pub fn install(
    dir: &Path,
    sysroot: &Path,
    progress: &mut dyn FnMut(&str),
) -> Result<(), SysrootError> {
    let place = Path::new(host::installed::PLACE).join(folder());
    build(dir, &place, sysroot, progress)
}

fn key() -> Result<u64, SysrootError> {
    Ok(fingerprint(&sysroot::key()?))
}

/// The library if it is installed or has been built already.
///
/// # Errors
/// There is no place for a cache, or no compiler.
pub fn existing() -> Result<Option<CxxLibrary>, SysrootError> {
    if let Some(found) = installed() {
        return Ok(Some(found));
    }
    let key = key()?;
    let place = cache::existing(&format!("{PREFIX}{key:016x}"))?;
    Ok(place.map(|place| CxxLibrary::at(&place.join(inner(key)))))
}

/// The library, built now if need be; `progress` gets a line per step of a build.
///
/// # Errors
/// It cannot be built.
pub fn ensure(
    sysroot: &Sysroot,
    progress: &mut dyn FnMut(&str),
) -> Result<CxxLibrary, SysrootError> {
    if let Some(found) = installed() {
        return Ok(found);
    }
    let key = key()?;
    let place = cache::entry(&format!("{PREFIX}{key:016x}"), |dir, place| {
        let inner = inner(key);
        build(
            &dir.join(&inner),
            &place.join(&inner),
            &sysroot.root,
            progress,
        )
    })?;
    Ok(CxxLibrary::at(&place.join(inner(key))))
}

/// What is said of a source that does not compile and has coroutines: passes of LLVM make functions of them, and none runs here.
pub fn note_on(source: &Path) -> Option<&'static str> {
    let text = std::fs::read_to_string(source).ok()?;
    let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words
        .any(|word| matches!(word, "co_await" | "co_yield" | "co_return"))
        .then_some("coroutines (co_await, co_yield, co_return) are not supported")
}

fn build(
    dir: &Path,
    place: &Path,
    sysroot: &Path,
    progress: &mut dyn FnMut(&str),
) -> Result<(), SysrootError> {
    for tool in [Tool::ClangPlusPlus, Tool::Ar] {
        tool.find()?;
    }
    tools::find_llvm("llvm-objcopy-19").ok_or(Missing("llvm-objcopy-19"))?;
    for program in ["apt-get", "dpkg-source", "xz"] {
        tools::find_program(program).ok_or(Missing(program))?;
    }
    std::fs::create_dir_all(dir).map_err(cache::at(dir))?;
    let work = dir.join("work");
    let files = work.join("runtime");
    runtime::unpack(&files)?;
    progress("fetching the source package of the C++ library (164 MB)");
    let source = work.join("llvm");
    let mut fetch = Command::new(files.join("apt-source"));
    fetch.arg("--upstream");
    for part in PARTS {
        fetch.args(["--only", part]);
    }
    step(
        "apt-get source llvm-toolchain-19",
        fetch
            .arg(PACKAGE)
            .arg(&source)
            .env(sysroot::APT_STATE, cache::root()?.join("apt")),
    )?;
    progress("building the C++ library as machine code and bitcode (once, about a minute)");
    step(
        "building the C++ library",
        Command::new(files.join("cxx/build")).args([source.as_path(), sysroot, dir, place]),
    )?;
    std::fs::remove_dir_all(&work)?;
    Ok(())
}

/// Does this bitcode name something of the C++ library? The names stand in it as they are.
pub fn is_named_in(bytes: &[u8]) -> bool {
    const NAMES: [&[u8]; 8] = [
        b"__gxx_personality_v0",
        b"__cxa_throw",
        b"__cxa_guard_acquire",
        b"__dynamic_cast",
        b"_ZTVN10__cxxabiv1",
        b"_ZNSt",
        b"_ZNKSt",
        b"_ZSt",
    ];
    let begins = |at: usize| NAMES.iter().any(|name| bytes[at..].starts_with(name));
    let places = bytes.iter().enumerate().filter(|(_, b)| **b == b'_');
    places.map(|(at, _)| at).any(begins)
}
