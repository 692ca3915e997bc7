//! C, C++ and other languages with LLVM bitcode: a source is compiled, a binary carries its bitcode, and
//! `polypath-lower` translates that.

use super::{Around, Frontend, Loaded, hash};
use crate::exit::UsageError;
use crate::plan::{CProgram, Conversions, Libm};
use ir::MathFunction;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Functions of a library that are shown.
const SHOWN: usize = 6;

/// A library has no function to begin with: what to do, in words.
fn no_main(library: &Path, functions: &[String]) -> String {
    let library = library.display();
    let Some(first) = functions.first() else {
        return format!("{library}: a library without public functions");
    };
    let shown = functions[..functions.len().min(SHOWN)].join(", ");
    let more = match functions.len().saturating_sub(SHOWN) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    format!(
        "{library}: a library has no main function; --entry explores one of its functions ({shown}{more}), \
         `polypath test {library}` all public ones. try: polypath run {library} --entry {first}"
    )
}

/// The front end for what the compiler wrapper makes.
pub(crate) struct C;

impl Frontend for C {
    fn name(&self) -> &'static str {
        "c"
    }

    fn accepts(&self, program: &Path) -> anyhow::Result<()> {
        match toolchain::compile::kind(program) {
            Some(_) => Ok(()),
            None => match toolchain::functions::of_library(program) {
                Some(functions) => Err(UsageError(no_main(program, &functions)).into()),
                None => Ok(toolchain::extract::check_elf(program)?),
            },
        }
    }

    fn install(&self, program: &CProgram, say: &mut dyn FnMut(&str)) -> anyhow::Result<()> {
        toolchain::libc::archive(say)?;
        soft_float(program, say)?;
        math_library(program, say)?;
        Ok(())
    }

    fn load(&self, program: &CProgram, say: &mut dyn FnMut(&str)) -> anyhow::Result<Loaded> {
        let file = &program.file;
        let is_source = toolchain::compile::kind(file).is_some();
        if !is_source {
            if !program.cc_flags.is_empty() {
                let why = "--cc-flag has no meaning for a program that is already compiled";
                return Err(UsageError(why.into()).into());
            }
            // A clear error here rather than the child's.
            toolchain::extract::modules(file)?;
        }
        let bitcode = bitcode(program, say)?;
        let lowered = lower(program, &bitcode, None, say)?;
        let around = self.around(program, &lowered.module, say)?;
        Ok(Loaded {
            frontend: self.name(),
            hash: hash(lowered.checksum),
            module: lowered.module,
            around,
            native: if is_source {
                None
            } else {
                Some(file.canonicalize()?)
            },
            bitcode: Some(bitcode),
        })
    }

    fn around(
        &self,
        program: &CProgram,
        module: &ir::Module,
        say: &mut dyn FnMut(&str),
    ) -> anyhow::Result<Around> {
        if let Some(library) = math_library(program, say)? {
            load_math_library(&library)?;
        }
        let symbolic = program.input.is_symbolic() || makes_symbolic(module);
        let environment = env_c::Linux {
            config: program.world(),
            input: program.input.clone(),
            echo: !symbolic,
            formats: env_c::Formats::default(),
        };
        Ok(Around {
            environment: Rc::new(environment),
            symbolic,
        })
    }
}

/// The file with the program's bitcode, compiled if the program is a source.
pub fn bitcode(program: &CProgram, say: &mut dyn FnMut(&str)) -> anyhow::Result<PathBuf> {
    let file = &program.file;
    Ok(match toolchain::compile::kind(file) {
        Some(_) => toolchain::compile::source(file, &program.cc_flags, say)?,
        None => file.clone(),
    })
}

/// Lowers the program's bitcode; also writes the module that the IR was made of, if asked to.
pub fn lower(
    program: &CProgram,
    bitcode: &Path,
    emit_llvm: Option<PathBuf>,
    say: &mut dyn FnMut(&str),
) -> anyhow::Result<llvm_client::Lowered> {
    let options = llvm_client::LowerOptions {
        inputs: vec![bitcode.to_owned()],
        libc: Some(toolchain::libc::archive(say)?),
        libcxx: cxx_library(program, bitcode, say)?,
        soft_float: soft_float(program, say)?,
        libm_calls: program.libm == Libm::Call,
        number_code: program.conversions == Conversions::Code,
        checks: program.checks,
        cache: Some(toolchain::cache::root()?.join("ir")),
        emit_llvm,
        ..llvm_client::LowerOptions::default()
    };
    // The user knows the source, not the bitcode that we made of it.
    let lowered = llvm_client::lower(&options).map_err(|e| match e {
        llvm_client::LowerError::Refused(text) => {
            let (made, known) = (bitcode.display(), program.file.display());
            let named = text.replace(&made.to_string(), &known.to_string());
            llvm_client::LowerError::Refused(named)
        }
        other => other,
    })?;
    Ok(lowered)
}

/// The C++ library, if the program is one of C++. A binary has what the linker took of it, and needs the rest rarely.
fn cxx_library(
    program: &CProgram,
    bitcode: &Path,
    say: &mut dyn FnMut(&str),
) -> anyhow::Result<Option<PathBuf>> {
    use toolchain::compile::{SourceKind, kind};
    let library = match kind(&program.file) {
        Some(SourceKind::C) => None,
        Some(SourceKind::Cxx) => Some(toolchain::cxx::ensure(
            &toolchain::sysroot::ensure(say)?,
            say,
        )?),
        _ if !toolchain::cxx::is_named_in(&std::fs::read(bitcode)?) => None,
        Some(SourceKind::Assembly | SourceKind::Bitcode) => Some(toolchain::cxx::ensure(
            &toolchain::sysroot::ensure(say)?,
            say,
        )?),
        None => toolchain::cxx::existing()?,
    };
    Ok(library.map(|library| library.archive))
}

/// The functions that simulate float operations, if the program is to have them.
fn soft_float(program: &CProgram, say: &mut dyn FnMut(&str)) -> anyhow::Result<Option<PathBuf>> {
    Ok(if program.soft_float {
        Some(toolchain::soft_float::bitcode(say)?)
    } else {
        None
    })
}

/// The code of the mathematical library that this process computes with, if its functions are operations.
fn math_library(program: &CProgram, say: &mut dyn FnMut(&str)) -> anyhow::Result<Option<PathBuf>> {
    if program.libm == Libm::Code {
        return Ok(None);
    }
    let names: Vec<String> = MathFunction::ALL
        .iter()
        .flat_map(|f| ["", "f"].map(|suffix| format!("{}{suffix}", f.name())))
        .collect();
    Ok(Some(toolchain::libm::shared_object(&names, say)?))
}

#[allow(unsafe_code)]
fn load_math_library(path: &Path) -> anyhow::Result<()> {
    // SAFETY: the object is what `toolchain` linked of the C library's bitcode, with these functions and nothing to run
    // at its start.
    let library = unsafe { term::MathLibrary::load(path) };
    let library = library.map_err(|why| anyhow::anyhow!("{}: {why}", path.display()))?;
    term::use_math_library(library);
    Ok(())
}

/// Whether the program itself makes anything symbolic.
pub(crate) fn makes_symbolic(module: &ir::Module) -> bool {
    module.externs.iter().any(|name| {
        matches!(
            name.as_str(),
            "klee_make_symbolic" | "klee_range" | "klee_int"
        ) || name.starts_with("__VERIFIER_nondet")
    })
}
