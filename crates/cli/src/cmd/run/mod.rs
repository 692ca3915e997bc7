//! `polypath run PROGRAM`

pub mod concolic;
pub mod limits;
pub mod prepare;
mod shared;

use crate::exit::{Exit, UsageError};
use crate::session::jobs::checkpoint::Checkpoint;
use crate::session::jobs::crew::Pids;
use crate::session::jobs::explored::{self, Explored};
use crate::session::jobs::solo::Before;
use crate::session::options::{Args, Mode};
use crate::session::plan::RunPlan;
use crate::session::progress::{Progress, short};
use crate::session::record::{Cases, Recorder, STILL_RUNNING, Sites, Starts, saver};
use crate::session::resume::Past;
use crate::session::usage::{self, cpu_seconds, peak_memory_mb};
use crate::session::{claim, frontend, harness, last_words};
use crate::words;
use anyhow::Context;
use exec::{Engine, RunLimits};
use explore::{Bound, Counters, Ending, Exploration, Loss, Totals};
use host::shelf::Shelf;
use host::{Cause, Watchdog};
use prepare::{Aside, Ready, Whose};
use shared::Shared;
use solver::Solver;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use testcase::{OutputDir, Reserved, RunInfo, RunStats};
use toolchain::compile::SourceKind;

pub use crate::session::options::Args as RunArgs;

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    args.check()?;
    exec::limit_memory(args.memory << 20);
    let pruning = args.pruning.plan(args, args.seed)?;
    let pids = Pids::default();
    let schedule = match args.mode {
        Mode::Concolic => Schedule::Concolic(concolic::Plan::new(args)?),
        Mode::Fork => Schedule::Fork(prepare::searcher(args, args.seed)?, pruning),
    };
    let others = args.has_workers() || args.may_get_workers();
    let others = others.then(|| Shared::new(args, pids.clone()));
    let way = Way {
        schedule,
        others: others.transpose()?,
        at_once: args.has_workers(),
    };
    let past = args.resume.as_deref();
    let past = past.map(|dir| Past::read(dir, args.shelf(dir), RunPlan::of));
    let past = past.transpose()?;
    let plan = match &past {
        Some(past) => past.plan.clone(),
        None => RunPlan::new(args)?,
    };
    let solver = prepare::solver(
        args,
        if way.at_once {
            Whose::Coordinator
        } else {
            Whose::Alone
        },
    )?;
    let limit = (!args.time.is_zero()).then_some(args.time);
    let mut progress = Progress::new(limit, args.quiet);
    let place = past.is_none().then(|| place(args)).transpose()?;
    let place: Place = Arc::new(Mutex::new(place));
    // The first sign of life, before a compiler starts.
    if !args.quiet {
        progress.say(&first_words(args));
        if let Some(option) = args.alone_because() {
            progress.say(&format!(
                "one worker explores: with {option} there are no more"
            ));
        }
        if args.args.iter().any(|a| a == "@@") {
            progress.say(&format!("note: {}", words::PLACEHOLDER));
        }
    }
    let watchdog = limits::watch(args, &plan, &mut progress, &pids)?;
    let stopped = (args.clone(), place.clone());
    watchdog.on_end(Box::new(move |cause| {
        never_began(&stopped.0, cause, &stopped.1).into()
    }));
    let prepared = match prepare(
        args,
        plan,
        way,
        solver,
        past,
        &mut progress,
        watchdog.stop(),
    ) {
        Ok(prepared) => prepared,
        Err(error) => match watchdog.stop().cause() {
            // Whatever failed, failed because it was stopped.
            Some(cause) => return Ok(never_began(args, cause, &place)),
            None => {
                // What was made for a run that does not begin goes again.
                drop(taken(&place));
                return Err(error);
            }
        },
    };
    explore(prepared, args, progress, &watchdog, &place)
}

/// The results of a run that was stopped before it explored anything. It may be said by the watchdog's thread.
fn never_began(args: &Args, cause: Cause, place: &Place) -> Exit {
    let halted = format!("{cause} (before the exploration began)");
    let written = taken(place)
        .context("no directory for the results")
        .and_then(OutputDir::begin);
    let (place, exit) = match written {
        Ok(out) => {
            out.write_info(&run_info(args, None));
            out.write_stats(&RunStats {
                halted: Some(halted.clone()),
                wall_s: crate::started().elapsed().as_secs_f64(),
                cpu_s: cpu_seconds(),
                memory_max_mb: peak_memory_mb(),
                ..RunStats::default()
            });
            match out.finish().first_failure {
                None => (
                    out.path().display().to_string(),
                    Exit::of_run(0, false, true, args.strict),
                ),
                Some(failure) => (failure, Exit::Failed),
            }
        }
        Err(error) => (format!("{error:#}"), Exit::Failed),
    };
    last_words::say(&format!("not everything was explored: {halted}; {place}"));
    exit
}

