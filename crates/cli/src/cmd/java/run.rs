//! `polypath java run`: from a class path to a directory of tests.

use super::given::Blocks;
use super::hash::hash;
use super::policy::Policy;
use super::program::{self, LOG, place_of};
use super::replay::tools;
use super::sources::Sources;
use super::witness;
use crate::cmd::run::limits::cpu_guard;
use crate::exit::{Exit, UsageError};
use crate::options::{Invocation, JavaRunArgs};
use crate::session::jobs::checkpoint::Checkpoint;
use crate::session::jobs::crew::{self, Pids, Prefixes};
use crate::session::jobs::explored::{self, Explored};
use crate::session::jobs::solo::Before;
use crate::session::plan::{self, Language, Plan};
use crate::session::progress::{Progress, short};
use crate::session::record::{Recorder, STILL_RUNNING};
use crate::session::resume::Past;
use crate::session::{last_words, usage};
use anyhow::{Context, Error, anyhow};
use dse::Concolic;
use explore::{Ending, Loss, Totals};
use fence::Fence;
use host::{Cause, TimeLimits, Watchdog};
use jvm::{Failure, Java, Kit};
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use testcase::java::Method;
use testcase::java::junit::{self, Version};
use testcase::{OutputDir, Reserved, RunInfo, RunStats};

/// How long there has to have been something to give to others, until others begin: they start a JVM each, and load the classes
/// again.
const RICH: Duration = Duration::from_secs(2);
/// Blocks that several workers cover, at most: beyond that each of them is the first there.
const BLOCKS: usize = 1 << 20;

