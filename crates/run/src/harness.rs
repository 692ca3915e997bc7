//! `--entry`: from a library and the name of one of its functions to a program that calls it.
//!
//! `polypath-lower` cuts the function out of the library and describes its parameters; crate `harness`
//! writes the driver; the compiler wrapper makes a native binary of both that carries its bitcode. From
//! there on it is a program like any other: it is explored, its tests replay natively, and the run's
//! directory keeps it (`harness/`).

use super::c_tests;
use super::plan::{Parameters, Plan};
use super::said;
use crate::exit::UsageError;
use anyhow::Context;
use harness::types::Type;
use harness::{Description, Invented};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use testcase::RunInfo;
use testcase::ctest::TestedFunction;
use vocab::Bound;

/// A directory in the cache that goes with this value.
pub struct Scratch(PathBuf);

impl Scratch {
    /// The scratch directory of this process.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn new() -> anyhow::Result<Scratch> {
        let dir = toolchain::cache::root()?
            .join("run")
            .join(format!("entry-{}", std::process::id()));
        std::fs::create_dir_all(&dir)
            .with_context(|| format!("cannot create {}", dir.display()))?;
        Ok(Scratch(dir))
    }

    /// A file in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays is removed with the cache.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const LIBRARY: &str = "library.bc";

/// Cuts the function out of the library: leaves bitcode in the scratch directory.
pub fn cut(
    library: &Path,
    cc_flags: &[String],
    entry: &str,
    parameters: &Parameters,
    scratch: &Scratch,
    progress: &mut dyn FnMut(&str),
) -> anyhow::Result<Description> {
    let mut inputs = Vec::new();
    for path in std::iter::once(library).chain(parameters.with.iter().map(PathBuf::as_path)) {
        let metadata =
            std::fs::metadata(path).map_err(|e| UsageError(format!("{}: {e}", path.display())))?;
        if metadata.is_dir() {
            return Err(UsageError(format!("{}: a directory", path.display())).into());
        }
        inputs.push(match toolchain::compile::kind(path) {
            Some(_) => toolchain::compile::source(path, cc_flags, progress)?,
            None => path.to_owned(),
        });
    }
    let request = llvm_client::library::Library {
        inputs,
        entry: entry.to_string(),
        precondition: parameters.precondition.clone(),
        depth: parameters.pointer_depth,
        output: scratch.path(LIBRARY),
    };
    let described = llvm_client::library::describe(&request);
    let mut description = described.map_err(|e| match e {
        llvm_client::LowerError::Refused(text) => {
            UsageError(format!("{}: {text}", library.display())).into()
        }
        other => anyhow::Error::from(other),
    })?;
    description.said = said::of(library, &description);
    Ok(description)
}

/// A driver with its library, ready to run.
pub struct Built {
    /// The program: the driver with the library.
    pub program: PathBuf,
    /// Not linked natively, for this reason.
    bitcode_only: Option<String>,
    scratch: Scratch,
    stem: String,
    /// Calls of the function that the driver does not try.
    pub limits: BTreeMap<Bound, String>,
    /// What the driver makes up.
    pub invented: Invented,
    /// What tests as C are made of, if they are asked for.
    tested: Option<TestedFunction>,
}

