//! `polypath java run`: from a class path to a directory of tests.

use super::claim;
use super::jobs::{self, Begin, Crew, End, Outcome, Program, Solo, When};
use super::options::{LOG, RunArgs, place_of};
use super::past::{self, Past};
use super::plan::Plan;
use super::policy::Policy;
use super::record::Recorder;
use super::replay::tools;
use super::sources::Sources;
use super::witness;
use crate::exit::{Exit, UsageError};
use crate::session::jobs::keeper::Keeper;
use crate::session::last_words;
use crate::session::progress::short;
use crate::session::usage;
use anyhow::{Context, anyhow};
use dse::Explorer;
use exec::Ending;
use fence::Fence;
use host::shelf::Shelf;
use host::{Cause, TimeLimits, Watchdog};
use jvm::{Failure, Java, Kit, Totals};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use testcase::{OutputDir, Reserved, RunInfo, RunStats};

/// How long what is left may take to be written if nothing presses.
const LONG: Duration = Duration::from_secs(60);

/// Explores.
///
/// # Errors
/// Wrong usage, a JDK that is missing, files that cannot be written.
pub fn run(args: &RunArgs) -> anyhow::Result<Exit> {
    let (most, when) = args.workers()?;
    let strategy = args.strategy(0)?;
    args.techniques()?;
    args.files()?;
    let class_path = args.classes()?;
    let junit = args.junit()?;
    let policy = Policy::new(&args.expect, &args.check)?;
    let seeds = args.seeds()?;
    if args.sym_args.chunks(3).any(|c| c[0] > c[1]) {
        return Err(UsageError("--sym-args MIN MAX LEN: MIN is more than MAX".into()).into());
    }
    let hash = past::hash(&class_path);
    let memory = args.memory << 20;
    let place = match args.resume.as_deref() {
        Some(dir) => Place::Old(Box::new(Past::read(dir, &hash, jobs::shelf(dir, memory))?)),
        None => Place::New(
            Reserved::new(args.out.as_deref(), &std::env::current_dir()?)
                .map_err(|e| UsageError(format!("{e:#}")))?,
        ),
    };
    let tools = tools()?;
    let begun = Instant::now();
    let kit = Kit::ensure(tools, &mut |text| say(args, text))?;
    let entry = match (&place, &args.entry) {
        (Place::Old(past), _) => past.checkpoint.entry.clone(),
        (Place::New(_), Some(entry)) => entry.clone(),
        (Place::New(_), None) => main_method(args, &kit, &class_path)?,
    };
    let watchdog = watch(args, begun)?;
    let (out, past) = match place {
        Place::New(place) => (OutputDir::begin(place)?, None),
        Place::Old(past) => {
            let written = past.checkpoint.written.clone();
            let next = past.checkpoint.recorded.next_test;
            (OutputDir::resume(&past.dir, written, next)?, Some(past))
        }
    };
    let out = Arc::new(out);
    say(args, &format!("results in {}", out.path().display()));
    let mut recorder = Recorder::new(
        out.clone(),
        args.tests,
        policy,
        Sources::new(&args.source_path, &class_path),
    );
    let (interrupted, snapshot) = (out.clone(), recorder.snapshot.clone());
    let strict = args.strict;
    watchdog.on_end(Box::new(move |cause| {
        last_words::write(cause, &interrupted, &snapshot, "java run", strict).into()
    }));
    recorder.runs(&entry);
    exec::limit_memory(memory);
    let all = Exploration {
        args,
        program: Program { entry, hash },
        most,
        memory,
        watchdog: &watchdog,
    };
    let log = out.path().join(LOG);
    let ended = match past {
        Some(past) => all.go_on(*past, &mut recorder),
        None => {
            let mut info = run_info(args);
            info.versions
                .insert("java".into(), kit.tools.version.clone());
            out.write_info(&info);
            all.begin(kit, info, (strategy, seeds, when), &mut recorder)
        }
    };
    let (plan, outcome) = match (ended, watchdog.stop().cause()) {
        (Ok(ended), _) => ended,
        // Whatever failed, failed because the run was stopped: a JVM that starts, for instance.
        (Err(error), Some(cause)) if !error.is::<UsageError>() => {
            let exit = last_words::write(cause, &out, &recorder.snapshot, "java run", strict);
            watchdog.settle(exit.into());
            return Ok(exit);
        }
        (Err(error), _) => return Err(error),
    };
    let Outcome {
        totals,
        explored,
        stopped,
        methods,
        rejected,
        workers,
        has_nothing_left,
    } = outcome;
    recorder.beside(Duration::ZERO, 0);
    discard_places(&out, args);
    for (i, script) in rejected.iter().enumerate() {
        let path = out.path().join(format!("wrong-model-{i}.smt2"));
        std::fs::write(&path, script)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let wrong_models = !rejected.is_empty();
    let halted = claim::left_out(stopped.as_deref(), &explored, &recorder.endings, &totals);
    recorder.point(&totals);
    let lines = recorder.coverage(&methods);
    let mut stats = recorder.stats(&totals, halted);
    stats.bounds = crate::session::claim::named(claim::bounds(&totals, args));
    (stats.covered_lines, stats.total_lines) = lines;
    let rows = explored.rows.into_iter();
    stats.more.extend(rows.map(|(name, n)| (name, n.into())));
    if !workers.is_empty() {
        stats.more.insert("workers".into(), workers.into());
    }
    stats.partial_solutions = explored.partial_solutions;
    out.write_stats(&stats);
    let written = out.finish();
    // Not before: who is killed on the way has something to go on with.
    if has_nothing_left && let Err(e) = testcase::frontier::remove(out.path()) {
        say::err!("polypath: cannot remove the frontier: {e}");
    }
    let source = match junit {
        Some(version) => testcase::java::junit::write(out.path(), &plan.method, version),
        None => Ok(None),
    };
    let found = out.program_errors();
    let witness = args
        .witness
        .as_ref()
        .map(|file| witness::write(file, &out, &plan));
    let internal = recorder.endings.contains_key(&Ending::Internal);
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
    for why in recorder.crashes.iter().take(1) {
        say::err!("polypath: {why}{}", said(&log));
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

/// Where results go.
enum Place {
    /// To a directory that is taken.
    New(Reserved),
    /// To that of an earlier run.
    Old(Box<Past>),
}

/// A run, from the moment on that it has a directory.
struct Exploration<'a> {
    args: &'a RunArgs,
    program: Program,
    /// The most workers.
    most: u32,
    /// Bytes; 0: no limit.
    memory: u64,
    watchdog: &'a Watchdog,
}

/// The order of branches, inputs to begin with by their names, and when others explore, too.
type Start = (Box<dyn search::Strategy>, Vec<(String, Vec<u8>)>, When);

impl Exploration<'_> {
    /// Explores from the first path on.
    fn begin(
        self,
        kit: Kit,
        mut info: RunInfo,
        (strategy, seeds, when): Start,
        recorder: &mut Recorder,
    ) -> anyhow::Result<(Plan, Outcome)> {
        let out = recorder.out.clone();
        let args = self.args;
        let entry = &self.program.entry;
        let options = args.program(kit, entry.clone(), out.path(), 0)?;
        let solver = args.solver(false)?;
        let log = options.log.clone();
        let classes = options.class_path.clone();
        let stop = self.watchdog.stop();
        let mut target = match Java::new(options, solver, stop, self.memory, recorder) {
            Ok(target) => target,
            Err(Failure::Refused(why)) => {
                discard(out.path());
                return Err(UsageError(format!("{entry}: {why}")).into());
            }
            Err(error) => return Err(anyhow!("{error}{}", said(&log))),
        };
        let plan = Plan::new(args, &classes, target.facts())?;
        info.plan = Some(serde_json::to_value(&plan)?);
        out.write_info(&info);
        // Nobody goes on with it while it explores.
        let _lock = testcase::frontier::lock(out.path())?;
        if let Some(warning) = target.fence().and_then(Fence::warning) {
            // Also where nothing else is said.
            say::err!("{}{warning}", super::WARNING);
        }
        say(args, &format!("exploring {}", target.description()));
        if let Some(note) = usage::little_memory(self.memory) {
            say(args, &note);
        }
        let mut inputs = Vec::new();
        for (name, bytes) in &seeds {
            match target.raw_input(bytes) {
                Ok(input) => inputs.push(input),
                Err(why) => {
                    discard(out.path());
                    return Err(UsageError(format!("{name}: {why}")).into());
                }
            }
        }
        let explorer = Explorer::new(&target, strategy, inputs, args.explorer(stop)?);
        let mut solo = Solo { explorer, target };
        let shelf = jobs::shelf(out.path(), self.memory);
        solo.target.put_aside_on(shelf.clone());
        let outcome = match solo.explore(when) {
            End::Over(stopped) => {
                let outcome = solo.outcome(stopped);
                if let Some(why) = solo.target.refused_aside() {
                    say::err!("polypath: open branches could not be put aside: {why}");
                }
                if outcome.has_nothing_left {
                    // Terms die with the process: taking them apart costs more than it gives.
                    std::mem::forget(solo.explorer);
                } else {
                    let end = self.last_moment();
                    self.keep(solo.leave_before(end, &shelf), end, recorder);
                }
                outcome
            }
            End::Shared => {
                let begin = solo.leave(&shelf);
                self.share(begin, shelf, recorder)?
            }
        };
        Ok((plan, outcome))
    }

    /// Goes on where an earlier run was.
    fn go_on(self, past: Past, recorder: &mut Recorder) -> anyhow::Result<(Plan, Outcome)> {
        let Past {
            plan,
            checkpoint,
            shelf,
            lock: _lock,
            ..
        } = past;
        recorder.goes_on(&checkpoint.recorded);
        let outcome = self.share(Begin::of(checkpoint), shelf, recorder)?;
        Ok((plan, outcome))
    }

    /// Several workers explore, or one that goes on with a run.
    fn share(self, begin: Begin, shelf: Shelf, recorder: &mut Recorder) -> anyhow::Result<Outcome> {
        let workers = match self.most {
            1 => "one worker explores".to_string(),
            n => format!("{n} workers explore"),
        };
        say(self.args, &workers);
        let plan = jobs::Plan {
            jobs: self.most,
            // Behind `polypath java run`.
            args: crate::arguments().iter().skip(3).cloned().collect(),
            program: self.program,
            memory: self.memory,
            stop: self.watchdog.stop(),
            limits: self.watchdog.limits(),
        };
        Crew::new(plan, begin, shelf, recorder)?.run()
    }

    /// How long it may take to write what is left.
    fn last_moment(&self) -> Instant {
        let stop = self.watchdog.stop();
        let grace = stop
            .cause()
            .map_or(LONG, |cause| self.watchdog.limits().grace(cause) / 2);
        Instant::now() + grace
    }

    /// Writes what is left to explore when one process has explored alone; `None` if there was no time to gather it.
    fn keep(&self, left: Option<Begin>, end: Instant, recorder: &Recorder) {
        let kept = match left {
            Some(left) => {
                let left = left.checkpoint(&self.program, recorder);
                Keeper::new(recorder.out.path()).keep_last(left, end)
            }
            None => Ok(false),
        };
        match kept {
            Ok(true) => {}
            Ok(false) => say::err!(
                "polypath: there was no time to write what is left: this run cannot be gone on with"
            ),
            Err(e) => say::err!(
                "polypath: the frontier cannot be written, this run cannot be gone on with: {e}"
            ),
        }
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

fn say(args: &RunArgs, text: &str) {
    if !args.quiet {
        say::err!("polypath: {text}");
    }
}

/// Holds the run to its limits; what was compiled once is no part of it.
fn watch(args: &RunArgs, begun: Instant) -> anyhow::Result<Watchdog> {
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
        short(totals.records),
        stats.queries,
        stats.solver_time_s,
        stats.cpu_s,
        stats.wall_s
    );
    for error in out.errors().iter().filter(|e| e.kind.is_program_error()) {
        say::err!("polypath: {error}");
    }
    if found > 0 {
        let word = if found == 1 { "error" } else { "errors" };
        let path = out.path().join("errors.json");
        say::err!("polypath: {found} {word} found: {}", path.display());
    }
}