/// Explores.
///
/// # Errors
/// Wrong usage, a JDK that is missing, files that cannot be written.
pub fn run(args: &JavaRunArgs) -> anyhow::Result<Exit> {
    let (mut plan, invocation) = args.plan()?;
    let (quiet, strict) = (plan.output.quiet, plan.output.strict);
    let mut java = plan.java().map_err(Error::msg)?.clone();
    let junit = java.junit()?;
    let policy = Policy::new(&java.expect, &java.check)?;
    let seeds = program::seeds(&plan)?;
    java.hash = hash(&java.class_path);
    let memory = plan.memory();
    let Invocation { out, resume } = invocation;
    let place = match resume {
        Some(dir) => Place::Old(Box::new(past(&dir, &plan, &java.hash)?)),
        None => Place::New(
            Reserved::new(out.as_deref(), &std::env::current_dir()?)
                .map_err(|e| UsageError(format!("{e:#}")))?,
        ),
    };
    let tools = tools()?;
    let begun = Instant::now();
    let time = plan.limits.time;
    let mut progress = Progress::new((!time.is_zero()).then_some(time), quiet);
    let kit = Kit::ensure(tools, &mut |text| progress.note(text))?;
    if java.entry.is_none() {
        java.entry = Some(main_method(&java, &kit)?);
    }
    let witness_file = java.witness.clone();
    let class_path = java.class_path.clone();
    let source_path = java.source_path.clone();
    plan.language = Language::Java(Box::new(java));
    let pids = Pids::default();
    let watchdog = watch(&plan, begun, &pids)?;
    let (out, past) = match place {
        Place::New(place) => (OutputDir::begin(place)?, None),
        Place::Old(past) => {
            let written = past.checkpoint.written.clone();
            let next = past.checkpoint.next_test;
            (OutputDir::resume(&past.dir, written, next)?, Some(past))
        }
    };
    let out = Arc::new(out);
    progress.note(&format!("results in {}", out.path().display()));
    let sources = Rc::new(RefCell::new(Sources::new(&source_path, &class_path)));
    let cases = program::cases(&plan, plan.java().map_err(Error::msg)?, sources.clone())?;
    let atlas = Blocks {
        places: jvm::Places::default(),
        sources,
    };
    let mut recorder = Recorder::new(out.clone(), progress, cases, Box::new(atlas));
    recorder.has_branches = true;
    if let Some(past) = &past {
        let left = &past.checkpoint;
        let wall = Duration::from_secs_f64(left.wall_s.max(0.0));
        recorder.goes_on(left.next_test, wall, left.cpu_s);
    } else {
        recorder.write_stats(&Totals::default(), Some(STILL_RUNNING));
    }
    let class = Arc::new(Mutex::new(None));
    let last = LastWords {
        out: out.clone(),
        shared: recorder.snapshot.clone(),
        class: class.clone(),
        strict,
    };
    let on_end = last.clone();
    watchdog.on_end(Box::new(move |cause| on_end.write(cause).into()));
    exec::limit_memory(memory);
    let all = Exploration {
        plan,
        memory,
        watchdog: &watchdog,
        pids,
        policy,
        class: (junit, class),
    };
    let log = out.path().join(LOG);
    let ended = match past {
        Some(past) => all.go_on(kit, *past, &mut recorder),
        None => {
            let mut info = run_info(&all.plan)?;
            info.versions
                .insert("java".into(), kit.tools.version.clone());
            out.write_info(&info);
            all.begin(kit, info, seeds, &mut recorder)
        }
    };
    let (plan, explored) = match (ended, watchdog.stop().cause()) {
        (Ok(ended), _) => ended,
        // Whatever failed, failed because the run was stopped: a JVM that starts, for instance.
        (Err(error), Some(cause)) if !error.is::<UsageError>() => {
            let exit = last.write(cause);
            watchdog.settle(exit.into());
            return Ok(exit);
        }
        (Err(error), _) => return Err(error),
    };
    let Explored {
        totals,
        halted,
        rejected,
    } = explored;
    recorder.progress.clear();
    discard_places(&out, &plan);
    for (i, script) in rejected.iter().enumerate() {
        let path = out.path().join(format!("wrong-model-{i}.smt2"));
        std::fs::write(&path, script)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    recorder.point(&totals);
    if halted.is_none() {
        out.settle();
    }
    let stats = recorder.write_stats(&totals, halted.as_deref());
    let written = out.finish();
    // Not before: who is killed on the way has something to go on with.
    if recorder.has_nothing_left
        && let Err(e) = testcase::frontier::remove(out.path())
    {
        say::err!("polypath: cannot remove the frontier: {e}");
    }
    let java = plan.java().map_err(Error::msg)?;
    let source = match junit {
        Some(version) => junit::write(out.path(), java.method()?, version),
        None => Ok(None),
    };
    let found = out.program_errors();
    let witness = witness_file
        .as_ref()
        .map(|file| witness::write(file, &out, java));
    let internal = totals.counters.endings.of(Ending::Internal) > 0;
    let wrong_models = totals.losses.of(Loss::Models) > 0 || !rejected.is_empty();
    let failed = internal || wrong_models || written.lost + written.failed_writes > 0;
    let failed = failed || !totals.wrong.is_empty() || source.is_err();
    let failed = failed || witness.as_ref().is_some_and(Result::is_err);
    let exit = crate::session::claim::exit(&stats, found, failed, strict);
    watchdog.settle(exit.into());
    if !quiet {
        summary(&stats, &totals, found, &out, written.written());
    }
    match &source {
        Ok(Some(path)) if !quiet => say::err!("polypath: JUnit: {}", path.display()),
        Ok(_) => {}
        Err(e) => say::err!("polypath: no JUnit class was written: {e:#}"),
    }
    match &witness {
        Some(Ok(what)) if !quiet => say::err!("polypath: {what}"),
        Some(Err(e)) => say::err!("polypath: no witness was written: {e:#}"),
        Some(Ok(_)) | None => {}
    }
    if let Some(failure) = &written.first_failure {
        say::err!("polypath: not everything could be written: {failure}");
    }
    for why in totals.machine.warnings.iter().take(WARNINGS) {
        say::err!(
            "polypath: {why}{}",
            if internal { said(&log) } else { String::new() }
        );
    }
    for wrong in &totals.wrong {
        say::err!("polypath: a term is wrong, please report it: {wrong}");
    }
    crate::session::claim::say(&stats, out.path(), "polypath java run", quiet, strict);
    Ok(exit)
}

/// Warnings that are shown.
const WARNINGS: usize = 2;

/// What is written of a run that cannot end by itself.
#[derive(Clone)]
struct LastWords {
    out: Arc<OutputDir>,
    shared: last_words::Shared,
    class: Class,
    strict: bool,
}

/// The method under test and the JUnit that its class is written for, once they are known and if one is wanted.
type Class = Arc<Mutex<Option<(Method, Version)>>>;

impl LastWords {
    fn write(&self, cause: Cause) -> Exit {
        let exit = last_words::write(cause, &self.out, &self.shared, "java run", self.strict);
        let class = self.class.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((method, version)) = &*class
            && let Err(e) = junit::write(self.out.path(), method, *version)
        {
            last_words::say(&format!("no JUnit class was written: {e:#}"));
        }
        exit
    }
}

/// Where results go.
enum Place {
    /// To a directory that is taken.
    New(Reserved),
    /// To that of an earlier run.
    Old(Box<Past>),
}

/// What is left of a run of the program with this hash.
fn past(dir: &Path, plan: &Plan, program: &str) -> anyhow::Result<Past> {
    let past = Past::read(dir, plan.shelf(dir))?;
    if past.checkpoint.program != program {
        let why = format!("--resume {}: the classes have changed since", dir.display());
        return Err(UsageError(why).into());
    }
    Ok(past)
}

/// A run, from the moment on that it has a directory.
struct Exploration<'a> {
    plan: Plan,
    /// Bytes; 0: no limit.
    memory: u64,
    watchdog: &'a Watchdog,
    pids: Pids,
    policy: Policy,
    class: (Option<Version>, Class),
}

