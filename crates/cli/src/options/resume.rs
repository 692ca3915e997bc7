//! `--resume DIR`: the plan of the run in DIR, with the new options applied to it.

use super::draft::{Draft, Invocation, is_program};
use super::row::Whose;
use super::{is_given, rows};
use crate::exit::UsageError;
use clap::ArgMatches;
use run::plan::{Language, Plan};
use run::resume::info;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Does a command line say it?
pub fn is_said(arguments: &[OsString]) -> bool {
    let says =
        |word: &OsString| word == "--resume" || word.as_encoded_bytes().starts_with(b"--resume=");
    arguments.iter().take_while(|w| *w != "--").any(says)
}

/// The whole command line, of which a run that goes on need not name its program.
pub fn lenient(command: clap::Command) -> clap::Command {
    let free = |run: clap::Command, of: Whose| {
        let program = rows(of).find(|row| row.arg.is_required_set());
        let id = program.map(|row| row.id().to_string());
        id.into_iter()
            .fold(run, |run, id| run.mut_arg(id, |arg| arg.required(false)))
    };
    command
        .mut_subcommand("run", |run| free(run, Whose::Run))
        .mut_subcommand("fuzz", |fuzz| free(fuzz, Whose::Run))
        .mut_subcommand("java", |java| {
            java.mut_subcommand("run", |run| free(run, Whose::JavaRun))
        })
}

/// The directory of the run that is continued, if one is.
///
/// # Errors
/// It is not there.
pub fn directory(matches: &ArgMatches) -> Result<Option<PathBuf>, UsageError> {
    let Some(dir) = matches.get_one::<PathBuf>("resume") else {
        return Ok(None);
    };
    let there = dir.canonicalize();
    let there = there.map_err(|e| UsageError(format!("--resume {}: {e}", dir.display())))?;
    Ok(Some(there))
}

/// The plan of the run in this directory, changed by the new options. From here on this process works in the directory
/// where that run was started.
///
/// # Errors
/// There is no run of this command, or an option is given that cannot change.
pub fn plan(matches: &ArgMatches, of: Whose, dir: &Path) -> anyhow::Result<(Plan, Invocation)> {
    let is_new = |row: &super::OptionRow| is_given(matches, row) && row.id() != "resume";
    if let Some(fixed) = rows(of).find(|row| is_new(row) && !row.may_change) {
        let name = fixed.arg.get_long();
        let name = name.map_or("the program".into(), |long| format!("--{long}"));
        let may = rows(of).filter(|row| row.may_change && !row.arg.is_hide_set());
        let may: Vec<String> = may.map(|row| format!("--{}", row.id())).collect();
        return Err(UsageError(format!(
            "--resume: {name} cannot be changed, the run has its own; what can be: {}",
            may.join(" ")
        ))
        .into());
    }
    let usage = |e: String| UsageError(format!("--resume: {e}"));
    let info = info(dir).map_err(|e| usage(format!("{e:#}")))?;
    let plan = Plan::of(&info).map_err(usage)?;
    if plan.command() != of.words() {
        let words = of.words().join(" ");
        return Err(UsageError(format!(
            "--resume {}: was not made by `polypath {words}`",
            dir.display()
        ))
        .into());
    }
    let here = std::env::current_dir()?;
    // Names mean what they meant there.
    let directory = &plan.directory;
    std::env::set_current_dir(directory)
        .map_err(|e| usage(format!("{}: {e}", directory.display())))?;
    let mut draft = Draft::going_on(plan, here);
    for row in rows(of).filter(is_new) {
        (row.set)(&mut draft, matches);
    }
    let Draft { plan, .. } = draft;
    match &plan.language {
        Language::C(c) => {
            plan.check_workers(c.program.shows_files())?;
            is_program(&c.program.file)?;
        }
        Language::Java(_) => plan.check_workers(false)?,
    }
    let invocation = Invocation {
        out: None,
        resume: Some(dir.to_owned()),
    };
    Ok((plan, invocation))
}
