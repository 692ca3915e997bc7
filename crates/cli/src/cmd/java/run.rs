//! `polypath java run`: from a class path to a directory of tests.

use super::given::{Blocks, Calls};
use super::hash::hash;
use super::options::{LOG, RunArgs, place_of};
use super::part::{self, Task};
use super::plan::Plan;
use super::policy::Policy;
use super::replay::tools;
use super::sources::Sources;
use super::witness;
use crate::cmd::run::limits::cpu_guard;
use crate::exit::{Exit, UsageError};
use crate::session::jobs::board::Board;
use crate::session::jobs::checkpoint::Checkpoint;
use crate::session::jobs::crew::{self, Pids, Prefixes};
use crate::session::jobs::explored::{self, Explored};
use crate::session::jobs::solo::Before;
use crate::session::jobs::{self, Welcome};
use crate::session::progress::{Progress, short};
use crate::session::record::{Cases, Recorder, STILL_RUNNING};
use crate::session::resume::Past;
use crate::session::{last_words, usage};
use anyhow::{Context, anyhow};
use dse::Concolic;
use explore::{Ending, Loss, Totals};
use fence::Fence;
use host::blob::Blob;
use host::{Cause, TimeLimits, Watchdog};
use jvm::{Failure, Java, Kit};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
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
pub fn run(args: &RunArgs) -> anyhow::Result<Exit> {
    let (most, at_once) = args.workers()?;
    args.strategy(0)?;
    args.techniques()?;
    args.files()?;
    let class_path = args.classes()?;
    let junit = args.junit()?;
    let policy = Policy::new(&args.expect, &args.check)?;
    let seeds = args.seeds()?;
    if args.sym_args.chunks(3).any(|c| c[0] > c[1]) {
        return Err(UsageError("--sym-args MIN MAX LEN: MIN is more than MAX".into()).into());
    }
    let program = hash(&class_path);
    let memory = args.memory << 20;
    let place = match args.resume.as_deref() {
        Some(dir) => Place::Old(Box::new(past(dir, args, &program)?)),
        None => Place::New(
            Reserved::new(args.out.as_deref(), &std::env::current_dir()?)
                .map_err(|e| UsageError(format!("{e:#}")))?,
        ),
    };
    let tools = tools()?;
    let begun = Instant::now();
    let limit = (!args.time.is_zero()).then_some(args.time);
    let mut progress = Progress::new(limit, args.quiet);
    let kit = Kit::ensure(tools, &mut |text| progress.note(text))?;
    let entry = match &args.entry {
        Some(entry) => entry.clone(),
        None => main_method(args, &kit, &class_path)?,
    };
    let pids = Pids::default();
    let watchdog = watch(args, begun, &pids)?;
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
    let sources = Rc::new(RefCell::new(Sources::new(&args.source_path, &class_path)));
    let cases = Cases {
        tests: args.tests,
        given: Box::new(Calls {
            entry: entry.clone(),
            sources: sources.clone(),
            lengths: args.lengths(),
        }),
    };
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
        strict: args.strict,
    };
    let on_end = last.clone();
    watchdog.on_end(Box::new(move |cause| on_end.write(cause).into()));
    exec::limit_memory(memory);
    let all = Exploration {
        args,
        task: Task {
            entry,
            program,
            results: out.path().to_path_buf(),
        },
        most,
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
            let mut info = run_info(args);
            info.versions
                .insert("java".into(), kit.tools.version.clone());
            out.write_info(&info);
            all.begin(kit, info, (seeds, at_once), &mut recorder)
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
    discard_places(&out, args);
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
    let source = match junit {
        Some(version) => junit::write(out.path(), &plan.method, version),
        None => Ok(None),
    };
    let found = out.program_errors();
    let witness = args
        .witness
        .as_ref()
        .map(|file| witness::write(file, &out, &plan));
    let internal = totals.counters.endings.of(Ending::Internal) > 0;
    let wrong_models = totals.losses.of(Loss::Models) > 0 || !rejected.is_empty();
    let failed = internal || wrong_models || written.lost + written.failed_writes > 0;
    let failed = failed || !totals.wrong.is_empty() || source.is_err();
    let failed = failed || witness.as_ref().is_some_and(Result::is_err);
    let exit = crate::session::claim::exit(&stats, found, failed, args.strict);
    watchdog.settle(exit.into());
    if !args.quiet {
        summary(&stats, &totals, found, &out, written.written());
    }
    match &source {
        Ok(Some(path)) if !args.quiet => say::err!("polypath: JUnit: {}", path.display()),
        Ok(_) => {}
        Err(e) => say::err!("polypath: no JUnit class was written: {e:#}"),
    }
    match &witness {
        Some(Ok(what)) if !args.quiet => say::err!("polypath: {what}"),
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
    crate::session::claim::say(
        &stats,
        out.path(),
        "polypath java run",
        args.quiet,
        args.strict,
    );
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
    Old(Box<Past<Plan>>),
}

/// What is left of a run of the program with this hash.
fn past(dir: &Path, args: &RunArgs, program: &str) -> anyhow::Result<Past<Plan>> {
    let plan = |info: &RunInfo| Plan::of(Some(info)).map_err(|e| format!("{e:#}"));
    let past = Past::read(dir, args.shelf(dir), plan)?;
    if past.checkpoint.program != program {
        let why = format!("--resume {}: the classes have changed since", dir.display());
        return Err(UsageError(why).into());
    }
    Ok(past)
}

/// A run, from the moment on that it has a directory.
struct Exploration<'a> {
    args: &'a RunArgs,
    task: Task,
    /// The most workers.
    most: u32,
    /// Bytes; 0: no limit.
    memory: u64,
    watchdog: &'a Watchdog,
    pids: Pids,
    policy: Policy,
    class: (Option<Version>, Class),
}