impl Exploration<'_> {
    /// The program, in a JVM of this process.
    fn java(&mut self, kit: Kit, recorder: &Recorder) -> anyhow::Result<Java> {
        let of = self.plan.java().map_err(Error::msg)?;
        let options = program::options(of, kit, recorder.out.path(), 0)?;
        let (log, entry) = (options.log.clone(), options.entry.clone());
        let solver = program::solver(&self.plan, false)?;
        let judge = std::mem::take(&mut self.policy).judge();
        let stop = self.watchdog.stop();
        let mut java = match Java::new(options, solver, judge, stop, self.memory) {
            Ok(java) => java,
            Err(Failure::Refused(why)) => {
                return Err(UsageError(format!("{entry}: {why}")).into());
            }
            Err(error) => return Err(anyhow!("{error}{}", said(&log))),
        };
        java.put_aside_on(self.plan.shelf(recorder.out.path()));
        Ok(java)
    }

    fn of(&self) -> anyhow::Result<&plan::Java> {
        self.plan.java().map_err(Error::msg)
    }

    /// The exploration of the program, by one worker.
    fn concolic(&self, java: Java) -> anyhow::Result<Concolic<Java>> {
        let explorer = program::explorer(&self.plan, self.of()?, self.watchdog.stop())?;
        let strategy = program::strategy(&self.plan, 0)?;
        Ok(Concolic::new(java, strategy, explorer))
    }

    /// The run's tests become a class of this method.
    fn tests(&self) -> anyhow::Result<()> {
        let method = self.plan.java().map_err(Error::msg)?.method()?;
        let (version, class) = &self.class;
        let mut class = class.lock().unwrap_or_else(PoisonError::into_inner);
        *class = version.map(|version| (method.clone(), version));
        Ok(())
    }

    /// Explores from the first path on.
    fn begin(
        mut self,
        kit: Kit,
        mut info: RunInfo,
        seeds: Vec<(String, Vec<u8>)>,
        recorder: &mut Recorder,
    ) -> anyhow::Result<(Plan, Explored)> {
        let out = recorder.out.clone();
        let made = self.java(kit, recorder);
        let mut java = made.inspect_err(|e| {
            if e.is::<UsageError>() {
                discard(out.path());
            }
        })?;
        if let Language::Java(of) = &mut self.plan.language {
            of.learn(java.facts())?;
        }
        self.tests()?;
        self.plan.keep(&mut info, false)?;
        out.write_info(&info);
        if let Some(warning) = java.fence().and_then(Fence::warning) {
            // Also where nothing else is said.
            recorder.progress.say(&format!(
                "{}{warning}",
                super::WARNING.trim_start_matches("polypath: ")
            ));
        }
        let exploring = format!("exploring {}", java.description());
        recorder.progress.note(&exploring);
        if let Some(note) = usage::little_memory(self.memory) {
            recorder.progress.note(&note);
        }
        let mut inputs = Vec::new();
        for (name, bytes) in &seeds {
            match java.raw_input(bytes) {
                Ok(input) => inputs.push(input),
                Err(why) => {
                    discard(out.path());
                    return Err(UsageError(format!("{name}: {why}")).into());
                }
            }
        }
        if self.plan.has_workers() {
            // The workers have JVMs of their own.
            let first = dse::first_prefixes(&java, inputs).into_iter();
            drop(java);
            let shelf = self.plan.shelf(out.path());
            let left = Checkpoint {
                prefixes: first.map(|bytes| Arc::new(shelf.put(bytes))).collect(),
                ..Checkpoint::default()
            };
            let _lock = testcase::frontier::lock(out.path())?;
            let explored = self.share(left, shelf, recorder)?;
            return Ok((self.plan, explored));
        }
        let all = self.concolic(java)?.from_inputs(inputs);
        let others = self.plan.may_get_workers();
        let others = others.then(|| self.others(self.plan.shelf(out.path()), recorder));
        let explored = explored::alone(
            Box::new(all),
            self.of()?.hash.clone(),
            others.transpose()?,
            self.watchdog,
            recorder,
        )?;
        Ok((self.plan, explored))
    }

    /// Goes on where an earlier run was.
    fn go_on(
        mut self,
        kit: Kit,
        past: Past,
        recorder: &mut Recorder,
    ) -> anyhow::Result<(Plan, Explored)> {
        let Past {
            checkpoint,
            shelf,
            lock: _lock,
            ..
        } = past;
        self.tests()?;
        let explored = if self.plan.has_workers() {
            self.share(checkpoint, shelf, recorder)?
        } else {
            let mut java = self.java(kit, recorder)?;
            java.commons = Some(Rc::new(Before::of(&checkpoint)));
            let all = Box::new(self.concolic(java)?.shared());
            explored::go_on_alone(all, checkpoint, self.watchdog, recorder)?
        };
        Ok((self.plan, explored))
    }

    /// Several workers explore what is left, which is on the shelf.
    fn share(
        &self,
        left: Checkpoint,
        shelf: host::shelf::Shelf,
        recorder: &mut Recorder,
    ) -> anyhow::Result<Explored> {
        let workers = format!("{} workers explore", self.plan.jobs());
        recorder.progress.note(&workers);
        let plan = self.others(shelf, recorder)?;
        explored::together(plan, None, left, recorder)
    }

    /// What a run by several workers is, with nothing to explore yet.
    fn others(&self, shelf: host::shelf::Shelf, recorder: &Recorder) -> anyhow::Result<crew::Plan> {
        let shared = crew::Shared {
            program: self.of()?.hash.clone(),
            places: BLOCKS,
            // They read nothing of it: a Java program's classes are files.
            ir: vec![0],
            frontend: String::new(),
            prefixes: Prefixes {
                lost: Box::new(jvm::lost),
                open: Some(jvm::open_branches),
            },
            rich: RICH,
            spills: false,
            entrance: None,
            launcher: None,
            pids: self.pids.clone(),
        };
        crew::Plan::new(&self.plan, shared, shelf, self.watchdog, recorder)
    }
}