/// With `--entry`, makes the program that calls the function.
///
/// # Errors
/// There is no such function, it cannot be called, or the driver does not compile.
pub fn build(plan: &Plan, progress: &mut dyn FnMut(&str)) -> anyhow::Result<Option<Built>> {
    let entry = plan.c().map_err(anyhow::Error::msg)?.entry.as_ref();
    let Some(entry) = entry else {
        return Ok(None);
    };
    let scratch = Scratch::new()?;
    let library = cut(
        &entry.library,
        &entry.cc_flags,
        &entry.function,
        &entry.parameters,
        &scratch,
        progress,
    )?;
    let tested = match plan.output.kept_tests {
        Some(_) => Some(c_tests::of(entry, &library, &scratch, progress)?),
        None => None,
    };
    let stem: String = library
        .entry
        .name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let source = scratch.path(&format!("{stem}.c"));
    let (mut invented, mut limits) = (Invented::default(), BTreeMap::new());
    match &entry.harness {
        Some(own) => {
            std::fs::copy(own, &source)
                .map_err(|e| UsageError(format!("{}: {e}", own.display())))?;
        }
        None => {
            let driver = entry.parameters.driver(&library, tested.is_some())?;
            if !plan.output.quiet {
                for note in &driver.notes {
                    progress(&format!("note: {note}"));
                }
            }
            std::fs::write(&source, driver.source)
                .with_context(|| format!("cannot write {}", source.display()))?;
            invented = driver.invented;
            let is_pointer = |t: &Type| matches!(t, Type::Pointer(_));
            if library.types.iter().any(is_pointer) {
                limits.insert(Bound::Lengths, entry.parameters.lengths());
            }
            if !driver.limits.is_empty() {
                limits.insert(Bound::Driver, driver.limits.join(", "));
            }
        }
    }
    let bitcode = scratch.path(LIBRARY);
    let mut program = scratch.path(&stem);
    let failed = compile(&[&source, &bitcode], &program)?;
    let bitcode_only = match failed {
        None => None,
        // The driver alone has to compile; without it, something is missing in the library only.
        Some(words) => {
            let driver = toolchain::compile::source(&source, &[], progress)?;
            let both = scratch.path(&format!("{stem}.bc"));
            let read = |path: &Path| {
                std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
            };
            let mut bytes = read(&driver)?;
            bytes.extend(read(&bitcode)?);
            std::fs::write(&both, bytes)
                .with_context(|| format!("cannot write {}", both.display()))?;
            program = both;
            let why = missing(&words);
            progress(&format!(
                "note: the tests will not replay natively, the program does not link: {why} (--with FILE adds a library)"
            ));
            Some(why)
        }
    };
    Ok(Some(Built {
        program,
        bitcode_only,
        scratch,
        stem,
        limits,
        invented,
        tested,
    }))
}

/// Compiles and links by `polypath cc` in a process of its own; on failure, returns its messages.
fn compile(inputs: &[&Path], output: &Path) -> anyhow::Result<Option<String>> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(["cc", "-w"])
        .arg(format!(
            "-fdebug-prefix-map={}=harness",
            output.parent().unwrap_or(Path::new("")).display()
        ))
        .args(inputs)
        .arg("-o")
        .arg(output)
        .env("POLYPATH_QUIET", "1");
    let done = host::child::output(&mut command)?;
    let words = String::from_utf8_lossy(&done.stderr).into_owned();
    Ok((!done.status.success()).then_some(words))
}

/// The symbols that a linker did not find, or else its last words.
fn missing(words: &str) -> String {
    let symbols: Vec<&str> = words
        .lines()
        .filter_map(|l| l.split_once("undefined symbol: ").map(|(_, s)| s.trim()))
        .take(5)
        .collect();
    if symbols.is_empty() {
        words
            .lines()
            .last()
            .unwrap_or("no reason given")
            .to_string()
    } else {
        format!("undefined: {}", symbols.join(", "))
    }
}

impl Built {
    /// Copies the driver and the files built from it into the run's directory, where replay finds them.
    pub fn keep(&self, out: &Path, info: &mut RunInfo) -> anyhow::Result<()> {
        let dir = out.join("harness");
        std::fs::create_dir_all(&dir)
            .with_context(|| format!("cannot create {}", dir.display()))?;
        let name = match self.bitcode_only {
            None => self.stem.clone(),
            Some(_) => format!("{}.bc", self.stem),
        };
        for file in [&name, &format!("{}.c", self.stem)] {
            std::fs::copy(self.scratch.path(file), dir.join(file))
                .with_context(|| format!("cannot write {}", dir.join(file).display()))?;
        }
        if let Some(tested) = &self.tested {
            tested.keep(out)?;
        }
        let program = dir.join(&name).to_string_lossy().into_owned();
        info.native = self.bitcode_only.is_none().then(|| program.clone());
        if self.bitcode_only.is_some() {
            info.bitcode = Some(program.clone());
        }
        info.program = program;
        Ok(())
    }
}
