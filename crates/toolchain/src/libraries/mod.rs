//! Libraries other than the C library: built from Debian's source packages for our C library, with bitcode, on
//! request.
//!
//! `polypath add NAME` builds a library of [`recipes`] once into a cache entry of its own, whose key is our files, the
//! compiler and the package's version, and links that entry into a directory where [`added`] finds it. `polypath cc` then
//! searches its headers and archives behind all others, `polypath build` shows its `.pc` files and `-config` scripts. A build
//! that fails leaves nothing but its log.

pub mod recipes;
pub mod wanted;

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::build::{self, BuildError};
use crate::cache;
use crate::runtime;
use crate::sysroot::{self, Sysroot, SysrootError};
use crate::tools;
use recipes::{RECIPES, Recipe};

/// Names of the libraries that a build may see, separated by blanks; all that were added if it is not set.
pub const VISIBLE: &str = "POLYPATH_LIBRARIES";

/// A library that is there.
#[derive(Clone, Debug)]
pub struct Added {
    /// How it was built.
    pub recipe: &'static Recipe,
    /// The directory of its `include` and `lib`.
    pub prefix: PathBuf,
}

impl Added {
    /// Debian's version of its source.
    pub fn version(&self) -> io::Result<String> {
        Ok(fs::read_to_string(self.prefix.join("version"))?
            .trim()
            .to_owned())
    }
}

/// Why a library was not added.
#[derive(Debug)]
pub enum AddError {
    /// The sysroot could not be built.
    Sysroot(SysrootError),
    /// `polypath build` could not be set up.
    Build(BuildError),
    /// Reading or writing a file, or starting a program, failed.
    Io(io::Error),
    /// A library, a program that its build calls, and the Debian package that has the program.
    Tool(&'static str, &'static str, &'static str),
    /// A library, its log, and the log's end.
    Failed(&'static str, PathBuf, String),
}

impl fmt::Display for AddError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AddError::Sysroot(error) => error.fmt(f),
            AddError::Build(error) => error.fmt(f),
            AddError::Io(error) => error.fmt(f),
            AddError::Tool(library, program, package) => write!(
                f,
                "building {library} takes {program}, which is not installed: apt-get install {package}"
            ),
            AddError::Failed(library, log, end) => write!(
                f,
                "building {library} failed; the log ends:\n{end}\nthe whole log: {}",
                log.display()
            ),
        }
    }
}

impl std::error::Error for AddError {}

impl From<io::Error> for AddError {
    fn from(error: io::Error) -> Self {
        AddError::Io(error)
    }
}

impl From<SysrootError> for AddError {
    fn from(error: SysrootError) -> Self {
        AddError::Sysroot(error)
    }
}

impl From<BuildError> for AddError {
    fn from(error: BuildError) -> Self {
        AddError::Build(error)
    }
}

/// The directory of links to the libraries that were added for this sysroot and this table.
fn links(sysroot: &Sysroot) -> io::Result<PathBuf> {
    let table = format!("{RECIPES:?}");
    let key = cache::fingerprint(&[
        sysroot.root.as_os_str().as_encoded_bytes(),
        table.as_bytes(),
    ]);
    Ok(cache::root()?.join(format!("libraries-{key:016x}")))
}

