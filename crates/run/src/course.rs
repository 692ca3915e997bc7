//! The course of a run of any language, from its plan to its exit status: directory of the results, program, limits,
//! record, last words, exploration, statistics, claim.

use super::fuzz_board::FuzzFigures;
use super::fuzzers::Fuzzers;
use super::jobs::checkpoint::Checkpoint;
use super::jobs::crew::{self, Pids};
use super::jobs::explored::Explored;
use super::jobs::{share_of_memory, staffing};
use super::language::{Extras, Language, RecordParts, Setting};
use super::last_words::LastRecord;
use super::native::NativeProgram;
use super::plan::{Mode, Plan};
use super::progress::Progress;
use super::record::{Allowance, Recorder, STILL_RUNNING};
use super::resume::Past;
use super::usage::{cpu_seconds, peak_memory_mb};
use super::{claim, last_words};
use crate::exchange::Exchange;
use crate::exit::{Exit, UsageError};
use anyhow::Context;
use explore::{Ending, Loss};
use host::{Cause, Stop, TimeLimits, Watchdog};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use testcase::{OutputDir, Reserved, RunInfo, RunStats};

/// An installation that takes longer is told of.
const LONG_INSTALLATION: Duration = Duration::from_secs(2);

/// What the last words take at most of a run that was to end before.
const WORDS: Duration = Duration::from_millis(400);

/// The directory of a run's results.
pub enum Results {
    /// To a new directory: the one that the user names, or the next of ours.
    New(Option<PathBuf>),
    /// To that of the run that is continued.
    Old(PathBuf),
}

