//! `polypath run --resume DIR`: the options of the run that is gone on with, some of which may be given anew, and what it had
//! reached.

use super::jobs::checkpoint::Checkpoint;
use super::plan::RunPlan;
use crate::exit::UsageError;
use anyhow::Context;
use clap::parser::ValueSource;
use host::shelf::Shelf;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use testcase::{RunInfo, frontier};

/// Options that may differ from those of the run, by their names in clap: none changes which paths the program has.
pub const CHANGEABLE: [&str; 15] = [
    "time",
    "cpu_time",
    "memory",
    "spill_disk",
    "jobs",
    "no_scout",
    "listen",
    "secret_file",
    "ray",
    "python",
    "search",
    "batch_instructions",
    "max_forks",
    "quiet",
    "strict",
];

/// A run that is gone on with.
pub struct Past {
    pub dir: PathBuf,
    pub plan: RunPlan,
    pub checkpoint: Checkpoint,
    /// Where what is left to explore is.
    pub shelf: Shelf,
    /// Nobody else goes on with it while this lives.
    pub lock: File,
}

impl Past {
    /// Reads what is left of a run; the prefixes go on the shelf.
    ///
    /// # Errors
    /// Nothing is left of it, another run is at work there, or it is of another version.
    pub fn read(dir: &Path, shelf: Shelf) -> anyhow::Result<Past> {
        let usage = |e: anyhow::Error| UsageError(format!("--resume: {e:#}"));
        let lock = frontier::lock(dir).map_err(usage)?;
        let info = info(dir).map_err(usage)?;
        let kept = frontier::read(dir).map_err(usage)?;
        let Some(kept) = kept else {
            return Err(UsageError(format!(
                "--resume {}: nothing is left to explore there, or its run kept no frontier (docs/jobs.md)",
                dir.display()
            ))
            .into());
        };
        let checkpoint = Checkpoint::read(kept, &shelf).map_err(usage)?;
        let plan = RunPlan::of(&info).map_err(|e| UsageError(format!("--resume: {e}")))?;
        Ok(Past {
            dir: dir.to_owned(),
            plan,
            checkpoint,
            shelf,
            lock,
        })
    }
}

fn info(dir: &Path) -> anyhow::Result<RunInfo> {
    let path = dir.join("info.json");
    let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_slice(&bytes).with_context(|| format!("cannot read {}", path.display()))
}

/// Lets options be given twice: the later one counts.
pub fn may_repeat(command: clap::Command) -> clap::Command {
    let repeat = |command: clap::Command| {
        CHANGEABLE.iter().fold(command, |command, &id| {
            command.mut_arg(id, |arg| arg.overrides_with(id))
        })
    };
    command
        .mut_subcommand("run", repeat)
        .mut_subcommand(crate::cmd::part::NAME, repeat)
}

/// If these arguments say `run --resume DIR`: those of the run in DIR with what is said anew, and from where it was started.
///
/// # Errors
/// There is no run, or something is said anew that cannot change.
pub fn arguments(
    command: clap::Command,
    arguments: &[OsString],
) -> Result<Option<Vec<OsString>>, UsageError> {
    let is_run = arguments.get(1).is_some_and(|word| word == "run");
    let resumes =
        |word: &OsString| word == "--resume" || word.as_encoded_bytes().starts_with(b"--resume=");
    if !is_run
        || !arguments
            .iter()
            .skip(2)
            .take_while(|w| *w != "--")
            .any(resumes)
    {
        return Ok(None);
    }
    let lenient = command.mut_subcommand("run", |run| {
        run.mut_arg("program", |program| program.required(false))
    });
    let parsed = lenient.clone().try_get_matches_from(arguments);
    // What is no command line at all is refused like any other.
    let Ok(parsed) = parsed else { return Ok(None) };
    let Some(("run", run)) = parsed.subcommand() else {
        return Ok(None);
    };
    let names = lenient
        .find_subcommand("run")
        .map(|run| run.get_arguments());
    for arg in names.into_iter().flatten() {
        let id = arg.get_id().as_str();
        let is_given = run.value_source(id) == Some(ValueSource::CommandLine);
        if is_given && id != "resume" && !CHANGEABLE.contains(&id) {
            let name = arg
                .get_long()
                .map_or("the program".into(), |long| format!("--{long}"));
            let may: Vec<String> = CHANGEABLE
                .iter()
                .map(|id| format!("--{}", id.replace('_', "-")))
                .collect();
            return Err(UsageError(format!(
                "--resume: {name} cannot be changed, the run has its own; what can be: {}",
                may.join(" ")
            )));
        }
    }
    let dir = run.get_one::<PathBuf>("resume");
    let dir = dir.ok_or_else(|| UsageError("--resume: which directory?".into()))?;
    let dir = dir
        .canonicalize()
        .map_err(|e| UsageError(format!("--resume {}: {e}", dir.display())))?;
    let usage = |e: anyhow::Error| UsageError(format!("--resume: {e:#}"));
    let mut info = info(&dir).map_err(usage)?;
    let first = std::mem::take(&mut info.command);
    let first: Vec<OsString> = first.into_iter().map(OsString::from_vec).collect();
    if first.get(1).map(OsString::as_os_str) != Some(OsStr::new("run")) {
        let words = "was not made by `polypath run`";
        return Err(UsageError(format!("--resume {}: {words}", dir.display())));
    }
    // Names mean what they meant there.
    let plan = RunPlan::of(&info).map_err(|e| UsageError(format!("--resume: {e}")))?;
    std::env::set_current_dir(&plan.directory)
        .map_err(|e| UsageError(format!("--resume: {}: {e}", plan.directory.display())))?;
    let end = first
        .iter()
        .position(|word| word == "--")
        .unwrap_or(first.len());
    let mut merged = first[..end].to_vec();
    let mut said = arguments[2..].iter();
    while let Some(word) = said.next() {
        if word == "--resume" {
            said.next();
        } else if !resumes(word) {
            merged.push(word.clone());
        }
    }
    merged.push("--resume".into());
    merged.push(dir.into());
    merged.extend_from_slice(&first[end..]);
    Ok(Some(merged))
}
