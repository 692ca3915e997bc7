//! The state of an earlier run that is continued. (Its plan is read before, see `cli::options`.)

use super::jobs::checkpoint::Checkpoint;
use crate::exit::UsageError;
use anyhow::Context;
use host::shelf::Shelf;
use std::fs::File;
use std::path::{Path, PathBuf};
use testcase::frontier::Kept;
use testcase::{RunInfo, frontier};

/// Reads the rest of a run in a directory. No other process can continue it while the first value lives.
///
/// # Errors
/// There is no rest, or another run is at work there.
fn left_in(dir: &Path) -> Result<(File, Kept), UsageError> {
    let usage = |e: anyhow::Error| UsageError(format!("--resume: {e:#}"));
    let lock = frontier::lock(dir).map_err(usage)?;
    frontier::sweep(dir).map_err(|e| usage(e.into()))?;
    let kept = frontier::read(dir).map_err(usage)?;
    let kept = kept.ok_or_else(|| {
        let why = why_none(dir);
        UsageError(format!("--resume {}: {why}", dir.display()))
    })?;
    Ok((lock, kept))
}

/// Why the run in this directory has no frontier.
fn why_none(dir: &Path) -> &'static str {
    match testcase::Run::read(dir).ok().and_then(|run| run.stats) {
        Some(stats) if stats.halted.is_none() => "nothing is left to explore there",
        Some(_) => "its run kept no frontier: begin it anew (docs/jobs.md)",
        None => "its run was killed before it began to explore: begin it anew",
    }
}

/// A run that is continued.
pub(crate) struct Past {
    pub dir: PathBuf,
    pub checkpoint: Checkpoint,
    /// The shelf of the frontier.
    pub shelf: Shelf,
    /// No other process can continue the run while this lives.
    pub lock: File,
}

impl Past {
    /// Reads the rest of a run; the prefixes go on the shelf.
    ///
    /// # Errors
    /// There is no rest, another run is at work there, or it is of another version.
    pub fn read(dir: &Path, shelf: Shelf) -> anyhow::Result<Past> {
        let usage = |e: anyhow::Error| UsageError(format!("--resume: {e:#}"));
        let (lock, kept) = left_in(dir)?;
        let checkpoint = Checkpoint::read(kept, &shelf).map_err(usage)?;
        Ok(Past {
            dir: dir.to_owned(),
            checkpoint,
            shelf,
            lock,
        })
    }
}

/// The facts about the run in a directory.
///
/// # Errors
/// There is none, or its record cannot be read.
pub fn info(dir: &Path) -> anyhow::Result<RunInfo> {
    let path = dir.join("info.json");
    let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_slice(&bytes).with_context(|| format!("cannot read {}", path.display()))
}