/// What is ready before the first step.
struct Prepared {
    way: Way,
    ready: Ready,
    plan: RunPlan,
    built: Option<harness::Built>,
    past: Option<Past<RunPlan>>,
}

fn prepare(
    args: &Args,
    mut plan: RunPlan,
    mut way: Way,
    solver: Solver,
    past: Option<Past<RunPlan>>,
    progress: &mut Progress,
    stop: host::Stop,
) -> anyhow::Result<Prepared> {
    // What was built for a function is kept with the run.
    let built = match past {
        Some(_) => None,
        None => harness::build(args, &mut |text| progress.say(text))?,
    };
    let args = built.as_ref().map_or(args, |b| &b.args);
    if past.is_none() {
        plan.program.clone_from(&args.program);
        plan.cc_flags.clone_from(&args.cc_flag);
    }
    let program = frontend::load(&plan, &mut |text| progress.say(text))?;
    if let Some(shared) = &mut way.others {
        // Before the machine adds code of its own.
        shared.ir = ir::file::to_bytes(&program.module);
    }
    let ready = prepare::ready(args, &plan, program, solver, stop)?;
    if let Some(note) = usage::little_memory(args.memory << 20) {
        progress.say(&note);
    }
    if let Some(shared) = way.others.as_ref().filter(|_| way.at_once) {
        shared.wait(stop)?;
    }
    if let Schedule::Concolic(plan) = &mut way.schedule {
        plan.fit(&ready.first, ready.starts.first())?;
    }
    if let Some(past) = past.as_ref().filter(|p| p.checkpoint.program != ready.hash) {
        let dir = past.dir.display();
        return Err(UsageError(format!("--resume {dir}: the program is another one now")).into());
    }
    Ok(Prepared {
        way,
        ready,
        plan,
        built,
        past,
    })
}

/// Who decides what runs next.
enum Schedule {
    Fork(Box<dyn search::Searcher>, Option<exec::PruningPlan>),
    Concolic(concolic::Plan),
}

/// How a run is explored.
struct Way {
    schedule: Schedule,
    /// Several workers, each with a searcher of its own, if there may be any: from the beginning, or once it pays.
    others: Option<Shared>,
    at_once: bool,
}

impl Schedule {
    /// All that there is to explore, as bytes.
    fn first_prefixes(self, ready: Ready) -> Vec<Vec<u8>> {
        match self {
            Schedule::Fork(..) => exec::first_prefixes(&ready.machine, &ready.first),
            Schedule::Concolic(plan) => plan.first_prefixes(ready.machine, ready.first),
        }
    }

    /// One that has everything to explore.
    fn begin(self, ready: Ready, limits: RunLimits, aside: Aside) -> Box<dyn Exploration> {
        match self {
            Schedule::Fork(searcher, pruning) => {
                let engine = Engine::new(ready.machine, searcher, ready.first, limits);
                aside.of_engine(engine.pruned_by(pruning))
            }
            Schedule::Concolic(plan) => {
                aside.of_concolic(plan.begin(ready.machine, ready.first, limits))
            }
        }
    }
}

