//! Runs a project's build with our compiler.
//!
//! Builds find their compiler in different ways, so all are prepared: the variables that make,
//! configure and meson read, a tool chain file for cmake, a site file with defaults for configure, and
//! a directory in front of `PATH` where `cc`, `gcc`, `ar`, … are ours, for builds that name them.

use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::SystemTime;

use crate::archives;
use crate::cache;
use crate::fuzz_target;
use crate::libraries::{self, Added, wanted};
use crate::linked;
use crate::sysroot::{self, SysrootError};
use crate::tools::{self, Missing, Tool};

/// Why the build did not start.
#[derive(Debug)]
pub enum BuildError {
    /// The sysroot could not be built.
    Sysroot(SysrootError),
    /// A program of the toolchain is not installed.
    Missing(Missing),
    /// Reading or writing a file, or starting a program, failed.
    Io(io::Error),
    /// The build command could not be started: its name and why.
    NotStarted(String, io::Error),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Sysroot(error) => error.fmt(f),
            BuildError::Missing(missing) => missing.fmt(f),
            BuildError::Io(error) => error.fmt(f),
            BuildError::NotStarted(program, error) => write!(f, "{program}: {error}"),
        }
    }
}

impl std::error::Error for BuildError {}

impl From<SysrootError> for BuildError {
    fn from(error: SysrootError) -> Self {
        BuildError::Sysroot(error)
    }
}

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

/// pkg-config for static programs, which leaves a note of the modules that were not found.
const PKG_CONFIG: &str = "\
#!/bin/sh
# pkg-config under `polypath build`.
PROGRAM --static \"$@\" && exit 0
status=$?
if [ -n \"${POLYPATH_WANTED:-}\" ]; then
    for word; do
        case $word in -* | [0-9]* | [\\<\\>=]*) ;; *) echo \"pkg-config ${word%%[ \\<\\>=]*}\" >>\"$POLYPATH_WANTED\" ;; esac
    done
fi
exit $status
";

/// Directories where cmake must not look, since they belong to the host's C library.
const HOST: &str = "/usr/include;/usr/include/x86_64-linux-gnu;/usr/local/include;/usr/lib;/usr/lib/x86_64-linux-gnu;\
/usr/local/lib;/lib;/lib/x86_64-linux-gnu;/usr/lib64;/lib64;/usr/lib/cmake;/usr/lib/x86_64-linux-gnu/cmake;/usr/share/cmake";

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
    let pkg_config = match tools::find_program("pkg-config") {
        Some(path) => PKG_CONFIG.replace("PROGRAM", &path.display().to_string()),
        None => String::new(),
    };
    let ours = polypath.as_os_str().as_encoded_bytes();
    let parts = [
        ours,
        SITE.as_bytes(),
        pkg_config.as_bytes(),
        HOST.as_bytes(),
        b"2",
    ];
    let name = format!("tools-{:016x}", cache::fingerprint(&parts));
    cache::entry(&name, |dir, place| {
        let bin = dir.join("bin");
        fs::create_dir(&bin)?;
        for compiler in COMPILERS {
            symlink(polypath, bin.join(compiler))?;
        }
        for (name, path) in &tools {
            symlink(path, bin.join(name))?;
        }
        if !pkg_config.is_empty() {
            let path = bin.join("pkg-config");
            fs::write(&path, &pkg_config)?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
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
            format!("list(APPEND CMAKE_IGNORE_PATH \"{HOST}\")\n"),
        ];
        fs::write(dir.join("toolchain.cmake"), cmake.concat())?;
        Ok(())
    })
}

/// Whose variables a build finds set beside those of every build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variables {
    /// Nobody's.
    Plain,
    /// Those of OSS-Fuzz, for its `build.sh`.
    OssFuzz,
}

