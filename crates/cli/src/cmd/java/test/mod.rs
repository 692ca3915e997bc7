//! `polypath java test`: all methods of a class path that callers from outside can call, each in a run of its own, under one
//! budget.
//!
//! Several runs go on side by side, in the order of the list, which has getters and setters last, and with the parts of the time that
//! [`crate::budget`] gives them: if the budget is too small for all, those at the end are not served, and named. A run that came to no path
//! begins anew in its next part, which comes before others go on. A run is a process: a program that takes all memory, or a fault of ours, ends one method's run. The JVM
//! is one that is lent to one run after the other ([`jvm::Spare`]).

mod lending;
mod method;

use crate::budget::{BudgetPart, Shares, Shown};
use crate::cmd::replay::status::StatusLine;
use crate::exit::{Exit, UsageError};
use crate::options::{self, Value, Whose, named, seconds};
use crate::project::{Setting, Target, Words};
use anyhow::Context;
use jvm::{Kit, Spare};
use lending::Lending;
use method::{MethodResult, MethodState, StateCounts};
use run::java::WARNING;
use run::java::plain::tools;
use run::jobs;
use run::plan::ProgressForm;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use testcase::Run;
use testcase::replay::ReplayProgress;

/// Explores all public methods of a program.
#[derive(clap::Args)]
#[command(after_long_help = crate::exit::HELP)]
pub struct TestArgs {
    /// Directories and .jar files with the program's classes, joined by colons
    class_path: String,
    /// Explore public methods of public classes of this package alone [default: of every package]
    #[arg(long, value_name = "NAME")]
    package: Option<String>,
    /// Wall-clock time for all of them
    #[arg(long, value_name = "TIME", default_value = "60", value_parser = seconds)]
    time: Duration,
    /// Methods that are explored at the same time [default: the cores]
    #[arg(long, value_name = "N")]
    jobs: Option<u32>,
    /// How the progress is shown on stderr (docs/progress.md)
    #[arg(long, value_name = "FORM", default_value = "line", value_parser = named::<ProgressForm>())]
    progress: ProgressForm,
    /// Directory for the results: one directory per method, and methods.json
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Options of `polypath java run` for each of them, after `--`
    #[arg(last = true, value_name = "OPTIONS")]
    options: Vec<String>,
}

/// MiB that a run has at least, however many there are.
const LEAST_MEMORY: u64 = 200;

/// Explores.
///
/// # Errors
/// Wrong usage, a JDK that is missing, results that cannot be written.
pub fn run(args: &TestArgs) -> anyhow::Result<Exit> {
    let class_path = options::class_path(args.class_path.as_ref())?;
    if args.time.is_zero() {
        return Err(UsageError("--time must be more than 0".into()).into());
    }
    jobs::check(args.jobs, 0, false)?;
    testcase::reserve::is_there(&args.out).map_err(|e| UsageError(format!("{e:#}")))?;
    let stop = host::signals::flag().context("cannot listen to signals")?;
    let kit = Kit::ensure(tools()?, &mut |text| say::err!("polypath: {text}"))?;
    let package = args.package.as_deref();
    let query: Vec<&str> = std::iter::once("methods").chain(package).collect();
    let names = kit.list(&query, &class_path)?;
    if names.is_empty() {
        let what = package.map_or("the class path".into(), |name| format!("package {name}"));
        let why = format!("{what} has no public methods to call");
        return Err(UsageError(why).into());
    }
    std::fs::create_dir_all(&args.out)
        .with_context(|| format!("cannot make {}", args.out.display()))?;
    let begun = Instant::now();
    let methods = all(args, &names, (&kit, &class_path), &stop)?;
    let took = begun.elapsed();
    let path = args.out.join("methods.json");
    std::fs::write(&path, serde_json::to_vec_pretty(&methods)?)
        .with_context(|| format!("cannot write {}", path.display()))?;
    for m in &methods {
        say::out!("{}", m.line());
    }
    let sum = |value: fn(&MethodResult) -> u64| methods.iter().map(value).sum::<u64>();
    let counts = StateCounts::of(&methods);
    // Several methods may fail in code that they share.
    let bugs = testcase::bug::of_program(methods.iter().flat_map(|m| &m.found));
    say::out!(
        "{} methods: {} tests, {} errors; {counts}",
        methods.len(),
        sum(|m| m.tests),
        bugs.len()
    );
    let served = counts.served();
    let is_stopped = stop.load(Ordering::Relaxed);
    if counts.not_served > 0 && !is_stopped {
        let each = took.as_secs_f64() / served.max(1) as f64;
        let needed = each.max(LEAST.as_secs_f64()) * methods.len() as f64;
        say::out!(
            "{served} of {} methods served within --time {}; a full pass needs about {:.0} s",
            methods.len(),
            args.time.as_secs_f64(),
            needed.ceil()
        );
    }
    // Methods of which nothing was explored say nothing about the package.
    let is_left = counts.explored < methods.len();
    let is_nothing = sum(|m| m.tests) == 0 && is_left;
    let exit = Exit::of_run(sum(|m| m.errors), false, is_nothing, true);
    Ok(if is_stopped && is_left {
        exit.unless_stopped()
    } else {
        exit
    })
}

