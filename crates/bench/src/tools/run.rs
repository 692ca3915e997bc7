//! One `polypath` process, measured: how suites begin it, and what must be true of its end.

use super::{Context, fresh_dir};
use anyhow::{Result, ensure};
use oracle::measure::{Usage, measure};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// `polypath run`, quiet, with its results in this directory, from which those of an earlier run are removed.
pub fn explore(context: &Context, out: &Path) -> Result<Command> {
    fresh_dir(out)?;
    let mut command = Command::new(&context.polypath);
    command.args(["run", "--quiet", "--out"]).arg(out);
    Ok(command)
}

/// Lets the command end within so many seconds of the clock; it may have found errors (exit status 1).
pub fn finish(command: &mut Command, label: &str, seconds: f64) -> Result<Usage> {
    let usage = measure(command, Duration::from_secs_f64(seconds))?;
    ensure!(
        !usage.timed_out,
        "{label}: did not end within {seconds} s: {}",
        usage.last_words()
    );
    ensure!(
        usage.code() <= 1,
        "{label}: exit {}: {}",
        usage.code(),
        usage.last_words()
    );
    Ok(usage)
}
