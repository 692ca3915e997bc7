//! The programs of LLVM 19 that we call, and how to get them.

use std::fmt;
use std::path::PathBuf;

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

    /// The program's path, found in `PATH`.
    pub fn find(self) -> Result<PathBuf, Missing> {
        find_program(self.program()).ok_or(Missing(self.program()))
    }
}

/// The first executable called `name` in `PATH`.
pub fn find_program(name: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let executable = |p: &PathBuf| {
        p.metadata()
            .is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
    };
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|dir| dir.join(name))
        .find(executable)
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
