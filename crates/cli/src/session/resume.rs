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
use testcase::frontier::Kept;
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

/// The same of `polypath java run`.
const JAVA_CHANGEABLE: [&str; 7] = [
    "time", "cpu_time", "memory", "jobs", "search", "quiet", "strict",
];

/// A command that can go on with a run.
struct Command {
    /// What it is called by.
    words: &'static [&'static str],
    /// The same of its workers.
    part: &'static [&'static str],
    changeable: &'static [&'static str],
    /// Its argument that names the program.
    program: &'static str,
    /// Where its run was started.
    directory: fn(&RunInfo) -> Result<PathBuf, String>,
}

const COMMANDS: [Command; 2] = [
    Command {
        words: &["run"],
        part: &[crate::cmd::part::NAME],
        changeable: &CHANGEABLE,
        program: "program",
        directory: |info| Ok(RunPlan::of(info)?.directory),
    },
    Command {
        words: &["java", "run"],
        part: &["java", crate::cmd::java::PART],
        changeable: &JAVA_CHANGEABLE,
        program: "class_path",
        directory: crate::cmd::java::directory_of,
    },
];

/// Changes a command below this one.
fn at(
    command: clap::Command,
    words: &[&'static str],
    change: &dyn Fn(clap::Command) -> clap::Command,
) -> clap::Command {
    match words {
        [] => change(command),
        [word, below @ ..] => command.mut_subcommand(word, |c| at(c, below, change)),
    }
}

/// What is left in a directory, as it was written: nobody else goes on with it while the first value lives.
///
/// # Errors
/// Nothing is left of it, or another run is at work there.
fn left_in(dir: &Path) -> Result<(File, RunInfo, Kept), UsageError> {
    let usage = |e: anyhow::Error| UsageError(format!("--resume: {e:#}"));
    let lock = frontier::lock(dir).map_err(usage)?;
    let info = info(dir).map_err(usage)?;
    let kept = frontier::read(dir).map_err(usage)?;
    let kept = kept.ok_or_else(|| {
        UsageError(format!(
            "--resume {}: nothing is left to explore there, or its run kept no frontier (docs/jobs.md)",
            dir.display()
        ))
    })?;
    Ok((lock, info, kept))
}

/// A run that is gone on with.
pub struct Past<Plan> {
    pub dir: PathBuf,
    pub plan: Plan,
    pub checkpoint: Checkpoint,
    /// Where what is left to explore is.
    pub shelf: Shelf,
    /// Nobody else goes on with it while this lives.
    pub lock: File,
}

impl<Plan> Past<Plan> {
    /// Reads what is left of a run whose record says its plan; the prefixes go on the shelf.
    ///
    /// # Errors
    /// Nothing is left of it, another run is at work there, or it is of another version.
    pub fn read(
        dir: &Path,
        shelf: Shelf,
        plan: impl FnOnce(&RunInfo) -> Result<Plan, String>,
    ) -> anyhow::Result<Past<Plan>> {
        let usage = |e: anyhow::Error| UsageError(format!("--resume: {e:#}"));
        let (lock, info, kept) = left_in(dir)?;
        let checkpoint = Checkpoint::read(kept, &shelf).map_err(usage)?;
        let plan = plan(&info).map_err(|e| UsageError(format!("--resume: {e}")))?;
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
    COMMANDS.iter().fold(command, |command, resumable| {
        let repeat = |command: clap::Command| {
            let ids = resumable.changeable.iter();
            ids.fold(command, |command, &id| {
                command.mut_arg(id, |arg| arg.overrides_with(id))
            })
        };
        let command = at(command, resumable.words, &repeat);
        at(command, resumable.part, &repeat)
    })
}

/// If these arguments say `run --resume DIR`: those of the run in DIR with what is said anew, and from where it was started.
///
/// # Errors
/// There is no run, or something is said anew that cannot change.
pub fn arguments(
    command: clap::Command,
    arguments: &[OsString],
) -> Result<Option<Vec<OsString>>, UsageError> {
    let behind = arguments.get(1..).unwrap_or_default();
    let is_called = |c: &&Command| {
        let words = c.words.iter().map(OsStr::new);
        behind.len() >= c.words.len() && words.zip(behind).all(|(word, said)| word == said)
    };
    let Some(called) = COMMANDS.iter().find(is_called) else {
        return Ok(None);
    };
    let said = &behind[called.words.len()..];
    let resumes =
        |word: &OsString| word == "--resume" || word.as_encoded_bytes().starts_with(b"--resume=");
    if !said.iter().take_while(|w| *w != "--").any(resumes) {
        return Ok(None);
    }
    let lenient = at(command, called.words, &|run| {
        run.mut_arg(called.program, |program| program.required(false))
    });
    let parsed = lenient.clone().try_get_matches_from(arguments);
    // What is no command line at all is refused like any other.
    let Ok(parsed) = parsed else { return Ok(None) };
    let (mut run, mut definition) = (&parsed, &lenient);
    for word in called.words {
        let below = run.subcommand_matches(word);
        let (Some(below), Some(of)) = (below, definition.find_subcommand(word)) else {
            return Ok(None);
        };
        (run, definition) = (below, of);
    }
    for arg in definition.get_arguments() {
        let id = arg.get_id().as_str();
        let is_given = run.value_source(id) == Some(ValueSource::CommandLine);
        if is_given && id != "resume" && !called.changeable.contains(&id) {
            let name = arg
                .get_long()
                .map_or("the program".into(), |long| format!("--{long}"));
            let may: Vec<String> = called
                .changeable
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
    let made_by = first.iter().skip(1).take(called.words.len());
    if !made_by.eq(called.words) {
        let words = called.words.join(" ");
        return Err(UsageError(format!(
            "--resume {}: was not made by `polypath {words}`",
            dir.display()
        )));
    }
    // Names mean what they meant there.
    let directory = (called.directory)(&info).map_err(|e| UsageError(format!("--resume: {e}")))?;
    std::env::set_current_dir(&directory)
        .map_err(|e| UsageError(format!("--resume: {}: {e}", directory.display())))?;
    let end = first
        .iter()
        .position(|word| word == "--")
        .unwrap_or(first.len());
    let mut merged = first[..end].to_vec();
    let mut said = said.iter();
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
