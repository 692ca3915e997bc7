//! `--entry`: from a library and the name of one of its functions to a program that calls it.
//!
//! `polypath-lower` cuts the function out of the library and describes its parameters; crate `harness`
//! writes the driver; the compiler wrapper makes a native binary of both that carries its bitcode. From
//! there on it is a program like any other: it is explored, its tests replay natively, and the run's
//! directory keeps it (`harness/`).

use super::options::Args;
use crate::exit::UsageError;
use anyhow::Context;
use harness::types::Type;
use harness::{Description, expr::Length};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use testcase::RunInfo;
use vocab::Bound;

/// How the parameters of a function are made; the same for `run` and `harness`.
#[derive(clap::Args, Clone, Debug)]
pub struct Parameters {
    /// Call the function only with parameters for which this one (same parameters, returns int) is not 0
    #[arg(long, value_name = "FUNCTION", help_heading = "One function")]
    precondition: Option<String>,

    /// The array behind a parameter or field has this many elements, an expression of other ones, each at
    /// most MAX: a=n, m->data=m->rows*m->cols:3, buf=16
    #[arg(long, value_name = "ARRAY=LENGTH[:MAX]", help_heading = "One function")]
    array_len: Vec<String>,

    /// Bound of lengths, and elements of arrays of unknown length
    #[arg(
        long,
        value_name = "N",
        default_value_t = 4,
        help_heading = "One function"
    )]
    array_max: u64,

    /// Characters of a string
    #[arg(
        long,
        value_name = "N",
        default_value_t = 8,
        help_heading = "One function"
    )]
    string_max: u64,

    /// Objects in a row behind a pointer
    #[arg(
        long,
        value_name = "N",
        default_value_t = 3,
        help_heading = "One function"
    )]
    pointer_depth: u32,

    /// No pointer is null
    #[arg(long, help_heading = "One function")]
    no_null: bool,

    /// No two pointers point to the same object
    #[arg(long, help_heading = "One function")]
    no_alias: bool,

    /// A further source, object or archive of the library (repeatable), as for a precondition
    #[arg(long, value_name = "FILE", help_heading = "One function")]
    with: Vec<PathBuf>,
}

impl Parameters {
    /// Whether anything was said beyond the defaults.
    pub fn any(&self) -> bool {
        self.precondition.is_some()
            || !self.array_len.is_empty()
            || self.no_null
            || self.no_alias
            || !self.with.is_empty()
    }

    /// Up to which lengths a function is explored.
    fn lengths(&self) -> String {
        format!(
            "arrays have up to {} elements, strings up to {} characters (--array-max, --string-max)",
            self.array_max, self.string_max
        )
    }

    /// The driver of a described function.
    pub fn driver(&self, description: &Description) -> anyhow::Result<harness::Driver> {
        let mut lengths = Vec::new();
        for text in &self.array_len {
            let parsed = text
                .split_once('=')
                .ok_or_else(|| "ARRAY=LENGTH was expected".to_string())
                .and_then(|(array, length)| Ok((array.trim().to_string(), Length::parse(length)?)))
                .map_err(|e| UsageError(format!("--array-len {text}: {e}")))?;
            lengths.push(parsed);
        }
        let options = harness::DriverOptions {
            array_max: self.array_max,
            string_max: self.string_max,
            depth: self.pointer_depth,
            null: !self.no_null,
            alias: !self.no_alias,
            lengths,
        };
        harness::driver::write(description, &options).map_err(|e| UsageError(e).into())
    }
}

/// A directory in the cache that goes with this value.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> anyhow::Result<Scratch> {
        let dir = toolchain::cache::root()?
            .join("run")
            .join(format!("entry-{}", std::process::id()));
        std::fs::create_dir_all(&dir)
            .with_context(|| format!("cannot create {}", dir.display()))?;
        Ok(Scratch(dir))
    }

    fn path(&self, name: &str) -> PathBuf {
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
    llvm_client::library::describe(&request).map_err(|e| match e {
        llvm_client::LowerError::Refused(text) => {
            UsageError(format!("{}: {text}", library.display())).into()
        }
        other => other.into(),
    })
}

/// A driver with its library, ready to run.
pub struct Built {
    /// The options of the run with the driver as the program.
    pub args: Args,
    /// Not linked natively, for this reason.
    bitcode_only: Option<String>,
    scratch: Scratch,
    stem: String,
    /// What of the function's callers the driver does not try.
    pub limits: BTreeMap<Bound, String>,
    /// Objects that were made up although only the library knows what they may be, with the reason.
    pub invented: Vec<(String, String)>,
}

/// With `--entry`, makes the program that calls the function.
pub fn build(args: &Args, progress: &mut dyn FnMut(&str)) -> anyhow::Result<Option<Built>> {
    let Some(entry) = &args.entry else {
        return Ok(None);
    };
    let scratch = Scratch::new()?;
    let library = cut(
        &args.program,
        &args.cc_flag,
        entry,
        &args.parameters,
        &scratch,
        progress,
    )?;
    let stem: String = library
        .entry
        .name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let source = scratch.path(&format!("{stem}.c"));
    let (mut invented, mut limits) = (Vec::new(), BTreeMap::new());
    match &args.harness {
        Some(own) => {
            std::fs::copy(own, &source)
                .map_err(|e| UsageError(format!("{}: {e}", own.display())))?;
        }
        None => {
            let driver = args.parameters.driver(&library)?;
            if !args.quiet {
                for note in &driver.notes {
                    progress(&format!("note: {note}"));
                }
            }
            std::fs::write(&source, driver.source)
                .with_context(|| format!("cannot write {}", source.display()))?;
            invented = driver.invented;
            let is_pointer = |t: &Type| matches!(t, Type::Pointer(_));
            if library.types.iter().any(is_pointer) {
                limits.insert(Bound::Lengths, args.parameters.lengths());
            }
            if !driver.limits.is_empty() {
                limits.insert(Bound::Driver, driver.limits.join(", "));
            }
        }
    }
    let bitcode = scratch.path(LIBRARY);
    let program = scratch.path(&stem);
    let mut args = args.clone();
    args.cc_flag = Vec::new();
    let failed = compile(&[&source, &bitcode], &program)?;
    let bitcode_only = match failed {
        None => {
            args.program = program;
            None
        }
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
            args.program = both;
            let why = missing(&words);
            progress(&format!(
                "note: the tests will not replay natively, the program does not link: {why} (--with FILE adds a library)"
            ));
            Some(why)
        }
    };
    Ok(Some(Built {
        args,
        bitcode_only,
        scratch,
        stem,
        limits,
        invented,
    }))
}

/// Compiles and links by `polypath cc` in a process of its own; on failure, what it said.
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
    /// Copies the driver and what was made of it into the run's directory, where replay finds it.
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
        let program = dir.join(&name).to_string_lossy().into_owned();
        info.native = self.bitcode_only.is_none().then(|| program.clone());
        if self.bitcode_only.is_some() {
            info.bitcode = Some(program.clone());
        }
        info.program = program;
        Ok(())
    }
}
