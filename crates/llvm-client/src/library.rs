//! What a library offers, and one function out of it: its code as bitcode, and what its parameters are.

use crate::{LowerError, beside_this_executable, child};
use harness::offered::OfferedFunctions;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What to cut out of what.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// Bitcode, binaries, objects, archives.
    pub inputs: Vec<PathBuf>,
    /// `FUNCTION`, or `FILE:FUNCTION` where static functions share a name.
    pub entry: String,
    /// `FUNCTION` or `FILE:FUNCTION` that says whether the entry may be called; absent when there is none.
    pub precondition: Option<String>,
    /// Pointers followed from a parameter.
    pub depth: u32,
    /// Where the bitcode goes; the description stands beside it while it is read.
    pub output: PathBuf,
}

/// Cuts the function out and describes it.
///
/// # Errors
/// As [`crate::lower`]; [`LowerError::Refused`] also when there is no such function.
pub fn describe(library: &Library) -> Result<harness::Description, LowerError> {
    let program = beside_this_executable()?;
    if !program.is_file() {
        return Err(LowerError::NoProgram(program));
    }
    let description = library.output.with_extension("json");
    let mut command = Command::new(&program);
    command.arg("--describe").arg(&description).args([
        "--entry",
        &library.entry,
        "--depth",
        &library.depth.to_string(),
    ]);
    if let Some(precondition) = &library.precondition {
        command.args(["--precondition", precondition]);
    }
    command
        .arg("--output")
        .arg(&library.output)
        .arg("--")
        .args(&library.inputs);
    child(command)?;
    answer(&description)
}

/// The functions that a library offers; `scratch` is a path for a file that is written and removed.
///
/// # Errors
/// As [`crate::lower`].
pub fn functions(inputs: &[PathBuf], scratch: &Path) -> Result<OfferedFunctions, LowerError> {
    let program = beside_this_executable()?;
    if !program.is_file() {
        return Err(LowerError::NoProgram(program));
    }
    let mut command = Command::new(&program);
    command.arg("--functions").arg("--output").arg(scratch);
    command.arg("--").args(inputs);
    child(command)?;
    answer(scratch)
}

/// Reads the child's answer, which nobody else needs.
fn answer<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, LowerError> {
    let text = std::fs::read(path).map_err(|e| LowerError::Io(path.to_owned(), e))?;
    // It was only the child's answer.
    let _ = std::fs::remove_file(path);
    serde_json::from_slice(&text)
        .map_err(|e| LowerError::Io(path.to_owned(), std::io::Error::other(e)))
}
