//! From PROGRAM to its IR: compile or extract, then lower in the child process.

use super::options::{Args, Check};
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};

/// A program, ready to run.
pub struct Loaded {
    pub module: ir::Module,
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
    let metadata = std::fs::metadata(program).with_context(|| format!("{}", program.display()))?;
    if metadata.is_dir() {
        bail!("{}: a directory, not a program", program.display());
    }
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
    let libc = toolchain::libc::archive(progress)?;
    let (module, hash) = lower(&inputs, &libc, args)?;
    Ok(Loaded {
        module,
        hash,
        native,
        bitcode: inputs,
    })
}

/// Runs `polypath-lower`, which stands beside this executable.
fn lower(inputs: &[PathBuf], libc: &Path, args: &Args) -> anyhow::Result<(ir::Module, String)> {
    let tool = std::env::current_exe()?.with_file_name("polypath-lower");
    let output = toolchain::cache::root()?.join("run").join(format!(
        "{}-{}.ir",
        std::process::id(),
        std::time::UNIX_EPOCH.elapsed()?.as_nanos()
    ));
    let mut command = std::process::Command::new(&tool);
    command.arg("--libc").arg(libc).arg("--output").arg(&output);
    command.arg("--check").arg(checks(args).join(","));
    if args.wants(Check::Uninit) {
        command.arg("--uninit");
    }
    let result = command
        .args(inputs)
        .output()
        .with_context(|| format!("{}", tool.display()))?;
    let words = String::from_utf8_lossy(&result.stderr);
    if !result.status.success() {
        bail!("{}: {}", inputs[0].display(), words.trim());
    }
    let bytes = std::fs::read(&output)?;
    std::fs::remove_file(&output)?;
    let hash = format!("{:016x}", ir::file::content_hash(&[&bytes])[0]);
    Ok((ir::file::from_bytes(&bytes)?, hash))
}

fn checks(args: &Args) -> Vec<String> {
    [
        (Check::Div, "div"),
        (Check::Shift, "shift"),
        (Check::Overflow, "overflow"),
    ]
    .into_iter()
    .filter(|(c, _)| args.wants(*c))
    .map(|(_, n)| n.to_string())
    .collect()
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
