//! The shared library of LLVM, opened when it is known which version the input needs.
//!
//! A process opens one library, before its first context. [`BASE`] is what Polypath is made with and for: it reads bitcode of
//! its own version and of older ones, and libc's bitcode is of that version. Bitcode of a newer producer is read by a newer
//! library, which upgrades the older modules that are linked with it. Which, and where they are looked for, is told in `docs/toolchain.md`.

mod functions;
mod places;

use libloading::os::unix::{Library, RTLD_LAZY, RTLD_LOCAL};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The version that lowers all that is not newer.
pub const BASE: u32 = 19;

/// The newest version whose C interface and IR are known here.
pub const NEWEST: u32 = 22;

/// Names the file of a library that lowers everything, in place of the one that would be chosen. (`llvm-client` makes it part of
/// what it keeps results under.)
pub const FILE_VARIABLE: &str = "POLYPATH_LIBLLVM";

/// A library that was opened.
#[derive(Debug)]
pub struct OpenLibrary {
    /// The major version, as the library itself tells it.
    pub version: u32,
    /// The file, or the name that the dynamic linker knew.
    pub path: PathBuf,
}

static OPENED: OnceLock<Result<OpenLibrary, String>> = OnceLock::new();

/// Opens the library of [`BASE`] or the one that is given, unless this process has opened one: what was opened.
///
/// # Errors
/// It is not there, or lacks a function.
pub fn opened() -> Result<&'static OpenLibrary, String> {
    opened_or(|| given().unwrap_or_else(base))
}

/// Opens the library that bitcode of this version needs, by the name of its producer; or the one that is given.
///
/// # Errors
/// It is not there, lacks a function, or is one of a version that is not known here; the bitcode is of a version that is not
/// known here.
pub fn open_for(newest: Option<(u32, String)>) -> Result<&'static OpenLibrary, String> {
    opened_or(|| {
        if let Some(given) = given() {
            return given;
        }
        match newest {
            Some((version, producer)) if version > BASE => newer(version, &producer),
            _ => base(),
        }
    })
}

fn opened_or(
    open: impl FnOnce() -> Result<OpenLibrary, String>,
) -> Result<&'static OpenLibrary, String> {
    OPENED.get_or_init(open).as_ref().map_err(Clone::clone)
}

/// The library of [`FILE_VARIABLE`], if it names one.
fn given() -> Option<Result<OpenLibrary, String>> {
    let path = std::env::var_os(FILE_VARIABLE).filter(|v| !v.is_empty())?;
    let library = open(Path::new(&path), BASE..=NEWEST);
    Some(library.map_err(|why| format!("{FILE_VARIABLE}: {why}")))
}

fn base() -> Result<OpenLibrary, String> {
    first_of(BASE..=BASE).map_err(|why| {
        format!(
            "the library of LLVM {BASE} cannot be used (Debian: apt-get install libllvm{BASE}){why}"
        )
    })
}

/// The newest of the versions that can read bitcode of `version`: it is the one that is tried most, and its C interface
/// gives all that lowering asks for.
fn newer(version: u32, producer: &str) -> Result<OpenLibrary, String> {
    if version > NEWEST {
        return Err(format!(
            "bitcode of {producer} cannot be read (the newest LLVM that this build knows is {NEWEST})"
        ));
    }
    first_of(version..=NEWEST).map_err(|why| {
        let numbers: Vec<String> = (version..=NEWEST).map(|n| n.to_string()).collect();
        format!(
            "bitcode of {producer} needs the library of LLVM {}: install it (Debian: apt-get install \
             libllvm{version}) or a Rust toolchain that brings it (`rustc -vV` tells which it has), or name its file \
             in {FILE_VARIABLE}{why}",
            numbers.join(" or ")
        )
    })
}

/// The library of the newest of these versions that has one which can be opened. The error is the end of a sentence: why those
/// that are there could not.
fn first_of(versions: RangeInclusive<u32>) -> Result<OpenLibrary, String> {
    let mut refused = String::new();
    for version in versions.rev() {
        for path in places::found(version) {
            match open(&path, version..=version) {
                Ok(library) => return Ok(library),
                Err(why) => refused.push_str(&format!("; {why}")),
            }
        }
        // That the linker does not know the name either is no news.
        if let Ok(library) = open(&places::soname(version), version..=version) {
            return Ok(library);
        }
    }
    Err(refused)
}

/// The libraries that are found by their names: the versions that can be lowered with, and where.
pub fn all() -> Vec<(u32, PathBuf)> {
    (BASE..=NEWEST)
        .filter_map(|version| Some((version, places::found(version).into_iter().next()?)))
        .collect()
}

fn open(path: &Path, wanted: RangeInclusive<u32>) -> Result<OpenLibrary, String> {
    let shown = path.display();
    // SAFETY: a library of LLVM, which only registers its options and passes when it is loaded.
    let library = unsafe { Library::open(Some(path), RTLD_LAZY | RTLD_LOCAL) }
        .map_err(|e| format!("{shown}: {e}"))?;
    let address = |name: &str| {
        // SAFETY: the symbol is only looked up, as an address.
        let symbol = unsafe { library.get::<*mut std::ffi::c_void>(name.as_bytes()) };
        symbol
            .ok()
            .map(|s| s.as_raw_ptr() as usize)
            .filter(|a| *a != 0)
    };
    let version = version(address).ok_or_else(|| format!("{shown} is no library of LLVM"))?;
    if !wanted.contains(&version) {
        let (from, to) = (wanted.start(), wanted.end());
        return Err(format!("{shown} is of LLVM {version}, not {from} to {to}"));
    }
    functions::fill(address).map_err(|name| format!("{shown} has no function {name}"))?;
    // It stays until the process ends.
    std::mem::forget(library);
    Ok(OpenLibrary {
        version,
        path: path.to_owned(),
    })
}

fn version(address: impl Fn(&str) -> Option<usize>) -> Option<u32> {
    type Ask = unsafe extern "C" fn(*mut u32, *mut u32, *mut u32);
    let found = address("LLVMGetVersion")?;
    let mut numbers = [0; 3];
    let [major, minor, patch] = &mut numbers;
    // SAFETY: the function of that name has had this type since there is one (LLVM 16).
    unsafe {
        let ask = std::mem::transmute::<usize, Ask>(found);
        ask(major, minor, patch);
    }
    Some(numbers[0])
}

/// Whether the library that was opened has a function that not all versions have.
pub fn has(function: &str) -> bool {
    functions::is_there(function)
}

/// The version that was opened; [`BASE`] before that.
pub fn version_opened() -> u32 {
    match OPENED.get() {
        Some(Ok(library)) => library.version,
        _ => BASE,
    }
}