fn explore(
    prepared: Prepared,
    args: &Args,
    progress: Progress,
    watchdog: &Watchdog,
    place: &Place,
) -> anyhow::Result<Exit> {
    let Prepared {
        way,
        mut ready,
        plan,
        built,
        past,
    } = prepared;
    let mut progress = progress;
    let args = built.as_ref().map_or(args, |b| &b.args);
    let out = match &past {
        Some(past) => {
            let Checkpoint {
                written, next_test, ..
            } = &past.checkpoint;
            OutputDir::resume(&past.dir, written.clone(), *next_test)?
        }
        None => begin(args, &ready, &plan, built.as_ref(), place, &mut progress)?,
    };
    if !args.quiet {
        progress.say(&format!("results in {}", out.path().display()));
    }
    let out = Arc::new(out);
    let (starts, config) = (std::mem::take(&mut ready.starts), ready.config.clone());
    let mut starts = Starts::new(starts, config, &mut |text| progress.say(text));
    starts.invented = match &past {
        Some(past) => past.checkpoint.invented.clone(),
        None => built.as_ref().map_or(Vec::new(), |b| b.invented.clone()),
    };
    let cases = Cases {
        tests: args.tests(),
        given: Box::new(starts),
    };
    let at_first_end = saver(args.save_fs.clone(), &ready.config);
    let atlas = Sites::new(ready.machine.module.clone());
    let mut recorder = Recorder::new(out.clone(), progress, cases, Box::new(atlas));
    recorder.has_branches = args.mode == Mode::Concolic;
    recorder.limits = built.as_ref().map_or(BTreeMap::new(), |b| b.limits.clone());
    if let Some(native) = &ready.native
        && toolchain::extract::link(native)? == toolchain::extract::Link::Unknown
    {
        let words = "another linker than that of polypath cc made the binary, and what it made of names is not known";
        recorder.limits.insert(Bound::Link, words.into());
    }
    // Whatever kills the run from here on, what it leaves can be read.
    if let Some(Past { checkpoint, .. }) = &past {
        let wall = Duration::from_secs_f64(checkpoint.wall_s.max(0.0));
        recorder.goes_on(checkpoint.next_test, wall, checkpoint.cpu_s);
        recorder.limits.clone_from(&checkpoint.limits);
    } else {
        let nothing = exec::totals(&ready.machine, &Counters::default());
        recorder.write_stats(&nothing, Some(STILL_RUNNING));
    }
    recorder.out.finish();
    let snapshot = recorder.snapshot.clone();
    let strict = args.strict;
    watchdog.on_end(Box::new(move |cause| {
        last_words::write(cause, &out, &snapshot, "run", strict).into()
    }));
    let limits = RunLimits {
        grace: watchdog.grace() / 2,
        memory: args.memory << 20,
        budget: None,
    };
    let Way {
        schedule,
        others,
        at_once,
    } = way;
    let results = recorder.out.path();
    let aside = Aside {
        disk: Some(Shelf::new(results, 0, args.spill_bytes(results))),
        at_first_end,
    };
    let begin = shared::Begin::of(&ready);
    let ways = shared::Ways {
        args,
        plan: &plan,
        watchdog,
    };
    let explored = match (schedule, others) {
        (schedule, Some(shared)) if at_once => {
            // The workers have machines of their own.
            let (left, shelf, _lock) = match past {
                Some(past) => {
                    drop((schedule, ready));
                    (past.checkpoint, past.shelf, past.lock)
                }
                None => {
                    let shelf = args.shelf(recorder.out.path());
                    let first = schedule.first_prefixes(ready).into_iter();
                    let left = Checkpoint {
                        prefixes: first.map(|bytes| Arc::new(shelf.put(bytes))).collect(),
                        ..Checkpoint::default()
                    };
                    let lock = testcase::frontier::lock(recorder.out.path())?;
                    (left, shelf, lock)
                }
            };
            shared.explore(&begin, (left, shelf), ways, &mut recorder)?
        }
        (_, None) if past.is_some() => {
            let search = prepare::Search::new(args, args.seed)?;
            let past = past.context("a run to go on with")?;
            ready.machine.share(Rc::new(Before::of(&past.checkpoint)));
            let all = search.shared(ready.machine, ready.first, limits, aside);
            let (left, _lock) = (past.checkpoint, past.lock);
            explored::go_on_alone(all, left, watchdog, &mut recorder)?
        }
        (schedule, others) => {
            let mut all = schedule.begin(ready, limits, aside);
            if args.alone().is_some() {
                // What was explored is known to this process alone: nobody can go on with it.
                let halt = all.run(&mut recorder);
                Explored::by(all, halt, &mut recorder)
            } else {
                let others = shared::others(&begin, others, ways, &mut recorder);
                explored::alone(all, begin.hash, others, watchdog, &mut recorder)?
            }
        }
    };
    recorder.progress.clear();
    let totals = &explored.totals;
    recorder.point(totals);
    if explored.halted.is_none() {
        recorder.out.settle();
    }
    let stats = recorder.write_stats(totals, explored.halted.as_deref());
    let written = recorder.out.finish();
    // Not before: who is killed on the way has something to go on with.
    if recorder.has_nothing_left
        && let Err(e) = testcase::frontier::remove(recorder.out.path())
    {
        let text = format!("cannot remove the frontier: {e}");
        recorder.progress.say(&text);
    }
    let found = recorder.out.program_errors();
    let wrong = totals.losses.of(Loss::Models);
    let internal = totals.counters.endings.of(Ending::Internal);
    let failed = internal + wrong + written.lost + written.failed_writes > 0;
    let exit = claim::exit(&stats, found, failed, args.strict);
    watchdog.settle(exit.into());
    if !args.quiet {
        summary(totals, &stats, found, &recorder.out, &written);
    }
    if let Some(failure) = &written.first_failure {
        say::err!(
            "polypath: {} tests and {} other files could not be written: {failure}",
            written.lost,
            written.failed_writes
        );
    }
    for (i, script) in explored.rejected.iter().enumerate() {
        let path = recorder.out.path().join(format!("wrong-model-{i}.smt2"));
        match std::fs::write(&path, script) {
            Ok(()) => say::err!(
                "polypath: the solver found a wrong model (it was not used): please report {}",
                path.display()
            ),
            Err(e) => say::err!("polypath: cannot write {}: {e}", path.display()),
        }
    }
    if internal > 0 {
        say::err!(
            "polypath: {internal} internal errors: please report them; the inputs that led there are the tests in {} \
             that end in `internal error: …`",
            recorder.out.path().join("tests").display()
        );
    }
    claim::say(
        &stats,
        recorder.out.path(),
        "polypath run",
        args.quiet,
        args.strict,
    );
    Ok(exit)
}

