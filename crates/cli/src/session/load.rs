//! From PROGRAM to its IR: compile or extract, then lower in the child process.

use super::options::{Args, FpSolver, Mode};
use anyhow::bail;
use std::path::PathBuf;

/// A program, ready to run.
pub struct Loaded {
    pub module: ir::Verified,
    /// Hash of the IR.
    pub hash: String,
    /// The native binary, if PROGRAM is one.
    pub native: Option<PathBuf>,
    /// Bitcode files that were lowered.
    pub bitcode: Vec<PathBuf>,
}

/// Finds or makes the program's bitcode and lowers it.
pub fn load(args: &Args, progress: &mut dyn FnMut(&str)) -> anyhow::Result<Loaded> {
    let program = &args.program;
    let mut native = None;
    let inputs = match toolchain::compile::kind(program) {
        Some(_) => vec![toolchain::compile::source(
            program,
            &args.cc_flag,
            progress,
        )?],
        None => {
            if !args.cc_flag.is_empty() {
                bail!("--cc-flag has no meaning for a program that is already compiled");
            }
            // A clear error here rather than the child's.
            toolchain::extract::modules(program)?;
            native = Some(program.canonicalize()?);
            vec![program.clone()]
        }
    };
    let options = llvm_client::Options {
        inputs: inputs.clone(),
        libc: Some(toolchain::libc::archive(progress)?),
        soft_float: soft_float(args, progress)?,
        checks: args.checks(),
        cache: Some(toolchain::cache::root()?.join("ir")),
        ..llvm_client::Options::default()
    };
    // The user knows the source, not the bitcode that we made of it.
    let lowered = llvm_client::lower(&options).map_err(|e| match e {
        llvm_client::LowerError::Refused(text) => {
            let made = inputs[0].display().to_string();
            let named = text.replace(&made, &program.display().to_string());
            llvm_client::LowerError::Refused(named)
        }
        other => other,
    })?;
    Ok(Loaded {
        module: lowered.module,
        hash: format!("{:016x}", lowered.checksum),
        native,
        bitcode: inputs,
    })
}

/// The functions that simulate float operations, if the program is to have them.
pub fn soft_float(args: &Args, progress: &mut dyn FnMut(&str)) -> anyhow::Result<Option<PathBuf>> {
    Ok(if simulates_floats(args) {
        Some(toolchain::soft_float::bitcode(progress)?)
    } else {
        None
    })
}

/// May the run simulate float operations?
pub fn simulates_floats(args: &Args) -> bool {
    match (args.fp_solver, args.mode) {
        // Concolic mode has no states to go on from.
        (FpSolver::None, _) | (FpSolver::Auto, Mode::Concolic) => false,
        (FpSolver::Auto | FpSolver::Isc, _) => true,
    }
}

/// Whether the program itself makes anything symbolic.
pub fn makes_symbolic(module: &ir::Module) -> bool {
    module.externs.iter().any(|name| {
        matches!(
            name.as_str(),
            "klee_make_symbolic" | "klee_range" | "klee_int"
        ) || name.starts_with("__VERIFIER_nondet")
    })
}