/// Runs `command` (a program and its arguments) as a build with the compiler `polypath`. Returns what it ends with, in lines: what of it
/// can be explored; after a failure the libraries that it did not find and that can be added.
///
/// # Errors
/// The build did not start.
pub fn run(
    polypath: &Path,
    command: &[String],
    variables: Variables,
    wait: impl FnOnce(&mut Command) -> io::Result<ExitStatus>,
) -> Result<(ExitStatus, Vec<String>), BuildError> {
    let more = match variables {
        Variables::Plain => Vec::new(),
        Variables::OssFuzz => fuzz_target::variables_of_oss_fuzz()?,
    };
    let file = |what: &str| {
        let path = std::env::temp_dir().join(format!("polypath-{what}-{}", std::process::id()));
        fs::write(&path, "").map(|()| path)
    };
    let (wanted_notes, linked_notes) = (file("wanted")?, file("linked")?);
    let begun = SystemTime::now();
    let result = command_with(polypath, command, None).and_then(|mut build| {
        build
            .env(wanted::RECORD, &wanted_notes)
            .env(linked::RECORD, &linked_notes)
            .envs(more);
        wait(&mut build).map_err(|e| BuildError::NotStarted(command[0].clone(), e))
    });
    let texts = [&wanted_notes, &linked_notes].map(fs::read_to_string);
    for notes in [&wanted_notes, &linked_notes] {
        fs::remove_file(notes)?;
    }
    let ([wanted_text, linked_text], status) = (texts, result?);
    let here = std::env::current_dir()?;
    let mut lines = match linked::summary(&linked_text?, &here) {
        Some(lines) => lines,
        None => archives::summary(&here, begun),
    };
    if !status.success() {
        let sysroot = sysroot::ensure(&mut |_| {})?;
        lines.extend(wanted::advice(&wanted_text?, &libraries::added(&sysroot)?));
    }
    Ok((status, lines))
}

/// The command with everything set by which builds find a compiler and libraries; if `visible` is given, these libraries only.
pub(crate) fn command_with(
    polypath: &Path,
    command: &[String],
    visible: Option<&[&str]>,
) -> Result<Command, BuildError> {
    let dir = tool_directory(polypath)?;
    let bin = dir.join("bin");
    let sysroot = sysroot::ensure(&mut |_| {})?;
    let mut added = libraries::added(&sysroot)?;
    let (program, arguments) = command
        .split_first()
        .expect("the command line requires a program");
    let mut build = Command::new(program);
    if let Some(names) = visible {
        added.retain(|a| names.contains(&a.recipe.name));
        build.env(libraries::VISIBLE, names.join(" "));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let scripts = added.iter().map(|a| a.prefix.join("bin"));
    let directories = std::iter::once(bin.clone())
        .chain(scripts.filter(|d| d.is_dir()))
        .chain(std::env::split_paths(&path));
    let path = std::env::join_paths(directories)
        .map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, e))?;
    build.args(arguments).env("PATH", path);
    for (variable, name) in [
        ("CC", "polypath-cc"),
        ("CXX", "polypath-c++"),
        ("AR", "ar"),
        ("RANLIB", "ranlib"),
        ("NM", "nm"),
        // Build tools that the project makes for itself run on this machine: they are native binaries as well.
        ("CC_FOR_BUILD", "polypath-cc"),
        ("BUILD_CC", "polypath-cc"),
    ] {
        build.env(variable, bin.join(name));
    }
    if bin.join("pkg-config").exists() {
        build.env("PKG_CONFIG", bin.join("pkg-config"));
    }
    let below = |name: &str| joined(&added, name);
    build
        .env("LIB_FUZZING_ENGINE", fuzz_target::FLAG)
        .env("CONFIG_SITE", dir.join("config.site"))
        .env("CMAKE_TOOLCHAIN_FILE", dir.join("toolchain.cmake"))
        .env("CMAKE_PREFIX_PATH", below(""))
        // Instead of the host's modules, not beside them.
        .env("PKG_CONFIG_LIBDIR", below("lib/pkgconfig"));
    host::child::tie_gently(&mut build);
    Ok(build)
}

/// The libraries' directories of this name, as a list for the environment; a directory that has nothing if there is none.
fn joined(added: &[Added], name: &str) -> String {
    if added.is_empty() {
        return "/nonexistent".into();
    }
    let all: Vec<String> = added
        .iter()
        .map(|a| a.prefix.join(name).display().to_string())
        .collect();
    all.join(":")
}
