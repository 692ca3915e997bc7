//! Coverage builds (`gcc --coverage`): counts of runs that crash or run out of time.
//!
//! A process that is killed by a signal writes no counts. [`flush_library`] builds a library to preload that makes
//! such an end an orderly one; with [`limits`] a time-out sends SIGTERM first. The program sees one more environment
//! variable, `LD_PRELOAD`, and a crash's exit status becomes 128 + signal: use it to measure coverage, not to compare
//! results.

use crate::replay::sandbox::{Config, SandboxLimits, tool};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Builds the library below `dir`.
pub fn flush_library(dir: &Path) -> Result<PathBuf> {
    let (source, library) = (dir.join("flush.c"), dir.join("libpolypath-flush.so"));
    fs::write(&source, include_str!("../runtime/flush.c"))
        .with_context(|| format!("cannot write {}", source.display()))?;
    tool(
        Command::new("gcc")
            .args(["-O1", "-shared", "-fPIC", "-o"])
            .arg(&library)
            .arg(&source),
    )?;
    Ok(library)
}

/// Limits for replaying a coverage build with that library.
pub fn limits(library: &Path, time: Duration) -> SandboxLimits {
    SandboxLimits {
        time,
        warn_signal: Some(libc::SIGTERM),
        env: vec![("LD_PRELOAD".into(), library.display().to_string())],
        ..SandboxLimits::default()
    }
}

/// Surroundings for it: its counts lie below `counts`.
pub fn surroundings(binary: &Path, library: &Path, counts: &Path) -> Config {
    Config {
        needed: vec![binary.into(), library.into()],
        writable: vec![counts.into()],
        ..Config::default()
    }
}