/// Runs a plan.
///
/// # Errors
/// Wrong usage, a program that cannot be run, files that cannot be written.
pub fn run(
    mut plan: Plan,
    results: Results,
    mut language: Box<dyn Language>,
    pids: Pids,
) -> anyhow::Result<Exit> {
    let (limit, quiet) = (plan.limits.time, plan.output.quiet);
    let limit = (!limit.is_zero()).then_some(limit);
    let mut progress = Progress::new(plan.output.progress, quiet);
    let (place, mut past) = match &results {
        Results::New(out) => (Some(reserve(out.as_deref())?), None),
        Results::Old(dir) => (None, Some(Past::read(dir, plan.shelf(dir))?)),
    };
    let place: ReservedDir = Arc::new(Mutex::new(place));
    // The first sign of life, before a compiler starts.
    for words in language.first_words(&plan) {
        progress.note(&words);
    }
    let begun = Instant::now();
    host::clock::aside(|| language.install(&mut plan, &mut progress))?;
    let installed = begun.elapsed();
    if installed >= LONG_INSTALLATION {
        let seconds = installed.as_secs_f64();
        progress.note(&format!(
            "that is made once, and took {seconds:.0} s, which --time and --cpu-time do not count (install_s in stats.json; wall_s has them)"
        ));
    }
    let watchdog = watch(&*language, &plan, limit, installed, &pids)?;
    let mut info = info(&*language, &plan);
    let stopped = (place.clone(), info.clone(), plan.output.strict);
    watchdog.on_end(Box::new(move |cause| {
        let (place, info, strict) = &stopped;
        never_began(place, info, cause, *strict).into()
    }));
    let loaded = language.load(&mut plan, watchdog.stop(), &mut progress);
    let loaded = loaded.and_then(|hash| is_of(past.as_ref(), &*language, hash));
    let hash = match (loaded, watchdog.stop().cause()) {
        (Ok(hash), _) => hash,
        // Whatever failed, failed because it was stopped.
        (Err(_), Some(cause)) => {
            return Ok(never_began(&place, &info, cause, plan.output.strict));
        }
        (Err(error), None) => {
            // What was made for a run that does not begin goes again.
            drop(taken(&place));
            return Err(error);
        }
    };
    let exchange = plan.search.sync.as_deref().map(Exchange::open);
    let exchange = exchange.transpose().inspect_err(|_| {
        // As above.
        drop(taken(&place));
    })?;
    let native;
    let out = match &mut past {
        Some(past) => {
            let written = past.checkpoint.written.clone();
            let (out, next_test) =
                OutputDir::resume(&past.dir, written, past.checkpoint.next_test)?;
            past.checkpoint.next_test = next_test;
            let known = crate::resume::info(out.path())?;
            native = NativeProgram::of(&known);
            info.native = known.native;
            out
        }
        None => {
            let out = OutputDir::begin(taken(&place).context("the run was stopped")?)?;
            info = self::info(&*language, &plan);
            language.keep(&plan, &out, &mut info, &mut progress)?;
            out.write_info(&info);
            native = NativeProgram::of(&info);
            out
        }
    };
    progress.note(&format!("results in {}", out.path().display()));
    let out = Arc::new(out);
    let mut recorder = recorder(&mut *language, &plan, out.clone(), progress, past.as_ref())?;
    recorder.beside.install_s = installed.as_secs_f64();
    recorder.native.clone_from(&native);
    recorder.exchange = exchange.map(|exchange| exchange.of_run(&info));
    let fuzzers = fuzzers(&plan, &mut recorder, &info, watchdog.stop())?;
    let cpu = plan.limits.cpu_time;
    recorder.pace.allowance = Allowance {
        // From the beginning of the process, as `TimeLimits` has it.
        wall: limit.map(|limit| limit + installed),
        cpu: (!cpu.is_zero()).then_some(cpu),
    };
    if past.is_some() && (limit.is_some() || !cpu.is_zero()) {
        recorder
            .progress
            .note("--time and --cpu-time count from here: a run that goes on has them anew");
    }
    // Whatever kills the run from here on, what it leaves can be read.
    let end = LastRecord {
        command: plan.command().join(" "),
        strict: plan.output.strict,
        out,
        snapshot: recorder.snapshot.clone(),
        figures: (!quiet).then(|| language.figures()),
        beside: language.last_words(),
        native,
    };
    let on_end = end.clone();
    watchdog.on_end(Box::new(move |cause| {
        let exit = on_end.write(cause);
        on_end.link();
        exit.into()
    }));
    let explored = explore(
        &mut *language,
        &mut plan,
        (hash, info, past),
        &watchdog,
        &mut recorder,
    );
    let explored = match (explored, watchdog.stop().cause()) {
        (Ok(explored), _) => explored,
        // Whatever failed, failed because the run was stopped.
        (Err(error), Some(cause)) if !error.is::<UsageError>() => {
            let exit = end.write(cause);
            settle(&watchdog, exit, end.native.clone());
            end.link();
            return Ok(exit);
        }
        (Err(error), _) => return Err(error),
    };
    Ok(conclude(
        &mut *language,
        &plan,
        explored,
        (&watchdog, fuzzers),
        recorder,
    ))
}

/// Holds the run to its limits from now on. What was installed in so much time is not part of any run.
fn watch(
    language: &dyn Language,
    plan: &Plan,
    wall: Option<Duration>,
    installed: Duration,
    pids: &Pids,
) -> anyhow::Result<Watchdog> {
    let limits = language.limits(plan, pids);
    let times = TimeLimits {
        started: crate::process::started() + installed,
        wall,
        cpu: limits.cpu,
    };
    let watchdog = Watchdog::start(times, Exit::Failed.into()).context("cannot watch the run")?;
    for guard in limits.guards {
        watchdog.guard(guard);
    }
    Ok(watchdog)
}

/// The hash of a program, if a run that is continued is one of it.
fn is_of(past: Option<&Past>, language: &dyn Language, hash: String) -> anyhow::Result<String> {
    match past {
        Some(past) if past.checkpoint.program != hash => {
            let (dir, why) = (past.dir.display(), language.has_changed());
            Err(UsageError(format!("--resume {dir}: {why}")).into())
        }
        _ => Ok(hash),
    }
}

