//! The programs as users get them: without debug information, which is kept in files of its own that debuggers find by a link.

use anyhow::{Context as _, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs that are installed: name and where.
pub const PROGRAMS: [(&str, Below); 2] = [
    ("polypath", Below::Bin),
    // Started by polypath alone.
    ("polypath-lower", Below::Parts),
];

/// Where a program is installed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Below {
    /// Among the commands of the user.
    Bin,
    /// Among the parts of Polypath ([`host::installed::FOLDER`]).
    Parts,
}

/// A program and its debug information.
pub struct Split {
    pub name: &'static str,
    pub place: Below,
    pub stripped: PathBuf,
    pub debug: PathBuf,
}

/// Splits each program of `from`; the results are in `work`.
///
/// # Errors
/// A program is not there, or `llvm-objcopy-19` fails.
pub fn split(from: &Path, work: &Path) -> Result<Vec<Split>> {
    PROGRAMS
        .iter()
        .map(|&(name, place)| {
            let whole = from.join(name);
            if !whole.is_file() {
                bail!(
                    "{} was not built (cargo build --workspace)",
                    whole.display()
                );
            }
            let debug = work.join(format!("{name}.debug"));
            let stripped = work.join(name);
            objcopy(&["--only-keep-debug"], &whole, &debug)?;
            let link = format!("--add-gnu-debuglink={}", debug.display());
            // Names of functions stay, for the report that a crash leaves.
            objcopy(&["--strip-debug", &link], &whole, &stripped)?;
            Ok(Split {
                name,
                place,
                stripped,
                debug,
            })
        })
        .collect()
}

fn objcopy(options: &[&str], from: &Path, to: &Path) -> Result<()> {
    let status = Command::new("llvm-objcopy-19")
        .args(options)
        .args([from, to])
        .status()
        .context("llvm-objcopy-19 (apt-get install llvm-19)")?;
    if !status.success() {
        bail!("llvm-objcopy-19 {} failed", from.display());
    }
    Ok(())
}