/// Inputs to begin with by their names, and whether several workers explore from the beginning.
type Start = (Vec<(String, Vec<u8>)>, bool);

impl Exploration<'_> {
    /// The program, in a JVM of this process.
    fn java(&mut self, kit: Kit, recorder: &Recorder) -> anyhow::Result<Java> {
        let entry = self.task.entry.clone();
        let options = self
            .args
            .program(kit, entry.clone(), &self.task.results, 0)?;
        let log = options.log.clone();
        let solver = self.args.solver(false)?;
        let judge = std::mem::take(&mut self.policy).judge();
        let stop = self.watchdog.stop();
        let mut java = match Java::new(options, solver, judge, stop, self.memory) {
            Ok(java) => java,
            Err(Failure::Refused(why)) => {
                return Err(UsageError(format!("{entry}: {why}")).into());
            }
            Err(error) => return Err(anyhow!("{error}{}", said(&log))),
        };
        java.put_aside_on(self.args.shelf(recorder.out.path()));
        Ok(java)
    }

    /// The run's tests become a class of this method.
    fn tests(&self, plan: &Plan) {
        let (version, class) = &self.class;
        let mut class = class.lock().unwrap_or_else(PoisonError::into_inner);
        *class = version.map(|version| (plan.method.clone(), version));
    }

    /// Explores from the first path on.
    fn begin(
        mut self,
        kit: Kit,
        mut info: RunInfo,
        (seeds, at_once): Start,
        recorder: &mut Recorder,
    ) -> anyhow::Result<(Plan, Explored)> {
        let out = recorder.out.clone();
        let args = self.args;
        let made = self.java(kit, recorder);
        let mut java = made.inspect_err(|e| {
            if e.is::<UsageError>() {
                discard(out.path());
            }
        })?;
        let plan = Plan::new(args, &args.classes()?, java.facts())?;
        self.tests(&plan);
        info.plan = Some(serde_json::to_value(&plan)?);
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
        if at_once {
            // The workers have JVMs of their own.
            let first = dse::first_prefixes(&java, inputs).into_iter();
            drop(java);
            let shelf = args.shelf(out.path());
            let left = Checkpoint {
                prefixes: first.map(|bytes| Arc::new(shelf.put(bytes))).collect(),
                ..Checkpoint::default()
            };
            let _lock = testcase::frontier::lock(out.path())?;
            let explored = self.share(left, shelf, recorder)?;
            return Ok((plan, explored));
        }
        let options = args.explorer(self.watchdog.stop())?;
        let all = Concolic::new(java, args.strategy(0)?, options).from_inputs(inputs);
        let others = (self.most > 1).then(|| self.plan(args.shelf(out.path()), recorder));
        let explored = explored::alone(
            Box::new(all),
            self.task.program.clone(),
            others.transpose()?,
            self.watchdog,
            recorder,
        )?;
        Ok((plan, explored))
    }

    /// Goes on where an earlier run was.
    fn go_on(
        mut self,
        kit: Kit,
        past: Past<Plan>,
        recorder: &mut Recorder,
    ) -> anyhow::Result<(Plan, Explored)> {
        let Past {
            plan,
            checkpoint,
            shelf,
            lock: _lock,
            ..
        } = past;
        self.tests(&plan);
        let explored = if self.most > 1 {
            self.share(checkpoint, shelf, recorder)?
        } else {
            let mut java = self.java(kit, recorder)?;
            java.commons = Some(Rc::new(Before::of(&checkpoint)));
            let options = self.args.explorer(self.watchdog.stop())?;
            let all = Concolic::new(java, self.args.strategy(0)?, options).shared();
            let all = Box::new(all);
            explored::go_on_alone(all, checkpoint, self.watchdog, recorder)?
        };
        Ok((plan, explored))
    }

    /// Several workers explore what is left, which is on the shelf.
    fn share(
        &self,
        left: Checkpoint,
        shelf: host::shelf::Shelf,
        recorder: &mut Recorder,
    ) -> anyhow::Result<Explored> {
        let workers = format!("{} workers explore", self.most);
        recorder.progress.note(&workers);
        let plan = self.plan(shelf, recorder)?;
        explored::together(plan, None, left, recorder)
    }

    /// What a run by several workers is, with nothing to explore yet.
    fn plan(&self, shelf: host::shelf::Shelf, recorder: &Recorder) -> anyhow::Result<crew::Plan> {
        const NO_MEMORY: &str = "no memory to share with workers";
        // They read nothing of it: a Java program's classes are files.
        let ir = Blob::new(&[0]).context(NO_MEMORY)?;
        let seats = crew::Plan::seats(self.most, false);
        let board = Board::new(seats + 1, BLOCKS).context(NO_MEMORY)?;
        Ok(crew::Plan {
            jobs: self.most,
            cluster: None,
            cpu_time: self.args.cpu_time,
            command: &["java", part::NAME],
            // Behind `polypath java run`.
            args: crate::arguments().iter().skip(3).cloned().collect(),
            rich: RICH,
            welcome: Welcome {
                plan: serde_json::to_string(&self.task)?,
                frontend: "java".into(),
                ir: ir.path(),
                invented: Vec::new(),
                elapsed: recorder.progress.elapsed(),
                board: board.path().context(NO_MEMORY)?,
                seat: 0,
                number: 0,
                memory: jobs::share_of_memory(self.memory, self.most),
                grace: self.watchdog.grace() / 4,
                has_task: false,
                scouts: None,
                spill: None,
            },
            _ir: ir,
            board,
            program: self.task.program.clone(),
            begin: Checkpoint::default(),
            shelf,
            memory: self.memory,
            stop: self.watchdog.stop(),
            limits: self.watchdog.limits(),
            pids: self.pids.clone(),
            prefixes: Prefixes {
                lost: Box::new(jvm::lost),
                open: Some(jvm::open_branches),
            },
            scout: None,
            rounds: None,
        })
    }
}