/// The libraries that are there, in the table's order.
pub fn added(sysroot: &Sysroot) -> io::Result<Vec<Added>> {
    let visible = std::env::var(VISIBLE).ok();
    let is_visible = |name: &str| {
        visible
            .as_ref()
            .is_none_or(|v| v.split_whitespace().any(|word| word == name))
    };
    let links = links(sysroot)?;
    let mut out = Vec::new();
    if !links.exists() {
        return Ok(out);
    }
    for recipe in RECIPES.iter().filter(|r| is_visible(r.name)) {
        match fs::read_link(links.join(recipe.name)) {
            Ok(prefix) if prefix.exists() => out.push(Added { recipe, prefix }),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(out)
}

/// Adds `recipe`, and before it what it needs; `progress` gets a line per step. What is there already stays as it is, but with
/// `anew` its source is fetched again and built if its version has changed.
pub fn add(
    recipe: &'static Recipe,
    anew: bool,
    polypath: &Path,
    progress: &mut dyn FnMut(&str),
) -> Result<Added, AddError> {
    let sysroot = sysroot::ensure(progress)?;
    let links = links(&sysroot)?;
    fs::create_dir_all(&links)?;
    let mut last = None;
    for recipe in recipes::with_needs(recipe) {
        last = Some(add_alone(
            recipe, anew, &sysroot, &links, polypath, progress,
        )?);
    }
    Ok(last.expect("the library is one of those that are built with it"))
}

fn existing(recipe: &'static Recipe, links: &Path) -> Option<Added> {
    let prefix = fs::read_link(links.join(recipe.name)).ok()?;
    prefix.exists().then_some(Added { recipe, prefix })
}

fn add_alone(
    recipe: &'static Recipe,
    anew: bool,
    sysroot: &Sysroot,
    links: &Path,
    polypath: &Path,
    progress: &mut dyn FnMut(&str),
) -> Result<Added, AddError> {
    if let Some(added) = existing(recipe, links).filter(|_| !anew) {
        return Ok(added);
    }
    for (program, package) in recipe.tools {
        if tools::find_program(program).is_none() {
            return Err(AddError::Tool(recipe.name, program, package));
        }
    }
    let lock = File::create(links.join(format!("{}.lock", recipe.name)))?;
    if lock.try_lock().is_err() {
        progress(&format!("{}: waiting for another build of it", recipe.name));
        lock.lock()?;
    }
    if let Some(added) = existing(recipe, links).filter(|_| !anew) {
        return Ok(added);
    }
    // We hold the lock: what is there was left by a process that was killed.
    let work = links.join(format!("{}.work", recipe.name));
    if work.exists() {
        fs::remove_dir_all(&work)?;
    }
    let result = build(recipe, sysroot, links, &work, polypath, progress);
    let cleared = if work.exists() {
        fs::remove_dir_all(&work)
    } else {
        Ok(())
    };
    let prefix = result?;
    cleared?;
    let new = links.join(format!("{}.new", recipe.name));
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    symlink(&prefix, &new)?;
    fs::rename(&new, links.join(recipe.name))?;
    Ok(Added { recipe, prefix })
}

/// Fetches the source and builds it; the path of the cache entry.
fn build(
    recipe: &'static Recipe,
    sysroot: &Sysroot,
    links: &Path,
    work: &Path,
    polypath: &Path,
    progress: &mut dyn FnMut(&str),
) -> Result<PathBuf, AddError> {
    fs::create_dir_all(work)?;
    let source = work.join("source");
    progress(&format!(
        "{}: fetching the source package {}",
        recipe.name, recipe.source
    ));
    fetch_source(recipe.source, &source)?;
    let version = version_of(&source)?;
    let needs: Vec<Added> = recipes::with_needs(recipe)
        .into_iter()
        .filter_map(|needed| existing(needed, links))
        .filter(|needed| needed.recipe.name != recipe.name)
        .collect();
    let mut parts: Vec<&[u8]> = needs
        .iter()
        .map(|needed| needed.prefix.as_os_str().as_encoded_bytes())
        .collect();
    let script = recipe.script();
    parts.extend([
        sysroot.root.as_os_str().as_encoded_bytes(),
        script.as_bytes(),
    ]);
    let plain: String = version
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '.' {
                c
            } else {
                '-'
            }
        })
        .collect();
    let name = format!(
        "library-{}-{plain}-{:016x}",
        recipe.name,
        cache::fingerprint(&parts)
    );
    cache::entry(&name, |dir, place| {
        progress(&format!("{}: building {version}", recipe.name));
        let log = cache::root()?.join(format!("{name}.log"));
        let stage = work.join("stage");
        let visible: Vec<&str> = needs.iter().map(|needed| needed.recipe.name).collect();
        let jobs = std::thread::available_parallelism().map_or(1, |n| n.get());
        let shell = ["sh", "-exc", &script].map(String::from);
        let mut command = build::command_with(polypath, &shell, Some(&visible))?;
        sysroot::isolate(&mut command, false);
        let status = command
            .current_dir(&source)
            .env("PREFIX", place)
            .env("STAGE", &stage)
            .env("JOBS", jobs.to_string())
            .stdin(Stdio::null())
            .stdout(File::create(&log)?)
            .stderr(File::options().append(true).open(&log)?)
            .status()?;
        let installed = stage.join(place.strip_prefix("/").unwrap_or(place));
        if !status.success() || !installed.join("lib").is_dir() {
            let text = fs::read(&log)?;
            let text = String::from_utf8_lossy(&text);
            let lines: Vec<&str> = text.lines().collect();
            let end = lines[lines.len().saturating_sub(20)..].join("\n");
            return Err(AddError::Failed(recipe.name, log, end));
        }
        take(&installed, dir)?;
        fs::write(dir.join("version"), format!("{version}\n"))?;
        // Only a failure's log is of use.
        fs::remove_file(&log)?;
        Ok(())
    })
}

