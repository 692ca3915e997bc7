//! `--entry`: from a library and the name of one of its functions to a program that calls it.
//!
//! `polypath-lower` cuts the function out of the library and describes its parameters; crate `harness`
//! writes the driver, which is compiled to bitcode. From there on both are a program like any other: it is explored, and the run's
//! directory keeps it (`harness/`). The native program on which its tests replay is made of that bitcode when it is needed
//! ([`crate::native`]).

use super::c_tests;
use super::plan::{Parameters, Plan};
use super::said;
use crate::exit::UsageError;
use anyhow::Context;
use harness::types::Type;
use harness::{Description, Invented, RawInput};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
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
/// The folder of a run's directory in which driver and program are kept.
pub const KEPT: &str = "harness";

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
    /// The program: the driver with the library, as bitcode. The driver's source stands beside it.
    pub program: PathBuf,
    _scratch: Scratch,
    /// Calls of the function that the driver does not try.
    pub limits: BTreeMap<Bound, String>,
    /// What the driver makes up.
    pub invented: Invented,
    /// The parameter that a file of bytes is given to, if there is one.
    pub raw: Option<RawInput>,
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
    let file = Path::new(KEPT).join(format!("{stem}.c"));
    let kept = scratch.path(KEPT);
    std::fs::create_dir_all(&kept).with_context(|| format!("cannot create {}", kept.display()))?;
    let source = scratch.0.join(&file);
    let (mut invented, mut limits) = (Invented::default(), BTreeMap::new());
    let mut raw = None;
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
            raw = driver.raw;
            let is_pointer = |t: &Type| matches!(t, Type::Pointer(_));
            if library.types.iter().any(is_pointer) {
                limits.insert(Bound::Lengths, entry.parameters.lengths());
            }
            if !driver.limits.is_empty() {
                limits.insert(Bound::Driver, driver.limits.join(", "));
            }
        }
    }
    let driver = scratch.path("driver.bc");
    toolchain::compile::written(
        &scratch.0,
        &file,
        &DRIVER_FLAGS.map(String::from),
        &driver,
        progress,
    )?;
    let program = kept.join(format!("{stem}.bc"));
    let read = |path: &Path| {
        std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let mut bytes = read(&driver)?;
    bytes.extend(read(&scratch.path(LIBRARY))?);
    std::fs::write(&program, bytes)
        .with_context(|| format!("cannot write {}", program.display()))?;
    Ok(Some(Built {
        program,
        _scratch: scratch,
        limits,
        invented,
        raw,
        tested,
    }))
}

/// Flags for a driver: its debug information names it as the run's directory has it, and no directory in which it was compiled.
const DRIVER_FLAGS: [&str; 3] = [
    "-w",
    "-fdebug-compilation-dir=/polypath-driver",
    "-fdebug-prefix-map=/polypath-driver=",
];

impl Built {
    /// Copies the driver and the bitcode into the run's directory, where replay finds them. The native program will stand beside them.
    pub fn keep(&self, out: &Path, info: &mut RunInfo) -> anyhow::Result<()> {
        let dir = out.join(KEPT);
        std::fs::create_dir_all(&dir)
            .with_context(|| format!("cannot create {}", dir.display()))?;
        let bitcode = dir.join(self.program.file_name().unwrap_or_default());
        for (from, to) in [
            (&self.program, &bitcode),
            (
                &self.program.with_extension("c"),
                &bitcode.with_extension("c"),
            ),
        ] {
            std::fs::copy(from, to).with_context(|| format!("cannot write {}", to.display()))?;
        }
        if let Some(tested) = &self.tested {
            tested.keep(out)?;
        }
        let native = bitcode.with_extension("").to_string_lossy().into_owned();
        info.program.clone_from(&native);
        info.native = Some(native);
        info.bitcode = Some(bitcode.to_string_lossy().into_owned());
        info.parameter.clone_from(&self.raw);
        Ok(())
    }
}