/// The least time of a method, about what a JVM takes to load its classes and to run it some times.
const LEAST: Duration = Duration::from_millis(750);
/// Parts in which a method may come to nothing.
const MOST_ATTEMPTS: u32 = 4;

fn all(
    args: &TestArgs,
    names: &[String],
    (kit, class_path): (&Kit, &[PathBuf]),
    stop: &AtomicBool,
) -> anyhow::Result<Vec<MethodResult>> {
    let begun = Instant::now();
    let end = begun + args.time;
    let status = StatusLine::new(args.progress, "served");
    let progress = |done| {
        status.show(&ReplayProgress {
            what: "methods",
            done,
            all: names.len(),
            elapsed: begun.elapsed(),
        });
    };
    progress(0);
    let jobs = jobs::asked(args.jobs).unwrap_or_else(jobs::cores);
    let jobs = names.len().min(jobs as usize);
    let shares = Mutex::new(Shares::new(names.len(), LEAST, jobs));
    let methods: Vec<MethodResult> = names.iter().map(|name| MethodResult::of(name)).collect();
    let methods = Mutex::new(methods);
    let warned = Mutex::new(BTreeSet::new());
    let work = |worker: u32| -> anyhow::Result<()> {
        let mut lending = Lending::new(args, kit, class_path, worker);
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let Some(mut part) = held(&shares).next(left) else {
                return Ok(());
            };
            let name = &names[part.at];
            let mut method = MethodResult::of(name);
            method.directory = format!("{:04}", part.at + 1);
            let dir = args.out.join(&method.directory);
            let before = held(&methods)[part.at].clone();
            if part.goes_on && !before.is_served() {
                // Nothing is there to go on with.
                part.goes_on = false;
                std::fs::remove_dir_all(&dir)
                    .with_context(|| format!("cannot remove {}", dir.display()))?;
            }
            let began = Instant::now();
            let lent = lending.jvm();
            let output = one(args, name, &part, jobs, &dir, lent, stop)?;
            lending.take_back();
            pass_on(&output, &warned);
            tell(&mut method, &output, &dir);
            let took = began.elapsed();
            method.parts = before.parts + 1;
            method.took = before.took + took;
            let (shown, is_over) = if method.is_served() {
                let found = method.covered_lines + method.bugs;
                let found = found.saturating_sub(before.covered_lines + before.bugs);
                let has_paths = method.state != MethodState::NotRun;
                let can_go_on = has_paths && testcase::frontier::exists(&dir);
                (Shown::New(found), !can_go_on)
            } else {
                (Shown::Nothing, method.parts >= MOST_ATTEMPTS)
            };
            let mut methods = held(&methods);
            methods[part.at] = method;
            held(&shares).ended(part.at, took, shown, is_over);
            progress(methods.iter().filter(|m| m.is_served()).count());
        }
    };
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..jobs as u32)
            .map(|worker| scope.spawn(move || work(worker)))
            .collect();
        threads
            .into_iter()
            .try_for_each(|thread| match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            })
    })?;
    status.clear();
    let mut methods = methods.into_inner().unwrap_or_else(PoisonError::into_inner);
    let stopped = stop.load(Ordering::Relaxed);
    methods.iter_mut().for_each(|m| m.conclude(stopped));
    Ok(methods)
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The words of a method's run.
fn words(args: &TestArgs, name: &str) -> Result<Words, UsageError> {
    let target = Target {
        name: name.into(),
        of: Whose::JavaRun,
        program: args.class_path.clone(),
        arguments: Vec::new(),
        replay: false,
        settings: vec![Setting {
            name: "entry".into(),
            value: Value::Word(name.into()),
            line: 0,
        }],
        line: 0,
        is_named: false,
    };
    target.words(&args.options)
}