/// Moves what programs are built with: headers, archives, `.pc` files and `-config` scripts.
fn take(installed: &Path, dir: &Path) -> io::Result<()> {
    for part in ["include", "lib"] {
        let from = installed.join(part);
        if from.is_dir() {
            fs::rename(from, dir.join(part))?;
        }
    }
    let bin = installed.join("bin");
    if bin.is_dir() {
        fs::create_dir(dir.join("bin"))?;
        for entry in fs::read_dir(bin)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().ends_with("-config") {
                fs::rename(entry.path(), dir.join("bin").join(entry.file_name()))?;
            }
        }
    }
    // libtool's notes name files of the build.
    for entry in fs::read_dir(dir.join("lib"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "la") {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// The step that [`fetch_source`] names where it fails.
pub const FETCHING: &str = "fetching a source package";

/// Fetches and unpacks a Debian source package to `target`, which must not exist.
pub fn fetch_source(package: &str, target: &Path) -> Result<(), SysrootError> {
    let scripts = target.with_extension("polypath-runtime");
    runtime::unpack(&scripts)?;
    let result = sysroot::step(
        FETCHING,
        Command::new(scripts.join("apt-source"))
            .env(sysroot::APT_STATE, cache::root()?.join("apt"))
            .arg(package)
            .arg(target),
    );
    fs::remove_dir_all(&scripts)?;
    result
}

/// The version at the top of Debian's change log.
fn version_of(source: &Path) -> io::Result<String> {
    let text = fs::read(source.join("debian/changelog"))?;
    let text = String::from_utf8_lossy(&text);
    text.split_once('(')
        .and_then(|(_, rest)| rest.split_once(')'))
        .map(|(version, _)| version.to_owned())
        .ok_or_else(|| io::Error::other("debian/changelog names no version"))
}

/// Flags of a compile: the libraries' headers, behind all others.
pub fn compile_flags(added: &[Added]) -> Vec<String> {
    added
        .iter()
        .flat_map(|a| {
            [
                "-idirafter".to_owned(),
                a.prefix.join("include").display().to_string(),
            ]
        })
        .collect()
}

/// Flags of a link behind the user's arguments: the directories of the archives.
pub fn search_flags(added: &[Added]) -> Vec<String> {
    added
        .iter()
        .map(|a| format!("-L{}", a.prefix.join("lib").display()))
        .collect()
}

/// The archives that those named by `arguments` need in turn. With shared libraries the linker would learn that from them.
pub fn needed_archives(arguments: &[String], added: &[Added]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for a in added {
        let is_named = a.recipe.libraries.iter().any(|library| {
            let (flag, file) = (format!("-l{library}"), format!("lib{library}.a"));
            arguments.iter().any(|x| {
                *x == flag || x == library || Path::new(x).file_name().is_some_and(|n| *n == *file)
            })
        });
        if !is_named {
            continue;
        }
        for recipe in recipes::with_needs(a.recipe) {
            let Some(there) = added.iter().find(|b| b.recipe.name == recipe.name) else {
                continue;
            };
            for library in recipe.libraries {
                let flag = format!("-l{library}");
                let archive = there.prefix.join("lib").join(format!("lib{library}.a"));
                if archive.exists() && !out.contains(&flag) {
                    out.push(flag);
                }
            }
        }
    }
    out
}
