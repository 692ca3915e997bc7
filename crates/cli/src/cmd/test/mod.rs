//! `polypath test`: everything that a project's `polypath.toml` says, or all public functions of a library, with one exit status
//! (`docs/test.md`).
//!
//! Each target is a run in a process of its own, as each method of `polypath java test`: the limits of a run, its memory and the
//! watchdog that ends it are a process's, and a fault of ours ends one target. Replay and report are called in this process.

mod asked;
mod outline;
mod results;
mod shared;
mod summary;
mod target;

use crate::exit::{Exit, UsageError};
use crate::options::{Whose, named, seconds};
use crate::project::{self, Mistake, NAME, Target, Words};
use anyhow::Context;
use asked::TestSubject;
use harness::nearest::nearest;
use results::ResultsDir;
use run::plan::{KeptTests, Plan};
use shared::TestBudget;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use target::{Outcome, PartOfRun};
use toolchain::build::Variables;

/// Runs, replays and reports what polypath.toml says, or all functions of a library.
#[derive(clap::Args)]
#[command(after_long_help = format!("{EXAMPLES}\n\n{}", crate::exit::HELP))]
pub struct Args {
    /// Targets of polypath.toml by name [default: all]; or libraries (an archive, object, shared object, bitcode or C source, or a
    /// directory with archives), and then functions by name. What stands there as a file or directory is a library, unless a target
    /// has the name: ./NAME is never a target
    #[arg(value_name = "TARGET|LIB|DIR")]
    targets: Vec<String>,
    /// The file [default: polypath.toml here, or in the nearest directory above]
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Wall-clock time for all runs together, shared by what each still finds [default: for a library 5m]
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    time: Option<Duration>,
    /// Processor time for all runs together
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    cpu_time: Option<Duration>,
    /// A header that declares the functions of the library (repeatable) [default: the library's own, csv.h of libcsv.a; if there
    /// is none, all that its sources include]
    #[arg(long = "header", value_name = "NAME.h")]
    headers: Vec<String>,
    /// Write tests of a library's functions as source, too, and all of them into OUT/c-tests, for CTest: c
    #[arg(long, value_name = "KIND", value_parser = named::<KeptTests>())]
    write_tests: Option<KeptTests>,
    /// Directory for the results [default: the file's `out`, or polypath-results]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on with targets that were stopped or had a limit, and keep those that were explored to their end
    #[arg(long)]
    resume: bool,
    /// Do not run the file's build command
    #[arg(long)]
    no_build: bool,
    /// Do not run the tests natively
    #[arg(long)]
    no_replay: bool,
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
  polypath test libcsv.a --time 10m      no file: all functions that csv.h declares, for ten minutes
  polypath test libcsv.a csv_parse       one of them
  polypath test libcsv.a --write-tests c and tests as C, for CTest: polypath-results/c-tests
  polypath test build --header api.h     the archives in a directory, and what api.h declares

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
    /// The command that goes on.
    again: String,
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
    let asked = asked::asked(args)?;
    let TestSubject { project, shown, .. } = &asked;
    let budget = budget(args, asked.is_library)?;
    let wanted = wanted(args, &asked)?;
    if args.list {
        list(&wanted);
        return Ok(Exit::Nothing);
    }
    let stop = host::signals::flag().context("cannot listen to signals")?;
    let mut course = Course {
        args,
        stop: &stop,
        results: ResultsDir::take(&project.out)?,
        again: if asked.is_library {
            format!("polypath test {} --resume", shown.display())
        } else {
            "polypath test --resume".into()
        },
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
    let plans = plans(&wanted, shown)?;
    let outcomes = match budget {
        Some(budget) => course.share(&wanted, &plans, budget),
        None => course.each(&wanted, &plans),
    };
    summary::conclude(&course, project, shown, outcomes)
}

/// Time for all functions of a library.
const LIBRARY_TIME: Duration = Duration::from_secs(300);

/// The budget that all targets share, if they do.
fn budget(args: &Args, is_library: bool) -> Result<Option<TestBudget>, UsageError> {
    let (mut time, cpu_time) = (args.time, args.cpu_time);
    if [time, cpu_time].into_iter().flatten().any(|t| t.is_zero()) {
        let why =
            "--time and --cpu-time of `polypath test` are more than 0: all targets share them";
        return Err(UsageError(why.into()));
    }
    if is_library && cpu_time.is_none() {
        time.get_or_insert(LIBRARY_TIME);
    }
    let is_shared = time.or(cpu_time).is_some();
    Ok(is_shared.then_some(TestBudget { time, cpu_time }))
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
fn wanted<'a>(args: &Args, asked: &'a TestSubject) -> Result<Vec<Wanted<'a>>, UsageError> {
    let TestSubject { project, .. } = asked;
    let file = &asked.shown;
    let names = || project.targets.iter().map(|t| &t.name[..]);
    for name in &asked.names {
        if !names().any(|n| n == name) {
            let near = nearest(name, names());
            let meant = near
                .first()
                .map_or(".".into(), |near| format!("; is {near} meant?"));
            let all = names().collect::<Vec<_>>().join(", ");
            let what = if asked.is_library {
                "public function"
            } else {
                "target"
            };
            return Err(UsageError(format!(
                "{} has no {what} {name}{meant} There are: {all}",
                file.display()
            )));
        }
    }
    let mut wanted = Vec::new();
    let mut faults: Vec<Mistake> = Vec::new();
    for target in &project.targets {
        let is_asked_for = asked.names.is_empty() || asked.names.contains(&target.name);
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
    /// Explores one target after the other, as their own limits say.
    fn each(&mut self, wanted: &[Wanted<'_>], plans: &[Plan]) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        for (wanted, plan) in wanted.iter().zip(plans) {
            if self.stop.load(Ordering::Relaxed) {
                outcomes.push(self.interrupted(wanted.target));
                continue;
            }
            let whole = PartOfRun {
                label: &wanted.target.name,
                limits: Vec::new(),
                goes_on: self.args.resume,
            };
            let mut outcome = self.explore_or_tell(wanted, plan, &whole);
            let limits = [plan.limits.time, plan.limits.cpu_time];
            let limit = limits.into_iter().find(|limit| !limit.is_zero());
            self.replay(wanted.target, limit, &mut outcome);
            outcomes.push(outcome);
        }
        outcomes
    }

    /// A target that did not begin since a signal came.
    fn interrupted(&self, target: &Target) -> Outcome {
        let exit = Exit::Nothing.unless_stopped();
        let dir = self.results.of(&target.name);
        Outcome::not_run(target, dir, exit, "interrupted before it began")
    }

    /// Explores a target. A mistake that only shows now is one of this target; the others are tested.
    fn explore_or_tell(&mut self, wanted: &Wanted<'_>, plan: &Plan, part: &PartOfRun) -> Outcome {
        let Wanted { target, words, .. } = wanted;
        let explored = self.explore(target, words, plan, part);
        explored.unwrap_or_else(|e| {
            let dir = self.results.of(&target.name);
            Outcome::not_run(target, dir, Exit::of_error(&e), &format!("{e:#}"))
        })
    }

    /// Builds the programs; the exit status if that does not work.
    fn build(&self, command: &str, is_c: bool) -> anyhow::Result<Option<Exit>> {
        say::note(&format!("polypath: build: {command}"));
        let words = ["sh", "-c", command].map(String::from);
        let status = if is_c {
            toolchain::sysroot::ensure(&mut |text| say::err!("polypath: {text}"))?;
            let polypath = std::env::current_exe()?;
            let wait = |build: &mut Command| host::child::group_until(build, self.stop);
            let (status, lines) = toolchain::build::run(&polypath, &words, Variables::Plain, wait)?;
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