/// The method main of a whole program.
fn main_method(java: &plan::Java, kit: &Kit) -> anyhow::Result<String> {
    let class = match &java.main {
        Some(class) => class.clone(),
        None => {
            let mut all = kit.list(&["main"], &java.class_path)?;
            match (all.pop(), all.is_empty()) {
                (Some(class), true) => class,
                (None, _) => {
                    let why =
                        "no class of the class path has a method main: name a method with --entry";
                    return Err(UsageError(why.into()).into());
                }
                (Some(last), false) => {
                    all.push(last);
                    let why = format!(
                        "several classes have a method main; name one with --main: {}",
                        all.join(", ")
                    );
                    return Err(UsageError(why).into());
                }
            }
        }
    };
    Ok(format!("{class}.main(java.lang.String[])"))
}

/// Holds the run to its limits; what was compiled once is no part of it.
fn watch(plan: &Plan, begun: Instant, pids: &Pids) -> anyhow::Result<Watchdog> {
    let (time, cpu_time) = (plan.limits.time, plan.limits.cpu_time);
    let limits = TimeLimits {
        started: crate::started() + begun.elapsed(),
        wall: (!time.is_zero()).then_some(time),
        cpu: None,
    };
    let watchdog = Watchdog::start(limits, Exit::Failed.into()).context("cannot watch the run")?;
    let cap = plan.memory();
    let most = cap + (cap / 10).max(64 << 20);
    watchdog.guard(Box::new(move || {
        let used = room::resident().unwrap_or_else(room::used);
        (cap > 0 && used > most).then_some(Cause::Memory)
    }));
    if !cpu_time.is_zero() {
        watchdog.guard(cpu_guard(cpu_time, pids.clone()));
    }
    Ok(watchdog)
}

