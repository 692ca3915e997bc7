//! Runs a project's own build with our compiler.
//!
//! Builds find their compiler in different ways, so all are prepared: the variables that make,
//! configure and meson read, a tool chain file for cmake, a site file with defaults for configure, and
//! a directory in front of `PATH` where `cc`, `gcc`, `ar`, … are ours, for builds that name them.

use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use crate::cache;
use crate::tools::{Missing, Tool};

/// Why the build did not start.
#[derive(Debug)]
pub enum BuildError {
    Missing(Missing),
    Io(io::Error),
    NotStarted(String, io::Error),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Missing(missing) => missing.fmt(f),
            BuildError::Io(error) => error.fmt(f),
            BuildError::NotStarted(program, error) => write!(f, "{program}: {error}"),
        }
    }
}

impl std::error::Error for BuildError {}

impl From<io::Error> for BuildError {
    fn from(error: io::Error) -> Self {
        BuildError::Io(error)
    }
}

impl From<Missing> for BuildError {
    fn from(missing: Missing) -> Self {
        BuildError::Missing(missing)
    }
}

/// Names under which builds call a compiler.
const COMPILERS: &[&str] = &[
    "polypath-cc",
    "polypath-c++",
    "cc",
    "gcc",
    "clang",
    "c99",
    "c++",
    "g++",
    "clang++",
];

const SITE: &str = "\
# Defaults for configure under `polypath build`. Programs are static here.
test \"${enable_shared+set}\" = set || enable_shared=no
test \"${enable_static+set}\" = set || enable_static=yes
";

/// The directory of stand-ins for the compiler `polypath` (an absolute path), made if need be.
pub fn tool_directory(polypath: &Path) -> Result<PathBuf, BuildError> {
    let tools: Vec<(&str, PathBuf)> = [
        ("ar", Tool::Ar),
        ("ranlib", Tool::Ranlib),
        ("nm", Tool::Nm),
        ("gcc-ar", Tool::Ar),
        ("gcc-ranlib", Tool::Ranlib),
        ("gcc-nm", Tool::Nm),
    ]
    .into_iter()
    .map(|(name, tool)| Ok((name, tool.find()?)))
    .collect::<Result<_, Missing>>()?;
    let ours = polypath.as_os_str().as_encoded_bytes();
    let name = format!(
        "tools-{:016x}",
        cache::fingerprint(&[ours, SITE.as_bytes(), b"1"])
    );
    cache::entry(&name, |dir, place| {
        let bin = dir.join("bin");
        fs::create_dir(&bin)?;
        for compiler in COMPILERS {
            symlink(polypath, bin.join(compiler))?;
        }
        for (name, path) in &tools {
            symlink(path, bin.join(name))?;
        }
        fs::write(dir.join("config.site"), SITE)?;
        let bin = place.join("bin");
        let set = |variable: &str, name: &str| {
            format!(
                "set({variable} \"{}\" CACHE FILEPATH \"\")\n",
                bin.join(name).display()
            )
        };
        let cmake = [
            set("CMAKE_C_COMPILER", "polypath-cc"),
            set("CMAKE_CXX_COMPILER", "polypath-c++"),
            set("CMAKE_ASM_COMPILER", "polypath-cc"),
            set("CMAKE_AR", "ar"),
            set("CMAKE_RANLIB", "ranlib"),
            set("CMAKE_NM", "nm"),
            "set(BUILD_SHARED_LIBS OFF CACHE BOOL \"\")\n".into(),
        ];
        fs::write(dir.join("toolchain.cmake"), cmake.concat())?;
        Ok(())
    })
}

/// Runs `command` (a program and its arguments) as a build with the compiler `polypath`.
pub fn run(polypath: &Path, command: &[String]) -> Result<ExitStatus, BuildError> {
    let dir = tool_directory(polypath)?;
    let bin = dir.join("bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths(std::iter::once(bin.clone()).chain(std::env::split_paths(&path)))
            .map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, e))?;
    let (program, arguments) = command
        .split_first()
        .expect("the command line requires a program");
    let mut build = Command::new(program);
    build.args(arguments).env("PATH", path);
    for (variable, name) in [
        ("CC", "polypath-cc"),
        ("CXX", "polypath-c++"),
        ("AR", "ar"),
        ("RANLIB", "ranlib"),
        ("NM", "nm"),
    ] {
        build.env(variable, bin.join(name));
    }
    build
        .env("CONFIG_SITE", dir.join("config.site"))
        .env("CMAKE_TOOLCHAIN_FILE", dir.join("toolchain.cmake"));
    // Build tools that the project makes for itself run on this machine: they are native binaries as well.
    build
        .env("CC_FOR_BUILD", bin.join("polypath-cc"))
        .env("BUILD_CC", bin.join("polypath-cc"));
    build
        .status()
        .map_err(|e| BuildError::NotStarted(program.clone(), e))
}