/// The facts about the run.
fn info(language: &dyn Language, plan: &Plan) -> RunInfo {
    use std::os::unix::ffi::OsStringExt;
    let words = crate::process::arguments().iter().cloned();
    RunInfo {
        command: words.map(OsStringExt::into_vec).collect(),
        version: env!("CARGO_PKG_VERSION").into(),
        search: plan.search_name().to_string(),
        seed: plan.search.seed,
        one_worker: plan.alone_because().map(str::to_string),
        started: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |d| d.as_secs()),
        ..language.info(plan)
    }
}

/// The place of the results until the run begins: it, or what stops it before, takes the place.
type ReservedDir = Arc<Mutex<Option<Reserved>>>;

fn taken(place: &ReservedDir) -> Option<Reserved> {
    place.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Takes the directory of the results before anything is compiled.
fn reserve(out: Option<&Path>) -> anyhow::Result<Reserved> {
    Reserved::new(out, &std::env::current_dir()?).map_err(|e| {
        let full = e
            .root_cause()
            .downcast_ref::<std::io::Error>()
            .is_some_and(|e| {
                use std::io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
                matches!(e.kind(), QuotaExceeded | ReadOnlyFilesystem | StorageFull)
            });
        if full {
            e
        } else {
            UsageError(format!("{e:#}")).into()
        }
    })
}

/// Writes the results of a run that was stopped before it explored anything; may run on the watchdog's thread.
fn never_began(place: &ReservedDir, info: &RunInfo, cause: Cause, strict: bool) -> Exit {
    let halted = format!("{cause} (before the exploration began)");
    let written = taken(place)
        .context("no directory for the results")
        .and_then(OutputDir::begin);
    let (place, exit) = match written {
        Ok(out) => {
            out.write_info(info);
            let stats = RunStats {
                halted: Some(halted.clone()),
                wall_s: crate::process::started().elapsed().as_secs_f64(),
                cpu_s: cpu_seconds(),
                memory_max_mb: peak_memory_mb(),
                ..RunStats::default()
            };
            out.write_stats(&stats);
            match out.finish().first_failure {
                None => (
                    out.path().display().to_string(),
                    claim::exit(&stats, 0, false, strict, cause == Cause::Signal),
                ),
                Some(failure) => (failure, Exit::Failed),
            }
        }
        Err(error) => (format!("{error:#}"), Exit::Failed),
    };
    last_words::say(&format!("not everything was explored: {halted}; {place}"));
    exit
}

/// The record of a run that begins or goes on.
fn recorder(
    language: &mut dyn Language,
    plan: &Plan,
    out: Arc<OutputDir>,
    mut progress: Progress,
    past: Option<&Past>,
) -> anyhow::Result<Recorder> {
    let RecordParts {
        cases,
        atlas,
        limits,
    } = language.record(plan, past.map(|past| &past.checkpoint), &mut progress)?;
    let mut recorder = Recorder::new(out, progress, cases, atlas);
    recorder.has_branches = plan.search.mode == Mode::Concolic;
    recorder.limits = limits;
    if let Some(Past { checkpoint, .. }) = past {
        // A run that was killed has worked since its last record.
        let last = testcase::last_point(recorder.out.path()).unwrap_or_else(|e| {
            recorder.progress.say(&format!("run.jsonl: {e}"));
            None
        });
        let (wall_s, cpu_s) = last.map_or((0.0, 0.0), |point| (point.t, point.cpu_s));
        let wall = Duration::try_from_secs_f64(wall_s.max(checkpoint.wall_s)).unwrap_or_default();
        recorder.goes_on(checkpoint.next_test, wall, cpu_s.max(checkpoint.cpu_s));
        recorder.limits.clone_from(&checkpoint.limits);
    } else {
        recorder.write_stats(&language.nothing(), Some(STILL_RUNNING));
    }
    recorder.out.finish();
    Ok(recorder)
}

/// Starts the native fuzzers of a run, if it has any, which exchange inputs with the exploration.
fn fuzzers(
    plan: &Plan,
    recorder: &mut Recorder,
    info: &RunInfo,
    stop: Stop,
) -> anyhow::Result<Option<Fuzzers>> {
    let Some(fuzzers) = Fuzzers::start(plan, recorder.out.path(), stop)? else {
        return Ok(None);
    };
    let exchange = match recorder.exchange.take() {
        Some(exchange) => exchange,
        None => Exchange::open(fuzzers.dir())?.of_run(info),
    };
    recorder.exchange = Some(exchange.with_crashes(fuzzers.crashes()));
    recorder.beside.fuzzers = Some(fuzzers.board().clone());
    Ok(Some(fuzzers))
}

/// Explores the program with this hash from the beginning, or what an earlier run has left.
fn explore(
    language: &mut dyn Language,
    plan: &mut Plan,
    (hash, mut info, past): (String, RunInfo, Option<Past>),
    watchdog: &Watchdog,
    recorder: &mut Recorder,
) -> anyhow::Result<Explored> {
    let results = recorder.out.path().to_owned();
    if past.is_none() {
        let started = language.start(plan, &mut info, watchdog, recorder);
        started.inspect_err(|e| {
            if e.is::<UsageError>() {
                discard(&results);
            }
        })?;
    }
    let plan = &*plan;
    recorder.rerun = crate::rerun::of(plan, &info, &results, !plan.goes_on);
    let setting = Setting {
        plan,
        watchdog,
        results: &results,
    };
    if plan.has_workers() {
        let (left, shelf, _lock) = match past {
            Some(past) => (past.checkpoint, past.shelf, past.lock),
            None => {
                let shelf = plan.shelf(&results);
                let first = language.first_prefixes(plan)?.into_iter();
                let left = Checkpoint {
                    prefixes: first.map(|bytes| Arc::new(shelf.put(bytes))).collect(),
                    ..Checkpoint::default()
                };
                (left, shelf, testcase::frontier::lock(&results)?)
            }
        };
        let shared = language.shared(plan)?;
        let crew = crew::Plan::new(plan, shared, shelf, watchdog, recorder)?;
        return staffing::together(crew, left, recorder);
    }
    if let Some(past) = past {
        let all = language.go_on(setting, &past.checkpoint)?;
        let (left, _lock) = (past.checkpoint, past.lock);
        return staffing::go_on_alone(all, left, watchdog, recorder);
    }
    let mut all = language.begin(setting)?;
    if plan.alone().is_some() {
        // What was explored is known to this process alone: nobody can go on with it.
        let halt = all.run(recorder);
        return Ok(Explored::by(all, halt, 0, recorder));
    }
    let others = others(language, setting, recorder);
    staffing::alone(all, hash, others, watchdog, recorder)
}

/// The plan for several workers of a run that one worker begins, if there may be any.
fn others(
    language: &mut dyn Language,
    setting: Setting<'_>,
    recorder: &mut Recorder,
) -> Option<crew::Plan> {
    let plan = setting.plan;
    if !plan.may_get_workers() || !is_enough_for_each(plan) {
        return None;
    }
    let shelf = plan.shelf(setting.results);
    let crew = language
        .shared(plan)
        .and_then(|shared| crew::Plan::new(plan, shared, shelf, setting.watchdog, recorder));
    if let Err(e) = &crew {
        let text = format!("one worker explores, others cannot: {e:#}");
        recorder.progress.say(&text);
    }
    crew.ok()
}

/// Would each of several workers have memory to work with? Each needs what this one has before it begins, and as much again.
fn is_enough_for_each(plan: &Plan) -> bool {
    let share = share_of_memory(plan.memory(), plan.jobs());
    share == 0 || share >= 2 * room::sample()
}

/// All results are written: from now on only the status is left to be given, and before that the native program to be made.
fn settle(watchdog: &Watchdog, exit: Exit, native: Option<NativeProgram>) {
    let Some(native) = native.filter(|native| !native.is_there()) else {
        return watchdog.settle(exit.into());
    };
    watchdog.on_end(Box::new(move |_| {
        native.wait();
        // There is something left to say, which may have waited for it.
        std::thread::sleep(WORDS);
        exit.into()
    }));
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

/// Writes the last results, and prints the claim of the run.
fn conclude(
    language: &mut dyn Language,
    plan: &Plan,
    explored: Explored,
    (watchdog, fuzzers): (&Watchdog, Option<Fuzzers>),
    mut recorder: Recorder,
) -> Exit {
    let (quiet, strict) = (plan.output.quiet, plan.output.strict);
    let totals = &explored.totals;
    recorder.progress.clear();
    let fuzzed = fuzzers.map(|mut fuzzers| {
        fuzzers.end();
        (fuzzers.board().figures(), fuzzers.board().failures())
    });
    let (fuzzed, without_fuzzers) = fuzzed.unzip();
    recorder.point(totals);
    if explored.halted.is_none() {
        recorder.out.settle();
    }
    let mut stats = recorder.write_stats(totals, explored.halted.as_deref());
    let out = recorder.out.clone();
    let written = out.finish();
    // Not before: who is killed on the way has something to go on with.
    if recorder.has_nothing_left
        && let Err(e) = testcase::frontier::remove(out.path())
    {
        let text = format!("cannot remove the frontier: {e}");
        recorder.progress.say(&text);
    }
    let extras = language.extras(plan, &out, totals);
    let Extras {
        notes,
        mut warnings,
        mut failures,
    } = extras;
    stats.failures.extend(written.failure());
    failures.extend(without_fuzzers.into_iter().flatten());
    stats.failures.extend(failures.iter().cloned());
    if !stats.failures.is_empty() {
        // Whoever reads the results has no other way to know.
        out.write_stats(&stats);
        out.finish();
    }
    let mut found = out.program_errors();
    if found == 0
        && let Some(sum) = fuzzed.filter(|sum| sum.crashes > 0)
    {
        // Whatever the machine says of them, the program does not survive them.
        found = sum.crashes;
        warnings.push(sum.unexplained());
    }
    let internal = totals.counters.endings.of(Ending::Internal);
    let wrong = totals.losses.of(Loss::Models);
    let failed = !stats.failures.is_empty() || internal + wrong > 0;
    let stopped = watchdog.stop().cause() == Some(Cause::Signal);
    let exit = claim::exit(&stats, found, failed, strict, stopped);
    settle(watchdog, exit, recorder.native.clone());
    recorder.link(totals);
    if !quiet {
        let tests = written.told(stats.unsaved(), out.path());
        let summary = language.summary(totals, &stats, &tests);
        let findings = recorder.findings();
        let exchanged = recorder.exchange.as_ref().map(Exchange::told);
        let fuzzed = fuzzed.as_ref().map(FuzzFigures::told);
        for line in summary
            .iter()
            .chain(&exchanged)
            .chain(&fuzzed)
            .chain(&findings)
            .chain(&notes)
        {
            say::err!("polypath: {line}");
        }
    }
    if let Some(failure) = written.failure() {
        say::err!("polypath: {failure}");
    }
    for (i, script) in explored.rejected.iter().enumerate() {
        let path = out.path().join(format!("wrong-model-{i}.smt2"));
        match std::fs::write(&path, script) {
            Ok(()) => say::err!(
                "polypath: the solver found a wrong model (it was not used): please report {}",
                path.display()
            ),
            Err(e) => say::err!("polypath: cannot write {}: {e}", path.display()),
        }
    }
    for line in warnings.iter().chain(&failures) {
        say::err!("polypath: {line}");
    }
    if internal > 0 {
        say::err!(
            "polypath: {internal} internal errors: please report them; the inputs that led there are the tests in {} \
             that end in `internal error: …`",
            out.path().join("tests").display()
        );
    }
    let command = format!("polypath {}", plan.command().join(" "));
    claim::say(&stats, out.path(), &command, quiet, strict);
    super::record::tell_unread(stats, &out);
    exit
}