/// The method main of a whole program.
fn main_method(args: &RunArgs, kit: &Kit, class_path: &[PathBuf]) -> anyhow::Result<String> {
    let class = match &args.main {
        Some(class) => class.clone(),
        None => {
            let mut all = kit.list(&["main"], class_path)?;
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
fn watch(args: &RunArgs, begun: Instant, pids: &Pids) -> anyhow::Result<Watchdog> {
    let limits = TimeLimits {
        started: crate::started() + begun.elapsed(),
        wall: (!args.time.is_zero()).then_some(args.time),
        cpu: None,
    };
    let watchdog = Watchdog::start(limits, Exit::Failed.into()).context("cannot watch the run")?;
    let cap = args.memory << 20;
    let most = cap + (cap / 10).max(64 << 20);
    watchdog.guard(Box::new(move || {
        let used = room::resident().unwrap_or_else(room::used);
        (cap > 0 && used > most).then_some(Cause::Memory)
    }));
    if !args.cpu_time.is_zero() {
        watchdog.guard(cpu_guard(args.cpu_time, pids.clone()));
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
fn discard_places(out: &OutputDir, args: &RunArgs) {
    for worker in 0..args.workers().map_or(1, |(workers, _)| workers) {
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

fn run_info(args: &RunArgs) -> RunInfo {
    use std::os::unix::ffi::OsStringExt;
    let words = crate::arguments().iter().cloned();
    RunInfo {
        command: words.map(OsStringExt::into_vec).collect(),
        version: env!("CARGO_PKG_VERSION").into(),
        program: args.class_path.clone(),
        mode: "java".into(),
        search: args.search.clone(),
        seed: args.seed,
        started: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |d| d.as_secs()),
        ..RunInfo::default()
    }
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
