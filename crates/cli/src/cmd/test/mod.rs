//! `polypath test`: everything that a project's `polypath.toml` says, with one exit status (`docs/test.md`).
//!
//! Each target is a run in a process of its own, as each method of `polypath java test`: the limits of a run, its memory and the
//! watchdog that ends it are a process's, and a fault of ours ends one target. Replay and report are called in this process.

mod outline;
mod results;
mod summary;
mod target;

use crate::exit::{Exit, UsageError};
use crate::options::Whose;
use crate::project::{self, Mistake, NAME, Project, Target, Words};
use anyhow::Context;
use harness::nearest::nearest;
use results::ResultsDir;
use run::plan::Plan;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use target::Outcome;

/// Runs, replays and reports what polypath.toml says.
#[derive(clap::Args)]
#[command(after_long_help = format!("{EXAMPLES}\n\n{}", crate::exit::HELP))]
pub struct Args {
    /// Targets by name [default: all]
    targets: Vec<String>,
    /// The file [default: polypath.toml here, or in the nearest directory above]
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Go on with targets that were stopped or had a limit, and keep those that were explored to their end
    #[arg(long)]
    resume: bool,
    /// Do not run the file's build command
    #[arg(long)]
    no_build: bool,
    /// Print the command of each target's run, and run nothing
    #[arg(long, conflicts_with_all = ["resume", "no_build"])]
    list: bool,
    /// Write a small polypath.toml to begin with
    #[arg(long, conflicts_with_all = ["targets", "resume", "no_build", "list"])]
    init: bool,
    /// Replay tests without the fence: they can do what you can. Needed where the kernel gives none
    #[arg(long)]
    no_fence: bool,
    /// Options of `polypath run` in place of those in the file, e.g. `-- --time 10`
    #[arg(last = true, value_name = "OPTIONS")]
    options: Vec<String>,
}

const EXAMPLES: &str = "\
A polypath.toml:
  build = \"make\"                  # with `polypath cc` as its compiler; any command
  [options]                       # options of `polypath run`, for every target
  time = \"2m\"
  [[target]]
  name = \"parse\"
  program = \"build/parse\"         # also a C source, or `java = \"build/classes\"`
  arguments = [\"-n\", \"80\"]
  options.sym-stdin = 64
  [[suppress]]                    # an accepted error: counted and shown, no failure
  kind = \"null\"
  file = \"src/legacy.c\"
  function = \"read_old\"
  reason = \"the caller checks it: issue 212\"

Examples:
  polypath test                          all targets; an earlier result is replaced
  polypath test parse -- --time 10       one target, for ten seconds
  polypath test --resume                 go on where Ctrl-C or a limit ended the runs

Results, in polypath-results (the file's `out`): test.json for scripts, report.sarif with the findings
of all targets, and for each target a directory with report.html, report.sarif, junit.xml and
lcov.info. All keys: docs/test.md";

/// Statuses of a run that a signal has ended: by SIGHUP, SIGINT, SIGTERM.
pub const THE_END: [u8; 3] = [129, 130, 143];

/// What the steps of the command have in common.
struct Course<'a> {
    args: &'a Args,
    stop: &'a AtomicBool,
    results: ResultsDir,
}

/// A target that is asked for.
struct Wanted<'a> {
    target: &'a Target,
    words: Words,
    asked: crate::options::TargetArgs,
}

/// Tests the project.
///
/// # Errors
/// A file with mistakes, wrong usage, results that cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.init {
        return outline::write(args.file.as_deref().unwrap_or(Path::new(NAME)));
    }
    let file = find(args.file.as_deref())?;
    let text = std::fs::read_to_string(&file)
        .map_err(|e| UsageError(format!("{}: {e}", file.display())))?;
    let shown = shown(&file);
    let project = project::read(&text).map_err(|faults| project::usage(&shown, &faults))?;
    // Names in the file are relative to it.
    if let Some(directory) = file.parent() {
        std::env::set_current_dir(directory)
            .map_err(|e| UsageError(format!("{}: {e}", directory.display())))?;
    }
    let wanted = wanted(args, &project, &shown)?;
    if args.list {
        list(&wanted);
        return Ok(Exit::Nothing);
    }
    let stop = host::signals::flag().context("cannot listen to signals")?;
    let mut course = Course {
        args,
        stop: &stop,
        results: ResultsDir::take(&project.out)?,
    };
    for Wanted { target, .. } in &wanted {
        course.results.check(&target.name)?;
    }
    if let Some(build) = project.build.as_ref().filter(|_| !args.no_build) {
        let is_c = project.targets.iter().any(|t| t.of == Whose::Run);
        if let Some(exit) = course.build(build, is_c)? {
            return Ok(exit);
        }
    }
    let plans = plans(&wanted, &shown)?;
    let mut outcomes = Vec::new();
    for (Wanted { target, words, .. }, plan) in wanted.iter().zip(&plans) {
        let dir = course.results.of(&target.name);
        outcomes.push(if stop.load(Ordering::Relaxed) {
            let exit = Exit::Nothing.unless_stopped();
            Outcome::not_run(target, dir, exit, "interrupted before it began")
        } else {
            let outcome = course.explore(target, words, plan);
            // A mistake that only shows now is one of this target; the others are tested.
            outcome.unwrap_or_else(|e| {
                Outcome::not_run(target, dir, Exit::of_error(&e), &format!("{e:#}"))
            })
        });
    }
    summary::conclude(&course, &project, &shown, outcomes)
}

