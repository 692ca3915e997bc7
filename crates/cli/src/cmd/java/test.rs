//! `polypath java test`: all methods of a package that callers from outside can call, each in a run of its own, under one
//! budget.
//!
//! Several runs go on side by side, in the order and with the parts of the time that [`crate::budget`] gives them. A run is a process: a
//! program that takes all memory, or a fault of ours, ends one method's run.

use crate::budget::pay::Pay;
use crate::budget::{BudgetPart, Shares};
use crate::cmd::replay::status::StatusLine;
use crate::exit::{Exit, UsageError};
use crate::options::{self, Value, Whose, named, seconds};
use crate::project::{Setting, Target, Words};
use anyhow::Context;
use jvm::Kit;
use run::java::WARNING;
use run::java::plain::tools;
use run::jobs;
use run::plan::ProgressForm;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use testcase::replay::ReplayProgress;
use testcase::{ErrorRecord, Run};

/// Explores all public methods of a package.
#[derive(clap::Args)]
#[command(after_long_help = crate::exit::HELP)]
pub struct TestArgs {
    /// Directories and .jar files with the program's classes, joined by colons
    class_path: String,
    /// The package; its public methods of public classes are explored
    #[arg(long, value_name = "NAME")]
    package: String,
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

/// The result of a method.
#[derive(Serialize)]
struct MethodResult {
    method: String,
    /// Below the directory of results; empty if it was not run.
    directory: String,
    tests: u64,
    errors: u64,
    /// Places of errors.
    bugs: u64,
    #[serde(skip)]
    found: Vec<ErrorRecord>,
    covered_lines: u64,
    total_lines: u64,
    /// The losses of its run; `null`: everything was explored.
    halted: Option<String>,
    /// Why it was not run, or its run failed.
    trouble: Option<String>,
}

/// Seconds that a method needs at least, about: a JVM begins, and explores for a while.
const ENOUGH_S: u64 = 3;
/// The same as a time.
const ENOUGH: Duration = Duration::from_secs(ENOUGH_S);

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
    let stop = host::signals::flag().context("cannot listen to signals")?;
    let kit = Kit::ensure(tools()?, &mut |text| say::err!("polypath: {text}"))?;
    let mut names = kit.list(&["methods", &args.package], &class_path)?;
    names.sort_by_key(|name| Pay::of_java(name));
    if names.is_empty() {
        let why = format!("package {} has no public methods to call", args.package);
        return Err(UsageError(why).into());
    }
    std::fs::create_dir_all(&args.out)
        .with_context(|| format!("cannot make {}", args.out.display()))?;
    let methods = all(args, &names, &stop)?;
    let path = args.out.join("methods.json");
    std::fs::write(&path, serde_json::to_vec_pretty(&methods)?)
        .with_context(|| format!("cannot write {}", path.display()))?;
    for m in &methods {
        say::out!("{}", line(m));
    }
    let sum = |value: fn(&MethodResult) -> u64| methods.iter().map(value).sum::<u64>();
    let unexplored = methods.iter().filter(|m| m.halted.is_some()).count();
    let troubled = methods.iter().filter(|m| m.trouble.is_some()).count();
    // Several methods may fail in code that they share.
    let bugs = testcase::bug::of_program(methods.iter().flat_map(|m| &m.found));
    say::out!(
        "{} methods: {} tests, {} errors; {unexplored} not explored to the end, {troubled} not run",
        methods.len(),
        sum(|m| m.tests),
        bugs.len()
    );
    let without = methods
        .iter()
        .filter(|m| m.tests == 0 && m.halted.is_some());
    let without = without.count();
    if without > 0 {
        let needed = ENOUGH_S * methods.len() as u64;
        say::out!(
            "{without} methods have no test: --time {} is too little for so many; --time {needed} gives each {ENOUGH_S} s",
            args.time.as_secs_f64()
        );
    }
    // Methods of which nothing was explored say nothing about the package.
    let is_nothing = sum(|m| m.tests) == 0 && unexplored + troubled > 0;
    let exit = Exit::of_run(sum(|m| m.errors), false, is_nothing, true);
    Ok(
        if stop.load(Ordering::Relaxed) && unexplored + troubled > 0 {
            exit.unless_stopped()
        } else {
            exit
        },
    )
}

fn line(m: &MethodResult) -> String {
    match &m.trouble {
        Some(why) => format!("{}: not run: {why}", m.method),
        None => {
            let (covered, total) = (m.covered_lines, m.total_lines);
            let end = if m.halted.is_some() { "" } else { ", explored" };
            format!(
                "{}: {} tests, {} errors, {covered} of {total} lines{end}",
                m.method, m.tests, m.bugs
            )
        }
    }
}

fn all(args: &TestArgs, names: &[String], stop: &AtomicBool) -> anyhow::Result<Vec<MethodResult>> {
    let begun = Instant::now();
    let end = begun + args.time;
    let status = StatusLine::new(args.progress, "explored");
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
    let shares = Mutex::new(Shares::new(names.len(), ENOUGH, jobs));
    let methods: Vec<MethodResult> = names.iter().map(|name| MethodResult::of(name)).collect();
    let methods = Mutex::new(methods);
    let warned = Mutex::new(BTreeSet::new());
    let work = || -> anyhow::Result<()> {
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let Some(part) = held(&shares).next(left) else {
                return Ok(());
            };
            let name = &names[part.at];
            let mut method = MethodResult::of(name);
            method.directory = format!("{:04}", part.at + 1);
            let dir = args.out.join(&method.directory);
            let began = Instant::now();
            let output = one(args, name, &part, jobs, &dir, stop)?;
            pass_on(&output, &warned);
            tell(&mut method, &output, &dir);
            let can_go_on = method.trouble.is_none() && testcase::frontier::exists(&dir);
            let mut methods = held(&methods);
            let known = &mut methods[part.at];
            let found = (method.covered_lines + method.bugs)
                .saturating_sub(known.covered_lines + known.bugs);
            *known = method;
            held(&shares).ended(part.at, began.elapsed(), found, !can_go_on);
            progress(methods.iter().filter(|m| m.is_begun()).count());
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
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
    for method in methods.iter_mut().filter(|m| !m.is_begun()) {
        let why = if stopped {
            "interrupted"
        } else {
            "there was no time left"
        };
        method.trouble = Some(why.into());
    }
    Ok(methods)
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl MethodResult {
    /// Of a method that was not run.
    fn of(name: &str) -> MethodResult {
        MethodResult {
            method: name.into(),
            directory: String::new(),
            tests: 0,
            errors: 0,
            bugs: 0,
            found: Vec::new(),
            covered_lines: 0,
            total_lines: 0,
            halted: None,
            trouble: None,
        }
    }

    fn is_begun(&self) -> bool {
        !self.directory.is_empty() || self.trouble.is_some()
    }
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
    stop: &AtomicBool,
) -> anyhow::Result<Output> {
    let words = words(args, name)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(Whose::JavaRun.words()).arg("--quiet");
    // Of options that stand twice the last one counts: the user's.
    let seconds = part.time.as_secs_f64();
    command.args(["--time", &format!("{seconds:.3}")]);
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
            method.halted = stats.halted;
        }
        _ => {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.lines().rfind(|l| !l.trim().is_empty());
            let last = last
                .unwrap_or("it said nothing")
                .trim_start_matches("polypath: ");
            method.trouble = Some(last.to_string());
            method.directory.clear();
        }
    }
}
