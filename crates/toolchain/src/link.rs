//! Links bitcode modules to one file with llvm-link.
//!
//! llvm-link adds its inputs one after the other to one module, which takes quadratic time for many
//! inputs. So it is run on small groups, then on groups of the results, and so on: a balanced tree.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cache;
use crate::tools::{Missing, Tool};

/// Modules per call: small enough for balance, large enough for few processes.
const GROUP: usize = 32;

/// Why linking failed.
#[derive(Debug)]
pub enum LinkError {
    /// A program of the toolchain is not installed.
    Missing(Missing),
    /// Reading or writing a file, or starting a program, failed.
    Io(io::Error),
    /// llvm-link's own words.
    Linker(String),
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkError::Missing(missing) => missing.fmt(f),
            LinkError::Io(error) => error.fmt(f),
            LinkError::Linker(words) => write!(f, "llvm-link failed:\n{words}"),
        }
    }
}

impl std::error::Error for LinkError {}

impl From<io::Error> for LinkError {
    fn from(error: io::Error) -> Self {
        LinkError::Io(error)
    }
}

impl From<Missing> for LinkError {
    fn from(missing: Missing) -> Self {
        LinkError::Missing(missing)
    }
}

/// Links `modules` into the file `output`.
pub fn link(modules: Vec<Vec<u8>>, output: &Path) -> Result<(), LinkError> {
    let linker = Tool::Link.find()?;
    let dir = cache::root()?
        .join("run")
        .join(format!("link-{}", std::process::id()));
    std::fs::create_dir_all(&dir)?;
    let result = in_directory(&linker, &dir, modules, output);
    std::fs::remove_dir_all(&dir)?;
    result
}

fn in_directory(
    linker: &Path,
    dir: &Path,
    modules: Vec<Vec<u8>>,
    output: &Path,
) -> Result<(), LinkError> {
    let mut files: Vec<PathBuf> = Vec::new();
    for (i, module) in modules.into_iter().enumerate() {
        let path = dir.join(format!("0-{i}.bc"));
        std::fs::write(&path, module)?;
        files.push(path);
    }
    for level in 1.. {
        let last = files.len() <= GROUP;
        let mut next = Vec::new();
        for (i, group) in files.chunks(GROUP).enumerate() {
            let target = if last {
                output.to_owned()
            } else {
                dir.join(format!("{level}-{i}.bc"))
            };
            let mut command = Command::new(linker);
            command.args(group).arg("-o").arg(&target);
            let result = host::child::output(&mut command)?;
            if !result.status.success() {
                return Err(LinkError::Linker(
                    String::from_utf8_lossy(&result.stderr).into_owned(),
                ));
            }
            next.push(target);
        }
        if last {
            break;
        }
        files = next;
    }
    Ok(())
}
