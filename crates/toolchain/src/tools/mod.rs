//! The programs of LLVM 19 that we call, and how to get them.

pub mod bundled;

use std::fmt;
use std::path::{Path, PathBuf};

/// The Debian packages that provide everything this crate calls.
pub const INSTALL: &str =
    "apt-get install clang-19 lld-19 llvm-19 libllvm19 make dpkg-dev linux-libc-dev";

/// A program of the tool chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// The C compiler.
    Clang,
    /// The C++ compiler.
    ClangPlusPlus,
    /// The linker.
    Lld,
    /// The archiver.
    Ar,
    /// Makes the index of an archive.
    Ranlib,
    /// Lists symbols.
    Nm,
    /// Links bitcode modules.
    Link,
    /// Reads LLVM IR as text.
    As,
}

impl Tool {
    /// All of them.
    pub const ALL: [Tool; 8] = [
        Tool::Clang,
        Tool::ClangPlusPlus,
        Tool::Lld,
        Tool::Ar,
        Tool::Ranlib,
        Tool::Nm,
        Tool::Link,
        Tool::As,
    ];

    /// The name of its executable: those of LLVM 19, as Debian calls them.
    pub fn program(self) -> &'static str {
        match self {
            Tool::Clang => "clang-19",
            Tool::ClangPlusPlus => "clang++-19",
            Tool::Lld => "ld.lld-19",
            Tool::Ar => "llvm-ar-19",
            Tool::Ranlib => "llvm-ranlib-19",
            Tool::Nm => "llvm-nm-19",
            Tool::Link => "llvm-link-19",
            Tool::As => "llvm-as-19",
        }
    }

    /// The program's path: see [`find_llvm`].
    ///
    /// # Errors
    /// It is not installed.
    pub fn find(self) -> Result<PathBuf, Missing> {
        find_llvm(self.program()).ok_or(Missing(self.program()))
    }
}

/// Names a directory with LLVM 19's programs.
pub const LLVM_VARIABLE: &str = "POLYPATH_LLVM";

/// Where distributions have LLVM 19's programs without the version in their names.
const LLVM_PLACES: [&str; 4] = [
    "/usr/lib/llvm-19/bin",
    "/usr/lib/llvm19/bin",
    "/usr/lib64/llvm19/bin",
    "/usr/lib/llvm/19/bin",
];

/// A program of LLVM 19 by its name with the version: in the directory that `POLYPATH_LLVM` names, if it names one, else in `PATH`, or
/// where distributions have it, or in the installation itself ([`bundled`]). In directories of LLVM alone names have no version.
pub fn find_llvm(name: &str) -> Option<PathBuf> {
    let plain = name.trim_end_matches("-19");
    let within = |dir: PathBuf| {
        [name, plain]
            .map(|name| dir.join(name))
            .into_iter()
            .find(|path| is_executable(path))
    };
    if let Some(dir) = std::env::var_os(LLVM_VARIABLE) {
        return within(dir.into());
    }
    let places = LLVM_PLACES.iter().map(PathBuf::from);
    find_program(name).or_else(|| places.chain(bundled::programs()).find_map(within))
}

/// The first executable called `name` in `PATH`.
pub fn find_program(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|dir| dir.join(name))
        .find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// A program that is not installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing(pub &'static str);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is missing; install it with: {INSTALL}", self.0)
    }
}

impl std::error::Error for Missing {}