/// What the JVM said of itself, if it said anything.
fn said(log: &Path) -> String {
    match std::fs::read_to_string(log) {
        Ok(text) if !text.trim().is_empty() => format!("\n{}", text.trim_end()),
        _ => String::new(),
    }
}

/// The files that programs worked with are no results.
fn discard_places(out: &OutputDir, plan: &Plan) {
    for worker in 0..plan.jobs() {
        let place = place_of(out.path(), worker);
        match std::fs::remove_dir_all(&place) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                say::err!("polypath: cannot remove {}: {e}", place.display());
            }
            _ => {}
        }
    }
}

/// A run that did not begin leaves no directory.
fn discard(out: &Path) {
    let _ = std::fs::remove_dir_all(out);
    if let Some(base) = out.parent() {
        let last = base.join("polypath-last");
        if std::fs::read_link(&last).is_ok_and(|to| base.join(to) == out) {
            let _ = std::fs::remove_file(last);
        }
    }
}

fn run_info(plan: &Plan) -> anyhow::Result<RunInfo> {
    use std::os::unix::ffi::OsStringExt;
    let words = crate::arguments().iter().cloned();
    Ok(RunInfo {
        command: words.map(OsStringExt::into_vec).collect(),
        version: env!("CARGO_PKG_VERSION").into(),
        program: plan.java().map_err(Error::msg)?.named.clone(),
        mode: "java".into(),
        search: plan.search_name().to_string(),
        seed: plan.search.seed,
        started: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |d| d.as_secs()),
        ..RunInfo::default()
    })
}

fn summary(stats: &RunStats, totals: &Totals, found: u64, out: &OutputDir, tests: u64) {
    say::err!(
        "polypath: {} paths complete, {} partial; {tests} tests in {}",
        stats.completed_paths,
        stats.partial_paths,
        out.path().display()
    );
    say::err!(
        "polypath: {} of {} instructions of the classes loaded",
        stats.covered_instructions,
        stats.total_instructions
    );
    say::err!(
        "polypath: {} instructions, {} records, {} queries, solver {:.2} s, CPU {:.2} s, wall {:.2} s",
        short(stats.instructions),
        short(
            totals
                .counters
                .schedule
                .get("java_records")
                .copied()
                .unwrap_or(0)
        ),
        stats.queries,
        stats.solver_time_s,
        stats.cpu_s,
        stats.wall_s
    );
    if found > 0 {
        let word = if found == 1 { "error" } else { "errors" };
        let path = out.path().join("errors.json");
        say::err!("polypath: {found} {word} found: {}", path.display());
    }
}