/// A run of one method, beside others, or a part of it.
fn one(
    args: &TestArgs,
    name: &str,
    part: &BudgetPart,
    jobs: usize,
    dir: &Path,
    spare: Option<&Spare>,
    stop: &AtomicBool,
) -> anyhow::Result<Output> {
    let words = words(args, name)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(Whose::JavaRun.words()).arg("--quiet");
    // Of options that stand twice the last one counts: the user's.
    let seconds = part.time.as_secs_f64();
    command.args(["--time", &format!("{seconds:.3}")]);
    command.stdin(Stdio::null());
    if let Some(spare) = spare {
        spare.lend(&mut command).context("cannot lend a JVM")?;
    }
    if jobs > 1 {
        // An option of the user's comes before this.
        command.env(jobs::DEFAULT, "1");
        if !args.options.iter().any(|o| o.starts_with("--memory")) {
            let memory = (options::MEMORY_OF_JAVA / jobs as u64).max(LEAST_MEMORY);
            command.args(["--memory", &memory.to_string()]);
        }
    }
    command.args(&words.changeable);
    if part.goes_on {
        command.arg("--resume").arg(dir);
    } else {
        command.arg("--out").arg(dir);
        command.args(&words.fixed).args(&words.program);
    }
    host::child::output_until(&mut command, stop).context("cannot start a run")
}

/// Prints the warnings of a run, except those that an earlier one had.
fn pass_on(output: &Output, warned: &Mutex<BTreeSet<String>>) {
    let said = String::from_utf8_lossy(&output.stderr);
    for line in said.lines().filter(|l| l.starts_with(WARNING)) {
        let mut warned = warned.lock().unwrap_or_else(PoisonError::into_inner);
        if warned.insert(line.to_string()) {
            say::err!("{line}");
        }
    }
}

/// The results of the run, or its message.
fn tell(method: &mut MethodResult, output: &Output, dir: &Path) {
    let run = Run::without_tests(dir).ok();
    let (found, stats) = run.map_or((Vec::new(), None), |run| (run.errors, run.stats));
    match (output.status.code(), stats) {
        (Some(0 | 1 | 4 | 129 | 130 | 143), Some(stats)) => {
            method.tests = stats.tests;
            method.errors = stats.errors;
            method.bugs = stats.bugs;
            method.found = found;
            method.covered_lines = stats.covered_lines;
            method.total_lines = stats.total_lines;
            method.state = match &stats.halted {
                None => MethodState::Explored,
                Some(_) if stats.has_ended_paths() => MethodState::InPart,
                Some(_) => MethodState::NotServed,
            };
            method.halted = stats.halted;
        }
        _ => {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.lines().rfind(|l| !l.trim().is_empty());
            let last = last
                .unwrap_or("it said nothing")
                .trim_start_matches("polypath: ");
            method.state = MethodState::NotRun;
            method.trouble = Some(last.to_string());
            method.directory.clear();
        }
    }
}