/// The directory of a run that begins, with what is known of the run.
fn begin(
    args: &Args,
    ready: &Ready,
    plan: &RunPlan,
    built: Option<&harness::Built>,
    place: &Place,
    progress: &mut Progress,
) -> anyhow::Result<OutputDir> {
    let mut info = run_info(args, Some(ready));
    let out = OutputDir::begin(taken(place).context("the run was stopped")?)?;
    if let Some(built) = built {
        built.keep(out.path(), &mut info)?;
    }
    if let Err(e) = plan.keep(&mut info, built.is_some()) {
        progress.say(&format!("no modelled replay of this run: {e}"));
    }
    out.write_info(&info);
    Ok(out)
}

/// The place of the results until the run begins: it, or what stops it before, takes the place.
type Place = Arc<Mutex<Option<Reserved>>>;

fn taken(place: &Place) -> Option<Reserved> {
    limits::locked(place).take()
}

/// Takes the directory of the results before anything is compiled.
fn place(args: &Args) -> anyhow::Result<Reserved> {
    Reserved::new(args.out.as_deref(), &std::env::current_dir()?).map_err(|e| {
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

/// What is done first.
fn first_words(args: &Args) -> String {
    let program = args.program.display();
    let verb = match toolchain::compile::kind(&args.program) {
        Some(SourceKind::C | SourceKind::Cxx) => "compiling",
        Some(SourceKind::Assembly | SourceKind::Bitcode) | None => "reading",
    };
    match &args.entry {
        Some(entry) => format!("{verb} {program} for {entry}"),
        None => format!("{verb} {program}"),
    }
}

fn run_info(args: &Args, ready: Option<&Ready>) -> RunInfo {
    use std::os::unix::ffi::OsStringExt;
    let absolute = |p: &std::path::Path| {
        std::path::absolute(p)
            .unwrap_or(p.to_path_buf())
            .to_string_lossy()
            .into_owned()
    };
    let words = crate::arguments().iter().cloned();
    RunInfo {
        command: words.map(OsStringExt::into_vec).collect(),
        version: env!("CARGO_PKG_VERSION").into(),
        program: absolute(&args.program),
        native: ready.and_then(|r| r.native.as_deref()).map(absolute),
        bitcode: ready.and_then(|r| r.bitcode.as_deref()).map(absolute),
        ir_hash: ready.map(|r| r.hash.clone()).unwrap_or_default(),
        mode: format!("{:?}", args.mode).to_lowercase(),
        search: args.search_name().to_string(),
        seed: args.seed,
        one_worker: args.alone_because().map(str::to_string),
        started: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |d| d.as_secs()),
        ..RunInfo::default()
    }
}

fn summary(
    totals: &Totals,
    stats: &RunStats,
    found: u64,
    out: &OutputDir,
    written: &testcase::WriteSummary,
) {
    for warning in &totals.machine.warnings {
        say::err!("polypath: {warning}");
    }
    for (what, paths) in &totals.machine.unsupported {
        say::err!("polypath: not supported: {what} ({paths} paths)");
    }
    for (what, times) in &totals.machine.refused {
        say::err!("polypath: refused, the model has none: {what} ({times} times)");
    }
    let percent = |a: u64, b: u64| {
        if b == 0 {
            100.0
        } else {
            100.0 * a as f64 / b as f64
        }
    };
    say::err!(
        "polypath: {} paths complete, {} partial; {} tests in {}",
        stats.completed_paths,
        stats.partial_paths,
        written.written(),
        out.path().display()
    );
    say::err!(
        "polypath: {} of {} branches ({:.1} %), {} of {} lines ({:.1} %)",
        stats.covered_branches,
        stats.total_branches,
        percent(stats.covered_branches, stats.total_branches),
        stats.covered_lines,
        stats.total_lines,
        percent(stats.covered_lines, stats.total_lines)
    );
    say::err!(
        "polypath: {} instructions, {} queries, solver {:.2} s, CPU {:.2} s, wall {:.2} s, {:.0} MB",
        short(stats.instructions),
        stats.queries,
        stats.solver_time_s,
        stats.cpu_s,
        stats.wall_s,
        stats.memory_max_mb
    );
    if found > 0 {
        say::err!(
            "polypath: {found} {} found: {}",
            if found == 1 { "error" } else { "errors" },
            out.path().join("errors.json").display()
        );
    }
}