/// The file, absolute.
fn find(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(file) = named {
        return file
            .canonicalize()
            .map_err(|e| UsageError(format!("{}: {e}", file.display())).into());
    }
    let here = std::env::current_dir()?;
    let mut above = here.ancestors().map(|dir| dir.join(NAME));
    above.find(|file| file.is_file()).ok_or_else(|| {
        let why = format!(
            "there is no {NAME} in {} or above it; `polypath test --init` writes one to begin with:\n\n{}",
            here.display(),
            outline::TEXT
        );
        UsageError(why).into()
    })
}

/// A file's name as seen from here.
fn shown(file: &Path) -> PathBuf {
    let here = std::env::current_dir();
    let below = here.ok().and_then(|here| {
        let below = file.strip_prefix(here).ok()?;
        Some(below.to_owned())
    });
    below.unwrap_or_else(|| file.to_owned())
}

/// The targets that are asked for, each with its words; all mistakes in them at once.
fn wanted<'a>(
    args: &Args,
    project: &'a Project,
    file: &Path,
) -> Result<Vec<Wanted<'a>>, UsageError> {
    let names = || project.targets.iter().map(|t| &t.name[..]);
    for name in &args.targets {
        if !names().any(|n| n == name) {
            let near = nearest(name, names());
            let meant = near
                .first()
                .map_or(".".into(), |near| format!("; is {near} meant?"));
            let all = names().collect::<Vec<_>>().join(", ");
            return Err(UsageError(format!(
                "{} has no target {name}{meant} There are: {all}",
                file.display()
            )));
        }
    }
    let mut wanted = Vec::new();
    let mut faults: Vec<Mistake> = Vec::new();
    for target in &project.targets {
        let is_asked_for = args.targets.is_empty() || args.targets.contains(&target.name);
        let more: &[String] = if is_asked_for { &args.options } else { &[] };
        let words = target.words(more)?;
        match target.asked(&words) {
            Ok(asked) if is_asked_for => wanted.push(Wanted {
                target,
                words,
                asked,
            }),
            Ok(_) => {}
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() {
        Ok(wanted)
    } else {
        faults.sort();
        Err(project::usage(file, &faults))
    }
}

/// Prints the commands.
fn list(wanted: &[Wanted<'_>]) {
    for Wanted { target, words, .. } in wanted {
        let command = target.of.words().iter().map(|w| (*w).to_string());
        let command: Vec<String> = command
            .chain(words.all())
            .map(|w| testcase::shell::word(w.as_bytes()))
            .collect();
        say::out!("{}: polypath {}", target.name, command.join(" "));
    }
}

/// The plans of all targets, once their programs are built; all mistakes at once.
fn plans(wanted: &[Wanted<'_>], file: &Path) -> anyhow::Result<Vec<Plan>> {
    let mut plans = Vec::new();
    let mut faults = Vec::new();
    for Wanted { target, asked, .. } in wanted {
        match asked.plan() {
            Ok(plan) => plans.push(plan),
            Err(e) if e.is::<UsageError>() => faults.push(Mistake {
                line: target.line,
                text: format!("target {}: {e:#}", target.name),
            }),
            Err(e) => return Err(e),
        }
    }
    if faults.is_empty() {
        Ok(plans)
    } else {
        Err(project::usage(file, &faults).into())
    }
}

impl Course<'_> {
    /// Builds the programs; the exit status if that does not work.
    fn build(&self, command: &str, is_c: bool) -> anyhow::Result<Option<Exit>> {
        say::note(&format!("polypath: build: {command}"));
        let words = ["sh", "-c", command].map(String::from);
        let status = if is_c {
            toolchain::sysroot::ensure(&mut |text| say::err!("polypath: {text}"))?;
            let polypath = std::env::current_exe()?;
            let wait = |build: &mut Command| host::child::group_until(build, self.stop);
            let (status, lines) = toolchain::build::run(&polypath, &words, wait)?;
            for line in lines {
                say::note(&format!("polypath build: {line}"));
            }
            status
        } else {
            let mut shell = Command::new(&words[0]);
            shell.args(&words[1..]);
            host::child::group_until(&mut shell, self.stop).context("cannot start sh")?
        };
        if self.stop.load(Ordering::Relaxed) {
            say::err!("polypath: the build was interrupted: {command}");
            return Ok(Some(Exit::Nothing.unless_stopped()));
        }
        if status.success() {
            return Ok(None);
        }
        let why = format!("the build failed ({status}): {command}");
        Err(UsageError(why).into())
    }
}

/// The one of two statuses that counts.
fn worse(a: Exit, b: Exit) -> Exit {
    let rank = |exit: Exit| match exit {
        Exit::Found => 0,
        Exit::Usage => 1,
        Exit::Failed => 2,
        Exit::Status(_) => 3,
        Exit::LeftOut => 4,
        Exit::Nothing => 5,
    };
    if rank(b) < rank(a) { b } else { a }
}
